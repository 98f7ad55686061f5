/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings that a sweep was run with. */
#include "grid/sweep_file.h"
#include "report/sweep/sweep_read.h"

/* Leave `sweep` empty if this program cannot read the settings: the page then does without. */
static void read_settings(struct sweep *sweep, struct store *store, int64_t config)
{
    struct errlist faults = {0};
    struct buf ini = {0};
    struct err err;

    if (query_ini(&ini, store, config, &err) || buf_failed(&ini) ||
        sweep_parse_stored(sweep, store_path(store), buf_text(&ini), &faults)) {
        sweep_release(sweep);
        *sweep = (struct sweep){0};
    }
    errlist_release(&faults);
    buf_release(&ini);
}

int sweep_read_settings(struct sweep_data *data, struct store *store, struct err *err)
{
    data->settings = sweep_take(data, (size_t)data->n_types, sizeof *data->settings, err);
    if (!data->settings)
        return -1;
    for (int32_t t = 0; t < data->n_types; t++) {
        int32_t c = 0;

        while (c < data->n_configs && data->configs[c].type != t)
            c++;
        if (c < data->n_configs)
            read_settings(&data->settings[t], store, data->configs[c].id);
    }
    return 0;
}

const struct settings *sweep_data_settings(const struct sweep_data *data, int32_t type)
{
    return data->settings && type < data->n_types && data->settings[type].path
               ? &data->settings[type].fixed
               : NULL;
}
