/* SPDX-License-Identifier: BSD-3-Clause */
/* The checks of sweeps with [program]. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "data/text/names.h"
#include "grid/requirements_faults.h"
#include "program/capture_pattern.h"
#include "program/folder.h"
#include "program/gang_variables.h"
#include "program/gpu_amount.h"
#include "program/template.h"

static void check_objective(const struct check *c)
{
    if (!strcmp(c->sweep->fixed.v[P_OBJECTIVE].s, "auto") && !c->refused[P_OBJECTIVE])
        requirements_complain_missing(
            c, P_OBJECTIVE,
            "must be the name of a number that the program reports, such as val_loss");
}

/* ---- the command ---- */

static const struct axis *find_axis(const struct sweep *sweep, int id)
{
    for (size_t a = 0; a < sweep->n_axes; a++)
        if ((int)sweep->axes[a].id == id)
            return &sweep->axes[a];
    return NULL;
}

/* Places of names that may lack a value, and flags. */
static void check_optional(const struct check *c, enum param_id id, const struct template *t,
                           const struct template_piece *place, int found)
{
    const struct sweep *sweep = c->sweep;
    const char *key = param_table[id].key, *name = sweep_row(sweep, found)->key;
    const struct axis *axis = find_axis(sweep, found);
    const union value *values = axis ? axis->values : &sweep->fixed.v[found];
    int32_t n = axis ? axis->n : 1;

    if (!template_is_optional(place) && (axis ? axis->condition != NULL : !values->s))
        requirements_complain(
            c, id,
            "%s: {%s} at byte %zu may have no value: put the words that need it into brackets, "
            "as in [--%s {%s}]",
            key, name, place->at, name, name);
    for (int32_t i = 0; place->flag && i < n; i++)
        if (values[i].s && template_flag(values[i].s) < 0) {
            requirements_complain(
                c, id,
                "%s: {%s:%s} at byte %zu: %s = %.40s: must be yes, true or 1, or no, false or "
                "0",
                key, name, t->texts.data + place->flag, place->at, name, values[i].s);
            return;
        }
}

/* Brackets around names that always have a value were meant as characters. */
static void check_groups_of(const struct check *c, enum param_id id, const struct template *t)
{
    const struct template_piece *place;
    size_t group = 0;
    bool may_lack = true;

    for (size_t i = 0; (place = template_place(t, i)) || !may_lack; i++) {
        int found = place ? free_names_find(c->sweep->names, template_name(t, place)) : P_MAX;
        const struct axis *axis = find_axis(c->sweep, found);

        if (!may_lack && (!place || place->group != group)) {
            requirements_complain(
                c, id,
                "%s: brackets around names leave out words if a name has no value, and here "
                "all have one: for the characters [ and ] put them in quotes",
                param_table[id].key);
            return;
        }
        if (place->group != group)
            may_lack = !place->group;
        group = place->group;
        may_lack |= found < P_MAX && (!axis || axis->condition);
    }
}

/* used: [P_MAX] out. is_sure: all names are known. */
static void check_places(const struct check *c, enum param_id id, const struct template *t,
                         bool is_sure, bool used[P_MAX])
{
    const struct template_piece *place;

    for (size_t i = 0; (place = template_place(t, i)); i++) {
        const char *name = template_name(t, place);
        int found = free_names_find(c->sweep->names, name);
        struct nearest nearest = {.wrong = name};
        char hint[NEAREST_HINT], braces[96];

        if (found < P_MAX) {
            used[found] = true;
            if (c->is_file) /* a stored file has no values of axes */
                check_optional(c, id, t, place, found);
        }
        if (found < P_MAX || free_names_is_given(name) || !is_sure)
            continue;
        for (int32_t n = 0; n < c->sweep->names->n; n++)
            nearest_offer(&nearest, c->sweep->names->name[n]);
        nearest_offer_list(&nearest, free_names_given());
        snprintf(braces, sizeof braces, "; for braces write {{%.60s}}", name);
        requirements_complain(
            c, id,
            "%s: {%.60s} at byte %zu is unknown: must be an axis of [grid], a key of "
            "[program], or a name of espalier such as {seed}%s",
            param_table[id].key, name, place->at,
            nearest_hint(hint, "{", nearest.best, "}", braces));
    }
}

