/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE (-1)

/* ---- life ---- */

struct seat {
    int32_t host, worker;
};

static int compare(const void *a_, const void *b_)
{
    const struct seat *a = a_, *b = b_;

    if (a->host != b->host)
        return (a->host > b->host) - (a->host < b->host);
    return (a->worker > b->worker) - (a->worker < b->worker);
}

static void fill(struct placement *p, struct seat *seats, const int32_t *hosts)
{
    for (int32_t w = 0; w < p->n_workers; w++)
        seats[w] = (struct seat){hosts ? hosts[w] : 0, w};
    qsort(seats, (size_t)p->n_workers, sizeof *seats, compare);
    for (int32_t i = 0; i < p->n_workers; i++) {
        if (!i || seats[i].host != seats[i - 1].host)
            p->start[p->n_hosts++] = i;
        p->by_host[i] = seats[i].worker;
        p->host_of[seats[i].worker] = p->n_hosts - 1;
        if (i - p->start[p->n_hosts - 1] >= p->largest_host)
            p->largest_host = i - p->start[p->n_hosts - 1] + 1;
    }
    p->start[p->n_hosts] = p->n_workers;
}

int placement_init(struct placement *p, int32_t n_workers, const int32_t *hosts, struct err *err)
{
    size_t n = (size_t)n_workers + 1;
    struct seat *seats = malloc(n * sizeof *seats);

    *p = (struct placement){.n_workers = n_workers};
    p->host_of = calloc(n, sizeof *p->host_of);
    p->by_host = calloc(n, sizeof *p->by_host);
    p->start = calloc(n, sizeof *p->start);
    p->scratch = calloc(n, sizeof *p->scratch);
    p->n_free = calloc(n, sizeof *p->n_free);
    if (!seats || !p->host_of || !p->by_host || !p->start || !p->scratch || !p->n_free) {
        free(seats);
        placement_release(p);
        return err_nomem(err, "hosts of workers", n * sizeof *seats);
    }
    fill(p, seats, hosts);
    free(seats);
    return 0;
}

void placement_release(struct placement *p)
{
    free(p->host_of);
    free(p->by_host);
    free(p->start);
    free(p->scratch);
    free(p->n_free);
    *p = (struct placement){0};
}

/* ---- choice ---- */

/* Return the k-th smallest (from 0) of v[n]; reorders v.
 * Source: Hoare 1961, Commun ACM 4:321 (algorithm 65, FIND). */
static double find(double *v, int32_t n, int32_t k)
{
    int32_t low = 0, high = n - 1;

    while (low < high) {
        double pivot = v[k];
        int32_t i = low, j = high;

        do {
            while (v[i] < pivot)
                i++;
            while (pivot < v[j])
                j--;
            if (i <= j) {
                double swapped = v[i];

                v[i++] = v[j];
                v[j--] = swapped;
            }
        } while (i <= j);
        if (j < k)
            low = i;
        if (k < i)
            high = j;
    }
    return v[k];
}

/* Return the seconds until n workers of by_host[first, end) are free. */
static double nth_free(struct placement *p, const double *free_s, int32_t first, int32_t end,
                       int32_t n)
{
    if (end - first < n)
        return INFINITY;
    for (int32_t i = first; i < end; i++)
        p->scratch[i - first] = free_s[p->by_host[i]];
    return find(p->scratch, end - first, n - 1);
}

static int32_t count_free(const struct placement *p, const double *free_s, int32_t host,
                          double at_s)
{
    int32_t n = 0;

    for (int32_t i = p->start[host]; i < p->start[host + 1]; i++)
        n += free_s[p->by_host[i]] <= at_s;
    return n;
}

/* Return the host with n free workers soonest. */
static int32_t best_host(struct placement *p, const double *free_s, int32_t n, double *at_s)
{
    int32_t best = NOWHERE, fewest = 0;

    *at_s = INFINITY;
    for (int32_t host = 0; host < p->n_hosts; host++) {
        double host_s = nth_free(p, free_s, p->start[host], p->start[host + 1], n);
        int32_t n_free;

        if (!isfinite(host_s) || host_s > *at_s)
            continue;
        n_free = count_free(p, free_s, host, host_s);
        if (host_s < *at_s || n_free < fewest) {
            best = host;
            fewest = n_free;
        }
        *at_s = host_s;
    }
    return best;
}

/* Take up to n workers of a host that are free by then. The last to be free go first: the others can
 * run something else until then. */
static int32_t take(struct placement *p, int32_t *out, const double *free_s, int32_t host,
                    double at_s, int32_t n)
{
    int32_t n_free = 0, taken = 0;
    double from_s = 0;

    for (int32_t i = p->start[host]; i < p->start[host + 1]; i++)
        if (free_s[p->by_host[i]] <= at_s)
            p->scratch[n_free++] = free_s[p->by_host[i]];
    if (n_free > n)
        from_s = find(p->scratch, n_free, n_free - n);
    for (int pass = 0; pass < 2; pass++) /* those after from_s, then those at it */
        for (int32_t i = p->start[host]; i < p->start[host + 1] && taken < n; i++) {
            double s = free_s[p->by_host[i]];

            if (s <= at_s && (pass ? s == from_s : s > from_s))
                out[taken++] = p->by_host[i];
        }
    return taken;
}

/* Return the host with the fewest free workers of those with n, else the one with the most. */
static int32_t next_host(const struct placement *p, int32_t n)
{
    int32_t best = 0;

    for (int32_t host = 1; host < p->n_hosts; host++) {
        int32_t here = p->n_free[host], most = p->n_free[best];

        if (most >= n ? here >= n && here < most : here > most)
            best = host;
    }
    return best;
}

static void take_from_hosts(struct placement *p, int32_t *out, const double *free_s, double at_s,
                            int32_t n)
{
    for (int32_t host = 0; host < p->n_hosts; host++)
        p->n_free[host] = count_free(p, free_s, host, at_s);
    while (n > 0) {
        int32_t host = next_host(p, n);
        int32_t taken = take(p, out, free_s, host, at_s, n);

        out += taken;
        n -= taken;
        p->n_free[host] = 0;
    }
}

double placement_choose(struct placement *p, int32_t *out, const double *free_s, int32_t n,
                        double patience_s)
{
    double host_s, any_s = nth_free(p, free_s, 0, p->n_workers, n);
    int32_t host = best_host(p, free_s, n, &host_s);

    if (!isfinite(any_s))
        return INFINITY;
    if (host != NOWHERE && host_s - any_s <= patience_s) {
        take(p, out, free_s, host, host_s, n);
        return host_s;
    }
    take_from_hosts(p, out, free_s, any_s, n);
    return any_s;
}
