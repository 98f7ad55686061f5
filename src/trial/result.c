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
#define RESULT_MAGIC 0x54524c05u

/* Flags of a packed result. */
enum { HAS_MODEL = 1, HAS_REPORT = 2, DROPS_CHECKPOINT = 4 };

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

static void release_report(struct trial_result *r)
{
    free(r->reported);
    free(r->epochs);
    free(r->curve_names);
    free(r->points);
    free(r->log);
    for (int32_t i = 0; i < r->n_files; i++)
        free(r->files[i]);
    free(r->files);
    free(r->files_bytes);
    free(r->restarts);
    r->restarts = NULL;
    r->reported = NULL;
    r->epochs = NULL;
    r->curve_names = NULL;
    r->points = NULL;
    r->log = NULL;
    r->files = NULL;
    r->files_bytes = NULL;
    r->n_reported = r->n_curve_names = r->n_points = r->n_files = r->n_restarts = 0;
    r->log_bytes = 0;
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
    release_report(r);
}

static bool has_report(const struct trial_result *r)
{
    return r->reported || r->epochs || r->n_points || r->log || r->n_files || r->n_restarts;
}

static void pack_report(struct buf *out, const struct trial_result *r)
{
    buf_put_u32(out, (uint32_t)r->n_reported);
    for (int32_t i = 0; i < r->n_reported; i++) {
        buf_put_text(out, r->reported[i].name);
        buf_put_f64(out, r->reported[i].value);
    }
    buf_put_u32(out, r->epochs != NULL);
    if (r->epochs)
        buf_add(out, r->epochs, (size_t)r->n_curve * sizeof *r->epochs);
    buf_put_u32(out, (uint32_t)r->n_curve_names);
    for (int32_t i = 0; i < r->n_curve_names; i++)
        buf_put_text(out, r->curve_names[i]);
    buf_put_u32(out, (uint32_t)r->n_points);
    buf_add(out, r->points, (size_t)r->n_points * sizeof *r->points);
    buf_put_u32(out, r->log != NULL);
    buf_put_i64(out, r->log_total);
    buf_put_i64(out, (int64_t)r->log_bytes);
    buf_add(out, r->log, r->log_bytes);
    buf_put_u32(out, (uint32_t)r->n_files);
    for (int32_t i = 0; i < r->n_files; i++) {
        buf_put_text(out, r->files[i]);
        buf_put_i64(out, r->files_bytes[i]);
    }
    buf_put_u32(out, (uint32_t)r->n_restarts);
    buf_add(out, r->restarts, (size_t)r->n_restarts * sizeof *r->restarts);
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
    buf_put_u32(out, (r->model ? HAS_MODEL : 0) | (has_report(r) ? HAS_REPORT : 0) |
                         (r->drops_checkpoint ? DROPS_CHECKPOINT : 0));
    buf_put_i64(out, (int64_t)r->model_bytes);
    if (r->model)
        buf_add(out, r->model, r->model_bytes);
    if (has_report(r))
        pack_report(out, r);
}

static void take_array(struct cursor *in, void *out, size_t bytes)
{
    const void *from = cursor_bytes(in, bytes);

    if (from)
        memcpy(out, from, bytes);
}

/* Copy an array of n elements, whose size is checked against the message first. NULL: n is 0, or in
 * has failed. */
static void *take_copy(struct cursor *in, size_t n, size_t size)
{
    const void *from = n > in->size ? NULL : cursor_bytes(in, n * size);
    void *copy;

    if (!from || !n) {
        in->failed |= !from;
        return NULL;
    }
    copy = malloc(n * size);
    if (copy)
        memcpy(copy, from, n * size);
    in->failed |= !copy;
    return copy;
}

static void take_curve(struct trial_result *r, struct cursor *in)
{
    uint32_t n = cursor_u32(in);

    r->curve = take_copy(in, n, sizeof *r->curve);
    r->n_curve = r->curve ? (int32_t)n : 0;
}

static void take_model(struct trial_result *r, struct cursor *in, bool has_model)
{
    size_t bytes = (size_t)cursor_i64(in);

    if (!in->failed)
        r->model_bytes = bytes;
    if (has_model)
        r->model = take_copy(in, bytes, 1);
}

