/* SPDX-License-Identifier: BSD-3-Clause */
#include "gang/gang.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "gang/meeting.h"

/* Waking a sleeping process takes about as long. */
#define SPIN_S 50e-6

/* Numbers of sum_few() that all workers' slots hold together, and that each holds at least. */
enum { FEW_ALL = 16384, FEW_LEAST = 16 };

/* Numbers of a cache line. */
enum { LINE = 16 };

const struct gang_failure *gang_failure(const struct gang_member *g)
{
    return &g->failure;
}

/* ---- counters ---- */

int gang_size_class(size_t bytes)
{
    int class = 0;

    while (class < GANG_SIZES - 1 && bytes > (size_t)64 << (2 * class))
        class ++;
    return class;
}

const struct gang_counts *gang_counts(const struct gang_member *g)
{
    return &g->counts;
}

/* Begin a call. Returns the time. */
static double begin_call(struct gang_member *g)
{
    g->waiting_s = 0;
    return clock_now(&clock_system);
}

static void count(struct gang_member *g, enum gang_call call, size_t bytes, double since_s)
{
    struct gang_count *count = &g->counts.of[call][gang_size_class(bytes)];

    count->calls++;
    count->bytes += (int64_t)bytes;
    count->seconds += clock_now(&clock_system) - since_s;
    count->waiting_s += g->waiting_s;
    g->waited_s += g->waiting_s;
}

/* ---- memory ---- */

struct stripe {
    size_t begin, end;
};

/* Stripe i of n equal ones, whole cache lines except at the ends. */
static struct stripe cut(struct stripe all, int32_t i, int32_t n)
{
    size_t n_lines = (all.end - all.begin + LINE - 1) / LINE;
    struct stripe its = {all.begin + n_lines * (size_t)i / (size_t)n * LINE,
                         all.begin + n_lines * (size_t)(i + 1) / (size_t)n * LINE};

    its.begin = its.begin < all.end ? its.begin : all.end;
    its.end = its.end < all.end ? its.end : all.end;
    return its;
}

static struct stripe own_stripe(const struct gang_member *g, struct stripe all)
{
    return cut(all, g->local_rank, g->local_size);
}

static bool has_room(struct gang_member *g, size_t count)
{
    return count <= SIZE_MAX / 16 / sizeof(float) / (size_t)g->n_workers ||
           gang_fail(g, GANG_BROKEN, "out of memory (shared by a gang, %zu numbers)", count);
}

static void *fail_take(const struct gang_member *g, struct err *err)
{
    err_set(err, "%s", g->failure.why.text);
    return NULL;
}

/* Room for sums of `count` numbers in stripes. Each rank reserves its own share. */
static bool take_work(struct gang_member *g, size_t count)
{
    size_t room = cut((struct stripe){0, count}, 0, g->n_hosts).end + LINE;
    size_t n_nodes = g->n_hosts > 1 ? (size_t)g->n_own_nodes : 0;
    size_t n = (1 + n_nodes) * count + (n_nodes ? (size_t)g->n_nodes * room : 0);
    struct stripe own = own_stripe(g, (struct stripe){0, n});

    gang_give_back(g, g->work);
    g->work = gang_take(g, n * sizeof(float), own.begin * sizeof(float), own.end * sizeof(float));
    if (!g->work)
        return false;
    g->work_count = count;
    g->result = g->work;
    g->nodes = g->result + count;
    g->theirs = g->nodes + n_nodes * count;
    g->stripe_room = room;
    return true;
}

static float *take_parts(struct crew *crew, size_t count, struct err *err)
{
    struct gang_member *g = crew->self;
    size_t row_bytes = count * sizeof(float);
    float *parts = NULL;

    if (has_room(g, count))
        parts = gang_take(g, (size_t)g->n_workers * row_bytes, (size_t)crew->first * row_bytes,
                          (size_t)(crew->first + crew->n) * row_bytes);
    if (!parts || (count > g->work_count && !take_work(g, count)))
        return fail_take(g, err);
    return parts;
}

