/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/watch_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/real.h"
#include "store/query/query.h"
#include "store/session_check.h"

/* Commits follow within half a second, so such a rank has not been idle for long. */
#define SHORT_S 2.0

/* The leaderboard takes at most a thirtieth of a processor. */
#define TOP_SHARE 30.0

static double not_negative(double seconds)
{
    return seconds > 0 ? seconds : 0;
}

static int read_counts(struct watch_facts *facts, struct store *store, struct err *err)
{
    struct result_table table;
    int64_t n_configs;

    if (query_table(&table, store, QUERY_SWEEPS, 0, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++) {
        if (strcmp(result_table_text(&table, r, "sweep"), facts->sweep) != 0)
            continue;
        facts->trials = result_table_integer(&table, r, "trials");
        facts->done = result_table_integer(&table, r, "done");
        facts->diverged = result_table_integer(&table, r, "diverged");
        facts->failed = result_table_integer(&table, r, "failed");
        facts->running = result_table_integer(&table, r, "running");
        facts->pending = result_table_integer(&table, r, "pending");
        n_configs = result_table_integer(&table, r, "configs");
        if (n_configs > 0 && facts->trials % n_configs == 0)
            facts->config_trials = facts->trials / n_configs;
    }
    result_table_release(&table);
    return 0;
}

/* The rest of the grid may be in the databases of other shards. */
static int read_missing(struct watch_facts *facts, struct store *store, int64_t sweep_id,
                        struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, QUERY_SWEEP_RECORD, sweep_id, err))
        return -1;
    if (table.n_rows && result_table_integer(&table, 0, "planned") > facts->trials)
        facts->missing = result_table_integer(&table, 0, "planned") - facts->trials;
    result_table_release(&table);
    return 0;
}

/* ---- the session ---- */

/* Return 1: there is one; 0: none. -1 and err. */
static int read_session(struct watch_facts *facts, struct store *store, struct err *err)
{
    struct result_table table;
    enum session_life life;
    const char *why;
    int has_row;

    if (query_table(&table, store, QUERY_LAST_SESSION, 0, err))
        return -1;
    has_row = table.n_rows > 0;
    if (has_row) {
        const char *outcome = result_table_text(&table, 0, "outcome");
        int64_t ranks = result_table_integer(&table, 0, "ranks");

        facts->session = result_table_integer(&table, 0, "session");
        life = session_check_life(&why, store, facts->session);
        facts->is_running = life == SESSION_LIFE_RUNNING && !strcmp(outcome, "running");
        facts->is_elsewhere = life == SESSION_LIFE_ELSEWHERE;
        snprintf(facts->outcome, sizeof facts->outcome, "%s", session_check_outcome(life, outcome));
        snprintf(facts->why, sizeof facts->why, "%s", life == SESSION_LIFE_RUNNING ? "" : why);
        snprintf(facts->job, sizeof facts->job, "%s", result_table_text(&table, 0, "job"));
        snprintf(facts->command, sizeof facts->command, "%s",
                 result_table_text(&table, 0, "command"));
        facts->seconds = result_table_real(&table, 0, "seconds");
        facts->n_ranks = (int32_t)(ranks < WATCH_MOST_RANKS ? ranks : WATCH_MOST_RANKS);
    }
    result_table_release(&table);
    return has_row;
}

static int read_throughput(struct watch_facts *facts, struct store *store, struct err *err)
{
    if (query_throughput(facts->bins, WATCH_BINS, store, facts->session, facts->seconds, err))
        return -1;
    for (int b = 0; b < WATCH_BINS; b++)
        facts->ran += facts->bins[b];
    return 0;
}

/* In a copy nobody knows of a 'lost' attempt how it went on. */
static enum watch_work work_of(const struct watch_facts *facts, const char *outcome, double seconds)
{
    if (!strcmp(outcome, "running"))
        return WATCH_RUNS;
    if (!strcmp(outcome, "crashed") || (!strcmp(outcome, "lost") && !facts->is_elsewhere))
        return WATCH_LOST;
    return seconds < SHORT_S ? WATCH_SHORT : WATCH_IDLE;
}

