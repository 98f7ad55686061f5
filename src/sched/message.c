/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/message.h"

#include <string.h>

/* "ESP" and the protocol version. */
#define MESSAGE_MAGIC 0x45535006u

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
    buf_add(out, gang, sizeof *gang);
}

void message_take_gang(struct message_gang *gang, struct cursor *in)
{
    const void *bytes = cursor_bytes(in, sizeof *gang);

    if (bytes)
        memcpy(gang, bytes, sizeof *gang);
    in->failed |= bytes && (gang->part.n_local < 0 || gang->part.n_local > TRIAL_LOCAL_RANKS);
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

int64_t message_count_trials(struct cursor *in)
{
    uint32_t n = cursor_u32(in);

    return in->failed || (in->size - in->at) / sizeof(int64_t) < n ? -1 : (int64_t)n;
}
