/* SPDX-License-Identifier: BSD-3-Clause */
/* A member of a gang is killed or stopped at each named point of src/gang (base/fault.h). The others
 * must fail soon and with the right text. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "crowd.h"
#include "stride.h"
#include "unit.h"

#define NOTICED_S 2.0
#define MEET_S 10.0
/* A short meeting's limit, and the time after it in which all give up. */
#define SHORT_S 0.3
#define LATE_S 4.0

/* One of so many cases is tried, but all with TEST_STRIDE=1, as in `make soak`. */
enum { SAMPLED = 9 };

/* One rank gets this signal at this point. Shared with the ranks. */
static struct fate {
    const char *point;
    int32_t rank;
    int count;         /* at this passage */
    int number;        /* SIGKILL, SIGSTOP */
    double happened_s; /* 0: not yet */
} * fate;

/* This process. */
static int32_t own_rank;
static int n_passed;

void fault_point(const char *name)
{
    if (!fate->point || own_rank != fate->rank || strcmp(name, fate->point) ||
        ++n_passed != fate->count)
        return;
    fate->happened_s = clock_now(&clock_system);
    raise(fate->number);
}

static int make_fate(void **state)
{
    (void)state;
    fate = mmap(NULL, sizeof *fate, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return fate == MAP_FAILED ? -1 : 0;
}

static void dress(struct gang_place *place, struct gang_options *options)
{
    (void)options;
    own_rank = place->rank;
}

static void act(const struct crowd *crowd, struct gang_member *gang, struct crowd_report *report)
{
    struct crew *crew = gang_crew(gang);
    size_t count = crowd->count, bounds[CROWD_MOST + 1];
    struct err err;
    float *parts = crew->calls->take_parts(crew, count, &err);
    float *common = crew->calls->take_common(crew, count, &err);
    float *total = calloc(count, sizeof *total);
    double few[2 * CROWD_MOST] = {0}, sums[2];

    for (int32_t w = 0; w <= crowd->n_workers; w++)
        bounds[w] = count * (size_t)w / (size_t)crowd->n_workers;
    for (int round = 0; round < 40 && !crew->has_failed; round++) {
        crew->calls->sum(crew, total, parts, count, 0, count);
        crew->calls->sum_few(crew, sums, few, 2);
        crew->calls->share(crew, common, bounds);
        crew->calls->agree(crew, false, (struct hash){0});
        report->progress++;
    }
    free(total);
}

/* ---- deaths ---- */

/* Who comes to a point: of all ranks those with these properties. */
enum {
    LEADER = 1,
    OTHER = 2,
    ONE_HOST = 4,
    HOSTS = 8,
    /* The others cannot know of the death, and wait until the time limit. */
    UNHEARD = 16,
    UNHEARD_BY_HOSTS = 32, /* only those of other hosts */
    /* The others may have all they need. */
    LAST = 64,
    GONE = 128 /* they have */
};

struct point {
    const char *name;
    int counts[2]; /* at these passages; 0: none */
    unsigned is;
};

static const struct point points[] = {
    {"gang: before the host's ranks meet", {1}, UNHEARD},
    {"gang: listens for its host's ranks", {1}, LEADER | UNHEARD},
    {"gang: is connected with its leader", {1}, OTHER | UNHEARD},
    {"gang: has introduced itself", {1}, OTHER},
    {"gang: before the host's ranks are answered", {1}, LEADER | UNHEARD_BY_HOSTS},
    {"gang: the host's ranks were answered", {1}, LEADER | UNHEARD_BY_HOSTS},
    {"gang: was answered by its leader", {1}, OTHER},
    {"gang: before the hosts meet", {1}, LEADER | HOSTS | UNHEARD},
    {"gang: listens for other hosts", {1}, LEADER | HOSTS | UNHEARD},
    {"gang: has introduced itself to rank 0", {1}, LEADER | HOSTS},
    {"gang: before the hosts are answered", {1}, LEADER | HOSTS},
    {"gang: the hosts were answered", {1}, LEADER | HOSTS},
    {"gang: is connected with the leaders before it", {1}, LEADER | HOSTS},
    {"gang: the hosts have met", {1}, LEADER | HOSTS},
    {"gang: all have met", {1}, 0},
    {"gang: before memory is taken", {1, 3}, 0},
    {"gang: memory was handed out", {2}, LEADER},
    {"gang: memory was mapped", {2}, 0},
    {"gang: before a sum", {1}, 0},
    {"gang: before a barrier", {1, 30}, 0},
    {"gang: waits in a barrier", {3}, 0},
    {"gang: opens a barrier", {3}, 0},
    {"gang: has opened a barrier", {3}, 0},
    {"gang: its stripe was added up", {2}, ONE_HOST},
    {"gang: its host's nodes were added up", {2}, HOSTS},
    {"gang: nodes were exchanged", {2}, LEADER | HOSTS},
    {"gang: its share of the hosts' sum is there", {2}, HOSTS},
    {"gang: has the parts of all hosts", {5}, LEADER | HOSTS},
    {"gang: has a sum", {1}, 0},
    {"gang: before it agrees", {1, 40}, 0},
    {"gang: has the votes", {1}, 0},
    {"gang: before it is closed", {1}, LAST},
    {"gang: was closed", {1}, LAST | GONE},
    {"gang: a part of a message was moved", {2, 30}, LEADER | HOSTS},
};
enum { N_POINTS = sizeof points / sizeof *points };

/* True if the text is about rank `rank`, or about its host if it did not come. */
static bool names(const struct crowd *crowd, const char *why, int32_t rank)
{
    char expected[100];
    struct gang_place place;

    crowd_place(&place, crowd, rank);
    snprintf(expected, sizeof expected, "rank %d of the gang on node%d ", rank, place.host);
    if (!strncmp(why, expected, strlen(expected)))
        return true;
    snprintf(expected, sizeof expected, "rank %d of the gang on 127.0.0.1 ", rank);
    if (!strncmp(why, expected, strlen(expected)))
        return true;
    snprintf(expected, sizeof expected, "rank %d of the gang did not come", rank);
    if (!strncmp(why, expected, strlen(expected)))
        return true;
    snprintf(expected, sizeof expected, "host %d of the gang did not come", place.host);
    if (!strncmp(why, expected, strlen(expected)))
        return true;
    snprintf(expected, sizeof expected, "rank %d of the gang at 127.0.0.1, port ", rank);
    return !strncmp(why, expected, strlen(expected));
}

/* True if other ranks cannot know of the death, since they have no connection yet. */
static bool is_unheard(const struct point *point, const struct crowd *crowd)
{
    return point->is & UNHEARD || (crowd->n_hosts > 1 && point->is & UNHEARD_BY_HOSTS);
}

/* True if the report of a rank fits the time of the death. */
static bool is_right(const struct crowd *crowd, const struct crowd_report *report,
                     const struct point *point, int32_t rank)
{
    bool is_late = is_unheard(point, crowd);
    double slow = getenv("TEST_UNDER_VALGRIND") ? 5 : 1;
    double limit_s = slow * NOTICED_S + (is_late ? LATE_S : 0);

    if (point->is & LAST && report->trouble == GANG_FINE)
        return true;
    return !(point->is & GONE) && report->trouble == GANG_LOST &&
           (names(crowd, report->why, rank) || (is_late && strstr(report->why, "within"))) &&
           report->ended_s <= fate->happened_s + limit_s;
}

/* Return true if the rank came to the point. */
static bool kill_at(struct crowd *crowd, const struct point *point, int count, int32_t rank)
{
    *fate = (struct fate){.point = point->name, .rank = rank, .count = count, .number = SIGKILL};
    /* On a busy machine, others may be late for a short meeting, too. */
    crowd->meet_s = is_unheard(point, crowd) ? SHORT_S : MEET_S;
    crowd_run(crowd);
    for (int32_t r = 0; r < crowd->size; r++) {
        const struct crowd_report *report = &crowd->reports[r];

        if (r == rank && fate->happened_s > 0) {
            assert_int_equal(report->status, SIGKILL);
            continue;
        }
        assert_int_equal(report->status, 0);
        if (fate->happened_s > 0 && !is_right(crowd, report, point, rank))
            fail_msg(
                "%d ranks on %d hosts, rank %d dies at %d of '%s': rank %d reports after %.3f s: "
                "%d %s",
                crowd->size, crowd->n_hosts, rank, count, point->name, r,
                report->ended_s - fate->happened_s, (int)report->trouble, report->why);
    }
    return fate->happened_s > 0;
}

/* True if a rank can come to the point, and this gang shows something. */
static bool is_case(const struct point *point, const struct crowd *crowd, int32_t rank)
{
    struct gang_place place;

    crowd_place(&place, crowd, rank);
    return !(point->is & (place.local_rank ? LEADER : OTHER)) &&
           !(point->is & (crowd->n_hosts > 1 ? ONE_HOST : HOSTS)) &&
           (!is_unheard(point, crowd) || crowd->size == 2 * crowd->n_hosts);
}

static void check_point(const struct point *point, int number)
{
    static const int32_t sizes[][2] = {{2, 1}, {3, 1}, {4, 1}, {2, 2}, {4, 2}, {3, 3}};
    int n_reached = 0, n_cases = number, stride = test_stride_or(SAMPLED);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int32_t rank = 0; rank < sizes[i][0]; rank++)
            for (int c = 0; c < 2 && point->counts[c]; c++) {
                struct crowd crowd = {.size = sizes[i][0],
                                      .n_hosts = sizes[i][1],
                                      .n_workers = 5,
                                      .count = 3000,
                                      .dress = dress,
                                      .act = act};

                if (is_case(point, &crowd, rank) && n_cases++ % stride == 0)
                    n_reached += kill_at(&crowd, point, point->counts[c], rank);
            }
    assert_true(n_reached || stride > 1);
}

