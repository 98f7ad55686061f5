/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/sweep_file.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "grid/axis.h"
#include "grid/inifile.h"
#include "grid/requirements.h"
#include "grid/settings.h"

/* The new file would read a relative path from its own directory. */
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
    /* after a blank, a ';' would begin a comment */
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

/* The only model type lacks the setting. */
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

static bool is_empty(const struct settings *settings, int id)
{
    enum param_type type = param_table[id].type;

    return (type == PARAM_TEXT || type == PARAM_PATH) && !*settings->v[id].s;
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

static void put_all(struct buf *out, const struct sweep *sweep, const struct settings *settings,
                    int how)
{
    const char *section = "";

    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];

        if (stays_axis(sweep, id) || is_foreign(sweep, settings, id) ||
            (how & WITHOUT_AXES && sweep->swept[id]) ||
            (how & WITH_DEFAULTS
                 ? is_empty(settings, id) || !requirements_format_has(id, settings->v[P_FORMAT].i)
                 : is_implied(id, settings->v[id])))
            continue;
        if (strcmp(section, p->section) != 0)
            buf_printf(out, "%s[%s]\n", *section ? "\n" : "", p->section);
        section = p->section;
        put_setting(out, (enum param_id)id, settings->v[id]);
    }
    if (!(how & WITHOUT_AXES))
        put_axes(out, sweep, settings);
}

void sweep_write(struct buf *out, const struct sweep *sweep, const struct settings *settings)
{
    put_all(out, sweep, settings, 0);
}

void sweep_write_effective(struct buf *out, const struct sweep *sweep,
                           const struct settings *settings)
{
    put_all(out, sweep, settings, WITH_DEFAULTS);
}

void sweep_write_fixed(struct buf *out, const struct sweep *sweep, const struct settings *settings)
{
    put_all(out, sweep, settings, WITH_DEFAULTS | WITHOUT_AXES);
}

#define MAX_SHOWN 80  /* of a faulty --set in a message */
#define MAX_ERRORS 10 /* a file of another kind has one in each line */

struct assignment {
    struct sweep *sweep;
    struct errlist *errors;
    bool *refused;       /* [P_COUNT] settings with a faulty value */
    const char *section; /* NULL: from --set */
    const char *key;
    const char *value;
    const char *set; /* NULL: from the file */
    int line;
};

__attribute__((format(printf, 2, 3))) static int complain(const struct assignment *a,
                                                          const char *format, ...)
{
    struct err err;
    va_list args;

    if (errlist_is_full(a->errors)) {
        errlist_add(a->errors, "only counted");
        return -1;
    }
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    if (a->set)
        errlist_add(a->errors, "--set %.*s%s: %s", MAX_SHOWN, a->set,
                    strlen(a->set) > MAX_SHOWN ? "..." : "", err.text);
    else
        errlist_add(a->errors, "%s:%d: %s", a->sweep->path, a->line, err.text);
    return -1;
}

/* Append value with its ${NAME} replaced. */
static int expand_environment(struct buf *out, const struct assignment *a)
{
    const char *at = a->value;

    for (const char *open; (open = strstr(at, "${")); at = strchr(open, '}') + 1) {
        const char *close = strchr(open, '}');
        char name[128];
        const char *found;

        if (!close || close == open + 2 || close - open - 2 >= (ptrdiff_t)sizeof name)
            return complain(a, "%s = %s: '${' without a name and '}'", a->key, a->value);
        snprintf(name, sizeof name, "%.*s", (int)(close - open - 2), open + 2);
        found = getenv(name);
        if (!found || !*found)
            return complain(a, "%s = %s: %s is not set in the environment", a->key, a->value, name);
        buf_add(out, at, (size_t)(open - at));
        buf_puts(out, found);
    }
    buf_puts(out, at);
    return 0;
}

static int resolve_path(struct buf *out, const struct assignment *a)
{
    const char *slash = strrchr(a->sweep->path, '/');
    struct buf expanded = {0};
    int rc = expand_environment(&expanded, a);

    if (rc == 0) {
        if (buf_text(&expanded)[0] != '/' && expanded.size && !a->set && slash)
            buf_add(out, a->sweep->path, (size_t)(slash + 1 - a->sweep->path));
        buf_puts(out, buf_text(&expanded));
        out->failed |= buf_failed(&expanded);
    }
    buf_release(&expanded);
    return rc;
}