static float *take_common(struct crew *crew, size_t count, struct err *err)
{
    struct gang_member *g = crew->self;
    size_t bytes = count * sizeof(float);
    struct stripe own = own_stripe(g, (struct stripe){0, bytes});
    float *common = has_room(g, count) ? gang_take(g, bytes, own.begin, own.end) : NULL;

    return common ? common : fail_take(g, err);
}

/* ---- sums ---- */

struct addends {
    const float *parts;
    size_t count;
    struct stripe all;
};

/* One host: every rank adds up all, or a stripe that the others then copy. The first moves all rows
 * and the sum; the other moves a share of these, and the sum twice. */
static bool is_striped(const struct gang_member *g, const struct addends *a)
{
    size_t n_rows = (size_t)g->n_workers + 1, n_ranks = (size_t)g->local_size;

    return n_rows * n_ranks > n_rows + 2 * n_ranks && n_rows * (a->all.end - a->all.begin) > 8192;
}

static void add_all(const struct gang_member *g, float *total, const struct addends *a,
                    struct stripe some)
{
    crew_tree_sum(total + some.begin, a->parts + some.begin, a->count, g->n_workers,
                  some.end - some.begin);
}

static void copy(float *total, const struct gang_member *g, struct stripe all)
{
    memcpy(total + all.begin, g->result + all.begin, (all.end - all.begin) * sizeof *total);
}

static void sum_on_host(struct gang_member *g, float *total, const struct addends *a)
{
    if (!gang_barrier(g))
        return;
    if (!is_striped(g, a)) {
        add_all(g, total, a, a->all);
        gang_barrier(g); /* then the parts may be written again */
        return;
    }
    add_all(g, g->result, a, own_stripe(g, a->all));
    FAULT("gang: its stripe was added up");
    if (gang_barrier(g))
        copy(total, g, a->all);
}

/* Add up the nodes of this host, each rank a stripe. A single worker's part stays where it is. */
static void add_own_nodes(struct gang_member *g, const struct addends *a)
{
    int32_t end_worker = gang_first_worker_of_host(g, g->host + 1);
    struct stripe own = own_stripe(g, a->all);
    float *sum = g->nodes;

    for (int32_t w = gang_first_worker_of_host(g, g->host); w < end_worker; w = g->tree.end[w]) {
        const float *parts = a->parts + (size_t)w * a->count;

        g->tree.row[w] = parts;
        if (g->tree.end[w] == w + 1)
            continue;
        crew_tree_sum(sum + own.begin, parts + own.begin, a->count, g->tree.end[w] - w,
                      own.end - own.begin);
        g->tree.row[w] = sum;
        sum += g->work_count;
    }
}

/* The leader: send each host the nodes of its stripe, and receive those of the own one. */
static bool exchange_nodes(struct gang_member *g, const struct addends *a)
{
    struct stripe own = cut(a->all, g->host, g->n_hosts);
    int32_t end_worker = gang_first_worker_of_host(g, g->host + 1), its_end_worker;

    for (int32_t host = 0; host < g->n_hosts; host++) {
        struct stripe its = cut(a->all, host, g->n_hosts);
        int32_t w;

        if (host == g->host)
            continue;
        for (w = gang_first_worker_of_host(g, g->host); w < end_worker; w = g->tree.end[w])
            transfer_add(&g->links[host].send, g->tree.row[w] + its.begin,
                         (its.end - its.begin) * sizeof(float));
        its_end_worker = gang_first_worker_of_host(g, host + 1);
        for (w = gang_first_worker_of_host(g, host); w < its_end_worker; w = g->tree.end[w])
            transfer_add(&g->links[host].receive, g->tree.row[w] + own.begin,
                         (own.end - own.begin) * sizeof(float));
    }
    if (!gang_exchange(g))
        return false;
    FAULT("gang: nodes were exchanged");
    return true;
}

/* Where the nodes of other hosts are received; rows begin at number 0, which is not there. */
static void place_their_nodes(struct gang_member *g, size_t begin)
{
    uintptr_t at = (uintptr_t)g->theirs;

    for (int32_t host = 0; host < g->n_hosts; host++) {
        int32_t end_worker = gang_first_worker_of_host(g, host + 1);

        for (int32_t w = gang_first_worker_of_host(g, host); w < end_worker; w = g->tree.end[w]) {
            if (host != g->host)
                g->tree.row[w] = (const float *)(at - begin * sizeof(float));
            at += g->stripe_room * sizeof(float);
        }
    }
}

