/* SPDX-License-Identifier: BSD-3-Clause */
#include "gang/gang.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "gang/gang_state.h"

/* Waking a sleeping process takes about as long. */
#define SPIN_S 50e-6

/* Numbers of sum_few() that all workers' slots hold together, and that each holds at least. */
enum { FEW_ALL = 16384, FEW_LEAST = 16 };

const struct gang_failure *gang_failure(const struct gang_member *g)
{
    return &g->failure;
}

/* ---- opening ---- */

static size_t put(size_t *at, size_t n)
{
    size_t begin = *at;

    *at += (n + 63) / 64 * 64;
    return begin;
}

/* Where the page's parts are; base NULL: only its size. */
static void lay_out(struct gang_member *g, char *base)
{
    struct page_view *page = &g->page;
    size_t n_hosts = (size_t)g->n_hosts, at = 0, few, marks, names, ranks, votes;

    page->few_room = FEW_ALL / (size_t)g->n_workers;
    if (page->few_room < FEW_LEAST)
        page->few_room = FEW_LEAST;
    put(&at, sizeof *page->head);
    ranks = put(&at, (n_hosts + 1) * sizeof *page->first_rank);
    names = put(&at, n_hosts * sizeof *page->host_names);
    marks = put(&at, n_hosts);
    votes = put(&at, 2 * (size_t)g->size * sizeof *page->votes);
    few = put(&at, 2 * (size_t)g->n_workers * page->few_room * sizeof *page->few);
    page->bytes = at;
    if (!base)
        return;
    page->first_rank = (int32_t *)(void *)(base + ranks);
    page->host_names = (char(*)[GANG_HOST])(void *)(base + names);
    page->marks = base + marks;
    page->votes = (struct vote *)(void *)(base + votes);
    page->few = (double *)(void *)(base + few);
}

static struct gang_member *create(const struct gang_place *place,
                                  const struct gang_options *options)
{
    struct gang_member *g = calloc(1, sizeof *g);
    size_t n_hosts = (size_t)place->n_hosts;

    if (!g)
        return NULL;
    *g = (struct gang_member){.rank = place->rank,
                              .size = place->size,
                              .local_rank = place->local_rank,
                              .local_size = place->local_size,
                              .host = place->host,
                              .n_hosts = place->n_hosts,
                              .n_workers = options->n_workers,
                              .silent_s = options->silent_s > 0 ? options->silent_s : GANG_SILENT_S,
                              .keep_waiting = options->keep_waiting,
                              .arg = options->arg,
                              .own_life = -1,
                              .beater_stop = -1};
    g->crew = (struct crew){.n_workers = g->n_workers, .calls = &gang_calls, .self = g};
    g->crew.first = gang_first_worker(g, g->rank);
    g->crew.n = gang_first_worker(g, g->rank + 1) - g->crew.first;
    snprintf(g->host_name, sizeof g->host_name, "%s", place->host_name);
    lay_out(g, NULL);
    g->members = no_descriptors(g->local_size);
    g->lives = no_descriptors(g->local_size);
    g->bounds = malloc((n_hosts + 1) * sizeof *g->bounds);
    if (!g->members || !g->lives || !g->bounds || tree_init(&g->tree, g->n_workers)) {
        gang_close(g);
        return NULL;
    }
    return g;
}

static int create_links(struct gang_member *g)
{
    size_t n = (size_t)g->n_hosts, n_pieces = (size_t)g->n_workers + 1;
    bool is_short;

    g->links = calloc(n, sizeof *g->links);
    g->polls = calloc(n, sizeof *g->polls);
    is_short = !g->links || !g->polls;
    for (size_t i = 0; g->links && i < n; i++) {
        struct gang_link *link = &g->links[i];

        *link = (struct gang_link){.data = -1, .beat = -1};
        link->send.piece = calloc(n_pieces, sizeof *link->send.piece);
        link->receive.piece = calloc(n_pieces, sizeof *link->receive.piece);
        is_short |= !link->send.piece || !link->receive.piece;
    }
    return is_short ? -1 : 0;
}

