/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOON_S 1e-3

/* ---- life ---- */

static void seat_all(struct fleet *f, const int32_t *hosts)
{
    for (int32_t w = 0; w < f->n; w++) {
        f->host_of[w] = hosts ? hosts[w] : 0;
        f->here[f->host_of[w]]++;
        if (f->n_hosts <= f->host_of[w])
            f->n_hosts = f->host_of[w] + 1;
    }
    for (int32_t host = 0; host < f->n_hosts; host++) {
        f->start[host + 1] = f->start[host] + f->here[host];
        if (f->largest_host < f->here[host])
            f->largest_host = f->here[host];
        f->here[host] = 0;
    }
    for (int32_t w = 0; w < f->n; w++)
        f->by_host[f->start[f->host_of[w]] + f->here[f->host_of[w]]++] = w;
}

int fleet_init(struct fleet *f, int32_t n_workers, const int32_t *hosts, struct err *err)
{
    size_t n = (size_t)n_workers + 1;

    *f = (struct fleet){.n = n_workers, .n_alive = n_workers, .reserved.trial = NOWHERE};
    f->of = calloc(n, sizeof *f->of);
    f->idle = calloc(6 * n, sizeof *f->idle);
    f->free_s = calloc(2 * n, sizeof *f->free_s);
    f->reserved.has = calloc(n, sizeof *f->reserved.has);
    if (!f->of || !f->idle || !f->free_s || !f->reserved.has) {
        fleet_release(f);
        return err_nomem(err, "workers", n * sizeof *f->of);
    }
    f->host_of = f->idle + n;
    f->by_host = f->idle + 2 * n;
    f->start = f->idle + 3 * n;
    f->here = f->idle + 4 * n;
    f->chosen = f->idle + 5 * n;
    f->scratch = f->free_s + n;
    seat_all(f, hosts);
    for (int32_t worker = n_workers - 1; worker >= 0; worker--) {
        f->of[worker].idle_place = NOWHERE;
        fleet_become_idle(f, worker);
    }
    return 0;
}

void fleet_release(struct fleet *f)
{
    free(f->of);
    free(f->idle);
    free(f->free_s);
    free(f->reserved.has);
    *f = (struct fleet){0};
}

/* ---- idle workers ---- */

static void put_idle(struct fleet *f, int32_t place, int32_t worker)
{
    f->idle[place] = worker;
    f->of[worker].idle_place = place;
}

void fleet_become_idle(struct fleet *f, int32_t worker)
{
    if (f->of[worker].idle_place == NOWHERE && f->of[worker].presence == PRESENT)
        put_idle(f, f->n_idle++, worker);
}

/* The last of those passed over, then the last of all, move into the free places. Ignored if it is busy
 * already. */
static void become_busy(struct fleet *f, int32_t worker)
{
    int32_t place = f->of[worker].idle_place;

    if (place == NOWHERE)
        return;
    if (place < f->n_passed) {
        put_idle(f, place, f->idle[--f->n_passed]);
        place = f->n_passed;
    }
    if (place != --f->n_idle)
        put_idle(f, place, f->idle[f->n_idle]);
    f->of[worker].idle_place = NOWHERE;
}

void fleet_pass_over(struct fleet *f, int32_t worker)
{
    int32_t place = f->of[worker].idle_place;

    if (place < f->n_passed)
        return;
    put_idle(f, place, f->idle[f->n_passed]);
    put_idle(f, f->n_passed++, worker);
}

void fleet_offer_again(struct fleet *f)
{
    f->n_passed = 0;
}

void fleet_hold(struct fleet *f, int32_t worker, double seconds)
{
    if (f->of[worker].idle_place != NOWHERE)
        f->of[worker].began_s = f->now_s;
    f->of[worker].held_s += seconds;
    f->held_s += seconds;
    become_busy(f, worker);
}

void fleet_drop(struct fleet *f, int32_t worker, double seconds)
{
    f->of[worker].held_s -= seconds;
    f->of[worker].began_s = f->now_s;
    f->held_s -= seconds;
}

void fleet_go(struct fleet *f, int32_t worker, enum presence presence)
{
    if (f->reserved.has[worker])
        fleet_cancel(f);
    f->n_alive -= f->of[worker].presence == PRESENT;
    become_busy(f, worker);
    f->of[worker].presence = (uint8_t)presence;
    fleet_offer_again(f);
}

/* ---- reservation ---- */

void fleet_cancel(struct fleet *f)
{
    if (f->reserved.trial == NOWHERE)
        return;
    f->reserved.trial = NOWHERE;
    memset(f->reserved.has, 0, (size_t)f->n * sizeof *f->reserved.has);
    fleet_offer_again(f);
}

void fleet_reserve(struct fleet *f, int64_t trial, int32_t width, double at_s)
{
    struct reservation *r = &f->reserved;
    bool stays = r->trial == trial && r->width == width && r->at_s >= at_s;

    for (int32_t i = 0; i < width && stays; i++)
        stays = r->has[f->chosen[i]];
    if (stays)
        return;
    fleet_cancel(f);
    r->trial = trial;
    r->width = width;
    r->at_s = at_s;
    r->is_together = f->host_of[f->chosen[0]] == f->host_of[f->chosen[width - 1]];
    for (int32_t i = 0; i < width; i++)
        r->has[f->chosen[i]] = true;
    fleet_offer_again(f);
}

/* ---- choice ---- */

struct room fleet_room(struct fleet *f, bool with_reserved)
{
    struct room room = {0};

