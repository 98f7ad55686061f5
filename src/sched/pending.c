/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pending.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "sched/list.h"

#define OUTSIDE (-1)
/* Buckets range from 30 ns to 97 days; values beyond go into the first or last. */
#define LEAST_EXPONENT (-24)
#define LEAST_S 0x1p-25
#define MOST_S 0x1p23

int pending_order_init(struct pending_order *order, int32_t n_groups, int32_t n_tiers,
                       struct err *err)
{
    size_t n = (size_t)n_groups + 1;

    *order = (struct pending_order){.n_groups = n_groups, .n_tiers = n_tiers};
    order->seconds = calloc(n, sizeof *order->seconds);
    order->places = malloc(n * sizeof *order->places);
    order->links = malloc(n * sizeof *order->links);
    order->tiers = calloc((size_t)n_tiers, sizeof *order->tiers);
    order->tier_of = n_tiers > 1 ? calloc(n, sizeof *order->tier_of) : NULL;
    if (!order->seconds || !order->places || !order->links || !order->tiers ||
        (n_tiers > 1 && !order->tier_of)) {
        pending_order_release(order);
        return err_nomem(err, "order of trials",
                         n * (sizeof *order->seconds + sizeof(struct link)) +
                             (size_t)n_tiers * sizeof *order->tiers);
    }
    for (int32_t group = 0; group < n_groups; group++)
        order->places[group] = OUTSIDE;
    for (int32_t tier = 0; tier < n_tiers; tier++)
        for (int32_t bucket = 0; bucket < PENDING_ORDER_BUCKETS; bucket++)
            list_init(&order->tiers[tier].of[bucket]);
    return 0;
}

void pending_order_release(struct pending_order *order)
{
    free(order->seconds);
    free(order->places);
    free(order->links);
    free(order->tiers);
    free(order->tier_of);
    *order = (struct pending_order){0};
}

static struct pending_buckets *buckets_of(const struct pending_order *order, int32_t group)
{
    return &order->tiers[order->tier_of ? order->tier_of[group] : 0];
}

static int32_t bucket_of(double seconds)
{
    double fraction; /* [0.5, 1) */
    int exponent;

    if (!(seconds > LEAST_S))
        return 0;
    if (seconds >= MOST_S)
        return PENDING_ORDER_BUCKETS - 1;
    fraction = frexp(seconds, &exponent);
    return (exponent - LEAST_EXPONENT) * PENDING_ORDER_STEPS +
           (int32_t)((fraction - 0.5) * (2 * PENDING_ORDER_STEPS));
}

static void mark(struct pending_order *order, int32_t group, int32_t bucket)
{
    buckets_of(order, group)->filled[bucket / 64] |= UINT64_C(1) << bucket % 64;
    order->places[group] = (int16_t)bucket;
}

