/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/words.h"
#include "grid/sweep.h"

/* A double holds 10^30 points. */
static double count_points(const struct sweep *sweep)
{
    double n = 1;

    for (size_t i = 0; i < sweep->n_axes; i++)
        n *= sweep->axes[i].n;
    return n;
}

static void point_settings(const struct sweep *sweep, int64_t point, struct settings *out)
{
    *out = sweep->fixed;
    for (size_t i = sweep->n_axes; i-- > 0;) {
        const struct axis *axis = &sweep->axes[i];

        out->v[axis->id] = axis->values[point % axis->n];
        point /= axis->n;
    }
}

/* Take the values from axes with conditions, which the bits number. */
static void leave_out(const struct sweep *sweep, uint64_t absent, struct settings *out)
{
    for (size_t i = 0; absent && i < sweep->n_axes; i++)
        if (sweep->axes[i].condition) {
            if (absent & 1)
                out->v[sweep->axes[i].id].s = NULL;
            absent >>= 1;
        }
}

/* Decide the conditions in the order of the axes, so that each sees the values of those before it. */
static int decide_conditions(uint64_t *absent, const struct sweep *sweep,
                             const struct predicate *predicate, struct settings *point,
                             struct err *err)
{
    int bit = 0;

    *absent = 0;
    for (size_t i = 0; i < sweep->n_axes; i++) {
        void *condition = predicate && predicate->holds ? predicate->conditions[i] : NULL;
        int holds = condition ? predicate->holds(condition, sweep, point, err) : 1;

        if (holds < 0)
            return -1;
        if (!holds) {
            *absent |= (uint64_t)1 << bit;
            point->v[sweep->axes[i].id].s = NULL;
        }
        bit += sweep->axes[i].condition != NULL;
    }
    return 0;
}

/* The point that stands for all with the same model: axes that the model type lacks are at their
 * first values. with_idle: so are axes that have no effect; the settings must be resolved. */
static int64_t model_of(const struct sweep *sweep, int64_t point, const struct settings *settings,
                        bool with_idle)
{
    int64_t model = point, stride = 1;

    for (size_t i = sweep->n_axes; i-- > 0;) {
        const struct axis *axis = &sweep->axes[i];

        if (!settings_has(settings, axis->id) ||
            (with_idle && plan_setting_is_idle(settings, axis->id)))
            model -= point % axis->n * stride;
        point /= axis->n;
        stride *= axis->n;
    }
    return model;
}

/* is_there [n_points] false on entry: points whose model is in the plan */
static int keep_points(struct plan *plan, bool *is_there, int32_t n_points,
                       const struct predicate *predicate, struct err *err)
{
    struct settings settings;

    for (int32_t point = 0; point < n_points; point++) {
        int keep = 1;
        uint64_t absent;
        bool *is_repeat;

        point_settings(plan->sweep, point, &settings);
        if (decide_conditions(&absent, plan->sweep, predicate, &settings, err))
            return -1;
        if (predicate && predicate->keep)
            keep = predicate->keep(predicate->arg, plan->sweep, &settings, err);
        if (keep < 0)
            return -1;
        if (!keep)
            continue;
        is_repeat = &is_there[model_of(plan->sweep, point, &settings, false)];
        if (!*is_repeat) {
            if (plan->absent)
                plan->absent[plan->n_configs] = absent;
            plan->points[plan->n_configs++] = point;
        } else if (!absent) {
            plan->n_repeats++;
        }
        *is_repeat = true;
    }
    if (plan->n_configs == 0)
        return err_set(err, "%s: 'where' leaves none of the grid's %d points", plan->sweep->path,
                       (int)n_points);
    return 0;
}

static int count_trials(struct plan *plan, struct err *err)
{
    double n = (double)plan->n_configs * plan->replicates * plan->folds;

    if (n > PLAN_MAX_TRIALS)
        return err_set(err,
                       "%s: %d configurations x %d replicates x %d folds are %.15g trials; at most "
                       "%d are allowed",
                       plan->sweep->path, (int)plan->n_configs, (int)plan->replicates,
                       (int)plan->folds, n, PLAN_MAX_TRIALS);
    plan->n_trials = (int64_t)n;
    return 0;
}

