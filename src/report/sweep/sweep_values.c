/* SPDX-License-Identifier: BSD-3-Clause */
/* The objective of each trial, as a table of slots (replicate and fold) and configurations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sweep/sweep_read.h"

static int compare_slots(const void *a, const void *b)
{
    const struct sweep_slot *x = a, *y = b;

    if (x->replicate != y->replicate)
        return x->replicate < y->replicate ? -1 : 1;
    return (x->fold > y->fold) - (x->fold < y->fold);
}

static struct sweep_slot slot_of(const struct result_table *rows, int64_t r)
{
    return (struct sweep_slot){
        .replicate = (int32_t)result_table_integer(rows, r, "replicate"),
        .fold = (int32_t)result_table_integer(rows, r, "fold"),
    };
}

static int32_t find_slot(const struct sweep_data *data, struct sweep_slot wanted)
{
    const struct sweep_slot *found =
        bsearch(&wanted, data->slots, (size_t)data->n_slots, sizeof wanted, compare_slots);

    return found ? (int32_t)(found - data->slots) : -1;
}

static int read_slots(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    struct sweep_slot *all = malloc((size_t)(rows->n_rows + 1) * sizeof *all);
    int32_t n = 0;

    if (!all)
        return err_nomem(err, "report", (size_t)rows->n_rows * sizeof *all);
    for (int64_t r = 0; r < rows->n_rows; r++)
        all[r] = slot_of(rows, r);
    qsort(all, (size_t)rows->n_rows, sizeof *all, compare_slots);
    for (int64_t r = 0; r < rows->n_rows; r++)
        if (!n || compare_slots(&all[n - 1], &all[r]) != 0)
            all[n++] = all[r];
    data->slots = sweep_take(data, (size_t)n, sizeof *data->slots, err);
    if (data->slots)
        memcpy(data->slots, all, (size_t)n * sizeof *all);
    data->n_slots = n;
    free(all);
    return data->slots ? 0 : -1;
}

static void count_parts(struct sweep_data *data)
{
    int32_t last = -1;

    data->replicates = 0;
    data->folds = 0;
    for (int32_t s = 0; s < data->n_slots; s++) {
        data->replicates += data->slots[s].replicate != last;
        last = data->slots[s].replicate;
        if (data->slots[s].fold >= data->folds)
            data->folds = data->slots[s].fold + 1;
    }
}

/* Damaged numbers of folds could ask for any amount of memory. */
static bool is_too_sparse(const struct sweep_data *data, int64_t n_trials)
{
    return (double)data->n_slots * data->n_configs > 1e6 + 16.0 * (double)n_trials;
}

static int fill_values(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    size_t n = (size_t)data->n_slots * (size_t)data->n_configs;

    if (is_too_sparse(data, rows->n_rows))
        return err_set(err,
                       "%s: sweep '%s': its trials have %d different folds and replicates: too "
                       "many for a report",
                       data->database, data->name, (int)data->n_slots);
    data->value = sweep_take(data, n, sizeof *data->value, err);
    if (!data->value)
        return -1;
    for (size_t i = 0; i < n; i++)
        data->value[i] = NAN;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        int32_t c = sweep_data_find(data, result_table_integer(rows, r, "config"));
        int32_t s = find_slot(data, slot_of(rows, r));

        if (c >= 0 && s >= 0)
            data->value[(size_t)s * (size_t)data->n_configs + (size_t)c] =
                result_table_real(rows, r, "value");
    }
    return 0;
}

static int average_epochs(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    int32_t *n = sweep_take(data, (size_t)data->n_configs, sizeof *n, err);

    if (!n)
        return -1;
    for (int32_t c = 0; c < data->n_configs; c++)
        data->configs[c].epochs = NAN;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        int32_t c = sweep_data_find(data, result_table_integer(rows, r, "config"));
        double epochs = result_table_real(rows, r, "epochs");
        double mean = c < 0 || !n[c] ? 0 : data->configs[c].epochs;

        if (c >= 0 && !isnan(epochs))
            data->configs[c].epochs = mean + (epochs - mean) / ++n[c];
    }
    return 0;
}

int sweep_read_values(struct sweep_data *data, struct store *store, struct err *err)
{
    struct result_table rows;
    int rc;

    if (query_table(&rows, store, QUERY_SWEEP_VALUES, data->sweep_id, err))
        return -1;
    rc = read_slots(data, &rows, err) || fill_values(data, &rows, err) ||
                 average_epochs(data, &rows, err)
             ? -1
             : 0;
    if (!rc)
        count_parts(data);
    result_table_release(&rows);
    return rc;
}
