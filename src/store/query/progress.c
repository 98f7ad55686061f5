/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/query/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/words.h"
#include "store/db.h"

/* Commits follow within half a second, so such a rank has not been idle for long. */
#define SHORT_S 2.0

/* ---- counts ---- */

int progress_count(struct progress_counts *counts, struct store *store,
                   const struct query_sweep *sweep, struct err *err)
{
    struct result_table table;

    *counts = (struct progress_counts){0};
    if (query_table(&table, store, QUERY_SWEEPS, 0, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++)
        if (!strcmp(result_table_text(&table, r, "sweep"), sweep->name))
            *counts = (struct progress_counts){
                .trials = result_table_integer(&table, r, "trials"),
                .done = result_table_integer(&table, r, "done"),
                .diverged = result_table_integer(&table, r, "diverged"),
                .failed = result_table_integer(&table, r, "failed"),
                .running = result_table_integer(&table, r, "running"),
                .pending = result_table_integer(&table, r, "pending"),
                .held = result_table_integer(&table, r, "held"),
                .stopped = result_table_integer(&table, r, "stopped"),
            };
    result_table_release(&table);
    counts->planned =
        sweep->planned > counts->trials && !sweep->has_search ? sweep->planned : counts->trials;
    return 0;
}

int progress_sweeps(struct result_table *out, struct store *store, struct err *err)
{
    int64_t n = 0;

    if (query_table(out, store, QUERY_SWEEPS, 0, err))
        return -1;
    for (int64_t r = 0; r < out->n_rows; r++)
        n += result_table_integer(out, r, "held") + result_table_integer(out, r, "stopped");
    if (!n)
        result_table_drop_last(out, 2);
    return 0;
}

/* ---- the session ---- */

/* One pass over its attempts, in a tenth of the time of GROUP BY. A session has one host for each
 * rank. */
static const char sql_attempts[] =
    "SELECT attempt_id, rank, host, outcome, started, finished, trial_id FROM attempt"
    " WHERE session_id = ?1 ORDER BY attempt_id";
static const char sql_members[] =
    "SELECT m.attempt_id, m.rank, m.host, outcome, started, finished, trial_id"
    " FROM member AS m CROSS JOIN attempt AS a USING (attempt_id)"
    " WHERE session_id = ?1 AND m.rank <> a.rank ORDER BY m.attempt_id";

struct timed_attempt {
    int64_t id, trial;
    int32_t rank;
    const char *host, *outcome;
    double started, finished; /* NaN: open */
};

struct progress_pass {
    struct progress_session *session;
    double started, now, last; /* of the session; of its results */
    double *ended;             /* [n_ranks] of the newest attempt */
    bool is_members;
};

static void add_attempt(struct progress_pass *pass, const struct timed_attempt *a)
{
    struct progress_session *s = pass->session;
    struct progress_rank *rank = &s->ranks[a->rank];
    int state = trial_state_parse(a->outcome);
    double at = PROGRESS_BINS * (a->finished - pass->started) / s->seconds;
    bool is_crash = !strcmp(a->outcome, "crashed");

    if (!*rank->host)
        snprintf(rank->host, sizeof rank->host, "%s", a->host);
    if (!isnan(a->finished)) {
        rank->busy_s += fmax(a->finished - a->started, 0);
        rank->has_ended = true;
    }
    if (!pass->is_members && trial_is_result(a->outcome)) {
        rank->n++;
        rank->diverged += state == TRIAL_DIVERGED;
        rank->failed += state == TRIAL_FAILED;
        s->results++;
        pass->last = fmax(pass->last, a->finished);
        /* clocks differ: earlier and later ones count in the first and last part; NaN is neither */
        s->bins[at >= PROGRESS_BINS - 1 ? PROGRESS_BINS - 1 : at > 0 ? (int)at : 0]++;
    }
    if (a->id <= rank->attempt || (pass->is_members && is_crash))
        return;
    rank->attempt = a->id;
    rank->trial = a->trial;
    /* in a copy nobody knows of a 'lost' attempt how it went on */
    rank->work = state == TRIAL_RUNNING ? PROGRESS_RUNS
                 : is_crash || (!strcmp(a->outcome, "lost") && s->life != SESSION_LIFE_ELSEWHERE)
                     ? PROGRESS_LOST
                     : PROGRESS_IDLE;
    pass->ended[a->rank] = a->finished;
}

static int read_attempts(struct progress_pass *pass, struct store *store, const char *sql,
                         struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql, err, "i", pass->session->id);
    struct timed_attempt a;
    int rc = 0;

    while (db_next(&rc, store, row, err)) {
        rc = db_read(store, row, err, "inssrRi", &a.id, &a.rank, &a.host, &a.outcome, &a.started,
                     &a.finished, &a.trial);
        if (!rc && a.rank < pass->session->n_ranks)
            add_attempt(pass, &a);
    }
    sqlite3_finalize(row);
    return rc;
}

