/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/traffic.h"

#include <string.h>

int traffic_cell(enum traffic_activity activity, size_t bytes)
{
    return activity <= TRAFFIC_AGREE
               ? TRAFFIC_SIZES * (int)activity + gang_size_class(bytes)
               : TRAFFIC_SIZED * TRAFFIC_SIZES + (int)activity - TRAFFIC_SIZED;
}

const char *traffic_cell_name(int cell, int64_t *size)
{
    static const char *const names[] = {
#define TRAFFIC_NAME(id, name) name,
        TRAFFIC_TABLE(TRAFFIC_NAME)
#undef TRAFFIC_NAME
    };
    int others = cell - TRAFFIC_SIZED * TRAFFIC_SIZES;

    *size = others < 0 ? INT64_C(64) << 2 * (cell % TRAFFIC_SIZES) : 0;
    return names[others < 0 ? cell / TRAFFIC_SIZES : others + TRAFFIC_SIZED];
}

int traffic_find_cell(const char *activity, int64_t size)
{
    int64_t its_size;

    for (int cell = 0; cell < TRAFFIC_CELLS; cell++)
        if (!strcmp(traffic_cell_name(cell, &its_size), activity) && (size < 0 || size == its_size))
            return cell;
    return -1;
}

/* ---- wire format ---- */

void traffic_pack(struct buf *out, const struct traffic *traffic)
{
    buf_add(out, traffic, sizeof *traffic);
}

int traffic_unpack(struct traffic *traffic, struct cursor *in)
{
    const void *bytes = cursor_bytes(in, sizeof *traffic);

    if (bytes)
        memcpy(traffic, bytes, sizeof *traffic);
    return bytes ? 0 : -1;
}

/* ---- the meter ---- */

void traffic_begin(struct traffic_meter *meter, const struct clock *clock,
                   enum traffic_activity activity, double since_s)
{
    *meter = (struct traffic_meter){.clock = clock, .now = activity, .since_s = since_s};
}

static void count(struct traffic_meter *meter, int cell, int64_t calls, size_t bytes)
{
    struct traffic_count *of = &meter->traffic.of[cell];
    double now_s = clock_now(meter->clock);

    of->seconds += now_s - meter->since_s;
    meter->since_s = now_s;
    of->calls += calls;
    of->bytes += (int64_t)bytes;
}

void traffic_update(struct traffic_meter *meter)
{
    count(meter, traffic_cell(meter->now, 0), 0, 0);
}

enum traffic_activity traffic_enter(struct traffic_meter *meter, enum traffic_activity activity)
{
    enum traffic_activity left = meter->now;

    traffic_update(meter);
    meter->now = activity;
    return left;
}

static void leave_message(struct traffic_meter *meter, enum traffic_activity activity, size_t bytes,
                          enum traffic_activity back)
{
    count(meter, traffic_cell(activity, bytes), 1, bytes);
    meter->now = back;
}

void traffic_leave(struct traffic_meter *meter, enum traffic_activity back)
{
    leave_message(meter, meter->now, 0, back);
}

void traffic_add_message(struct traffic *traffic, enum traffic_activity activity, size_t bytes)
{
    struct traffic_count *of = &traffic->of[traffic_cell(activity, bytes)];

    of->calls++;
    of->bytes += (int64_t)bytes;
}

int traffic_send(struct traffic_meter *meter, const struct world *world, int32_t to,
                 const struct buf *message, struct err *err)
{
    enum traffic_activity back = traffic_enter(meter, TRAFFIC_SCHEDULE);
    int rc = world_send(world, to, message, err);

    if (rc)
        traffic_leave(meter, back);
    else
        leave_message(meter, TRAFFIC_SEND, message->size, back);
    return rc;
}

int traffic_receive(struct traffic_meter *meter, const struct world *world, int32_t *from,
                    struct buf *message, struct err *err)
{
    enum traffic_activity back = traffic_enter(meter, TRAFFIC_POLL);
    int got = world_receive(world, from, message, err);

    if (got > 0)
        leave_message(meter, TRAFFIC_RECEIVE, message->size, back);
    else
        traffic_leave(meter, back);
    return got;
}
