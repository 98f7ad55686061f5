/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/walltime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/batch.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/log.h"

/* For the last commit (a shared filesystem may need seconds), the exit of the ranks and the rest of
 * the job script; a small share of short limits. */
#define END_S 30.0
#define END_SHARE 0.05

#define STOP_SHARE 0.25 /* most of a short limit for trials that stop */

#define FRESH_SHARE 0.9 /* a job with more of its time left has just begun */

/* Kept free at the end of so many seconds. */
static double end_s(const struct walltime *walltime, double seconds)
{
    return fmin(END_S, END_SHARE * seconds) + fmin(walltime->stop_s, STOP_SHARE * seconds);
}

/* Seconds left, or INFINITY. */
static double ask(const struct walltime *walltime)
{
    char left[DURATION_TEXT], end[DURATION_TEXT];
    struct batch_job job;
    double left_s;

    batch_job_here(&job);
    if (job.system == BATCH_NONE)
        return (double)INFINITY;
    left_s = batch_seconds_left();
    if (isnan(left_s)) {
        log_info("walltime: %s reports no time limit for job %s; --time-limit sets one",
                 batch_system_title(job.system), job.id);
        return (double)INFINITY;
    }
    if (left_s <= 0) {
        log_warn("walltime: the time of %s job %s is over%s: no trial starts; --time-limit sets "
                 "another limit",
                 batch_system_title(job.system), job.id, left_s < 0 ? " (SLURM_JOB_END_TIME)" : "");
        return 0;
    }
    log_info("walltime: %s job %s has %s left; a trial starts only if it can end %s before that",
             batch_system_title(job.system), job.id, duration_words(left, left_s),
             duration_words(end, end_s(walltime, left_s)));
    return left_s - end_s(walltime, left_s);
}

/* Only Slurm reports when a job began. */
static bool has_just_begun(double left_s)
{
    const char *start = getenv("SLURM_JOB_START_TIME");
    double end;

    batch_slurm_end(&end);
    return start && *start && left_s > FRESH_SHARE * (end - strtod(start, NULL));
}

/* A job that seems over is ignored: this may be why the user gave a limit. */
static void heed_job(struct walltime *walltime, double limit_s)
{
    char limit[DURATION_TEXT], left[DURATION_TEXT];
    double job_s = batch_seconds_left(), now_s = clock_now(&clock_system);
    struct batch_job job;

    if (!(job_s > 0) || now_s + job_s - end_s(walltime, job_s) >= walltime->until_s)
        return;
    batch_job_here(&job);
    log_warn("walltime: --time-limit %s ends after %s job %s, which has %s left: the job's limit "
             "applies",
             duration_words(limit, limit_s), batch_system_title(job.system), job.id,
             duration_words(left, job_s));
    walltime->whole_s = job_s - end_s(walltime, job_s);
    walltime->until_s = now_s + walltime->whole_s;
    walltime->is_whole = has_just_begun(job_s);
}

void walltime_begin(struct walltime *walltime, double limit_s, double begun_s, double stop_s)
{
    walltime->stop_s = stop_s;
    if (isnan(limit_s)) {
        walltime->whole_s = ask(walltime);
        walltime->until_s = clock_now(&clock_system) + walltime->whole_s;
        walltime->is_whole = walltime->whole_s > 0 && has_just_begun(walltime->whole_s);
        if (walltime->whole_s <= 0)
            walltime->whole_s = (double)INFINITY;
        return;
    }
    walltime->whole_s = limit_s - end_s(walltime, limit_s);
    walltime->until_s = begun_s + walltime->whole_s;
    walltime->is_whole = true;
    if (stop_s > STOP_SHARE * limit_s)
        log_warn(
            "walltime: of --time-limit %g s only %.3g s are kept for programs to stop, less than "
            "stop_grace = %g s: one that stops slowly ends late",
            limit_s, STOP_SHARE * limit_s, stop_s);
    heed_job(walltime, limit_s);
}

double walltime_within(const struct walltime *walltime, double seconds)
{
    return fmax(fmin(seconds, walltime->until_s - clock_now(&clock_system)), 0);
}

/* ---- what is left ---- */

struct left {
    int64_t n, n_long; /* pending trials; those longer than the whole time of a run */
    double s, long_s;  /* longest of each, expected on a rank of average speed; 0: unknown */
};

static struct left count_left(const struct walltime *walltime, const struct dispatch *dispatch)
{
    const struct ledger *ledger = dispatch_ledger(dispatch);
    int64_t n_trials = ledger_counts(ledger).total;
    struct left left = {0};

    for (int64_t t = 0; t < n_trials; t++) {
        double seconds = dispatch_expected_s(dispatch, t);

        if (ledger_state(ledger, t) != TRIAL_PENDING)
            continue;
        left.n++;
        left.s = fmax(left.s, seconds);
        if (!(seconds > walltime->whole_s))
            continue;
        left.n_long++;
        left.long_s = fmax(left.long_s, seconds);
    }
    return left;
}

void walltime_start(struct walltime *walltime, struct dispatch *dispatch)
{
    char text[DURATION_TEXT], whole[DURATION_TEXT];
    struct left left;

    walltime->whole_s = walltime_within(walltime, walltime->whole_s);
    dispatch_set_whole(dispatch, walltime->whole_s);
    left = count_left(walltime, dispatch);
    if (left.n_long && walltime->whole_s > 0)
        log_info("%lld trial%s expected to take up to %s each, and such a run has only %s: from "
                 "checkpoints, several runs can finish %s",
                 (long long)left.n_long, left.n_long == 1 ? " is" : "s are",
                 duration_words(text, left.long_s), duration_words(whole, walltime->whole_s),
                 left.n_long == 1 ? "it" : "them");
}

void walltime_tell(const struct walltime *walltime, const struct dispatch *dispatch,
                   int64_t n_checkpoints, bool is_in_vain)
{
    struct left left = count_left(walltime, dispatch);
    const char *verb = left.n == 1 ? " is" : "s are";
    char text[DURATION_TEXT], expected[64] = "", begun[48] = "";

    if (left.n && left.s > 0)
        snprintf(expected, sizeof expected, ", expected to take up to %s each",
                 duration_words(text, left.s));
    if (n_checkpoints)
        snprintf(begun, sizeof begun, ", %lld with a checkpoint", (long long)n_checkpoints);
    log_info("stopped by the time limit; %lld trial%s left%s%s%s", (long long)left.n, verb,
             expected, begun, is_in_vain ? "" : ": the same command continues");
    if (is_in_vain)
        log_warn("no trial was finished and no checkpoint saved in the whole time: raise the time "
                 "limit, save checkpoints more often, or drop trials that never end");
}
