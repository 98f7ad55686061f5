#include "grid/plan_wire.h"

#include <stdlib.h>
#include <string.h>

static void pack_value(struct buf *out, enum param_id id, union value value)
{
    if (param_table[id].type == PARAM_TEXT)
        buf_put_text(out, value.s);
    else if (param_table[id].type != PARAM_PATH)
        buf_put_i64(out, value.i);
}

/* NULL where it is truncated or memory is short. */
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
    if (param_table[id].type == PARAM_TEXT)
        value->s = unpack_text(sweep, in);
    else if (param_table[id].type == PARAM_PATH)
        value->s = "";
    else
        value->i = cursor_i64(in);
    return param_table[id].type == PARAM_TEXT && !value->s ? -1 : 0;
}

void plan_pack(struct buf *out, const struct plan *plan)
{
    const struct sweep *sweep = plan->sweep;

    buf_put_text(out, KEY_VERSION);
    for (int id = 0; id < P_COUNT; id++)
        pack_value(out, (enum param_id)id, sweep->fixed.v[id]);
    buf_put_u32(out, (uint32_t)sweep->n_axes);
    for (size_t a = 0; a < sweep->n_axes; a++) {
        const struct axis *axis = &sweep->axes[a];

        buf_put_u32(out, axis->id);
        buf_put_u32(out, (uint32_t)axis->n);
        for (int32_t i = 0; i < axis->n; i++)
            pack_value(out, axis->id, axis->values[i]);
    }
    buf_put_u32(out, (uint32_t)plan->replicates);
    buf_put_u32(out, (uint32_t)plan->folds);
    buf_put_u32(out, (uint32_t)plan->n_configs);
    buf_add(out, plan->points, (size_t)plan->n_configs * sizeof *plan->points);
}

static int unpack_axis(struct axis *axis, struct sweep *sweep, struct cursor *in)
{
    axis->id = cursor_u32(in);
    axis->n = (int32_t)cursor_u32(in);
    if (in->failed || axis->id >= P_COUNT || axis->n < 1 ||
        (size_t)axis->n > (in->size - in->at) / sizeof(int64_t))
        return -1;
    axis->values = calloc((size_t)axis->n, sizeof *axis->values);
    if (!axis->values)
        return -1;
    for (int32_t i = 0; i < axis->n; i++)
        if (unpack_value(&axis->values[i], sweep, in, axis->id))
            return -1;
    return 0;
}

static int unpack_sweep(struct sweep *sweep, struct cursor *in)
{
    uint32_t n_axes;

    for (int id = 0; id < P_COUNT; id++)
        if (unpack_value(&sweep->fixed.v[id], sweep, in, (enum param_id)id))
            return -1;
    n_axes = cursor_u32(in);
    if (in->failed || n_axes > P_COUNT)
        return -1;
    sweep->axes = calloc(n_axes ? n_axes : 1, sizeof *sweep->axes);
    if (!sweep->axes)
        return -1;
    for (; sweep->n_axes < n_axes; sweep->n_axes++) {
        struct axis *axis = &sweep->axes[sweep->n_axes];

        if (unpack_axis(axis, sweep, in))
            return -1;
        sweep->swept[axis->id] = true;
    }
    return 0;
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
