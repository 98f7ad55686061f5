/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>

#include "trial/program_verdict.h"
#include "unit.h"

/* clang-format off */
#define EXIT(n) .end = {.how = SPAWNER_EXITED, .status = (n)}
#define SIGNAL(n) .end = {.how = SPAWNER_SIGNALLED, .status = (n)}
#define MEMORY .end = {.how = SPAWNER_OVER_MEMORY, .status = SIGKILL, .why = {"its processes used 3 GB"}}
#define UNSTARTED .end = {.how = SPAWNER_NOT_STARTED, .why = {"x: no such file"}}
#define LOST .end = {.how = SPAWNER_LOST}
#define LATE .is_late = true, .trial_timeout_s = 90
#define RANK(n) .size = 4, .rank = (n)

static const struct {
    const char *what;
    struct program_facts facts; /* words, useless: "" if NULL; size: 1 if 0; first_status: -1 if 0 */
    bool first_is_done;         /* first_status is 0 */
    enum verdict_kind kind;
    const char *reason;         /* the beginning; NULL: none */
    int32_t n_idle;
} rows[] = {
    /* exit status */
    {"0", {EXIT(0)}, 0, VERDICT_RESULT, NULL, 0},
    {"0 without a result", {EXIT(0), .useless = "no results"}, 0, VERDICT_FAILED, "no results", 0},
    {"0 without a result, asked to stop", {EXIT(0), .useless = "no results", .is_stopped = true}, 0, VERDICT_BACK, NULL, 0},
    {"0, asked to stop", {EXIT(0), .is_stopped = true}, 0, VERDICT_RESULT, NULL, 0},
    {"0, late", {EXIT(0), LATE}, 0, VERDICT_RESULT, NULL, 0},
    {"0, but the spawner is lost", {EXIT(0), .is_lost = true}, 0, VERDICT_BACK, NULL, 0},
    {"3", {EXIT(3)}, 0, VERDICT_FAILED, "exit status 3", 0},
    {"3 with words", {EXIT(3), .words = "no file"}, 0, VERDICT_FAILED, "exit status 3: no file", 0},
    {"3, asked to stop", {EXIT(3), .is_stopped = true}, 0, VERDICT_BACK, NULL, 0},
    {"3, late", {EXIT(3), LATE}, 0, VERDICT_FAILED, "ran longer than trial_timeout = 1 min 30 s", 0},
    {"3, late after others", {EXIT(3), LATE, .is_continued = true}, 0, VERDICT_FAILED, "ran longer than trial_timeout = 1 min 30 s, with earlier attempts", 0},
    {"3 alone does not wait", {EXIT(3), .is_wanted = true}, 0, VERDICT_FAILED, "exit status 3", 0},
    {"141 of a shell", {EXIT(141), .is_shell = true}, 0, VERDICT_FAILED, "exit status 141 (SIGPIPE", 0},
    /* a full disk */
    {"3 on a full disk", {EXIT(3), .is_disk_full = true}, 0, VERDICT_FULL, "exit status 3", 0},
    {"no result on a full disk", {EXIT(0), .useless = "no results", .is_disk_full = true}, 0, VERDICT_FULL, "no results", 0},
    {"late on a full disk", {SIGNAL(SIGTERM), LATE, .is_disk_full = true}, 0, VERDICT_FULL, "ran longer", 0},
    {"no folder on a full disk", {UNSTARTED, .is_disk_full = true}, 0, VERDICT_FULL, "x: no such file", 0},
    {"killed on a full disk", {SIGNAL(SIGKILL), .waited_s = 2, .is_disk_full = true}, 0, VERDICT_KILLED, NULL, 0},
    /* signals */
    {"SIGSEGV", {SIGNAL(SIGSEGV)}, 0, VERDICT_FAILED, "ended by signal 11 (Segmentation fault)", 0},
    {"SIGTERM: perhaps this rank gets it, too", {SIGNAL(SIGTERM)}, 0, VERDICT_WAIT, NULL, 0},
    {"it did", {SIGNAL(SIGTERM), .waited_s = 0.5, .is_wanted = true}, 0, VERDICT_BACK, NULL, 0},
    {"it did not", {SIGNAL(SIGTERM), .waited_s = 1}, 0, VERDICT_FAILED, "ended by signal 15 (Terminated)", 0},
    {"SIGTERM, asked to stop", {SIGNAL(SIGTERM), .is_stopped = true}, 0, VERDICT_BACK, NULL, 0},
    {"SIGTERM, late", {SIGNAL(SIGTERM), LATE}, 0, VERDICT_FAILED, "ran longer than trial_timeout", 0},
    {"SIGKILL", {SIGNAL(SIGKILL)}, 0, VERDICT_WAIT, NULL, 0},
    {"SIGKILL once", {SIGNAL(SIGKILL), .waited_s = 1}, 0, VERDICT_KILLED, NULL, 0},
    {"SIGKILL again", {SIGNAL(SIGKILL), .waited_s = 1, .n_kills = 1, .words = "end"}, 0, VERDICT_FAILED, "ended by signal 9 (Killed) in 2 attempts (crash_limit): end", 0},
    {"the spawner was killed", {LOST, .waited_s = 1}, 0, VERDICT_KILLED, NULL, 0},
    {"with the keeper", {LOST, .is_lost = true}, 0, VERDICT_BACK, NULL, 0},
    {"with the keeper, late", {LOST, .is_lost = true, LATE}, 0, VERDICT_FAILED, "ran longer", 0},
    /* other ends */
    {"too much memory", {MEMORY}, 0, VERDICT_FAILED, "its processes used 3 GB", 0},
    {"too much memory, asked to stop", {MEMORY, .is_stopped = true}, 0, VERDICT_BACK, NULL, 0},
    {"not started", {UNSTARTED}, 0, VERDICT_FAILED, "x: no such file", 0},
    /* 75 */
    {"75 without a checkpoint", {EXIT(75)}, 0, VERDICT_FAILED, "exit status 75 means a checkpoint", 0},
    {"75", {EXIT(75), .has_checkpoint = true, .has_progress = true, .n_idle = 2}, 0, VERDICT_AGAIN, NULL, 0},
    {"75 without progress", {EXIT(75), .has_checkpoint = true, .n_idle = 1}, 0, VERDICT_AGAIN, NULL, 2},
    {"75 without an end", {EXIT(75), .has_checkpoint = true, .n_idle = 2}, 0, VERDICT_FAILED, "exited with 75 again and again", 3},
    {"75 too often", {EXIT(75), .has_checkpoint = true, .has_progress = true, .n_restarts = 1000}, 0, VERDICT_FAILED, "exited with 75 for 1000 times", 0},
    {"75, asked to stop", {EXIT(75), .has_checkpoint = true, .is_stopped = true, .n_idle = 2}, 0, VERDICT_BACK, NULL, 2},
    {"75, wanted back since", {EXIT(75), .has_checkpoint = true, .has_progress = true, .is_wanted = true}, 0, VERDICT_BACK, NULL, 0},
    {"75, late", {EXIT(75), .has_checkpoint = true, LATE}, 0, VERDICT_FAILED, "ran longer", 0},
    /* gangs */
    {"rank 0: 75 waits for failures", {EXIT(75), RANK(0), .has_checkpoint = true, .has_progress = true}, 0, VERDICT_WAIT, NULL, 0},
    {"and the gang goes back", {EXIT(75), RANK(0), .has_checkpoint = true, .has_progress = true, .waited_s = 2}, 0, VERDICT_BACK, NULL, 0},
    {"another failed", {EXIT(75), RANK(0), .has_checkpoint = true, .n_idle = 2, .is_wanted = true}, 0, VERDICT_BACK, NULL, 2},
    {"rank 2: 75 waits for rank 0", {EXIT(75), RANK(2), .stop_grace_s = 10, .waited_s = 11}, 0, VERDICT_WAIT, NULL, 0},
    {"which comes", {EXIT(75), RANK(2), .is_wanted = true}, 0, VERDICT_BACK, NULL, 0},
    {"which has ended with 0", {EXIT(75), RANK(2)}, 1, VERDICT_FAILED, "exit status 75 (start again), but rank 0 has ended with 0", 0},
    {"which does not end", {EXIT(75), RANK(2), .stop_grace_s = 10, .waited_s = 11.5}, 0, VERDICT_FAILED, "exit status 75 (start again), but rank 0 did not end within stop_grace = 10 s", 0},
    {"3: perhaps another was killed", {EXIT(3), RANK(1)}, 0, VERDICT_WAIT, NULL, 0},
    {"it was", {EXIT(3), RANK(1), .is_wanted = true}, 0, VERDICT_BACK, NULL, 0},
    {"it was not", {EXIT(3), RANK(1), .waited_s = 1}, 0, VERDICT_FAILED, "exit status 3", 0},
    {"rank 0 waits for this failure", {EXIT(3), RANK(1), .first_status = 75}, 0, VERDICT_FAILED, "exit status 3", 0},
    {"SIGSEGV may be due to others", {SIGNAL(SIGSEGV), RANK(1)}, 0, VERDICT_WAIT, NULL, 0},
    {"SIGKILL ends the gang", {SIGNAL(SIGKILL), RANK(1), .words = "x"}, 0, VERDICT_APART, "rank 1 of the gang: ended by signal 9 (Killed): x", 0},
    {"so does a lost spawner", {LOST, RANK(0)}, 0, VERDICT_APART, "rank 0 of the gang: ended by signal 9 (Killed)", 0},
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program_facts f = rows[i].facts;
        struct program_verdict v;

        f.words = f.words ? f.words : "";
        f.useless = f.useless ? f.useless : "";
        f.size = f.size ? f.size : 1;
        f.crash_limit = 2;
        f.first_status = rows[i].first_is_done ? 0 : f.first_status ? f.first_status : -1;
        v = program_verdict(&f);
        if (v.kind != rows[i].kind || v.n_idle != rows[i].n_idle ||
            (rows[i].reason ? strncmp(v.reason.text, rows[i].reason, strlen(rows[i].reason)) != 0
                            : *v.reason.text != '\0'))
            fail_msg("%s: %d, %d idle, '%s'", rows[i].what, (int)v.kind, (int)v.n_idle,
                     v.reason.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

    return cmocka_run_group_tests_name("program_verdict", tests, NULL, NULL);
}
