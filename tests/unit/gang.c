/* SPDX-License-Identifier: BSD-3-Clause */
/* A gang has the bits of one rank that runs all workers, whatever its ranks and hosts, and each kind
 * of disagreement ends it. Deaths: gang_kill.c. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "base/clock.h"
#include "crowd.h"
#include "gang/meeting.h"
#include "gang/tree.h"
#include "stride.h"
#include "unit.h"

/* Element i of worker w's part in a round. */
static float part_of(int32_t w, size_t i, int round)
{
    uint32_t x = ((uint32_t)w * 7919 + (uint32_t)i * 104729 + (uint32_t)round * 1299709 + 1) *
                 UINT32_C(2654435761);

    x = (x ^ x >> 15) * UINT32_C(2246822519);
    return (float)(int32_t)(x ^ x >> 13) * 1e-9f;
}

/* ---- the tree ---- */

/* Cut a tree of n workers at `cuts` places, add up each node, and then the nodes. */
static void check_cut_tree(int32_t n, int32_t n_hosts, size_t count)
{
    float *parts = malloc((size_t)n * count * sizeof *parts);
    float *nodes = malloc((size_t)n * count * sizeof *nodes);
    float *expected = malloc(count * sizeof *expected), *out = calloc(count, sizeof *out);
    struct tree tree;
    int32_t n_nodes = 0, n_seen = 0;

    for (size_t i = 0; i < (size_t)n * count; i++)
        parts[i] = part_of(n, i, 0);
    crew_tree_sum(expected, parts, count, n, count);
    assert_int_equal(tree_init(&tree, n), 0);
    for (int32_t host = 0; host < n_hosts; host++)
        n_nodes += tree_cover(&tree, host * n / n_hosts, (host + 1) * n / n_hosts);
    for (int32_t w = 0; w < n; w = tree.end[w], n_seen++) {
        assert_true(tree.end[w] > w && tree.end[w] <= n);
        tree.row[w] = nodes + (size_t)w * count;
        crew_tree_sum(nodes + (size_t)w * count, parts + (size_t)w * count, count, tree.end[w] - w,
                      count);
    }
    assert_int_equal(n_seen, n_nodes);
    tree_sum(out, &tree, count > 3 ? 3 : 0, count);
    assert_memory_equal(out + 3, expected + 3, count > 3 ? (count - 3) * sizeof *out : 0);
    assert_true(count <= 3 || out[0] == 0);
    tree_release(&tree);
    free(parts);
    free(nodes);
    free(expected);
    free(out);
}

static void test_cut_tree(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 40; n += test_stride())
        for (int32_t n_hosts = 1; n_hosts <= n && n_hosts <= 6; n_hosts++)
            check_cut_tree(n, n_hosts, n % 2 ? 700 : 30);
    check_cut_tree(1024, 7, 5);
    check_cut_tree(1000, 3, 5);
}

static void test_few_nodes(void **state)
{
    struct tree tree;

    (void)state;
    assert_int_equal(tree_init(&tree, 1024), 0);
    assert_int_equal(tree_cover(&tree, 0, 512), 1);
    assert_int_equal(tree_cover(&tree, 512, 1024), 1);
    tree_release(&tree);
    assert_int_equal(tree_init(&tree, 5), 0);
    assert_int_equal(tree_cover(&tree, 0, 2), 1);
    assert_int_equal(tree_cover(&tree, 2, 5), 2);
    tree_release(&tree);
}

/* ---- equal bits ---- */

