/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a crew. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "gang/gang_state.h"

/* Numbers of a cache line. */
enum { LINE = 16 };

#define LEAST_BYTES 64
#define CLASS_BITS 2 /* each class is four times the one before */

/* ---- counters ---- */

const char *gang_call_name(enum gang_call call)
{
    static const char *const names[] = {
#define GANG_CALL_NAME(id, name) name,
        GANG_CALL_TABLE(GANG_CALL_NAME)
#undef GANG_CALL_NAME
    };

    return names[call];
}

int64_t gang_size_limit(int class)
{
    return (int64_t)LEAST_BYTES << (CLASS_BITS * class);
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
    struct gang_count *count;
    int class = 0;

    while (class < GANG_SIZES - 1 && bytes > (size_t)gang_size_limit(class))
        class ++;
    count = &g->counts.of[call][class];
    count->calls++;
    count->bytes += (int64_t)bytes;
    count->seconds += clock_now(&clock_system) - since_s;
    count->waiting_s += g->waiting_s;
    g->waited_s += g->waiting_s;
}

/* ---- memory ---- */

/* Bound i of n equal stripes of numbers begin ... end - 1, whole cache lines except at the ends. */
static size_t stripe(size_t begin, size_t end, int32_t i, int32_t n)
{
    size_t n_lines = (end - begin + LINE - 1) / LINE;
    size_t at = begin + n_lines * (size_t)i / (size_t)n * LINE;

    return at < end ? at : end;
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
    size_t room = stripe(0, count, 1, g->n_hosts) + LINE;
    size_t n_nodes = g->n_hosts > 1 ? (size_t)g->n_own_nodes : 0;
    size_t n = (1 + n_nodes) * count + (n_nodes ? (size_t)g->n_nodes * room : 0);
    size_t begin = stripe(0, n, g->local_rank, g->local_size);
    size_t end = stripe(0, n, g->local_rank + 1, g->local_size);

    gang_give_back(g, g->work);
    g->work = gang_take(g, n * sizeof *g->work, begin * sizeof *g->work, end * sizeof *g->work);
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
    float *common = NULL;

    if (has_room(g, count))
        common = gang_take(g, bytes, stripe(0, bytes, g->local_rank, g->local_size),
                           stripe(0, bytes, g->local_rank + 1, g->local_size));
    return common ? common : fail_take(g, err);
}

/* ---- sums ---- */

struct addends {
    const float *parts;
    size_t count, begin, end;
};

/* One host: every rank adds up all, or a stripe that the others then copy. The first moves all rows
 * and the sum; the other moves a share of these, and the sum twice. */
static bool is_striped(const struct gang_member *g, const struct addends *a)
{
    size_t n_rows = (size_t)g->n_workers + 1, n_ranks = (size_t)g->local_size;

    return n_rows * n_ranks > n_rows + 2 * n_ranks && n_rows * (a->end - a->begin) > 8192;
}

static void add_all(const struct gang_member *g, float *total, const struct addends *a,
                    size_t begin, size_t end)
{
    crew_tree_sum(total + begin, a->parts + begin, a->count, g->n_workers, end - begin);
}

static void sum_on_host(struct gang_member *g, float *total, const struct addends *a)
{
    if (!gang_barrier(g))
        return;
    if (!is_striped(g, a)) {
        add_all(g, total, a, a->begin, a->end);
        gang_barrier(g); /* then the parts may be written again */
        return;
    }
    add_all(g, g->result, a, stripe(a->begin, a->end, g->local_rank, g->local_size),
            stripe(a->begin, a->end, g->local_rank + 1, g->local_size));
    FAULT("gang: its stripe was added up");
    if (gang_barrier(g))
        memcpy(total + a->begin, g->result + a->begin, (a->end - a->begin) * sizeof *total);
}

/* Add up the nodes of this host, each rank a stripe. A single worker's part stays where it is. */
static void add_own_nodes(struct gang_member *g, const struct addends *a)
{
    int32_t end_worker = gang_first_worker_of_host(g, g->host + 1);
    size_t begin = stripe(a->begin, a->end, g->local_rank, g->local_size);
    size_t end = stripe(a->begin, a->end, g->local_rank + 1, g->local_size);
    float *sum = g->nodes;

    for (int32_t w = gang_first_worker_of_host(g, g->host); w < end_worker; w = g->tree.end[w]) {
        const float *parts = a->parts + (size_t)w * a->count;

        g->tree.row[w] = parts;
        if (g->tree.end[w] == w + 1)
            continue;
        crew_tree_sum(sum + begin, parts + begin, a->count, g->tree.end[w] - w, end - begin);
        g->tree.row[w] = sum;
        sum += g->work_count;
    }
}

/* The leader: send each host the nodes of its stripe, and receive those of the own one. */
static bool exchange_nodes(struct gang_member *g, const struct addends *a)
{
    size_t begin = stripe(a->begin, a->end, g->host, g->n_hosts);
    size_t end = stripe(a->begin, a->end, g->host + 1, g->n_hosts);

    for (int32_t host = 0; host < g->n_hosts; host++) {
        size_t its_begin = stripe(a->begin, a->end, host, g->n_hosts);
        size_t its_end = stripe(a->begin, a->end, host + 1, g->n_hosts);
        int32_t w, end_worker = gang_first_worker_of_host(g, g->host + 1);

        transfer_clear(&g->links[host].send);
        transfer_clear(&g->links[host].receive);
        if (host == g->host)
            continue;
        for (w = gang_first_worker_of_host(g, g->host); w < end_worker; w = g->tree.end[w])
            transfer_add(&g->links[host].send, g->tree.row[w] + its_begin,
                         (its_end - its_begin) * sizeof(float));
        end_worker = gang_first_worker_of_host(g, host + 1);
        for (w = gang_first_worker_of_host(g, host); w < end_worker; w = g->tree.end[w])
            transfer_add(&g->links[host].receive, g->tree.row[w] + begin,
                         (end - begin) * sizeof(float));
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
    size_t begin = stripe(a->begin, a->end, g->host, g->n_hosts);
    size_t end = stripe(a->begin, a->end, g->host + 1, g->n_hosts);

    if (!gang_barrier(g))
        return;
    add_own_nodes(g, a);
    place_their_nodes(g, begin);
    FAULT("gang: its host's nodes were added up");
    if (!gang_barrier(g) || (gang_is_leader(g) && !exchange_nodes(g, a)) || !gang_barrier(g))
        return;
    tree_sum(g->result, &g->tree, stripe(begin, end, g->local_rank, g->local_size),
             stripe(begin, end, g->local_rank + 1, g->local_size));
    FAULT("gang: its share of the hosts' sum is there");
    for (int32_t host = 0; host <= g->n_hosts; host++)
        g->bounds[host] = sizeof(float) * stripe(a->begin, a->end, host, g->n_hosts);
    if (gang_spread(g, g->result, g->bounds))
        memcpy(total + a->begin, g->result + a->begin, (a->end - a->begin) * sizeof *total);
}

static void sum(struct crew *crew, float *total, const float *parts, size_t n, size_t begin,
                size_t end)
{
    struct addends addends = {.parts = parts, .count = n, .begin = begin, .end = end};
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
    count(g, GANG_SUM_FEW, n * sizeof *total, since_s);
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

const struct crew_calls gang_calls = {
    .take_parts = take_parts,
    .take_common = take_common,
    .sum = sum,
    .sum_few = sum_few,
    .share = share,
    .agree = agree,
};