static bool has_conditions(const struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->n_axes; i++)
        if (sweep->axes[i].condition)
            return true;
    return false;
}

int plan_init(struct plan *plan, const struct sweep *sweep, const struct predicate *predicate,
              struct err *err)
{
    const double n_points = count_points(sweep);
    const int64_t folds = sweep->fixed.v[P_FOLDS].i;
    bool *is_there;
    int rc = 0;

    *plan = (struct plan){.sweep = sweep,
                          .replicates = (int32_t)sweep->fixed.v[P_REPLICATES].i,
                          .folds = folds > 0 ? (int32_t)folds : 1};
    if (n_points > PLAN_MAX_POINTS)
        return err_set(err, "%s: the grid has %.15g points; at most %d are allowed", sweep->path,
                       n_points, PLAN_MAX_POINTS);
    plan->points = malloc((size_t)n_points * sizeof *plan->points);
    is_there = calloc((size_t)n_points, sizeof *is_there);
    if (has_conditions(sweep))
        plan->absent = malloc((size_t)n_points * sizeof *plan->absent);
    if (!plan->points || !is_there || (has_conditions(sweep) && !plan->absent))
        rc = err_nomem(err, "plan", (size_t)n_points * sizeof *plan->points);
    if (!rc)
        rc = keep_points(plan, is_there, (int32_t)n_points, predicate, err);
    if (!rc)
        rc = count_trials(plan, err);
    free(is_there);
    if (rc)
        plan_release(plan);
    return rc;
}

void plan_release(struct plan *plan)
{
    if (!plan)
        return;
    free(plan->points);
    free(plan->absent);
    memset(plan, 0, sizeof *plan);
}

void plan_put_size(struct buf *out, const struct plan *plan)
{
    buf_printf(out, "%d configuration%s x %d replicate%s x %d fold%s = %lld trial%s",
               plan->n_configs, plural(plan->n_configs), plan->replicates, plural(plan->replicates),
               plan->folds, plural(plan->folds), (long long)plan->n_trials, plural(plan->n_trials));
}

struct plan_trial plan_trial(const struct plan *plan, int64_t trial)
{
    int64_t repeat = trial / plan->folds;

    return (struct plan_trial){.config = (int32_t)(repeat / plan->replicates),
                               .replicate = (int32_t)(repeat % plan->replicates),
                               .fold = (int32_t)(trial % plan->folds)};
}

int32_t plan_widest(const struct plan *plan)
{
    int32_t widest = 1;
    struct settings s;

    if (sweep_is_always(plan->sweep, P_RANKS, 1))
        return 1;
    for (int32_t c = 0; c < plan->n_configs; c++) {
        plan_settings(plan, c, &s);
        widest = s.v[P_RANKS].i > widest ? (int32_t)s.v[P_RANKS].i : widest;
    }
    return widest;
}

void plan_settings(const struct plan *plan, int32_t config, struct settings *out)
{
    point_settings(plan->sweep, plan->points[config], out);
    if (plan->absent)
        leave_out(plan->sweep, plan->absent[config], out);
    settings_trim(out);
}

void plan_settings_with(const struct plan *plan, enum param_id id, struct settings *out)
{
    for (int32_t c = 0; c < plan->n_configs; c++) {
        plan_settings(plan, c, out);
        if (settings_has(out, id))
            return;
    }
}

/* ---- as bytes ---- */

static void pack_value(struct buf *out, enum param_id id, union value value)
{
    if (param_row(id)->type == PARAM_PATH)
        return;
    if (param_row(id)->type == PARAM_VALUE)
        buf_put_u32(out, value.s != NULL);
    if (param_is_text(id) && value.s)
        buf_put_text(out, value.s);
    else if (param_is_text(id))
        return;
    else
        buf_put_i64(out, value.i);
}

