/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/result.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "gcn/train.h"

/* ---- checkpoints ---- */

bool trial_checkpoint_is_valid(const struct trial_checkpoint *c)
{
    return c->epoch >= 1 && c->left >= 0 && c->left < 1 && c->seconds >= 0 && isfinite(c->seconds);
}

void trial_checkpoint_pack(struct buf *out, const struct trial_checkpoint *c)
{
    buf_put_i64(out, c->trial);
    buf_put_u32(out, (uint32_t)c->epoch);
    buf_put_f64(out, c->left);
    buf_put_f64(out, c->seconds);
    buf_put_i64(out, (int64_t)c->bytes);
    buf_add(out, c->state, c->bytes);
}

int trial_checkpoint_unpack(struct trial_checkpoint *c, struct cursor *in)
{
    memset(c, 0, sizeof *c);
    c->trial = cursor_i64(in);
    c->epoch = (int32_t)cursor_u32(in);
    c->left = cursor_f64(in);
    c->seconds = cursor_f64(in);
    c->bytes = (size_t)cursor_i64(in);
    c->state = cursor_bytes(in, c->bytes);
    return in->failed || !trial_checkpoint_is_valid(c) ? -1 : 0;
}

/* ---- results ---- */

/* "TRL" and the format version. Increase it if a field below, or the tables of metrics, parts or
 * phases change. */
#define RESULT_MAGIC 0x54524c04u

static const char *const state_names[] = {
#define STATE_NAME(id, name) name,
    TRIAL_STATE_TABLE(STATE_NAME)
#undef STATE_NAME
};

static const char *const phase_names[] = {
#define PHASE_NAME(id, name) name,
    TRIAL_PHASE_TABLE(PHASE_NAME)
#undef PHASE_NAME
};

const char *trial_state_name(enum trial_state state)
{
    return state_names[state];
}

int trial_state_parse(const char *name)
{
    for (int i = 0; i < TRIAL_STATE_COUNT; i++)
        if (!strcmp(state_names[i], name))
            return i;
    return -1;
}

const char *trial_phase_name(enum trial_phase phase)
{
    return phase_names[phase];
}

void trial_result_init(struct trial_result *r, int64_t trial)
{
    memset(r, 0, sizeof *r);
    r->trial = trial;
    r->state = TRIAL_FAILED;
    r->value = r->predicted = NAN;
    for (int part = 0; part < PART_COUNT; part++) {
        r->losses[part] = NAN;
        for (int metric = 0; metric < METRIC_COUNT; metric++)
            r->metrics[part][metric] = NAN;
    }
}

void trial_result_release(struct trial_result *r)
{
    if (!r)
        return;
    free(r->curve);
    r->curve = NULL;
    r->n_curve = 0;
    free(r->model);
    r->model = NULL;
    r->model_bytes = 0;
}

void trial_result_pack(struct buf *out, const struct trial_result *r)
{
    buf_put_u32(out, RESULT_MAGIC);
    buf_put_i64(out, r->trial);
    buf_put_u32(out, r->state);
    buf_put_text(out, r->error);
    buf_put_f64(out, r->value);
    buf_put_u32(out, (uint32_t)r->epochs_run);
    buf_put_u32(out, (uint32_t)r->best_epoch);
    buf_put_f64(out, r->seconds);
    buf_put_f64(out, r->earlier_s);
    buf_put_u32(out, (uint32_t)r->resumed_epoch);
    buf_put_f64(out, r->flops);
    buf_put_i64(out, r->peak_bytes);
    buf_add(out, r->metrics, sizeof r->metrics);
    buf_add(out, r->losses, sizeof r->losses);
    buf_add(out, r->timing, sizeof r->timing);
    buf_put_u32(out, (uint32_t)r->rank);
    buf_put_u32(out, (uint32_t)r->pid);
    buf_put_text(out, r->host);
    buf_put_f64(out, r->started);
    buf_put_f64(out, r->finished);
    buf_put_u32(out, (uint32_t)r->n_curve);
    buf_add(out, r->curve, (size_t)r->n_curve * sizeof *r->curve);
    buf_put_u32(out, r->model != NULL);
    buf_put_i64(out, (int64_t)r->model_bytes);
    if (r->model)
        buf_add(out, r->model, r->model_bytes);
}

static void take_array(struct cursor *in, void *out, size_t bytes)
{
    const void *from = cursor_bytes(in, bytes);

    if (from)
        memcpy(out, from, bytes);
}

/* Check the size against the message before allocating. */
static void take_curve(struct trial_result *r, struct cursor *in)
{
    uint32_t n = cursor_u32(in);
    size_t bytes = (size_t)n * sizeof *r->curve;
    const void *from = cursor_bytes(in, bytes);

    if (!from || !n)
        return;
    r->curve = malloc(bytes);
    if (!r->curve) {
        in->failed = true;
        return;
    }
    memcpy(r->curve, from, bytes);
    r->n_curve = (int32_t)n;
}

static void take_model(struct trial_result *r, struct cursor *in)
{
    bool is_there = cursor_u32(in) != 0;
    size_t bytes = (size_t)cursor_i64(in);
    const void *from = is_there ? cursor_bytes(in, bytes) : NULL;

    if (!in->failed)
        r->model_bytes = bytes;
    if (!from)
        return;
    r->model = malloc(bytes);
    if (!r->model) {
        in->failed = true;
        return;
    }
    memcpy(r->model, from, bytes);
}

static void take_fields(struct trial_result *r, struct cursor *in)
{
    cursor_text(in, r->error, sizeof r->error);
    r->value = cursor_f64(in);
    r->epochs_run = (int32_t)cursor_u32(in);
    r->best_epoch = (int32_t)cursor_u32(in);
    r->seconds = cursor_f64(in);
    r->earlier_s = cursor_f64(in);
    r->resumed_epoch = (int32_t)cursor_u32(in);
    r->flops = cursor_f64(in);
    r->peak_bytes = cursor_i64(in);
    take_array(in, r->metrics, sizeof r->metrics);
    take_array(in, r->losses, sizeof r->losses);
    take_array(in, r->timing, sizeof r->timing);
    r->rank = (int32_t)cursor_u32(in);
    r->pid = (int32_t)cursor_u32(in);
    cursor_text(in, r->host, sizeof r->host);
    r->started = cursor_f64(in);
    r->finished = cursor_f64(in);
    take_curve(r, in);
    take_model(r, in);
}

int trial_result_unpack(struct trial_result *r, struct cursor *in)
{
    uint32_t magic = cursor_u32(in);
    uint32_t state;

    trial_result_init(r, cursor_i64(in));
    state = cursor_u32(in);
    if (magic != RESULT_MAGIC || state >= TRIAL_STATE_COUNT)
        return -1;
    r->state = (enum trial_state)state;
    take_fields(r, in);
    if (!in->failed)
        return 0;
    trial_result_release(r);
    return -1;
}
