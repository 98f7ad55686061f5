/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/words.h"
#include "grid/sweep.h"

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

int plan_init_rows(struct plan *plan, const struct sweep *sweep, const struct settings *fixed,
                   struct grid_rows *rows, int32_t n_configs, struct err *err)
{
    const size_t row = sweep->n_axes * sizeof *rows->v;
    const int64_t folds = fixed->v[P_FOLDS].i;
    union value *v = realloc(rows->v, (size_t)n_configs * row + 1);

    *plan = (struct plan){.sweep = sweep,
                          .fixed = *fixed,
                          .n_configs = n_configs,
                          .replicates = (int32_t)fixed->v[P_REPLICATES].i,
                          .folds = folds > 0 ? (int32_t)folds : 1,
                          .rows = *rows};
    plan->rows.v = v ? v : rows->v;
    *rows = (struct grid_rows){.n = 0};
    for (int32_t c = plan->rows.n; v && c < n_configs; c++)
        memcpy(v + (size_t)c * sweep->n_axes, v, row);
    if (v && !count_trials(plan, err))
        return 0;
    plan_release(plan);
    return v ? -1 : err_nomem(err, "configurations", (size_t)n_configs * row);
}

int plan_init(struct plan *plan, const struct sweep *sweep, const struct settings *fixed,
              const struct predicate *predicate, struct err *err)
{
    struct grid_rows rows;

    *plan = (struct plan){.sweep = sweep};
    return grid_rows_make(&rows, sweep, fixed, predicate, err)
               ? -1
               : plan_init_rows(plan, sweep, fixed, &rows, rows.n, err);
}

