/* Which group of trials is expected to take longest, of all or of those that fit into a time.
 *
 * Groups lie in buckets by their seconds, 32 to a factor of two: the longest first, to
 * within 3 percent (predictions are off by more). One step leads to a bucket, a
 * few words of bits say which are not empty: every call takes a few ns, however many groups, and
 * setting all of them anew costs little. The buckets are those of Masmano, Ripoll, Crespo & Real
 * 2004, Proc ECRTS 79 ("two-level segregated fit"). Pure; a programmer's mistake is an assert. */
#ifndef SCHED_ORDER_H
#define SCHED_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sched/list.h"

enum { ORDER_STEPS = 32, ORDER_OCTAVES = 48, ORDER_BUCKETS = ORDER_STEPS * ORDER_OCTAVES };

struct order {
    double *seconds;    /* [n_groups] of one trial, of those that are in */
    int16_t *places;    /* [n_groups] bucket; -1: outside */
    struct link *links; /* [n_groups] */
    struct list buckets[ORDER_BUCKETS];
    uint64_t filled[ORDER_BUCKETS / 64]; /* a bit for each bucket */
    int32_t n, n_groups;
};

/* No group is in yet. -1 and err when memory is short. Release takes a zeroed one. */
int order_init(struct order *order, int32_t n_groups, struct err *err);
void order_release(struct order *order);

/* A group is added before the others of its bucket, and moved behind those of the new one. One that
 * is in is not added again, one outside neither moved nor removed. */
void order_add(struct order *order, int32_t group, double seconds);
void order_set(struct order *order, int32_t group, double seconds);
void order_remove(struct order *order, int32_t group);

/* The longest group of at most most_s; -1: none. INFINITY: of all. One that is shorter than most_s
 * by less than 3 percent may be passed over for the next shorter one, or none. */
int32_t order_first(const struct order *order, double most_s);
bool order_has(const struct order *order, int32_t group);
bool order_check(const struct order *order, struct err *err);

#endif
