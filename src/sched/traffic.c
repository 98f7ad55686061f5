/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/traffic.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define LEAST_BYTES 64
#define CLASS_BITS 2 /* each class is four times the one before */

static bool has_size(enum traffic_activity activity)
{
    return activity <= TRAFFIC_AGREE;
}

static int64_t largest(int class)
{
    return (int64_t)LEAST_BYTES << (CLASS_BITS * class);
}

int traffic_cell(enum traffic_activity activity, size_t bytes)
{
    int class = 0;

    if (!has_size(activity))
        return TRAFFIC_SIZED * TRAFFIC_SIZES + (int)activity - TRAFFIC_SIZED;
    while (class < TRAFFIC_SIZES - 1 && bytes > (size_t)largest(class))
        class ++;
    return TRAFFIC_SIZES * (int)activity + class;
}

const char *traffic_cell_name(int cell, int64_t *size)
{
    static const char *const names[] = {
#define TRAFFIC_NAME(id, name) name,
        TRAFFIC_TABLE(TRAFFIC_NAME)
#undef TRAFFIC_NAME
    };
    int others = cell - TRAFFIC_SIZED * TRAFFIC_SIZES;

    *size = others < 0 ? largest(cell % TRAFFIC_SIZES) : 0;
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

static bool is_empty(const struct traffic_count *count)
{
    return !count->calls && !(count->seconds > 0);
}

void traffic_pack(struct buf *out, const struct traffic *traffic)
{
    uint32_t n = 0;

    for (int i = 0; i < TRAFFIC_CELLS; i++)
        n += !is_empty(&traffic->of[i]);
    buf_put_u32(out, n);
    for (uint32_t i = 0; i < TRAFFIC_CELLS; i++) {
        const struct traffic_count *count = &traffic->of[i];

        if (is_empty(count))
            continue;
        buf_put_u32(out, i);
        buf_put_i64(out, count->calls);
        buf_put_i64(out, count->bytes);
        buf_put_f64(out, count->seconds);
    }
}

int traffic_unpack(struct traffic *traffic, struct cursor *in)
{
    uint32_t n = cursor_u32(in);

    *traffic = (struct traffic){0};
    if (n > TRAFFIC_CELLS)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cell = cursor_u32(in);
        struct traffic_count count;

        count.calls = cursor_i64(in);
        count.bytes = cursor_i64(in);
        count.seconds = cursor_f64(in);
        if (in->failed || cell >= TRAFFIC_CELLS || count.calls < 0 || count.bytes < 0 ||
            !(count.seconds >= 0 && isfinite(count.seconds)))
            return -1;
        traffic->of[cell] = count;
    }
    return in->failed ? -1 : 0;
}

/* ---- the meter ---- */

void traffic_begin(struct traffic_meter *meter, const struct clock *clock,
                   enum traffic_activity activity, double since_s)
{
    *meter = (struct traffic_meter){.clock = clock, .now = activity, .since_s = since_s};
}

static double lap(struct traffic_meter *meter)
{
    double now_s = clock_now(meter->clock), seconds = now_s - meter->since_s;

    meter->since_s = now_s;
    return seconds;
}

static void count(struct traffic_meter *meter, int cell, int64_t calls, size_t bytes)
{
    struct traffic_count *of = &meter->traffic.of[cell];

    of->seconds += lap(meter);
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

void traffic_leave(struct traffic_meter *meter, enum traffic_activity back)
{
    count(meter, traffic_cell(meter->now, 0), 1, 0);
    meter->now = back;
}

static void leave_message(struct traffic_meter *meter, enum traffic_activity activity, size_t bytes,
                          enum traffic_activity back)
{
    count(meter, traffic_cell(activity, bytes), 1, bytes);
    meter->now = back;
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