static void test_deaths(void **state)
{
    (void)state;
    for (int i = 0; i < N_POINTS; i++)
        check_point(&points[i], i);
}

/* The message is larger than the buffers of a connection. */
static void test_cut_message(void **state)
{
    struct crowd crowd = {
        .size = 2, .n_hosts = 2, .n_workers = 2, .count = 4 << 20, .dress = dress, .act = act};

    (void)state;
    for (int32_t rank = 0; rank < (test_stride_or(SAMPLED) > 1 ? 1 : 2); rank++)
        assert_true(kill_at(&crowd, &points[N_POINTS - 1], 6, rank));
}

/* ---- stops ---- */

/* Longer than a host may be silent. */
#define SILENT_S 0.4
#define STOP_S 0.7

/* Continue the stopped rank after a while. */
static void meddle(const struct crowd *crowd, const pid_t *pids)
{
    while (fate->happened_s <= 0)
        clock_sleep(1e-3);
    clock_sleep(crowd->n_hosts > 1 ? STOP_S : 0.2);
    kill(pids[fate->rank], SIGCONT);
}

static void stop(struct crowd *crowd, int32_t rank, const char *point, int count)
{
    crowd->n_workers = crowd->size;
    crowd->count = 100;
    crowd->silent_s = SILENT_S;
    crowd->dress = dress;
    crowd->act = act;
    crowd->meddle = meddle;
    *fate = (struct fate){.point = point, .rank = rank, .count = count, .number = SIGSTOP};
    crowd_run(crowd);
    for (int32_t r = 0; r < crowd->size; r++)
        assert_int_equal(crowd->reports[r].status, 0);
}

