/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cmd_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/real.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "grid/free_value.h"
#include "grid/param.h"
#include "launch/job_array.h"
#include "launch/preflight.h"
#include "program/gpu_amount.h"
#include "report/answer.h"
#include "report/rows.h"
#include "run/advice.h"
#include "run/calibrate.h"
#include "run/job_prepare.h"
#include "run/program_lines.h"
#include "run/refit.h"
#include "run/sweep_match.h"
#include "run/sweep_run.h"
#include "sched/makespan.h"
#include "search/search.h"
#include "store/database_file.h"
#include "store/query/search_progress.h"
#include "trial/kept.h"

/* A larger configuration is not tried, because `plan` may run on a login node. */
#define MOST_TRIED_BYTES 1e9

/* rows shown of a longer plan */
enum { FIRST_SHOWN = 10, LAST_SHOWN = 10 };

/* trial, config, the axes, replicate, fold, state, gflop (not of programs), seconds, measured */
enum { LEFT_COLUMNS = 2, RIGHT_COLUMNS = 6 };

/* Trials and configurations have their numbers in the database, or those that they will get
 * there. */
struct listing {
    struct job *job;
    const struct plan_options *options;
    const char *db, *name; /* of the sweep */
    const struct shard *shard;
    struct store *store; /* NULL: no database, or its sweep is another one */
    struct store_trials known;
    int64_t last_id; /* of the trials in the file, also of other sweeps */
    struct cost *cost;
    int32_t *widths;                 /* [n_configs] ranks of a trial; NULL: one */
    int64_t *left;                   /* [n_configs] unfinished trials of the shard */
    int64_t n_rows;                  /* trials of the shard */
    int64_t n_listed;                /* of those, whose values are known before the search runs */
    int64_t n_known;                 /* finished trials of the database */
    int64_t n_measured;              /* of those, or configurations tried here */
    int64_t n_left;                  /* unfinished trials of the shard; for them: */
    double flops_left, seconds_left; /* seconds_left: of all ranks. NaN: unknown */
    double bound_s;                  /* of the makespan; NaN likewise */
    double expected;                 /* with a search: the share of this that it may take */
    int64_t n_unproposed;            /* configurations, by a search */
    struct buf texts;                /* of a row */
    bool is_cut;                     /* only the first and last trials are shown */
};

/* Without a database, or if its sweep of this name is another one, all trials are new. */
static int open_known(struct listing *l, struct err *err)
{
    struct job *job = l->job;
    bool is_same;

    if (access(l->db, F_OK) != 0)
        return database_file_check_folder(l->db, err);
    if (store_open_reader(&l->store, l->db, err) || store_last_trial(&l->last_id, l->store, err) ||
        sweep_match_warn(&is_same, l->store, l->db, job, err))
        return -1;
    if (is_same)
        return store_find(l->store, &job->plan, &job->data, &l->known, err);
    store_close(l->store);
    l->store = NULL;
    return 0;
}

/* To run, and of the shard. */
static bool is_open(const struct listing *l, int64_t trial)
{
    return sweep_run_would_start(l->job, &l->known, trial, l->options->retry_failed);
}

/* Seconds of a trial on its ranks. */
static double expected_s(const struct listing *l, int32_t config)
{
    return cost_is_known(l->cost) ? cost_seconds(l->cost, config) : (double)NAN;
}

/* Only its run shows the work of a program. */
static double flops(const struct listing *l, int32_t config)
{
    return l->job->work ? l->job->work[config].flops : (double)NAN;
}

static int add_costs(struct listing *l, struct err *err)
{
    size_t n_configs = (size_t)l->job->plan.n_configs, n = 0;
    struct makespan_work *work = calloc(n_configs, sizeof *work);

    if (!work)
        return err_nomem(err, "times", n_configs * sizeof *work);
    for (int32_t config = 0; config < l->job->plan.n_configs; config++) {
        double n_left = (double)l->left[config], seconds = expected_s(l, config);

        if (!l->left[config])
            continue;
        work[n] = (struct makespan_work){.width = l->widths ? l->widths[config] : 1,
                                         .all_s = seconds * n_left,
                                         .longest_s = seconds};
        l->n_left += l->left[config];
        l->flops_left += flops(l, config) * n_left;
        l->seconds_left += work[n].all_s * (double)work[n].width;
        n++;
    }
    l->bound_s =
        isnan(l->seconds_left) ? (double)NAN : makespan_bound(work, n, l->options->ranks).seconds;
    free(work);
    return 0;
}

