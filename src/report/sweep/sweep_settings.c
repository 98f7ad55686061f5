/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings that a sweep was run with. */
#include <stdlib.h>
#include <string.h>

#include "grid/free_value.h"
#include "grid/plan.h"
#include "grid/sweep_file.h"
#include "report/sweep/sweep_read.h"

/* Leave `sweep` empty if this program cannot read the settings: the page then does without. */
static void read_settings(struct type_settings *out, struct store *store, int64_t config)
{
    struct sweep *sweep = &out->sweep;
    struct errlist faults = {0};
    struct buf ini = {0};
    struct err err;

    if (query_ini(&ini, store, config, &err) || buf_failed(&ini) ||
        sweep_parse_stored(sweep, store_path(store), buf_text(&ini), &faults)) {
        sweep_release(sweep);
        *sweep = (struct sweep){0};
    }
    settings_stored(&out->of, &sweep->fixed);
    errlist_release(&faults);
    buf_release(&ini);
}

/* ---- the sweep file ---- */

/* Levels in the order in which configurations have them, which is that of the sweep file. seen:
 * [axis->n] scratch. */
static void put_levels(struct buf *out, const struct sweep_data *data, int32_t a, bool *seen)
{
    const struct sweep_axis *axis = &data->axes[a];
    const struct settings *settings = sweep_data_settings(data, 0);
    const int id = settings ? settings_find(settings->names, axis->name) : P_MAX;
    const bool has_quotes = id >= P_COUNT && id < P_MAX; /* of a free name */
    const char *gap = "";

    memset(seen, 0, (size_t)axis->n * sizeof *seen);
    buf_printf(out, "%s =", axis->name);
    for (int32_t i = 0; i < data->n_configs; i++) {
        int32_t l = data->level[(size_t)data->by_id[i] * (size_t)data->n_axes + (size_t)a];

        if (l >= 0 && !seen[l]) {
            seen[l] = true;
            buf_printf(out, "%s ", gap);
            if (has_quotes)
                free_value_write(out, axis->label[l]);
            else
                buf_puts(out, axis->label[l]);
            gap = ",";
        }
    }
    buf_putc(out, '\n');
}

static void put_grid(struct buf *out, const struct sweep_data *data)
{
    int32_t most = 0;
    bool *seen;

    for (int32_t a = 0; a < data->n_axes; a++)
        most = data->axes[a].n > most ? data->axes[a].n : most;
    seen = calloc((size_t)most + 1, sizeof *seen);
    out->failed |= !seen;
    if (seen && most)
        buf_puts(out, "\n[grid]\n");
    for (int32_t a = 0; seen && a < data->n_axes; a++)
        if (data->axes[a].n)
            put_levels(out, data, a, seen);
    free(seen);
}

/* The settings of one configuration have no search. */
static void take_search(struct sweep_data *data, const struct settings *fixed)
{
    for (int id = 0; id < P_COUNT; id++)
        for (int32_t t = 0; t < data->n_types && !strcmp(param_table[id].section, "search"); t++)
            if (param_table[id].type != PARAM_TEXT && param_table[id].type != PARAM_PATH)
                data->settings[t].of.v[id] = fixed->v[id];
}

/* Return how many configurations the file gives; -1: it is no sweep file. */
static int32_t count_configs(struct sweep_data *data, const char *ini)
{
    struct errlist faults = {0};
    struct sweep sweep = {0};
    struct settings fixed;
    struct plan plan = {0};
    struct err err;
    int32_t n = -1;

    if (!sweep_parse(&sweep, data->database, ini, NULL, 0, &faults)) {
        settings_stored(&fixed, &sweep.fixed);
        take_search(data, &fixed);
        if (!store_plan(&plan, &sweep, &fixed, &err))
            n = plan.n_configs;
    }
    plan_release(&plan);
    sweep_release(&sweep);
    errlist_release(&faults);
    return n;
}

static int read_file(struct sweep_data *data, struct store *store, struct err *err)
{
    struct buf ini = {0};
    struct err unread;

    data->n_file_configs = -1;
    if (!query_sweep_ini(&ini, store, data->sweep_id, &unread)) {
        put_grid(&ini, data);
        if (!buf_failed(&ini)) {
            data->ini = sweep_copy(data, buf_text(&ini), err);
            data->n_file_configs = count_configs(data, buf_text(&ini));
        }
    }
    buf_release(&ini);
    return data->ini ? 0 : -1;
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
    if (read_file(data, store, err))
        return -1;
    sweep_find_search(data);
    return 0;
}

const struct settings *sweep_data_settings(const struct sweep_data *data, int32_t type)
{
    return data->settings && type < data->n_types && data->settings[type].sweep.path
               ? &data->settings[type].of
               : NULL;
}
