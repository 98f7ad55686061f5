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

/* The only model type lacks the setting. */
static bool is_foreign(const struct sweep *sweep, const union value v[P_MAX], int id)
{
    bool is_of_program = !strcmp(param_table[id].models, MODELS_PROGRAM);

    return (is_of_program && !sweep_is_program(sweep)) ||
           (!sweep->swept[P_TYPE] && !sweep_type_has(sweep, v[P_TYPE], (enum param_id)id));
}

static void put_axes(struct buf *out, const struct sweep *sweep, const union value v[P_MAX])
{
    bool is_open = false;

    for (int id = 0; id < P_COUNT; id++) {
        if (!stays_axis(sweep, id))
            continue;
        if (!is_open)
            buf_puts(out, "\n[grid]\n");
        is_open = true;
        put_setting(out, &param_table[id], (enum param_id)id, v[id]);
    }
}

/* The axes of a program are values of [program] in the file of one point. */
static void put_free(struct buf *out, const struct sweep *sweep, const union value v[P_MAX],
                     bool has_axes)
{
    for (int id = P_COUNT; id < sweep_end(sweep); id++)
        if (has_axes || !sweep->swept[id])
            put_setting(out, sweep_row(sweep, id), (enum param_id)id, v[id]);
}

/* The section [program] implies them. */
static bool is_foregone(const struct sweep *sweep, int id)
{
    return sweep_is_program(sweep) && (id == P_TYPE || id == P_FORMAT);
}

static bool is_empty(const union value v[P_MAX], int id)
{
    enum param_type type = param_table[id].type;

    return (type == PARAM_TEXT || type == PARAM_PATH) && !*v[id].s;
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

static void put_all(struct buf *out, const struct sweep *sweep, const union value v[P_MAX], int how)
{
    const char *section = "";

    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];

        if (id == P_THREADS)
            put_free(out, sweep, v, !(how & WITHOUT_AXES));
        if (stays_axis(sweep, id) || is_foreign(sweep, v, id) || is_foregone(sweep, id) ||
            (how & WITHOUT_AXES && sweep->swept[id]) ||
            (how & WITH_DEFAULTS ? is_empty(v, id) || !requirements_format_has(id, v[P_FORMAT].i)
                                 : is_implied(id, v[id])))
            continue;
        if (strcmp(section, p->section) != 0)
            buf_printf(out, "%s[%s]\n", *section ? "\n" : "", p->section);
        section = p->section;
        put_setting(out, p, (enum param_id)id, v[id]);
    }
    if (!(how & WITHOUT_AXES))
        put_axes(out, sweep, v);
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
