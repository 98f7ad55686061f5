/* The trials that wait to be leased: for each kind the groups in the order of their seconds, and in
 * each group its trials. Pure; all but pending_check() is O(1). */
#ifndef SCHED_PENDING_H
#define SCHED_PENDING_H

#include "sched/list.h"
#include "sched/order.h"

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
    struct pending_group *groups;       /* [n_groups] */
    struct order orders[PENDING_KINDS]; /* groups with trials of this kind */
    double seconds;                     /* expected, of all together */
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
/* The first of the longest group of at most most_s (order_first); -1: none. */
int64_t pending_next(const struct pending *pending, enum pending_kind kind, double most_s);
int32_t pending_group_of(const struct pending *pending, int64_t trial);

/* -1 and err where something is inconsistent in itself. */
int pending_check(const struct pending *pending, struct err *err);

#endif