static void check_template(const struct check *c, enum param_id id,
                           int (*parse)(struct template *, const char *, struct err *),
                           bool is_sure, bool used[P_MAX])
{
    struct template t;
    struct err err;

    if (parse(&t, c->sweep->fixed.v[id].s, &err)) {
        requirements_complain(c, id, "%s: %s", param_table[id].key, err.text);
        return;
    }
    check_places(c, id, &t, is_sure, used);
    if (c->is_file && is_sure)
        check_groups_of(c, id, &t);
    template_release(&t);
}

/* A program reads all values, so a setting in the wrong section would have no effect. */
static void check_misplaced(const struct check *c, int id)
{
    const struct sweep *sweep = c->sweep;
    const char *key = sweep_row(sweep, id)->key;
    enum param_id other = sweep_find_setting(sweep, key);

    if (!sweep->swept[id] && other < P_COUNT)
        requirements_complain(c, (enum param_id)id,
                              "%s is a setting of [%s]: move it there, or choose another name", key,
                              param_table[other].section);
}

/* A name that stands behind ` ;` in the command, where a comment was hardly meant. */
static bool is_in_comment(const struct sweep *sweep, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = sweep->command_comment; at && (at = strchr(at, '{')); at++)
        if (!strncmp(at + 1, name, n) && at[1 + n] == '}')
            return true;
    return false;
}

static void complain_unused(const struct check *c, int id)
{
    const struct sweep *sweep = c->sweep;
    const char *key = sweep_row(sweep, id)->key;
    const char *near =
        sweep_lacks(sweep, key) ? NULL : param_suggest(PROGRAM_SECTION, key, MODELS_PROGRAM);
    char hint[NEAREST_HINT];

    if (is_in_comment(sweep, key))
        requirements_complain(
            c, (enum param_id)id,
            "'%s' is not used: ' ;' begins a comment in line %d, so the command lacks '%s': for "
            "another command write ';' without a blank before it, or &&",
            key, sweep->command_comment_line, sweep->command_comment);
    else
        requirements_complain(
            c, (enum param_id)id,
            "'%s' is not used: write {%s} in command or env, or set values = environment if "
            "the program reads ESPALIER_PARAM_%s%s",
            key, key, key, nearest_hint(hint, "", near, "", ""));
}

static void check_command(const struct check *c)
{
    const union value *v = c->sweep->fixed.v;
    bool has_shell = v[P_SHELL].i == param_choice(P_SHELL, "yes");
    bool reads_all = v[P_VALUES].i == param_choice(P_VALUES, "environment");
    bool used[P_MAX] = {false};
    size_t n = c->errors->n;
    bool is_sure = !n; /* a line that cannot be read may contain a name */

    if (!*v[P_COMMAND].s) {
        if (!c->refused[P_COMMAND])
            requirements_complain_missing(c, P_COMMAND, "the command line that starts a trial");
        return;
    }
    check_template(c, P_COMMAND, has_shell ? template_parse_shell : template_parse, is_sure, used);
    check_template(c, P_ENV, template_parse_env, is_sure, used);
    if (c->errors->n > n)
        return;
    for (int id = P_COUNT; id < settings_end(&c->sweep->fixed); id++) {
        if (used[id] || c->refused[id])
            continue;
        if (reads_all)
            check_misplaced(c, id);
        else
            complain_unused(c, id);
    }
}

/* A gang gives each of its processes other values. Stored sweeps may set these variables: old versions
 * accepted it. */