static void sum_between_hosts(struct gang_member *g, float *total, const struct addends *a)
{
    struct stripe host_stripe = cut(a->all, g->host, g->n_hosts);
    struct stripe own = own_stripe(g, host_stripe);

    if (!gang_barrier(g))
        return;
    add_own_nodes(g, a);
    place_their_nodes(g, host_stripe.begin);
    FAULT("gang: its host's nodes were added up");
    if (!gang_barrier(g) || (gang_is_leader(g) && !exchange_nodes(g, a)) || !gang_barrier(g))
        return;
    tree_sum(g->result, &g->tree, own.begin, own.end);
    FAULT("gang: its share of the hosts' sum is there");
    for (int32_t host = 0; host <= g->n_hosts; host++)
        g->bounds[host] = sizeof(float) * cut(a->all, host, g->n_hosts).begin;
    if (gang_spread(g, g->result, g->bounds))
        copy(total, g, a->all);
}

static void sum(struct crew *crew, float *total, const float *parts, size_t n, size_t begin,
                size_t end)
{
    struct addends addends = {.parts = parts, .count = n, .all = {begin, end}};
    struct gang_member *g = crew->self;
    double since_s = begin_call(g);

    if (crew->has_failed)
        return;
    FAULT("gang: before a sum");
    if (g->n_hosts == 1)
        sum_on_host(g, total, &addends);
    else
        sum_between_hosts(g, total, &addends);
    FAULT("gang: has a sum");
    count(g, GANG_SUM, (end - begin) * sizeof(float), since_s);
}

/* ---- the member that the others wait for ---- */

/* Seconds since the first agree() in which this rank did not wait for others. */
static double busy_s(const struct gang_member *g)
{
    return g->pace_since_s > 0 ? clock_now(&clock_system) - g->pace_since_s - g->waited_s : 0;
}

static void measure_pace(struct gang_member *g, const struct vote *votes)
{
    double n, sum_s = 0;
    int32_t slowest = 0;

    for (int32_t rank = 1; rank < g->size; rank++)
        if (votes[rank].busy_s > votes[slowest].busy_s)
            slowest = rank;
    n = gang_first_worker(g, slowest + 1) - gang_first_worker(g, slowest);
    /* what the others would have needed on average for its workers */
    for (int32_t rank = 0; rank < g->size; rank++) {
        double its_n = gang_first_worker(g, rank + 1) - gang_first_worker(g, rank);

        if (rank != slowest)
            sum_s += votes[rank].busy_s * (its_n < n ? n / its_n : 1);
    }
    g->pace = (struct gang_pace){.rank = slowest,
                                 .host = g->page.host_names[gang_host_of(g, slowest)],
                                 .busy_s = votes[slowest].busy_s,
                                 .others_s = sum_s / (g->size - 1)};
}

const struct gang_pace *gang_pace(const struct gang_member *g)
{
    return &g->pace;
}

/* ---- the others ---- */

static bool sum_some(struct gang_member *g, double *total, const double *parts, size_t stride,
                     size_t n)
{
    size_t slot = (size_t)g->n_workers * g->page.few_room;
    double *all = g->page.few + (g->turn++ % 2) * slot, *own = all + (size_t)g->crew.first * n;

    for (int32_t i = 0; i < g->crew.n; i++)
        memcpy(own + (size_t)i * n, parts + (size_t)i * stride, n * sizeof *own);
    for (int32_t host = 0; host <= g->n_hosts; host++)
        g->bounds[host] = sizeof *all * n * (size_t)gang_first_worker_of_host(g, host);
    if (!gang_spread(g, all, g->bounds))
        return false;
    crew_tree_sum_doubles(total, all, n, g->n_workers, n);
    return true;
}

