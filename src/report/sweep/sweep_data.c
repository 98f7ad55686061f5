/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sweep/sweep_data.h"

#include <string.h>

void sweep_data_release(struct sweep_data *data)
{
    for (int32_t t = 0; data->settings && t < data->n_types; t++)
        sweep_release(&data->settings[t].sweep);
    result_table_release(&data->leaderboard);
    result_table_release(&data->sessions);
    result_table_release(&data->failures);
    arena_release(&data->memory);
    *data = (struct sweep_data){0};
}

void *sweep_take(struct sweep_data *data, size_t n, size_t size, struct err *err)
{
    void *piece = arena_take_zeroed(&data->memory, n, size);

    if (!piece)
        err_nomem(err, "report", n * size);
    return piece;
}

const char *sweep_copy(struct sweep_data *data, const char *text, struct err *err)
{
    size_t bytes = strlen(text) + 1;
    char *copy = sweep_take(data, bytes, 1, err);

    return copy ? memcpy(copy, text, bytes) : NULL;
}

const char *sweep_copy_cell(struct sweep_data *data, const struct result_table *table, int64_t row,
                            const char *column, struct err *err)
{
    return sweep_copy(data, result_table_text(table, row, column), err);
}

int sweep_read_table(struct sweep_data *data, struct store *store, enum query query, int64_t id,
                     int (*take)(struct sweep_data *data, const struct result_table *rows,
                                 struct err *err),
                     struct err *err)
{
    struct result_table rows;
    int rc;

    if (query_table(&rows, store, query, id, err))
        return -1;
    rc = take(data, &rows, err);
    result_table_release(&rows);
    return rc;
}

int32_t sweep_data_find(const struct sweep_data *data, int64_t config)
{
    int32_t low = 0, high = data->n_configs;

    while (low < high) {
        int32_t middle = low + (high - low) / 2;

        if (data->configs[data->by_id[middle]].id < config)
            low = middle + 1;
        else
            high = middle;
    }
    return low < data->n_configs && data->configs[data->by_id[low]].id == config ? data->by_id[low]
                                                                                 : -1;
}

void sweep_data_put_levels(struct buf *out, const struct sweep_data *data, int32_t config)
{
    const int32_t *level = &data->level[(size_t)config * (size_t)data->n_axes];
    const char *gap = "";

    for (int32_t a = 0; a < data->n_axes; a++)
        if (level[a] >= 0) {
            buf_printf(out, "%s%s %s", gap, data->axes[a].name, data->axes[a].label[level[a]]);
            gap = ", ";
        }
}