/* NULL if truncated or memory is short. */
static const char *unpack_text(struct sweep *sweep, struct cursor *in)
{
    size_t n = cursor_u32(in);
    const char *text = cursor_bytes(in, n);

    return text ? sweep_keep_text(sweep, strndup(text, n)) : NULL;
}

static int unpack_value(union value *value, struct sweep *sweep, struct cursor *in,
                        enum param_id id)
{
    memset(value, 0, sizeof *value);
    if (param_row(id)->type == PARAM_VALUE && !cursor_u32(in))
        return in->failed ? -1 : 0;
    if (param_row(id)->type == PARAM_PATH)
        value->s = "";
    else if (param_is_text(id))
        value->s = unpack_text(sweep, in);
    else
        value->i = cursor_i64(in);
    return param_is_text(id) && !value->s ? -1 : 0;
}

static void pack_names(struct buf *out, const struct free_names *names)
{
    buf_put_u32(out, names ? (uint32_t)names->n + 1 : 0);
    for (int32_t i = 0; names && i < names->n; i++)
        buf_put_text(out, names->name[i]);
}

static int unpack_names(struct sweep *sweep, struct cursor *in)
{
    uint32_t n = cursor_u32(in);
    char name[FREE_NAME_SIZE];

    if (in->failed || n > FREE_NAMES_MAX + 1)
        return -1;
    if (!n)
        return 0;
    sweep->names = calloc(1, sizeof *sweep->names);
    if (!sweep->names)
        return -1;
    sweep->fixed.names = sweep->names;
    while (--n) {
        cursor_text(in, name, sizeof name);
        if (in->failed || free_names_add(sweep->names, name, NULL))
            return -1;
    }
    return 0;
}

void plan_pack(struct buf *out, const struct plan *plan)
{
    const struct sweep *sweep = plan->sweep;

    buf_put_text(out, KEY_VERSION);
    pack_names(out, sweep->names);
    buf_put_text(out, sweep->folder ? sweep->folder : "");
    for (int id = 0; id < settings_end(&sweep->fixed); id++)
        pack_value(out, (enum param_id)id, sweep->fixed.v[id]);
    buf_put_u32(out, (uint32_t)sweep->n_axes);
    for (size_t a = 0; a < sweep->n_axes; a++) {
        const struct axis *axis = &sweep->axes[a];

        buf_put_u32(out, axis->id);
        buf_put_u32(out, (uint32_t)axis->n);
        buf_put_text(out, axis->condition ? axis->condition : "");
        for (int32_t i = 0; i < axis->n; i++)
            pack_value(out, axis->id, axis->values[i]);
    }
    buf_put_u32(out, (uint32_t)plan->replicates);
    buf_put_u32(out, (uint32_t)plan->folds);
    buf_put_u32(out, (uint32_t)plan->n_configs);
    buf_add(out, plan->points, (size_t)plan->n_configs * sizeof *plan->points);
    if (plan->absent)
        buf_add(out, plan->absent, (size_t)plan->n_configs * sizeof *plan->absent);
}

static int unpack_own_text(union value *value, struct cursor *in)
{
    size_t n = cursor_u32(in) ? cursor_u32(in) : 0;
    const char *text = cursor_bytes(in, n);

    value->s = text ? strndup(text, n) : NULL;
    return value->s ? 0 : -1;
}

static int unpack_condition(struct axis *axis, struct cursor *in)
{
    size_t n = cursor_u32(in);
    const char *text = cursor_bytes(in, n);

    if (!text)
        return -1;
    axis->condition = n ? strndup(text, n) : NULL;
    return n && !axis->condition ? -1 : 0;
}

static int unpack_axis(struct axis *axis, struct sweep *sweep, struct cursor *in)
{
    uint32_t id = cursor_u32(in), n = cursor_u32(in);

    if (in->failed || id >= (uint32_t)settings_end(&sweep->fixed) || n < 1 ||
        n > (in->size - in->at) / sizeof(uint32_t))
        return -1;
    axis->id = (enum param_id)id;
    axis->row = sweep_row(sweep, (int)id);
    if (unpack_condition(axis, in) || axis_reserve(axis, (int32_t)n))
        return -1;
    for (uint32_t i = 0; i < n; i++)
        if (axis->row->type == PARAM_VALUE ? unpack_own_text(&axis->values[i], in)
                                           : unpack_value(&axis->values[i], sweep, in, axis->id))
            return -1;
    return 0;
}