static void check_sum(const struct crowd *crowd, struct crew *crew, struct crowd_report *report,
                      float *parts, size_t count, int round)
{
    size_t begin = round % 2 ? 5 : 0, end = count - (size_t)(round % 3);
    float *all = malloc((size_t)crowd->n_workers * count * sizeof *all);
    float *expected = malloc(count * sizeof *all), *total = malloc(count * sizeof *all);

    for (int32_t w = 0; w < crowd->n_workers; w++)
        for (size_t i = 0; i < count; i++)
            all[(size_t)w * count + i] = part_of(w, i, round);
    memcpy(parts + (size_t)crew->first * count, all + (size_t)crew->first * count,
           (size_t)crew->n * count * sizeof *parts);
    crew_tree_sum(expected, all, count, crowd->n_workers, count);
    memset(total, 0, count * sizeof *total);
    crew->calls->sum(crew, total, parts, count, begin, end);
    crowd_check(report, !memcmp(total + begin, expected + begin, (end - begin) * sizeof *total),
                "sum() differs");
    crowd_check(report, !begin || total[begin - 1] == 0, "sum() wrote before the begin");
    crowd_check(report, end == count || total[end] == 0, "sum() wrote behind the end");
    free(all);
    free(expected);
    free(total);
}

static void check_sum_few(const struct crowd *crowd, struct crew *crew, struct crowd_report *report,
                          size_t count, int round)
{
    double *all = malloc((size_t)crowd->n_workers * count * sizeof *all);
    double *expected = malloc(count * sizeof *all), *total = malloc(count * sizeof *all);

    for (int32_t w = 0; w < crowd->n_workers; w++)
        for (size_t i = 0; i < count; i++)
            all[(size_t)w * count + i] = (double)part_of(w, i, round) * 1.1;
    crew_tree_sum_doubles(expected, all, count, crowd->n_workers, count);
    crew->calls->sum_few(crew, total, all + (size_t)crew->first * count, count);
    crowd_check(report, !memcmp(total, expected, count * sizeof *total), "sum_few() differs");
    free(all);
    free(expected);
    free(total);
}

static void check_share(const struct crowd *crowd, struct crew *crew, struct crowd_report *report,
                        float *common, size_t count, int round)
{
    size_t bounds[64];
    bool is_right = true;

    for (int32_t w = 0; w <= crowd->n_workers; w++)
        bounds[w] = count * (size_t)(w * w) / (size_t)(crowd->n_workers * crowd->n_workers);
    for (size_t i = bounds[crew->first]; i < bounds[crew->first + crew->n]; i++)
        common[i] = part_of(0, i, round);
    crew->calls->share(crew, common, bounds);
    for (size_t i = 0; i < count; i++)
        is_right &= common[i] == part_of(0, i, round);
    crowd_check(report, is_right, "share() differs");
}

static void expect_call(struct gang_counts *expected, enum gang_call call, size_t bytes)
{
    struct gang_count *count = &expected->of[call][gang_size_class(bytes)];

    count->calls++;
    count->bytes += (int64_t)bytes;
}

/* seconds: since the first call. */
static void check_counts(const struct gang_member *gang, struct crowd_report *report,
                         const struct gang_counts *expected, double seconds)
{
    const struct gang_counts *counts = gang_counts(gang);
    double calls_s = 0;

    crowd_check(report, counts->meeting_s > 0, "seconds of the meeting");
    for (int call = 0; call < GANG_CALLS; call++)
        for (int i = 0; i < GANG_SIZES; i++) {
            const struct gang_count *count = &counts->of[call][i];

            crowd_check(report, count->calls == expected->of[call][i].calls, "calls");
            crowd_check(report, count->bytes == expected->of[call][i].bytes, "bytes");
            crowd_check(report, count->waiting_s >= 0 && count->waiting_s <= count->seconds,
                        "seconds");
            calls_s += count->seconds;
            report->progress += count->waiting_s > 0;
        }
    crowd_check(report, calls_s > 0 && calls_s <= seconds, "seconds of all calls");
}

enum { ROUNDS = 4 };