void plan_release(struct plan *plan)
{
    if (!plan)
        return;
    grid_rows_release(&plan->rows);
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

static const union value *row_of(const struct plan *plan, int32_t config)
{
    return plan->rows.v + (size_t)config * plan->sweep->n_axes;
}

void plan_settings(const struct plan *plan, int32_t config, struct settings *out)
{
    const union value *row = row_of(plan, config);

    *out = plan->fixed;
    for (size_t a = 0; a < plan->sweep->n_axes; a++)
        out->v[plan->sweep->axes[a].id] = row[a];
    settings_trim(out);
}

/* Texts are those of the axis, and real numbers are copies of its numbers. */
int32_t plan_level(const struct plan *plan, int32_t config, size_t axis)
{
    const struct axis *a = &plan->sweep->axes[axis];
    union value value = row_of(plan, config)[axis];
    int32_t level = a->n - 1;

    while (level >= 0 && a->values[level].i != value.i)
        level--;
    return level;
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

/* For the caller to free; NULL if truncated or memory is short. */
static char *unpack_text(struct cursor *in)
{
    size_t n = cursor_u32(in);
    const char *text = cursor_bytes(in, n);

    return text ? strndup(text, n) : NULL;
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
        value->s = sweep_keep_text(sweep, unpack_text(in));
    else
        value->i = cursor_i64(in);
    return param_is_text(id) && !value->s ? -1 : 0;
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

void plan_pack_rows(struct buf *out, const struct plan *plan, int32_t first)
{
    const struct sweep *sweep = plan->sweep;

    buf_put_u32(out, (uint32_t)first);
    buf_put_u32(out, (uint32_t)(plan->rows.n - first));
    for (int32_t c = first; c < plan->rows.n; c++)
        for (size_t a = 0; a < sweep->n_axes; a++) {
            const struct axis *axis = &sweep->axes[a];

            if (param_is_text(axis->id) && axis_is_range(axis))
                pack_value(out, axis->id, row_of(plan, c)[a]);
            else if (param_is_text(axis->id))
                buf_put_i64(out, plan_level(plan, c, a));
            else
                buf_put_i64(out, row_of(plan, c)[a].i);
        }
}

void plan_pack(struct buf *out, const struct plan *plan)
{
    const struct sweep *sweep = plan->sweep;

    buf_put_text(out, KEY_VERSION);
    buf_put_u32(out, sweep->names ? (uint32_t)sweep->names->n + 1 : 0);
    for (int32_t i = 0; sweep->names && i < sweep->names->n; i++)
        buf_put_text(out, sweep->names->name[i]);
    buf_put_text(out, sweep->folder ? sweep->folder : "");
    for (int id = 0; id < sweep_end(sweep); id++)
        pack_value(out, (enum param_id)id, plan->fixed.v[id]);
    buf_put_u32(out, (uint32_t)sweep->n_axes);
    for (size_t a = 0; a < sweep->n_axes; a++) {
        const struct axis *axis = &sweep->axes[a];

        buf_put_u32(out, axis->id);
        buf_put_u32(out, (uint32_t)axis->n);
        buf_put_text(out, axis->condition ? axis->condition : "");
        buf_put_text(out, axis->range.name ? axis->range.name : "");
        if (axis->range.name) {
            buf_put_f64(out, axis->range.low);
            buf_put_f64(out, axis->range.high);
        }
        for (int32_t i = 0; i < axis->n; i++)
            pack_value(out, axis->id, axis->values[i]);
    }
    buf_put_u32(out, (uint32_t)plan->replicates);
    buf_put_u32(out, (uint32_t)plan->folds);
    buf_put_u32(out, (uint32_t)plan->n_configs);
    plan_pack_rows(out, plan, 0);
}

static int unpack_axis(struct axis *axis, struct sweep *sweep, struct cursor *in)
{
    uint32_t id = cursor_u32(in), n = cursor_u32(in);
    char range[16];

    if (in->failed || id >= (uint32_t)sweep_end(sweep) ||
        n > (in->size - in->at) / sizeof(uint32_t))
        return -1;
    axis->id = (enum param_id)id;
    axis->row = sweep_row(sweep, (int)id);
    axis->condition = unpack_text(in);
    if (!axis->condition)
        return -1;
    cursor_text(in, range, sizeof range);
    if (*range) {
        const double low = cursor_f64(in), high = cursor_f64(in);

        if (n || axis_set_range(axis, range, low, high))
            return -1;
    } else if (!n || axis_reserve(axis, (int32_t)n)) {
        return -1;
    }
    if (!*axis->condition) {
        free(axis->condition);
        axis->condition = NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (axis->row->type != PARAM_VALUE) {
            if (unpack_value(&axis->values[i], sweep, in, axis->id))
                return -1;
        } else if (!cursor_u32(in) || !(axis->values[i].s = unpack_text(in))) {
            return -1; /* the values of an axis are its own */
        }
    return 0;
}

static int unpack_sweep(struct sweep *sweep, struct cursor *in)
{
    uint32_t n_axes;

    if (unpack_names(sweep, in) || !(sweep->folder = sweep_keep_text(sweep, unpack_text(in))))
        return -1;
    for (int id = 0; id < sweep_end(sweep); id++)
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

/* A text of a row, which the rows keep. */
static int unpack_row_text(union value *value, struct arena *texts, struct cursor *in)
{
    const bool has_value = cursor_u32(in) != 0;
    const size_t n = has_value ? cursor_u32(in) : 0;
    const char *bytes = cursor_bytes(in, n);
    char *text = has_value && bytes ? arena_take_zeroed(texts, n + 1, 1) : NULL;

    value->s = text;
    if (text)
        memcpy(text, bytes, n);
    return in->failed || (has_value && !text) ? -1 : 0;
}

int plan_take_rows(struct plan *plan, struct cursor *in)
{
    const struct sweep *sweep = plan->sweep;
    const uint32_t first = cursor_u32(in), n = cursor_u32(in);
    const uint64_t end = (uint64_t)first + n;

    if (in->failed || end > (uint64_t)plan->n_configs)
        return -1;
    for (size_t i = first * sweep->n_axes; i < end * sweep->n_axes; i++) {
        const struct axis *axis = &sweep->axes[i % sweep->n_axes];
        union value *value = &plan->rows.v[i];
        int64_t v;

        if (param_is_text(axis->id) && axis_is_range(axis)) {
            if (unpack_row_text(value, &plan->rows.texts, in))
                return -1;
            continue;
        }
        v = cursor_i64(in);
        if (param_is_text(axis->id))
            value->s = v >= 0 && v < axis->n ? axis->values[v].s : NULL;
        else
            value->i = v;
    }
    plan->rows.n = (int32_t)end;
    return in->failed ? -1 : 0;
}

static int unpack_all(struct plan *plan, struct cursor *in)
{
    const size_t row = plan->sweep->n_axes * sizeof *plan->rows.v;

    plan->replicates = (int32_t)cursor_u32(in);
    plan->folds = (int32_t)cursor_u32(in);
    plan->n_configs = (int32_t)cursor_u32(in);
    if (in->failed || plan->n_configs < 1 || plan->n_configs > GRID_MAX_POINTS)
        return -1;
    plan->rows.v = calloc((size_t)plan->n_configs, row ? row : 1);
    if (!plan->rows.v || plan_take_rows(plan, in) || !plan->rows.n)
        return -1;
    for (int32_t c = plan->rows.n; c < plan->n_configs; c++)
        memcpy(plan->rows.v + (size_t)c * plan->sweep->n_axes, plan->rows.v, row);
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
    if (unpack_sweep(sweep, in) || unpack_all(plan, in)) {
        plan_release(plan);
        sweep_release(sweep);
        return err_set(err, "the plan is truncated or does not fit in memory");
    }
    settings_stored(&plan->fixed, &sweep->fixed);
    return 0;
}

/* ---- settings that do nothing ---- */

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
    case P_TEST:
        return has_parts;
    case P_VAL:
        return has_parts || s->v[P_FOLDS].i != 0;
    case P_DECAY_LAYERS:
        return s->v[P_WEIGHT_DECAY].f <= 0 || n_hidden(s) == 0;
    default:
        return param_is_idle(id, s->v);
    }
}

/* A configuration in which the axis is idle. */
struct idle_config {
    struct hash others; /* of the values of axes that are not idle */
    int64_t value;
};

static int compare_idle(const void *a_, const void *b_)
{
    return memcmp(a_, b_, sizeof(struct idle_config));
}

static struct idle_config idle_config(const struct plan *plan, int32_t config, size_t axis,
                                      const struct settings *s)
{
    const struct sweep *sweep = plan->sweep;
    union value row[P_MAX];

    for (size_t a = 0; a < sweep->n_axes; a++) {
        enum param_id id = sweep->axes[a].id;
        bool counts = settings_has(s, id) && !plan_setting_is_idle(s, id);

        row[a] = counts ? row_of(plan, config)[a] : (union value){.i = 0};
    }
    return (struct idle_config){hash_bytes(row, sweep->n_axes * sizeof *row),
                                row_of(plan, config)[axis].i};
}

int32_t plan_count_idle(const struct plan *plan, size_t axis)
{
    bool varies = plan->sweep->axes[axis].n != 1;
    struct idle_config *idle = varies ? malloc((size_t)plan->n_configs * sizeof *idle) : NULL;
    int32_t n = 0, n_idle = 0, end;
    struct settings s;

    for (int32_t c = 0; idle && c < plan->n_configs; c++) {
        plan_settings(plan, c, &s);
        if (plan_setting_is_idle(&s, plan->sweep->axes[axis].id))
            idle[n++] = idle_config(plan, c, axis, &s);
    }
    if (n)
        qsort(idle, (size_t)n, sizeof *idle, compare_idle);
    for (int32_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && hash_equal(idle[end].others, idle[i].others);)
            end++;
        n_idle += idle[i].value != idle[end - 1].value ? end - i : 0;
    }
    free(idle);
    return n_idle;
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

void plan_put_repeats(struct buf *out, const struct plan *plan)
{
    const struct sweep *sweep = plan->sweep;
    enum param_id ids[P_MAX];
    int32_t n_types;
    const union value *types = sweep_values(sweep, P_TYPE, &n_types);

    for (int i = 0; i < n_types; i++) {
        int n = 0;

        for (size_t a = 0; a < sweep->n_axes; a++)
            if (sweep->axes[a].n != 1 && !sweep_type_has(sweep, types[i], sweep->axes[a].id))
                ids[n++] = sweep->axes[a].id;
        if (n)
            put_nothing(out, ids, n, &types[i], 1);
    }
}

/* seen [axis->n]: values of configurations whose model type has the axis. Returns their number. */
static int32_t see_values(bool *seen, const struct plan *plan, size_t axis)
{
    struct settings s;
    int32_t n = 0;

    for (int32_t c = 0; c < plan->n_configs; c++) {
        int32_t level = plan_level(plan, c, axis);

        if (level < 0 || seen[level])
            continue;
        plan_settings(plan, c, &s);
        seen[level] = settings_has(&s, plan->sweep->axes[axis].id);
        n += seen[level];
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
    for (size_t a = 0; plan->rows.is_whole && *plan->fixed.v[P_WHERE].s && a < plan->sweep->n_axes;
         a++)
        put_emptied(out, plan, a);
}

void plan_put_unmet(struct buf *out, const struct plan *plan)
{
    for (size_t a = 0; plan->rows.n == plan->n_configs && a < plan->sweep->n_axes; a++) {
        const struct axis *axis = &plan->sweep->axes[a];
        int32_t c = axis->condition ? 0 : plan->n_configs;

        while (c < plan->n_configs && !row_of(plan, c)[a].s)
            c++;
        if (axis->condition && c == plan->n_configs)
            buf_printf(out, "%s%s, if %s", out->size ? "; " : "", axis->row->key, axis->condition);
    }
}

void plan_put_unused(struct buf *out, const struct plan *plan)
{
    const union value *v = plan->fixed.v;
    const char *keys[P_COUNT];
    int n = 0;

    for (int id = 0; id < P_COUNT; id++) {
        if (strcmp(param_table[id].section, param_table[P_PROPOSE].section) != 0 ||
            !plan->sweep->line[id])
            continue;
        /* a budget is checked after each batch, too */
        if (id == P_BATCH ? param_is_idle(P_INITIAL, v) && v[P_BUDGET].f <= 0
                          : param_is_idle((enum param_id)id, v))
            keys[n++] = param_table[id].key;
    }
    for (int i = 0; i < n; i++)
        buf_printf(out, "%s%s", words_between(i, n), keys[i]);
    if (n) {
        buf_printf(out, " %s nothing with propose = ", n == 1 ? "does" : "do");
        param_format(out, P_PROPOSE, v[P_PROPOSE]);
        buf_puts(out, " and allocate = ");
        param_format(out, P_ALLOCATE, v[P_ALLOCATE]);
    }
}

void plan_put_strays(struct buf *out, const struct plan *plan)
{
    const struct sweep *sweep = plan->sweep;
    enum param_id ids[P_COUNT];
    int n = 0;
    int32_t n_types;
    const union value *types = sweep_values(sweep, P_TYPE, &n_types);

    for (int id = 0; id < P_COUNT; id++)
        if (sweep->line[id] && !sweep->swept[id] && !sweep_has(sweep, (enum param_id)id))
            ids[n++] = (enum param_id)id;
    if (n)
        put_nothing(out, ids, n, types, n_types);
}
