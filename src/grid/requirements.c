/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/requirements.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "data/core/filter.h"
#include "data/format.h"
#include "data/text/names.h"
#include "gcn/reducer.h"
#include "gcn/trainer.h"
#include "grid/plan.h"
#include "grid/sweep.h"
#include "program/capture_pattern.h"
#include "program/folder.h"
#include "program/gang_variables.h"
#include "program/gpu_amount.h"
#include "program/template.h"

/* ---- faults ---- */

struct check {
    const struct sweep *sweep;
    const bool *refused;
    struct errlist *errors;
    bool is_file;
};

/* Add "s.ini:5: message", with the place of a setting or axis. */
__attribute__((format(printf, 3, 4))) static void complain(const struct check *c, enum param_id id,
                                                           const char *format, ...)
{
    struct buf place = {0};
    struct err err;
    va_list args;

    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    sweep_put_place(&place, c->sweep, id);
    errlist_add(c->errors, "%s: %s", buf_text(&place), err.text);
    buf_release(&place);
}

void requirements_put_place(struct buf *out, const struct sweep *sweep, enum param_id id)
{
    buf_puts(out, sweep->path);
    if (sweep->section_line[id])
        buf_printf(out, ":%d", sweep->section_line[id]);
}

/* Add "s.ini:3: [section] key is not set: message". */
__attribute__((format(printf, 3, 4))) static void
complain_missing(const struct check *c, enum param_id id, const char *format, ...)
{
    struct buf place = {0};
    struct err err;
    va_list args;

    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    requirements_put_place(&place, c->sweep, id);
    errlist_add(c->errors, "%s: [%s] %s is not set: %s", buf_text(&place), param_table[id].section,
                param_table[id].key, err.text);
    buf_release(&place);
}

/* NULL: the format lacks the setting. */
static const struct data_setting *setting_of(const struct data_format *format, enum param_id id)
{
    return strcmp(param_table[id].section, "data") != 0
               ? NULL
               : data_format_setting(format, param_table[id].key);
}

/* Returns 0 if the setting belongs to all formats. first: one of them, or NULL. */
static int count_formats(const struct data_format **first, enum param_id id)
{
    const struct data_format *format;
    int n = 0;

    *first = NULL;
    for (size_t i = 0; (format = data_format_next(i)); i++)
        if (setting_of(format, id) && n++ == 0)
            *first = format;
    return n;
}

bool requirements_format_has(enum param_id id, int64_t format)
{
    const struct data_format *first;

    return !count_formats(&first, id) || setting_of(data_format_at(format), id);
}

/* The format that the given settings suggest, or NULL. A setting of a single format is better
 * evidence than a file that several formats have (labels). */
static const struct data_format *suggest_format(const struct sweep *sweep, enum param_id *by)
{
    const struct data_format *shared = NULL, *format;

    for (int id = 0; id < P_COUNT; id++) {
        int n = sweep->line[id] ? count_formats(&format, (enum param_id)id) : 0;

        if (n == 1 || (n && !shared && param_table[id].type == PARAM_PATH)) {
            *by = (enum param_id)id;
            shared = format;
        }
        if (n == 1)
            return format;
    }
    return shared;
}

/* Settings that depend on the format cannot be checked without it. */
static void check_format(const struct check *c, bool is_file, bool refused[P_MAX])
{
    struct buf allowed = {0};
    enum param_id by = P_FORMAT;
    const struct data_format *format = suggest_format(c->sweep, &by);

    if (c->sweep->line[P_FORMAT] || !(is_file || (format && !format->is_simulated)))
        return;
    refused[P_FORMAT] = true;
    param_allowed(&allowed, P_FORMAT);
    if (format)
        complain_missing(c, P_FORMAT, "must be %s; '%s' suggests format = %s", buf_text(&allowed),
                         param_table[by].key, format->name);
    else
        complain_missing(c, P_FORMAT, "must be %s; format = simulated needs no files",
                         buf_text(&allowed));
    buf_release(&allowed);
}

