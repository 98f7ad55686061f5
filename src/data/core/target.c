/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/core/builder.h"
#include "data/core/data_spec.h"
#include "data/text/table.h"

enum { MOST_DIGITS = 64 };

static int cell_fault(struct err *err, const struct target_cells *cells, int32_t i, const char *why)
{
    struct table at = {.path = cells->path, .line = cells->line[i]};

    return table_fault(err, &at, "column \"%.80s\" = \"%.80s\": %s", cells->column, cells->text[i],
                       why);
}

/* ---- decimal commas ---- */

static bool has_decimal_comma(const char *cell)
{
    double v;

    return table_parse_comma(&v, cell);
}

/* In 1.066 and 1.234.567 points may separate thousands. */
static bool has_thousands(const char *cell)
{
    size_t n = strspn(cell, "0123456789");

    if (n < 1 || n > 3 || *cell == '0' || cell[n] != '.')
        return false;
    for (cell += n; *cell == '.'; cell += 4)
        if (strspn(cell + 1, "0123456789") != 3)
            return false;
    return !*cell;
}

/* Refuses 979 beside 1.066: with a decimal point the latter would be far below whole numbers of
 * three digits. */
static int refuse_thousands(const struct target_cells *cells, struct err *err)
{
    int32_t a_point = -1, n_whole = 0;

    for (int32_t i = 0; i < cells->n; i++) {
        const char *text = cells->text[i];

        if (!text)
            continue;
        if (has_thousands(text)) {
            if (strspn(text, "0123456789") > 1 && !strchr(strchr(text, '.') + 1, '.'))
                return 0; /* 10.066 may be a measurement beside 979 */
            a_point = a_point < 0 ? i : a_point;
        } else if (*text != '0' && strspn(text, "0123456789") == 3 && !text[3]) {
            n_whole++;
        } else {
            return 0;
        }
    }
    if (a_point < 0 || !n_whole)
        return 0;
    return cell_fault(err, cells, a_point,
                      "the point likely separates thousands, because other rows have whole numbers "
                      "of three digits: remove the point");
}

/* The text behind the number that a cell begins with; NULL: there is no number or no text. */
static const char *unit_of(const char *cell)
{
    char number[MOST_DIGITS];
    size_t n = strspn(cell, "0123456789+-.,");
    double v;

    if (n >= sizeof number || !cell[n])
        return NULL;
    for (size_t i = 0; i < n; i++)
        number[i] = cell[i] == ',' ? '.' : cell[i];
    number[n] = '\0';
    return table_parse_number(&v, number) ? cell + n : NULL;
}

/* ">10000", "<= 0,5" and "~3 nM": a measurement beyond the range of an assay, or not exact. */
static bool is_bound(const char *cell)
{
    static const char *const signs[] = {"<", ">", "~", "=<", "=>", "≤", "≥", "≈"};
    const char *number = NULL;
    double v;

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(cell, signs[i], strlen(signs[i])))
            number = cell + strlen(signs[i]);
    if (!number)
        return false;
    number += strspn(number, "<>= ");
    return table_parse_number(&v, number) || has_decimal_comma(number) || unit_of(number);
}

/* Words, such as "n.d." or ">1,5", are reported later: they do not make commas something else. */
int target_read_decimal(struct target_cells *cells, char separator, struct err *err)
{
    int32_t a_comma = -1, n_commas = 0, n_plain = 0, n_present = 0, n_points = 0;

    for (int32_t i = 0; separator != ',' && i < cells->n; i++) {
        const char *text = cells->text[i];
        double v;

        if (!text)
            continue;
        n_present += !is_bound(text);
        if (has_decimal_comma(text)) {
            const char *comma = strchr(text, ',');

            a_comma = a_comma < 0 ? i : a_comma;
            /* in 1,234 the comma may separate thousands */
            n_plain += strspn(comma + 1, "0123456789") != 3 || comma[4];
            n_commas++;
        } else if (table_parse_number(&v, text)) {
            n_points += strchr(text, '.') != NULL;
            n_commas += !strchr(text, '.');
        }
    }
    if (a_comma < 0 || n_points || 2 * n_commas <= n_present)
        return refuse_thousands(cells, err);
    if (n_plain == 0 && separator != ';')
        return cell_fault(err, cells, a_comma,
                          "the comma may separate thousands or be a decimal comma: write a decimal "
                          "point and no thousands separator");
    for (int32_t i = 0; i < cells->n; i++)
        if (cells->text[i] && has_decimal_comma(cells->text[i]))
            *strchr(cells->text[i], ',') = '.';
    return 0;
}

