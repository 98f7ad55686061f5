/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/fixed_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/words.h"
#include "data/core/data_spec.h"
#include "data/core/phenotype.h"
#include "data/text/equality.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* Levels that a description names. */
#define MOST_DESCRIBED 8

/* ---- new samples ---- */

struct coding {
    const struct dataset *data;
    double *out; /* (n, q) */
    struct fixed_report *report;
    const int32_t *sample;
    int32_t n;
};

/* Columns [first, first + n) of the data set belong to one column of the table. */
struct column {
    const struct target_cells *cells;
    int32_t first, n;
    const char **level; /* [n] of a factor, borrowed; NULL: a number */
    double mean;        /* of numbers */
};

/* The data set has the columns in the order of the setting. */
static int find_column(struct column *column, const struct dataset *d,
                       const struct target_cells *cells, int32_t first, struct err *err)
{
    size_t skip = strlen(cells->column) + 1;
    int32_t factor;

    *column = (struct column){.cells = cells, .first = first, .n = 1};
    if (first >= d->n_fixed)
        return err_set(err, "the fixed effects of the training data differ from data.fixed");
    factor = d->fixed_factor[first];
    if (factor < 0) {
        for (int32_t i = 0; i < d->n_samples; i++)
            column->mean += d->fixed[(int64_t)i * d->n_fixed + first] / d->n_samples;
        return 0;
    }
    while (first + column->n < d->n_fixed && d->fixed_factor[first + column->n] == factor)
        column->n++;
    column->level = malloc((size_t)column->n * sizeof *column->level);
    if (!column->level)
        return err_nomem(err, "levels", (size_t)column->n * sizeof *column->level);
    for (int32_t j = 0; j < column->n; j++) {
        const char *name = dataset_fixed_name(d, first + j);

        column->level[j] = strlen(name) >= skip ? name + skip : name;
    }
    return 0;
}

static int take_number(double *out, const struct target_cells *cells, int32_t i, struct err *err)
{
    const struct table at = {.path = cells->path, .line = cells->line[i]};

    if (!table_parse_number(out, cells->text[i]))
        return table_fault(
            err, &at, "column \"%.80s\" = \"%.80s\": must be a number, as in the training data",
            cells->column, cells->text[i]);
    return 0;
}

static void count_unknown(struct fixed_report *r, const struct target_cells *cells, int32_t i)
{
    if (r->n_unknown++)
        return;
    snprintf(r->column, sizeof r->column, "%s", cells->column);
    snprintf(r->word, sizeof r->word, "%s", cells->text[i]);
    r->line = cells->line[i];
}

static int take_cell(double *out, struct coding *c, const struct column *column, int32_t i,
                     struct err *err)
{
    const struct target_cells *cells = column->cells;
    int32_t found;

    if (!column->level)
        out[0] = column->mean;
    if (!cells->text[i]) {
        c->report->n_missing += cells->line[i] > 0;
        return 0;
    }
    if (!column->level)
        return take_number(out, cells, i, err);
    found = equality_pick(column->level, column->n, -1, cells->text[i]);
    if (found < 0)
        count_unknown(c->report, cells, i);
    else
        out[found] = 1;
    return 0;
}

static int take_columns(struct coding *c, const struct phenotype *p, struct err *err)
{
    int32_t first = 0;
    int rc = 0;

    for (int32_t k = 0; !rc && k < p->n_fixed; k++) {
        struct column column;

        rc = find_column(&column, c->data, &p->fixed[k], first, err);
        for (int32_t i = 0; !rc && i < c->n; i++)
            rc = take_cell(c->out + (int64_t)i * c->data->n_fixed + first, c, &column, c->sample[i],
                           err);
        first += column.n;
        free(column.level);
    }
    for (int32_t i = 0; !rc && i < c->n; i++)
        c->report->n_absent += p->fixed[0].line[c->sample[i]] == 0;
    return rc;
}

int fixed_columns_read_new(double **out, struct fixed_report *report, const struct data_spec *spec,
                           const struct joined_ids *source, const int32_t *sample, int32_t n,
                           struct err *err)
{
    size_t size = (size_t)n * (size_t)spec->like->n_fixed;
    struct phenotype_report unused = {0};
    struct phenotype p = {0};
    int rc;

