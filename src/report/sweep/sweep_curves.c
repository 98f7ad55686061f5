/* SPDX-License-Identifier: BSD-3-Clause */
/* The training curves of the best configurations and of the chosen one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sweep/sweep_read.h"

/* Points of all curves together, and of one. Charts show no more, and the page stays small. */
enum { ALL_POINTS = 4000, MOST_POINTS = 100, LEAST_POINTS = 20 };

/* True for the i-th of n points: each `step`-th, the last and the best one. */
static bool is_shown(const struct result_table *rows, int64_t first, int64_t i, int64_t n,
                     int64_t step)
{
    return i % step == 0 || i == n - 1 ||
           result_table_integer(rows, first + i, "epoch") ==
               result_table_integer(rows, first + i, "best_epoch");
}

/* One trial: rows from `first` to before `end`. */
static int add_curve(struct sweep_data *data, const struct result_table *rows, int64_t first,
                     int64_t end, int64_t config, int32_t most, struct err *err)
{
    struct sweep_curve *curve = &data->curves[data->n_curves];
    int64_t n = end - first, step = (n + most - 1) / most;
    size_t capacity = (size_t)(n / step) + 3;

    *curve = (struct sweep_curve){
        .config = config,
        .trial = result_table_integer(rows, first, "trial"),
        .replicate = (int32_t)result_table_integer(rows, first, "replicate"),
        .fold = (int32_t)result_table_integer(rows, first, "fold"),
        .best = (int32_t)result_table_integer(rows, first, "best_epoch"),
        .is_stop = result_table_integer(rows, first, "has_stop") != 0,
        .epoch = sweep_take(data, capacity, sizeof *curve->epoch, err),
        .train_loss = sweep_take(data, capacity, sizeof *curve->train_loss, err),
        .val_loss = sweep_take(data, capacity, sizeof *curve->val_loss, err),
        .val_value = sweep_take(data, capacity, sizeof *curve->val_value, err),
    };
    if (!curve->epoch || !curve->train_loss || !curve->val_loss || !curve->val_value)
        return -1;
    for (int64_t i = 0; i < n; i++)
        if (is_shown(rows, first, i, n, step) && (size_t)curve->n < capacity) {
            curve->epoch[curve->n] = (int32_t)result_table_integer(rows, first + i, "epoch");
            curve->train_loss[curve->n] = result_table_real(rows, first + i, "train_loss");
            curve->val_loss[curve->n] = result_table_real(rows, first + i, "val_loss");
            curve->val_value[curve->n] = result_table_real(rows, first + i, "val_value");
            curve->n++;
        }
    data->n_curves++;
    return 0;
}

/* ---- what programs report ---- */

/* -1 without an err: there are too many names, or it is a test score, by which nobody shall choose. */
static int32_t find_name(struct sweep_data *data, const char *name, struct err *err)
{
    int32_t i = 0;

    if (!strncmp(name, "test_", 5))
        return -1;
    while (i < data->n_curve_names && strcmp(data->curve_names[i], name) != 0)
        i++;
    if (i < data->n_curve_names || i == SWEEP_CURVE_NAMES)
        return i < data->n_curve_names ? i : -1;
    data->curve_names[i] = sweep_copy(data, name, err);
    if (!data->curve_names[i])
        return -2;
    data->n_curve_names++;
    return i;
}

static double *values_of(struct sweep_data *data, struct sweep_curve *curve, int32_t name,
                         struct err *err)
{
    double *values = curve->more[name];

    if (values)
        return values;
    values = curve->more[name] = sweep_take(data, (size_t)curve->n, sizeof *values, err);
    for (int32_t i = 0; values && i < curve->n; i++)
        values[i] = NAN;
    return values;
}

/* rows: ascending by trial and epoch, as the curves from `first` on. */
static int add_points(struct sweep_data *data, const struct result_table *rows, int32_t first,
                      struct err *err)
{
    int32_t c = first, at = 0;

    for (int64_t r = 0; r < rows->n_rows; r++) {
        int64_t trial = result_table_integer(rows, r, "trial");
        int64_t epoch = result_table_integer(rows, r, "epoch");
        struct sweep_curve *curve;
        double *values;
        int32_t name;

        for (; c < data->n_curves && data->curves[c].trial < trial; c++)
            at = 0;
        if (c == data->n_curves)
            return 0;
        curve = &data->curves[c];
        while (at < curve->n && curve->epoch[at] < epoch)
            at++;
        if (curve->trial != trial || at == curve->n || curve->epoch[at] != epoch)
            continue; /* left out */
        name = find_name(data, result_table_text(rows, r, "name"), err);
        if (name == -1)
            continue;
        values = name < 0 ? NULL : values_of(data, curve, name, err);
        if (!values)
            return -1;
        values[at] = result_table_real(rows, r, "value");
    }
    return 0;
}

static int read_points(struct sweep_data *data, struct store *store, int64_t config, int32_t first,
                       struct err *err)
{
    struct result_table rows;
    int rc;

    if (data->task != TASK_NONE)
        return 0;
    if (query_table(&rows, store, QUERY_CONFIG_POINTS, config, err))
        return -1;
    rc = add_points(data, &rows, first, err);
    result_table_release(&rows);
    return rc;
}

static int read_config(struct sweep_data *data, struct store *store, int64_t config, int32_t most,
                       struct err *err)
{
    struct result_table rows;
    int32_t first = data->n_curves;
    /* a run may add trials meanwhile */
    int64_t room = (int64_t)(SWEEP_CURVE_CONFIGS + 1) * data->n_slots;
    int rc = 0;

    if (query_table(&rows, store, QUERY_CONFIG_CURVES, config, err))
        return -1;
    for (int64_t begin = 0, end; !rc && begin < rows.n_rows && data->n_curves < room; begin = end) {
        int64_t trial = result_table_integer(&rows, begin, "trial");

        for (end = begin + 1; end < rows.n_rows; end++)
            if (result_table_integer(&rows, end, "trial") != trial)
                break;
        rc = add_curve(data, &rows, begin, end, config, most, err);
    }
    result_table_release(&rows);
    return rc ? rc : read_points(data, store, config, first, err);
}

int sweep_read_curves(struct sweep_data *data, struct store *store, struct err *err)
{
    int32_t n = 0, c;
    int32_t most = data->n_slots ? ALL_POINTS / (SWEEP_CURVE_CONFIGS * data->n_slots) : MOST_POINTS;

    most = most > MOST_POINTS ? MOST_POINTS : most < LEAST_POINTS ? LEAST_POINTS : most;
    data->curves = sweep_take(data, (SWEEP_CURVE_CONFIGS + 1) * (size_t)data->n_slots,
                              sizeof *data->curves, err);
    if (!data->curves)
        return -1;
    for (c = 0; c < data->n_configs && n < SWEEP_CURVE_CONFIGS; c++) {
        if (c >= data->n_scored && !data->configs[c].rung)
            continue;
        if (read_config(data, store, data->configs[c].id, most, err))
            return -1;
        n++;
    }
    data->n_curves_left_out = data->n_scored + data->search.n_stopped - n;
    if (!data->chosen || sweep_data_find(data, data->chosen) < c)
        return 0;
    data->n_curves_left_out--;
    return read_config(data, store, data->chosen, most, err);
}