static int meet(struct gang_member *g, const struct gang_place *place,
                const struct gang_options *options, struct gang_failure *failure)
{
    double limit_s = options->meet_s > 0 ? options->meet_s : GANG_MEET_S;
    struct deadline deadline = {.until_s = clock_now(&clock_system) + limit_s,
                                .limit_s = limit_s,
                                .keep_waiting = options->keep_waiting,
                                .arg = options->arg};
    struct introduction own;

    introduction_init(&own, place, options);
    meeting_local(g, &own, &deadline, failure);
    if (g->page.head) {
        lay_out(g, (char *)g->page.head);
        if (gang_is_leader(g)) {
            memcpy(g->page.host_names[g->host], g->host_name, GANG_HOST);
            g->page.first_rank[g->n_hosts] = g->size;
        }
    }
    /* With a trouble of this host in own, other leaders hear of it in their meeting. */
    if (gang_is_leader(g) && g->n_hosts > 1) {
        struct gang_failure theirs = {0};

        deadline = deadline_renew(&deadline, g->host == 0);
        if (create_links(g))
            gang_fails(&theirs, GANG_BROKEN, "out of memory");
        else
            meeting_hosts(g, &own, place, &deadline, &theirs);
        if (!failure->trouble)
            *failure = theirs;
    }
    if (failure->trouble && g->page.head)
        gang_fail(g, failure->trouble, "%s", failure->why.text);
    return failure->trouble ? -1 : 0;
}

/* Spin only if each rank of the host may have a processor of its own. */
static bool count_processors(struct gang_member *g)
{
    struct gang_page *page = g->page.head;
    cpu_set_t own;
    int n = 0;

    if (!sched_getaffinity(0, sizeof own, &own))
        for (unsigned i = 0; i < 1024; i++)
            if (CPU_ISSET(i, &own))
                atomic_fetch_or(&page->cpus[i / 64], UINT64_C(1) << i % 64);
    if (!gang_barrier(g))
        return false;
    for (int i = 0; i < 16; i++)
        n += __builtin_popcountll(atomic_load(&page->cpus[i]));
    g->spin_s = n >= g->local_size ? SPIN_S : 0;
    return true;
}

static void prepare(struct gang_member *g)
{
    if (!count_processors(g))
        return;
    /* cut the tree between hosts */
    for (int32_t host = 0; host < g->n_hosts; host++) {
        int32_t n = tree_cover(&g->tree, gang_first_worker_of_host(g, host),
                               gang_first_worker_of_host(g, host + 1));

        g->n_nodes += n;
        if (host == g->host)
            g->n_own_nodes = n;
    }
    if (g->links && beat_start(g))
        gang_fail(g, GANG_BROKEN, "thread of a gang: %s", strerror(errno));
    gang_sync(g);
    FAULT("gang: all have met");
}

int gang_open(struct gang_member **gang, const struct gang_place *place,
              const struct gang_options *options, struct gang_failure *failure)
{
    double since_s = clock_now(&clock_system);
    struct gang_member *g;

    assert(place->size <= options->n_workers && place->n_hosts <= place->size);
    *gang = NULL;
    *failure = (struct gang_failure){0};
    g = create(place, options);
    if (!g)
        return gang_fails(failure, GANG_BROKEN, "out of memory");
    if (!meet(g, place, options, failure))
        prepare(g);
    if (!failure->trouble && !g->crew.has_failed) {
        *gang = g;
        g->counts.meeting_s = clock_now(&clock_system) - since_s;
        return 0;
    }
    if (g->crew.has_failed)
        *failure = g->failure;
    gang_close(g);
    return -1;
}

struct crew *gang_crew(struct gang_member *g)
{
    return &g->crew;
}

/* ---- closing ---- */

static void close_one(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void close_links(struct gang_member *g)
{
    if (!g->links)
        return;
    if (!g->crew.has_failed)
        beat_say(g, GANG_FINE, "");
    beat_stop(g);
    for (int32_t host = 0; host < g->n_hosts; host++) {
        struct gang_failure ignored;

        /* Unread bytes would reset the connection, and with it the last word. */
        if (g->links[host].beat >= 0)
            beat_listen(g, host, &ignored);
        close_one(g->links[host].data);
        close_one(g->links[host].beat);
        free(g->links[host].send.piece);
        free(g->links[host].receive.piece);
    }
}

void gang_close(struct gang_member *g)
{
    if (!g)
        return;
    FAULT("gang: before it is closed");
    close_links(g);
    for (int32_t i = 0; i < g->local_size; i++) {
        close_one(g->members ? g->members[i] : -1);
        close_one(g->lives ? g->lives[i] : -1);
    }
    close_one(g->own_life);
    for (size_t i = 0; i < g->n_mappings; i++)
        munmap(g->mappings[i].bytes, g->mappings[i].n);
    if (g->page.head)
        munmap(g->page.head, g->page.bytes);
    tree_release(&g->tree);
    free(g->mappings);
    free(g->links);
    free(g->polls);
    free(g->members);
    free(g->lives);
    free(g->bounds);
    free(g);
    FAULT("gang: was closed");
}