/* ---- cells ---- */

static int reserve(struct target_cells *cells, int32_t capacity, struct err *err)
{
    size_t room = capacity > 0 ? (size_t)capacity : 1;
    char **text = realloc(cells->text, room * sizeof *text);
    int64_t *line;

    if (text)
        cells->text = text;
    line = realloc(cells->line, room * sizeof *line);
    if (line)
        cells->line = line;
    if (!text || !line)
        return err_nomem(err, "targets", room * sizeof *text);
    cells->capacity = capacity;
    return 0;
}

int target_cells_init(struct target_cells *cells, int32_t n, const char *path, const char *column,
                      struct err *err)
{
    *cells = (struct target_cells){.path = path};
    cells->column = strdup(column);
    if (!cells->column || reserve(cells, n, err)) {
        target_cells_release(cells);
        return err_nomem(err, "targets", (size_t)n * sizeof *cells->text);
    }
    memset(cells->text, 0, (size_t)n * sizeof *cells->text);
    memset(cells->line, 0, (size_t)n * sizeof *cells->line);
    cells->n = n;
    return 0;
}

void target_cells_release(struct target_cells *cells)
{
    if (!cells)
        return;
    for (int32_t i = 0; cells->text && i < cells->n; i++)
        free(cells->text[i]);
    free(cells->text);
    free(cells->line);
    free(cells->column);
    memset(cells, 0, sizeof *cells);
}

int target_cells_set(struct target_cells *cells, int32_t i, const char *cell, int64_t line,
                     struct err *err)
{
    if (i == cells->capacity && reserve(cells, 2 * i + 64, err))
        return -1;
    if (i == cells->n)
        cells->n++;
    cells->line[i] = line;
    cells->text[i] = NULL;
    if (table_is_missing(cell))
        return 0;
    cells->text[i] = strdup(cell);
    return cells->text[i] ? 0 : err_nomem(err, "targets", strlen(cell) + 1);
}

/* ---- which task ---- */

/* More classes than these may be amounts. */
#define MOST_SMALL_CLASSES 10

struct target_facts target_examine(const struct target_cells *cells)
{
    struct target_facts f = {.word = -1, .bound = -1};

    for (int32_t i = 0; i < cells->n; i++) {
        const char *text = cells->text[i];
        double v;

        if (!text)
            continue;
        f.n_present++;
        if (table_parse_number(&v, text)) {
            f.n_numbers++;
            f.n_whole += v == floor(v);
            continue;
        }
        f.word = f.word < 0 ? i : f.word;
        if (is_bound(text)) {
            f.bound = f.bound < 0 ? i : f.bound;
            f.n_bounds++;
        }
    }
    return f;
}

static int refuse_bounds(const struct target_cells *cells, const struct target_facts *f,
                         struct err *err)
{
    struct table at = {.path = cells->path, .line = cells->line[f->bound]};

    return table_fault(err, &at,
                       "column \"%.80s\" = \"%.80s\": %d of %d values are bounds or estimates: to "
                       "leave them out would bias the data, because bounds are the extreme ones; "
                       "write them as numbers, or make classes at a threshold",
                       cells->column, cells->text[f->bound], f->n_bounds, f->n_present);
}

static int refuse_word(const struct target_cells *cells, const struct target_facts *f,
                       struct err *err)
{
    struct table at = {.path = cells->path, .line = cells->line[f->word]};
    struct buf words = {0};
    char *end;
    int32_t n = 0;
    double v;