/* Memory for n elements, each of at least `packed` bytes in the rest of the message. */
static void *make_array(struct cursor *in, uint32_t n, size_t size, size_t packed)
{
    void *array = NULL;

    if (!in->failed && n && n <= (in->size - in->at) / packed)
        array = calloc(n, size);
    in->failed |= n && !array;
    return array;
}

enum { PACKED_TEXT = 4, PACKED_NUMBER = 8 };

static void take_reported(struct trial_result *r, struct cursor *in)
{
    uint32_t n = cursor_u32(in);

    r->reported = make_array(in, n, sizeof *r->reported, PACKED_TEXT + PACKED_NUMBER);
    r->n_reported = r->reported ? (int32_t)n : 0;
    for (int32_t i = 0; i < r->n_reported; i++) {
        cursor_text(in, r->reported[i].name, sizeof r->reported[i].name);
        r->reported[i].value = cursor_f64(in);
    }
}

static void take_epochs(struct trial_result *r, struct cursor *in)
{
    if (!cursor_u32(in))
        return;
    r->epochs = take_copy(in, (size_t)r->n_curve, sizeof *r->epochs);
    for (int32_t i = 0; r->epochs && i < r->n_curve; i++)
        in->failed |= r->epochs[i] < 0 || (i && r->epochs[i] <= r->epochs[i - 1]);
}

static void take_points(struct trial_result *r, struct cursor *in)
{
    uint32_t n = cursor_u32(in);

    r->curve_names = make_array(in, n, sizeof *r->curve_names, PACKED_TEXT);
    r->n_curve_names = r->curve_names ? (int32_t)n : 0;
    for (int32_t i = 0; i < r->n_curve_names; i++)
        cursor_text(in, r->curve_names[i], sizeof r->curve_names[i]);
    n = cursor_u32(in);
    r->points = take_copy(in, n, sizeof *r->points);
    r->n_points = r->points ? (int32_t)n : 0;
    for (int32_t i = 0; i < r->n_points; i++)
        in->failed |= r->points[i].name < 0 || r->points[i].name >= r->n_curve_names;
}

/* An empty log differs from none. */
static void take_log(struct trial_result *r, struct cursor *in)
{
    bool has_log = cursor_u32(in) != 0;
    int64_t total = cursor_i64(in);
    size_t bytes = (size_t)cursor_i64(in);

    r->log = take_copy(in, bytes, 1);
    if (has_log && !r->log && !in->failed) {
        r->log = calloc(1, 1);
        in->failed |= !r->log;
    }
    r->log_bytes = in->failed ? 0 : bytes;
    r->log_total = total;
    in->failed |= total < 0 || (uint64_t)total < bytes || (bytes && !has_log);
}

static char *take_name(struct cursor *in)
{
    uint32_t n = cursor_u32(in);
    const char *from = cursor_bytes(in, n);
    char *name = from ? strndup(from, n) : NULL;

    in->failed |= !name;
    return name;
}

static void take_files(struct trial_result *r, struct cursor *in)
{
    uint32_t n = cursor_u32(in);

    r->files = make_array(in, n, sizeof *r->files, PACKED_TEXT + PACKED_NUMBER);
    r->files_bytes = make_array(in, n, sizeof *r->files_bytes, PACKED_TEXT + PACKED_NUMBER);
    r->n_files = r->files && r->files_bytes ? (int32_t)n : 0;
    for (int32_t i = 0; i < r->n_files; i++) {
        r->files[i] = take_name(in);
        r->files_bytes[i] = cursor_i64(in);
        in->failed |= r->files_bytes[i] < 0;
    }
}

static void take_restarts(struct trial_result *r, struct cursor *in)
{
    uint32_t n = cursor_u32(in);

    r->restarts = take_copy(in, n, sizeof *r->restarts);
    r->n_restarts = r->restarts ? (int32_t)n : 0;
}

static void take_report(struct trial_result *r, struct cursor *in)
{
    take_reported(r, in);
    take_epochs(r, in);
    take_points(r, in);
    take_log(r, in);
    take_files(r, in);
    take_restarts(r, in);
}

static void take_fields(struct trial_result *r, struct cursor *in)
{
    uint32_t flags;

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
    flags = cursor_u32(in);
    take_model(r, in, flags & HAS_MODEL);
    r->drops_checkpoint = flags & DROPS_CHECKPOINT;
    if (flags & HAS_REPORT)
        take_report(r, in);
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