    *report = (struct fixed_report){0};
    *out = calloc(size + 1, sizeof **out);
    if (!*out)
        return err_nomem(err, "fixed effects", size * sizeof **out);
    rc = phenotype_read(&p, source, spec, &unused, err);
    if (!rc)
        rc = take_columns(
            &(struct coding){
                .data = spec->like, .out = *out, .report = report, .sample = sample, .n = n},
            &p, err);
    phenotype_release(&p);
    return rc ? -1 : 0;
}

/* ---- training data ---- */

/* v is column-major until all columns are known. */

static int fault(struct err *err, const struct target_cells *cells, int32_t i, const char *why)
{
    struct table at = {.path = cells->path, .line = cells->line[i]};

    return table_fault(err, &at, "data.fixed: column \"%.80s\" = \"%.80s\": %s", cells->column,
                       cells->text[i], why);
}

/* Takes ownership of name. factor: -1 for a number. */
static double *add_column(struct fixed_columns *c, size_t n, char *name, int32_t factor,
                          struct err *err)
{
    if (name && c->n == c->capacity) {
        int32_t capacity = c->capacity ? 2 * c->capacity : 8;
        double *v = realloc(c->v, (size_t)capacity * n * sizeof *v);
        char **names = realloc(c->name, (size_t)capacity * sizeof *names);
        int32_t *factors = realloc(c->factor, (size_t)capacity * sizeof *factors);

        c->v = v ? v : c->v;
        c->name = names ? names : c->name;
        c->factor = factors ? factors : c->factor;
        if (v && names && factors)
            c->capacity = capacity;
    }
    if (!name || c->n == c->capacity) {
        free(name);
        err_nomem(err, "fixed effects", n * sizeof *c->v);
        return NULL;
    }
    c->name[c->n] = name;
    c->factor[c->n] = factor;
    return c->v + (size_t)c->n++ * n;
}

static int add_numbers(struct fixed_columns *c, const struct target_cells *cells, int32_t n_present,
                       struct err *err)
{
    double *v = add_column(c, (size_t)cells->n, strdup(cells->column), -1, err);
    double low = INFINITY, high = -INFINITY, sum = 0;

    if (!v)
        return -1;
    for (int32_t i = 0; i < cells->n; i++) {
        v[i] = NAN;
        if (!cells->text[i] || !table_parse_number(&v[i], cells->text[i]))
            continue;
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
        sum += v[i];
    }
    if (low == high)
        return err_set(err,
                       "%s: data.fixed: column \"%.80s\": every value is %g; it does not "
                       "distinguish samples",
                       cells->path, cells->column, low);
    for (int32_t i = 0; i < cells->n; i++)
        if (isnan(v[i]))
            v[i] = sum / n_present;
    buf_printf(&c->described, "%s%.80s (a number)", c->described.size ? ", " : "", cells->column);
    return 0;
}

static int add_level(struct fixed_columns *c, const struct target_cells *cells,
                     const struct target *words, int32_t k, struct err *err)
{
    struct buf name = {0};
    int32_t n = 0;
    double *v;

    buf_printf(&name, "%s=%s", cells->column, words->class_names[k]);
    v = add_column(c, (size_t)cells->n, buf_failed(&name) ? NULL : strdup(buf_text(&name)),
                   c->n_factors, err);
    buf_release(&name);
    if (!v)
        return -1;
    for (int32_t i = 0; i < cells->n; i++)
        n += (v[i] = words->label[i] == k) != 0;
    if (k < MOST_DESCRIBED)
        buf_printf(&c->described, "%s%.40s %d", k ? ", " : "", words->class_names[k], n);
    else if (k == MOST_DESCRIBED)
        buf_printf(&c->described, ", ... %d levels", words->n_classes);
    return 0;
}