/* It is waited for: on its host, and on others as long as its leader answers. */
static void test_stopped_member(void **state)
{
    struct crowd crowd = {.size = 2, .n_hosts = 1};

    (void)state;
    stop(&crowd, 1, "gang: before a barrier", 20);
    crowd = (struct crowd){.size = 2, .n_hosts = 1};
    stop(&crowd, 0, "gang: before a barrier", 20);
    crowd = (struct crowd){.size = 4, .n_hosts = 2};
    stop(&crowd, 3, "gang: before a barrier", 20);
    for (int32_t rank = 0; rank < 4; rank++) {
        assert_string_equal(crowd.reports[rank].why, "");
        assert_true(crowd.reports[rank].ended_s > fate->happened_s + STOP_S);
    }
}

/* A host whose leader is silent is lost. */
static void test_silent_host(void **state)
{
    (void)state;
    for (int32_t rank = 0; rank<4; rank += test_stride_or(SAMPLED)> 1 ? 4 : 2) {
        struct crowd crowd = {.size = 4, .n_hosts = 2};
        char why[100];

        stop(&crowd, rank, "gang: before a barrier", 20);
        snprintf(why, sizeof why, "rank %d of the gang on node%d was silent for 0.4 s", rank,
                 rank / 2);
        for (int32_t r = 0; r < 4; r++) {
            assert_int_equal(crowd.reports[r].trouble, GANG_LOST);
            assert_string_equal(crowd.reports[r].why, why);
        }
        /* The other host did not wait for its return. */
        assert_true(crowd.reports[2 - rank].ended_s < fate->happened_s + STOP_S);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deaths),
        cmocka_unit_test(test_cut_message),
        cmocka_unit_test(test_stopped_member),
        cmocka_unit_test(test_silent_host),
    };

    return cmocka_run_group_tests(tests, make_fate, NULL);
}
