/* The facts of a sweep that the database has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/advice.h"

/* Columns of QUERY_LEVELS. */
enum { LEVEL_AXIS, LEVEL_VALUE, LEVEL_COLUMNS };

/* A cell of the first row; NULL where there is no such column. */
static const struct cell *cell_of(const struct table *table, const char *name)
{
    for (int32_t c = 0; c < table->n_cols; c++)
        if (!strcmp(table->names[c], name))
            return &table->cells[c];
    return NULL;
}

static double number(const struct cell *cell)
{
    if (!cell || cell->type == CELL_NULL || cell->type == CELL_TEXT)
        return (double)NAN;
    return cell->type == CELL_INTEGER ? (double)cell->i : cell->f;
}

/* Settings of the model and its training; those of the split have no best value. */
static bool is_tuned(enum param_id id)
{
    const struct param *p = &param_table[id];

    return (p->flags & PARAM_IDENTITY) && strcmp(p->section, "split") != 0 &&
           (p->type == PARAM_INT || p->type == PARAM_REAL || p->type == PARAM_COUNT);
}

/* One axis, whose levels are the rows from `first` to before `end`. */
static int find_axis(struct errlist *out, const struct table *levels, int64_t first, int64_t end,
                     const struct table *chosen, struct err *err)
{
    const struct cell *rows = levels->cells;
    const char *name = rows[first * LEVEL_COLUMNS + LEVEL_AXIS].s;
    struct advice_axis axis = {.id = param_find(NULL, name),
                               .chosen = number(cell_of(chosen, name))};
    double *values;

    if (axis.id == P_COUNT || !is_tuned(axis.id) || isnan(axis.chosen))
        return 0;
    values = malloc((size_t)(end - first) * sizeof *values);
    if (!values)
        return err_nomem(err, "levels", (size_t)(end - first) * sizeof *values);
    for (int64_t row = first; row < end; row++) {
        const struct cell *cell = &rows[row * LEVEL_COLUMNS + LEVEL_VALUE];

        axis.has_full |= cell->type == CELL_TEXT;
        if (!isnan(number(cell)))
            values[axis.n++] = number(cell);
    }
    axis.levels = values;
    advice_axis(out, &axis, cell_of(chosen, "config")->i);
    free(values);
    return 0;
}

static int find_axes(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                     const struct table *chosen, struct err *err)
{
    struct table levels;
    int64_t end;
    int rc;

    rc = query_table(&levels, store, QUERY_LEVELS, sweep->sweep_id, err);
    if (rc)
        return rc;
    for (int64_t first = 0; !rc && first < levels.n_rows; first = end) {
        const struct cell *rows = levels.cells;

        for (end = first + 1; end < levels.n_rows; end++)
            if (strcmp(rows[end * LEVEL_COLUMNS].s, rows[first * LEVEL_COLUMNS].s) != 0)
                break;
        rc = find_axis(out, &levels, first, end, chosen, err);
    }
    table_release(&levels);
    return rc;
}

int advice_find(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                const struct advice_choice *choice, struct err *err)
{
    const struct table *row = choice->row;
    bool is_r2 = !strcmp(sweep->objective, "val_r2");

    if (!row->n_rows || isnan(number(cell_of(row, "mean"))))
        return 0;
    advice_r2(out, cell_of(row, "config")->i, number(cell_of(row, is_r2 ? "mean" : "val_r2")),
              sweep->objective);
    if (!choice->is_restricted && find_axes(out, store, sweep, row, err))
        return -1;
    advice_alike(out, choice->alike);
    return 0;
}

void advice_print_best(struct store *store, const char *name)
{
    struct query_filter filter = {.limit = 1};
    struct query_sweep sweep;
    struct query_alike alike;
    struct table row = {0};
    struct advice_choice choice = {&row, &alike, false};
    struct errlist advice = {0};
    struct err err;

    if (query_sweep(&sweep, store, name, &err) ||
        query_leaderboard(&row, &alike, store, &sweep, &filter, &err) ||
        advice_find(&advice, store, &sweep, &choice, &err))
        log_warn("%s", err.text);
    advice_print(&advice, NULL);
    table_release(&row);
}