static void act_all(const struct crowd *crowd, struct gang_member *gang,
                    struct crowd_report *report)
{
    struct crew *crew = gang_crew(gang);
    size_t count = crowd->count;
    int32_t rank = (int32_t)(report - crowd->reports);
    double since_s = clock_now(&clock_system);
    struct gang_counts expected = {.meeting_s = 0};
    struct err err;
    float *small = crew->calls->take_parts(crew, 37, &err);
    float *large = crew->calls->take_parts(crew, count, &err);
    float *common = crew->calls->take_common(crew, count, &err);
    struct hash hash = {1, 2};

    crowd_check(report, crew->first == rank * crowd->n_workers / crowd->size, "first worker");
    crowd_check(report, crew->calls->take_common(crew, 0, &err), "no numbers");
    crowd_check(report, small && large && common, "memory");
    if (!small || !large || !common)
        return;
    for (size_t i = 0; i < count; i++)
        crowd_check(report, common[i] == 0, "memory is not zeroed");
    for (int round = 0; round < ROUNDS; round++) {
        size_t rest = (round % 2 ? 5 : 0) + (size_t)(round % 3);

        check_sum(crowd, crew, report, small, 37, round);
        check_sum(crowd, crew, report, large, count, round);
        check_sum_few(crowd, crew, report, 8, round);
        check_sum_few(crowd, crew, report, 2000, round);
        check_share(crowd, crew, report, common, count, round);
        hash.low++;
        crowd_check(report,
                    crew->calls->agree(crew, round == 1 && crew->first == 0, hash) == (round == 1),
                    "agree()");
        expect_call(&expected, GANG_SUM, (37 - rest) * sizeof *small);
        expect_call(&expected, GANG_SUM, (count - rest) * sizeof *small);
        expect_call(&expected, GANG_SUM, 8 * sizeof(double));
        expect_call(&expected, GANG_SUM, 2000 * sizeof(double));
        expect_call(&expected, GANG_SHARE, count * sizeof *common);
        expect_call(&expected, GANG_AGREE, (size_t)crowd->size * sizeof(struct vote));
    }
    check_counts(gang, report, &expected, clock_now(&clock_system) - since_s);
}

static void check_all_ended_well(const struct crowd *crowd)
{
    for (int32_t rank = 0; rank < crowd->size; rank++) {
        assert_string_equal(crowd->reports[rank].why, "");
        assert_int_equal(crowd->reports[rank].status, 0);
        assert_true(crowd->reports[rank].has_begun);
    }
}

static void test_equal_bits(void **state)
{
    int n = 0, waits = 0;

    (void)state;
    for (int32_t size = 1; size <= 4; size++)
        for (int32_t n_hosts = 1; n_hosts <= 3 && n_hosts <= size; n_hosts++)
            for (int32_t n_workers = size; n_workers <= 9; n_workers++) {
                struct crowd crowd = {.size = size,
                                      .n_hosts = n_hosts,
                                      .n_workers = n_workers,
                                      .count = n_workers % 2 ? 2100 : 50,
                                      .act = act_all};

                if (n++ % test_stride())
                    continue;
                crowd_run(&crowd);
                check_all_ended_well(&crowd);
                for (int32_t rank = 0; rank < size; rank++)
                    waits += size > 1 && crowd.reports[rank].progress;
            }
    assert_true(waits > 0);
}

static void act_many(const struct crowd *crowd, struct gang_member *gang,
                     struct crowd_report *report)
{
    struct crew *crew = gang_crew(gang);
    int rounds = 400 / test_stride();

    for (int round = 0; round < rounds; round++)
        check_sum_few(crowd, crew, report, 1, round);
    for (int round = 0; round < rounds; round++)
        crew->calls->agree(crew, false, (struct hash){0, (uint64_t)round});
}

/* Parts are written anew as soon as their sum is there. */
static void act_rewrite(const struct crowd *crowd, struct gang_member *gang,
                        struct crowd_report *report)
{
    struct crew *crew = gang_crew(gang);
    size_t count = crowd->count;
    struct err err;
    float *parts = crew->calls->take_parts(crew, count, &err);
    float *total = calloc(count, sizeof *total);
    int rounds = 200 / test_stride();