static int check_words(const struct target_cells *cells, const struct target *words,
                       int32_t n_present, struct err *err)
{
    for (int32_t i = 0; i < cells->n; i++)
        if (cells->text[i] && escape_find_invalid(cells->text[i]))
            return fault(err, cells, i,
                         "is not UTF-8: save the table as UTF-8 (iconv -f CHARSET -t UTF-8)");
    if (words->n_classes == 1)
        return err_set(err,
                       "%s: data.fixed: column \"%.80s\": every value is \"%.80s\"; it does "
                       "not distinguish samples",
                       cells->path, cells->column, words->class_names[0]);
    if (words->n_classes == n_present)
        return err_set(err,
                       "%s: data.fixed: column \"%.80s\": no two samples share one of its "
                       "%d words, so a model cannot learn from them",
                       cells->path, cells->column, n_present);
    return 0;
}

static int add_words(struct fixed_columns *c, const struct target_cells *cells, int32_t n_present,
                     struct err *err)
{
    struct target words;
    int rc;

    if (target_classes(&words, cells, err))
        return -1;
    rc = check_words(cells, &words, n_present, err);
    if (words.spelled.n)
        c->spelled = words.spelled;
    buf_printf(&c->described, "%s%.80s (", c->described.size ? ", " : "", cells->column);
    for (int32_t k = 0; !rc && k < words.n_classes; k++)
        rc = add_level(c, cells, &words, k, err);
    buf_puts(&c->described, ")");
    c->n_factors++;
    target_release(&words);
    return rc;
}

static int add_table_column(struct fixed_columns *c, const struct target_cells *cells,
                            bool is_factor, struct err *err)
{
    int32_t n_present = 0, n_words = 0, a_word = 0;

    for (int32_t i = 0; i < cells->n; i++) {
        double v;

        if (!cells->text[i])
            continue;
        n_present++;
        if (!table_parse_number(&v, cells->text[i]) && n_words++ == 0)
            a_word = i;
    }
    c->n_missing += cells->n - n_present;
    if (n_present == 0)
        return err_set(err, "%s: data.fixed: column \"%.80s\": no sample has a value", cells->path,
                       cells->column);
    if (is_factor || n_words == n_present)
        return add_words(c, cells, n_present, err);
    if (n_words)
        return fault(err, cells, a_word,
                     "a word among numbers: correct it, name it in data.missing if it stands for a "
                     "missing value, or write factor(COLUMN) to make every value a word");
    return add_numbers(c, cells, n_present, err);
}

static int transpose(struct fixed_columns *c, size_t n_rows, struct err *err)
{
    size_t n = (size_t)c->n;
    double *rows = malloc(n_rows * n * sizeof *rows);

    if (!rows)
        return err_nomem(err, "fixed effects", n_rows * n * sizeof *rows);
    for (size_t i = 0; i < n_rows; i++)
        for (size_t j = 0; j < n; j++)
            rows[i * n + j] = c->v[j * n_rows + i];
    free(c->v);
    c->v = rows;
    return 0;
}

int fixed_columns_make(struct fixed_columns *c, const struct phenotype *p, struct err *err)
{
    memset(c, 0, sizeof *c);
    for (int32_t k = 0; k < p->n_fixed; k++)
        if (add_table_column(c, &p->fixed[k], p->is_factor[k], err))
            return -1;
    return c->n ? transpose(c, (size_t)p->trait.n, err) : 0;
}

void fixed_columns_release(struct fixed_columns *c)
{
    if (!c)
        return;
    for (int32_t j = 0; j < c->n; j++)
        free(c->name[j]);
    free(c->name);
    free(c->factor);
    free(c->v);
    buf_release(&c->described);
    memset(c, 0, sizeof *c);
}

void fixed_columns_into(struct draft *draft, const struct fixed_columns *c)
{
    draft->n_fixed = c->n;
    draft->fixed = c->v;
    draft->fixed_factor = c->factor;
    draft->fixed_names = (const char *const *)c->name;
}

void fixed_columns_note(struct data_report *report, const struct fixed_columns *c)
{
    if (!c->n)
        return;
    data_report_add(report, DATA_NOTE_FACT, "effects", "%s; %lld missing cell%s take%s the mean",
                    buf_text(&c->described), (long long)c->n_missing, plural(c->n_missing),
                    c->n_missing == 1 ? "s" : "");
    target_report_spelled(report, &c->spelled, "levels");
}
