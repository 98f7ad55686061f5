/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/requirements.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/core/filter.h"
#include "data/format.h"
#include "gcn/reducer.h"
#include "gcn/train.h"
#include "grid/plan.h"
#include "grid/requirements_faults.h"
#include "grid/sweep.h"

/* ---- faults ---- */

void requirements_complain(const struct check *c, enum param_id id, const char *format, ...)
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

void requirements_complain_missing(const struct check *c, enum param_id id, const char *format, ...)
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

static void put_formats(struct buf *out, enum param_id id)
{
    const struct data_format *format;

    for (size_t i = 0; (format = data_format_next(i)); i++)
        if (setting_of(format, id))
            buf_printf(out, "%s%s", out->size ? " | " : "", format->name);
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
        requirements_complain_missing(c, P_FORMAT, "must be %s; '%s' suggests format = %s",
                                      buf_text(&allowed), param_table[by].key, format->name);
    else
        requirements_complain_missing(c, P_FORMAT, "must be %s; format = simulated needs no files",
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
        struct buf formats = {0};

        put_formats(&formats, id);
        if (formats.size && !setting && sweep->line[id])
            requirements_complain(c, id, "%s belongs to format = %s, and the format is %s",
                                  param_table[id].key, buf_text(&formats), format->name);
        else if (setting && setting->is_required && !c->refused[id] && !*sweep->fixed.v[id].s)
            requirements_complain_missing(c, id, "required by format = %s", format->name);
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

static bool some_type_has(const struct sweep *sweep, enum param_id id)
{
    int32_t n;
    const union value *types = sweep_values(sweep, P_TYPE, &n);
    bool has = false;

    for (int32_t i = 0; i < n; i++)
        has |= sweep_type_has(sweep, types[i], id);
    return has;
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
        requirements_complain(c, P_VARIANTS, "variants = %.80s: %s", v[P_VARIANTS].s, err.text);
    if (filter_init(&filter, &spec, &err))
        requirements_complain(c, P_REGION, "%s", err.text);
    filter_release(&filter);
}

static void check_edges(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    bool is_graph = data_format_at(sweep->fixed.v[P_FORMAT].i)->samples == DATA_NODES;

    if (!some_type_has(sweep, P_BUILD) || (is_graph && c->refused[P_EDGES]))
        return;
    if (is_graph && *sweep->fixed.v[P_EDGES].s)
        return;
    if (is_graph && can_be(sweep, P_BUILD, "auto"))
        requirements_complain_missing(
            c, P_EDGES, "required by format = graph: set it, or a [graph] build other than file");
    else if (can_be(sweep, P_BUILD, "file") && !settings_pool(&sweep->fixed))
        requirements_complain(c, P_BUILD, "build = file needs format = graph and [data] edges");
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

    if (!settings_pool(&sweep->fixed))
        return;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (can_be(sweep, P_BUILD, builds[i]))
            requirements_complain(
                c, P_BUILD,
                "build = %s joins samples, but here each sample is a graph: must be file or "
                "none",
                builds[i]);
    if (some_reduction(sweep) != REDUCE_NONE)
        requirements_complain(
            c, P_REDUCE,
            "reduce needs one row of features for each sample, but here each row is a node: "
            "must be none");
    for (int32_t i = 0; i < n; i++)
        if (!sweep_type_has(sweep, types[i], P_POOL))
            requirements_complain(
                c, P_TYPE,
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
        requirements_complain(
            c, id,
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
        requirements_complain(
            c, id, "%s has no effect, as part = %.80s gives the parts: remove one of them",
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
        requirements_complain_missing(c, P_GROUP, "required by folds = groups");
    else if (sweep->swept[P_TEST])
        requirements_complain(
            c, P_FOLDS,
            "folds = groups cannot be combined with test as an axis: each value of test "
            "leaves a different number of groups");
}

static void check_split(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    double test = largest(sweep, P_TEST), val = largest(sweep, P_VAL);

    if (sweep->fixed.v[P_FOLDS].i == 1)
        requirements_complain(c, P_FOLDS, "folds = 1: must be 0 (one holdout split) or at least 2");
    /* `where` may drop such points */
    check_groups(c);
    check_column(c, P_PART, "parts");
    check_given(c, P_TEST);
    check_given(c, P_VAL);
    if (sweep->fixed.v[P_FOLDS].i != 0 || *sweep->fixed.v[P_PART].s ||
        *sweep->fixed.v[P_SPLIT_FILE].s || *sweep->fixed.v[P_WHERE].s || test + val < 1)
        return;
    requirements_complain(
        c, sweep->line[P_VAL] ? P_VAL : P_TEST,
        "test = %g and val = %g leave nothing to train on: together they must be less than 1", test,
        val);
}

static void check_scores(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    int32_t n;
    const union value *types = sweep_values(sweep, P_TYPE, &n);

    for (int32_t i = 0; i < n && !strcmp(sweep->fixed.v[P_OBJECTIVE].s, "val_log_loss"); i++)
        if (param_is_among(MODELS_SCORES, settings_type_name(types[i])))
            requirements_complain(
                c, sweep->line[P_OBJECTIVE] ? P_OBJECTIVE : P_TYPE,
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
            requirements_complain(
                c, P_TYPE,
                "type = %s: has nothing but fixed effects, and there are none: set [data] "
                "fixed = COLUMN, or remove %s",
                settings_type_name(types[i]), settings_type_name(types[i]));
}

static bool is_reduced(union value v)
{
    return v.i != REDUCE_NONE;
}

/* `where` may drop points that have both. */
static void check_reduction(const struct check *c)
{
    const struct sweep *sweep = c->sweep;
    struct buf reduce = {0};
    int32_t n;
    const union value *values = sweep_values(sweep, P_REDUCE, &n);

    if (largest(sweep, P_INPUT_DROPOUT) <= 0 || *sweep->fixed.v[P_WHERE].s)
        return;
    while (n > 1 && !is_reduced(*values))
        values++, n--;
    if (!is_reduced(*values))
        return;
    param_format(&reduce, P_REDUCE, *values);
    requirements_complain(
        c, sweep->line[P_REDUCE] ? P_REDUCE : P_INPUT_DROPOUT,
        "reduce = %s leaves no features for input_dropout = %g to drop: set reduce = none or "
        "input_dropout = 0, or exclude points with both by [sweep] where",
        buf_text(&reduce), largest(sweep, P_INPUT_DROPOUT));
    buf_release(&reduce);
}

void requirements_check(const struct sweep *sweep, bool is_file, bool refused[P_MAX],
                        struct errlist *errors)
{
    struct check c = {sweep, refused, errors, is_file};

    if (sweep_is_program(sweep)) {
        requirements_check_program(&c);
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

/* An axis only causes a warning (plan_count_idle()). */
static void check_classes(const struct check *c, const struct dataset *data)
{
    int32_t n;
    const union value *values = sweep_values(c->sweep, P_CLASS_WEIGHTS, &n);

    if (data->task == TASK_REGRESSION && n == 1 &&
        values->i == param_choice(P_CLASS_WEIGHTS, "balanced"))
        requirements_complain(
            c, P_CLASS_WEIGHTS,
            "class_weights = balanced: the task is regression, which has no classes: must be "
            "none");
}

int requirements_check_data(const struct sweep *sweep, const struct dataset *data,
                            struct errlist *errors)
{
    const struct check c = {sweep, NULL, errors, false};
    size_t n_before = errors->n;
    int32_t n;
    const union value *values = sweep_values(sweep, P_REDUCE, &n);

    check_classes(&c, data);
    for (int32_t i = 0; i < n && !*sweep->fixed.v[P_WHERE].s; i++) {
        struct gcn_inputs_spec spec = {.reduce = (int32_t)values[i].i};
        struct err err;

        if (reducer_check(&spec, data, &err))
            requirements_complain(&c, P_REDUCE, "%s", err.text);
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
        requirements_complain(
            &c, P_RANKS,
            "ranks = %lld: a trial runs on at most as many ranks as it has workers, here "
            "%lld: set %s, or [train] workers to at least %lld",
            (long long)n_ranks, (long long)n_workers,
            sweep->swept[P_RANKS] ? "[sweep] where = ranks <= workers" : ranks, (long long)n_ranks);
        return -1;
    }
    if (!gcn_check_workers((int32_t)n_workers, n_train, &err))
        return 0;
    requirements_complain(&c, P_WORKERS, "%s", err.text);
    return -1;
}