/* Estimate the rest of the search. Only the file has the configurations that were proposed in a run. */
static int expect_search(struct listing *l, struct err *err)
{
    const struct plan *plan = &l->job->plan;
    struct search_progress now = {.spent = (double)l->n_known};
    struct query_sweep sweep;

    l->expected = 1;
    if (!search_is_wanted(&plan->fixed))
        return 0;
    if (l->store && (query_sweep(&sweep, l->store, l->name, err) ||
                     search_progress_read(&now, l->store, &sweep, err)))
        return -1;
    if (now.is_there && now.configs == plan->n_configs && l->n_listed < l->n_rows)
        l->n_left = now.waiting + (now.is_over ? 0 : (now.configs - now.proposed) * now.each);
    l->n_unproposed = plan->n_configs - (now.proposed > plan->rows.n ? now.proposed : plan->rows.n);
    if (l->n_left)
        l->expected = fmin(fmax(search_cost(plan).expected - now.spent, 0) / (double)l->n_left, 1);
    search_progress_release(&now);
    return 0;
}

static int open_listing(struct listing *l, struct err *err)
{
    struct job *job = l->job;
    size_t n_configs = (size_t)job->plan.n_configs;

    l->left = calloc(n_configs, sizeof *l->left);
    if (!l->left)
        return err_nomem(err, "trials", n_configs * sizeof *l->left);
    l->cost = cost_create(job->rank_work, job->plan.n_configs, 0, err);
    if (!l->cost || store_trials_init(&l->known, job->plan.n_trials, err) ||
        shard_mark(l->known.ours, l->shard, &job->plan, &job->data, err) || open_known(l, err))
        return -1;
    for (int64_t t = 0; t < job->plan.n_trials; t++) {
        l->n_rows += l->known.ours[t];
        l->n_known += l->known.states[t] == TRIAL_DONE;
        l->left[plan_trial(&job->plan, t).config] += is_open(l, t);
    }
    l->n_measured = calibrate_cost(l->cost, job, &l->known, 1, MOST_TRIED_BYTES, err);
    if (l->n_measured < 0 || job_widths(&l->widths, job, err) || add_costs(l, err))
        return -1;
    l->n_listed = (int64_t)job->plan.rows.n * job->plan.replicates * job->plan.folds;
    if (l->n_rows < l->n_listed)
        l->n_listed = l->n_rows;
    return expect_search(l, err);
}

/* ---- the trials ---- */

static struct cell id_cell(int64_t id)
{
    return (struct cell){.type = id ? CELL_INTEGER : CELL_NULL, .i = id};
}

/* Empty if the file has other sweeps, and this configuration has no number yet. */
static struct cell config_cell(const struct listing *l, int32_t config)
{
    return id_cell(l->store ? l->known.config_ids[config] : l->last_id ? 0 : config + 1);
}

static struct cell real_cell(double value)
{
    return (struct cell){.type = isfinite(value) ? CELL_REAL : CELL_NULL, .f = value};
}

/* Empty if the model type has no such setting. .i of a text is its place in `texts`. */
static struct cell axis_cell(const struct axis *axis, const struct settings *s, struct buf *texts)
{
    const struct param *p = axis->row;
    union value value = s->v[axis->id];
    struct cell cell = {.type = CELL_TEXT, .i = (int64_t)texts->size};

    if (!settings_has(s, axis->id))
        return (struct cell){.type = CELL_NULL};
    if (p->type == PARAM_REAL)
        return (struct cell){.type = CELL_REAL, .f = value.f};
    if (p->type == PARAM_INT || (p->type == PARAM_COUNT && value.i))
        return (struct cell){.type = CELL_INTEGER, .i = value.i};
    if (p->type == PARAM_VALUE && free_value_is_number(value.s) && !real_parse(&value.f, value.s))
        return (struct cell){.type = CELL_REAL, .f = value.f};
    param_format(texts, axis->id, value);
    buf_putc(texts, '\0');
    return cell;
}

