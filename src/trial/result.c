/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/result.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "gcn/train.h"

/* ---- checkpoints ---- */

bool trial_checkpoint_is_valid(const struct trial_checkpoint *c)
{
    return c->epoch >= 1 && c->left >= 0 && c->left < 1 && c->seconds >= 0 && isfinite(c->seconds);
}

/* All but the state is sent as it is. */
#define CHECKPOINT_NUMBERS offsetof(struct trial_checkpoint, state)

void trial_checkpoint_pack(struct buf *out, const struct trial_checkpoint *c)
{
    buf_add(out, c, CHECKPOINT_NUMBERS);
    buf_add(out, c->state, c->bytes);
}

int trial_checkpoint_unpack(struct trial_checkpoint *c, struct cursor *in)
{
    const void *numbers = cursor_bytes(in, CHECKPOINT_NUMBERS);

    memset(c, 0, sizeof *c);
    if (!numbers)
        return -1;
    memcpy(c, numbers, CHECKPOINT_NUMBERS);
    c->state = cursor_bytes(in, c->bytes);
    return in->failed || !trial_checkpoint_is_valid(c) ? -1 : 0;
}

/* ---- results ---- */

/* "TRL" and the format version. Increase it if struct trial_result changes. */
#define RESULT_MAGIC 0x54524c06u

/* Numbers at the begin of struct trial_result. */
#define NUMBERS offsetof(struct trial_result, error)

/* Flags of a packed result: arrays that may be missing whatever their count. */
enum { HAS_MODEL = 1, HAS_EPOCHS = 2, HAS_LOG = 4 };

/* X(array, count): the others. */
#define ARRAYS(X)                 \
    X(curve, n_curve)             \
    X(reported, n_reported)       \
    X(curve_names, n_curve_names) \
    X(points, n_points)           \
    X(restarts, n_restarts)       \
    X(files_bytes, n_files)

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

bool trial_is_result(const char *outcome)
{
    const int state = trial_state_parse(outcome);

    return state > TRIAL_RUNNING && state != TRIAL_STOPPED;
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
    for (int32_t i = 0; r->files && i < r->n_files; i++)
        free(r->files[i]);
    free(r->files);
    free(r->epochs);
    free(r->model);
    free(r->log);
    r->files = NULL;
    r->epochs = NULL;
    r->model = r->log = NULL;
    r->model_bytes = r->log_bytes = 0;
#define RELEASE(array, count) \
    free(r->array);           \
    r->array = NULL;          \
    r->count = 0;
    ARRAYS(RELEASE)
#undef RELEASE
}

void trial_result_pack(struct buf *out, const struct trial_result *r)
{
    buf_put_u32(out, RESULT_MAGIC);
    buf_add(out, r, NUMBERS);
    buf_put_text(out, r->error);
    buf_put_text(out, r->host);
    buf_put_u32(out,
                (r->model ? HAS_MODEL : 0) | (r->epochs ? HAS_EPOCHS : 0) | (r->log ? HAS_LOG : 0));
#define PACK(array, count) buf_add(out, r->array, (size_t)r->count * sizeof *r->array);
    ARRAYS(PACK)
#undef PACK
    if (r->epochs)
        buf_add(out, r->epochs, (size_t)r->n_curve * sizeof *r->epochs);
    if (r->model)
        buf_add(out, r->model, r->model_bytes);
    if (r->log)
        buf_add(out, r->log, r->log_bytes);
    for (int32_t i = 0; i < r->n_files; i++)
        buf_put_text(out, r->files[i]);
}

/* Copy an array of n elements, whose size is checked against the message first. NULL: n is 0, or in
 * has failed. */
static void *take_copy(struct cursor *in, size_t n, size_t size)
{
    const void *from = n > in->size ? NULL : cursor_bytes(in, n * size);
    void *copy = from && n ? malloc(n * size) : NULL;

    if (copy)
        memcpy(copy, from, n * size);
    in->failed |= n && !copy;
    return copy;
}

static void take_files(struct trial_result *r, struct cursor *in)
{
    int32_t n = r->n_files;

    r->n_files = 0;
    if (n && !in->failed)
        r->files = calloc((size_t)n, sizeof *r->files); /* as many as files_bytes */
    in->failed |= n && !r->files;
    while (!in->failed && r->n_files < n) {
        uint32_t size = cursor_u32(in);
        const char *from = cursor_bytes(in, size);
        char *name = from ? strndup(from, size) : NULL;

        r->files[r->n_files] = name;
        in->failed |= !name || r->files_bytes[r->n_files] < 0;
        r->n_files++;
    }
}

static bool is_possible(const struct trial_result *r)
{
    bool is = r->log_total >= 0 && (uint64_t)r->log_total >= r->log_bytes;

    for (int32_t i = 0; r->epochs && i < r->n_curve; i++)
        is &= r->epochs[i] >= 0 && (!i || r->epochs[i] > r->epochs[i - 1]);
    for (int32_t i = 0; i < r->n_points; i++)
        is &= r->points[i].name >= 0 && r->points[i].name < r->n_curve_names;
    return is;
}

int trial_result_unpack(struct trial_result *r, struct cursor *in)
{
    uint32_t magic = cursor_u32(in), flags;
    const void *numbers = cursor_bytes(in, NUMBERS);

    trial_result_init(r, 0);
    if (magic != RESULT_MAGIC || !numbers)
        return -1;
    memcpy(r, numbers, NUMBERS);
    r->predicted = NAN;
    cursor_text(in, r->error, sizeof r->error);
    cursor_text(in, r->host, sizeof r->host);
    flags = cursor_u32(in);
#define TAKE(array, count) r->array = take_copy(in, (size_t)r->count, sizeof *r->array);
    ARRAYS(TAKE)
#undef TAKE
    if (flags & HAS_EPOCHS)
        r->epochs = take_copy(in, (size_t)r->n_curve, sizeof *r->epochs);
    if (flags & HAS_MODEL)
        r->model = take_copy(in, r->model_bytes, 1);
    if (flags & HAS_LOG) /* an empty log differs from none */
        r->log = r->log_bytes ? take_copy(in, r->log_bytes, 1) : calloc(1, 1);
    in->failed |= (size_t)r->state >= TRIAL_STATE_COUNT || (!r->log && r->log_bytes);
    take_files(r, in);
    if (!in->failed && is_possible(r))
        return 0;
    trial_result_release(r);
    return -1;
}
