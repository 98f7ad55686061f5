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
    free(sweep->strings);
    free(sweep->path);
    memset(sweep, 0, sizeof *sweep);
}

const union value *sweep_values(const struct sweep *sweep, enum param_id id, int32_t *n)
{
    for (size_t i = 0; i < sweep->n_axes; i++) {
        if (sweep->axes[i].id == id) {
            *n = sweep->axes[i].n;
            return sweep->axes[i].values;
        }
    }
    *n = 1;
    return &sweep->fixed.v[id];
}

bool sweep_type_has(const struct sweep *sweep, union value type, enum param_id id)
{
    struct settings s = sweep->fixed;

    s.v[P_TYPE] = type;
    return settings_has(&s, id);
}
