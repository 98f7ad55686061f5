/* Sums of the attempts of a session for each rank. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/batch.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/process.h"
#include "store/db.h"
#include "store/query.h"
#include "store/session_check.h"
#include "store/sqlite_error.h"

static const char sql_attempts[] = "SELECT rank, host, outcome, max(0, finished - started)"
                                   " FROM attempt WHERE session_id ="
                                   " (SELECT max(session_id) FROM session)";
enum { RANK, HOST, OUTCOME, SECONDS };

static const char *const names[] = {"rank", "host", "trials", "busy_s", "diverged", "failed"};
enum { COLUMNS = sizeof names / sizeof *names };

struct worker_sum {
    int64_t rank;
    char *host; /* owned */
    int64_t trials, diverged, failed;
    double busy_s;
    bool has_ended; /* some attempt of it */
};

struct worker_sums {
    struct worker_sum *of; /* [n] by rank and host; owned */
    size_t n, capacity, last;
};

static int compare(const struct worker_sum *a, int64_t rank, const char *host)
{
    return a->rank != rank ? (a->rank > rank) - (a->rank < rank) : strcmp(a->host, host);
}

/* Where it is, or belongs. */
static size_t place_of(const struct worker_sums *sums, int64_t rank, const char *host)
{
    size_t low = 0, high = sums->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (compare(&sums->of[middle], rank, host) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Results come in groups of one rank. NULL when memory is short. */
static struct worker_sum *sum_of(struct worker_sums *sums, int64_t rank, const char *host)
{
    size_t at = sums->last;

    if (at < sums->n && !compare(&sums->of[at], rank, host))
        return &sums->of[at];
    at = sums->last = place_of(sums, rank, host);
    if (at < sums->n && !compare(&sums->of[at], rank, host))
        return &sums->of[at];
    if (sums->n == sums->capacity) {
        size_t capacity = 2 * sums->capacity + 8;
        struct worker_sum *grown = realloc(sums->of, capacity * sizeof *grown);

        if (!grown)
            return NULL;
        sums->of = grown;
        sums->capacity = capacity;
    }
    memmove(&sums->of[at + 1], &sums->of[at], (sums->n - at) * sizeof *sums->of);
    sums->of[at] = (struct worker_sum){.rank = rank, .host = strdup(host)};
    sums->n++;
    return sums->of[at].host ? &sums->of[at] : NULL;
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text ? text : "";
}

static int add_attempt(struct worker_sums *sums, sqlite3_stmt *row)
{
    struct worker_sum *sum = sum_of(sums, sqlite3_column_int64(row, RANK), text_of(row, HOST));
    int state = trial_state_parse(text_of(row, OUTCOME));

    if (!sum)
        return -1;
    sum->has_ended |= sqlite3_column_type(row, SECONDS) != SQLITE_NULL;
    sum->trials += state == TRIAL_DONE || state == TRIAL_DIVERGED || state == TRIAL_FAILED;
    sum->diverged += state == TRIAL_DIVERGED;
    sum->failed += state == TRIAL_FAILED;
    sum->busy_s += sqlite3_column_double(row, SECONDS); /* NULL, of an open one, is 0 */
    return 0;
}

static void fill_row(struct cell *row, struct worker_sum *sum)
{
    row[0] = (struct cell){.type = CELL_INTEGER, .i = sum->rank};
    row[1] = (struct cell){.type = CELL_TEXT, .s = sum->host};
    row[2] = (struct cell){.type = CELL_INTEGER, .i = sum->trials};
    row[3] = (struct cell){.type = sum->has_ended ? CELL_REAL : CELL_NULL, .f = sum->busy_s};
    row[4] = (struct cell){.type = CELL_INTEGER, .i = sum->diverged};
    row[5] = (struct cell){.type = CELL_INTEGER, .i = sum->failed};
    sum->host = NULL; /* the table's now */
}

static int fill(struct result_table *out, struct worker_sums *sums, struct err *err)
{
    out->names = calloc(COLUMNS, sizeof *out->names);
    out->cells = calloc(sums->n * COLUMNS + 1, sizeof *out->cells);
    if (out->names && out->cells) {
        out->n_cols = COLUMNS;
        for (size_t i = 0; i < sums->n; i++)
            fill_row(&out->cells[COLUMNS * out->n_rows++], &sums->of[i]);
        for (int c = 0; c < COLUMNS; c++) {
            out->names[c] = strdup(names[c]);
            if (!out->names[c])
                break;
        }
        if (out->names[COLUMNS - 1])
            return 0;
    }
    result_table_release(out);
    return err_nomem(err, "answer", sums->n * COLUMNS * sizeof *out->cells);
}

static void release_workers(struct worker_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++)
        free(sums->of[i].host);
    free(sums->of);
}

int query_workers(struct result_table *out, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_attempts, err);
    struct worker_sums sums = {0};
    int rc = row ? 1 : -1;

    memset(out, 0, sizeof *out);
    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (add_attempt(&sums, row))
            rc = err_nomem(err, "ranks", sums.n * sizeof *sums.of);
    sqlite3_finalize(row);
    if (!rc)
        rc = fill(out, &sums, err);
    release_workers(&sums);
    return rc;
}