static int read_ranks(struct watch_facts *facts, struct store *store, struct err *err)
{
    struct result_table table;

    facts->ranks = calloc((size_t)facts->n_ranks + 1, sizeof *facts->ranks);
    if (!facts->ranks)
        return err_nomem(err, "ranks", (size_t)facts->n_ranks * sizeof *facts->ranks);
    if (query_table(&table, store, QUERY_RANKS, facts->session, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++) {
        int64_t number = result_table_integer(&table, r, "rank");
        struct watch_rank *rank = facts->ranks;

        if (number >= facts->n_ranks)
            continue;
        rank += number;
        rank->trial = result_table_integer(&table, r, "trial");
        rank->config = result_table_integer(&table, r, "config");
        rank->seconds = not_negative(result_table_real(&table, r, "seconds"));
        rank->work = work_of(facts, result_table_text(&table, r, "outcome"), rank->seconds);
        snprintf(rank->host, sizeof rank->host, "%s", result_table_text(&table, r, "host"));
    }
    result_table_release(&table);
    return 0;
}

/* Trials that cost the same take the same time. Without costs all count the same. QUERY_LEFT, which
 * `status` shows, counts the time in the same way: until the last result. */
static int read_left(struct watch_facts *facts, struct store *store, int64_t sweep_id,
                     struct err *err)
{
    double share = (double)(facts->pending + facts->running) / (double)facts->ran;
    struct result_table table;
    double flops;

    if (query_table(&table, store, QUERY_WORK, sweep_id, err))
        return -1;
    if (table.n_rows) {
        flops =
            result_table_real(&table, 0, "left_flops") / result_table_real(&table, 0, "done_flops");
        facts->left_s =
            result_table_real(&table, 0, "elapsed_s") * (isfinite(flops) ? flops : share);
    }
    result_table_release(&table);
    return 0;
}

static int read_run(struct watch_facts *facts, struct store *store, int64_t sweep_id,
                    struct err *err)
{
    int has_session = read_session(facts, store, err);

    if (has_session <= 0)
        return has_session;
    if (read_throughput(facts, store, err) || read_ranks(facts, store, err))
        return -1;
    return facts->is_running && facts->ran ? read_left(facts, store, sweep_id, err) : 0;
}

/* ---- results ---- */

static void put_cell(char *out, size_t size, const struct cell *cell)
{
    if (cell->type == CELL_INTEGER)
        snprintf(out, size, "%lld", (long long)cell->i);
    else if (cell->type == CELL_REAL)
        snprintf(out, size, "%.6g", cell->f);
    else
        snprintf(out, size, "%s", cell->type == CELL_TEXT ? cell->s : "-");
}

static bool is_same_cell(const struct cell *a, const struct cell *b)
{
    return a->type == b->type && a->i == b->i && real_is_same(a->f, b->f) &&
           (a->type != CELL_TEXT || !strcmp(a->s, b->s));
}

/* True if scored rows, which come first, have different values of an axis. */
static bool varies(const struct result_table *table, int32_t c)
{
    for (int64_t r = 1; r < table->n_rows && !isnan(result_table_real(table, r, "mean")); r++)
        if (!is_same_cell(&table->cells[c], &table->cells[r * table->n_cols + c]))
            return true;
    return false;
}

static int32_t find_column(const struct result_table *table, const char *name)
{
    int32_t c = 0;

    while (c < table->n_cols && strcmp(table->names[c], name) != 0)
        c++;
    return c;
}

/* The axes stand between `config` and `trials`. */
static void read_axes(struct watch_facts *facts, const struct result_table *table)
{
    int32_t from = find_column(table, "config") + 1, to = find_column(table, "trials");

    for (int32_t c = from; c < to && facts->n_axes < WATCH_AXES; c++) {
        struct watch_axis *axis = &facts->axes[facts->n_axes];

        if (facts->n_top > 1 && !varies(table, c))
            continue;
        snprintf(axis->name, sizeof axis->name, "%s", table->names[c]);
        for (int32_t r = 0; r < facts->n_top; r++)
            put_cell(axis->values[r], sizeof axis->values[r], &table->cells[r * table->n_cols + c]);
        facts->n_axes++;
    }
}

static int read_top(struct watch_facts *facts, struct store *store, const struct query_sweep *sweep,
                    struct err *err)
{
    const struct query_filter filter = {.limit = WATCH_TOP, .is_brief = true};
    struct result_table table;

    if (query_leaderboard(&table, NULL, store, sweep, &filter, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows && facts->n_top < WATCH_TOP; r++) {
        struct watch_config *config = &facts->top[facts->n_top];

        config->config = result_table_integer(&table, r, "config");
        config->trials = result_table_integer(&table, r, "trials");
        config->mean = result_table_real(&table, r, "mean");
        config->diff = result_table_real(&table, r, "diff");
        config->low = result_table_real(&table, r, "diff_low");
        config->high = result_table_real(&table, r, "diff_high");
        facts->n_top += !isnan(config->mean);
    }
    read_axes(facts, &table);
    result_table_release(&table);
    return 0;
}

/* Nothing has changed, or the last time took long and the sweep goes on. */
static bool is_top_recent(const struct watch_facts *facts, const struct watch_facts *before,
                          double now_s)
{
    return before && !strcmp(before->sweep, facts->sweep) &&
           (before->top_done == facts->done ||
            (facts->is_running && now_s < before->top_s + TOP_SHARE * before->top_cost_s));
}

static int find_top(struct watch_facts *facts, struct store *store, const struct query_sweep *sweep,
                    const struct watch_facts *before, struct err *err)
{
    double now_s = clock_now(&clock_system);

    if (is_top_recent(facts, before, now_s)) {
        memcpy(facts->top, before->top, sizeof facts->top);
        facts->n_top = before->n_top;
        memcpy(facts->axes, before->axes, sizeof facts->axes);
        facts->n_axes = before->n_axes;
        facts->top_done = before->top_done;
        facts->top_s = before->top_s;
        facts->top_cost_s = before->top_cost_s;
        return 0;
    }
    facts->top_cost_s = -clock_now(&clock_thread);
    if (read_top(facts, store, sweep, err))
        return -1;
    facts->top_cost_s += clock_now(&clock_thread);
    facts->top_done = facts->done;
    facts->top_s = now_s;
    return 0;
}

static int read_reasons(struct watch_facts *facts, struct store *store, int64_t sweep_id,
                        struct err *err)
{
    struct result_table table;

    if (!facts->failed && !facts->diverged)
        return 0;
    if (query_table(&table, store, QUERY_REASONS, sweep_id, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows && facts->n_reasons < WATCH_REASONS; r++) {
        struct watch_reason *reason = &facts->reasons[facts->n_reasons];

        reason->trials = result_table_integer(&table, r, "trials");
        snprintf(reason->state, sizeof reason->state, "%s", result_table_text(&table, r, "state"));
        snprintf(reason->reason, sizeof reason->reason, "%s",
                 result_table_text(&table, r, "reason"));
        facts->n_reasons++;
    }
    result_table_release(&table);
    return 0;
}

static int read_all(struct watch_facts *facts, struct store *store, const char *name,
                    const struct watch_facts *before, struct err *err)
{
    struct query_sweep sweep, last;

    if (query_sweep(&last, store, NULL, err) || query_sweep(&sweep, store, name, err))
        return -1;
    snprintf(facts->sweep, sizeof facts->sweep, "%s", sweep.name);
    snprintf(facts->objective, sizeof facts->objective, "%s", sweep.objective);
    facts->is_earlier = sweep.sweep_id != last.sweep_id;
    if (read_counts(facts, store, err) || read_missing(facts, store, sweep.sweep_id, err) ||
        (!facts->is_earlier && read_run(facts, store, sweep.sweep_id, err)))
        return -1;
    return find_top(facts, store, &sweep, before, err) ||
                   read_reasons(facts, store, sweep.sweep_id, err)
               ? -1
               : 0;
}

int watch_facts_read(struct watch_facts *facts, struct store *store, const char *name,
                     const struct watch_facts *before, struct err *err)
{
    int rc;

    *facts = (struct watch_facts){.left_s = (double)NAN, .limit_s = (double)NAN};
    if (store_begin_look(store, err))
        return -1;
    rc = read_all(facts, store, name, before, err);
    store_end_look(store);
    return rc;
}

void watch_facts_release(struct watch_facts *facts)
{
    free(facts->ranks);
    facts->ranks = NULL;
    facts->n_ranks = 0;
}
