#include "grid/idle.h"

static bool is_choice(const struct settings *s, enum param_id id, const char *name)
{
    return s->v[id].i == param_choice(id, name);
}

/* Whether the learning rate ever takes a step. */
static bool steps(const struct settings *s)
{
    return is_choice(s, P_SCHEDULE, "step") && s->v[P_WARMUP_EPOCHS].i < s->v[P_EPOCHS].i;
}

static int64_t n_hidden(const struct settings *s)
{
    return s->v[P_LAYERS].i - !settings_pool(s);
}

bool setting_is_idle(const struct settings *s, enum param_id id)
{
    bool is_sgd = is_choice(s, P_OPTIMIZER, "sgd");
    bool is_knn = is_choice(s, P_BUILD, "knn");
    bool is_threshold = is_choice(s, P_BUILD, "threshold");
    /* A split file with groups may have no parts. */
    bool has_parts = *s->v[P_SPLIT_FILE].s && !*s->v[P_GROUP].s;

    if (!settings_has(s, id))
        return false;
    switch (id) {
    case P_POOL:
        return !settings_pool(s);
    case P_BATCH_NORM:
        return n_hidden(s) == 0;
    case P_RESIDUAL:
        return n_hidden(s) <= 1;
    case P_SCHEDULE:
        return s->v[P_WARMUP_EPOCHS].i >= s->v[P_EPOCHS].i;
    case P_STEP_SIZE:
    case P_STEP_GAMMA:
        return !steps(s);
    case P_CLASS_WEIGHTS:
        return is_choice(s, P_TASK, "regression");
    case P_K:
        return !is_knn;
    case P_THRESHOLD:
        return !is_threshold;
    case P_METRIC:
    case P_WEIGHTS:
        return !is_knn && !is_threshold;
    case P_TEST:
        return has_parts;
    case P_VAL:
        return has_parts || s->v[P_FOLDS].i != 0;
    case P_HIDDEN_SIZE:
    case P_ACTIVATION:
    case P_DROPOUT:
        return n_hidden(s) == 0;
    case P_MOMENTUM:
        return !is_sgd;
    case P_BETA1:
    case P_BETA2:
    case P_EPSILON:
        return is_sgd;
    case P_DECAY_LAYERS:
        return s->v[P_WEIGHT_DECAY].f <= 0 || n_hidden(s) == 0;
    default:
        return false;
    }
}

/* Of one row the normalised values are 0, whatever the weights. */
static bool normalizes_one_row(const struct settings *s)
{
    bool is_graph = is_choice(s, P_TYPE, "gcn") && !is_choice(s, P_BUILD, "none");

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

int32_t plan_count_idle(const struct plan *plan, const struct axis *axis)
{
    struct settings s;
    int32_t n = 0;

    for (int32_t c = 0; axis->n > 1 && c < plan->n_configs; c++) {
        plan_settings(plan, c, &s);
        n += setting_is_idle(&s, axis->id);
    }
    return n;
}

/* What stands before item i of n: "a", "a and b", "a, b and c". */
static const char *gap(int i, int n)
{
    return i == 0 ? "" : i == n - 1 ? " and " : ", ";
}

/* "k", "k and metric", "k, metric and weights" do nothing for such types. */
static void put_nothing(struct buf *out, const enum param_id *ids, int n, const union value *types,
                        int n_types)
{
    if (out->size)
        buf_puts(out, "; ");
    for (int i = 0; i < n; i++)
        buf_printf(out, "%s%s", gap(i, n), param_table[ids[i]].key);
    buf_printf(out, " %s nothing for ", n == 1 ? "does" : "do");
    for (int i = 0; i < n_types; i++) {
        buf_puts(out, gap(i, n_types));
        param_format(out, P_TYPE, types[i]);
    }
}

/* The types of model that the sweep may have; 1 or more of them. */
static const union value *types_of(const struct sweep *sweep, int *n)
{
    *n = 1;
    for (size_t a = 0; a < sweep->n_axes; a++)
        if (sweep->axes[a].id == P_TYPE) {
            *n = sweep->axes[a].n;
            return sweep->axes[a].values;
        }
    return &sweep->fixed.v[P_TYPE];
}

static bool type_has(const struct sweep *sweep, union value type, enum param_id id)
{
    struct settings s = sweep->fixed;

    s.v[P_TYPE] = type;
    return settings_has(&s, id);
}

/* Axes with more than one value that the type has not. */
static void put_missing(struct buf *out, const struct sweep *sweep, union value type)
{
    enum param_id ids[P_COUNT];
    int n = 0;

    for (size_t a = 0; a < sweep->n_axes; a++)
        if (sweep->axes[a].n > 1 && !type_has(sweep, type, sweep->axes[a].id))
            ids[n++] = sweep->axes[a].id;
    if (n)
        put_nothing(out, ids, n, &type, 1);
}

void plan_put_repeats(struct buf *out, const struct plan *plan)
{
    int n;
    const union value *types = types_of(plan->sweep, &n);

    for (int i = 0; i < n; i++)
        put_missing(out, plan->sweep, types[i]);
}

void plan_put_strays(struct buf *out, const struct plan *plan)
{
    const struct sweep *sweep = plan->sweep;
    enum param_id ids[P_COUNT];
    int n = 0, n_types;
    const union value *types = types_of(sweep, &n_types);

    for (int id = 0; id < P_COUNT; id++) {
        bool is_used = !sweep->line[id] || sweep->swept[id];

        for (int i = 0; i < n_types; i++)
            is_used |= type_has(sweep, types[i], (enum param_id)id);
        if (!is_used)
            ids[n++] = (enum param_id)id;
    }
    if (n)
        put_nothing(out, ids, n, types, n_types);
}