static int read_ranks(struct progress_session *s, struct store *store, double started,
                      struct err *err)
{
    size_t n = (size_t)s->n_ranks + 1;
    struct progress_pass pass = {
        .session = s, .started = started, .now = clock_unix(), .last = -INFINITY};
    int rc = -1;

    s->ranks = calloc(n, sizeof *s->ranks);
    pass.ended = calloc(n, sizeof *pass.ended);
    if (!s->ranks || !pass.ended)
        err_nomem(err, "ranks", n * sizeof *s->ranks);
    else
        rc = read_attempts(&pass, store, sql_attempts, err);
    pass.is_members = true;
    if (!rc)
        rc = read_attempts(&pass, store, sql_members, err);
    for (int32_t r = 0; !rc && r < s->n_ranks; r++)
        if (s->ranks[r].work == PROGRESS_IDLE && s->ranks[r].attempt &&
            pass.now - pass.ended[r] < SHORT_S)
            s->ranks[r].work = PROGRESS_RUNS;
    if (isnan(s->elapsed_s) && s->results)
        s->elapsed_s = pass.last - started;
    free(pass.ended);
    return rc;
}

int progress_read_session(struct progress_session *s, struct store *store, struct err *err)
{
    const char *why;
    double started;
    int64_t ranks;

    *s = (struct progress_session){.outcome = ""};
    if (query_table(&s->row, store, QUERY_SESSION, 0, err))
        return -1;
    if (!s->row.n_rows)
        return 0;
    s->id = result_table_integer(&s->row, 0, "session");
    s->life = session_check_life(&why, store, s->id);
    s->outcome = session_check_outcome(s->life, result_table_text(&s->row, 0, "outcome"));
    s->is_running = s->life == SESSION_LIFE_RUNNING && !strcmp(s->outcome, "running");
    s->command = result_table_text(&s->row, 0, "command");
    s->job = result_table_text(&s->row, 0, "job");
    if (s->life != SESSION_LIFE_RUNNING)
        snprintf(s->why, sizeof s->why, "%s", why);
    started = result_table_real(&s->row, 0, "started");
    ranks = result_table_integer(&s->row, 0, "ranks");
    s->n_ranks = (int32_t)(ranks < PROGRESS_MOST_RANKS ? ranks : PROGRESS_MOST_RANKS);
    s->seconds = result_table_real(&s->row, 0, "seconds");
    s->elapsed_s = result_table_real(&s->row, 0, "finished") - started;
    if (read_ranks(s, store, started, err))
        return -1;
    if (!(s->elapsed_s > 0))
        s->elapsed_s = (double)NAN;
    s->rate = (double)s->results / s->elapsed_s;
    return 0;
}

void progress_release_session(struct progress_session *s)
{
    result_table_release(&s->row);
    free(s->ranks);
    *s = (struct progress_session){.outcome = ""};
}

/* ---- the time left ---- */

/* Trials that cost the same take the same time. Without costs all count the same. The time counts
 * until the last result. */
int progress_left(double *left_s, struct store *store, int64_t sweep_id,
                  const struct progress_counts *counts, const struct progress_session *session,
                  const struct search_progress *search, struct err *err)
{
    double share = (double)(counts->pending + counts->running) / (double)session->results, flops;
    struct result_table work;

    *left_s = (double)NAN;
    if (!session->is_running || !session->results)
        return 0;
    if (search->is_there) {
        *left_s = search->left_core_s / session->n_ranks;
        return 0;
    }
    if (query_table(&work, store, QUERY_WORK, sweep_id, err))
        return -1;
    if (work.n_rows) {
        flops =
            result_table_real(&work, 0, "left_flops") / result_table_real(&work, 0, "done_flops");
        *left_s = session->elapsed_s * (isfinite(flops) ? flops : share);
    }
    result_table_release(&work);
    return 0;
}

int progress_read(struct progress *p, struct store *store, const char *name, struct err *err)
{
    struct query_sweep last;

    *p = (struct progress){.left_s = (double)NAN};
    if (query_sweep(&last, store, NULL, err) || query_sweep(&p->sweep, store, name, err) ||
        progress_count(&p->counts, store, &p->sweep, err) ||
        search_progress_read(&p->search, store, &p->sweep, err))
        return -1;
    p->is_last = p->sweep.sweep_id == last.sweep_id;
    if (!p->is_last)
        return 0;
    return progress_read_session(&p->session, store, err) ||
                   progress_left(&p->left_s, store, last.sweep_id, &p->counts, &p->session,
                                 &p->search, err)
               ? -1
               : 0;
}

void progress_release(struct progress *p)
{
    search_progress_release(&p->search);
    progress_release_session(&p->session);
}

/* ---- efficiency ---- */

/* Read the rows of one session, one for each width. Returns the row after them. work: scratch, a place
 * for each row. good: out, attempts with a result. */
