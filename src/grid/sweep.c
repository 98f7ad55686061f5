/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/sweep.h"

#include <stdlib.h>
#include <string.h>

size_t sweep_n_values(const struct sweep *sweep)
{
    size_t n = 0;

    for (size_t a = 0; a < sweep->n_axes; a++)
        n += (size_t)sweep->axes[a].n;
    return n;
}

const char *sweep_keep_text(struct sweep *sweep, char *text)
{
    char **grown = text ? realloc(sweep->strings, (sweep->n_strings + 1) * sizeof *grown) : NULL;

    if (!grown) {
        free(text);
        return NULL;
    }
    sweep->strings = grown;
    return sweep->strings[sweep->n_strings++] = text;
}

void sweep_release(struct sweep *sweep)
{
    if (!sweep)
        return;
    for (size_t i = 0; i < sweep->n_axes; i++)
        axis_release(&sweep->axes[i]);
    for (size_t i = 0; i < sweep->n_strings; i++)
        free(sweep->strings[i]);
    free(sweep->axes);
    free(sweep->names);
    free(sweep->strings);
    free(sweep->path);
    memset(sweep, 0, sizeof *sweep);
}

const struct param *sweep_row(const struct sweep *sweep, int id)
{
    return id < P_COUNT ? &param_table[id] : &sweep->names->row[id - P_COUNT];
}

int sweep_end(const struct sweep *sweep)
{
    return P_COUNT + (sweep->names ? sweep->names->n : 0);
}

bool sweep_is_program(const struct sweep *sweep)
{
    return sweep->names != NULL;
}

int sweep_find_name(const struct sweep *sweep, const char *name)
{
    static const char section[] = PROGRAM_SECTION ".";
    size_t n = strncmp(name, section, strlen(section)) ? 0 : strlen(section);
    int free_id = free_names_find(sweep->names, name + n);
    enum param_id id = sweep_find_setting(sweep, name);

    if (free_id < P_MAX)
        return free_id;
    return id < P_COUNT ? (int)id : P_MAX;
}

enum param_id sweep_find_setting(const struct sweep *sweep, const char *name)
{
    enum param_id id = param_find_name(name);

    if (sweep->names && (id == P_TYPE || id == P_FORMAT))
        return P_COUNT; /* the section [program] implies them */
    return sweep_lacks(sweep, name) ? P_COUNT : id;
}

bool sweep_lacks(const struct sweep *sweep, const char *name)
{
    enum param_id id = param_find_name(name);

    return sweep->names && id < P_COUNT && !settings_type_has(sweep->fixed.v[P_TYPE], id);
}

void sweep_put_place(struct buf *out, const struct sweep *sweep, int id)
{
    int line = sweep->line[id];
    const char *set = sweep->set[id], *key = set ? set + strspn(set, " ") : NULL;

    if (set)
        buf_printf(out, "--set %.*s", (int)strcspn(key, " ="), key);
    else
        buf_puts(out, sweep->path);
    if (line > 0)
        buf_printf(out, ":%d", line);
}

struct axis *sweep_axis(const struct sweep *sweep, int id)
{
    for (size_t i = 0; i < sweep->n_axes; i++)
        if ((int)sweep->axes[i].id == id)
            return &sweep->axes[i];
    return NULL;
}

const union value *sweep_values(const struct sweep *sweep, enum param_id id, int32_t *n)
{
    const struct axis *axis = sweep_axis(sweep, (int)id);

    if (axis && axis_is_range(axis)) {
        *n = 2;
        return axis->range.ends;
    }
    *n = axis ? axis->n : 1;
    return axis ? axis->values : &sweep->fixed.v[id];
}

bool sweep_is_always(const struct sweep *sweep, enum param_id id, int64_t v)
{
    int32_t n;
    const union value *values = sweep_values(sweep, id, &n);

    for (int32_t i = 0; i < n; i++)
        if (values[i].i != v)
            return false;
    return true;
}

bool sweep_type_has(const struct sweep *sweep, union value type, enum param_id id)
{
    return id < P_COUNT ? settings_type_has(type, id)
                        : (int)id < sweep_end(sweep) && sweep->fixed.v[id].s != NULL;
}

bool sweep_has(const struct sweep *sweep, enum param_id id)
{
    int32_t n;
    const union value *types = sweep_values(sweep, P_TYPE, &n);
    bool has = false;

    for (int32_t i = 0; i < n; i++)
        has |= sweep_type_has(sweep, types[i], id);
    return has;
}