/* `seconds` of a finished trial is its prediction. */
static void fill_row(struct cell *row, struct listing *l, int64_t trial)
{
    const struct sweep *sweep = &l->job->sweep;
    struct plan_trial where = plan_trial(&l->job->plan, trial);
    enum trial_state state = (enum trial_state)l->known.states[trial];
    struct cell *axes = row + LEFT_COLUMNS, *right = axes + sweep->n_axes;
    bool is_left = is_open(l, trial);
    struct settings settings;

    plan_settings(&l->job->plan, where.config, &settings);
    buf_clear(&l->texts);
    row[0] = id_cell(l->store ? l->known.ids[trial] : l->last_id ? 0 : trial + 1);
    row[1] = config_cell(l, where.config);
    for (size_t a = 0; a < sweep->n_axes; a++)
        axes[a] = axis_cell(&sweep->axes[a], &settings, &l->texts);
    for (size_t a = 0; a < sweep->n_axes; a++) /* the buffer no longer moves */
        if (axes[a].type == CELL_TEXT)
            axes[a].s = buf_text(&l->texts) + (buf_failed(&l->texts) ? 0 : axes[a].i);
    *right++ = (struct cell){.type = CELL_INTEGER, .i = where.replicate};
    *right++ = (struct cell){.type = CELL_INTEGER, .i = where.fold};
    *right++ = (struct cell){.type = CELL_TEXT, .s = trial_state_name(state)};
    if (l->job->work)
        *right++ = real_cell(flops(l, where.config) * 1e-9);
    *right++ = real_cell(is_left ? expected_s(l, where.config) : l->known.predicted[trial]);
    *right = real_cell(is_left ? (double)NAN : l->known.seconds[trial]);
}

static const struct answer_section trials_section = {
    "trials", NULL, false, "trial config", "gflop measured replicate fold = seconds * state"};
static const struct answer_section cost_section = {"cost", "cost", true, NULL, NULL};

/* Programs get all trials. */
static void add_trials(struct answer *answer, struct listing *l)
{
    static const char *const right[] = {"replicate", "fold",    "state",
                                        "gflop",     "seconds", "measured"};
    const struct job *job = l->job;
    const char *names[P_MAX + LEFT_COLUMNS + RIGHT_COLUMNS] = {"trial", "config"};
    struct cell row[P_MAX + LEFT_COLUMNS + RIGHT_COLUMNS];
    int32_t n = LEFT_COLUMNS;
    struct report *report;
    int64_t at = 0;

    l->is_cut = answer_is_for_people(answer) && !l->options->is_whole &&
                l->n_listed > FIRST_SHOWN + LAST_SHOWN;
    for (size_t a = 0; a < job->sweep.n_axes; a++)
        names[n++] = job->sweep.axes[a].row->key;
    for (int i = 0; i < RIGHT_COLUMNS; i++)
        if (job->work || strcmp(right[i], "gflop") != 0)
            names[n++] = right[i];
    report = answer_open(answer, &trials_section, (char *const *)(uintptr_t)names, n);
    for (int64_t t = 0; report && t < job->plan.n_trials && at < l->n_listed; t++) {
        if (!l->known.ours[t])
            continue;
        at++;
        if (l->is_cut && at > FIRST_SHOWN && at <= l->n_listed - LAST_SHOWN)
            continue;
        fill_row(row, l, t);
        report_row(report, row);
        if (l->is_cut && at == FIRST_SHOWN)
            report_gap(report);
    }
    if (report)
        answer_close(answer);
    answer->out.failed |= buf_failed(&l->texts);
}

/* ---- the cost ---- */