static void sum_few(struct crew *crew, double *total, const double *parts, size_t n)
{
    struct gang_member *g = crew->self;
    double since_s = begin_call(g);
    size_t room = g->page.few_room;

    for (size_t at = 0; at < n; at += room)
        if (crew->has_failed ||
            !sum_some(g, total + at, parts + at, n, n - at < room ? n - at : room))
            return;
    count(g, GANG_SUM, n * sizeof *total, since_s);
}

static void share(struct crew *crew, float *common, const size_t *bounds)
{
    struct gang_member *g = crew->self;
    double since_s = begin_call(g);

    if (crew->has_failed)
        return;
    for (int32_t host = 0; host <= g->n_hosts; host++)
        g->bounds[host] = sizeof *common * bounds[gang_first_worker_of_host(g, host)];
    if (gang_spread(g, common, g->bounds))
        count(g, GANG_SHARE, sizeof *common * (bounds[g->n_workers] - bounds[0]), since_s);
}

static bool agree(struct crew *crew, bool wants, struct hash hash)
{
    struct gang_member *g = crew->self;
    double since_s = begin_call(g);
    struct vote *votes = g->page.votes + (g->turn++ % 2) * (size_t)g->size;
    char own[HASH_HEX_SIZE], its[HASH_HEX_SIZE];
    bool any = false;

    if (crew->has_failed)
        return false;
    FAULT("gang: before it agrees");
    votes[g->rank] = (struct vote){.hash = hash, .wants = wants, .busy_s = busy_s(g)};
    for (int32_t host = 0; host <= g->n_hosts; host++)
        g->bounds[host] = sizeof *votes * (size_t)g->page.first_rank[host];
    if (!gang_spread(g, votes, g->bounds))
        return false;
    FAULT("gang: has the votes");
    for (int32_t rank = 0; rank < g->size; rank++) {
        any |= votes[rank].wants;
        if (!hash_equal(votes[rank].hash, votes[0].hash))
            return gang_fail(g, GANG_DIFFERS,
                             "rank %d of the gang on %s has other numbers (%.8s) than rank 0 on %s "
                             "(%.8s): the machines compute differently",
                             rank, g->page.host_names[gang_host_of(g, rank)],
                             hash_hex(votes[rank].hash, its), g->page.host_names[0],
                             hash_hex(votes[0].hash, own));
    }
    if (g->pace_since_s > 0 && g->size > 1)
        measure_pace(g, votes);
    count(g, GANG_AGREE, sizeof *votes * (size_t)g->size, since_s);
    if (g->pace_since_s <= 0) {
        g->pace_since_s = clock_now(&clock_system);
        g->waited_s = 0;
    }
    return any;
}

static const struct crew_calls calls = {
    .take_parts = take_parts,
    .take_common = take_common,
    .sum = sum,
    .sum_few = sum_few,
    .share = share,
    .agree = agree,
};

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
    g->crew = (struct crew){.n_workers = g->n_workers, .calls = &calls, .self = g};
    g->crew.first = gang_first_worker(g, g->rank);
    g->crew.n = gang_first_worker(g, g->rank + 1) - g->crew.first;
    snprintf(g->host_name, sizeof g->host_name, "%s", place->host_name);
    lay_out(g, NULL);
    g->members = descriptors_create(g->local_size);
    g->lives = descriptors_create(g->local_size);
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
    struct time_limit limit = {.until_s = clock_now(&clock_system) + limit_s,
                               .limit_s = limit_s,
                               .keep_waiting = options->keep_waiting,
                               .arg = options->arg};
    struct introduction own;

    introduction_init(&own, place, options);
    meeting_local(g, &own, &limit, failure);
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

        limit = time_limit_renew(&limit, g->host == 0);
        if (create_links(g))
            gang_fails(&theirs, GANG_BROKEN, "out of memory");
        else
            meeting_hosts(g, &own, place, &limit, &theirs);
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
        descriptor_close(&g->links[host].data);
        descriptor_close(&g->links[host].beat);
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
        if (g->members)
            descriptor_close(&g->members[i]);
        if (g->lives)
            descriptor_close(&g->lives[i]);
    }
    descriptor_close(&g->own_life);
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
