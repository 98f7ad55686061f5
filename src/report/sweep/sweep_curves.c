/* SPDX-License-Identifier: BSD-3-Clause */
/* The training curves of the best configurations and of the chosen one. */
#include <stdlib.h>

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

static int add_curves(struct sweep_data *data, const struct result_table *rows, int64_t config,
                      int32_t most, struct err *err)
{
    int64_t end;

    int64_t room =
        (int64_t)(SWEEP_CURVE_CONFIGS + 1) * data->n_slots; /* a run may add trials meanwhile */

    for (int64_t first = 0; first < rows->n_rows && data->n_curves < room; first = end) {
        int64_t trial = result_table_integer(rows, first, "trial");

        for (end = first + 1; end < rows->n_rows; end++)
            if (result_table_integer(rows, end, "trial") != trial)
                break;
        if (add_curve(data, rows, first, end, config, most, err))
            return -1;
    }
    return 0;
}

static int read_config(struct sweep_data *data, struct store *store, int64_t config, int32_t most,
                       struct err *err)
{
    struct result_table rows;
    int rc;

    if (query_table(&rows, store, QUERY_CONFIG_CURVES, config, err))
        return -1;
    rc = add_curves(data, &rows, config, most, err);
    result_table_release(&rows);
    return rc;
}

int sweep_read_curves(struct sweep_data *data, struct store *store, struct err *err)
{
    int32_t n = data->n_scored < SWEEP_CURVE_CONFIGS ? data->n_scored : SWEEP_CURVE_CONFIGS;
    int32_t most = data->n_slots ? ALL_POINTS / (SWEEP_CURVE_CONFIGS * data->n_slots) : MOST_POINTS;

    most = most > MOST_POINTS ? MOST_POINTS : most < LEAST_POINTS ? LEAST_POINTS : most;
    data->curves = sweep_take(data, (SWEEP_CURVE_CONFIGS + 1) * (size_t)data->n_slots,
                              sizeof *data->curves, err);
    if (!data->curves)
        return -1;
    data->n_curves_left_out = data->n_scored - n;
    for (int32_t c = 0; c < n; c++)
        if (read_config(data, store, data->configs[c].id, most, err))
            return -1;
    if (!data->chosen || sweep_data_find(data, data->chosen) < n)
        return 0;
    data->n_curves_left_out--;
    return read_config(data, store, data->chosen, most, err);
}
