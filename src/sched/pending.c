#include "sched/pending.h"

#include <math.h>
#include <stdlib.h>

int pending_init(struct pending *pending, struct link *links, int64_t n_trials, int64_t group_size,
                 const double *expected_s, struct err *err)
{
    int32_t n_groups = (int32_t)((n_trials + group_size - 1) / group_size);

    *pending = (struct pending){.links = links, .group_size = group_size, .n_groups = n_groups};
    for (int kind = 0; kind < PENDING_KINDS; kind++)
        if (order_init(&pending->orders[kind], n_groups, err))
            return -1;
    pending->groups = calloc((size_t)n_groups + 1, sizeof *pending->groups);
    if (!pending->groups)
        return err_nomem(err, "groups of trials", (size_t)n_groups * sizeof *pending->groups);
    for (int32_t g = 0; g < n_groups; g++) {
        pending->groups[g].seconds = expected_s ? expected_s[g] : 0;
        for (int kind = 0; kind < PENDING_KINDS; kind++)
            list_init(&pending->groups[g].waiting[kind]);
    }
    return 0;
}

void pending_release(struct pending *pending)
{
    for (int kind = 0; kind < PENDING_KINDS; kind++)
        order_release(&pending->orders[kind]);
    free(pending->groups);
    *pending = (struct pending){0};
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
    order_add(&pending->orders[kind], g, group->seconds);
    pending->seconds += group->seconds;
    pending->n++;
}

void pending_remove(struct pending *pending, int64_t trial, enum pending_kind kind)
{
    int32_t g = pending_group_of(pending, trial);
    struct pending_group *group = &pending->groups[g];

    list_remove(&group->waiting[kind], pending->links, trial);
    if (!group->waiting[kind].n)
        order_remove(&pending->orders[kind], g);
    /* No rest of rounding stays. */
    pending->seconds = --pending->n ? pending->seconds - group->seconds : 0;
}

void pending_expect(struct pending *pending, int32_t g, double seconds)
{
    struct pending_group *group = &pending->groups[g];

    for (int kind = 0; kind < PENDING_KINDS; kind++) {
        if (!group->waiting[kind].n)
            continue;
        pending->seconds += (seconds - group->seconds) * (double)group->waiting[kind].n;
        order_set(&pending->orders[kind], g, seconds);
    }
    group->seconds = seconds;
}

int64_t pending_next(const struct pending *pending, enum pending_kind kind, double most_s)
{
    int32_t g = order_first(&pending->orders[kind], most_s);

    return g < 0 ? LIST_END : pending->groups[g].waiting[kind].first;
}

/* ---- invariants ---- */

static int check_group(const struct pending *pending, int32_t g, int kind, struct err *err)
{
    const struct pending_group *group = &pending->groups[g];
    const struct order *order = &pending->orders[kind];

    if (list_check(&group->waiting[kind], pending->links, err))
        return -1;
    if ((group->waiting[kind].n > 0) != order_has(order, g))
        return err_set(err, "it has %ld trials, and is%s in the order",
                       (long)group->waiting[kind].n, order_has(order, g) ? "" : " not");
    if (order_has(order, g) && order->seconds[g] != group->seconds)
        return err_set(err, "%g s is ordered as %g s", group->seconds, order->seconds[g]);
    return 0;
}

int pending_check(const struct pending *pending, struct err *err)
{
    double seconds = 0;
    int64_t n = 0;

    for (int kind = 0; kind < PENDING_KINDS; kind++) {
        if (!order_check(&pending->orders[kind], err))
            return -1;
        for (int32_t g = 0; g < pending->n_groups; g++) {
            int64_t waiting = pending->groups[g].waiting[kind].n;

            if (check_group(pending, g, kind, err))
                return err_wrap(err, "group %d", g);
            n += waiting;
            seconds += pending->groups[g].seconds * (double)waiting;
        }
    }
    if (n != pending->n || fabs(seconds - pending->seconds) > 1e-6 * (1 + seconds))
        return err_set(err, "%ld trials of %g s pend, in groups %ld of %g s", (long)pending->n,
                       pending->seconds, (long)n, seconds);
    return 0;
}
