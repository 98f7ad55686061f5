/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of grid/sweep_file.h that write. */
#include <string.h>

#include "data/text/file_names.h"
#include "grid/free_value.h"
#include "grid/requirements.h"
#include "grid/sweep_file.h"

static void put_setting(struct buf *out, const struct param *p, enum param_id id, union value value)
{
    buf_printf(out, "%s =", p->key);
    /* after a blank, a ';' would begin a comment */
    if (p->type != PARAM_TEXT || *value.s != ';')
        buf_putc(out, ' ');
    if (p->type == PARAM_PATH) /* the new file would read a relative one from its own directory */
        file_names_put_absolute(out, value.s);
    else if (p->type == PARAM_VALUE && value.s)
        free_value_write(out, value.s);
    else
        param_format(out, id, value);
    buf_putc(out, '\n');
}

static bool stays_axis(const struct sweep *sweep, int id)
{
    return sweep->swept[id] && param_table[id].flags & PARAM_SWEPT;
}

/* Users get the default for a missing setting, and sweep_parse_stored() the value from before it
 * existed. */
static bool is_implied(int id, union value value)
{
    return !(param_table[id].flags & PARAM_REQUIRED) &&
           param_equal((enum param_id)id, value, param_default((enum param_id)id)) &&
           param_equal((enum param_id)id, value, param_before((enum param_id)id));
}

enum { WITH_DEFAULTS = 1, WITHOUT_AXES = 2 };

/* A setting that the sweep's only model type lacks, or that [program] implies. */
static bool is_left_out(const struct sweep *sweep, const union value v[P_MAX], int id, int how)
{
    const struct param *p = &param_table[id];
    const bool is_program = sweep_is_program(sweep);

    if (stays_axis(sweep, id) || (how & WITHOUT_AXES && sweep->swept[id]) ||
        (is_program && (id == P_TYPE || id == P_FORMAT)) ||
        (!is_program && !strcmp(p->models, MODELS_PROGRAM)) ||
        (!sweep->swept[P_TYPE] && !sweep_type_has(sweep, v[P_TYPE], (enum param_id)id)))
        return true;
    if (how == WITH_DEFAULTS && !strcmp(p->section, "search"))
        return true; /* one configuration is no search */
    if (how & WITH_DEFAULTS && strcmp(p->section, "search") != 0) /* most sweeps have no search */
        return ((p->type == PARAM_TEXT || p->type == PARAM_PATH) && !*v[id].s) ||
               !requirements_format_has((enum param_id)id, v[P_FORMAT].i);
    return is_implied(id, v[id]);
}

static void put_all(struct buf *out, const struct sweep *sweep, const union value v[P_MAX], int how)
{
    const char *section = "", *grid = "\n[grid]\n";

    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];

        /* the axes of a program are values of [program] in the file of one point */
        for (int own = P_COUNT; id == P_THREADS && own < sweep_end(sweep); own++)
            if (!(how & WITHOUT_AXES) || !sweep->swept[own])
                put_setting(out, sweep_row(sweep, own), (enum param_id)own, v[own]);
        if (is_left_out(sweep, v, id, how))
            continue;
        if (strcmp(section, p->section) != 0)
            buf_printf(out, "%s[%s]\n", *section ? "\n" : "", p->section);
        section = p->section;
        put_setting(out, p, (enum param_id)id, v[id]);
    }
    for (int id = 0; !(how & WITHOUT_AXES) && id < P_COUNT; id++)
        if (stays_axis(sweep, id)) {
            buf_puts(out, grid);
            grid = "";
            put_setting(out, &param_table[id], (enum param_id)id, v[id]);
        }
}

void sweep_write(struct buf *out, const struct sweep *sweep, const union value v[P_MAX])
{
    put_all(out, sweep, v, 0);
}

void sweep_write_effective(struct buf *out, const struct sweep *sweep, const union value v[P_MAX])
{
    put_all(out, sweep, v, WITH_DEFAULTS);
}

void sweep_write_fixed(struct buf *out, const struct sweep *sweep, const union value v[P_MAX])
{
    put_all(out, sweep, v, WITH_DEFAULTS | WITHOUT_AXES);
}