    for (int round = 0; round < rounds && !crew->has_failed; round++) {
        float expected = 0;

        for (int32_t w = 0; w < crowd->n_workers; w++)
            expected += (float)(round * (w + 1));
        for (int32_t w = crew->first; w < crew->first + crew->n; w++)
            for (size_t i = 0; i < count; i++)
                parts[(size_t)w * count + i] = (float)(round * (w + 1));
        crew->calls->sum(crew, total, parts, count, 0, count);
        for (size_t i = 0; i < count; i++)
            crowd_check(report, total[i] == expected, "sum() of parts that were written anew");
    }
    free(total);
}

static void test_rewritten_parts(void **state)
{
    static const int32_t sizes[][3] = {{2, 1, 2}, {3, 1, 4}, {4, 1, 4}, {2, 2, 2}, {4, 2, 5}};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int large = 0; large < 2; large++) {
            struct crowd crowd = {.size = sizes[i][0],
                                  .n_hosts = sizes[i][1],
                                  .n_workers = sizes[i][2],
                                  .count = large ? 5000 : 20,
                                  .act = act_rewrite};

            crowd_run(&crowd);
            check_all_ended_well(&crowd);
        }
}

/* More ranks than processors, and most waits are sleeps. */
static void test_many_rounds(void **state)
{
    (void)state;
    for (int32_t n_hosts = 1; n_hosts <= 3; n_hosts++) {
        struct crowd crowd = {
            .size = CROWD_MOST, .n_hosts = n_hosts, .n_workers = 8, .act = act_many};

        crowd_run(&crowd);
        check_all_ended_well(&crowd);
    }
}

/* ---- disagreements ---- */

static void act_nothing(const struct crowd *crowd, struct gang_member *gang,
                        struct crowd_report *report)
{
    (void)crowd;
    (void)gang;
    (void)report;
}

/* All ranks report this. */
static void check_all_say(const struct crowd *crowd, enum gang_trouble trouble, const char *why)
{
    for (int32_t rank = 0; rank < crowd->size; rank++) {
        assert_string_equal(crowd->reports[rank].why, why);
        assert_int_equal(crowd->reports[rank].trouble, trouble);
        assert_int_equal(crowd->reports[rank].status, 0);
    }
}

static void dress_build(struct gang_place *place, struct gang_options *options)
{
    if (place->rank == 2)
        options->build = "espalier 1.0 (bbbb)";
}

static void dress_processor(struct gang_place *place, struct gang_options *options)
{
    if (place->rank == 2)
        options->processor = "AVX512 kernels";
}

static void dress_workers(struct gang_place *place, struct gang_options *options)
{
    options->n_workers += place->rank == 2;
}

/* The second host has rank 2 and the first one only rank 0. */
static void dress_gap(struct gang_place *place, struct gang_options *options)
{
    (void)options;
    place->size = 3;
    place->rank *= 2;
}

