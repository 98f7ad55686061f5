/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "report/answer.h"
#include "report/rows.h"
#include "store/query/progress.h"
#include "store/store.h"

enum { SWEEPS, SESSION, SEARCH, RANKS, RUNNING, CHECKPOINTS, FAILURES, BROKEN, SESSIONS };

static const struct answer_section sections[] = {
    [SWEEPS] = {"sweeps", NULL, false, "sweep trials done", NULL},
    [SESSION] = {"session", "last session", true, NULL, NULL},
    [SEARCH] = {"search", "search", true, NULL, NULL},
    [RANKS] = {"ranks", "ranks of the last session", false, "rank host trials", NULL},
    [RUNNING] = {"running", "running trials, longest first", false, "trial seconds",
                 "since_utc host"},
    [CHECKPOINTS] = {"checkpoints", "trials with a checkpoint, from which they continue", false,
                     "trial", NULL},
    [FAILURES] = {"failures", "trials that failed or diverged", false, "state trials reason", NULL},
    [BROKEN] = {"lost",
                "attempts that crashed, were lost with their run or whose program was killed",
                false, "outcome attempts", "session host"},
    [SESSIONS] = {"sessions", "sessions, the last one first", false, "session outcome",
                  "job host seconds ranks"},
};

static const struct status_list {
    int section;
    enum query query;
    int most, least; /* rows for people; a shorter list is left out */
} lists[] = {
    {RUNNING, QUERY_RUNNING, 20, 0},   {CHECKPOINTS, QUERY_CHECKPOINTS, 20, 0},
    {FAILURES, QUERY_FAILURES, 20, 0}, {BROKEN, QUERY_BROKEN, 20, 0},
    {SESSIONS, QUERY_SESSIONS, 10, 2}, /* the last one has lines of its own */
};

struct status {
    struct progress_session session;
    struct search_progress search; /* of the sweep that ran last */
    const char *reason;            /* why the session ended; NULL: unknown */
    int64_t n_left;                /* trials of the sweep that ran last */
    double left_s;                 /* as in struct progress */
};

/* ---- for people ---- */

/* efficiency: of the whole run; NULL: unknown. */
static void print_session(struct answer *answer, const struct status *status,
                          const struct query_efficiency *efficiency)
{
    const struct progress_session *s = &status->session;
    long long ranks = result_table_integer(&s->row, 0, "ranks");
    char elapsed[DURATION_TEXT], rate[PROGRESS_RATE], left[PROGRESS_LEFT];
    struct buf text = {0};

    answer_printf(answer, "\nlast session: %s\n%s", s->command, s->outcome);
    if (status->reason)
        answer_printf(answer, " (%s%s)", status->reason,
                      s->life == SESSION_LIFE_GONE ? "; the same command continues"
                      : s->life == SESSION_LIFE_ELSEWHERE
                          ? ""
                          : ": undo the change, then the same "
                            "command continues; or add --new-sweep");
    answer_printf(answer, ", %lld rank%s, pid %lld on %s\n", ranks, plural(ranks),
                  (long long)result_table_integer(&s->row, 0, "pid"),
                  result_table_text(&s->row, 0, "host"));
    if (!isnan(s->rate))
        answer_printf(answer, "%lld trial%s in %s, %s\n", (long long)s->results, plural(s->results),
                      duration_words(elapsed, s->elapsed_s), progress_rate(rate, s->rate, s->rate));
    if (status->search.is_there) {
        search_progress_put(&text, &status->search);
        answer_printf(answer, "%s\n", buf_text(&text));
        buf_clear(&text);
    }
    if (*progress_left_words(left, status->left_s) && status->search.is_there)
        answer_printf(answer, "%s for the search\n", left);
    else if (*left)
        answer_printf(answer, "%s for %lld trial%s\n", left, (long long)status->n_left,
                      plural(status->n_left));
    if (efficiency && !s->is_running)
        progress_efficiency(&text, efficiency);
    if (text.size)
        answer_printf(answer, "%s\n", buf_text(&text));
    buf_release(&text);
}

/* ---- for programs ---- */

