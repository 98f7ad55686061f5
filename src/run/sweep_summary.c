/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/process.h"
#include "base/text_width.h"
#include "base/words.h"
#include "run/advice.h"
#include "store/query/progress.h"

static const char *name_of(const struct sweep_session *session)
{
    return session->job->sweep.fixed.v[P_SWEEP_NAME].s;
}

enum { SHARD_TEXT = 32 };

/* ", shard 2/4", or "" for the whole sweep. */
static const char *shard_text(char out[SHARD_TEXT], const struct shard *shard)
{
    *out = '\0';
    if (shard->n > 1)
        snprintf(out, SHARD_TEXT, ", shard %d/%d", shard->k, shard->n);
    return out;
}

/* ---- the beginning ---- */

void sweep_summary_begin(const struct sweep_session *session)
{
    const int32_t n_ranks = session->world->size;
    int64_t pending = session->before.pending;
    const struct plan *plan = &session->job->plan;
    int64_t *n_left = calloc((size_t)plan->n_configs, sizeof *n_left);
    struct errlist advice = {0};
    char shard[SHARD_TEXT];
    struct err err;

    shard_text(shard, &session->options->shard);
    if (!session->before.total)
        log_info("%s%s: none of the %lld trials falls into this shard: nothing to do",
                 name_of(session), shard, (long long)plan->n_trials);
    log_info("%s%s: %s%lld trial%s, %lld to run%s on %d rank%s", name_of(session), shard,
             session->search ? "at most " : "", (long long)session->before.total,
             plural(session->before.total), (long long)pending,
             session->search ? " before the next decision" : "", n_ranks, plural(n_ranks));
    for (int64_t t = 0; n_left && t < plan->n_trials; t++)
        n_left[plan_trial(plan, t).config] += ledger_state(session->ledger, t) == TRIAL_PENDING;
    if (n_left && advice_ranks(&advice, session->job, n_left, n_ranks, &err))
        log_warn("%s", err.text);
    free(n_left);
    if (pending) { /* MPI's buffers are there already */
        double needed = job_memory(session->job, 1).peak, limit = memory_limit_bytes();

        advise(&advice, RULE_MEMORY, needed / limit, "%.1f" AND "%.1f", needed * 1e-9,
               limit * 1e-9);
    }
    advice_print(&advice, NULL);
}

/* ---- the results ---- */

static void print_efficiency(const struct sweep_session *session)
{
    struct query_efficiency *efficiency;
    struct buf line = {0};
    struct err err;
    int64_t n;

    if (query_efficiency(&efficiency, &n, session->store, 0, &err)) {
        log_warn("%s", err.text);
        return;
    }
    if (n)
        progress_efficiency(&line, efficiency);
    if (line.size && !buf_failed(&line))
        log_info("%s", buf_text(&line));
    buf_release(&line);
    free(efficiency);
}

static int advise_killed(struct errlist *out, const struct sweep_session *session, struct err *err)
{
    struct result_table killed;
    int64_t trials, attempts;

    if (query_table(&killed, session->store, QUERY_KILLED, 0, err))
        return -1;
    if (killed.n_rows) {
        trials = result_table_integer(&killed, 0, "trials");
        attempts = result_table_integer(&killed, 0, "attempts");
        advise(out, RULE_KILLED, (double)trials, "%lld trial%s" AND "%lld" AND "%lld time%s",
               (long long)trials, plural(trials),
               (long long)result_table_integer(&killed, 0, "example"), (long long)attempts,
               plural(attempts));
    }
    result_table_release(&killed);
    return 0;
}

/* has_all: also about the scores. */
static void print_advice(const struct sweep_session *session, bool has_all)
{
    const struct program_files_missing *m = &session->missing;
    struct errlist advice = {0};
    struct buf word = {0};
    struct err err;

    escape_shell(&word, session->options->db);
    for (int32_t i = 0; i < m->names.n; i++) /* often a name in keep_files is wrong */
        advise(&advice, RULE_MISSING, (double)m->trials[i],
               "%lld trial%s" AND "%s" AND "%s" AND "%lld", (long long)m->trials[i],
               plural(m->trials[i]), m->names.text[i], buf_text(&word), (long long)m->example[i]);
    buf_release(&word);
    if ((sweep_is_program(&session->job->sweep) && advise_killed(&advice, session, &err)) ||
        (has_all && advice_scores(&advice, session->store, &session->progress.sweep, &err)))
        log_warn("%s", err.text);
    advice_print(&advice, NULL);
}

enum { NUMBER = 16, OFTEN = 3 };

/* Four digits, or six where four would print 0.99999 as 1. */
static const char *score_text(char out[NUMBER], double score)
{
    snprintf(out, NUMBER, "%.4g", score);
    if (strtod(out, NULL) == floor(strtod(out, NULL)) && score != floor(score))
        snprintf(out, NUMBER, "%.6g", score);
    return out;
}

