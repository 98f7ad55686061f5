/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/real.h"
#include "grid/free_value.h"

#define NOWHERE 0.5 /* of an axis without a value */

/* False: it is a word. */
static bool number_of(double *out, const struct axis *axis, union value value)
{
    switch (axis->row->type) {
    case PARAM_REAL:
    case PARAM_DURATION:
        *out = value.f;
        return true;
    case PARAM_INT:
        *out = (double)value.i;
        return true;
    case PARAM_COUNT:
    case PARAM_REDUCTION: /* those that are no words */
        *out = (double)value.i;
        return value.i > 0;
    case PARAM_VALUE:
        return value.s && free_value_is_number(value.s) && !real_parse(out, value.s);
    default:
        return false;
    }
}

static int compare_numbers(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

/* NULL: memory is short. */
static double *places_of(const struct axis *axis)
{
    const size_t n = (size_t)axis->n;
    double *place = malloc(2 * n * sizeof *place), *sorted = place + n;

    if (!place)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        number_of(&place[i], axis, axis->values[i]);
        sorted[i] = place[i];
    }
    qsort(sorted, n, sizeof *sorted, compare_numbers);
    for (size_t i = 0; i < n; i++) {
        const double *at = bsearch(&place[i], sorted, n, sizeof *sorted, compare_numbers);

        place[i] = n > 1 ? (double)(at - sorted) / (double)(n - 1) : 0;
    }
    return place;
}

static bool has_words(const struct axis *axis)
{
    double number;

    for (int32_t i = 0; i < axis->n; i++)
        if (!number_of(&number, axis, axis->values[i]))
            return true;
    return false;
}

int space_init(struct space *space, const struct sweep *sweep, const struct settings *fixed,
               struct err *err)
{
    const size_t n = sweep->n_axes + 1, n_columns = n + sweep_n_values(sweep);
    bool is_short;

    *space = (struct space){.sweep = sweep,
                            .fixed = fixed,
                            .n_axes = (int32_t)sweep->n_axes,
                            .axis = calloc(n_columns, sizeof *space->axis),
                            .first = calloc(n, sizeof *space->first),
                            .is_word = calloc(n, sizeof *space->is_word),
                            .place = calloc(n, sizeof *space->place)};
    is_short = !space->axis || !space->first || !space->is_word || !space->place;
    for (int32_t a = 0; !is_short && a < space->n_axes; a++) {
        const struct axis *axis = &sweep->axes[a];

        space->is_word[a] = axis->n > 1 && has_words(axis);
        space->first[a] = space->n_columns;
        for (int32_t i = 0; i < (space->is_word[a] ? axis->n : 1); i++)
            space->axis[space->n_columns++] = a;
        if (axis->n > 1 && !space->is_word[a])
            is_short = !(space->place[a] = places_of(axis));
    }
    if (!is_short)
        return 0;
    space_release(space);
    return err_nomem(err, "axes", n_columns * sizeof *space->axis);
}

void space_release(struct space *space)
{
    if (!space)
        return;
    for (int32_t a = 0; space->place && a < space->n_axes; a++)
        free(space->place[a]);
    free(space->axis);
    free(space->first);
    free(space->is_word);
    free(space->place);
    *space = (struct space){.n_axes = 0};
}

bool space_has(const struct space *space, const union value *row, int32_t axis)
{
    const enum param_id id = space->sweep->axes[axis].id;
    union value type = space->fixed->v[P_TYPE];

    if (id >= P_COUNT)
        return row[axis].s != NULL;
    for (int32_t a = 0; a < space->n_axes; a++)
        if (space->sweep->axes[a].id == P_TYPE)
            type = row[a];
    return settings_type_has(type, id);
}

/* Texts are those of the axis. */
static int32_t level_of(const struct axis *axis, union value value)
{
    int32_t level = axis->n - 1;

    while (level > 0 && axis->values[level].i != value.i)
        level--;
    return level;
}

static double range_place(const struct axis *axis, union value value)
{
    const struct axis_range *range = &axis->range;
    double number = range->low;

    number_of(&number, axis, value);
    return range->is_log ? log(number / range->low) / log(range->high / range->low)
                         : (number - range->low) / (range->high - range->low);
}

void space_encode(double *u, const struct space *space, const union value *row)
{
    memset(u, 0, (size_t)space->n_columns * sizeof *u);
    for (int32_t a = 0; a < space->n_axes; a++) {
        const struct axis *axis = &space->sweep->axes[a];
        double *own = u + space->first[a];

        if (axis->n == 1)
            continue;
        if (!space_has(space, row, a))
            *own = space->is_word[a] ? 0 : NOWHERE;
        else if (axis_is_range(axis))
            *own = range_place(axis, row[a]);
        else if (space->is_word[a])
            own[level_of(axis, row[a])] = M_SQRT1_2;
        else
            *own = space->place[a][level_of(axis, row[a])];
    }
}