static void take(struct pending_order *order, int32_t group)
{
    struct pending_buckets *buckets = buckets_of(order, group);
    int32_t bucket = order->places[group];

    list_remove(&buckets->of[bucket], order->links, group);
    if (!buckets->of[bucket].n)
        buckets->filled[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
    order->places[group] = OUTSIDE;
}

void pending_order_add(struct pending_order *order, int32_t group, double seconds)
{
    int32_t bucket = bucket_of(seconds);

    assert(group >= 0 && group < order->n_groups);
    if (pending_order_has(order, group))
        return;
    order->seconds[group] = seconds;
    list_prepend(&buckets_of(order, group)->of[bucket], order->links, group);
    mark(order, group, bucket);
    buckets_of(order, group)->n++;
}

void pending_order_remove(struct pending_order *order, int32_t group)
{
    if (!pending_order_has(order, group))
        return;
    take(order, group);
    buckets_of(order, group)->n--;
}

void pending_order_set(struct pending_order *order, int32_t group, double seconds)
{
    int32_t bucket = bucket_of(seconds);

    if (!pending_order_has(order, group))
        return;
    order->seconds[group] = seconds;
    if (bucket == order->places[group])
        return;
    take(order, group);
    list_append(&buckets_of(order, group)->of[bucket], order->links, group);
    mark(order, group, bucket);
}

/* Return the highest non-empty bucket up to `bucket`; -1: none. */
static int32_t highest(const struct pending_buckets *buckets, int32_t bucket)
{
    uint64_t mask = bucket < 0 ? 0 : ~UINT64_C(0) >> (63 - bucket % 64);

    for (int32_t word = bucket < 0 ? -1 : bucket / 64; word >= 0; word--) {
        uint64_t bits = buckets->filled[word] & mask;

        if (bits)
            return word * 64 + 63 - __builtin_clzll(bits);
        mask = ~UINT64_C(0);
    }
    return -1;
}

int32_t pending_order_first(const struct pending_order *order, int32_t tier, double most_s)
{
    const struct pending_buckets *buckets = &order->tiers[tier];
    int32_t bucket = highest(buckets, !buckets->n || most_s < 0 ? -1 : bucket_of(most_s));

    if (bucket >= 0 && order->seconds[buckets->of[bucket].first] > most_s)
        bucket = highest(buckets, bucket - 1);
    return bucket < 0 ? OUTSIDE : (int32_t)buckets->of[bucket].first;
}

void pending_order_set_tier(struct pending_order *order, int32_t group, int32_t tier)
{
    bool is_in = pending_order_has(order, group);

    if (is_in)
        pending_order_remove(order, group);
    order->tier_of[group] = tier;
    if (is_in)
        pending_order_add(order, group, order->seconds[group]);
}

bool pending_order_has(const struct pending_order *order, int32_t group)
{
    return order->places[group] != OUTSIDE;
}

static int check_tier(const struct pending_order *order, int32_t tier, struct err *err)
{
    const struct pending_buckets *buckets = &order->tiers[tier];
    int64_t n = 0;

    for (int32_t bucket = 0; bucket < PENDING_ORDER_BUCKETS; bucket++) {
        const struct list *list = &buckets->of[bucket];

        if (list_check(list, order->links, err))
            return err_wrap(err, "bucket %d", bucket);
        if ((list->n > 0) != (buckets->filled[bucket / 64] >> bucket % 64 & 1))
            return err_set(err, "bucket %d of %ld groups is marked wrongly", bucket, (long)list->n);
        for (int64_t g = list->first; g != LIST_END; g = order->links[g].next)
            if (order->places[g] != bucket || bucket_of(order->seconds[g]) != bucket ||
                buckets_of(order, (int32_t)g) != buckets)
                return err_set(err, "group %ld of %g s stands in bucket %d and says %d", (long)g,
                               order->seconds[g], bucket, order->places[g]);
        n += list->n;
    }
    return n == buckets->n ? 0
                           : err_set(err, "%ld groups are in, counted as %d", (long)n, buckets->n);
}

int pending_order_check(const struct pending_order *order, struct err *err)
{
    for (int32_t tier = 0; tier < order->n_tiers; tier++)
        if (check_tier(order, tier, err))
            return err_wrap(err, "tier %d", tier);
    return 0;
}

int pending_init(struct pending *pending, struct link *links, int64_t n_trials, int64_t group_size,
                 const double *expected_s, struct err *err)
{
    int32_t n_groups = (int32_t)((n_trials + group_size - 1) / group_size);

    *pending = (struct pending){
        .links = links, .group_size = group_size, .n_groups = n_groups, .n_tiers = 1};
    for (int kind = 0; kind < PENDING_KINDS; kind++)
        if (pending_order_init(&pending->orders[kind], n_groups, 1, err))
            return -1;
    pending->widths = malloc(sizeof *pending->widths);
    pending->groups = calloc((size_t)n_groups + 1, sizeof *pending->groups);
    if (!pending->widths || !pending->groups)
        return err_nomem(err, "groups of trials", (size_t)n_groups * sizeof *pending->groups);
    pending->widths[0] = 1;
    for (int32_t g = 0; g < n_groups; g++) {
        pending->groups[g].seconds = expected_s ? expected_s[g] : 0;
        pending->groups[g].width = 1;
        for (int kind = 0; kind < PENDING_KINDS; kind++)
            list_init(&pending->groups[g].waiting[kind]);
    }
    return 0;
}

void pending_release(struct pending *pending)
{
    for (int kind = 0; kind < PENDING_KINDS; kind++)
        pending_order_release(&pending->orders[kind]);
    free(pending->groups);
    free(pending->widths);
    *pending = (struct pending){0};
}

static int ascending(const void *a_, const void *b_)
{
    const int32_t *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

int pending_allow_widths(struct pending *pending, const int32_t *widths, int32_t n, struct err *err)
{
    int32_t *grown = realloc(pending->widths, ((size_t)n + 1) * sizeof *grown);

    if (!grown)
        return err_nomem(err, "widths of trials", ((size_t)n + 1) * sizeof *grown);
    memcpy(grown + 1, widths, (size_t)n * sizeof *grown);
    pending->widths = grown;
    pending->n_tiers = n + 1;
    for (int kind = 0; kind < PENDING_KINDS; kind++) {
        struct pending_order *order = &pending->orders[kind];

        pending_order_release(order);
        if (pending_order_init(order, pending->n_groups, pending->n_tiers, err))
            return -1;
        for (int32_t g = pending->n_groups; g-- > 0;)
            if (pending->groups[g].waiting[kind].n)
                pending_order_add(order, g, pending->groups[g].seconds);
    }
    return 0;
}

void pending_set_width(struct pending *pending, int32_t g, int32_t width)
{
    struct pending_group *group = &pending->groups[g];
    const int32_t *tier = bsearch(&width, pending->widths, (size_t)pending->n_tiers,
                                  sizeof *pending->widths, ascending);

    assert(tier);
    if (width == group->width)
        return;
    for (int kind = 0; kind < PENDING_KINDS; kind++) {
        int64_t n = group->waiting[kind].n;

        pending->seconds += (width - group->width) * group->seconds * (double)n;
        pending->n_wide += ((width > 1) - (group->width > 1)) * n;
        pending_order_set_tier(&pending->orders[kind], g, (int32_t)(tier - pending->widths));
    }
    group->width = width;
}

static double area(const struct pending_group *group)
{
    return group->width * group->seconds;
}

int32_t pending_group_of(const struct pending *pending, int64_t trial)
{
    return (int32_t)(trial / pending->group_size);
}

void pending_add(struct pending *pending, int64_t trial, enum pending_kind kind)
{
    int32_t g = pending_group_of(pending, trial);
    struct pending_group *group = &pending->groups[g];

    if (kind == PENDING_SUSPECT)
        list_append(&group->waiting[kind], pending->links, trial);
    else
        list_prepend(&group->waiting[kind], pending->links, trial);
    pending_order_add(&pending->orders[kind], g, group->seconds);
    pending->seconds += area(group);
    pending->n++;
    pending->n_wide += group->width > 1;
}

void pending_remove(struct pending *pending, int64_t trial, enum pending_kind kind)
{
    int32_t g = pending_group_of(pending, trial);
    struct pending_group *group = &pending->groups[g];

    list_remove(&group->waiting[kind], pending->links, trial);
    if (!group->waiting[kind].n)
        pending_order_remove(&pending->orders[kind], g);
    pending->n_wide -= group->width > 1;
    /* An exact 0 leaves no rounding error. */
    pending->seconds = --pending->n ? pending->seconds - area(group) : 0;
}

void pending_expect(struct pending *pending, int32_t g, double seconds)
{
    struct pending_group *group = &pending->groups[g];

    for (int kind = 0; kind < PENDING_KINDS; kind++) {
        if (!group->waiting[kind].n)
            continue;
        pending->seconds +=
            (seconds - group->seconds) * group->width * (double)group->waiting[kind].n;
        pending_order_set(&pending->orders[kind], g, seconds);
    }
    group->seconds = seconds;
}

int64_t pending_next(const struct pending *pending, enum pending_kind kind, int32_t tier,
                     double most_s)
{
    int32_t g = pending_order_first(&pending->orders[kind], tier, most_s);

    return g < 0 ? LIST_END : pending->groups[g].waiting[kind].first;
}

/* ---- invariants ---- */

static int check_group(const struct pending *pending, int32_t g, int kind, struct err *err)
{
    const struct pending_group *group = &pending->groups[g];
    const struct pending_order *order = &pending->orders[kind];

    if (list_check(&group->waiting[kind], pending->links, err))
        return -1;
    if ((group->waiting[kind].n > 0) != pending_order_has(order, g))
        return err_set(err, "it has %ld trials, and is%s in the order",
                       (long)group->waiting[kind].n, pending_order_has(order, g) ? "" : " not");
    if (pending_order_has(order, g) && order->seconds[g] != group->seconds)
        return err_set(err, "%g s is ordered as %g s", group->seconds, order->seconds[g]);
    return 0;
}

int pending_check(const struct pending *pending, struct err *err)
{
    double seconds = 0;
    int64_t n = 0, n_wide = 0;

    for (int kind = 0; kind < PENDING_KINDS; kind++) {
        if (pending_order_check(&pending->orders[kind], err))
            return -1;
        for (int32_t g = 0; g < pending->n_groups; g++) {
            int64_t waiting = pending->groups[g].waiting[kind].n;

            if (check_group(pending, g, kind, err))
                return err_wrap(err, "group %d", g);
            n += waiting;
            n_wide += pending->groups[g].width > 1 ? waiting : 0;
            seconds += area(&pending->groups[g]) * (double)waiting;
        }
    }
    if (n != pending->n || fabs(seconds - pending->seconds) > 1e-6 * (1 + seconds))
        return err_set(err, "%ld trials of %g s pend, in groups %ld of %g s", (long)pending->n,
                       pending->seconds, (long)n, seconds);
    if (n_wide != pending->n_wide)
        return err_set(err, "%ld wide trials pend, counted as %ld", (long)n_wide,
                       (long)pending->n_wide);
    return 0;
}
