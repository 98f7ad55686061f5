#include "sched/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OUTSIDE (-1)

int order_init(struct order *order, int32_t n_groups, const double *seconds, struct err *err)
{
    size_t n = (size_t)n_groups + 1;

    *order = (struct order){.n_groups = n_groups};
    order->seconds = calloc(n, sizeof *order->seconds);
    order->heap = malloc(n * sizeof *order->heap);
    order->places = malloc(n * sizeof *order->places);
    if (!order->seconds || !order->heap || !order->places) {
        order_release(order);
        return err_nomem(err, "order of trials", n * 16);
    }
    if (seconds && n_groups)
        memcpy(order->seconds, seconds, (size_t)n_groups * sizeof *seconds);
    for (int32_t group = 0; group < n_groups; group++)
        order->places[group] = OUTSIDE;
    return 0;
}

void order_release(struct order *order)
{
    free(order->seconds);
    free(order->heap);
    free(order->places);
    *order = (struct order){0};
}

static bool is_before(const struct order *order, int32_t a, int32_t b)
{
    double a_s = order->seconds[a], b_s = order->seconds[b];

    return a_s > b_s || (a_s == b_s && a < b);
}

static void put(struct order *order, int32_t place, int32_t group)
{
    order->heap[place] = group;
    order->places[group] = place;
}

static void rise(struct order *order, int32_t place)
{
    int32_t group = order->heap[place];

    while (place > 0 && is_before(order, group, order->heap[(place - 1) / 2])) {
        put(order, place, order->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(order, place, group);
}

static void sink(struct order *order, int32_t place)
{
    int32_t group = order->heap[place];

    for (;;) {
        int64_t child = 2 * (int64_t)place + 1;

        if (child + 1 < order->n && is_before(order, order->heap[child + 1], order->heap[child]))
            child++;
        if (child >= order->n || !is_before(order, order->heap[child], group))
            break;
        put(order, place, order->heap[child]);
        place = (int32_t)child;
    }
    put(order, place, group);
}

/* It may have to go either way. */
static void settle(struct order *order, int32_t place)
{
    int32_t group = order->heap[place];

    rise(order, place);
    sink(order, order->places[group]);
}

void order_add(struct order *order, int32_t group)
{
    assert(group >= 0 && group < order->n_groups);
    if (order->places[group] != OUTSIDE)
        return;
    put(order, order->n++, group);
    rise(order, order->places[group]);
}

void order_remove(struct order *order, int32_t group)
{
    int32_t place = order->places[group];

    if (place == OUTSIDE)
        return;
    order->places[group] = OUTSIDE;
    if (place == --order->n)
        return;
    put(order, place, order->heap[order->n]);
    settle(order, place);
}

void order_set(struct order *order, int32_t group, double seconds)
{
    order->seconds[group] = seconds;
    if (order->places[group] != OUTSIDE)
        settle(order, order->places[group]);
}

int32_t order_first(const struct order *order)
{
    return order->n ? order->heap[0] : OUTSIDE;
}

bool order_check(const struct order *order, struct err *err)
{
    for (int32_t place = 0; place < order->n; place++) {
        int32_t group = order->heap[place];

        if (order->places[group] != place)
            return !err_set(err, "group %d stands at %d, not at %d", group, order->places[group],
                            place);
        if (place && is_before(order, group, order->heap[(place - 1) / 2]))
            return !err_set(err, "group %d of %g s waits behind one of %g s", group,
                            order->seconds[group], order->seconds[order->heap[(place - 1) / 2]]);
    }
    return true;
}
