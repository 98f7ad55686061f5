/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/axis.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/real.h"
#include "grid/free_value.h"

static const char blanks[] = " \t\n";

/* The axis gets these values only if the whole text is valid. */
struct value_list {
    enum param_id id;
    const struct param *row;
    struct axis_range range; /* without ends */
    union value *values;
    bool *is_quoted; /* of each value */
    char *condition; /* in the text that is parsed; NULL: none */
    size_t n, capacity;
};

static int list_add(struct value_list *list, union value value, bool is_quoted, struct err *err)
{
    if (list->n == AXIS_MAX_VALUES)
        return err_set(err, "%s: more than %d values", list->row->key, AXIS_MAX_VALUES);
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        union value *grown = realloc(list->values, capacity * sizeof *grown);
        bool *quoted = grown ? realloc(list->is_quoted, capacity * sizeof *quoted) : NULL;

        list->values = grown ? grown : list->values;
        if (!quoted)
            return err_nomem(err, "axis", capacity * sizeof *grown);
        list->is_quoted = quoted;
        list->capacity = capacity;
    }
    list->is_quoted[list->n] = is_quoted;
    list->values[list->n++] = value;
    return 0;
}

/* text: of a free name */
static int add_value(struct value_list *list, const char *text, struct err *err)
{
    struct buf read = {0};
    union value value = {0};
    int rc = 0;

    if (free_value_read(&read, text, err))
        rc = err_wrap(err, "%s = %s", list->row->key, text);
    else if (!(value.s = strdup(buf_text(&read))) || buf_failed(&read))
        rc = err_nomem(err, "axis", read.size);
    if (!rc)
        rc = list_add(list, value, *text == '\'' || *text == '"', err);
    if (rc)
        free((char *)(uintptr_t)value.s);
    buf_release(&read);
    return rc;
}

/* Parsing the formatted number gives it the bits of a written one. */
static int add_number(struct value_list *list, double number, bool to_integer, struct err *err)
{
    char text[64];
    union value value;

    snprintf(text, sizeof text, "%.12g", to_integer ? round(number) : number);
    if (list->row->type == PARAM_VALUE)
        return add_value(list, text, err);
    if (strchr(text, 'e') && list->row->type != PARAM_REAL)
        snprintf(text, sizeof text, "%.0f", number);
    if (param_parse(&value, list->id, text, err))
        return -1;
    return list_add(list, value, false, err);
}

/* Returns max + 1 if there are more than max. */
static int split(char *part[], int max, char *text, const char *separator)
{
    int n = 0;

    while (text) {
        char *next = strpbrk(text, separator);
        char *end;

        if (n == max)
            return max + 1;
        if (next)
            *next++ = '\0';
        text += strspn(text, blanks);
        for (end = text + strlen(text); end > text && strchr(blanks, end[-1]); end--)
            end[-1] = '\0';
        part[n++] = text;
        text = next;
    }
    return n;
}

static int refuse_range(const struct param *p, const char *shown, struct err *err)
{
    if (p->type == PARAM_VALUE)
        return err_set(err, "%s = %s: a range is lo:hi:step, three numbers; quote a text: '%s'",
                       p->key, shown, shown);
    return err_set(err, "%s = %s: a range is lo:hi:step, three numbers", p->key, shown);
}

static int add_range(struct value_list *list, char *text, struct err *err)
{
    const char *key = list->row->key;
    char shown[64];
    char *part[3];
    double lo, hi, step, n;

    snprintf(shown, sizeof shown, "%s", text);
    if (split(part, 3, text, ":") != 3 || real_parse(&lo, part[0]) || real_parse(&hi, part[1]) ||
        real_parse(&step, part[2]))
        return refuse_range(list->row, shown, err);
    if (step == 0)
        return err_set(err, "%s = %s: the step is zero", key, shown);
    if ((hi - lo) * step < 0)
        return err_set(err, "%s = %s: the step leads away from %s", key, shown, part[1]);
    if (hi != lo && fabs(step) > fabs(hi - lo) * (1 + 1e-9))
        return err_set(err,
                       "%s = %s: the step is larger than the range lo:hi:step: five values from 0 "
                       "to 1 are 0:1:0.25; for one value write %s",
                       key, shown, part[0]);
    /* The addend corrects rounding: (0.5 - 0.2) / 0.1 is 2.9999999999999996. */
    n = floor((hi - lo) / step + 1e-9) + 1;
    if (!(n <= AXIS_MAX_VALUES))
        return err_set(err, "%s = %s: %.3g values, at most %d are allowed", key, shown, n,
                       AXIS_MAX_VALUES);
    for (int i = 0; i < (int)n; i++)
        if (add_number(list, lo + i * step, false, err))
            return -1;
    return 0;
}

