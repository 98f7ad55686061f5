#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grid/requirements.h"
#include "grid/sweep.h"

/* A relative path is relative to the working directory by now, and would be relative to the new
 * file's directory. */
static void put_absolute(struct buf *out, const char *path)
{
    char *here = *path && *path != '/' ? getcwd(NULL, 0) : NULL;

    if (here)
        buf_printf(out, "%s/", here);
    free(here);
    buf_puts(out, path);
}

static void put_setting(struct buf *out, enum param_id id, union value value)
{
    const struct param *p = &param_table[id];

    buf_printf(out, "%s =", p->key);
    /* behind a blank, a ';' would begin a comment */
    if (p->type != PARAM_TEXT || *value.s != ';')
        buf_putc(out, ' ');
    if (p->type == PARAM_PATH)
        put_absolute(out, value.s);
    else
        param_format(out, id, value);
    buf_putc(out, '\n');
}

static bool stays_axis(const struct sweep *sweep, int id)
{
    return sweep->swept[id] && param_table[id].flags & PARAM_SWEPT;
}

/* What the only type of model has not: of no use to whoever reads the file. */
static bool is_foreign(const struct sweep *sweep, const struct settings *settings, int id)
{
    return !sweep->swept[P_TYPE] && !settings_has(settings, (enum param_id)id);
}

static void put_axes(struct buf *out, const struct sweep *sweep, const struct settings *settings)
{
    bool is_open = false;

    for (int id = 0; id < P_COUNT; id++) {
        if (!stays_axis(sweep, id))
            continue;
        if (!is_open)
            buf_puts(out, "\n[grid]\n");
        is_open = true;
        put_setting(out, (enum param_id)id, settings->v[id]);
    }
}

/* Whether a setting without a value says nothing: an empty path, no trait. */
static bool is_empty(const struct settings *settings, int id)
{
    enum param_type type = param_table[id].type;

    return (type == PARAM_TEXT || type == PARAM_PATH) && !*settings->v[id].s;
}

/* What a reader takes for the setting where the text lacks it: whoever runs the file takes the
 * default, sweep_parse_stored() what was done before there was the setting. */
static bool is_implied(int id, union value value)
{
    return !(param_table[id].flags & PARAM_REQUIRED) &&
           param_equal((enum param_id)id, value, param_default((enum param_id)id)) &&
           param_equal((enum param_id)id, value, param_before((enum param_id)id));
}

static void put_all(struct buf *out, const struct sweep *sweep, const struct settings *settings,
                    bool with_defaults)
{
    const char *section = "";

    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];

        if (id == P_WHERE || stays_axis(sweep, id) || is_foreign(sweep, settings, id) ||
            (with_defaults
                 ? is_empty(settings, id) || !requirements_format_has(id, settings->v[P_FORMAT].i)
                 : is_implied(id, settings->v[id])))
            continue;
        if (strcmp(section, p->section) != 0)
            buf_printf(out, "%s[%s]\n", *section ? "\n" : "", p->section);
        section = p->section;
        put_setting(out, (enum param_id)id, settings->v[id]);
    }
    put_axes(out, sweep, settings);
}

void sweep_write(struct buf *out, const struct sweep *sweep, const struct settings *settings)
{
    put_all(out, sweep, settings, false);
}

void sweep_write_effective(struct buf *out, const struct sweep *sweep,
                           const struct settings *settings)
{
    put_all(out, sweep, settings, true);
}
