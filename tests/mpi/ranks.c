/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication of ranks, with trials that only sleep. ranks.sh runs it under mpirun.
 *   ranks basics             collectives and messages
 *   ranks sweep N SECONDS    N trials of SECONDS each; every tenth is instant
 *   ranks stop N SECONDS     the same, with the stop flag set after a third of the results
 *   ranks sinkfail N SECONDS the sink fails after a third of the results
 *   ranks gangs N SECONDS FOLDER    N trials of SECONDS each, of 1 to all ranks, which meet by TCP;
 *                            in some a member fails, and in some it loses the others, once or always
 *   ranks wide               trials of more ranks than there are
 *   ranks lost N SECONDS     N trials of 1 to 3 ranks; the last rank dies in its first gang
 *   ranks foreign            rank 1 sends bytes that are not a message
 *   ranks unwell             rank 1 leaves with an error
 *   ranks torn               rank 1 dies in the middle of a long message
 *   ranks share FOLDER       rank 0's bytes are shared, one copy on the host: measured
 *   ranks copies             the same without sharing: one copy a rank
 *   ranks refused FOLDER WHY sharing fails there for that reason: one copy a rank
 *   ranks short              the last rank has no memory for its copy: all ranks learn it
 *   ranks patience           ranks that wait for rank 0 sleep
 *   ranks gpus N G WORD...   with gpus_per_host = N and gpus = G each rank gets the GPUs of its WORD,
 *                            or an error with the first
 *   ranks cost N SECONDS     N timed trials, and the cost of the scheduler's thread meanwhile
 * Exits with 0 if everything is as expected. */
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "launch/gpu_share.h"
#include "sched/master.h"
#include "sched/message.h"
#include "sched/relay.h"
#include "sched/world.h"