/* text: between the parentheses */
static int add_log(struct value_list *list, char *text, struct err *err)
{
    const struct param *p = list->row;
    char shown[64];
    char *part[3];
    double lo, hi, n;

    snprintf(shown, sizeof shown, "log(%s)", text);
    if (split(part, 3, text, ",") != 3 || real_parse(&lo, part[0]) || real_parse(&hi, part[1]) ||
        real_parse(&n, part[2]))
        return err_set(err, "%s = %s: must be log(lo, hi, n), three numbers", p->key, shown);
    if (lo <= 0 || hi <= 0)
        return err_set(err, "%s = %s: lo and hi must be greater than 0", p->key, shown);
    if (n < 1 || n != floor(n) || n > AXIS_MAX_VALUES)
        return err_set(err, "%s = %s: n must be an integer in [1, %d]", p->key, shown,
                       AXIS_MAX_VALUES);
    for (int i = 0; i < (int)n; i++) {
        double v = lo * pow(hi / lo, n > 1 ? i / (n - 1) : 0);

        if (add_number(list, v, p->type != PARAM_REAL && p->type != PARAM_VALUE, err))
            return -1;
    }
    return 0;
}

/* ---- ranges ---- */

static const struct axis_range ranges[] = {{.name = "uniform"},
                                           {.name = "loguniform", .is_log = true},
                                           {.name = "int", .is_whole = true},
                                           {.name = "logint", .is_whole = true, .is_log = true}};

enum { N_RANGES = sizeof ranges / sizeof *ranges };

/* The range whose name and parenthesis begin the text; NULL: none. */
static const struct axis_range *range_of(const char *text)
{
    for (int i = 0; i < N_RANGES; i++) {
        size_t n = strlen(ranges[i].name);

        if (!strncmp(text, ranges[i].name, n) && text[n + strspn(text + n, blanks)] == '(' &&
            text[strlen(text) - 1] == ')')
            return &ranges[i];
    }
    return NULL;
}

/* Check one end against the limits of the setting. */
static int check_end(const struct value_list *list, const char *shown, const char *end,
                     struct err *err)
{
    union value value;
    struct err reason;

    if (list->row->type == PARAM_VALUE || !param_read(&value, list->id, end, &reason))
        return 0;
    return err_set(err, "%s = %s: %s: %s", list->row->key, shown, end, reason.text);
}

/* -1 and err: the setting cannot have such a range. */
static int check_kind(const struct value_list *list, const struct axis_range *range,
                      const char *shown, struct err *err)
{
    const struct param *p = list->row;
    const bool is_whole = p->type == PARAM_INT || p->type == PARAM_COUNT;

    if (p->flags & PARAM_SWEPT)
        return err_set(err, "%s = %s: only lists of values may be given here", p->key, shown);
    if (!is_whole && p->type != PARAM_REAL && p->type != PARAM_VALUE)
        return err_set(err, "%s = %s: ranges are for numbers", p->key, shown);
    if (is_whole && !range->is_whole)
        return err_set(err, "%s = %s: takes whole numbers: write %s", p->key, shown,
                       range->is_log ? "logint" : "int");
    if (list->n)
        return err_set(err,
                       "%s = %s: a range is the whole axis: remove the other values, or the range",
                       p->key, shown);
    return 0;
}

static int add_drawn(struct value_list *list, const struct axis_range *range, char *text,
                     struct err *err)
{
    const char *key = list->row->key, *name = range->name;
    char shown[64];
    char *part[2];
    double low, high;