    /* "inf", or 1e300: words to the reader, but not to people */
    if (isinf((float)strtod(cells->text[f->word], &end)) && !*end)
        return cell_fault(err, cells, f->word,
                          "a number beyond the range of floats (3.4e38): correct it, or name it in "
                          "data.missing if it stands for a missing value");
    if (f->n_present - f->n_numbers > 1)
        buf_printf(&words, "; %d such cells: ", f->n_present - f->n_numbers);
    for (int32_t i = f->word; words.size && i < cells->n; i++)
        if (cells->text[i] && !table_parse_number(&v, cells->text[i]))
            data_put_example(&words, n++, cells->text[i]);
    table_fault(err, &at,
                "column \"%.80s\" = \"%.80s\": a word among numbers: correct it, name it in "
                "data.missing if it stands for a missing value, or set task = classification to "
                "make every value a class%s",
                cells->column, cells->text[f->word], buf_text(&words));
    buf_release(&words);
    return -1;
}

static int pick_task(enum data_task *task, const struct target_cells *cells,
                     const struct target_facts *f, bool whole_are_classes, struct err *err)
{
    bool is_auto = *task == DATA_TASK_AUTO;

    if (!f->n_present)
        return err_set(err, "%s: column \"%.80s\": no sample has a value", cells->path,
                       cells->column);
    if (*task == DATA_TASK_CLASSIFICATION)
        return 0;
    if (f->word >= 0 && has_decimal_comma(cells->text[f->word]))
        return cell_fault(err, cells, f->word,
                          "a comma in a number: write a decimal point and no thousands separator; "
                          "decimal commas are accepted if semicolons or tabs separate the columns "
                          "and no number of the column has a point");
    if (f->bound >= 0 && (!is_auto || f->n_numbers))
        return refuse_bounds(cells, f, err);
    if (f->word >= 0 && !is_auto)
        return cell_fault(err, cells, f->word,
                          "must be a number, or empty or NA where missing, for task = regression");
    if (f->word >= 0 && f->n_numbers)
        return refuse_word(cells, f, err);
    if (is_auto)
        *task = f->word >= 0 || (whole_are_classes && f->n_whole == f->n_numbers)
                    ? DATA_TASK_CLASSIFICATION
                    : DATA_TASK_REGRESSION;
    return 0;
}

/* ---- numbers ---- */

/* Least sd in units of the rounding error of floats. */
#define LEAST_DIGITS 256

static double value_of(const struct target_cells *cells, int32_t i)
{
    double v = NAN;

    if (cells->text[i])
        table_parse_number(&v, cells->text[i]);
    return v;
}

static int make_values(struct target *out, const struct target_cells *cells, struct err *err)
{
    double n = 0, sum = 0, low = INFINITY, high = -INFINITY, squares = 0;
    double lost = 0; /* squares of the rounding errors of floats */

    out->value = malloc((size_t)cells->n * sizeof *out->value);
    if (!out->value)
        return err_nomem(err, "targets", (size_t)cells->n * sizeof *out->value);
    for (int32_t i = 0; i < cells->n; i++) {
        double v = value_of(cells, i);

        out->value[i] = (float)v;
        if (isnan(v))
            continue;
        n++;
        sum += v;
        low = fmin(low, v);
        high = fmax(high, v);
        lost += (v - (double)(float)v) * (v - (double)(float)v);
    }
    for (int32_t i = 0; i < cells->n; i++) {
        double v = value_of(cells, i) - sum / n;

        squares += isnan(v) ? 0 : v * v;
    }
    if (low == high)
        return err_set(err, "%s: column \"%.80s\": every value is %g, there is nothing to predict",
                       cells->path, cells->column, low);
    if (lost * LEAST_DIGITS * LEAST_DIGITS > squares)
        return err_set(
            err,
            "%s: column \"%.80s\": values from %.10g to %.10g differ only beyond the precision of "
            "floats (about 7 digits): subtract a constant from all, such as %.10g",
            cells->path, cells->column, low, high, floor(low));
    return 0;
}

/* ---- classes ---- */

