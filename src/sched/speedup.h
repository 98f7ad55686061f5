/* SPDX-License-Identifier: BSD-3-Clause */
/* The seconds of a trial on several ranks, from those on one (doc/decisions/0055).
 *
 *     seconds(r) = seconds(1) (serial + (1 - serial) ceil(W / r) / W) + start + steps sum(r)
 *
 * Ranks share W workers in whole, so the rank with the most workers sets the pace. sum(r) is a sum of
 * `bytes` over all ranks, as a reduce-scatter and an all-gather (Thakur, Rabenseifner & Gropp 2005,
 * Int J High Perform Comput Appl 19:49): among the ranks of a host, then among hosts. In each half a
 * member sends one message of bytes / n to each of the others, which by LogGP (Alexandrov, Ionescu,
 * Schauser & Scheiman 1997, J Parallel Distrib Comput 44:71) takes
 *
 *     latency + (n - 2) gap + (n - 1) (bytes / n) gap_byte
 *
 * where latency includes both ends' overhead. Pure. */
#ifndef SCHED_SPEEDUP_H
#define SCHED_SPEEDUP_H

#include <stdint.h>

struct speedup {
    int32_t parts; /* W; 0: a trial takes the same seconds on any number of ranks */
    double serial; /* share of seconds(1) that no other rank can take over */
    double steps;  /* sums of a trial */
    double bytes;  /* of one sum */
};

struct speedup_link {
    double latency_s, gap_s, gap_byte_s;
};

/* Shared memory: ranks come to a barrier within 1 us, and a core reads 5 GB/s of others' data
 * (measured: doc/decisions/0057). */
static const struct speedup_link speedup_host = {2e-6, 0.2e-6, 0.2e-9};
/* TCP over 10 Gbit Ethernet. */
static const struct speedup_link speedup_net = {50e-6, 5e-6, 0.9e-9};
/* Two messages of the scheduler and the members' meeting. */
#define SPEEDUP_START_S 0.02

static inline double speedup_sum_s(const struct speedup_link *link, int32_t n, double bytes)
{
    return n < 2 ? 0
                 : 2 * (link->latency_s + (n - 2) * link->gap_s +
                        (n - 1) * (bytes / n) * link->gap_byte_s);
}

/* Seconds that ranks > 1 add; per_host: ranks of the largest host. */
static inline double speedup_extra_s(const struct speedup *s, int32_t ranks, int32_t per_host)
{
    int32_t here = ranks < per_host ? ranks : per_host;

    if (!s->parts || ranks < 2)
        return 0;
    return SPEEDUP_START_S +
           s->steps * (speedup_sum_s(&speedup_host, here, s->bytes) +
                       speedup_sum_s(&speedup_net, (ranks + here - 1) / here, s->bytes));
}

/* The share of seconds(1) that the rank with the most workers takes. */
static inline double speedup_share(const struct speedup *s, int32_t ranks)
{
    if (!s->parts || ranks < 2)
        return 1;
    return s->serial + (1 - s->serial) * ((s->parts + ranks - 1) / ranks) / s->parts;
}

/* Return the seconds on these ranks of a trial that takes one_s on one rank. */
static inline double speedup_seconds(const struct speedup *s, double one_s, int32_t ranks,
                                     int32_t per_host)
{
    return one_s * speedup_share(s, ranks) + speedup_extra_s(s, ranks, per_host);
}

/* The reverse. At most half of the measured seconds are taken for sums: the links may be faster. */
static inline double speedup_one_s(const struct speedup *s, double seconds, int32_t ranks,
                                   int32_t per_host)
{
    double extra_s = speedup_extra_s(s, ranks, per_host);

    return (seconds - (extra_s < seconds / 2 ? extra_s : seconds / 2)) / speedup_share(s, ranks);
}

/* Return the fewest ranks on which no rank has more workers than on these. */
static inline int32_t speedup_enough(const struct speedup *s, int32_t ranks)
{
    int32_t each = (s->parts + ranks - 1) / ranks;

    return s->parts ? (s->parts + each - 1) / each : ranks;
}

#endif