static void check_data(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    const struct data_format *format = data_format_at(sweep->fixed.v[P_FORMAT].i);

    for (int i = 0; i < P_COUNT; i++) {
        enum param_id id = (enum param_id)i;
        const struct data_setting *setting = setting_of(format, id);
        const struct data_format *other;
        struct buf formats = {0};

        for (size_t f = 0; (other = data_format_next(f)); f++)
            if (setting_of(other, id))
                buf_printf(&formats, "%s%s", formats.size ? " | " : "", other->name);
        if (formats.size && !setting && sweep->line[id])
            complain(c, id, "%s belongs to format = %s, and the format is %s", param_table[id].key,
                     buf_text(&formats), format->name);
        else if (setting && setting->is_required && !c->refused[id] && !*sweep->fixed.v[id].s)
            complain_missing(c, id, "required by format = %s", format->name);
        buf_release(&formats);
    }
}

static bool can_be(const struct sweep *sweep, enum param_id id, const char *choice)
{
    int32_t n;
    const union value *values = sweep_values(sweep, id, &n);

    for (int32_t i = 0; i < n; i++)
        if (values[i].i == param_choice(id, choice))
            return true;
    return false;
}

static void check_filter(const struct check *c)
{
    const union value *v = c->sweep->fixed.v;
    struct data_filter spec = {.region = v[P_REGION].s};
    struct filter filter;
    enum filter_take take;
    int32_t n;
    struct err err;

    if (filter_parse_take(&take, &n, v[P_VARIANTS].s, &err))
        complain(c, P_VARIANTS, "variants = %.80s: %s", v[P_VARIANTS].s, err.text);
    if (filter_init(&filter, &spec, &err))
        complain(c, P_REGION, "%s", err.text);
    filter_release(&filter);
}

static bool has_graphs(const struct sweep *sweep)
{
    return data_format_at(sweep->fixed.v[P_FORMAT].i)->samples == DATA_GRAPHS;
}

static void check_edges(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    bool is_graph = data_format_at(sweep->fixed.v[P_FORMAT].i)->samples == DATA_NODES;

    if (!sweep_has(sweep, P_BUILD) || (is_graph && c->refused[P_EDGES]))
        return;
    if (is_graph && *sweep->fixed.v[P_EDGES].s)
        return;
    if (is_graph && can_be(sweep, P_BUILD, "auto"))
        complain_missing(c, P_EDGES,
                         "required by format = graph: set it, or a [graph] build other than file");
    else if (can_be(sweep, P_BUILD, "file") && !has_graphs(sweep))
        complain(c, P_BUILD, "build = file needs format = graph and [data] edges");
}

static int64_t some_reduction(const struct sweep *sweep)
{
    int32_t n;
    const union value *values = sweep_values(sweep, P_REDUCE, &n);

    while (n > 1 && values->i == REDUCE_NONE)
        values++, n--;
    return values->i;
}

static void check_graphs(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    static const char *const builds[] = {"knn", "threshold"};
    int32_t n;
    const union value *types = sweep_values(sweep, P_TYPE, &n);

    if (!has_graphs(sweep))
        return;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (can_be(sweep, P_BUILD, builds[i]))
            complain(c, P_BUILD,
                     "build = %s joins samples, but here each sample is a graph: must be file or "
                     "none",
                     builds[i]);
    if (some_reduction(sweep) != REDUCE_NONE)
        complain(c, P_REDUCE,
                 "reduce needs one row of features for each sample, but here each row is a node: "
                 "must be none");
    for (int32_t i = 0; i < n; i++)
        if (!sweep_type_has(sweep, types[i], P_POOL))
            complain(c, P_TYPE,
                     "type = %s needs one row of features for each sample, but here each sample is "
                     "a graph: must be gcn or mlp",
                     settings_type_name(types[i]));
}

static double largest(const struct sweep *sweep, enum param_id id)
{
    int32_t n;
    const union value *values = sweep_values(sweep, id, &n);
    double most = 0;

    for (int32_t i = 0; i < n; i++)
        most = values[i].f > most ? values[i].f : most;
    return most;
}

