#include "cli/walltime.h"

#include <math.h>
#include <stdio.h>

#include "base/batch.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/log.h"

/* Kept for the last commit (a shared filesystem may take seconds for its fsync), the ranks' leaving
 * and what a job script does afterwards; of a short time a small part only. */
#define END_S 30.0
#define END_SHARE 0.05

static double end_s(double seconds)
{
    return fmin(END_S, END_SHARE * seconds);
}

static double ask(void)
{
    char left[DURATION_TEXT], end[DURATION_TEXT];
    struct batch_job job;
    double left_s;

    batch_job_here(&job);
    if (job.system == BATCH_NONE)
        return (double)INFINITY;
    left_s = batch_seconds_left();
    if (isnan(left_s)) {
        log_info("walltime: %s names no end of job %s; --time-limit sets one",
                 batch_system_title(job.system), job.id);
        return (double)INFINITY;
    }
    log_info(
        "walltime: %s leaves job %s another %s; no trial is begun that would not end %s before "
        "that",
        batch_system_title(job.system), job.id, duration_words(left, left_s),
        duration_words(end, end_s(left_s)));
    return left_s - end_s(left_s);
}

void walltime_begin(struct walltime *walltime, double limit_s, double begun_s)
{
    double now_s;

    if (isnan(limit_s)) {
        walltime->whole_s = ask();
        walltime->until_s = clock_now(&clock_system) + walltime->whole_s;
        return;
    }
    now_s = clock_now(&clock_system);
    walltime->until_s = begun_s + limit_s - end_s(limit_s);
    walltime->whole_s = fmax(walltime->until_s - now_s, 0);
}

double walltime_within(const struct walltime *walltime, double seconds)
{
    return fmax(fmin(seconds, walltime->until_s - clock_now(&clock_system)), 0);
}

/* ---- what does not fit ---- */

struct misfits {
    int64_t n_left, n; /* pending trials; those that take longer than there was time in all */
    double left_s, s;  /* the longest of each, expected on a rank of average speed */
};

static struct misfits count_misfits(const struct walltime *walltime,
                                    const struct dispatch *dispatch)
{
    const struct ledger *ledger = dispatch_ledger(dispatch);
    int64_t n_trials = ledger_counts(ledger).total;
    struct misfits misfits = {0};

    for (int64_t t = 0; t < n_trials; t++) {
        double seconds = resumes_seconds(dispatch_resumes(dispatch), t);

        if (ledger_state(ledger, t) != TRIAL_PENDING)
            continue;
        misfits.n_left++;
        misfits.left_s = fmax(misfits.left_s, seconds);
        if (seconds <= walltime->whole_s)
            continue;
        misfits.n++;
        misfits.s = fmax(misfits.s, seconds);
    }
    return misfits;
}

static void warn_misfits(const struct walltime *walltime, const struct misfits *misfits)
{
    char text[DURATION_TEXT], whole[DURATION_TEXT];

    if (!misfits->n)
        return;
    log_warn("%lld trial%s expected to take up to %s each, longer than the whole %s of such a "
             "run: give it a longer time, or leave them out",
             (long long)misfits->n, misfits->n == 1 ? " is" : "s are",
             duration_words(text, misfits->s), duration_words(whole, walltime->whole_s));
}

void walltime_warn(const struct walltime *walltime, const struct dispatch *dispatch)
{
    struct misfits misfits = count_misfits(walltime, dispatch);

    warn_misfits(walltime, &misfits);
}

void walltime_tell(const struct walltime *walltime, const struct dispatch *dispatch)
{
    struct misfits misfits = count_misfits(walltime, dispatch);
    const char *verb = misfits.n_left == 1 ? " is" : "s are";
    char text[DURATION_TEXT];

    if (misfits.n < misfits.n_left)
        log_info(
            "stopped by the time limit; %lld trial%s left, expected to take up to %s each: the "
            "same command goes on",
            (long long)misfits.n_left, verb, duration_words(text, misfits.left_s));
    else
        log_info("stopped by the time limit; %lld trial%s left", (long long)misfits.n_left, verb);
    warn_misfits(walltime, &misfits);
}

bool walltime_is_in_vain(const struct walltime *walltime, const struct dispatch *dispatch)
{
    struct misfits misfits = count_misfits(walltime, dispatch);

    return misfits.n == misfits.n_left;
}