/* Like `best`, ranks all configurations of the sweep. */
static void format_best(char *out, size_t size, const struct sweep_session *session)
{
    const struct query_sweep *sweep = &session->progress.sweep;
    struct result_table table;
    char score[NUMBER];
    struct err err;

    *out = '\0';
    if (query_table(&table, session->store, QUERY_BEST, sweep->sweep_id, &err)) {
        log_warn("%s", err.text);
        return;
    }
    if (table.n_rows)
        snprintf(out, size, "; best: c%lld, %s %s",
                 (long long)result_table_integer(&table, 0, "config"), sweep->objective,
                 score_text(score, result_table_real(&table, 0, "mean")));
    result_table_release(&table);
}

/* search: is there. */
static void print_search(const struct sweep_session *session, const struct search_progress *search,
                         const char *best, const char *time)
{
    struct ledger_counts now = sweep_session_counts(session);
    struct buf text = {0};

    search_progress_put(&text, search);
    if (!buf_failed(&text))
        log_info("%s: %s", name_of(session), buf_text(&text));
    buf_clear(&text);
    if (now.held + now.pending)
        buf_printf(&text, ", %lld left", (long long)(now.held + now.pending));
    log_info(
        "%s: %lld of at most %lld trials done in %s, %lld diverged, %lld failed, %lld stopped%s%s",
        name_of(session), (long long)now.done, (long long)now.total, time, (long long)now.diverged,
        (long long)now.failed, (long long)now.stopped, buf_text(&text), best);
    buf_release(&text);
}

void sweep_summary_results(const struct sweep_session *session, enum master_end end, double seconds)
{
    struct search_progress search;
    struct ledger_counts now = sweep_session_counts(session);
    int64_t left = sweep_session_models_left(session);
    int64_t ran = now.done + now.diverged + now.failed - session->before.done -
                  session->before.diverged - session->before.failed +
                  (session->only_models ? 0 : left);
    bool is_whole = session->options->shard.n == 1;
    char best[128] = "", shard[SHARD_TEXT], words[DURATION_TEXT];
    struct err err;

    /* part of a sweep has no best configuration yet */
    if (is_whole)
        format_best(best, sizeof best, session);
    duration_words(words, seconds);
    if (search_progress_read(&search, session->store, &session->progress.sweep, &err))
        log_warn("%s", err.text);
    if (search.is_there)
        print_search(session, &search, best, words);
    else
        log_info("%s%s: %lld of %lld trial%s run in %s, %lld done, %lld diverged, %lld failed%s",
                 name_of(session), shard_text(shard, &session->options->shard), (long long)ran,
                 (long long)now.total, plural(now.total), words, (long long)(now.done + left),
                 (long long)now.diverged, (long long)now.failed, best);
    search_progress_release(&search);
    if (!session->n_losses)
        print_efficiency(session);
    /* a run that ran nothing would only repeat the last run's advice */
    print_advice(session, is_whole && end == MASTER_FINISHED && ran);
}

/* ---- how to go on ---- */

enum { REASONS_SHOWN = 3, REASON_COLUMNS = 200 };

/* Print why trials of the sweep failed, also in earlier runs: as an error if no other result came of
 * it. */
static void print_reasons(const struct sweep_session *session)
{
    struct ledger_counts now = sweep_session_counts(session);
    bool is_all = !now.done && !now.diverged;
    enum log_level level = is_all ? LOG_QUIET : LOG_WARN;
    enum terminal_style style = is_all ? TERMINAL_ERROR : TERMINAL_WARNING;
    struct result_table failures = {0};
    int64_t n_others = 0, n_shown = 0;
    struct err err;

    if (query_table(&failures, session->store, QUERY_REASONS, session->progress.sweep.sweep_id,
                    &err))
        log_warn("%s", err.text);
    for (int64_t r = 0; r < failures.n_rows; r++) {
        const char *reason = result_table_text(&failures, r, "reason");
        long long n = (long long)result_table_integer(&failures, r, "trials");
        long long trial = (long long)result_table_integer(&failures, r, "example");
        size_t size = text_prefix(reason, REASON_COLUMNS);
        const char *end = reason[size] ? "..." : "";

        if (strcmp(result_table_text(&failures, r, "state"), "failed") != 0)
            continue;
        if (n_shown++ >= REASONS_SHOWN)
            n_others += n;
        else if (n == 1)
            log_print(level, style, "t%lld failed: %.*s%s", trial, (int)size, reason, end);
        else
            log_print(level, style, "%lld trials failed, such as t%lld: %.*s%s", n, trial,
                      (int)size, reason, end);
    }
    if (n_others)
        log_print(level, style, "%lld more trial%s failed for other reasons", (long long)n_others,
                  plural(n_others));
    result_table_release(&failures);
}