static void add_cost(struct answer *answer, const struct listing *l)
{
    const struct job *job = l->job;
    struct rows cost = {.n_cols = 0};
    struct job_memory memory = job_memory(job, (int32_t)l->options->ranks);

    rows_text(&cost, "sweep", l->name);
    rows_integer(&cost, "configs", job->plan.n_configs);
    rows_integer(&cost, "trials", l->n_rows);
    rows_integer(&cost, "to_run", l->n_left);
    rows_real(&cost, "gflop", l->flops_left * 1e-9);
    rows_real(&cost, "rank_seconds", l->seconds_left);
    rows_integer(&cost, "ranks", l->options->ranks);
    rows_real(&cost, "seconds", l->bound_s);
    if (search_is_wanted(&job->plan.fixed)) {
        rows_real(&cost, "expected_rank_seconds", l->seconds_left * l->expected);
        rows_real(&cost, "expected_seconds", l->bound_s * l->expected);
    }
    rows_text(&cost, "speed_from",
              !cost_is_known(l->cost) ? NULL
              : !l->n_measured        ? "assumption"
              : l->n_known            ? "finished trials"
                                      : "configurations tried here");
    rows_real(&cost, "memory_bytes", memory.peak);
    rows_real(&cost, "host_bytes", memory.host);
    rows_real(&cost, "program_bytes", memory.program);
    rows_real(&cost, "data_bytes", (double)job->data.block_bytes);
    rows_real(&cost, "inputs_bytes", job->inputs_bytes);
    rows_real(&cost, "trial_bytes", job->bytes ? job->trial_bytes : (double)NAN);
    rows_real(&cost, "prepare_bytes", memory.prepare);
    rows_real(&cost, "store_bytes", job->bytes ? job->store_bytes : (double)NAN);
    answer_table(answer, &cost_section, rows_table(&cost));
    rows_release(&cost);
}

