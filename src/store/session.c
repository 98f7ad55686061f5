/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "base/batch.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/process.h"
#include "store/db.h"
#include "store/session_check.h"
#include "store/store.h"

int store_begin_session(struct store *store, const struct store_session *s, struct err *err)
{
    struct process self;
    struct batch_job job;
    char text[96]; /* "slurm 77" */

    process_self(&self);
    batch_job_here(&job);
    snprintf(text, sizeof text, "%s %s", batch_system_name(job.system), job.id);
    if (db_begin(store, err) ||
        db_do(store, STATEMENT_SESSION_INSERT, err, "sssnnssssdsisi", s->command, s->version,
              s->host, (int)s->pid, (int)s->ranks, s->cpu, s->mpi, s->blas, s->blas_kernel,
              clock_unix(), self.realm, self.start, job.system == BATCH_NONE ? NULL : text,
              session_check_inode(store)))
        return -1;
    store->session_id = sqlite3_last_insert_rowid(store->db);
    FAULT("store: before a session has begun");
    if (store_commit(store, err))
        return -1;
    FAULT("store: a session has begun");
    return 0;
}

int store_put_traffic(struct store *store, int32_t rank, const char *host,
                      const struct traffic *traffic, struct err *err)
{
    if (db_begin(store, err))
        return -1;
    for (int i = 0; i < TRAFFIC_CELLS; i++) {
        const struct traffic_count *count = &traffic->of[i];
        int64_t size;
        const char *activity = traffic_cell_name(i, &size);

        if ((count->calls || count->seconds > 0) &&
            db_do(store, STATEMENT_TRAFFIC_PUT, err, "inssiiid", store->session_id, (int)rank, host,
                  activity, size, count->calls, count->bytes, count->seconds))
            return -1;
    }
    return 0;
}

/* n_trials: out, trials returned to pending. */
static int end_attempts(struct store *store, int64_t session_id, double finished,
                        const char *outcome, int *n_trials, struct err *err)
{
    if (db_do(store, STATEMENT_SESSION_TRIALS_RETURN, err, "i", session_id))
        return -1;
    *n_trials = sqlite3_changes(store->db);
    FAULT("store: trials of a session were returned");
    return db_do(store, STATEMENT_SESSION_ATTEMPTS_END, err, "ids", session_id, finished, outcome);
}

int store_end_session(struct store *store, const char *outcome, struct err *err)
{
    double now = clock_unix();
    int n_trials;

    if (db_begin(store, err) ||
        end_attempts(store, store->session_id, now, "stopped", &n_trials, err) ||
        db_do(store, STATEMENT_SESSION_END, err, "ids", store->session_id, now, outcome))
        return -1;
    FAULT("store: before a session has ended");
    if (store_commit(store, err))
        return -1;
    FAULT("store: a session has ended");
    return 0;
}

int store_cut_session(struct store *store, const char *outcome, struct err *err)
{
    if (!sqlite3_get_autocommit(store->db) && db_exec(store, "ROLLBACK", err))
        return -1;
    return store_end_session(store, outcome, err);
}

void store_note_running(struct store *store, int64_t trial_id)
{
    char note[sizeof store->lock.left];

    snprintf(note, sizeof note, "%lld %lld %.6f", (long long)store->session_id, (long long)trial_id,
             clock_unix());
    lock_note(&store->lock, note);
}

/* Add the attempt in a dead session's note. */
static int recall(struct store *store, const struct session_check *check, struct err *err)
{
    long long session_id, trial_id;
    double started;

    if (sscanf(store->lock.left, "%lld %lld %lf", &session_id, &trial_id, &started) != 3 ||
        session_id != check->session_id || check->life != SESSION_LIFE_GONE)
        return 0;
    if (db_do(store, STATEMENT_SESSION_RECALL, err, "iid", (int64_t)session_id, (int64_t)trial_id,
              started))
        return -1;
    if (!sqlite3_changes(store->db))
        return 0;
    return db_do(store, STATEMENT_TRIAL_RUNS, err, "i", (int64_t)trial_id);
}

static int release(struct store *store, const struct session_check *check, struct err *err)
{
    char trials[96] = "";
    int n;

    if (db_begin(store, err) || recall(store, check, err) ||
        end_attempts(store, check->session_id, NAN, "lost", &n, err) ||
        db_do(store, STATEMENT_SESSION_LOST, err, "i", check->session_id))
        return -1;
    /* Not worth a line: known to be dead, and had nothing open. */
    if (check->life == SESSION_LIFE_ELSEWHERE || (!n && !check->is_assumed))
        return 0;
    if (n)
        snprintf(trials, sizeof trials, "; %d trial%s that it was running %s pending again", n,
                 n == 1 ? "" : "s", n == 1 ? "is" : "are");
    errlist_add(&store->released, "%s: the run of %s %s: %s%s", store->path, check->who,
                check->is_assumed ? "holds no lock and is assumed dead" : "is gone", check->why,
                trials);
    return 0;
}

int session_release(struct store *store, struct err *err)
{
    for (size_t i = 0; i < store->n_checks; i++)
        if (release(store, &store->checks[i], err))
            return -1;
    FAULT("store: what is lost was released");
    return store_commit(store, err);
}

const struct errlist *store_released(const struct store *store)
{
    return &store->released;
}