    snprintf(shown, sizeof shown, "%s", text);
    if (check_kind(list, range, shown, err))
        return -1;
    text[strlen(text) - 1] = '\0';
    if (split(part, 2, strchr(text, '(') + 1, ",") != 2 || real_parse(&low, part[0]) ||
        real_parse(&high, part[1]))
        return err_set(err, "%s = %s: must be %s(a, b), two numbers", key, shown, name);
    if (!(low < high))
        return err_set(err, "%s = %s: %s must be less than %s", key, shown, part[0], part[1]);
    if (range->is_log && low <= 0)
        return err_set(err, "%s = %s: %s must be greater than 0", key, shown, part[0]);
    if (range->is_whole &&
        (low != floor(low) || high != floor(high) || fabs(low) >= 1e15 || fabs(high) >= 1e15))
        return err_set(err, "%s = %s: both ends must be whole numbers below 1e15", key, shown);
    if (check_end(list, shown, part[0], err) || check_end(list, shown, part[1], err))
        return -1;
    list->range = *range;
    list->range.low = low;
    list->range.high = high;
    return 0;
}

bool axis_is_range(const struct axis *axis)
{
    return axis->range.name != NULL;
}

void axis_put_range(struct buf *out, const struct axis *axis)
{
    buf_printf(out, "%s(", axis->range.name);
    real_format(out, axis->range.low);
    buf_puts(out, ", ");
    real_format(out, axis->range.high);
    buf_putc(out, ')');
}

/* As the file would give it. */
static void put_exact(struct buf *out, const struct axis *axis, double number)
{
    struct buf text = {0};

    if (axis->range.is_whole) /* without an exponent */
        buf_printf(&text, "%.0f", number);
    else
        real_format(&text, number);
    if (axis->row->type != PARAM_VALUE)
        buf_puts(out, buf_text(&text));
    else if (free_value_read(out, buf_text(&text), NULL))
        out->failed = true;
    out->failed |= buf_failed(&text);
    buf_release(&text);
}

void axis_put_number(struct buf *out, const struct axis *axis, double number)
{
    const struct axis_range *range = &axis->range;
    char text[32];

    snprintf(text, sizeof text, "%.6g", number);
    number = range->is_whole ? round(number) : strtod(text, NULL);
    put_exact(out, axis, fmin(fmax(number, range->low), range->high));
}

int axis_set_range(struct axis *axis, const char *name, double low, double high)
{
    struct axis_range range = {.low = low, .high = high};

    for (int i = 0; i < N_RANGES; i++)
        if (!strcmp(ranges[i].name, name))
            range = ranges[i];
    if (!range.name)
        return -1;
    range.low = low;
    range.high = high;
    axis->range = range;
    for (int i = 0; i < 2; i++) {
        struct buf text = {0};
        bool is_short;

        put_exact(&text, axis, i ? high : low);
        is_short = buf_failed(&text);
        if (axis->row->type == PARAM_VALUE) {
            axis->range.ends[i].s = is_short ? NULL : strdup(buf_text(&text));
            is_short = !axis->range.ends[i].s;
        } else if (!is_short) {
            is_short = param_read(&axis->range.ends[i], axis->id, buf_text(&text), NULL) != 0;
        }
        buf_release(&text);
        if (is_short)
            return -1;
    }
    return 0;
}

/* ---- lists ---- */

/* Only numbers between colons are meant as a range: not 12:30:00-ish names, paths or times. */
static bool is_number_list(const char *text, char separator)
{
    bool is = true;

    while (is) {
        char part[64];
        size_t n;
        double number;

        text += strspn(text, blanks);
        n = strcspn(text, (char[]){separator, '\0'});
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        part[strcspn(part, blanks)] = '\0';
        is = n < sizeof part && !real_parse(&number, part);
        if (!text[n])
            break;
        text += n + 1;
    }
    return is;
}