    memset(f->here, 0, (size_t)f->n_hosts * sizeof *f->here);
    for (int32_t i = 0; i < f->n_idle; i++) {
        int32_t worker = f->idle[i], *here = &f->here[f->host_of[worker]];

        if (f->reserved.has[worker] && !with_reserved)
            continue;
        room.n++;
        room.most_here = ++*here > room.most_here ? *here : room.most_here;
    }
    return room;
}

bool fleet_may_fit(const struct fleet *f, struct room room, int32_t width)
{
    return width <= room.most_here || (width > f->largest_host && width <= room.n);
}

double fleet_free_in(const struct fleet *f, int32_t worker)
{
    const struct worker_load *load = &f->of[worker];

    if (load->presence != PRESENT)
        return INFINITY;
    if (load->idle_place != NOWHERE)
        return 0;
    return fmax(fabs(load->began_s + load->held_s - f->now_s), SOON_S);
}

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
static double nth_free(struct fleet *f, int32_t first, int32_t end, int32_t n)
{
    if (end - first < n)
        return INFINITY;
    for (int32_t i = first; i < end; i++)
        f->scratch[i - first] = f->free_s[f->by_host[i]];
    return find(f->scratch, end - first, n - 1);
}

static int32_t count_free(const struct fleet *f, int32_t host, double at_s)
{
    int32_t n = 0;

    for (int32_t i = f->start[host]; i < f->start[host + 1]; i++)
        n += f->free_s[f->by_host[i]] <= at_s;
    return n;
}

/* Return the host with n free workers soonest. */
static int32_t best_host(struct fleet *f, int32_t n, double *at_s)
{
    int32_t best = NOWHERE, fewest = 0;

    *at_s = INFINITY;
    for (int32_t host = 0; host < f->n_hosts; host++) {
        double host_s = nth_free(f, f->start[host], f->start[host + 1], n);
        int32_t n_free;

        if (!isfinite(host_s) || host_s > *at_s)
            continue;
        n_free = count_free(f, host, host_s);
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
static int32_t take(struct fleet *f, int32_t *out, int32_t host, double at_s, int32_t n)
{
    int32_t n_free = 0, taken = 0;
    double from_s = 0;

    for (int32_t i = f->start[host]; i < f->start[host + 1]; i++)
        if (f->free_s[f->by_host[i]] <= at_s)
            f->scratch[n_free++] = f->free_s[f->by_host[i]];
    if (n_free > n)
        from_s = find(f->scratch, n_free, n_free - n);
    for (int pass = 0; pass < 2; pass++) /* those after from_s, then those at it */
        for (int32_t i = f->start[host]; i < f->start[host + 1] && taken < n; i++) {
            double s = f->free_s[f->by_host[i]];

            if (s <= at_s && (pass ? s == from_s : s > from_s))
                out[taken++] = f->by_host[i];
        }
    return taken;
}

static void take_from_hosts(struct fleet *f, int32_t *out, double at_s, int32_t n)
{
    for (int32_t host = 0; host < f->n_hosts; host++)
        f->here[host] = count_free(f, host, at_s);
    while (n > 0) {
        int32_t host = 0, taken;

        /* The host with the fewest free workers of those with n, else the one with the most. */
        for (int32_t other = 1; other < f->n_hosts; other++) {
            int32_t here = f->here[other], most = f->here[host];

            if (most >= n ? here >= n && here < most : here > most)
                host = other;
        }
        taken = take(f, out, host, at_s, n);
        out += taken;
        n -= taken;
        f->here[host] = 0;
    }
}

double fleet_choose(struct fleet *f, int32_t n, double patience_s)
{
    double host_s, any_s = nth_free(f, 0, f->n, n);
    int32_t host = best_host(f, n, &host_s);

    if (!isfinite(any_s))
        return INFINITY;
    if (host != NOWHERE && host_s - any_s <= patience_s) {
        take(f, f->chosen, host, host_s, n);
        return host_s;
    }
    take_from_hosts(f, f->chosen, any_s, n);
    return any_s;
}

/* ---- invariants ---- */

int fleet_check(const struct fleet *f, const double *held_s, struct err *err)
{
    int32_t n_idle = 0, n_alive = 0;
    double all_s = 0;

    for (int32_t worker = 0; worker < f->n; worker++) {
        const struct worker_load *load = &f->of[worker];
        int32_t place = load->idle_place;

        if (place != NOWHERE && (place >= f->n_idle || f->idle[place] != worker))
            return err_set(err, "worker %d is not idle at %d", worker, place);
        if (fabs(held_s[worker] - load->held_s) > 1e-5 * (1 + held_s[worker]))
            return err_set(err, "worker %d holds %g s, counted as %g s", worker, held_s[worker],
                           load->held_s);
        if (f->reserved.has[worker] && (f->reserved.trial == NOWHERE || load->presence != PRESENT))
            return err_set(err, "worker %d is reserved for %ld", worker, (long)f->reserved.trial);
        all_s += held_s[worker];
        n_idle += place != NOWHERE;
        n_alive += load->presence == PRESENT;
    }
    if (n_idle != f->n_idle || n_alive != f->n_alive || f->n_passed > n_idle ||
        fabs(all_s - f->held_s) > 1e-4 * (1 + all_s))
        return err_set(err, "%d workers live, %d are idle, they hold %g s; counted as %d, %d, %g s",
                       n_alive, n_idle, all_s, f->n_alive, f->n_idle, f->held_s);
    return 0;
}