static void test_disagreements(void **state)
{
    static const struct {
        int32_t size, n_hosts, n_workers;
        void (*dress)(struct gang_place *place, struct gang_options *options);
        enum gang_trouble trouble;
        const char *why;
    } cases[] = {
        {3, 1, 3, dress_build, GANG_DIFFERS,
         "rank 0 of the gang on node0 runs espalier 1.0 (aaaa), but rank 2 on node0 runs espalier "
         "1.0 (bbbb): install the same build on both"},
        {3, 3, 3, dress_build, GANG_DIFFERS,
         "rank 0 of the gang on node0 runs espalier 1.0 (aaaa), but rank 2 on node2 runs espalier "
         "1.0 (bbbb): install the same build on both"},
        /* the first rank of the host differs from the others there, or one of these does */
        {4, 2, 4, dress_processor, GANG_DIFFERS,
         "rank 2 of the gang on node1 computes with AVX512 kernels, but rank 3 on node1 with AVX2 "
         "kernels: the numbers would differ; launch on machines of one type"},
        {3, 2, 4, dress_processor, GANG_DIFFERS,
         "rank 0 of the gang on node0 computes with AVX2 kernels, but rank 2 on node1 with AVX512 "
         "kernels: the numbers would differ; launch on machines of one type"},
        {3, 1, 3, dress_workers, GANG_DIFFERS,
         "rank 0 of the gang on node0 has 3 ranks and 3 workers, but rank 2 on node0 has 3 and 4"},
        {2, 2, 3, dress_gap, GANG_BROKEN, "ranks of a gang's host are not consecutive"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct crowd crowd = {.size = cases[i].size,
                              .n_hosts = cases[i].n_hosts,
                              .n_workers = cases[i].n_workers,
                              .act = act_nothing,
                              .dress = cases[i].dress};

        crowd_run(&crowd);
        check_all_say(&crowd, cases[i].trouble, cases[i].why);
    }
}

static void act_other_hash(const struct crowd *crowd, struct gang_member *gang,
                           struct crowd_report *report)
{
    struct crew *crew = gang_crew(gang);
    bool is_odd = crew->first + crew->n == crowd->n_workers;
    double total;

    for (int round = 0; round < 3; round++)
        crew->calls->agree(
            crew, false,
            (struct hash){is_odd && round == 2 ? UINT64_C(0xbad) << 52 : UINT64_C(0xbee) << 52, 0});
    crowd_check(report, crew->has_failed, "agree() accepts");
    crowd_check(report, !crew->calls->agree(crew, true, (struct hash){0}), "agree() goes on");
    crew->calls->sum_few(crew, &total, &(double){1}, 1);
    crowd_check(report, !crew->calls->take_common(crew, 1, &(struct err){""}), "memory");
}

static void test_other_hash(void **state)
{
    struct crowd crowd = {.size = 3, .n_hosts = 1, .n_workers = 3, .act = act_other_hash};

    (void)state;
    for (int32_t n_hosts = 1; n_hosts <= 3; n_hosts++) {
        char why[200];

        crowd.n_hosts = n_hosts;
        snprintf(why, sizeof why,
                 "rank 2 of the gang on node%d has other numbers (bad00000) than rank 0 on node0 "
                 "(bee00000): the machines compute differently",
                 n_hosts - 1);
        crowd_run(&crowd);
        check_all_say(&crowd, GANG_DIFFERS, why);
    }
}

/* ---- told to leave ---- */

static bool is_told;

static bool keep_until_told(void *arg)
{
    (void)arg;
    return !is_told;
}

static void dress_leaver(struct gang_place *place, struct gang_options *options)
{
    if (place->rank == 1)
        options->keep_waiting = keep_until_told;
}

/* Rank 0 computes for long. */
static void act_slow(const struct crowd *crowd, struct gang_member *gang,
                     struct crowd_report *report)
{
    struct crew *crew = gang_crew(gang);

    (void)report;
    (void)crowd;
    if (crew->first == 0)
        clock_sleep(0.3);
    is_told = true;
    crew->calls->agree(crew, false, (struct hash){0});
}

static void test_told_to_leave(void **state)
{
    struct crowd crowd = {
        .size = 3, .n_hosts = 1, .n_workers = 3, .act = act_slow, .dress = dress_leaver};

    (void)state;
    for (int32_t n_hosts = 1; n_hosts <= 3; n_hosts++) {
        crowd.n_hosts = n_hosts;
        crowd_run(&crowd);
        check_all_say(&crowd, GANG_STOPPED, "rank 1 of the gang was told to leave");
    }
}

/* ---- those who do not come ---- */

static void dress_alone(struct gang_place *place, struct gang_options *options)
{
    (void)options;
    if (place->rank)
        exit(0);
}

static void dress_without_first(struct gang_place *place, struct gang_options *options)
{
    (void)options;
    if (!place->rank)
        exit(0);
}

static void dress_told_alone(struct gang_place *place, struct gang_options *options)
{
    dress_alone(place, options);
    is_told = true;
    options->keep_waiting = keep_until_told;
}

static void check_absent(int32_t n_hosts, void (*dress)(struct gang_place *, struct gang_options *),
                         int32_t rank, enum gang_trouble trouble, const char *why)
{
    struct crowd crowd = {.size = 3,
                          .n_hosts = n_hosts,
                          .n_workers = 3,
                          .meet_s = 0.1,
                          .act = act_nothing,
                          .dress = dress};

    crowd_run(&crowd);
    assert_string_equal(crowd.reports[rank].why, why);
    assert_int_equal(crowd.reports[rank].trouble, trouble);
}

static void test_absent(void **state)
{
    (void)state;
    check_absent(1, dress_alone, 0, GANG_LOST,
                 "2 of 3 ranks of the gang did not come to node0 within 0.1 s");
    check_absent(2, dress_alone, 0, GANG_LOST,
                 "rank 1 of the gang did not come to node0 within 0.1 s");
    check_absent(3, dress_alone, 0, GANG_LOST,
                 "2 of 3 hosts of the gang did not come to node0 within 0.1 s");
    check_absent(1, dress_without_first, 2, GANG_LOST,
                 "rank 0 of the gang on node0 did not come within 0.1 s");
    check_absent(3, dress_told_alone, 0, GANG_STOPPED, "the rank was told to leave its gang");
    check_absent(1, dress_told_alone, 0, GANG_STOPPED, "the rank was told to leave its gang");
}

/* ---- others ---- */

static void act_out_of_memory(const struct crowd *crowd, struct gang_member *gang,
                              struct crowd_report *report)
{
    struct crew *crew = gang_crew(gang);
    struct err err = {""};

    crowd_check(report, !crew->calls->take_parts(crew, crowd->count, &err), "there is memory");
    crowd_check(report, !strncmp(err.text, "out of memory (shared by a gang, ", 33), err.text);
}

static void dress_limit(struct gang_place *place, struct gang_options *options)
{
    (void)options;
    signal(SIGXFSZ, SIG_IGN); /* as main() does; the page is smaller */
    if (place->rank == 0)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 24, 1 << 24});
}