static int unpack_sweep(struct sweep *sweep, struct cursor *in)
{
    uint32_t n_axes;

    if (unpack_names(sweep, in) || !(sweep->folder = unpack_text(sweep, in)))
        return -1;
    for (int id = 0; id < settings_end(&sweep->fixed); id++)
        if (unpack_value(&sweep->fixed.v[id], sweep, in, (enum param_id)id))
            return -1;
    n_axes = cursor_u32(in);
    if (in->failed || n_axes > P_MAX)
        return -1;
    sweep->axes = calloc(n_axes ? n_axes : 1, sizeof *sweep->axes);
    if (!sweep->axes)
        return -1;
    while (sweep->n_axes < n_axes) {
        struct axis *axis = &sweep->axes[sweep->n_axes++];

        if (unpack_axis(axis, sweep, in))
            return -1;
        sweep->swept[axis->id] = true;
    }
    return 0;
}

static int unpack_absent(struct plan *plan, struct cursor *in)
{
    size_t bytes = (size_t)plan->n_configs * sizeof *plan->absent;
    const void *absent = cursor_bytes(in, bytes);

    plan->absent = absent ? malloc(bytes ? bytes : 1) : NULL;
    if (plan->absent)
        memcpy(plan->absent, absent, bytes);
    return plan->absent ? 0 : -1;
}

static int unpack_points(struct plan *plan, struct cursor *in)
{
    size_t bytes;
    const void *points;

    plan->replicates = (int32_t)cursor_u32(in);
    plan->folds = (int32_t)cursor_u32(in);
    plan->n_configs = (int32_t)cursor_u32(in);
    bytes = (size_t)plan->n_configs * sizeof *plan->points;
    points = cursor_bytes(in, bytes);
    if (!points)
        return -1;
    plan->points = malloc(bytes ? bytes : 1);
    if (!plan->points)
        return -1;
    memcpy(plan->points, points, bytes);
    if (has_conditions(plan->sweep) && unpack_absent(plan, in))
        return -1;
    plan->n_trials = (int64_t)plan->n_configs * plan->replicates * plan->folds;
    return 0;
}

int plan_unpack(struct plan *plan, struct sweep *sweep, struct cursor *in, struct err *err)
{
    char version[64];

    memset(plan, 0, sizeof *plan);
    memset(sweep, 0, sizeof *sweep);
    plan->sweep = sweep;
    cursor_text(in, version, sizeof version);
    if (in->failed || strcmp(version, KEY_VERSION))
        return err_set(err, "the plan comes from another version of espalier ('%s', not '%s')",
                       version, KEY_VERSION);
    if (unpack_sweep(sweep, in) || unpack_points(plan, in)) {
        plan_release(plan);
        sweep_release(sweep);
        return err_set(err, "the plan is truncated or does not fit in memory");
    }
    return 0;
}

/* ---- settings that do nothing ---- */

static bool is_choice(const struct settings *s, enum param_id id, const char *name)
{
    return s->v[id].i == param_choice(id, name);
}

static bool steps(const struct settings *s)
{
    return is_choice(s, P_SCHEDULE, "step") && s->v[P_WARMUP_EPOCHS].i < s->v[P_EPOCHS].i;
}

static int64_t n_hidden(const struct settings *s)
{
    return s->v[P_LAYERS].i - !settings_pool(s);
}

