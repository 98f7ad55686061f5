/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/database_fault.h"

#include "base/clock.h"
#include "base/log.h"
#include "grid/shard.h"
#include "launch/stop.h"

/* The owner of an open transaction will notice it, and waiting is cheaper than losing a job of
 * hours. */
#define WARN_S 2.0
#define PATIENCE_S 600.0
#define STOPPING_S 10.0 /* a batch system that asked the job to stop kills it soon */

static bool on_wait(void *arg, double waited_s, const char *holder)
{
    struct database_fault *fault = arg;

    fault->meanwhile(fault->arg);
    if (waited_s >= WARN_S && !fault->has_warned) {
        fault->has_warned = true;
        log_warn("%s: cannot write: blocked by %s; waiting up to %.0f minutes", fault->db,
                 *holder ? holder : "another process, or by a lock service that does not answer",
                 PATIENCE_S / 60);
    }
    return !stop_signal || waited_s < STOPPING_S;
}

void database_fault_watch(struct database_fault *fault, struct store *store)
{
    store_be_patient(store, PATIENCE_S, on_wait, fault);
}

void database_fault_over(struct database_fault *fault)
{
    if (fault->has_warned)
        log_info("%s: can be written again", fault->db);
    fault->has_warned = false;
}

static void warn_missing(const char *db, const struct job *job, const struct store_trials *known,
                         bool has_changed)
{
    int64_t total = 0, n = 0;

    for (int64_t t = 0; t < job->plan.n_trials; t++) {
        total += known->ours[t];
        n += known->ours[t] && known->states[t] != TRIAL_DONE &&
             known->states[t] != TRIAL_DIVERGED && known->states[t] != TRIAL_FAILED;
    }
    log_warn("%s: all committed results are safe: %lld of %lld trials", db, (long long)(total - n),
             (long long)total);
    if (n)
        log_warn("%lld trial%s missing ('espalier status' shows which); %s", (long long)n,
                 n == 1 ? " is" : "s are",
                 has_changed
                     ? "undo the change, then the same command continues; or add --new-sweep"
                     : "fix the cause; the same command continues");
}

static void warn_rest(const char *db, const struct job *job, struct store_trials *known,
                      bool has_changed)
{
    struct store *store;
    struct err err;

    if (store_open_reader(&store, db, &err)) {
        log_warn("%s; keep the database together with %s-wal and %s-journal, if they exist",
                 err.text, db, db);
        return;
    }
    if (store_find(store, &job->plan, &job->data, known, &err))
        log_warn("%s; the database still contains all committed results", err.text);
    else
        warn_missing(db, job, known, has_changed);
    store_close(store);
}

void database_fault_report(const char *db, const struct job *job, const struct shard *shard,
                           bool has_changed)
{
    struct store_trials known = {0};
    struct err err;

    if (store_trials_init(&known, job->plan.n_trials, &err) ||
        shard_mark(known.ours, shard, &job->plan, &job->data, &err))
        log_warn("%s", err.text);
    else
        warn_rest(db, job, &known, has_changed);
    store_trials_release(&known);
}