/* Groups and parts come from a table. */
static void check_column(const struct check *c, enum param_id id, const char *what)
{
    const struct sweep *sweep = c->sweep;
    bool has_column = data_format_at(sweep->fixed.v[P_FORMAT].i)->has_groups;

    if (*sweep->fixed.v[id].s && !has_column && !*sweep->fixed.v[P_SPLIT_FILE].s &&
        !c->refused[P_SPLIT_FILE] && !c->refused[P_FORMAT])
        complain(c, id,
                 "%s = %.80s: this format has no table with a column of %s: give the column in a "
                 "[split] file",
                 param_table[id].key, sweep->fixed.v[id].s, what);
}

/* The parts that a column gives cannot also be drawn. A stored sweep has all defaults. */
static void check_given(const struct check *c, enum param_id id)
{
    const struct sweep *sweep = c->sweep;

    if (*sweep->fixed.v[P_PART].s &&
        (sweep->swept[id] || !param_equal(id, sweep->fixed.v[id], param_default(id))))
        complain(c, id, "%s has no effect, as part = %.80s gives the parts: remove one of them",
                 param_table[id].key, sweep->fixed.v[P_PART].s);
}

/* The number of groups must not depend on an axis. */
static void check_groups(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    bool has_group = *sweep->fixed.v[P_GROUP].s != '\0';

    check_column(c, P_GROUP, "groups");
    if (sweep->fixed.v[P_FOLDS].i != FOLDS_GROUPS)
        return;
    if (!has_group)
        complain_missing(c, P_GROUP, "required by folds = groups");
    else if (sweep->swept[P_TEST])
        complain(c, P_FOLDS,
                 "folds = groups cannot be combined with test as an axis: each value of test "
                 "leaves a different number of groups");
}

static void check_split(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    double test = largest(sweep, P_TEST), val = largest(sweep, P_VAL);

    if (sweep->fixed.v[P_FOLDS].i == 1)
        complain(c, P_FOLDS, "folds = 1: must be 0 (one holdout split) or at least 2");
    /* `where` may drop such points */
    check_groups(c);
    check_column(c, P_PART, "parts");
    check_given(c, P_TEST);
    check_given(c, P_VAL);
    if (sweep->fixed.v[P_FOLDS].i != 0 || *sweep->fixed.v[P_PART].s ||
        *sweep->fixed.v[P_SPLIT_FILE].s || *sweep->fixed.v[P_WHERE].s || test + val < 1)
        return;
    complain(c, sweep->line[P_VAL] ? P_VAL : P_TEST,
             "test = %g and val = %g leave nothing to train on: together they must be less than 1",
             test, val);
}

static void check_scores(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    int32_t n;
    const union value *types = sweep_values(sweep, P_TYPE, &n);

    for (int32_t i = 0; i < n && !strcmp(sweep->fixed.v[P_OBJECTIVE].s, "val_log_loss"); i++)
        if (param_is_among(MODELS_SCORES, settings_type_name(types[i])))
            complain(c, sweep->line[P_OBJECTIVE] ? P_OBJECTIVE : P_TYPE,
                     "objective = val_log_loss: needs class probabilities, but type = %s computes "
                     "scores: must be val_accuracy, val_macro_f1 or val_roc_auc",
                     settings_type_name(types[i]));
}

/* `where` may drop such points, but that is no reason to have them. */
static void check_fixed(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    int32_t n;
    const union value *types = sweep_values(sweep, P_TYPE, &n);

    for (int32_t i = 0; i < n && !*sweep->fixed.v[P_FIXED].s; i++)
        if (param_is_among(MODELS_FIXED, settings_type_name(types[i])))
            complain(c, P_TYPE,
                     "type = %s: has nothing but fixed effects, and there are none: set [data] "
                     "fixed = COLUMN, or remove %s",
                     settings_type_name(types[i]), settings_type_name(types[i]));
}

/* `where` may drop points that have both. */
static void check_reduction(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    const union value reduction = {.i = some_reduction(sweep)};
    struct buf reduce = {0};

    if (reduction.i == REDUCE_NONE || largest(sweep, P_INPUT_DROPOUT) <= 0 ||
        *sweep->fixed.v[P_WHERE].s)
        return;
    param_format(&reduce, P_REDUCE, reduction);
    complain(c, sweep->line[P_REDUCE] ? P_REDUCE : P_INPUT_DROPOUT,
             "reduce = %s leaves no features for input_dropout = %g to drop: set reduce = none or "
             "input_dropout = 0, or exclude points with both by [sweep] where",
             buf_text(&reduce), largest(sweep, P_INPUT_DROPOUT));
    buf_release(&reduce);
}

