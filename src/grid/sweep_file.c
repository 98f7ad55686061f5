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
#include "data/text/file_names.h"
#include "grid/axis.h"
#include "grid/free_value.h"
#include "grid/inifile.h"
#include "grid/requirements.h"
#include "grid/settings.h"

#define MAX_SHOWN 80  /* of a faulty --set in a message */
#define MAX_ERRORS 10 /* a file of another kind has one in each line */

struct assignment {
    struct sweep *sweep;
    struct errlist *errors;
    bool *refused;       /* [P_MAX] settings with a faulty value */
    const char *section; /* NULL: from --set */
    const char *key;
    const char *value;
    const char *set; /* NULL: from the file */
    int line;
    const char *comment; /* behind the value; NULL: none */
    int comment_line;
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

/* $NAME is a name of a file, unless it is one of the environment. */
static int check_braces(const struct assignment *a)
{
    for (const char *at = a->value; (at = strchr(at, '$')); at++) {
        size_t n =
            strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
        char name[128];

        snprintf(name, sizeof name, "%.*s", (int)n, at + 1);
        if (n && n < sizeof name && getenv(name))
            return complain(a, "%s = %s: write ${%s} for the variable of the environment", a->key,
                            a->value, name);
    }
    return 0;
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
    int rc = check_braces(a) ? -1 : expand_environment(&expanded, a);

    if (rc == 0) {
        if (buf_text(&expanded)[0] != '/' && expanded.size && !a->set && slash)
            buf_add(out, a->sweep->path, (size_t)(slash + 1 - a->sweep->path));
        buf_puts(out, buf_text(&expanded));
        out->failed |= buf_failed(&expanded);
    }
    buf_release(&expanded);
    return rc;
}

/* text: released */
static int keep_text(union value *out, const struct assignment *a, struct buf *text)
{
    out->s = sweep_keep_text(a->sweep, buf_failed(text) ? NULL : strdup(buf_text(text)));
    buf_release(text);
    if (out->s)
        return 0;
    out->s = "";
    return complain(a, "out of memory");
}

/* Names and values go into tables and JSON, which are UTF-8. */
static int check_utf8(const struct assignment *a)
{
    const char *foreign = escape_find_invalid(a->value);

    return foreign ? complain(a, "%s: byte 0x%02x is not UTF-8: save the file as UTF-8", a->key,
                              (unsigned)(unsigned char)*foreign)
                   : 0;
}

static int set_text(union value *out, int id, const struct assignment *a)
{
    struct buf text = {0};

    if (id == P_SWEEP_NAME && check_utf8(a))
        return -1;
    if (param_table[id].type != PARAM_PATH && id != P_INPUTS)
        buf_puts(&text, a->value);
    else if ((id == P_INPUTS ? expand_environment : resolve_path)(&text, a)) {
        buf_release(&text);
        return -1;
    }
    return keep_text(out, a, &text);
}

static int set_value(union value *out, int id, const struct assignment *a)
{
    struct buf text = {0};
    struct err err;

    if (check_utf8(a))
        return -1;
    out->s = NULL; /* without quotes nothing is no value */
    if (!*a->value)
        return 0;
    if (free_value_read(&text, a->value, &err)) {
        buf_release(&text);
        return complain(a, "%s = %s: %s", a->key, a->value, err.text);
    }
    a->sweep->is_quoted[id] = *a->value == '\'' || *a->value == '"';
    return keep_text(out, a, &text);
}

static int set_metric(union value *out, enum param_id id, const struct assignment *a)
{
    struct buf text = {0};
    union value read;
    struct err err;

    if (sweep_is_program(a->sweep) && !param_is_metric_name(a->value))
        return complain(a,
                        "%s = %s: must be a name that the program reports: a letter, then letters, "
                        "digits and _ . / -, at most %d",
                        a->key, a->value, PARAM_METRIC_NAME - 1);
    if (!sweep_is_program(a->sweep) && param_read(&read, id, a->value, &err))
        return a->set ? complain(a, "%s", err.text)
                      : complain(a, "%s = %s: %s", a->key, a->value, err.text);
    buf_puts(&text, a->value);
    return keep_text(out, a, &text);
}

static int set_number(union value *out, enum param_id id, const struct assignment *a)
{
    const struct param *p = &param_table[id];
    bool is_list = p->flags & PARAM_AXIS && strchr(a->value, ',');
    struct err err;

    if ((id == P_TYPE && !strcmp(a->value, MODELS_PROGRAM)) ||
        (id == P_FORMAT && !strcmp(a->value, FORMAT_PROGRAM)))
        return complain(a, "%s = %s is implied by a section [program]: remove it", p->key,
                        a->value);
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
    return complain(a, "%s = %s: %s%s", p->key, a->value, err.text, param_comment_hint(a->value));
}

static int set(union value *out, int id, const struct assignment *a)
{
    switch (sweep_row(a->sweep, id)->type) {
    case PARAM_TEXT:
    case PARAM_PATH:
        return set_text(out, id, a);
    case PARAM_VALUE:
        return set_value(out, id, a);
    case PARAM_METRIC:
        return set_metric(out, (enum param_id)id, a);
    default:
        return set_number(out, (enum param_id)id, a);
    }
}

/* Keep the text of --set for messages. */
static int keep_option(const struct assignment *a, int id)
{
    const char *kept;

    if (!a->set)
        return 0;
    kept = sweep_keep_text(a->sweep, strdup(a->set));
    if (!kept)
        return complain(a, "out of memory");
    a->sweep->set[id] = kept;
    return 0;
}

static int fix(int id, const struct assignment *a)
{
    struct sweep *sweep = a->sweep;
    const struct param *p = sweep_row(sweep, id);
    int rc;

    if (!a->set && sweep->swept[id])
        return complain(a, "%s is fixed here and an axis in line %d: keep one", p->key,
                        sweep->line[id]);
    if (!a->set && sweep->line[id] && id < P_COUNT && strcmp(a->key, p->key) != 0)
        return complain(a, "%s is an earlier name of %s, which line %d sets: keep one", a->key,
                        p->key, sweep->line[id]);
    if (!a->set && sweep->line[id])
        return complain(a, "%s is already set in line %d", p->key, sweep->line[id]);
    if (keep_option(a, id))
        return -1;
    if (id ==
        P_COMMAND) { /* a comment may be the rest of a command for a shell, so a warning shows it */
        sweep->command_comment_line = a->comment_line;
        sweep->command_comment = a->comment ? sweep_keep_text(sweep, strdup(a->comment)) : NULL;
        if (a->comment && !sweep->command_comment)
            return complain(a, "out of memory");
    }
    if (sweep->swept[id]) {
        struct axis *axis = sweep_axis(sweep, id);

        axis_release(axis);
        sweep->n_axes--;
        memmove(axis, axis + 1, (size_t)(sweep->axes + sweep->n_axes - axis) * sizeof *axis);
        sweep->swept[id] = false;
    }
    sweep->line[id] = a->set ? SWEEP_LINE_SET : a->line;
    rc = set(&sweep->fixed.v[id], id, a);
    a->refused[id] = rc != 0;
    return rc;
}

/* NULL if memory is short. */
static struct axis *want_axis(struct sweep *sweep, int id)
{
    struct axis *axis = sweep_axis(sweep, id), *grown;