/* efficiency: NULL if unknown. */
static void add_session(struct answer *answer, const struct status *status,
                        const struct query_efficiency *efficiency)
{
    static const struct query_efficiency unknown = {
        .total_s = NAN, .longest_s = NAN, .bound.seconds = NAN, .busy = NAN, .above = NAN};
    const struct query_efficiency *e = efficiency ? efficiency : &unknown;
    const struct progress_session *s = &status->session;
    const struct result_table *row = &s->row;
    struct rows rows = {.n_cols = 0};
    char since[CLOCK_TEXT];

    rows_integer(&rows, "session", s->id);
    rows_text(&rows, "outcome", s->outcome);
    rows_text(&rows, "reason", status->reason);
    rows_text(&rows, "command", s->command);
    rows_text(&rows, "host", result_table_text(row, 0, "host"));
    rows_integer(&rows, "pid", result_table_integer(row, 0, "pid"));
    rows_integer(&rows, "ranks", result_table_integer(row, 0, "ranks"));
    if (answer_is_for_people(answer))
        rows_text(&rows, "started", clock_utc(since, result_table_real(row, 0, "started")));
    else
        rows_real(&rows, "started", result_table_real(row, 0, "started"));
    rows_real(&rows, "elapsed_s", s->elapsed_s);
    rows_integer(&rows, "trials", s->results);
    rows_real(&rows, "rate", s->rate);
    rows_integer(&rows, "pending", status->n_left);
    rows_real(&rows, "left_s", status->left_s);
    rows_real(&rows, "total_s", e->total_s);
    rows_real(&rows, "longest_s", e->longest_s);
    rows_real(&rows, "bound_s", e->bound.seconds);
    rows_real(&rows, "busy", e->busy);
    rows_real(&rows, "above", e->above);
    answer_table(answer, &sections[SESSION], rows_table(&rows));
    rows_release(&rows);
}

static void add_search(struct answer *answer, const struct search_progress *p)
{
    struct rows rows = {.n_cols = 0};
    struct buf stage = {0};

    search_progress_put_stage(&stage, p);
    rows_text(&rows, "stage", p->is_over ? "over" : buf_text(&stage));
    rows_integer(&rows, "configs", p->configs);
    rows_integer(&rows, "proposed", p->proposed);
    rows_integer(&rows, "stopped", p->stopped);
    rows_integer(&rows, "released", p->released);
    rows_integer(&rows, "ended", p->ended);
    rows_real(&rows, "epochs", p->epochs);
    rows_real(&rows, "all_epochs", p->all_epochs);
    rows_real(&rows, "left_core_s", p->is_over ? (double)NAN : p->left_core_s);
    answer_table(answer, &sections[SEARCH], rows_table(&rows));
    rows_release(&rows);
    answer->out.failed |= buf_failed(&stage);
    buf_release(&stage);
}

static void add_ranks(struct answer *answer, const struct progress_session *s)
{
    static const char *const names[] = {"rank", "host", "trials", "busy_s", "diverged", "failed"};
    struct rows rows;

    rows_init(&rows, names, sizeof names / sizeof *names);
    for (int32_t r = 0; r < s->n_ranks; r++) {
        const struct progress_rank *rank = &s->ranks[r];

        if (!*rank->host)
            continue;
        rows_integer(&rows, "rank", r);
        rows_text(&rows, "host", rank->host);
        rows_integer(&rows, "trials", rank->n);
        rows_real(&rows, "busy_s", rank->has_ended ? rank->busy_s : (double)NAN);
        rows_integer(&rows, "diverged", rank->diverged);
        rows_integer(&rows, "failed", rank->failed);
    }
    answer_table(answer, &sections[RANKS], rows_table(&rows));
    rows_release(&rows);
}

/* ---- together ---- */

static int put_session(struct answer *answer, struct store *store, const struct status *status,
                       struct err *err)
{
    struct query_efficiency *of;
    int64_t n;

    if (!status->session.id) {
        answer_table(answer, &sections[SESSION], &status->session.row);
        return 0;
    }
    if (query_efficiency(&of, &n, store, 0, err))
        return -1;
    if (answer_is_for_people(answer) && !answer->style.section)
        print_session(answer, status, n ? of : NULL);
    else
        add_session(answer, status, n ? of : NULL);
    free(of);
    return 0;
}

/* The last session, and what is left of the sweep that ran last. */
static int add_run(struct answer *answer, struct store *store, struct status *status, bool is_empty,
                   struct err *err)
{
    struct progress_session *s = &status->session;
    struct progress_counts counts = {0};
    struct query_sweep sweep;

