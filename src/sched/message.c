/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/message.h"

/* "ESP" and the protocol version. */
#define MESSAGE_MAGIC 0x45535005u

void message_begin(struct buf *out, enum message_kind kind)
{
    buf_clear(out);
    buf_put_u32(out, MESSAGE_MAGIC);
    buf_put_u32(out, kind);
}

void message_put_trials(struct buf *out, const int64_t *trials, uint32_t n)
{
    buf_put_u32(out, n);
    buf_add(out, trials, n * sizeof *trials);
}

void message_put_gang(struct buf *out, const struct message_gang *gang)
{
    const struct trial_gang *part = &gang->part;

    buf_put_i64(out, gang->number);
    buf_put_i64(out, gang->trial);
    buf_put_i64(out, gang->id);
    buf_put_f64(out, gang->expected_s);
    buf_put_u32(out, (uint32_t)part->rank);
    buf_put_u32(out, (uint32_t)part->size);
    buf_put_u32(out, (uint32_t)part->local_rank);
    buf_put_u32(out, (uint32_t)part->local_size);
    buf_put_u32(out, (uint32_t)part->host);
    buf_put_u32(out, (uint32_t)part->n_hosts);
    buf_put_u32(out, (uint32_t)part->port);
    buf_put_text(out, part->address);
    buf_put_text(out, part->token);
    buf_put_u32(out, (uint32_t)part->n_local);
    for (int32_t i = 0; i < part->n_local; i++)
        buf_put_u32(out, (uint32_t)part->local_ranks[i]);
}

void message_take_gang(struct message_gang *gang, struct cursor *in)
{
    struct trial_gang *part = &gang->part;

    gang->number = cursor_i64(in);
    gang->trial = cursor_i64(in);
    gang->id = cursor_i64(in);
    gang->expected_s = cursor_f64(in);
    part->rank = (int32_t)cursor_u32(in);
    part->size = (int32_t)cursor_u32(in);
    part->local_rank = (int32_t)cursor_u32(in);
    part->local_size = (int32_t)cursor_u32(in);
    part->host = (int32_t)cursor_u32(in);
    part->n_hosts = (int32_t)cursor_u32(in);
    part->port = (int32_t)cursor_u32(in);
    cursor_text(in, part->address, sizeof part->address);
    cursor_text(in, part->token, sizeof part->token);
    part->n_local = (int32_t)cursor_u32(in);
    in->failed |= part->n_local < 0 || part->n_local > TRIAL_LOCAL_RANKS;
    for (int32_t i = 0; i < part->n_local && !in->failed; i++)
        part->local_ranks[i] = (int32_t)cursor_u32(in);
}

int message_open(struct cursor *in, enum message_kind *kind, const struct buf *message,
                 struct err *err)
{
    uint32_t magic, number;

    *in = (struct cursor){.data = message->data, .size = message->size};
    magic = cursor_u32(in);
    number = cursor_u32(in);
    if (in->failed || magic != MESSAGE_MAGIC)
        return err_set(err, "message of %zu bytes is foreign: do all ranks run the same program?",
                       message->size);
    if (number >= MESSAGE_KIND_COUNT)
        return err_set(err, "message of kind %u: must be below %d", number, MESSAGE_KIND_COUNT);
    *kind = (enum message_kind)number;
    return 0;
}

bool message_is(const struct buf *message, enum message_kind wanted)
{
    struct cursor in;
    enum message_kind kind;
    struct err err;

    return !message_open(&in, &kind, message, &err) && kind == wanted;
}

int64_t message_count_trials(struct cursor *in, struct err *err)
{
    uint32_t n = cursor_u32(in);

    if (in->failed || (in->size - in->at) / sizeof(int64_t) < n)
        return err_set(err, "message of %u trials is truncated at %zu bytes", n, in->size);
    return n;
}