    if (axis)
        return axis;
    grown = realloc(sweep->axes, (sweep->n_axes + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    sweep->axes = grown;
    sweep->swept[id] = true;
    sweep->axes[sweep->n_axes] =
        (struct axis){.id = (enum param_id)id, .row = sweep_row(sweep, id)};
    return &sweep->axes[sweep->n_axes++];
}

static int sweep_over(int id, const struct assignment *a)
{
    struct sweep *sweep = a->sweep;
    const struct param *p = sweep_row(sweep, id);
    struct axis *axis;
    struct err err;

    if (!(p->flags & PARAM_AXIS))
        return sweep_is_program(sweep)
                   ? complain(a,
                              "%s is a setting of [%s] and cannot be an axis: for an axis of your "
                              "own choose another name, such as my_%s",
                              p->key, p->section, p->key)
                   : complain(a, "%s cannot be an axis: set it in [%s]", p->key, p->section);
    if (!a->set && sweep->swept[id])
        return complain(a, "%s is already an axis in line %d", p->key, sweep->line[id]);
    if (!a->set && sweep->line[id])
        return complain(a, "%s is an axis here and fixed in line %d: keep one", p->key,
                        sweep->line[id]);
    if ((p->type == PARAM_VALUE && check_utf8(a)) || keep_option(a, id))
        return -1;
    axis = want_axis(sweep, id);
    if (!axis)
        return complain(a, "out of memory");
    sweep->fixed.v[id] = param_default((enum param_id)id);
    sweep->line[id] = axis->line = a->set ? SWEEP_LINE_SET : a->line;
    return axis_parse(axis, a->value, &err) ? complain(a, "%s", err.text) : 0;
}

static bool is_grid(const struct assignment *a)
{
    return !strcmp(a->section, "grid");
}

static int find_key(const struct assignment *a)
{
    const struct sweep *sweep = a->sweep;
    enum param_id id = param_find(a->section, a->key);

    if (is_grid(a))
        return sweep_find_name(sweep, a->key);
    if (id < P_COUNT)
        return id;
    return strcmp(a->section, PROGRAM_SECTION) ? P_MAX : free_names_find(sweep->names, a->key);
}

/* A key in [grid] or [program] that no setting has. */
static bool is_free(const struct assignment *a)
{
    return a->sweep->names && (is_grid(a) || !strcmp(a->section, PROGRAM_SECTION)) &&
           find_key(a) == P_MAX;
}

static int complain_unknown(const struct assignment *a, const char *section)
{
    /* Suggestions for a million unknown keys would take seconds. */
    const char *type = sweep_is_program(a->sweep) ? MODELS_PROGRAM : NULL;
    const char *near = errlist_is_full(a->errors) ? NULL : param_suggest(section, a->key, type);
    char place[80] = "", hint[NEAREST_HINT];
    struct err err;

    if (section)
        snprintf(place, sizeof place, " in [%.60s]", section);
    if (!*a->key)
        return complain(a, "the key is missing");
    /* it could be a free name, unless it is the name of a setting elsewhere */
    if (a->section && is_free(a) &&
        (is_grid(a) || sweep_find_setting(a->sweep, a->key) == P_COUNT) &&
        free_names_add(a->sweep->names, a->key, &err))
        return complain(a, "%s", err.text);
    if (sweep_lacks(a->sweep, a->key))
        return complain(a, "%s is a setting of models, and this sweep runs a program", a->key);
    return complain(a, "unknown key '%.60s'%s%s", a->key, place,
                    nearest_hint(hint, "", near, "", "; 'espalier params' lists them"));
}

/* Sections whose settings a program does not have. */
static int check_foreign_section(const struct assignment *a)
{
    for (int id = 0; sweep_is_program(a->sweep) && id < P_COUNT; id++) {
        if (strcmp(param_table[id].section, a->section) != 0)
            continue;
        if (id != P_FORMAT && id != P_TYPE &&
            settings_type_has(a->sweep->fixed.v[P_TYPE], (enum param_id)id))
            return 0;
        if (id + 1 == P_COUNT || strcmp(param_table[id + 1].section, a->section) != 0)
            return complain(a,
                            "[%s] cannot stand beside [program], which reads its own data and "
                            "trains its own model: remove one of the two",
                            a->section);
    }
    return 0;
}

static int check_section(const struct assignment *a)
{
    char hint[NEAREST_HINT];
    const char *near;

    if (is_grid(a) || param_is_section(a->section))
        return check_foreign_section(a);
    near = errlist_is_full(a->errors) ? NULL : param_suggest_section(a->section);
    return complain(a, "unknown section [%s]%s", a->section,
                    nearest_hint(hint, "[", near, "]", "; 'espalier params' lists them"));
}

/* ---- free names ---- */

/* Without [program], each of its axes would be a fault of its own. */
static int refuse_misspelt(struct sweep *sweep, const struct inifile *file, struct errlist *errors)
{
    for (size_t i = 0; i < file->n; i++) {
        const struct inifile_entry *entry = &file->entries[i];
        struct assignment a = {
            .sweep = sweep, .errors = errors, .section = entry->section, .line = entry->line};
        bool is_near = !entry->key && !param_is_section(entry->section) &&
                       nearest_distance(entry->section, PROGRAM_SECTION) < NEAREST_FAR;

        if (is_near && !strcmp(param_suggest_section(entry->section), PROGRAM_SECTION))
            return check_section(&a);
    }
    return 0;
}

/* Before any value is set, because the number of a free name depends on the others. A name that is
 * refused is reported when its value is set. */
static int find_names(struct sweep *sweep, const struct inifile *file, const char *const *overrides,
                      size_t n, struct errlist *errors)
{
    static const char override[] = PROGRAM_SECTION ".";
    struct assignment a = {.sweep = sweep, .errors = errors};
    bool has_program = false;
    struct err err;

    for (size_t i = 0; i < file->n; i++)
        has_program |= !strcmp(file->entries[i].section, PROGRAM_SECTION);
    for (size_t i = 0; i < n; i++)
        has_program |= !strncmp(overrides[i], override, strlen(override));
    if (!has_program)
        return refuse_misspelt(sweep, file, errors);
    sweep->names = calloc(1, sizeof *sweep->names);
    if (!sweep->names) {
        errlist_add(errors, "%s: out of memory", sweep->path);
        return -1;
    }
    sweep->fixed.names = sweep->names;
    sweep->fixed.v[P_TYPE].i = param_choice(P_TYPE, MODELS_PROGRAM);
    sweep->fixed.v[P_FORMAT].i = param_choice(P_FORMAT, FORMAT_PROGRAM);
    for (size_t i = 0; i < file->n; i++) {
        a.section = file->entries[i].section;
        a.key = file->entries[i].key;
        a.line = file->entries[i].line;
        if (a.key && is_free(&a))
            (void)!free_names_add(sweep->names, a.key, &err);
    }
    for (size_t i = 0; i < n; i++) {
        char *copy = strdup(overrides[i]), *equals = copy ? strchr(copy, '=') : NULL;
        char *dot = copy ? strchr(copy, '.') : NULL;

        if (equals && dot && dot < equals) { /* section.key=value */
            *equals = *dot = '\0';
            a.set = overrides[i];
            a.section = copy;
            a.key = dot + 1;
            if (is_free(&a))
                (void)!free_names_add(sweep->names, a.key, &err);
        }
        free(copy);
    }
    return 0;
}

static void assign_file(struct sweep *sweep, const struct inifile *file, bool *refused,
                        struct errlist *errors)
{
    size_t n_keys = 0;
    bool is_inside = false, is_known = false;

    for (size_t i = 0; i < file->n; i++) {
        const struct inifile_entry *entry = &file->entries[i];
        struct assignment a = {.sweep = sweep,
                               .errors = errors,
                               .refused = refused,
                               .section = entry->section,
                               .key = entry->key,
                               .value = buf_text(&entry->value),
                               .line = entry->line,
                               .comment = entry->comment,
                               .comment_line = entry->comment_line};

        n_keys += entry->key != NULL;
        is_inside |= !entry->key;
        if (!entry->key) {
            is_known = check_section(&a) == 0;
            for (int id = 0; id < P_COUNT; id++)
                if (!sweep->section_line[id] && !strcmp(param_table[id].section, entry->section))
                    sweep->section_line[id] = entry->line;
        } else if (!is_inside) {
            complain(&a, "'%.60s' stands before the first [section]", entry->key);
        } else if (is_known) {
            const int id = find_key(&a);

            if (id == P_MAX)
                complain_unknown(&a, is_grid(&a) ? NULL : a.section);
            else if (is_grid(&a))
                sweep_over(id, &a);
            else
                fix(id, &a);
        }
    }
    if (n_keys == 0 && errors->n + errors->n_lost == 0)
        errlist_add(errors, "%s: has no settings", sweep->path);
}

/* A value that a file cannot hold would not survive sweep_write(). */
static int check_override(const struct assignment *a, int id)
{
    if (sweep_row(a->sweep, id)->type == PARAM_VALUE)
        return 0; /* written in quotes */
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
    int id;
    bool is_axis;

    if (!equals)
        return complain(a, "must be key=value");
    *equals = '\0';
    a->value = trimmed(equals + 1);
    a->key = trimmed(copy);
    is_axis = !strncmp(a->key, "grid.", 5);
    if (is_axis) {
        a->section = "grid";
        a->key += 5;
    }
    id = sweep_find_name(a->sweep, a->key);
    if (id == P_MAX)
        return complain_unknown(a, NULL);
    if (check_override(a, id))
        return -1;
    return is_axis ? sweep_over(id, a) : fix(id, a);
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

static int read_entries(struct sweep *sweep, const char *text, const char *const *overrides,
                        size_t n_overrides, bool *refused, struct errlist *errors)
{
    struct inifile file;
    int rc;

    errlist_limit(errors, MAX_ERRORS);
    inifile_parse(&file, sweep->path, text, errors);
    errlist_limit(errors, MAX_ERRORS);
    rc = find_names(sweep, &file, overrides, n_overrides, errors);
    if (!rc)
        assign_file(sweep, &file, refused, errors);
    inifile_release(&file);
    return rc;
}

/* Where programs run, also on other ranks. A folder that does not exist is refused by
 * job_load(). */
static void find_folder(struct sweep *sweep, bool is_file)
{
    const char *slash = strrchr(sweep->path, '/'), *given = sweep->fixed.v[P_START_FOLDER].s;
    char *folder = slash ? strndup(sweep->path, (size_t)(slash + 1 - sweep->path)) : NULL;
    char *real = realpath(*given ? given : folder ? folder : ".", NULL);
    struct buf text = {0};

    free(folder);
    if (real)
        buf_puts(&text, real);
    else
        file_names_put_absolute(&text, given);
    free(real);
    if (text.size && buf_text(&text)[text.size - 1] != '/')
        buf_putc(&text, '/');
    sweep->folder = sweep_keep_text(sweep, buf_failed(&text) ? NULL : strdup(buf_text(&text)));
    buf_release(&text);
    if (!sweep->folder)
        sweep->folder = "";
    /* stored with the sweep, so that a file written from the database starts the same program */
    if (is_file && sweep_is_program(sweep) && !*given)
        sweep->fixed.v[P_START_FOLDER].s = sweep->folder;
}

/* sweep->fixed: values of missing settings. is_file: required settings must be present. */
static int parse(struct sweep *sweep, const char *path, const char *text,
                 const char *const *overrides, size_t n_overrides, bool is_file,
                 struct errlist *errors)
{
    const size_t first = errors->n, n_lost = errors->n_lost;
    bool refused[P_MAX] = {false};

    sweep->path = strdup(path);
    if (!sweep->path) {
        errlist_add(errors, "%s: out of memory", path);
        return -1;
    }
    if (read_entries(sweep, text, overrides, n_overrides, refused, errors))
        return -1;
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
    find_folder(sweep, is_file);
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