bool plan_setting_is_idle(const struct settings *s, enum param_id id)
{
    /* A split file with groups may have no parts. */
    bool has_parts = *s->v[P_PART].s || (*s->v[P_SPLIT_FILE].s && !*s->v[P_GROUP].s);

    if (!settings_has(s, id))
        return false;
    switch (id) {
    case P_POOL:
        return !settings_pool(s);
    case P_BATCH_NORM:
    case P_HIDDEN_SIZE:
    case P_ACTIVATION:
    case P_DROPOUT:
        return n_hidden(s) == 0;
    case P_RESIDUAL:
        return n_hidden(s) <= 1;
    case P_SCHEDULE:
        return s->v[P_WARMUP_EPOCHS].i >= s->v[P_EPOCHS].i;
    case P_STEP_SIZE:
    case P_STEP_GAMMA:
        return !steps(s);
    case P_TEST:
        return has_parts;
    case P_VAL:
        return has_parts || s->v[P_FOLDS].i != 0;
    case P_DECAY_LAYERS:
        return s->v[P_WEIGHT_DECAY].f <= 0 || n_hidden(s) == 0;
    case P_LR_SCALING:
        return s->v[P_WORKERS].i == 1;
    default:
        return param_is_idle(id, s->v);
    }
}

/* Normalising a single row gives 0. */
static bool normalizes_one_row(const struct settings *s)
{
    bool is_graph = settings_has(s, P_BUILD) && !is_choice(s, P_BUILD, "none");

    return settings_has(s, P_BATCH_NORM) && is_choice(s, P_BATCH_NORM, "yes") && n_hidden(s) > 0 &&
           s->v[P_BATCH_SIZE].i == 1 && !is_graph && !settings_pool(s);
}

int32_t plan_count_one_row(const struct plan *plan)
{
    struct settings s;
    int32_t n = 0;

    for (int32_t c = 0; c < plan->n_configs; c++) {
        plan_settings(plan, c, &s);
        n += normalizes_one_row(&s);
    }
    return n;
}

/* The values of an idle axis that configurations of one model have: the number of the only one, from
 * 1 on; 0: none yet. */
enum { SEVERAL = -1 };

/* Note the configuration's value and count it, or in the second pass only if others have another one. */
static int32_t see_idle(int32_t *seen, const struct plan *plan, const struct axis *axis, int32_t c,
                        bool is_second)
{
    struct settings s;
    int32_t *there, value = 0;

    plan_settings(plan, c, &s);
    if (!plan_setting_is_idle(&s, axis->id))
        return 0;
    there = &seen[model_of(plan->sweep, plan->points[c], &s, true)];
    while (!param_equal(axis->id, axis->values[value], s.v[axis->id]))
        value++;
    if (is_second)
        return *there == SEVERAL;
    *there = !*there || *there == value + 1 ? value + 1 : SEVERAL;
    return 1;
}

int32_t plan_count_idle(const struct plan *plan, const struct axis *axis)
{
    int32_t *seen = axis->n > 1 ? calloc((size_t)count_points(plan->sweep), sizeof *seen) : NULL;
    int32_t n_idle = 0, n = 0;

    for (int32_t c = 0; seen && c < plan->n_configs; c++)
        n_idle += see_idle(seen, plan, axis, c, false);
    for (int32_t c = 0; n_idle && c < plan->n_configs; c++)
        n += see_idle(seen, plan, axis, c, true);
    free(seen);
    return n;
}

int32_t plan_count_one_worker(const struct plan *plan, enum param_id id, union value *value)
{
    const int64_t off = param_default(id).i;
    struct settings s;
    int32_t n = 0;

    if (sweep_is_always(plan->sweep, id, off))
        return 0;
    for (int32_t c = 0; c < plan->n_configs; c++) {
        plan_settings(plan, c, &s);
        if (!settings_has(&s, id) || s.v[id].i == off)
            continue;
        if (s.v[P_WORKERS].i > 1)
            return 0;
        if (n++ == 0)
            *value = s.v[id];
    }
    return n;
}

/* Append "k, metric and weights do nothing for mlp" */
static void put_nothing(struct buf *out, const enum param_id *ids, int n, const union value *types,
                        int n_types)
{
    if (out->size)
        buf_puts(out, "; ");
    for (int i = 0; i < n; i++)
        buf_printf(out, "%s%s", words_between(i, n), param_row(ids[i])->key);
    buf_printf(out, " %s nothing for ", n == 1 ? "does" : "do");
    for (int i = 0; i < n_types; i++) {
        buf_puts(out, words_between(i, n_types));
        param_format(out, P_TYPE, types[i]);
    }
}

