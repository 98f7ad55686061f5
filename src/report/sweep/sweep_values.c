/* SPDX-License-Identifier: BSD-3-Clause */
/* The objective of each trial, as a table of slots (replicate and fold) and configurations. */
#include <math.h>

#include "report/sweep/sweep_read.h"

static int take_slots(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    int32_t last = -1;

    for (int64_t r = 0; r < rows->n_rows; r++)
        if (result_table_integer(rows, r, "slot") >= data->n_slots)
            data->n_slots = (int32_t)result_table_integer(rows, r, "slot") + 1;
    /* Damaged numbers of folds could ask for any amount of memory. */
    if ((double)data->n_slots * data->n_configs > 1e6 + 16.0 * (double)rows->n_rows)
        return err_set(err,
                       "%s: sweep '%s': its trials have %d different folds and replicates: too "
                       "many for a report",
                       data->database, data->name, (int)data->n_slots);
    data->slots = sweep_take(data, (size_t)data->n_slots, sizeof *data->slots, err);
    if (!data->slots)
        return -1;
    for (int64_t r = 0; r < rows->n_rows; r++)
        data->slots[result_table_integer(rows, r, "slot")] = (struct sweep_slot){
            .replicate = (int32_t)result_table_integer(rows, r, "replicate"),
            .fold = (int32_t)result_table_integer(rows, r, "fold"),
        };
    for (int32_t s = 0; s < data->n_slots; s++) {
        data->replicates += data->slots[s].replicate != last;
        last = data->slots[s].replicate;
        if (data->slots[s].fold >= data->folds)
            data->folds = data->slots[s].fold + 1;
    }
    return 0;
}

static int take_values(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    size_t n_configs = (size_t)data->n_configs, n;
    int32_t *n_trained = sweep_take(data, n_configs, sizeof *n_trained, err);

    if (!n_trained || take_slots(data, rows, err))
        return -1;
    n = (size_t)data->n_slots * n_configs;
    data->value = sweep_take(data, n, sizeof *data->value, err);
    if (!data->value)
        return -1;
    for (size_t i = 0; i < n; i++)
        data->value[i] = NAN;
    for (size_t c = 0; c < n_configs; c++)
        data->configs[c].epochs = NAN;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        int32_t c = sweep_data_find(data, result_table_integer(rows, r, "config"));
        size_t slot = (size_t)result_table_integer(rows, r, "slot");
        double epochs = result_table_real(rows, r, "epochs");
        double mean = c < 0 || !n_trained[c] ? 0 : data->configs[c].epochs;

        if (c < 0) /* of a run that goes on */
            continue;
        data->value[slot * n_configs + (size_t)c] = result_table_real(rows, r, "value");
        if (!isnan(epochs))
            data->configs[c].epochs = mean + (epochs - mean) / ++n_trained[c];
    }
    return 0;
}

int sweep_read_values(struct sweep_data *data, struct store *store, struct err *err)
{
    return sweep_read_table(data, store, QUERY_SWEEP_VALUES, data->sweep_id, take_values, err);
}