static void test_out_of_memory(void **state)
{
    struct crowd crowd = {
        .size = 3, .n_hosts = 2, .n_workers = 3, .act = act_out_of_memory, .dress = dress_limit};

    (void)state;
    crowd.count = 4 << 20;
    crowd_run(&crowd);
    assert_int_equal(crowd.reports[2].trouble, GANG_BROKEN);
    crowd.dress = NULL;
    crowd.count = SIZE_MAX / 3;
    crowd_run(&crowd);
    crowd.count = (size_t)1 << 44;
    crowd_run(&crowd);
    check_all_say(&crowd, GANG_BROKEN, crowd.reports[0].why);
}

/* Connections that say nothing, something else, or end. */
static void meddle_as_stranger(const struct crowd *crowd, const pid_t *pids)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)crowd->port)};
    static const char noise[4000] = "GET / HTTP/1.0\r\n\r\n";

    (void)pids;
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    for (int i = 0; i < 6; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        while (connect(fd, (const struct sockaddr *)&address, sizeof address))
            clock_sleep(1e-3);
        if (i % 2)
            (void)!send(fd, noise, i == 1 ? 10 : sizeof noise, MSG_NOSIGNAL);
        if (i < 4)
            close(fd); /* the others end with the test */
    }
}

/* The second host comes after the strangers. */
static void dress_late(struct gang_place *place, struct gang_options *options)
{
    (void)options;
    if (place->host)
        clock_sleep(0.1);
}

static void test_strangers(void **state)
{
    struct crowd crowd = {.size = 2,
                          .n_hosts = 2,
                          .n_workers = 2,
                          .act = act_nothing,
                          .dress = dress_late,
                          .meddle = meddle_as_stranger};

    (void)state;
    crowd_run(&crowd);
    check_all_ended_well(&crowd);
}