static int add_element(struct value_list *list, char *text, struct err *err)
{
    const struct param *p = list->row;
    const struct axis_range *drawn = range_of(text);
    bool is_word = p->type == PARAM_CHOICE || p->type == PARAM_REDUCTION;
    bool is_log = !strncmp(text, "log", 3) && text[3 + strspn(text + 3, blanks)] == '(';
    /* pca:20 is not a range */
    bool is_range = strchr(text, ':') && p->type != PARAM_REDUCTION &&
                    (p->type != PARAM_VALUE || is_number_list(text, ':'));
    size_t n = strlen(text);
    union value value;

    if (!*text)
        return err_set(err, "%s: value %zu of the list is empty", p->key, list->n + 1);
    if (list->range.name)
        return err_set(err, "%s: a range is the whole axis: remove the other values, or the range",
                       p->key);
    if (drawn)
        return add_drawn(list, drawn, text, err);
    if ((is_log || is_range) && is_word)
        return err_set(err, "%s = %.60s: ranges and log() are for numbers", p->key, text);
    /* Its trials would equal those of the value that `auto` resolves to. */
    if (p->type == PARAM_CHOICE && !strcmp(text, "auto"))
        return err_set(err, "%s = auto: an axis must name the value", p->key);
    if (is_log && text[n - 1] == ')') {
        text[n - 1] = '\0';
        return add_log(list, strchr(text, '(') + 1, err);
    }
    if (!is_log && is_range)
        return add_range(list, text, err);
    if (p->type == PARAM_VALUE)
        return add_value(list, text, err);
    if (param_parse(&value, list->id, text, err))
        return -1;
    return list_add(list, value, false, err);
}

/* " if " behind values begins a condition. */
static bool is_condition(const char *text)
{
    return strchr(blanks, *text) && !strncmp(text + 1, "if", 2) &&
           (!text[3] || strchr(blanks, text[3]));
}

static char *element_end(char *text, bool has_quotes)
{
    int depth = 0;
    char *start = text + strspn(text, blanks);

    if (has_quotes && (*start == '\'' || *start == '"')) {
        const char *end = free_value_skip_quoted(start);

        text = end ? start + (end - start) : start + strlen(start);
    }
    while (*text && (depth > 0 || (*text != ',' && !is_condition(text)))) {
        depth += (*text == '(') - (*text == ')');
        text++;
    }
    return text;
}

/* "[32" of [32, 64], which was meant as one value or as a list of two. */
static int check_brackets(const struct value_list *list, const char *element, struct err *err)
{
    const char *last = element + strlen(element);
    bool begins = *element == '[' && !strchr(element, ']');
    bool ends = last > element && last[-1] == ']' && !strchr(element, '[');

    if (list->row->type != PARAM_VALUE || strchr("'\"", *element) || (!begins && !ends))
        return 0;
    return err_set(err,
                   "%s: value '%.40s' has only one of [ and ], since commas separate values: quote "
                   "a value that contains commas, such as '[32, 64]', or remove the brackets",
                   list->row->key, element);
}

static int add_all(struct value_list *list, char *text, struct err *err)
{
    bool more = true;

    if (!text[strspn(text, blanks)])
        return err_set(err, "%s: an axis needs at least one value", list->row->key);
    while (more) {
        char *end = element_end(text, list->row->type == PARAM_VALUE);
        char *element;

        more = *end == ',';
        if (*end && !more)
            list->condition = end + strlen(" if");
        *end = '\0';
        split(&element, 1, text, "");
        if (check_brackets(list, element, err) || add_element(list, element, err))
            return -1;
        text = end + 1;
    }
    return 0;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const union value *)a)->s, ((const union value *)b)->s);
}

/* Equal numbers have equal bits: real_parse() turns -0 into 0. */
static int compare_values(const void *a, const void *b)
{
    int64_t x = ((const union value *)a)->i, y = ((const union value *)b)->i;

    return (x > y) - (x < y);
}

static int check_distinct(const struct value_list *list, struct err *err)
{
    union value *sorted = list->n ? malloc(list->n * sizeof *sorted) : NULL;
    struct buf text = {0};
    int rc = 0;

    if (!list->n)
        return 0; /* a range */
    if (!sorted)
        return err_nomem(err, "axis", list->n * sizeof *sorted);
    memcpy(sorted, list->values, list->n * sizeof *sorted);
    qsort(sorted, list->n, sizeof *sorted,
          list->row->type == PARAM_VALUE ? compare_texts : compare_values);
    for (size_t i = 1; i < list->n && rc == 0; i++) {
        if (!param_equal(list->id, sorted[i - 1], sorted[i]))
            continue;
        param_format(&text, list->id, sorted[i]);
        rc = err_set(err, "%s: %s comes twice", list->row->key, buf_text(&text));
    }
    buf_release(&text);
    free(sorted);
    return rc;
}