static int set_text(union value *out, enum param_id id, const struct assignment *a)
{
    /* Names go into tables and JSON, which are UTF-8. */
    const char *foreign = id == P_SWEEP_NAME ? escape_find_invalid(a->value) : NULL;
    struct buf text = {0};
    int rc = 0;

    if (foreign)
        return complain(a, "name: byte 0x%02x is not UTF-8: save the file as UTF-8",
                        (unsigned)(unsigned char)*foreign);
    if (param_table[id].type == PARAM_PATH)
        rc = resolve_path(&text, a);
    else
        buf_puts(&text, a->value);
    if (rc == 0) {
        out->s = sweep_keep_text(a->sweep, buf_failed(&text) ? NULL : strdup(buf_text(&text)));
        if (!out->s) {
            out->s = "";
            rc = complain(a, "out of memory");
        }
    }
    buf_release(&text);
    return rc;
}

static void remove_axis(struct sweep *sweep, enum param_id id)
{
    size_t i = 0;

    while (sweep->axes[i].id != id)
        i++;
    axis_release(&sweep->axes[i]);
    sweep->n_axes--;
    memmove(sweep->axes + i, sweep->axes + i + 1, (sweep->n_axes - i) * sizeof *sweep->axes);
    sweep->swept[id] = false;
}

static int set_number(union value *out, enum param_id id, const struct assignment *a)
{
    const struct param *p = &param_table[id];
    bool is_list = p->flags & PARAM_AXIS && strchr(a->value, ',');
    struct err err;

    if (param_read(out, id, a->value, &err) == 0)
        return 0;
    if (a->set && is_list)
        return complain(a, "%s; several values make an axis: --set grid.%s=%s", err.text, p->key,
                        a->value);
    if (a->set)
        return complain(a, "%s", err.text);
    if (is_list)
        return complain(a, "%s = %s: %s; several values make an axis: move the line to [grid]",
                        p->key, a->value, err.text);
    return complain(a, "%s = %s: %s%s", p->key, a->value, err.text,
                    strstr(a->value, " #") ? " (a comment after a value begins with ' ;')" : "");
}

static int fix(enum param_id id, const struct assignment *a)
{
    const struct param *p = &param_table[id];
    struct sweep *sweep = a->sweep;
    int rc;

    if (!a->set && sweep->swept[id])
        return complain(a, "%s is fixed here and an axis in line %d: keep one", p->key,
                        sweep->line[id]);
    if (!a->set && sweep->line[id])
        return complain(a, "%s is already set in line %d", p->key, sweep->line[id]);
    if (sweep->swept[id])
        remove_axis(sweep, id);
    sweep->line[id] = a->set ? SWEEP_LINE_SET : a->line;
    if (p->type == PARAM_TEXT || p->type == PARAM_PATH)
        rc = set_text(&sweep->fixed.v[id], id, a);
    else
        rc = set_number(&sweep->fixed.v[id], id, a);
    a->refused[id] = rc != 0;
    return rc;
}

/* NULL if memory is short. */
static struct axis *want_axis(struct sweep *sweep, enum param_id id)
{
    struct axis *grown;

