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

bool setting_is_idle(const struct settings *s, enum param_id id)
{
    bool is_sgd = is_choice(s, P_OPTIMIZER, "sgd");
    bool is_knn = is_choice(s, P_BUILD, "knn");
    bool is_threshold = is_choice(s, P_BUILD, "threshold");
    bool has_split_file = *s->v[P_SPLIT_FILE].s != '\0';

    if (!settings_has(s, id))
        return false;
    switch (id) {
    case P_BATCH_NORM:
        return s->v[P_LAYERS].i == 1;
    case P_RESIDUAL:
        return s->v[P_LAYERS].i <= 2;
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
        return has_split_file;
    case P_VAL:
        return has_split_file || s->v[P_FOLDS].i != 0;
    case P_HIDDEN_SIZE:
    case P_ACTIVATION:
    case P_DROPOUT:
        return s->v[P_LAYERS].i == 1;
    case P_MOMENTUM:
        return !is_sgd;
    case P_BETA1:
    case P_BETA2:
    case P_EPSILON:
        return is_sgd;
    case P_DECAY_LAYERS:
        return s->v[P_WEIGHT_DECAY].f <= 0 || s->v[P_LAYERS].i == 1;
    default:
        return false;
    }
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

static void put_missing(struct buf *out, const struct sweep *sweep, const struct settings *s)
{
    struct buf names = {0};
    int n = 0, left;

    for (size_t a = 0; a < sweep->n_axes; a++)
        n += sweep->axes[a].n > 1 && !settings_has(s, sweep->axes[a].id);
    left = n;
    for (size_t a = 0; a < sweep->n_axes; a++) {
        const struct axis *axis = &sweep->axes[a];

        if (axis->n < 2 || settings_has(s, axis->id))
            continue;
        left--;
        buf_printf(&names, "%s%s", param_table[axis->id].key,
                   left > 1    ? ", "
                   : left == 1 ? " and "
                               : "");
    }
    if (n) {
        buf_printf(out, "%s%s %s nothing for ", out->size ? "; " : "", buf_text(&names),
                   n == 1 ? "does" : "do");
        param_format(out, P_TYPE, s->v[P_TYPE]);
    }
    out->failed |= buf_failed(&names);
    buf_release(&names);
}

void plan_put_repeats(struct buf *out, const struct plan *plan)
{
    const struct sweep *sweep = plan->sweep;
    struct settings s = sweep->fixed;

    if (!sweep->swept[P_TYPE])
        put_missing(out, sweep, &s);
    for (size_t a = 0; a < sweep->n_axes; a++)
        for (int32_t i = 0; sweep->axes[a].id == P_TYPE && i < sweep->axes[a].n; i++) {
            s.v[P_TYPE] = sweep->axes[a].values[i];
            put_missing(out, sweep, &s);
        }
}
