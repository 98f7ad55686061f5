/* Which group of trials is expected to take longest: a heap whose members know their places.
 * Pure; a programmer's mistake is an assert. */
#ifndef SCHED_ORDER_H
#define SCHED_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct order {
    double *seconds; /* [n_groups] of one trial; kept for groups outside the heap too */
    int32_t *heap;   /* [n] groups, the longest first; equal ones by number */
    int32_t *places; /* [n_groups] in the heap; -1: outside */
    int32_t n, n_groups;
};

/* No group is in yet. seconds: [n_groups] copied; NULL: all 0. -1 and err when memory is short.
 * Release takes a zeroed one. */
int order_init(struct order *order, int32_t n_groups, const double *seconds, struct err *err);
void order_release(struct order *order);

/* O(log n). A group that is in already is not added, one outside not removed. */
void order_add(struct order *order, int32_t group);
void order_remove(struct order *order, int32_t group);
/* Move a group to where it belongs now; constant where its place does not change. */
void order_set(struct order *order, int32_t group, double seconds);

int32_t order_first(const struct order *order); /* -1: none is in */
bool order_check(const struct order *order, struct err *err);

#endif