static void put_missing(struct buf *out, const struct sweep *sweep, union value type)
{
    enum param_id ids[P_MAX];
    int n = 0;

    for (size_t a = 0; a < sweep->n_axes; a++)
        if (sweep->axes[a].n > 1 && !sweep_type_has(sweep, type, sweep->axes[a].id))
            ids[n++] = sweep->axes[a].id;
    if (n)
        put_nothing(out, ids, n, &type, 1);
}

void plan_put_repeats(struct buf *out, const struct plan *plan)
{
    int32_t n;
    const union value *types = sweep_values(plan->sweep, P_TYPE, &n);

    for (int i = 0; i < n; i++)
        put_missing(out, plan->sweep, types[i]);
}

/* seen [axis->n]: values of configurations whose model type has the axis. Returns their number. */
static int32_t see_values(bool *seen, const struct plan *plan, size_t axis)
{
    int64_t stride = 1;
    struct settings s;
    int32_t n = 0;

    for (size_t a = axis + 1; a < plan->sweep->n_axes; a++)
        stride *= plan->sweep->axes[a].n;
    for (int32_t c = 0; c < plan->n_configs; c++) {
        int64_t i = plan->points[c] / stride % plan->sweep->axes[axis].n;

        if (seen[i])
            continue;
        plan_settings(plan, c, &s);
        seen[i] = settings_has(&s, plan->sweep->axes[axis].id) &&
                  (!plan->sweep->axes[axis].condition || s.v[plan->sweep->axes[axis].id].s);
        n += seen[i];
    }
    return n;
}

enum { EMPTIED_SHOWN = 3 };

static void put_emptied(struct buf *out, const struct plan *plan, size_t a)
{
    const struct axis *axis = &plan->sweep->axes[a];
    bool *seen = calloc((size_t)axis->n, sizeof *seen);
    int32_t n_seen = seen ? see_values(seen, plan, a) : 0, n = 0;

    for (int32_t i = 0; n_seen && i < axis->n; i++) {
        if (seen[i] || n++ >= EMPTIED_SHOWN)
            continue;
        if (n == 1)
            buf_printf(out, "%s%s = ", out->size ? "; " : "", axis->row->key);
        buf_puts(out, n > 1 ? ", " : "");
        param_format(out, axis->id, axis->values[i]);
    }
    buf_puts(out, n > EMPTIED_SHOWN ? " ..." : "");
    free(seen);
}

void plan_put_emptied(struct buf *out, const struct plan *plan)
{
    for (size_t a = 0; *plan->sweep->fixed.v[P_WHERE].s && a < plan->sweep->n_axes; a++)
        put_emptied(out, plan, a);
}

void plan_put_unmet(struct buf *out, const struct plan *plan)
{
    for (size_t a = 0; a < plan->sweep->n_axes; a++) {
        const struct axis *axis = &plan->sweep->axes[a];
        bool *seen = axis->condition ? calloc((size_t)axis->n, sizeof *seen) : NULL;

        if (seen && !see_values(seen, plan, a))
            buf_printf(out, "%s%s, if %s", out->size ? "; " : "", axis->row->key, axis->condition);
        free(seen);
    }
}

void plan_put_strays(struct buf *out, const struct plan *plan)
{
    const struct sweep *sweep = plan->sweep;
    enum param_id ids[P_COUNT];
    int n = 0;
    int32_t n_types;
    const union value *types = sweep_values(sweep, P_TYPE, &n_types);

    for (int id = 0; id < P_COUNT; id++) {
        bool is_used = !sweep->line[id] || sweep->swept[id];

        for (int i = 0; i < n_types; i++)
            is_used |= sweep_type_has(sweep, types[i], (enum param_id)id);
        if (!is_used)
            ids[n++] = (enum param_id)id;
    }
    if (n)
        put_nothing(out, ids, n, types, n_types);
}