/* Sessions: who writes, and what becomes of those that ended without a word. */

int store_commit(struct store *store, struct err *err)
{
    if (sqlite3_get_autocommit(store->db))
        return 0;
    FAULT("store: before a commit");
    if (fault_check_size(store, err) || models_write(store, err) ||
        db_finish(store, db_bind(store, STATEMENT_COMMIT, err, ""), err))
        return -1;
    FAULT("store: a commit was made");
    return fault_check_place(store, err) || fault_note_size(store, err) ? -1 : 0;
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
                          own_job(job, sizeof job), asked_inode(store)),
                  err))
        return -1;
    store->session_id = sqlite3_last_insert_rowid(store->db);
    FAULT("store: before a session has begun");
    if (store_commit(store, err))
        return -1;
    FAULT("store: a session has begun");
    return 0;
}

/* What a session has open ends with it. n_trials: of how many trials. */
static int end_attempts(struct store *store, int64_t session_id, double finished,
                        const char *outcome, int *n_trials, struct err *err)
{
    if (db_finish(store, db_bind(store, STATEMENT_SESSION_TRIALS_RETURN, err, "i", session_id),
                  err))
        return -1;
    *n_trials = sqlite3_changes(store->db);
    FAULT("store: trials of a session were returned");
    return db_finish(
        store,
        db_bind(store, STATEMENT_SESSION_ATTEMPTS_END, err, "ids", session_id, finished, outcome),
        err);
}

int store_end_session(struct store *store, const char *outcome, struct err *err)
{
    double now = clock_unix();
    int n_trials;

    if (db_begin(store, err) ||
        end_attempts(store, store->session_id, now, "stopped", &n_trials, err) ||
        db_finish(
            store,
            db_bind(store, STATEMENT_SESSION_END, err, "ids", store->session_id, now, outcome),
            err))
        return -1;
    FAULT("store: before a session has ended");
    if (store_commit(store, err))
        return -1;
    FAULT("store: a session has ended");
    return 0;
}

/* In a line for people: what is gone, and what comes of it. A run that left nothing under way, and
 * is known to be gone, is not worth one. */
static void tell(struct store *store, const struct asked *asked, int n_trials)
{
    char trials[96] = "";

    if (asked->life == ASKED_ELSEWHERE || (!n_trials && !asked->is_assumed))
        return;
    if (n_trials)
        snprintf(trials, sizeof trials, "; %d trial%s that it was running %s pending again",
                 n_trials, n_trials == 1 ? "" : "s", n_trials == 1 ? "is" : "are");
    errlist_add(&store->released, "%s: the run of %s %s: %s%s", store->path, asked->who,
                asked->is_assumed ? "holds no lock and is taken for gone" : "is gone", asked->why,
                trials);
}

void store_note_running(struct store *store, int64_t trial_id)
{
    char note[sizeof store->lock.left];

    snprintf(note, sizeof note, "%lld %lld %.3f", (long long)store->session_id, (long long)trial_id,
             clock_unix());
    lock_note(&store->lock, note);
}

/* The note that a session left behind: an attempt like those it has open. */
static int recall(struct store *store, const struct asked *asked, struct err *err)
{
    long long session_id, trial_id;
    double started;

    if (sscanf(store->lock.left, "%lld %lld %lf", &session_id, &trial_id, &started) != 3 ||
        session_id != asked->session_id || asked->life != ASKED_GONE)
        return 0;
    if (db_finish(store,
                  db_bind(store, STATEMENT_SESSION_RECALL, err, "iid", (int64_t)session_id,
                          (int64_t)trial_id, started),
                  err))
        return -1;
    if (!sqlite3_changes(store->db))
        return 0;
    return db_finish(store, db_bind(store, STATEMENT_TRIAL_RUNS, err, "i", (int64_t)trial_id), err);
}

static int release(struct store *store, const struct asked *asked, struct err *err)
{
    int n_trials;

    if (db_begin(store, err) || recall(store, asked, err) ||
        end_attempts(store, asked->session_id, NAN, "lost", &n_trials, err) ||
        db_finish(store, db_bind(store, STATEMENT_SESSION_LOST, err, "i", asked->session_id), err))
        return -1;
    tell(store, asked, n_trials);
    return 0;
}

int session_release(struct store *store, struct err *err)
{
    for (size_t i = 0; i < store->n_asked; i++)
        if (release(store, &store->asked[i], err))
            return -1;
    FAULT("store: what is lost was released");
    return store_commit(store, err);
}

const struct errlist *store_released(const struct store *store)
{
    return &store->released;
}