/* A list of whole numbers without blanks may be one number with a decimal comma: 0,1. */
static void add_hint(struct err *err, enum param_id id, const char *text)
{
    static const char digits[] = "0123456789";
    const char *at = text + strcspn(text, digits);
    size_t whole = strspn(at, digits), part = at[whole] == ',' ? strspn(at + whole + 1, digits) : 0;
    const char *end = at + whole + 1 + part;

    if (!err || param_row(id)->type != PARAM_REAL || range_of(text) || !part || whole + part > 12 ||
        *end == '.')
        return;
    snprintf(err->text + strlen(err->text), sizeof err->text - strlen(err->text),
             "; if %.*s is one number, use a decimal point: %.*s.%.*s", (int)(end - at), at,
             (int)whole, at, (int)part, at + whole + 1);
}

static void release_text(union value value)
{
    free((char *)(uintptr_t)value.s);
}

static void release_values(const struct param *row, union value *values, size_t n)
{
    for (size_t i = 0; row && row->type == PARAM_VALUE && i < n; i++)
        release_text(values[i]);
    free(values);
}

/* Hand over a copy of the condition. */
static int keep_condition(char **out, const struct value_list *list, struct err *err)
{
    const char *text = list->condition ? list->condition + strspn(list->condition, blanks) : NULL;

    if (!text)
        return 0;
    if (list->row->type != PARAM_VALUE)
        return err_set(
            err,
            "%s: only axes of a program's own names may have a condition: exclude points "
            "by [sweep] where",
            list->row->key);
    *out = *text ? strdup(text) : NULL;
    return *out    ? 0
           : *text ? err_nomem(err, "axis", strlen(text))
                   : err_set(err, "%s: no condition follows 'if'", list->row->key);
}

int axis_parse(struct axis *axis, const char *text, struct err *err)
{
    const struct param *row = axis->row;
    struct value_list list = {.id = axis->id, .row = row};
    char *copy = strdup(text), *condition = NULL;
    int rc;

    assert(row->type == PARAM_VALUE || !param_is_text(axis->id));
    if (!copy)
        return err_nomem(err, "axis", strlen(text));
    rc = add_all(&list, copy, err) || check_distinct(&list, err) ||
                 keep_condition(&condition, &list, err)
             ? -1
             : 0;
    free(copy);
    if (rc == 0) {
        condition = condition ? condition : axis->condition;
        axis->condition = axis->condition == condition ? NULL : axis->condition;
        axis_release(axis);
        axis->condition = condition;
        axis->values = list.values;
        axis->is_quoted = list.is_quoted;
        axis->n = (int32_t)list.n;
        if (list.range.name &&
            axis_set_range(axis, list.range.name, list.range.low, list.range.high))
            rc = err_nomem(err, "axis", sizeof *axis);
    } else {
        add_hint(err, axis->id, text);
        release_values(row, list.values, list.n);
        free(list.is_quoted);
    }
    return rc;
}

int axis_reserve(struct axis *axis, int32_t n)
{
    axis->values = calloc((size_t)n, sizeof *axis->values);
    axis->n = axis->values ? n : 0;
    return axis->values ? 0 : -1;
}

void axis_release(struct axis *axis)
{
    if (!axis)
        return;
    release_values(axis->row, axis->values, (size_t)axis->n);
    for (int i = 0; axis->range.name && axis->row->type == PARAM_VALUE && i < 2; i++)
        release_text(axis->range.ends[i]);
    axis->range = (struct axis_range){.name = NULL};
    free(axis->is_quoted);
    free(axis->condition);
    axis->condition = NULL;
    axis->values = NULL;
    axis->is_quoted = NULL;
    axis->n = 0;
}