    if (progress_read_session(s, store, err))
        return -1;
    if (!is_empty &&
        (query_sweep(&sweep, store, NULL, err) || progress_count(&counts, store, &sweep, err) ||
         search_progress_read(&status->search, store, &sweep, err) ||
         progress_left(&status->left_s, store, sweep.sweep_id, &counts, s, &status->search, err)))
        return -1;
    status->n_left = counts.pending + counts.running + counts.held;
    if (s->life == SESSION_LIFE_GONE || s->life == SESSION_LIFE_ELSEWHERE)
        status->reason = s->why;
    else if (!strcmp(s->outcome, STORE_INPUTS_CHANGED))
        status->reason = "a file of [program] inputs changed during the run";
    if (answer_wants(answer, &sections[SESSION]) && put_session(answer, store, status, err))
        return -1;
    if (status->search.is_there && answer_wants(answer, &sections[SEARCH]) &&
        (!answer_is_for_people(answer) || answer->style.section))
        add_search(answer, &status->search);
    if (answer_wants(answer, &sections[RANKS]))
        add_ranks(answer, s);
    return 0;
}

/* Beside other sections people see the first rows, and how many there are besides. */
static int add_list(struct answer *answer, struct store *store, const struct status_list *list,
                    struct err *err)
{
    const struct answer_section *section = &sections[list->section];
    bool is_whole = !answer_is_for_people(answer) || answer->style.section;
    struct result_table table;
    int64_t n_rows;

    if (!answer_wants(answer, section))
        return 0;
    if (query_table(&table, store, list->query, 0, err))
        return -1;
    n_rows = table.n_rows;
    if (!is_whole && n_rows > list->most)
        table.n_rows = list->most;
    if (is_whole || n_rows >= list->least)
        answer_table(answer, section, &table);
    if (table.n_rows < n_rows)
        answer_printf(answer, "... and %lld more: --section %s\n",
                      (long long)(n_rows - table.n_rows), section->name);
    table.n_rows = n_rows;
    result_table_release(&table);
    return 0;
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    bool is_whole = !answer_is_for_people(answer) || answer->style.section, fails = false;
    struct status status = {.left_s = (double)NAN};
    struct result_table table;
    int64_t n_sweeps;
    int rc = 0;

    (void)arg;
    if (progress_sweeps(&table, store, err))
        return -1;
    n_sweeps = table.n_rows;
    for (int64_t r = 0; r < n_sweeps; r++)
        fails |= result_table_integer(&table, r, "diverged") ||
                 result_table_integer(&table, r, "failed");
    if (n_sweeps || !answer_is_for_people(answer))
        answer_table(answer, &sections[SWEEPS], &table);
    else
        answer_printf(answer, "the database has no sweep yet\n");
    result_table_release(&table);
    if (answer_wants(answer, &sections[SESSION]) || answer_wants(answer, &sections[SEARCH]) ||
        answer_wants(answer, &sections[RANKS]))
        rc = add_run(answer, store, &status, !n_sweeps, err);
    progress_release_session(&status.session);
    search_progress_release(&status.search);
    /* Without a failure its query need not look at all trials. */
    for (size_t i = 0; !rc && i < sizeof lists / sizeof *lists; i++)
        if (fails || is_whole || lists[i].section != FAILURES)
            rc = add_list(answer, store, &lists[i], err);
    return rc || cli_note_incomplete(store, NULL, err) ? -1 : 0;
}

static int status(struct call *call)
{
    return output_database(call->common, OUTPUT_DOCUMENT, fill, NULL);
}

static const struct option_row options[] = {
    {OPTION_SECTION("sweeps|session|search|ranks|running|checkpoints|failures|lost|sessions")},
    {0},
};

const struct command command_status = {
    .name = "status",
    .group = GROUP_RUN,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Show a sweep's progress.",
    .about =
        "Shows counts, the last run and whether it is still alive, the time left, the trials "
        "under way, and why trials failed. A gang's trials and crashes count for its first rank, "
        "and its seconds for all of its ranks. The database is not changed.",
    .examples = {{"espalier status", "Show the progress of the sweeps in results.db."},
                 {"espalier status --section failures", "Show why trials failed."},
                 {"espalier watch big.db", "Keep an eye on a run."}},
    .see = "watch, run, best",
    .options = options,
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .run = status,
};
