/* SPDX-License-Identifier: BSD-3-Clause */
/* A member of a gang is killed or stopped at each named point of src/gang, which is compiled with
 * them for this program. The others must fail soon and with the right text. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/fault.h"
#include "crowd.h"
#include "stride.h"

#define NOTICED_S 2.0
#define MEET_S 10.0

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

struct point {
    const char *name;
    int counts[2]; /* at these passages; 0: none */
    /* The others wait until the time limit. Only some cases are tried. */
    bool is_before_greeting, is_before_hosts_meet;
    bool is_of_leaders, is_between_hosts;
};

static const struct point points[] = {
    {.name = "gang: before the host's ranks meet", .counts = {1}, .is_before_greeting = true},
    {.name = "gang: has greeted its leader", .counts = {1}},
    {.name = "gang: before the host's ranks are answered",
     .counts = {1},
     .is_before_hosts_meet = true,
     .is_of_leaders = true},
    {.name = "gang: the host's ranks were answered",
     .counts = {1},
     .is_before_hosts_meet = true,
     .is_of_leaders = true},
    {.name = "gang: before the hosts meet",
     .counts = {1},
     .is_before_greeting = true,
     .is_of_leaders = true,
     .is_between_hosts = true},
    {.name = "gang: has greeted rank 0",
     .counts = {1},
     .is_of_leaders = true,
     .is_between_hosts = true},
    {.name = "gang: before the hosts are answered",
     .counts = {1},
     .is_of_leaders = true,
     .is_between_hosts = true},
    {.name = "gang: the hosts were answered",
     .counts = {1},
     .is_of_leaders = true,
     .is_between_hosts = true},
    {.name = "gang: is connected with the leaders before it",
     .counts = {1},
     .is_of_leaders = true,
     .is_between_hosts = true},
    {.name = "gang: the hosts have met",
     .counts = {1},
     .is_of_leaders = true,
     .is_between_hosts = true},
    {.name = "gang: all have met", .counts = {1}},
    {.name = "gang: before memory is taken", .counts = {1, 3}},
    {.name = "gang: memory was mapped", .counts = {2}},
    {.name = "gang: before a barrier", .counts = {1, 30}},
    {.name = "gang: a part of a message was moved",
     .counts = {2, 30},
     .is_of_leaders = true,
     .is_between_hosts = true},
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

/* A time limit within which all who live come. */
static double short_s(void)
{
    return test_stride() > 1 ? 2 : 0.3;
}

/* True if other ranks cannot know of the death, since they have no connection yet. */
static bool is_before_meeting(const struct point *point, const struct crowd *crowd)
{
    return point->is_before_greeting || (crowd->n_hosts > 1 && point->is_before_hosts_meet);
}

/* Return true if the rank came to the point. */
static bool kill_at(struct crowd *crowd, const struct point *point, int count, int32_t rank)
{
    bool is_short = is_before_meeting(point, crowd);

    *fate = (struct fate){.point = point->name, .rank = rank, .count = count, .number = SIGKILL};
    /* On a busy machine, others may be late for a short meeting, too. */
    crowd->meet_s = is_short ? short_s() : MEET_S;
    crowd_run(crowd);
    for (int32_t r = 0; r < crowd->size; r++) {
        const struct crowd_report *report = &crowd->reports[r];

        if (fate->happened_s <= 0 || r == rank) {
            assert_int_equal(report->status, fate->happened_s > 0 ? SIGKILL : 0);
            continue;
        }
        assert_int_equal(report->status, 0);
        if (report->trouble != GANG_LOST ||
            !(names(crowd, report->why, rank) ||
              (is_short && strstr(report->why, "did not come"))) ||
            report->ended_s >
                fate->happened_s + NOTICED_S + (crowd->meet_s < MEET_S ? 3 * short_s() : 0))
            fail_msg(
                "%d ranks on %d hosts, rank %d dies at %d of '%s': rank %d reports after %.3f s: "
                "%d %s",
                crowd->size, crowd->n_hosts, rank, count, point->name, r,
                report->ended_s - fate->happened_s, (int)report->trouble, report->why);
    }
    return fate->happened_s > 0;
}

static void check_point(const struct point *point, int number)
{
    static const int32_t sizes[][2] = {{2, 1}, {3, 1}, {4, 1}, {2, 2}, {4, 2}, {3, 3}};
    int n_reached = 0, n_cases = number;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int32_t rank = 0; rank < sizes[i][0]; rank++)
            for (int c = 0; c < 2 && point->counts[c]; c++) {
                struct crowd crowd = {.size = sizes[i][0],
                                      .n_hosts = sizes[i][1],
                                      .n_workers = 5,
                                      .count = 3000,
                                      .dress = dress,
                                      .act = act};
                struct gang_place place;

                crowd_place(&place, &crowd, rank);
                if ((point->is_of_leaders && place.local_rank) ||
                    (point->is_between_hosts && crowd.n_hosts == 1) ||
                    (is_before_meeting(point, &crowd) && crowd.size != 2 * crowd.n_hosts) ||
                    n_cases++ % test_stride())
                    continue;
                n_reached += kill_at(&crowd, point, point->counts[c], rank);
            }
    assert_true(n_reached || test_stride() > 1);
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
        .size = 2, .n_hosts = 2, .n_workers = 2, .count = 6 << 20, .dress = dress, .act = act};

    (void)state;
    for (int32_t rank = 0; rank < 2; rank++)
        assert_true(kill_at(&crowd, &points[N_POINTS - 1], 6, rank));
}

/* ---- stops ---- */

/* Longer than a host may be silent. */
#define SILENT_S 0.5
#define STOP_S 0.9

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
    for (int32_t rank = 0; rank < 4; rank += 2) {
        struct crowd crowd = {.size = 4, .n_hosts = 2};
        char why[100];

        stop(&crowd, rank, "gang: before a barrier", 20);
        snprintf(why, sizeof why, "rank %d of the gang on node%d was silent for 0.5 s", rank,
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