/* Rank 1 of another version comes instead of the gang's own, which never comes. */
static void meddle_as_other_version(const struct crowd *crowd, const pid_t *pids)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)crowd->port)};
    struct gang_options options = {.n_workers = 2, .build = "", .processor = ""};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct introduction introduction;
    struct gang_place place;

    (void)pids;
    crowd_place(&place, crowd, 1);
    introduction_init(&introduction, &place, &options);
    introduction.protocol++;
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    while (connect(fd, (const struct sockaddr *)&address, sizeof address))
        clock_sleep(1e-3);
    assert_int_equal(send(fd, &introduction, sizeof introduction, MSG_NOSIGNAL),
                     sizeof introduction);
}

static void dress_absent(struct gang_place *place, struct gang_options *options)
{
    (void)options;
    if (place->host)
        exit(0);
}

static void test_other_version(void **state)
{
    struct crowd crowd = {.size = 2,
                          .n_hosts = 2,
                          .n_workers = 2,
                          .act = act_nothing,
                          .dress = dress_absent,
                          .meddle = meddle_as_other_version};

    (void)state;
    crowd_run(&crowd);
    assert_string_equal(crowd.reports[0].why,
                        "node0 and node1 run builds of espalier whose ranks cannot talk to each "
                        "other: install the same build on both");
    assert_int_equal(crowd.reports[0].trouble, GANG_DIFFERS);
}

/* ---- pace ---- */

#define WORKER_S 0.05

static int32_t own_rank;

static void dress_rank(struct gang_place *place, struct gang_options *options)
{
    (void)options;
    own_rank = place->rank;
}

/* The last of three ranks has two of four workers. With count = 1, rank 0 needs three times as long
 * as the others for a worker. */
static void act_uneven(const struct crowd *crowd, struct gang_member *gang,
                       struct crowd_report *report)
{
    struct crew *crew = gang_crew(gang);
    const struct gang_pace *pace = gang_pace(gang);
    double factor = crowd->count && own_rank == 0 ? 3 : 1;

    crowd_check(report, !pace->host, "a pace before the start");
    clock_sleep(crew->n == 1 ? 5 * WORKER_S : 0); /* does not count */
    for (int round = 0; round < 4; round++) {
        crew->calls->agree(crew, false, (struct hash){0});
        clock_sleep(WORKER_S * factor * crew->n);
    }
    crew->calls->agree(crew, false, (struct hash){0});
    crowd_check(report, pace->rank == (crowd->count ? 0 : 2), "another one is slow");
    crowd_check(report,
                pace->host &&
                    strcmp(pace->host, pace->rank && crowd->n_hosts > 1 ? "node1" : "node0") == 0,
                "another host");
    crowd_check(report, pace->busy_s > 7 * WORKER_S, "too fast");
    /* By number, without the workers: half. */
    crowd_check(report, (pace->others_s < 0.7 * pace->busy_s) == (crowd->count > 0), "the others");
}

static void test_pace(void **state)
{
    (void)state;
    for (int32_t n_hosts = 1; n_hosts <= 2; n_hosts++) {
        struct crowd crowd = {.size = 3,
                              .n_hosts = n_hosts,
                              .n_workers = 4,
                              .count = n_hosts > 1,
                              .dress = dress_rank,
                              .act = act_uneven};

        crowd_run(&crowd);
        for (int32_t r = 0; r < 3; r++)
            assert_string_equal(crowd.reports[r].why, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_tree),
        cmocka_unit_test(test_few_nodes),
        cmocka_unit_test(test_equal_bits),
        cmocka_unit_test(test_many_rounds),
        cmocka_unit_test(test_rewritten_parts),
        cmocka_unit_test(test_disagreements),
        cmocka_unit_test(test_other_hash),
        cmocka_unit_test(test_told_to_leave),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_other_version),
        cmocka_unit_test(test_pace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