static int ascending(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

/* Errors of the predictions for finished trials: larger / smaller - 1. */
static void print_accuracy(const struct listing *l)
{
    double *off = malloc((size_t)l->job->plan.n_trials * sizeof *off);
    char expected[DURATION_TEXT], took[DURATION_TEXT];
    double expected_s = 0, took_s = 0;
    int64_t n = 0;

    for (int64_t t = 0; off && t < l->job->plan.n_trials; t++) {
        double ratio = l->known.predicted[t] / l->known.seconds[t];

        if (l->known.states[t] != TRIAL_DONE || !(ratio > 0) || !isfinite(ratio))
            continue;
        off[n++] = fmax(ratio, 1 / ratio) - 1;
        expected_s += l->known.predicted[t];
        took_s += l->known.seconds[t];
    }
    if (n) {
        qsort(off, (size_t)n, sizeof *off, ascending);
        log_info(
            "%s: %lld finished trial%s expected to take %s and took %s; the predicted "
            "time of a trial was off by a median of %.*f %% (in 90 %% of them by %.0f %% or less)",
            l->name, (long long)n, n == 1 ? " was" : "s were", duration_words(expected, expected_s),
            duration_words(took, took_s), off[n / 2] < 0.1, 100 * off[n / 2],
            100 * off[n * 9 / 10]);
    }
    free(off);
}

/* Less is not worth a line. */
#define LEAST_STORE_BYTES 4e6

/* Rank 0 reads the data, which the ranks of a host then share, and writes the database. */
static void print_memory(const struct listing *l)
{
    const struct job *job = l->job;
    struct job_memory memory = job_memory(job, (int32_t)l->options->ranks);
    char all[BYTES_TEXT], program[BYTES_TEXT], data[BYTES_TEXT], inputs[BYTES_TEXT],
        trial[BYTES_TEXT];

    if (!job->bytes)
        return;
    log_info("%s: memory for one rank: about %s (%s of the program, %s of data and %s derived from "
             "them, once for all ranks of a host, and up to %s for a trial)",
             l->name, bytes_words(all, memory.rank), bytes_words(program, memory.program),
             bytes_words(data, (double)job->data.block_bytes),
             bytes_words(inputs, job->inputs_bytes), bytes_words(trial, job->trial_bytes));
    if (l->options->ranks > 1)
        log_info("%s: memory for %ld ranks on one host: about %s", l->name, l->options->ranks,
                 bytes_words(all, memory.host));
    if (memory.prepare > memory.rank)
        log_info("%s: memory for rank 0: about %s before trials begin", l->name,
                 bytes_words(all, memory.prepare));
    if (job->store_bytes > LEAST_STORE_BYTES)
        log_info("%s: memory for rank 0: about %s more, for models on their way to the database",
                 l->name, bytes_words(all, job->store_bytes));
}

static void print_gpus(const struct listing *l)
{
    struct gpu_wish wish = preflight_gpus(&l->job->sweep);
    int32_t devices, ranks, room;
    struct buf text = {0};
    struct err err;

    if (wish.gpus <= 0 || gpu_amount(&devices, &ranks, wish.gpus, &err))
        return;
    room = wish.per_host / devices * ranks;
    if (ranks > 1)
        buf_printf(&text, "%d ranks share a GPU", ranks);
    else
        buf_printf(&text, "each rank gets %d GPU%s", devices, plural(devices));
    if (wish.per_host)
        buf_printf(&text, "; a host with %d GPU%s has room for %d rank%s", wish.per_host,
                   plural(wish.per_host), room, plural(room));
    log_info("%s: %s", l->name, buf_text(&text));
    buf_release(&text);
}

static void put_expected(struct buf *out, const struct listing *l)
{
    const struct plan *plan = &l->job->plan;
    bool may_end_early = false;
    char words[DURATION_TEXT];
    struct settings s;

    for (int32_t config = 0; config < plan->n_configs && !may_end_early; config++) {
        plan_settings(plan, config, &s);
        may_end_early = s.v[P_PATIENCE].i > 0;
    }
    if (search_is_wanted(&plan->fixed))
        buf_printf(out, "; at most %lld to run, and about %.0f %% of that is expected",
                   (long long)l->n_left, 100 * l->expected);
    else
        buf_printf(out, "; %lld to run", (long long)l->n_left);
    if (!cost_is_known(l->cost)) {
        buf_puts(out, "; durations are learnt as trials finish");
        return;
    }
    /* An estimate is no bound: other work on the cores can double it. */
    buf_printf(out, ": about %s on %ld rank%s", duration_words(words, l->bound_s * l->expected),
               l->options->ranks, plural(l->options->ranks));
    if (search_is_wanted(&plan->fixed))
        buf_printf(out, ", %s at most", duration_words(words, l->bound_s));
    buf_puts(out, may_end_early ? " if no trial ends early (" : " (");
    if (!l->n_measured)
        buf_printf(out,
                   "assuming a usual processor: no configuration was tried, since the sweep is so "
                   "short or each takes more than %g GB)",
                   MOST_TRIED_BYTES * 1e-9);
    else if (l->n_known)
        buf_printf(out, "by the speed of %lld finished trial%s)", (long long)l->n_known,
                   plural(l->n_known));
    else
        buf_printf(out, "by the speed of %lld configuration%s tried here)",
                   (long long)l->n_measured, plural(l->n_measured));
    if (l->job->work)
        buf_printf(out, ", %.4g GFLOP", l->flops_left * l->expected * 1e-9);
}

static void print_totals(const struct listing *l)
{
    struct buf text = {0};
    long long n_failed = 0;

    plan_put_size(&text, &l->job->plan);
    if (l->shard->n > 1)
        buf_printf(&text, ", %lld of them in shard %d/%d", (long long)l->n_rows, l->shard->k,
                   l->shard->n);
    for (int64_t t = 0; t < l->job->plan.n_trials; t++)
        n_failed += l->known.ours[t] && l->known.states[t] == TRIAL_FAILED;
    if (l->n_left)
        put_expected(&text, l);
    else
        buf_puts(&text, l->n_rows > l->n_known && search_is_wanted(&l->job->plan.fixed)
                            ? "; the search is over"
                            : "; all are finished");
    if (!l->n_left && n_failed)
        buf_printf(&text, ", %lld of them failed (run --retry failed runs %s again)", n_failed,
                   n_failed == 1 ? "it" : "them");
    log_info("%s: %s", l->name, buf_text(&text));
    buf_release(&text);
}

/* The choice of configurations is known only when all trials are finished. */
static int print_models(const struct listing *l, struct err *err)
{
    const struct job *job = l->job;
    struct refit refit = {0};
    char text[REFIT_TEXT], words[DURATION_TEXT];
    int rc;

    if (l->n_left || l->n_rows < job->plan.n_trials || !l->store ||
        keep_of(job->sweep.fixed.v) != KEEP_BEST)
        return 0;
    rc = refit_find(&refit, l->store, &job->plan, &job->data, &l->known, err);
    for (int i = 0; !rc && i < refit.n_configs; i++) {
        double seconds = 0;

        for (int64_t t = 0; t < job->plan.n_trials; t++) {
            int32_t config = plan_trial(&job->plan, t).config;

            if (refit_has(&refit, t) && l->known.config_ids[config] == refit.configs[i].id)
                seconds += cost_seconds(l->cost, config);
        }
        log_info("%s: %s: 'run' trains them once more to make the models, about %s on 1 rank",
                 l->name, refit_text(text, &refit.configs[i]), duration_words(words, seconds));
    }
    refit_release(&refit);
    return rc;
}

/* ---- commands ---- */

static const struct answer_section commands_section = {"commands", NULL, false, "trial command",
                                                       "config replicate fold"};

/* People get lines that a shell can run. */
static int add_commands(struct answer *answer, struct listing *l, struct err *err)
{
    static char *const names[] = {"trial", "config", "replicate", "fold", "command"};
    const struct plan *plan = &l->job->plan;
    int32_t widest = plan_widest(plan);
    struct report *report = NULL;
    int64_t last_id = l->last_id;
    struct program_lines lines;
    int rc;

    if (!sweep_is_program(&l->job->sweep))
        return err_set(err, "%s: only a sweep with [program] has commands", l->job->sweep.path);
    if (!answer_is_for_people(answer))
        report = answer_open(answer, &commands_section, names, 5);
    rc = program_lines_open(&lines, l->job, l->db, err);
    for (int64_t t = 0; !rc && t < plan->n_trials; t++) {
        struct plan_trial where = plan_trial(plan, t);
        bool is_known = l->store && l->known.ids[t];
        int64_t id = is_known ? l->known.ids[t] : l->known.ours[t] ? ++last_id : 0;
        struct cell row[] = {id_cell(id),
                             config_cell(l, where.config),
                             {.type = CELL_INTEGER, .i = where.replicate},
                             {.type = CELL_INTEGER, .i = where.fold},
                             {.type = CELL_TEXT}};

        if (l->options->is_run ? !is_open(l, t) : !l->known.ours[t])
            continue;
        buf_clear(&l->texts);
        rc = program_lines_put(&l->texts, &lines, t, id, err);
        row[4].s = buf_text(&l->texts);
        if (!rc && report)
            report_row(report, row);
        else if (!rc)
            puts(row[4].s);
    }
    if (!rc && widest > 1)
        log_info("%s: ranks = %d: these are the lines of rank 0, without RANK, WORLD_SIZE, "
                 "LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which 'run' sets for "
                 "each process of a gang",
                 l->name, widest);
    if (report)
        answer_close(answer);
    program_lines_close(&lines);
    return rc;
}

/* Warn of what `run` warns of, and of a launch that it refuses. A login node may lack the
 * program. */
static int warn(const struct listing *l, struct err *err)
{
    struct job *job = l->job;
    int32_t widest = plan_widest(&job->plan);
    long ranks = l->options->ranks;
    struct err missing;

    if (widest > ranks)
        log_warn("ranks = %d: a trial needs %d ranks, but this plan is for %ld: run needs at least "
                 "%d (-n %d)",
                 widest, widest, ranks, widest, widest);
    if (advice_ranks(&job->advice, job, l->left, (int32_t)ranks, err))
        return -1;
    advice_print(&job->advice, job->sweep.path);
    if (sweep_is_program(&job->sweep) && program_lines_check(job, l->db, &missing))
        log_warn("%s: 'run' refuses to start where this is so", missing.text);
    return 0;
}

int plan_list(struct job *job, const char *db, const struct shard *shard,
              const struct plan_options *options)
{
    struct listing l = {.job = job,
                        .options = options,
                        .db = db,
                        .name = job->sweep.fixed.v[P_SWEEP_NAME].s,
                        .shard = shard};
    const char *section = options->common.section;
    struct answer answer;
    struct err err;
    int status, rc = open_listing(&l, &err) || warn(&l, &err) ? -1 : 0;

    output_begin(&answer, &options->common, OUTPUT_TABLE);
    if (!rc && options->has_commands) {
        rc = add_commands(&answer, &l, &err);
    } else if (!rc) {
        add_trials(&answer, &l);
        if (!answer_is_for_people(&answer) || section)
            add_cost(&answer, &l);
    }
    status = output_end(rc, &answer, &err);
    if (status == EXIT_OK && l.is_cut && !section)
        log_info("%s: the first %d and the last %d of %lld trials; plan --list shows all", l.name,
                 FIRST_SHOWN, LAST_SHOWN, (long long)l.n_listed);
    if (status == EXIT_OK && !section && l.n_unproposed > 0)
        log_info("%s: the search proposes the other %lld configurations when results are there",
                 l.name, (long long)l.n_unproposed);
    if (status == EXIT_OK && (options->has_commands ? options->is_run : !section))
        print_totals(&l);
    if (status == EXIT_OK && !section && !options->has_commands) {
        print_gpus(&l);
        print_accuracy(&l);
        if (print_models(&l, &err))
            status = cli_fail(&err);
        else
            print_memory(&l);
    }
    store_close(l.store);
    store_trials_release(&l.known);
    free(l.widths);
    free(l.left);
    cost_destroy(l.cost);
    buf_release(&l.texts);
    return status;
}

static int plan(struct call *call)
{
    const struct plan_options *o = call->options;
    struct job_array_share share = {0};
    struct job job = {0};
    struct errlist faults = {0};
    struct err err;
    int status;

    if (job_array_share_open(&share, o->shard, o->common.db, &err))
        return cli_fail_usage(&err);
    cli_log_database(buf_text(&share.db));
    status = job_prepare(&job, call->operands[0], &o->common.set, &faults)
                 ? cli_fail_all(&faults)
                 : plan_list(&job, buf_text(&share.db), &share.shard, o);
    job_release(&job);
    job_array_share_release(&share);
    return status;
}

static const struct option_row options[] = {
    {'n', "ranks", "N", OPTION_INT, .into = offsetof(struct plan_options, ranks),
     .help = "Show the expected times on N ranks.", .default_text = "1", .min = 1, .max = 1000000},
    {0, "list", NULL, OPTION_FLAG, .into = offsetof(struct plan_options, is_whole),
     .help = "Show every trial. The table otherwise has the first and the last ten; csv and json "
             "always have all."},
    {0, "commands", NULL, OPTION_FLAG, .into = offsetof(struct plan_options, has_commands),
     .help = "Print the command line of each trial of a sweep with [program], and nothing else."},
    {0, "shard", "K/N|auto", OPTION_TEXT, .into = offsetof(struct plan_options, shard),
     .help = "Show only part K of N, and read its database. auto takes both from the job array."},
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct common_options, section),
     .help = "Print only the trials, or only the cost: the expected time and memory.",
     .choices = "trials|cost"},
    {OPTION_SET(SET_SWEEP)},
    {0},
};

const struct command command_plan = {
    .name = "plan",
    .group = GROUP_PREPARE,
    .operands = "GRID.ini [DB]",
    .min_operands = 1,
    .max_operands = 1,
    .db_operand = DB_LAST,
    .operand_kind = VALUE_GRID,
    .summary = "Show the trials of a sweep and what they cost, and run nothing.",
    .about = "Trials that the database holds count as finished, and their times improve the "
             "estimate. Without a database, a few configurations are trained, for half a second or "
             "1 % of the time of the sweep; a very short sweep is not tried, and a program is "
             "never run.",
    .examples = {{"espalier plan grid.ini", "Show the trials and the expected time and memory."},
                 {"espalier plan grid.ini -n 64 --section cost",
                  "Show the cost of the sweep on 64 ranks."},
                 {"espalier plan grid.ini --set grid.dropout=0.2,0.5",
                  "The same with another axis."}},
    .see = "run, inspect",
    .options = options,
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct plan_options),
    .multiplies = true,
    .run = plan,
};
