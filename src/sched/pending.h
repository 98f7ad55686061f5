/* SPDX-License-Identifier: BSD-3-Clause */
/* The trials that wait to be leased: for each kind the groups in the order of their seconds, and in
 * each group its trials. Pure; all but pending_check() is O(1). */
#ifndef SCHED_PENDING_H
#define SCHED_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sched/list.h"

/* Which group of trials is expected to take longest, of all or of those that fit into a time.
 *
 * Groups lie in buckets by their seconds, 32 to a factor of two: the longest first, to within 3
 * percent (predictions are off by more). One step leads to a bucket, a few words of bits say which
 * are not empty: every call takes a few ns, however many groups, and setting all of them anew costs
 * little. The buckets are those of Masmano, Ripoll, Crespo & Real 2004, Proc ECRTS 79 ("two-level
 * segregated fit"). Pure; a programmer's mistake is an assert. */

enum {
    PENDING_ORDER_STEPS = 32,
    PENDING_ORDER_OCTAVES = 48,
    PENDING_ORDER_BUCKETS = PENDING_ORDER_STEPS * PENDING_ORDER_OCTAVES
};

struct pending_order {
    double *seconds;    /* [n_groups] of one trial, of those that are in */
    int16_t *places;    /* [n_groups] bucket; -1: outside */
    struct link *links; /* [n_groups] */
    struct list buckets[PENDING_ORDER_BUCKETS];
    uint64_t filled[PENDING_ORDER_BUCKETS / 64]; /* a bit for each bucket */
    int32_t n, n_groups;
};

/* No group is in yet. -1 and err when memory is short. Release takes a zeroed one. */
int pending_order_init(struct pending_order *order, int32_t n_groups, struct err *err);
void pending_order_release(struct pending_order *order);

/* A group is added before the others of its bucket, and moved behind those of the new one. One that
 * is in is not added again, one outside neither moved nor removed. */
void pending_order_add(struct pending_order *order, int32_t group, double seconds);
void pending_order_set(struct pending_order *order, int32_t group, double seconds);
void pending_order_remove(struct pending_order *order, int32_t group);

/* The longest group of at most most_s; -1: none. INFINITY: of all. One that is shorter than most_s
 * by less than 3 percent may be passed over for the next shorter one, or none. */
int32_t pending_order_first(const struct pending_order *order, double most_s);
bool pending_order_has(const struct pending_order *order, int32_t group);
/* -1 and err where something is inconsistent in itself. */
int pending_order_check(const struct pending_order *order, struct err *err);

enum pending_kind {
    PENDING_CLEAR,   /* nothing is held against it */
    PENDING_SUSPECT, /* a worker was lost, maybe to it */
    PENDING_KINDS
};

struct pending_group {
    struct list waiting[PENDING_KINDS];
    double seconds; /* expected, of one trial */
};

struct pending {
    struct link *links; /* [n_trials] borrowed; of those that wait here */
    int64_t group_size; /* trial i is of group i / group_size */
    int32_t n_groups;
    struct pending_group *groups;               /* [n_groups] */
    struct pending_order orders[PENDING_KINDS]; /* groups with trials of this kind */
    double seconds;                             /* expected, of all together */
    int64_t n;
};

/* Nothing waits yet. expected_s: [n_groups] copied; NULL: all 0. -1 and err when memory is short.
 * Release takes a zeroed one. */
int pending_init(struct pending *pending, struct link *links, int64_t n_trials, int64_t group_size,
                 const double *expected_s, struct err *err);
void pending_release(struct pending *pending);

/* Before the others of its group and kind; a suspect after them, so that the last to be blamed
 * comes last. */
void pending_add(struct pending *pending, int64_t trial, enum pending_kind kind);
void pending_remove(struct pending *pending, int64_t trial, enum pending_kind kind);

/* A trial of this group is now expected to take so long. */
void pending_expect(struct pending *pending, int32_t group, double seconds);

/* The first of the longest group of at most most_s (pending_order_first); -1: none. */
int64_t pending_next(const struct pending *pending, enum pending_kind kind, double most_s);
int32_t pending_group_of(const struct pending *pending, int64_t trial);

/* -1 and err where something is inconsistent in itself. */
int pending_check(const struct pending *pending, struct err *err);

#endif