/* Failed trials stay failed when the command is repeated. */
static void print_failures(const struct sweep_session *session)
{
    const struct failures *f = &session->failures;
    long long trial = (long long)session->known.ids[f->trial];
    struct buf word = {0};

    if (f->verdict == FAILURES_TOO_MANY)
        log_warn("stopped: %lld trial%s failed (--max-fails), the last with: %s", (long long)f->n,
                 f->n == 1 ? "" : "s", f->reason);
    else
        log_warn(
            "stopped: trials of %d configuration%s failed in a row for the same reason, and none "
            "succeeded (--max-fails 0 goes on): %s",
            f->n_configs, f->n_configs == 1 ? "" : "s", f->reason);
    log_info("next: espalier show %s t%lld%s, fix the cause, then the same command with --retry "
             "failed",
             escape_shell(&word, session->options->db), trial,
             sweep_is_program(&session->job->sweep) ? " --log" : "");
    buf_release(&word);
}

static int64_t count_begun(const struct sweep_session *session)
{
    int64_t n = 0;

    if (sweep_is_program(&session->job->sweep))
        return sweep_session_count_saved(session, 0);
    for (int64_t t = 0; t < ledger_counts(session->ledger).total; t++)
        n += session->known.left[t] < 1 && ledger_state(session->ledger, t) <= TRIAL_RUNNING;
    return n;
}

void sweep_summary_next(const struct sweep_session *session, enum master_end end)
{
    struct ledger_counts now = sweep_session_counts(session);
    long long left = (long long)(now.pending + now.leased + now.held);
    long long models = (long long)sweep_session_models_left(session);
    const char *are = left == 1 ? " is" : "s are", *most = now.held ? "at most " : "", *db = session->options->db;
    struct buf word = {0};

    if (end == MASTER_TIME_UP) {
        struct sweep_tries tries = sweep_session_tries(session);

        walltime_tell(&session->walltime, session->dispatch, count_begun(session),
                      sweep_session_is_in_vain(session));
        if (sweep_is_program(&session->job->sweep) && tries.most >= OFTEN)
            log_warn("t%lld saves no checkpoint, and %d runs have ended before it: raise the time "
                     "limit, or set a trial_timeout that is shorter than a run, and it fails",
                     (long long)tries.example, tries.most);
    } else if (end == MASTER_TOO_FEW) {
        int32_t needed = dispatch_lacks(session->dispatch);

        log_warn(
            "stopped early; %lld trial%s left, but a trial needs %d ranks, and this launch has "
            "only %d now: the same command continues, with at least %d ranks",
            left, are, needed, session->world->size - session->n_away, needed);
    } else if (end == MASTER_UNABLE) {
        log_warn("stopped early; %lld trial%s left, and no rank that can run %s: the same command "
                 "continues",
                 left, are, left == 1 ? "it" : "them");
    } else if (end == MASTER_STOPPED && session->failures.verdict != FAILURES_GO_ON) {
        print_failures(session);
    } else if (end == MASTER_STOPPED && session->is_full) {
        log_warn("stopped early; %lld trial%s left: make room on the disk of %s (df, quota), then "
                 "the same command continues",
                 left, are, db);
    } else if (end == MASTER_STOPPED && models) {
        log_info("stopped early; the models of %lld trial%s are still missing: the same command "
                 "continues",
                 models, plural(models));
    } else if (end == MASTER_STOPPED) {
        log_info("stopped early; %s%lld trial%s left, %lld with a checkpoint: the same command "
                 "continues",
                 most, left, are, (long long)count_begun(session));
    } else if (now.failed) {
        print_reasons(session);
        log_info("next: espalier status %s shows why trials failed; run --retry failed runs them "
                 "again",
                 escape_shell(&word, db));
    } else if (session->options->shard.n > 1) {
        log_info("next, when all shards have finished: espalier merge %s", session->options->merge);
    } else {
        log_info("next: espalier best %s", escape_shell(&word, db));
    }
    buf_release(&word);
}

/* ---- after a fault of the database ---- */

static void warn_missing(const char *db, const struct job *job, const struct store_trials *known,
                         bool has_changed)
{
    int64_t total = 0, n = 0;

    for (int64_t t = 0; t < job->plan.n_trials; t++) {
        total += known->ours[t];
        n += known->ours[t] && known->states[t] != TRIAL_DONE &&
             known->states[t] != TRIAL_DIVERGED && known->states[t] != TRIAL_FAILED &&
             known->states[t] != TRIAL_STOPPED;
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

void sweep_summary_broken(const char *db, const struct job *job, const struct shard *shard,
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