#define CHECK(condition)                                               \
    do {                                                               \
        if (!(condition)) {                                            \
            fprintf(stderr, "ranks.c:%d: %s\n", __LINE__, #condition); \
            world_abort(&world, 1);                                    \
        }                                                              \
    } while (0)

#define SILENCE_S 10

static struct world world;
static struct err err;

static void cut_off(const struct err *why) __attribute__((noreturn));
static void cut_off(const struct err *why)
{
    fprintf(stderr, "rank %d: %s\n", world.rank, why->text);
    world_leave(1);
}

static const struct relay_options serving = {.silence_s = SILENCE_S, .cut_off = cut_off};

/* ---- trials ---- */

struct fake {
    double seconds;
    int64_t instant_every;
};

static void run_fake(void *self, struct trial_result *r, int64_t number,
                     const struct trial_watch *watch)
{
    const struct fake *fake = self;
    bool is_instant = fake->instant_every && number % fake->instant_every == 0;
    double end_s = clock_now(&clock_system) + (is_instant ? 0 : fake->seconds);

    r->value = (double)number;
    r->state = TRIAL_DONE;
    while (clock_now(&clock_system) < end_s) {
        clock_sleep(1e-3);
        if (!watch->keep_going(watch->arg)) {
            r->state = TRIAL_PENDING;
            return;
        }
    }
}

/* ---- gangs ---- */

/* Every ninth gang fails. */
static bool fails(int64_t number)
{
    return number % 9 == 4;
}

/* A member of these loses the others: in the first attempt, or in each. */
static bool parts_once(int64_t number)
{
    return number % 9 == 7;
}

static bool parts_always(int64_t number)
{
    return number % 9 == 2;
}

static const char
    *parted; /* folder in which each gang that parts leaves a file; NULL: none parts */

static bool parts(int64_t number)
{
    char path[4096];
    int fd;

    if (!parted || (!parts_once(number) && !parts_always(number)))
        return false;
    snprintf(path, sizeof path, "%s/%ld", parted, (long)number);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || parts_always(number);
}

static int connect_to(const struct trial_gang *gang)
{
    char port[16];
    struct addrinfo *found, hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    int fd = socket(AF_INET, SOCK_STREAM, 0), rc;

    snprintf(port, sizeof port, "%d", gang->port);
    CHECK(fd >= 0 && !getaddrinfo(gang->address, port, &hints, &found));
    rc = connect(fd, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    if (!rc)
        return fd;
    close(fd);
    return -1;
}

static int listen_at(int32_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    CHECK(fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof address) && !listen(fd, 64));
    return fd;
}

static int accept_one(int at, const struct trial_watch *watch)
{
    struct pollfd poll_at = {.fd = at, .events = POLLIN};

    while (!poll(&poll_at, 1, 1))
        if (!watch->keep_going(watch->arg))
            return -1;
    return accept(at, NULL, NULL);
}

static bool collect(const struct trial_watch *watch, int at)
{
    int32_t sum = 0, rank;

    for (int32_t i = 1; i < watch->gang->size; i++) {
        int fd = accept_one(at, watch);

        if (fd < 0)
            return false;
        CHECK(read(fd, &rank, sizeof rank) == sizeof rank);
        close(fd);
        sum += rank;
    }
    CHECK(sum == watch->gang->size * (watch->gang->size - 1) / 2);
    return true;
}

/* The leader adds up the ranks of the others. False: told to end. */
static bool meet(const struct trial_watch *watch)
{
    const struct trial_gang *gang = watch->gang;
    int fd = -1;
    bool is_done;

    if (!gang->rank) {
        fd = listen_at(gang->port);
        is_done = collect(watch, fd);
        close(fd);
        return is_done;
    }
    while ((fd = connect_to(gang)) < 0) {
        clock_sleep(1e-3);
        if (!watch->keep_going(watch->arg))
            return false;
    }
    CHECK(write(fd, &gang->rank, sizeof gang->rank) == sizeof gang->rank);
    close(fd);
    return true;
}

static void check_part(const struct trial_gang *gang)
{
    CHECK(gang->rank >= 0 && gang->rank < gang->size && gang->size <= world.size);
    CHECK(gang->local_rank == gang->rank && gang->local_size == gang->size);
    CHECK(gang->n_local == gang->size && gang->local_ranks[gang->rank] == world.rank);
    CHECK(gang->host == 0 && gang->n_hosts == 1 && !strcmp(gang->address, "127.0.0.1"));
    CHECK(gang->port >= 20000 && gang->port <= 32000);
}

static bool dies; /* this rank, in its first gang */

static void run_member(void *self, struct trial_result *r, int64_t number,
                       const struct trial_watch *watch)
{
    const struct fake *fake = self;
    const struct trial_gang *gang = watch->gang;
    double end_s = clock_now(&clock_system) + fake->seconds;

    CHECK(watch->id == 1000 + number && !watch->save == (gang && gang->rank > 0));
    r->value = (double)number;
    r->state = TRIAL_DONE;
    if (gang)
        check_part(gang);
    if (gang && dies)
        kill(getpid(), SIGKILL);
    if (gang && fails(number)) {
        if (gang->rank == gang->size - 1) {
            r->state = TRIAL_FAILED;
            snprintf(r->error, sizeof r->error, "boom");
            return;
        }
        end_s += 60; /* the others are told to end */
    } else if (gang && gang->rank == gang->size - 1 && parts(number)) {
        r->state = TRIAL_PENDING;
        snprintf(r->error, sizeof r->error, "rank 0 is gone");
        return;
    } else if (gang && !meet(watch)) {
        r->state = TRIAL_PENDING;
        return;
    }
    while (clock_now(&clock_system) < end_s) {
        clock_sleep(1e-3);
        if (!watch->keep_going(watch->arg)) {
            r->state = TRIAL_PENDING;
            return;
        }
    }
}

/* ---- sink ---- */

struct seen {
    int *times;            /* [n] results of each trial */
    const int32_t *widths; /* [n] NULL: all 1 */
    int n_lost, n_most_lost, n_crashed;
    int64_t lost; /* trial of the lost gang */
    int64_t n, n_seen, uncommitted;
    int64_t stop_at, fail_at; /* at this number of results; 0: never */
    int32_t *by_rank;
    struct traffic *traffic; /* [world.size] */
    volatile sig_atomic_t stop;
};

static int on_result(void *arg, const struct trial_result *r, struct err *e)
{
    struct seen *seen = arg;

    CHECK(r->trial >= 0 && r->trial < seen->n && r->value == (double)r->trial);
    CHECK(r->rank >= 0 && r->rank < world.size && r->pid > 0 && *r->host);
    if (seen->widths && seen->widths[r->trial] > 1 && fails(r->trial)) {
        char reason[64];

        snprintf(reason, sizeof reason, "rank %d of the gang: boom", seen->widths[r->trial] - 1);
        CHECK(r->state == TRIAL_FAILED && !strcmp(r->error, reason));
    } else if (parted && seen->widths && seen->widths[r->trial] > 1 && parts_always(r->trial)) {
        CHECK(r->state == TRIAL_FAILED &&
              strstr(r->error, "last time (crash_limit): rank 0 is gone"));
    } else {
        CHECK(r->state == TRIAL_DONE);
    }
    CHECK(r->finished >= r->started && r->timing[PHASE_WAITING] >= 0);
    seen->times[r->trial]++;
    seen->by_rank[r->rank]++;
    seen->n_seen++;
    seen->uncommitted++;
    if (seen->n_seen == seen->stop_at)
        seen->stop = STOP_SOON;
    return seen->n_seen == seen->fail_at ? err_set(e, "disk full") : 0;
}

static int on_running(void *arg, const struct master_trial *trial, struct err *e)
{
    const struct seen *seen = arg;

    (void)e;
    CHECK(trial->trial >= 0 && trial->trial < seen->n && trial->started > 0);
    CHECK(trial->process->pid > 0 && trial->rank >= 0 && trial->rank < world.size);
    return 0;
}

static int on_crashed(void *arg, const struct master_trial *trial, const char *reason,
                      struct err *e)
{
    struct seen *seen = arg;

    (void)e;
    CHECK(parts_once(trial->trial) || parts_always(trial->trial));
    CHECK(!strcmp(reason, "rank 0 is gone") && trial->n_members == seen->widths[trial->trial]);
    CHECK(trial->members[0].rank == trial->rank && trial->process->pid > 0);
    seen->n_crashed++;
    return 0;
}

static int on_lost(void *arg, const struct master_loss *loss, struct err *e)
{
    struct seen *seen = arg;

    (void)e;
    if (!seen->n_most_lost)
        fprintf(stderr, "rank %d is lost: %s\n", loss->rank, loss->why);
    CHECK(++seen->n_lost <= seen->n_most_lost);
    CHECK(loss->rank == world.size - 1 && loss->n_trials == 1);
    CHECK(seen->widths[loss->trials[0]] > 1 && loss->attempt.process->pid > 0);
    CHECK(loss->attempt.rank == loss->rank || loss->attempt.trial == loss->trials[0]);
    seen->lost = loss->trials[0];
    return 0;
}

static void on_back(void *arg, int32_t rank)
{
    (void)arg;
    (void)rank;
    CHECK(false);
}

static int on_commit(void *arg, struct err *e)
{
    (void)e;
    ((struct seen *)arg)->uncommitted = 0;
    return 0;
}

static int on_traffic(void *arg, int32_t rank, const struct process *process,
                      const struct traffic *traffic, struct err *e)
{
    (void)e;
    CHECK(rank >= 0 && rank < world.size && process->pid > 0);
    ((struct seen *)arg)->traffic[rank] = *traffic;
    return 0;
}

static void on_progress(void *arg, const struct master_progress *progress)
{
    const struct seen *seen = arg;

    CHECK(progress->n_workers == world.size - seen->n_lost && progress->n_busy <= world.size);
}

static int64_t on_id(void *arg, int64_t trial)
{
    (void)arg;
    return 1000 + trial;
}

static int run(struct seen *seen, struct ledger *ledger, const struct runner *runner,
               enum master_end *end)
{
    struct master_sink sink = {.result = on_result,
                               .running = on_running,
                               .crashed = on_crashed,
                               .lost = on_lost,
                               .back = on_back,
                               .commit = on_commit,
                               .traffic = on_traffic,
                               .id = on_id,
                               .progress = on_progress,
                               .arg = seen};
    struct master_options options = {.commit_s = 0.5,
                                     .commit_results = 1000,
                                     .stop = &seen->stop,
                                     .until_s = (double)INFINITY,
                                     .silence_s = SILENCE_S,
                                     .begun_s = clock_now(&clock_system)};

    int32_t n_groups = ledger_n_groups(ledger);
    struct gcn_cost *nothing = calloc((size_t)n_groups + 1, sizeof *nothing);
    int32_t *hosts = calloc((size_t)world.size, sizeof *hosts);
    struct cost *cost = cost_create(nothing, n_groups, world.size, &err);
    struct dispatch *dispatch;
    struct master_parts parts = {NULL, &world, runner, &sink, &options, &clock_system};
    struct master *master;
    int rc;

    if (world.is_mpi)
        world_hosts(&world, hosts);
    dispatch = dispatch_create(ledger, cost, world.size, seen->widths, false, hosts, &err);
    parts.dispatch = dispatch;
    master = master_create(&parts, &err);
    CHECK(master);
    rc = master_run(end, master, &err);
    master_destroy(master);
    if (*end == MASTER_TOO_FEW)
        CHECK(dispatch_lacks(dispatch) == world.size + 1);
    CHECK(rc || !dispatch_check(dispatch, &err));
    dispatch_destroy(dispatch);
    cost_destroy(cost);
    free(nothing);
    free(hosts);
    return rc;
}

static void seen_init(struct seen *seen, int64_t n)
{
    *seen = (struct seen){.n = n};
    seen->times = calloc((size_t)n, sizeof *seen->times);
    seen->by_rank = calloc((size_t)world.size, sizeof *seen->by_rank);
    seen->traffic = calloc((size_t)world.size, sizeof *seen->traffic);
}

static void seen_release(struct seen *seen)
{
    free(seen->times);
    free(seen->by_rank);
    free(seen->traffic);
}

static void check_each_once(const struct seen *seen, const struct ledger *ledger)
{
    int64_t n = 0;

    CHECK(seen->uncommitted == 0);
    for (int64_t i = 0; i < seen->n; i++) {
        CHECK(seen->times[i] == (ledger_state(ledger, i) == TRIAL_DONE));
        n += seen->times[i];
    }
    CHECK(n == seen->n_seen && ledger_counts(ledger).leased == 0);
    CHECK(!ledger_check(ledger, &err));
}

/* Every message that one rank sends is received by another, in the same class. */
static void check_traffic(const struct seen *seen, double elapsed_s)
{
    int64_t n_trials = 0;

    for (int i = 0; i < TRAFFIC_SIZES; i++) {
        int64_t calls = 0, bytes = 0;

        for (int rank = 0; rank < world.size; rank++) {
            const struct traffic_count *sent = &seen->traffic[rank].of[i];
            const struct traffic_count *received = &seen->traffic[rank].of[TRAFFIC_SIZES + i];

            calls += sent->calls - received->calls;
            bytes += sent->bytes - received->bytes;
        }
        CHECK(calls == 0 && bytes == 0);
    }
    for (int rank = 0; rank < world.size; rank++) {
        const struct traffic_count *of = seen->traffic[rank].of;
        double seconds = 0;

        n_trials += of[traffic_cell(TRAFFIC_COMPUTE, 0)].calls;
        for (int i = 0; i < TRAFFIC_CELLS; i++)
            if (i < TRAFFIC_TRAINING || i >= TRAFFIC_TRAINING + TRAFFIC_TRAINING_CELLS)
                seconds += of[i].seconds;
        CHECK(seconds > 0 && seconds <= elapsed_s);
    }
    CHECK(n_trials >= seen->n_seen);
}

/* ---- the cases ---- */

static void test_broadcast(size_t size)
{
    unsigned char *bytes = NULL;
    size_t n = size;
    void *block;

    if (!world.rank) {
        bytes = malloc(size + 1);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (unsigned char)(i * 7 + i / 251);
    }
    block = bytes;
    CHECK(world_broadcast(&world, &block, &n, &err) == 0 && n == size);
    CHECK(world.rank == 0 || (size_t)block % 64 == 0);
    for (size_t i = 0; i < size; i++)
        CHECK(((unsigned char *)block)[i] == (unsigned char)(i * 7 + i / 251));
    free(block);
}

static void test_gather(void)
{
    int *all = calloc((size_t)world.size, sizeof *all);

    CHECK(world_gather(&world, &world.rank, sizeof *all, all, &err) == 0);
    for (int rank = 0; rank < world.size && !world.rank; rank++)
        CHECK(all[rank] == rank);
    free(all);
}

#define N_MESSAGES 200
#define LARGE ((size_t)8 << 20)

static void send_messages(void)
{
    struct buf message = {0};

    for (uint32_t i = 0; i < N_MESSAGES; i++) {
        buf_clear(&message);
        buf_put_u32(&message, i);
        if (i == N_MESSAGES / 2)
            memset(buf_extend(&message, LARGE), 'x', LARGE);
        CHECK(world_send(&world, 0, &message, &err) == 0);
    }
    buf_release(&message);
}

static void receive_messages(void)
{
    uint32_t *next = calloc((size_t)world.size, sizeof *next);
    int left = (world.size - 1) * N_MESSAGES;
    struct buf message = {0};
    int32_t from;
    int got;

    while (left) {
        struct cursor in;

        CHECK((got = world_receive(&world, &from, &message, &err)) >= 0);
        if (!got)
            continue;
        in = (struct cursor){.data = message.data, .size = message.size};
        CHECK(cursor_u32(&in) == next[from]);
        CHECK(message.size == (next[from] == N_MESSAGES / 2 ? 4 + LARGE : 4));
        next[from]++;
        left--;
    }
    buf_release(&message);
    free(next);
}

static void case_basics(void)
{
    test_broadcast(0);
    test_broadcast(1);
    test_broadcast(3000001);
    test_gather();
    if (world.rank)
        send_messages();
    else
        receive_messages();
}

static void case_sweep(const char *name, int64_t n, double seconds)
{
    struct fake fake = {seconds, 10};
    struct runner runner = {.run = run_fake, .self = &fake};
    struct ledger *ledger;
    struct seen seen;
    enum master_end end;
    double begun_s = clock_now(&clock_system);
    int rc;

    if (world.rank) {
        CHECK(relay_serve(&world, &runner, &serving, &clock_system, &err) == 0);
        return;
    }
    seen_init(&seen, n);
    seen.stop_at = strcmp(name, "stop") ? 0 : n / 3;
    seen.fail_at = strcmp(name, "sinkfail") ? 0 : n / 3;
    ledger = ledger_create(n, n ? n : 1, NULL, 2, &err);
    rc = run(&seen, ledger, &runner, &end);
    if (seen.fail_at) {
        CHECK(rc == -1 && !strcmp(err.text, "disk full") && seen.n_seen == seen.fail_at);
    } else {
        CHECK(rc == 0);
        CHECK(end == (seen.stop_at ? MASTER_STOPPED : MASTER_FINISHED));
        CHECK(seen.stop_at ? seen.n_seen >= seen.stop_at && seen.n_seen < n : seen.n_seen == n);
        check_each_once(&seen, ledger);
        check_traffic(&seen, clock_now(&clock_system) - begun_s + 0.1);
        for (int rank = 0; rank < world.size; rank++)
            CHECK(seconds < 0.01 || seen.by_rank[rank] > 0);
    }
    seen_release(&seen);
    ledger_destroy(ledger);
}

static void case_gangs(int64_t n, double seconds, int32_t widest, bool loses)
{
    struct fake fake = {seconds, 0};
    struct runner runner = {.run = run_member, .self = &fake};
    struct ledger *ledger;
    struct seen seen;
    enum master_end end;
    int32_t *widths;
    int64_t n_narrow = 0, n_parted = 0;

    dies = loses && world.rank == world.size - 1;
    if (world.rank) {
        CHECK(relay_serve(&world, &runner, &serving, &clock_system, &err) == 0);
        return;
    }
    seen_init(&seen, n);
    seen.n_most_lost = loses;
    widths = calloc((size_t)n, sizeof *widths);
    for (int64_t i = 0; i < n; i++) {
        widths[i] = 1 + (int32_t)(i * 7 / 3 % widest);
        n_narrow += widths[i] <= world.size;
        n_parted += parted && widths[i] > 1 && widths[i] <= world.size &&
                    (parts_once(i) || parts_always(i));
    }
    seen.widths = widths;
    ledger = ledger_create(n, 1, NULL, 2, &err);
    CHECK(run(&seen, ledger, &runner, &end) == 0);
    CHECK(end == (n_narrow < n ? MASTER_TOO_FEW : MASTER_FINISHED));
    CHECK(seen.n_seen == n_narrow && seen.uncommitted == 0 && !ledger_check(ledger, &err));
    for (int64_t i = 0; i < n; i++)
        CHECK(seen.times[i] == (widths[i] <= world.size));
    CHECK(seen.n_crashed == n_parted);
    CHECK(seen.n_lost == loses && (!loses || ledger_is_suspect(ledger, seen.lost)));
    if (loses) /* mpirun's exit status says nothing in recovery mode */
        printf("all trials are done\n");
    ledger_destroy(ledger);
    seen_release(&seen);
    free(widths);
}

static void misbehave(bool is_foreign)
{
    struct buf message = {0}, in = {0};
    enum message_kind kind = MESSAGE_ASSIGN;
    struct cursor cursor;
    int32_t from;

    if (is_foreign) {
        buf_puts(&message, "hello");
        CHECK(world_send(&world, 0, &message, &err) == 0);
        while (kind != MESSAGE_STOP)
            if (world_receive(&world, &from, &in, &err) == 1)
                CHECK(message_open(&cursor, &kind, &in, &err) == 0);
    }
    message_begin(&message, MESSAGE_LEAVE);
    buf_put_text(&message, is_foreign ? "" : "out of memory");
    CHECK(world_send(&world, 0, &message, &err) == 0);
    buf_release(&message);
    buf_release(&in);
}

static void case_broken(bool is_foreign)
{
    struct fake fake = {0.02, 0};
    struct runner runner = {.run = run_fake, .self = &fake};
    struct ledger *ledger;
    struct seen seen;
    enum master_end end;

    if (world.rank == 1) {
        misbehave(is_foreign);
    } else if (world.rank) {
        CHECK(relay_serve(&world, &runner, &serving, &clock_system, &err) == 0);
    } else {
        seen_init(&seen, 500);
        ledger = ledger_create(500, 500, NULL, 2, &err);
        CHECK(run(&seen, ledger, &runner, &end) == -1);
        CHECK(strstr(err.text, is_foreign ? "rank 1: message of 5 bytes" : "rank 1: out of mem"));
        CHECK(seen.n_seen < 500);
        seen_release(&seen);
        ledger_destroy(ledger);
    }
}

/* ---- shared bytes ---- */

/* Pages shared by n processes count 1/n. */
static double proportional_bytes(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    double kb = -1;

    CHECK(file);
    while (kb < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %lf", &kb) != 1)
            kb = -1;
    fclose(file);
    CHECK(kb >= 0);
    return kb * 1024;
}

/* Rank 0 gets the sum, the others 0. */
static double sum_of_ranks(double mine)
{
    double *all = calloc((size_t)world.size, sizeof *all), sum = 0;

    CHECK(world_gather(&world, &mine, sizeof mine, all, &err) == 0);
    for (int rank = 0; rank < world.size && !world.rank; rank++)
        sum += all[rank];
    free(all);
    return sum;
}

static void share(struct shared *shared, size_t n, const char *folder)
{
    unsigned char *bytes;
    bool is_rank_0 = world.rank == 0;

    CHECK(shared_open(shared, &world, is_rank_0 ? n : 0, is_rank_0 ? folder : NULL, &err) == 0);
    CHECK(shared->n == n && (size_t)shared->bytes % 64 == 0);
    bytes = shared->bytes;
    for (size_t i = 0; is_rank_0 && i < n; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    if (n)
        CHECK(shared_send(shared, &err) == 0);
    for (size_t i = 0; i < n; i++)
        CHECK(bytes[i] == (unsigned char)(i * 7 + i / 251));
}

/* All ranks are on one host here. why: part of the reason for copies, or NULL. */
static void case_share(const char *folder, bool is_shared, const char *why)
{
    const size_t large = (size_t)64 << 20;
    double before = sum_of_ranks(proportional_bytes()), sum;
    struct shared small, nothing, block;

    share(&small, 1, folder);
    share(&block, large, folder);
    share(&nothing, 0, folder); /* by now, all ranks have read everything */
    sum = sum_of_ranks(proportional_bytes()) - before;
    CHECK(!block.copy == is_shared);
    if (!world.rank && is_shared)
        CHECK(sum > 0.9 * (double)large && sum < 1.3 * (double)large);
    if (!world.rank && !is_shared)
        CHECK(sum > 0.9 * world.size * (double)large);
    if (!world.rank) {
        CHECK(block.n_refusing == (why ? 1 : 0));
        CHECK(why ? strstr(block.reason, why) != NULL : !*block.reason);
    }
    share(&nothing, 0, folder); /* no rank leaves while others are measured */
    shared_release(&block);
    shared_release(&nothing);
    shared_release(&small);
}

static void case_short(void)
{
    const size_t n = (size_t)256 << 20;
    struct shared shared;
    struct rlimit limit;
    long pages;
    FILE *file = fopen("/proc/self/statm", "r");

    CHECK(file && fscanf(file, "%ld", &pages) == 1 && getrlimit(RLIMIT_AS, &limit) == 0);
    fclose(file);
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + n / 2;
    if (world.rank == world.size - 1)
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK(shared_open(&shared, &world, n, "", &err) == -1);
    CHECK(!strcmp(err.text, "out of memory (data, 268435456 bytes)"));
    CHECK(!shared.bytes && !shared.copy);
}

static double process_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void case_patience(void)
{
    struct shared shared;
    double cpu_s;

    share(&shared, 100, "");
    shared_release(&shared);
    cpu_s = process_seconds();
    if (!world.rank)
        clock_sleep(1);
    test_broadcast(1000);
    if (!world.rank)
        clock_sleep(1);
    share(&shared, 100, "/dev/shm");
    cpu_s = process_seconds() - cpu_s;
    CHECK(cpu_s < 0.3);
    shared_release(&shared);
}

static void case_torn(void)
{
    struct buf message = {0};
    int32_t from = 0;
    int n = 0;

    world_lost_rank();
    if (world.rank) {
        double wait_s = world.rank == 1 ? 0 : 0.5;

        clock_sleep(wait_s);
        CHECK(buf_extend(&message, world.rank == 1 ? 8 << 20 : 100) != NULL);
        CHECK(world_send(&world, 0, &message, &err) == 0);
        if (world.rank == 1)
            world_leave(0);
        return;
    }
    while (n < world.size - 2) {
        int got = world_receive(&world, &from, &message, &err);

        CHECK(got >= 0);
        if (!got) {
            clock_sleep(1e-3);
            continue;
        }
        CHECK(from > 1 && message.size == 100);
        n++;
    }
    buf_release(&message);
}

static double thread_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void case_cost(int64_t n, double seconds)
{
    struct fake fake = {seconds, 0};
    struct runner runner = {.run = run_fake, .self = &fake};
    struct ledger *ledger;
    struct seen seen;
    enum master_end end;
    double wall_s, cpu_s;

    if (world.rank) {
        CHECK(relay_serve(&world, &runner, &serving, &clock_system, &err) == 0);
        return;
    }
    seen_init(&seen, n);
    ledger = ledger_create(n, n ? n : 1, NULL, 2, &err);
    wall_s = clock_now(&clock_system);
    cpu_s = thread_seconds();
    CHECK(run(&seen, ledger, &runner, &end) == 0 && seen.n_seen == n);
    wall_s = clock_now(&clock_system) - wall_s;
    cpu_s = thread_seconds() - cpu_s;
    check_each_once(&seen, ledger);
    printf("ranks %d trials %ld each %g s: %.3f s, %.0f a second, %.4f x ideal, scheduler %.5f "
           "of a core\n",
           world.size, (long)n, seconds, wall_s, (double)n / wall_s,
           (double)n * seconds / world.size / wall_s, cpu_s / wall_s);
    seen_release(&seen);
    ledger_destroy(ledger);
}

static void case_gpus(int32_t per_host, double gpus, char **words)
{
    const struct gpu_wish wish = {.gpus = gpus, .per_host = per_host};
    struct gpu_shares shares;

    if (gpu_settle(&shares, &world, world.rank ? NULL : &wish, &err))
        CHECK(strstr(err.text, words[0]));
    else
        CHECK(!strcmp(shares.of[world.rank].devices, words[world.rank]));
    gpu_shares_release(&shares);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int64_t n = argc > 2 ? atol(argv[2]) : 0;
    double seconds = argc > 3 ? atof(argv[3]) : 0;

    parted = !strcmp(name, "gangs") ? argv[4] : NULL;
    alarm(120); /* a hang is a failure */
    CHECK(world_open(&world, NULL, &err) == 0);
    if (!strcmp(name, "basics"))
        case_basics();
    else if (!strcmp(name, "foreign") || !strcmp(name, "unwell"))
        case_broken(!strcmp(name, "foreign"));
    else if (!strcmp(name, "torn"))
        case_torn();
    else if (!strcmp(name, "share"))
        case_share(argv[2], true, NULL);
    else if (!strcmp(name, "copies"))
        case_share("", false, NULL);
    else if (!strcmp(name, "refused"))
        case_share(argv[2], false, argv[3]);
    else if (!strcmp(name, "short"))
        case_short();
    else if (!strcmp(name, "patience"))
        case_patience();
    else if (!strcmp(name, "gpus"))
        case_gpus((int32_t)n, seconds, argv + 4);
    else if (!strcmp(name, "gangs"))
        case_gangs(n, seconds, world.size, false);
    else if (!strcmp(name, "wide"))
        case_gangs(30, 0.01, world.size + 1, false);
    else if (!strcmp(name, "lost"))
        case_gangs(n, seconds, 3, true);
    else if (!strcmp(name, "cost"))
        case_cost(n, seconds);
    else
        case_sweep(name, n, seconds);
    return world_close(&world, 0);
}