    for (size_t i = 0; i < sweep->n_axes; i++)
        if (sweep->axes[i].id == id)
            return &sweep->axes[i];
    grown = realloc(sweep->axes, (sweep->n_axes + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    sweep->axes = grown;
    sweep->swept[id] = true;
    sweep->axes[sweep->n_axes] = (struct axis){.id = id};
    return &sweep->axes[sweep->n_axes++];
}

static int sweep_over(enum param_id id, const struct assignment *a)
{
    const struct param *p = &param_table[id];
    struct sweep *sweep = a->sweep;
    struct axis *axis;
    struct err err;

    if (!(p->flags & PARAM_AXIS))
        return complain(a, "%s cannot be an axis ('espalier params' lists those that can)", p->key);
    if (!a->set && sweep->swept[id])
        return complain(a, "%s is already an axis in line %d", p->key, sweep->line[id]);
    if (!a->set && sweep->line[id])
        return complain(a, "%s is an axis here and fixed in line %d: keep one", p->key,
                        sweep->line[id]);
    axis = want_axis(sweep, id);
    if (!axis)
        return complain(a, "out of memory");
    sweep->fixed.v[id] = param_default(id);
    sweep->line[id] = axis->line = a->set ? SWEEP_LINE_SET : a->line;
    return axis_parse(axis, a->value, &err) ? complain(a, "%s", err.text) : 0;
}

static int complain_unknown(const struct assignment *a, const char *section)
{
    /* Suggestions for a million unknown keys would take seconds. */
    const char *near = errlist_is_full(a->errors) ? NULL : param_suggest(section, a->key);
    char place[80] = "", hint[NEAREST_HINT];

    if (section)
        snprintf(place, sizeof place, " in [%.60s]", section);
    if (!*a->key)
        return complain(a, "the key is missing");
    return complain(a, "unknown key '%.60s'%s%s", a->key, place,
                    nearest_hint(hint, "", near, "", "; 'espalier params' lists them"));
}

static int assign(const struct assignment *a)
{
    bool is_grid = !strcmp(a->section, "grid");
    enum param_id id = is_grid ? param_find_name(a->key) : param_find(a->section, a->key);

    if (id == P_COUNT)
        return complain_unknown(a, is_grid ? NULL : a->section);
    return is_grid ? sweep_over(id, a) : fix(id, a);
}

static int check_section(const struct assignment *a)
{
    char hint[NEAREST_HINT];
    const char *near;

    if (!strcmp(a->section, "grid") || param_is_section(a->section))
        return 0;
    near = errlist_is_full(a->errors) ? NULL : param_suggest_section(a->section);
    return complain(a, "unknown section [%s]%s", a->section,
                    nearest_hint(hint, "[", near, "]", "; 'espalier params' lists them"));
}

static void note_section(struct sweep *sweep, const char *section, int line)
{
    for (int id = 0; id < P_COUNT; id++)
        if (!sweep->section_line[id] && !strcmp(param_table[id].section, section))
            sweep->section_line[id] = line;
}

static void assign_file(struct sweep *sweep, const char *text, bool *refused,
                        struct errlist *errors)
{
    struct inifile file;
    size_t n_keys = 0;
    bool is_inside = false, is_known = false;

    errlist_limit(errors, MAX_ERRORS);
    inifile_parse(&file, sweep->path, text, errors);
    errlist_limit(errors, MAX_ERRORS);
    for (size_t i = 0; i < file.n; i++) {
        const struct inifile_entry *entry = &file.entries[i];
        struct assignment a = {.sweep = sweep,
                               .errors = errors,
                               .refused = refused,
                               .section = entry->section,
                               .key = entry->key,
                               .value = buf_text(&entry->value),
                               .line = entry->line};

        n_keys += entry->key != NULL;
        is_inside |= !entry->key;
        if (!entry->key) {
            is_known = check_section(&a) == 0;
            note_section(sweep, entry->section, entry->line);
        } else if (!is_inside) {
            complain(&a, "'%.60s' stands before the first [section]", entry->key);
        } else if (is_known) {
            assign(&a);
        }
    }
    if (n_keys == 0 && errors->n + errors->n_lost == 0)
        errlist_add(errors, "%s: has no settings", sweep->path);
    inifile_release(&file);
}

/* A value that a file cannot hold would not survive sweep_write(). */
static int check_override(const struct assignment *a)
{
    for (const char *c = a->value; *c; c++) {
        if ((unsigned char)*c < ' ')
            return complain(a, "control character 0x%02x", (unsigned)*c);
        if (*c == ';' && c > a->value && c[-1] == ' ')
            return complain(a, "' ;' would begin a comment in a sweep file");
    }
    return 0;
}

static char *trimmed(char *text)
{
    size_t n;

    text += strspn(text, " ");
    for (n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
        text[n - 1] = '\0';
    return text;
}

/* "section.key=value", "key=value" or "grid.key=value". Modifies `copy`. */
static int assign_override(struct assignment *a, char *copy)
{
    char *equals = strchr(copy, '=');
    enum param_id id;
    bool is_grid;

    if (!equals)
        return complain(a, "must be key=value");
    *equals = '\0';
    a->value = trimmed(equals + 1);
    a->key = trimmed(copy);
    is_grid = !strncmp(a->key, "grid.", 5);
    if (is_grid)
        a->key += 5;
    id = param_find_name(a->key);
    if (id == P_COUNT)
        return complain_unknown(a, NULL);
    if (check_override(a))
        return -1;
    return is_grid ? sweep_over(id, a) : fix(id, a);
}

struct fault {
    long line; /* in the file; LONG_MAX: --set */
    size_t order;
    char *text;
};

static int compare_faults(const void *a, const void *b)
{
    const struct fault *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Sort the errors from `first` on by line, and keep MAX_ERRORS. Each of several passes has kept its
 * first MAX_ERRORS and counted the others. */
static void arrange(struct errlist *errors, size_t first, const char *path)
{
    const size_t n = errors->n - first, n_more = errors->n_more;
    struct fault *faults = n > 1 ? malloc(n * sizeof *faults) : NULL;

    if (!faults)
        return;
    for (size_t i = 0; i < n; i++) {
        char *text = errors->text[first + i];

        faults[i] = (struct fault){LONG_MAX, i, text};
        if (!strncmp(text, path, strlen(path)) && text[strlen(path)] == ':')
            faults[i].line = strtol(text + strlen(path) + 1, NULL, 10);
    }
    qsort(faults, n, sizeof *faults, compare_faults);
    for (size_t i = 0; i < n; i++) {
        errors->text[first + i] = faults[i].text;
        if (i >= MAX_ERRORS)
            free(faults[i].text);
    }
    free(faults);
    errors->most = errors->n_more = 0;
    if (n > MAX_ERRORS)
        errors->n = first + MAX_ERRORS;
    if (n + n_more > MAX_ERRORS)
        errlist_add(errors, "%s: ... and %zu more error%s", path, n + n_more - MAX_ERRORS,
                    n + n_more == MAX_ERRORS + 1 ? "" : "s");
}

static void default_name(struct sweep *sweep, struct errlist *errors)
{
    const char *slash = strrchr(sweep->path, '/');
    const char *base = slash ? slash + 1 : sweep->path;
    size_t n = strlen(base);
    const char *name;

    if (n > 4 && !strcmp(base + n - 4, ".ini"))
        n -= 4;
    name = sweep_keep_text(sweep, strndup(base, n));
    if (!name)
        errlist_add(errors, "%s: out of memory", sweep->path);
    else if (escape_find_invalid(name))
        errlist_add(errors, "%s: the file's name is not UTF-8: set [sweep] name", sweep->path);
    else
        sweep->fixed.v[P_SWEEP_NAME].s = name;
}

/* sweep->fixed: values of missing settings. is_file: required settings must be present. */
static int parse(struct sweep *sweep, const char *path, const char *text,
                 const char *const *overrides, size_t n_overrides, bool is_file,
                 struct errlist *errors)
{
    const size_t first = errors->n, n_lost = errors->n_lost;
    bool refused[P_COUNT] = {false};

    sweep->path = strdup(path);
    if (!sweep->path) {
        errlist_add(errors, "%s: out of memory", path);
        return -1;
    }
    assign_file(sweep, text, refused, errors);
    errlist_limit(errors, MAX_ERRORS);
    for (size_t i = 0; i < n_overrides; i++) {
        struct assignment a = {
            .sweep = sweep, .errors = errors, .refused = refused, .set = overrides[i]};
        char *copy = strdup(overrides[i]);

        if (copy)
            assign_override(&a, copy);
        else
            complain(&a, "out of memory");
        free(copy);
    }
    errlist_limit(errors, MAX_ERRORS);
    if (!*sweep->fixed.v[P_SWEEP_NAME].s && !refused[P_SWEEP_NAME])
        default_name(sweep, errors);
    requirements_check(sweep, is_file, refused, errors);
    arrange(errors, first, path);
    return errors->n > first || errors->n_lost > n_lost ? -1 : 0;
}

int sweep_parse(struct sweep *sweep, const char *path, const char *text,
                const char *const *overrides, size_t n_overrides, struct errlist *errors)
{
    *sweep = (struct sweep){0};
    settings_defaults(&sweep->fixed);
    return parse(sweep, path, text, overrides, n_overrides, false, errors);
}

int sweep_parse_stored(struct sweep *sweep, const char *path, const char *text,
                       struct errlist *errors)
{
    *sweep = (struct sweep){0};
    settings_before(&sweep->fixed);
    return parse(sweep, path, text, NULL, 0, false, errors);
}

static int read_file(struct buf *out, const char *path, struct err *err)
{
    FILE *file = fopen(path, "rb");
    char piece[8192];
    size_t n;
    int rc = 0;

    if (!file)
        return err_set(err, "%s: %s", path, strerror(errno));
    while (out->size <= SWEEP_MAX_BYTES && (n = fread(piece, 1, sizeof piece, file)) > 0)
        buf_add(out, piece, n);
    if (ferror(file))
        rc = err_set(err, "%s: %s", path, strerror(errno));
    else if (inifile_is_table(buf_text(out)))
        rc = err_set(err,
                     "%s: is a table, not a sweep file: 'espalier init' writes a sweep file from "
                     "data tables",
                     path);
    else if (out->size > SWEEP_MAX_BYTES)
        rc = err_set(err, "%s: larger than %d bytes; not a sweep file", path, SWEEP_MAX_BYTES);
    else if (memchr(buf_text(out), '\0', out->size))
        rc = err_set(err, "%s: not a text file (it has NUL bytes)", path);
    else if (buf_failed(out))
        rc = err_nomem(err, path, SWEEP_MAX_BYTES);
    fclose(file);
    return rc;
}

int sweep_load(struct sweep *sweep, const char *path, const char *const *overrides,
               size_t n_overrides, struct errlist *errors)
{
    struct buf text = {0};
    struct err err;
    int rc = -1;

    *sweep = (struct sweep){0};
    settings_defaults(&sweep->fixed);
    if (read_file(&text, path, &err))
        errlist_add(errors, "%s", err.text);
    else
        rc = parse(sweep, path, buf_text(&text), overrides, n_overrides, true, errors);
    buf_release(&text);
    return rc;
}
