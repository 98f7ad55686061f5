/* SPDX-License-Identifier: BSD-3-Clause */
/* The member that the others wait for. */
#include "base/clock.h"
#include "gang/gang_state.h"

void pace_begin(struct gang_member *g)
{
    g->pace_since_s = clock_now(&clock_system);
    g->waited_s = 0;
}

double pace_busy_s(const struct gang_member *g)
{
    return g->pace_since_s > 0 ? clock_now(&clock_system) - g->pace_since_s - g->waited_s : 0;
}

static int32_t workers_of(const struct gang_member *g, int32_t rank)
{
    return gang_first_worker(g, rank + 1) - gang_first_worker(g, rank);
}

/* Seconds that the others would have needed on average for the workers of `rank`. */
static double others_s(const struct gang_member *g, const struct vote *votes, int32_t rank)
{
    double n = workers_of(g, rank), sum_s = 0;

    for (int32_t other = 0; other < g->size; other++) {
        double its_n = workers_of(g, other);

        if (other != rank)
            sum_s += votes[other].busy_s * (its_n < n ? n / its_n : 1);
    }
    return sum_s / (g->size - 1);
}

void pace_measure(struct gang_member *g, const struct vote *votes)
{
    int32_t slowest = 0;

    if (g->pace_since_s <= 0 || g->size == 1)
        return;
    for (int32_t rank = 1; rank < g->size; rank++)
        if (votes[rank].busy_s > votes[slowest].busy_s)
            slowest = rank;
    g->pace = (struct gang_pace){.rank = slowest,
                                 .host = g->page.host_names[gang_host_of(g, slowest)],
                                 .busy_s = votes[slowest].busy_s,
                                 .others_s = others_s(g, votes, slowest)};
}

const struct gang_pace *gang_pace(const struct gang_member *g)
{
    return &g->pace;
}