/* ---- sweeps with [program] ---- */

/* ---- the command ---- */

/* Places of names that may lack a value, and flags. */
static void check_optional(const struct check *c, enum param_id id, const struct template *t,
                           const struct template_piece *place, int found)
{
    const struct sweep *sweep = c->sweep;
    const char *key = param_table[id].key, *name = sweep_row(sweep, found)->key;
    const struct axis *axis = sweep_axis(sweep, found);
    int32_t n;
    const union value *values = sweep_values(sweep, (enum param_id)found, &n);

    if (!template_is_optional(place) && (axis ? axis->condition != NULL : !values->s))
        complain(
            c, id,
            "%s: {%s} at byte %zu may have no value: put the words that need it into brackets, "
            "as in [--%s {%s}]",
            key, name, place->at, name, name);
    for (int32_t i = 0; place->flag && i < n; i++)
        if (values[i].s && template_flag(values[i].s) < 0) {
            complain(c, id,
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
        const struct axis *axis = sweep_axis(c->sweep, found);

        if (!may_lack && (!place || place->group != group)) {
            complain(c, id,
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
        if (!strcmp(name, "until") && !c->sweep->fixed.v[P_MAX_EPOCHS].i)
            complain(c, id,
                     "%s: {until} is the number of epochs of a rung: set [search] max_epochs",
                     param_table[id].key);
        if (found < P_MAX || free_names_is_given(name) || !is_sure)
            continue;
        for (int32_t n = 0; n < c->sweep->names->n; n++)
            nearest_offer(&nearest, c->sweep->names->name[n]);
        nearest_offer_list(&nearest, free_names_given());
        snprintf(braces, sizeof braces, "; for braces write {{%.60s}}", name);
        complain(c, id,
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
        complain(c, id, "%s: %s", param_table[id].key, err.text);
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
        complain(c, (enum param_id)id,
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
        complain(
            c, (enum param_id)id,
            "'%s' is not used: ' ;' begins a comment in line %d, so the command lacks '%s': for "
            "another command write ';' without a blank before it, or &&",
            key, sweep->command_comment_line, sweep->command_comment);
    else
        complain(c, (enum param_id)id,
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
            complain_missing(c, P_COMMAND, "the command line that starts a trial");
        return;
    }
    check_template(c, P_COMMAND, has_shell ? template_parse_shell : template_parse, is_sure, used);
    check_template(c, P_ENV, template_parse_env, is_sure, used);
    if (c->errors->n > n)
        return;
    for (int id = P_COUNT; id < sweep_end(c->sweep); id++) {
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
            complain(c, P_ENV,
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

    for (int id = P_COUNT; id < sweep_end(sweep); id++) {
        const char *key = sweep_row(sweep, id)->key, *taken = free_names_taken(key);

        if (sweep->swept[id] && taken)
            complain(c, (enum param_id)id,
                     "'%s' is %s: choose another name for the axis, such as my_%s", key, taken,
                     key);
        for (int other = P_COUNT; sweep->swept[id] && other < id; other++)
            if (sweep->swept[other] && !strcasecmp(key, sweep_row(sweep, other)->key))
                complain(c, (enum param_id)id,
                         "'%s' and '%s' differ only in case, which SQL ignores: choose another "
                         "name for the axis, such as my_%s",
                         key, sweep_row(sweep, other)->key, key);
    }
}

static void check_kept_files(const struct check *c)
{
    struct names files = {0};
    struct err err;

    if (names_split(&files, c->sweep->fixed.v[P_KEEP_FILES].s, "keep_files", &err))
        complain(c, P_KEEP_FILES, "%s", err.text);
    for (int32_t i = 0; i < files.n; i++) {
        if (!folder_contains(files.text[i]))
            complain(c, P_KEEP_FILES,
                     "keep_files = %.80s: must be names of files and folders in "
                     "{dir}, separated by commas",
                     c->sweep->fixed.v[P_KEEP_FILES].s);
        else if (strpbrk(files.text[i], "*?[\"'"))
            complain(
                c, P_KEEP_FILES,
                "keep_files: '%.60s': patterns and quotes have no meaning here: write the name "
                "of each file",
                files.text[i]);
        else if (folder_is_own_name(files.text[i]))
            complain(c, P_KEEP_FILES, "keep_files: '%.60s' is a name of espalier: choose another",
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
        complain(c, P_CAPTURE_PATTERN, "capture_pattern: %s", err.text);
    capture_pattern_destroy(pattern);
}

static void check_program(const struct check *c)
{
    const union value *v = c->sweep->fixed.v;
    int32_t devices, ranks;
    struct err err;

    check_command(c);
    if (c->is_file) {
        check_axis_names(c);
        check_gang_variables(c);
    }
    if (!strcmp(v[P_OBJECTIVE].s, "auto") && !c->refused[P_OBJECTIVE])
        complain_missing(c, P_OBJECTIVE,
                         "must be the name of a number that the program reports, such as val_loss");
    check_pattern(c);
    if (v[P_FOLDS].i == FOLDS_GROUPS)
        complain(c, P_FOLDS,
                 "folds = groups: only data that espalier reads have groups: must be a "
                 "number");
    else if (v[P_FOLDS].i == 1)
        complain(c, P_FOLDS, "folds = 1: must be 0 (one split) or at least 2");
    if (gpu_amount(&devices, &ranks, v[P_GPUS].f, &err))
        complain(c, P_GPUS, "%s", err.text);
    check_kept_files(c);
}

/* ---- all checks ---- */

void requirements_check(const struct sweep *sweep, bool is_file, bool refused[P_MAX],
                        struct errlist *errors)
{
    struct check c = {sweep, refused, errors, is_file};

    if (sweep_is_program(sweep)) {
        check_program(&c);
        return;
    }
    if (!refused[P_FORMAT])
        check_format(&c, is_file, refused);
    if (!refused[P_FORMAT]) {
        check_data(&c);
        check_filter(&c);
        check_edges(&c);
        check_graphs(&c);
    }
    check_split(&c);
    check_scores(&c);
    check_fixed(&c);
    check_reduction(&c);
}

int requirements_check_data(const struct sweep *sweep, const struct dataset *data,
                            struct errlist *errors)
{
    const struct check c = {sweep, NULL, errors, false};
    size_t n_before = errors->n;
    int32_t n;
    const union value *values = sweep_values(sweep, P_CLASS_WEIGHTS, &n);

    /* An axis only causes a warning (plan_count_idle()). */
    if (data->task == TASK_REGRESSION && n == 1 &&
        values->i == param_choice(P_CLASS_WEIGHTS, "balanced"))
        complain(&c, P_CLASS_WEIGHTS,
                 "class_weights = balanced: the task is regression, which has no classes: must be "
                 "none");
    values = sweep_values(sweep, P_REDUCE, &n);
    for (int32_t i = 0; i < n && !*sweep->fixed.v[P_WHERE].s; i++) {
        struct gcn_inputs_spec spec = {.reduce = (int32_t)values[i].i};
        struct err err;

        if (reducer_check(&spec, data, &err))
            complain(&c, P_REDUCE, "%s", err.text);
    }
    return errors->n > n_before ? -1 : 0;
}

int requirements_check_workers(const struct sweep *sweep, const struct settings *s, int32_t n_train,
                               struct errlist *errors)
{
    const struct check c = {sweep, NULL, errors, false};
    int64_t n_workers = s->v[P_WORKERS].i, n_ranks = s->v[P_RANKS].i;
    struct err err;
    char ranks[64];

    if (n_ranks > n_workers) {
        snprintf(ranks, sizeof ranks, "[resources] ranks = %lld", (long long)n_workers);
        complain(&c, P_RANKS,
                 "ranks = %lld: a trial runs on at most as many ranks as it has workers, here "
                 "%lld: set %s, or [train] workers to at least %lld",
                 (long long)n_ranks, (long long)n_workers,
                 sweep->swept[P_RANKS] ? "[sweep] where = ranks <= workers" : ranks,
                 (long long)n_ranks);
        return -1;
    }
    if (!trainer_check_workers((int32_t)n_workers, n_train, &err))
        return 0;
    complain(&c, P_WORKERS, "%s", err.text);
    return -1;
}
