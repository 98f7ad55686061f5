/* Sessions: who writes, and what becomes of those that ended without a word. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/batch.h"
#include "base/clock.h"
#include "base/process.h"
#include "store/fault.h"

int store_commit(struct store *store, struct err *err)
{
    if (sqlite3_get_autocommit(store->db))
        return 0;
    if (db_finish(store, db_bind(store, STATEMENT_COMMIT, err, ""), err))
        return -1;
    return fault_check_place(store, err);
}

/* Of the database; 0 where it cannot be told. */
static int64_t inode(const struct store *store)
{
    struct stat st;

    return stat(store->path, &st) ? 0 : (int64_t)st.st_ino;
}

/* "slurm 77"; "" outside a batch system. */
static const char *own_job(char *text, size_t size)
{
    struct batch_job job;

    batch_job_here(&job);
    *text = '\0';
    if (job.system != BATCH_NONE)
        snprintf(text, size, "%s %s", batch_system_name(job.system), job.id);
    return *text ? text : NULL;
}

int store_begin_session(struct store *store, const struct store_session *s, struct err *err)
{
    struct process self;
    char job[96];

    process_self(&self);
    if (db_begin(store, err) ||
        db_finish(store,
                  db_bind(store, STATEMENT_SESSION_INSERT, err, "sssnnssssdsisi", s->command,
                          s->version, s->host, (int)s->pid, (int)s->ranks, s->cpu, s->mpi, s->blas,
                          s->blas_kernel, clock_unix(), self.realm, self.start,
                          own_job(job, sizeof job), inode(store)),
                  err))
        return -1;
    store->session_id = sqlite3_last_insert_rowid(store->db);
    return store_commit(store, err);
}

/* What a session has open ends with it. */
static int end_attempts(struct store *store, int64_t session_id, double finished,
                        const char *outcome, const char *error, struct err *err)
{
    if (db_finish(store, db_bind(store, STATEMENT_SESSION_TRIALS_RETURN, err, "i", session_id),
                  err))
        return -1;
    return db_finish(store,
                     db_bind(store, STATEMENT_SESSION_ATTEMPTS_END, err, "idss", session_id,
                             finished, outcome, error),
                     err);
}

int store_end_session(struct store *store, const char *outcome, struct err *err)
{
    double now = clock_unix();

    if (db_begin(store, err) || end_attempts(store, store->session_id, now, "stopped", NULL, err) ||
        db_finish(
            store,
            db_bind(store, STATEMENT_SESSION_END, err, "ids", store->session_id, now, outcome),
            err))
        return -1;
    return store_commit(store, err);
}

int session_release(struct store *store, struct err *err)
{
    int64_t id;
    int rc;

    while (!(rc = db_integer(store, db_bind(store, STATEMENT_SESSION_RUNNING, err, ""), 0, &id,
                             err)) &&
           id)
        if (db_begin(store, err) || end_attempts(store, id, NAN, "lost", NULL, err) ||
            db_finish(store, db_bind(store, STATEMENT_SESSION_LOST, err, "i", id), err))
            return -1;
    return rc ? rc : store_commit(store, err);
}