static int64_t compute(struct query_efficiency *e, int64_t *good, const struct result_table *rows,
                       int64_t first, struct makespan_work *work)
{
    double began = INFINITY, ended = -INFINITY;
    int64_t ranks = result_table_integer(rows, first, "ranks"), row = first;

    *good = 0;
    *e = (struct query_efficiency){.session = result_table_integer(rows, first, "session"),
                                   .ranks = ranks > 1 ? ranks : 1}; /* the file may be damaged */
    for (; row < rows->n_rows && result_table_integer(rows, row, "session") == e->session; row++) {
        struct makespan_work *w = &work[row - first];

        *w = (struct makespan_work){.width = result_table_integer(rows, row, "width"),
                                    .all_s = result_table_real(rows, row, "all_s"),
                                    .longest_s = result_table_real(rows, row, "longest_s")};
        *good += result_table_integer(rows, row, "good");
        e->trials += result_table_integer(rows, row, "trials");
        e->total_s += w->all_s * (double)w->width;
        e->longest_s = fmax(e->longest_s, w->longest_s);
        began = fmin(began, result_table_real(rows, row, "first"));
        ended = fmax(ended, result_table_real(rows, row, "last"));
    }
    e->elapsed_s = ended - began;
    e->bound = makespan_bound(work, (size_t)(row - first), e->ranks);
    e->busy = e->elapsed_s > 0 ? fmin(1, e->total_s / ((double)e->ranks * e->elapsed_s)) : 0;
    e->above = e->bound.seconds > 0 ? e->elapsed_s / e->bound.seconds - 1 : (double)NAN;
    return row;
}

int query_efficiency(struct query_efficiency **out, int64_t *n, struct store *store,
                     int64_t session_id, struct err *err)
{
    struct makespan_work *work;
    struct result_table rows;
    int64_t good;
    size_t most;

    *out = NULL;
    *n = 0;
    if (query_table(&rows, store, QUERY_EFFICIENCY, session_id, err))
        return -1;
    most = (size_t)rows.n_rows + 1;
    *out = calloc(most, sizeof **out);
    work = calloc(most, sizeof *work);
    if (!*out || !work)
        err_nomem(err, "efficiency", most * sizeof **out);
    for (int64_t row = 0; *out && work && row<rows.n_rows; *n += good> 0)
        row = compute(&(*out)[*n], &good, &rows, row, work);
    result_table_release(&rows);
    if (!work) {
        free(*out);
        *out = NULL;
    }
    free(work);
    return *out ? 0 : -1;
}

/* ---- words ---- */

int progress_percent(int64_t n, int64_t all)
{
    return all ? (int)(100.0 * (double)n / (double)all) : 100;
}

char *progress_rate(char out[PROGRESS_RATE], double per_s, double like_per_s)
{
    bool is_s = like_per_s >= 1 || like_per_s <= 0, is_min = !is_s && like_per_s * 60 >= 1;
    double rate = is_s ? per_s : is_min ? per_s * 60 : per_s * 3600;

    *out = '\0';
    if (!isnan(per_s))
        snprintf(out, PROGRESS_RATE, rate >= 100 ? "%.0f/%s" : "%.3g/%s", rate,
                 is_s     ? "s"
                 : is_min ? "min"
                          : "h");
    return out;
}

char *progress_left_words(char out[PROGRESS_LEFT], double left_s)
{
    char words[DURATION_TEXT];

    *out = '\0';
    if (isfinite(left_s) && left_s >= 0.5)
        snprintf(out, PROGRESS_LEFT, "about %s left", duration_words(words, round(left_s)));
    return out;
}
/* Beyond ten times the bound a percentage is hard to read. */
#define MUCH 9

static void put_bound(struct buf *out, const struct query_efficiency *e)
{
    char words[DURATION_TEXT];

    buf_printf(out, "the %s of ", duration_words(words, e->bound.seconds));
    if (e->bound.limit == MAKESPAN_WIDE)
        buf_printf(out, "the trials of %lld or more ranks, of which %lld ranks hold %lld at a time",
                   (long long)e->bound.width, (long long)e->ranks,
                   (long long)(e->ranks / e->bound.width));
    else if (e->bound.limit == MAKESPAN_LONGEST)
        buf_puts(out, "the longest trial");
    else
        buf_printf(out, "all trials spread evenly over %lld rank%s", (long long)e->ranks,
                   plural(e->ranks));
}

void progress_efficiency(struct buf *out, const struct query_efficiency *e)
{
    if (isnan(e->above))
        return;
    buf_printf(out, "ranks were busy %.1f %% of the time; the trials took ", 100 * e->busy);
    if (100 * e->above < 0.05)
        buf_puts(out, "no longer than ");
    else if (e->above < MUCH)
        buf_printf(out, "%.*f %% longer than ", e->above < 0.1, 100 * e->above);
    else
        buf_printf(out, "%.0f times ", 1 + e->above);
    put_bound(out, e);
}