static int compare_words(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int compare_numbers(const void *left, const void *right)
{
    double a, b;

    table_parse_number(&a, *(char *const *)left);
    table_parse_number(&b, *(char *const *)right);
    return a != b ? (a > b) - (a < b) : compare_words(left, right);
}

/* Spellings of one class follow each other. */
struct spelling {
    const char *text;
    int32_t key, n; /* cells */
};

struct spellings {
    struct names keys, texts;
    struct spelling *of; /* [texts.n] */
    int32_t *best;       /* [keys.n] in of */
};

static bool is_better(const struct spelling *a, const struct spelling *b, bool is_number)
{
    size_t m = strlen(a->text), n = strlen(b->text);

    if (is_number && m != n)
        return m < n;
    if (!is_number && a->n != b->n)
        return a->n > b->n;
    return strcmp(a->text, b->text) < 0;
}

static int count_spellings(struct spellings *s, const struct target_cells *cells, struct err *err)
{
    struct buf key = {0};
    double v;
    int rc = 0;

    for (int32_t i = 0; !rc && i < cells->n; i++) {
        int32_t before = s->texts.n, at;

        if (!cells->text[i])
            continue;
        at = names_find_or_add(&s->texts, cells->text[i], 0, err);
        rc = at < 0 ? -1 : 0;
        if (!rc && at == before) {
            equality_key(&key, cells->text[i]);
            s->of[at] = (struct spelling){
                cells->text[i],
                buf_failed(&key) ? -1 : names_find_or_add(&s->keys, buf_text(&key), 0, err), 0};
            rc = s->of[at].key < 0 ? -1 : 0;
        }
        if (!rc)
            s->of[at].n++;
    }
    buf_release(&key);
    for (int32_t k = 0; !rc && k < s->keys.n; k++)
        s->best[k] = -1;
    for (int32_t at = 0; !rc && at < s->texts.n; at++) {
        int32_t *best = &s->best[s->of[at].key];

        if (*best < 0 || is_better(&s->of[at], &s->of[*best],
                                   table_parse_number(&v, s->keys.text[s->of[at].key])))
            *best = at;
    }
    return rc;
}

static const char *class_of(const struct spellings *s, const char *text)
{
    return s->of[s->best[s->of[names_find(&s->texts, text)].key]].text;
}

static void name_classes(struct target *out, const struct target_cells *cells,
                         const struct spellings *s)
{
    int (*compare)(const void *, const void *) =
        target_examine(cells).word < 0 ? compare_numbers : compare_words;
    double v;

    for (int32_t k = 0; k < s->keys.n; k++)
        out->class_names[out->n_classes++] = s->of[s->best[k]].text;
    qsort(out->class_names, (size_t)out->n_classes, sizeof *out->class_names, compare);
    for (int32_t i = 0; i < cells->n; i++) {
        const char *name = cells->text[i] ? class_of(s, cells->text[i]) : NULL;
        const char **found = NULL;

        if (name)
            found = bsearch(&name, out->class_names, (size_t)out->n_classes,
                            sizeof *out->class_names, compare);
        out->label[i] = found ? (int32_t)(found - out->class_names) : -1;
    }
    for (int32_t at = 0; at < s->texts.n; at++) {
        const char *text = s->of[at].text, *name = class_of(s, text);

        if (strcmp(text, name) != 0 && !table_parse_number(&v, name))
            equality_note(&out->spelled, text, name, s->of[at].n);
    }
}

int target_classes(struct target *out, const struct target_cells *cells, struct err *err)
{
    size_t n = (size_t)cells->n + 1;
    struct spellings s = {.of = calloc(n, sizeof *s.of), .best = malloc(n * sizeof *s.best)};
    int rc;

    *out = (struct target){.class_names = malloc(n * sizeof *out->class_names),
                           .label = malloc(n * sizeof *out->label)};
    if (!s.of || !s.best || !out->class_names || !out->label)
        rc = err_nomem(err, "classes", n * sizeof *s.of);
    else
        rc = count_spellings(&s, cells, err);
    if (rc)
        target_release(out);
    else
        name_classes(out, cells, &s);
    names_release(&s.keys);
    names_release(&s.texts);
    free(s.of);
    free(s.best);
    return rc;
}

/* The classes were not asked for, and are likely numbers. */
static int check_classes(const struct target *t, const struct target_cells *cells,
                         const struct target_facts *f, struct err *err)
{
    bool are_many = t->n_classes > MOST_SMALL_CLASSES, is_plain = false;
    const char *unit = NULL;
    struct table at = {.path = cells->path};
    int32_t first = 0, n_units = 0, n_single = 0;
    int32_t *n_members;

    /* <5, 5-10 and >10 are classes. A bound beside `active`, or among many values, is an amount. */
    for (int32_t c = 0; c < t->n_classes; c++)
        is_plain = is_plain || !strpbrk(t->class_names[c], "0123456789");
    if (f->bound >= 0 && (are_many || is_plain))
        return refuse_bounds(cells, f, err);
    if (!are_many)
        return 0;
    /* Many numbers with the same unit are amounts; 2-row and 6-row are classes. */
    for (int32_t i = 0; i < cells->n; i++) {
        const char *here = cells->text[i] ? unit_of(cells->text[i]) : NULL;

        if (here && !unit) {
            unit = here;
            first = i;
        }
        n_units += here && !strcmp(here, unit);
    }
    at.line = cells->line[first];
    if (2 * n_units > f->n_present)
        return table_fault(err, &at,
                           "column \"%.80s\" = \"%.80s\": %d of %d values are a number followed by "
                           "\"%.20s\": remove the unit, or set task = classification to make every "
                           "value a class",
                           cells->column, cells->text[first], n_units, f->n_present, unit);
    n_members = calloc((size_t)t->n_classes, sizeof *n_members);
    if (!n_members)
        return err_nomem(err, "classes", (size_t)t->n_classes * sizeof *n_members);
    for (int32_t i = 0; i < cells->n; i++)
        if (t->label[i] >= 0)
            n_members[t->label[i]]++;
    for (int32_t c = 0; c < t->n_classes; c++)
        n_single += n_members[c] == 1;
    free(n_members);
    if (2 * n_single <= t->n_classes)
        return 0;
    return err_set(err,
                   "%s: column \"%.80s\": %d values make %d classes, %d of them with one member "
                   "(\"%.40s\", \"%.40s\" ...): set task = regression if they are numbers to be "
                   "predicted, or task = classification if these are the classes",
                   cells->path, cells->column, f->n_present, t->n_classes, n_single,
                   t->class_names[0], t->class_names[1]);
}

int target_make(struct target *out, const struct target_cells *cells, enum data_task task,
                bool whole_are_classes, struct err *err)
{
    bool is_asked = task == DATA_TASK_CLASSIFICATION;
    struct target_facts f = target_examine(cells);
    int rc;

    memset(out, 0, sizeof *out);
    if (pick_task(&task, cells, &f, whole_are_classes, err))
        return -1;
    if (task == DATA_TASK_REGRESSION)
        rc = make_values(out, cells, err);
    else
        rc = target_classes(out, cells, err);
    if (!rc && out->n_classes == 1)
        rc = err_set(err,
                     "%s: column \"%.80s\": every value is \"%.80s\", there is nothing to predict",
                     cells->path, cells->column, out->class_names[0]);
    else if (!rc && out->n_classes && !is_asked)
        rc = check_classes(out, cells, &f, err);
    if (rc)
        target_release(out);
    return rc;
}

int target_absent(struct target *out, int32_t n, struct err *err)
{
    *out = (struct target){.value = malloc((size_t)n * sizeof *out->value)};
    if (!out->value)
        return err_nomem(err, "targets", (size_t)n * sizeof *out->value);
    for (int32_t i = 0; i < n; i++)
        out->value[i] = NAN;
    return 0;
}

void target_release(struct target *target)
{
    if (!target)
        return;
    free(target->value);
    free(target->label);
    free(target->class_names);
    memset(target, 0, sizeof *target);
}

void target_report_spelled(struct data_report *report, const struct equality_count *spelled,
                           const char *what)
{
    if (spelled->n)
        data_report_add(report, DATA_NOTE_WARNING, what,
                        "%lld value%s joined with others that differ only in case: %s",
                        (long long)spelled->n, spelled->n == 1 ? "" : "s", spelled->texts.text);
}

void target_into(struct draft *draft, const struct target *target)
{
    draft->target = target->value;
    draft->label = target->label;
    draft->n_classes = target->n_classes;
    draft->class_names = target->class_names;
}
