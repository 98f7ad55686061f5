/* SPDX-License-Identifier: BSD-3-Clause */
/* The axes of a sweep and the level that each configuration has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "grid/param.h"
#include "report/sweep/sweep_read.h"

static bool is_number(const struct cell *cell)
{
    return cell->type == CELL_INTEGER || cell->type == CELL_REAL;
}

static double number_of(const struct cell *cell)
{
    return cell->type == CELL_INTEGER ? (double)cell->i : cell->f;
}

/* Numbers ascending, then words. */
static int compare_cells(const struct cell *a, const struct cell *b)
{
    if (is_number(a) != is_number(b))
        return is_number(a) ? -1 : 1;
    if (is_number(a))
        return (number_of(a) > number_of(b)) - (number_of(a) < number_of(b));
    return strcmp(a->s, b->s);
}

static int compare_pointers(const void *a, const void *b)
{
    return compare_cells(*(const struct cell *const *)a, *(const struct cell *const *)b);
}

/* An axis is spread at ratios if these vary less than the steps. Two levels decide by their ratio
 * alone. */
static bool is_spread_log(const double *x, int32_t n)
{
    double ratio[2] = {INFINITY, 0}, step[2] = {INFINITY, 0};

    if (n < 2 || x[0] <= 0)
        return false;
    if (n == 2)
        return x[1] >= 10 * x[0];
    for (int32_t i = 1; i < n; i++) {
        ratio[0] = fmin(ratio[0], log(x[i] / x[i - 1]));
        ratio[1] = fmax(ratio[1], log(x[i] / x[i - 1]));
        step[0] = fmin(step[0], x[i] - x[i - 1]);
        step[1] = fmax(step[1], x[i] - x[i - 1]);
    }
    return ratio[1] / ratio[0] < step[1] / step[0];
}

static const char *label_of(struct sweep_data *data, const struct cell *cell, struct err *err)
{
    struct buf text = {0};
    const char *label = NULL;

    if (cell->type == CELL_TEXT)
        return sweep_copy(data, cell->s, err);
    real_format(&text, number_of(cell));
    if (buf_failed(&text))
        err_nomem(err, "report", text.size);
    else
        label = sweep_copy(data, buf_text(&text), err);
    buf_release(&text);
    return label;
}

static int fill_levels(struct sweep_data *data, struct sweep_axis *axis,
                       const struct cell *const *cells, struct err *err)
{
    axis->number = sweep_take(data, (size_t)axis->n, sizeof *axis->number, err);
    axis->label = sweep_take(data, (size_t)axis->n, sizeof *axis->label, err);
    if (!axis->number || !axis->label)
        return -1;
    axis->is_numeric = axis->n > 0;
    for (int32_t i = 0; i < axis->n; i++) {
        axis->number[i] = is_number(cells[i]) ? number_of(cells[i]) : (double)NAN;
        axis->is_numeric &= is_number(cells[i]);
        axis->label[i] = label_of(data, cells[i], err);
        if (!axis->label[i])
            return -1;
    }
    axis->is_log = axis->is_numeric && is_spread_log(axis->number, axis->n);
    return 0;
}

/* The level of each configuration in column `column`. cells: [n_configs] scratch. */
static int read_axis(struct sweep_data *data, int32_t a, const struct result_table *l,
                     int32_t column, const struct cell **cells, struct err *err)
{
    struct sweep_axis *axis = &data->axes[a];
    enum param_id id = param_find(NULL, l->names[column]);
    int32_t n = 0;

    axis->name = sweep_copy(data, l->names[column], err);
    axis->unit = id < P_COUNT ? param_table[id].unit : "";
    for (int64_t r = 0; r < l->n_rows; r++) {
        const struct cell *cell = &l->cells[r * l->n_cols + column];

        if (is_number(cell) || cell->type == CELL_TEXT)
            cells[n++] = cell;
    }
    qsort(cells, (size_t)n, sizeof *cells, compare_pointers);
    for (int32_t i = 0; i < n; i++) /* the distinct ones come first */
        if (!axis->n || compare_cells(cells[axis->n - 1], cells[i]) != 0)
            cells[axis->n++] = cells[i];
    if (!axis->name || fill_levels(data, axis, cells, err))
        return -1;
    for (int32_t c = 0; c < data->n_configs; c++) {
        const struct cell *cell = &l->cells[(int64_t)c * l->n_cols + column];
        const struct cell **found = NULL;

        if (is_number(cell) || cell->type == CELL_TEXT)
            found = bsearch(&cell, cells, (size_t)axis->n, sizeof *cells, compare_pointers);
        data->level[(size_t)c * (size_t)data->n_axes + (size_t)a] =
            found ? (int32_t)(found - cells) : -1;
    }
    return 0;
}

/* The axes stand between the columns `config` and `trials`, or `reached` in a search. */
enum { FIRST_AXIS = 2 };

int sweep_read_axes(struct sweep_data *data, const struct result_table *leaderboard,
                    struct err *err)
{
    size_t n_configs = (size_t)data->n_configs;
    const struct cell **cells = sweep_take(data, n_configs, sizeof(const struct cell *), err);
    int32_t n = 0;

    while (strcmp(leaderboard->names[FIRST_AXIS + n], "trials") != 0 &&
           strcmp(leaderboard->names[FIRST_AXIS + n], "reached") != 0)
        n++;
    data->n_axes = n;
    data->axes = sweep_take(data, (size_t)n, sizeof *data->axes, err);
    data->level = sweep_take(data, (size_t)n * n_configs, sizeof *data->level, err);
    if (!cells || !data->axes || !data->level)
        return -1;
    for (int32_t a = 0; a < n; a++)
        if (read_axis(data, a, leaderboard, FIRST_AXIS + a, cells, err))
            return -1;
    return 0;
}
