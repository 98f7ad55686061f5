/* SPDX-License-Identifier: BSD-3-Clause */
/* Pending trials: for each kind and width groups ordered by seconds, in each group its trials. Pure;
 * all but the checks and pending_allow_widths() are O(1). */
#ifndef SCHED_PENDING_H
#define SCHED_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sched/list.h"

/* The order of groups by seconds. They are in buckets, 32 to a factor of two, so the longest is
 * found to within 3 percent (predictions err more). Every call takes a few ns for any number of
 * groups.
 * Source: Masmano, Ripoll, Crespo & Real 2004, Proc ECRTS 79 ("two-level segregated fit"). */

enum {
    PENDING_ORDER_STEPS = 32,
    PENDING_ORDER_OCTAVES = 48,
    PENDING_ORDER_BUCKETS = PENDING_ORDER_STEPS * PENDING_ORDER_OCTAVES
};

struct pending_buckets {
    struct list of[PENDING_ORDER_BUCKETS];
    uint64_t filled[PENDING_ORDER_BUCKETS / 64]; /* a bit for each bucket */
    int32_t n;                                   /* groups */
};

/* Groups of each tier have an order of their own. */
struct pending_order {
    double *seconds;               /* [n_groups] of one trial */
    int16_t *places;               /* [n_groups] bucket; -1: not in the order */
    struct link *links;            /* [n_groups] */
    struct pending_buckets *tiers; /* [n_tiers] */
    int32_t *tier_of;              /* [n_groups] NULL: all 0 */
    int32_t n_groups, n_tiers;
};

/* All groups begin in tier 0. */
int pending_order_init(struct pending_order *order, int32_t n_groups, int32_t n_tiers,
                       struct err *err);
void pending_order_release(struct pending_order *order);

/* pending_order_add() puts a group first in its bucket, and ignores one in the order.
 * pending_order_set() puts it last in its new bucket. It and pending_order_remove() ignore one not
 * in the order. */
void pending_order_add(struct pending_order *order, int32_t group, double seconds);
void pending_order_set(struct pending_order *order, int32_t group, double seconds);
void pending_order_remove(struct pending_order *order, int32_t group);

/* Return the tier's longest group of at most most_s (INFINITY: any); -1: none. May pass over one
 * less than 3 percent shorter than most_s. */
int32_t pending_order_first(const struct pending_order *order, int32_t tier, double most_s);
/* Move a group to another tier. */
void pending_order_set_tier(struct pending_order *order, int32_t group, int32_t tier);
bool pending_order_has(const struct pending_order *order, int32_t group);
int pending_order_check(const struct pending_order *order, struct err *err);

enum pending_kind {
    PENDING_CLEAR,
    PENDING_SUSPECT, /* a worker was lost, maybe because of it */
    PENDING_KINDS
};

struct pending_group {
    struct list waiting[PENDING_KINDS];
    double seconds; /* expected, of one trial */
    int32_t width;  /* workers that run one trial together */
};

struct pending {
    struct link *links; /* [n_trials] borrowed */
    int64_t group_size; /* trial i belongs to group i / group_size */
    int32_t n_groups;
    struct pending_group *groups;               /* [n_groups] */
    struct pending_order orders[PENDING_KINDS]; /* groups with trials of this kind, by tier */
    int32_t *widths;                            /* [n_tiers] ascending; the first is 1 */
    int32_t n_tiers;
    double seconds;    /* expected, of all trials together, times their widths */
    int64_t n, n_wide; /* trials; those wider than 1 */
};

/* expected_s: [n_groups] copied; NULL: all 0. */
int pending_init(struct pending *pending, struct link *links, int64_t n_trials, int64_t group_size,
                 const double *expected_s, struct err *err);
void pending_release(struct pending *pending);

/* Let groups have these widths beside 1: [n] ascending, from 2 on. All groups must have width 1. A
 * tier is the groups of one width. O(groups). */
int pending_allow_widths(struct pending *pending, const int32_t *widths, int32_t n,
                         struct err *err);
/* Set the width of a group to 1 or to one of these. O(log widths). */
void pending_set_width(struct pending *pending, int32_t group, int32_t width);

/* Add a trial before the others of its group and kind; a suspect goes after them. */
void pending_add(struct pending *pending, int64_t trial, enum pending_kind kind);
void pending_remove(struct pending *pending, int64_t trial, enum pending_kind kind);

void pending_expect(struct pending *pending, int32_t group, double seconds);

/* -1: none */
int64_t pending_next(const struct pending *pending, enum pending_kind kind, int32_t tier,
                     double most_s);
int32_t pending_group_of(const struct pending *pending, int64_t trial);

int pending_check(const struct pending *pending, struct err *err);

#endif