static void check_gang_variables(const struct check *c)
{
#define NAME(name, member) #name "|"
    static const char names[] = GANG_NUMBERS(NAME) GANG_ADDRESS;
#undef NAME
    struct template t;
    struct err err;

    if (sweep_is_always(c->sweep, P_RANKS, 1) ||
        template_parse_env(&t, c->sweep->fixed.v[P_ENV].s, &err))
        return;
    for (size_t i = 0; i < t.n; i++) {
        const char *word = t.texts.data + t.pieces[i].text;
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        if (t.pieces[i].begins_word && param_is_among(names, name))
            requirements_complain(
                c, P_ENV,
                "env: %s: with ranks above 1 espalier sets this variable for each process of "
                "a trial: remove it",
                name);
    }
    template_release(&t);
}

/* In `best`, --where and SQL an axis is a column. Stored sweeps may have such an axis: old versions
 * accepted it. */
static void check_axis_names(const struct check *c)
{
    const struct sweep *sweep = c->sweep;

    for (int id = P_COUNT; id < settings_end(&sweep->fixed); id++) {
        const char *key = sweep_row(sweep, id)->key, *taken = free_names_taken(key);

        if (sweep->swept[id] && taken)
            requirements_complain(c, (enum param_id)id,
                                  "'%s' is %s: choose another name for the axis, such as my_%s",
                                  key, taken, key);
        for (int other = P_COUNT; sweep->swept[id] && other < id; other++)
            if (sweep->swept[other] && !strcasecmp(key, sweep_row(sweep, other)->key))
                requirements_complain(
                    c, (enum param_id)id,
                    "'%s' and '%s' differ only in case, which SQL ignores: choose another "
                    "name for the axis, such as my_%s",
                    key, sweep_row(sweep, other)->key, key);
    }
}

static void check_gpus(const struct check *c)
{
    int32_t devices, ranks;
    struct err err;

    if (gpu_amount(&devices, &ranks, c->sweep->fixed.v[P_GPUS].f, &err))
        requirements_complain(c, P_GPUS, "%s", err.text);
}

static void check_kept_files(const struct check *c)
{
    struct names files = {0};
    struct err err;

    if (names_split(&files, c->sweep->fixed.v[P_KEEP_FILES].s, "keep_files", &err))
        requirements_complain(c, P_KEEP_FILES, "%s", err.text);
    for (int32_t i = 0; i < files.n; i++) {
        if (!folder_contains(files.text[i]))
            requirements_complain(c, P_KEEP_FILES,
                                  "keep_files = %.80s: must be names of files and folders in "
                                  "{dir}, separated by commas",
                                  c->sweep->fixed.v[P_KEEP_FILES].s);
        else if (strpbrk(files.text[i], "*?[\"'"))
            requirements_complain(
                c, P_KEEP_FILES,
                "keep_files: '%.60s': patterns and quotes have no meaning here: write the name "
                "of each file",
                files.text[i]);
        else if (folder_is_own_name(files.text[i]))
            requirements_complain(c, P_KEEP_FILES,
                                  "keep_files: '%.60s' is a name of espalier: choose another",
                                  files.text[i]);
    }
    names_release(&files);
}

static void check_pattern(const struct check *c)
{
    const char *text = c->sweep->fixed.v[P_CAPTURE_PATTERN].s;
    struct capture_pattern *pattern;
    struct err err;

    if (!*text)
        return;
    pattern = capture_pattern_create(text, &err);
    if (!pattern)
        requirements_complain(c, P_CAPTURE_PATTERN, "capture_pattern: %s", err.text);
    capture_pattern_destroy(pattern);
}

void requirements_check_program(const struct check *c)
{
    const union value *v = c->sweep->fixed.v;

    check_command(c);
    if (c->is_file) {
        check_axis_names(c);
        check_gang_variables(c);
    }
    check_objective(c);
    check_pattern(c);
    if (v[P_FOLDS].i == FOLDS_GROUPS)
        requirements_complain(
            c, P_FOLDS,
            "folds = groups: only data that espalier reads have groups: must be a "
            "number");
    else if (v[P_FOLDS].i == 1)
        requirements_complain(c, P_FOLDS, "folds = 1: must be 0 (one split) or at least 2");
    check_gpus(c);
    check_kept_files(c);
}