/* Whole numbers have half of a unit on each side, so that each is drawn. */
static void span_of(double *low, double *high, const struct axis_range *range)
{
    const double half = range->is_whole ? 0.5 : 0;

    *low = range->low - half;
    *high = range->high + half;
    if (range->is_log) {
        *low = log(*low);
        *high = log(*high);
    }
}

static int put_number(union value *out, const struct axis *axis, double number, struct arena *texts)
{
    struct buf text = {0};
    char *kept;
    int rc;

    axis_put_number(&text, axis, number);
    if (axis->row->type != PARAM_VALUE) {
        rc = buf_failed(&text) || param_read(out, axis->id, buf_text(&text), NULL) ? -1 : 0;
    } else {
        kept = buf_failed(&text) ? NULL : arena_take(texts, text.size + 1, 1);
        rc = kept ? 0 : -1;
        out->s = kept ? strcpy(kept, buf_text(&text)) : NULL;
    }
    buf_release(&text);
    return rc;
}

int space_decode(union value *row, const struct space *space, int32_t axis, double u,
                 struct arena *texts)
{
    const struct axis *a = &space->sweep->axes[axis];
    double low, high, number;

    if (!axis_is_range(a)) {
        int32_t level = (int32_t)floor(u * a->n);

        row[axis] = a->values[level < a->n ? level : a->n - 1];
        return 0;
    }
    span_of(&low, &high, &a->range);
    number = low + u * (high - low);
    return put_number(&row[axis], a, a->range.is_log ? exp(number) : number, texts);
}

double space_place(const struct space *space, const union value *row, int32_t axis)
{
    const struct axis *a = &space->sweep->axes[axis];
    double low, high, number = a->range.low;

    if (!axis_is_range(a))
        return (level_of(a, row[axis]) + 0.5) / a->n;
    span_of(&low, &high, &a->range);
    number_of(&number, a, row[axis]);
    return ((a->range.is_log ? log(number) : number) - low) / (high - low);
}

/* ---- values as text ---- */

static int refuse_value(struct err *err, const struct axis *axis, const char *text)
{
    struct buf values = {0};

    if (axis_is_range(axis))
        axis_put_range(&values, axis);
    for (int32_t i = 0; i < axis->n; i++) {
        buf_puts(&values, i ? ", " : "");
        param_format(&values, axis->id, axis->values[i]);
    }
    err_set(err, "%s = %.60s: must be %s the axis: %.400s", axis->row->key, text,
            axis_is_range(axis) ? "in the range of" : "one of the values of", buf_text(&values));
    buf_release(&values);
    return -1;
}

/* value: not among a list's values, so its text is not kept. */
static int take_number(union value *out, const struct axis *axis, union value value,
                       const char *text, struct arena *texts, struct err *err)
{
    const struct axis_range *range = &axis->range;
    double number;
    char *kept;

    if (!number_of(&number, axis, value) || number < range->low || number > range->high ||
        (range->is_whole && number != floor(number)))
        return refuse_value(err, axis, text);
    *out = value;
    if (axis->row->type != PARAM_VALUE)
        return 0;
    kept = arena_take(texts, strlen(value.s) + 1, 1);
    out->s = kept ? strcpy(kept, value.s) : NULL;
    return kept ? 0 : err_nomem(err, "value", strlen(value.s));
}

int space_parse(union value *out, const struct axis *axis, const char *text, struct arena *texts,
                struct err *err)
{
    struct buf read = {0};
    union value value;
    struct err reason;
    int rc;

    if (axis->row->type == PARAM_VALUE) {
        rc = free_value_read(&read, text, &reason);
        value.s = buf_text(&read);
    } else {
        rc = param_read(&value, axis->id, text, &reason);
    }
    if (rc) {
        rc = err_set(err, "%s = %.60s: %s", axis->row->key, text, reason.text);
    } else if (axis_is_range(axis)) {
        rc = take_number(out, axis, value, text, texts, err);
    } else {
        int32_t i = 0;

        while (i < axis->n && !param_equal(axis->id, axis->values[i], value))
            i++;
        if (i < axis->n)
            *out = axis->values[i];
        else
            rc = refuse_value(err, axis, text);
    }
    buf_release(&read);
    return rc;
}

/* ---- models ---- */

/* Settings that the model type lacks do not count. */
static struct hash hash_row(const struct space *space, const union value *row)
{
    uint64_t part[P_MAX];

    for (int32_t a = 0; a < space->n_axes; a++)
        part[a] = !space_has(space, row, a)                 ? 0
                  : param_is_text(space->sweep->axes[a].id) ? hash_text(row[a].s).low
                                                            : (uint64_t)row[a].i + 1;
    return hash_bytes(part, (size_t)space->n_axes * sizeof *part);
}

int32_t space_find_or_add(struct names *models, const struct space *space, const union value *row,
                          int64_t line, struct err *err)
{
    char text[HASH_HEX_SIZE];

    return names_find_or_add(models, hash_hex(hash_row(space, row), text), line, err);
}
