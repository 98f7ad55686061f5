/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plan_list.h"

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
#include "launch/preflight.h"
#include "program/gpu_amount.h"
#include "report/answer.h"
#include "report/rows.h"
#include "run/advice.h"
#include "run/calibrate.h"
#include "run/program_lines.h"
#include "run/refit.h"
#include "run/sweep_match.h"
#include "run/sweep_run.h"
#include "sched/makespan.h"
#include "store/database_file.h"
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
    struct store *store; /* NULL: no database, or its sweep is another one */
    struct store_trials known;
    int64_t last_id; /* of the trials in the file, also of other sweeps */
    struct cost *cost;
    int32_t *widths;                 /* [n_configs] ranks of a trial; NULL: one */
    int64_t n_rows;                  /* trials of the shard */
    int64_t n_known;                 /* finished trials of the database */
    int64_t n_measured;              /* of those, or configurations tried here */
    int64_t n_left;                  /* unfinished trials of the shard; for them: */
    double flops_left, seconds_left; /* seconds_left: of all ranks. NaN: unknown */
    double bound_s;                  /* of the makespan; NaN likewise */
    int32_t config;                  /* described by the next two; -1: none */
    struct settings settings;        /* trimmed */
    double expected_s;               /* of a trial; NaN: unknown */
    struct buf texts;                /* of a row */
    bool is_cut;                     /* only the first and last trials are shown */
};

/* Only its run shows the work of a program. */
static bool has_work(const struct listing *l)
{
    return l->job->work != NULL;
}

static int32_t n_columns(const struct listing *l)
{
    return LEFT_COLUMNS + (int32_t)l->job->sweep.n_axes + RIGHT_COLUMNS - !has_work(l);
}

static const char *sweep_name(const struct listing *l)
{
    return l->job->sweep.fixed.v[P_SWEEP_NAME].s;
}

static int64_t count_done(const struct listing *l)
{
    int64_t n = 0;

    for (int64_t t = 0; t < l->job->plan.n_trials; t++)
        n += l->known.states[t] == TRIAL_DONE;
    return n;
}

/* Without a database, or if its sweep of this name is another one, all trials are new. */
static int open_known(struct listing *l, const char *db, struct err *err)
{
    struct job *job = l->job;
    bool is_same;

    if (access(db, F_OK) != 0)
        return database_file_check_folder(db, err);
    if (store_open_reader(&l->store, db, err) || store_last_trial(&l->last_id, l->store, err) ||
        sweep_match_warn(&is_same, l->store, db, job, err))
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

/* Ranks of a trial. */
static int32_t width(const struct listing *l, int32_t config)
{
    return l->widths ? l->widths[config] : 1;
}

/* Seconds of a trial on these ranks. */
static double expected_s(const struct listing *l, int32_t config)
{
    return cost_is_known(l->cost) ? cost_seconds(l->cost, config) : (double)NAN;
}

static double flops(const struct listing *l, int32_t config)
{
    return l->job->work ? l->job->work[config].flops : (double)NAN;
}

static int64_t count_left(const struct listing *l, int32_t config)
{
    const struct plan *plan = &l->job->plan;
    int64_t each = plan->n_trials / plan->n_configs, n = 0;

    for (int64_t t = config * each; t < (config + 1) * each; t++)
        n += is_open(l, t);
    return n;
}

static int add_costs(struct listing *l, struct err *err)
{
    size_t n_configs = (size_t)l->job->plan.n_configs, n = 0;
    struct makespan_work *work = calloc(n_configs, sizeof *work);

    if (!work)
        return err_nomem(err, "times", n_configs * sizeof *work);
    for (int32_t config = 0; config < l->job->plan.n_configs; config++) {
        int64_t n_left = count_left(l, config);
        double seconds = expected_s(l, config);

        if (!n_left)
            continue;
        work[n] = (struct makespan_work){
            .width = width(l, config), .all_s = seconds * (double)n_left, .longest_s = seconds};
        l->n_left += n_left;
        l->flops_left += flops(l, config) * (double)n_left;
        l->seconds_left += work[n].all_s * (double)work[n].width;
        n++;
    }
    l->bound_s =
        isnan(l->seconds_left) ? (double)NAN : makespan_bound(work, n, l->options->ranks).seconds;
    free(work);
    return 0;
}

static int open_listing(struct listing *l, struct err *err)
{
    struct job *job = l->job;

    l->cost = job_cost_create(job, 0, err);
    if (!l->cost || store_trials_init(&l->known, job->plan.n_trials, err) ||
        shard_mark(l->known.ours, l->options->shard, &job->plan, &job->data, err) ||
        open_known(l, l->options->db, err))
        return -1;
    for (int64_t t = 0; t < job->plan.n_trials; t++)
        l->n_rows += l->known.ours[t];
    l->n_known = count_done(l);
    l->n_measured = calibrate_cost(l->cost, job, &l->known, 1, MOST_TRIED_BYTES, err);
    return l->n_measured < 0 || job_widths(&l->widths, job, err) || add_costs(l, err) ? -1 : 0;
}

static void close_listing(struct listing *l)
{
    store_close(l->store);
    store_trials_release(&l->known);
    free(l->widths);
    cost_destroy(l->cost);
    buf_release(&l->texts);
}

static struct cell text_cell(struct buf *texts, const char *text)
{
    /* An offset until the buffer no longer moves. */
    struct cell cell = {.type = CELL_TEXT, .i = (int64_t)texts->size};

    buf_add(texts, text, strlen(text) + 1);
    return cell;
}

/* Empty if the model type has no such setting. */
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

static void turn_to(struct listing *l, int32_t config)
{
    if (config == l->config)
        return;
    l->config = config;
    plan_settings(&l->job->plan, config, &l->settings);
    l->expected_s = expected_s(l, config);
}

/* `seconds` of a finished trial is its prediction. */
static void fill_seconds(struct cell cells[2], const struct listing *l, int64_t trial)
{
    if (is_open(l, trial)) {
        cells[0] = real_cell(l->expected_s);
        cells[1] = (struct cell){.type = CELL_NULL};
    } else {
        cells[0] = real_cell(l->known.predicted[trial]);
        cells[1] = real_cell(l->known.seconds[trial]);
    }
}

static void fill_row(struct cell *row, struct listing *l, int64_t trial)
{
    const struct sweep *sweep = &l->job->sweep;
    struct plan_trial where = plan_trial(&l->job->plan, trial);
    struct cell *right = row + LEFT_COLUMNS + sweep->n_axes;

    turn_to(l, where.config);
    buf_clear(&l->texts);
    row[0] = id_cell(l->store ? l->known.ids[trial] : l->last_id ? 0 : trial + 1);
    row[1] = config_cell(l, where.config);
    for (size_t a = 0; a < sweep->n_axes; a++)
        row[LEFT_COLUMNS + a] = axis_cell(&sweep->axes[a], &l->settings, &l->texts);
    *right++ = (struct cell){.type = CELL_INTEGER, .i = where.replicate};
    *right++ = (struct cell){.type = CELL_INTEGER, .i = where.fold};
    *right++ = text_cell(&l->texts, trial_state_name((enum trial_state)l->known.states[trial]));
    if (has_work(l))
        *right++ = real_cell(flops(l, where.config) * 1e-9);
    fill_seconds(right, l, trial);
    for (int32_t c = 0; c < n_columns(l); c++)
        if (row[c].type == CELL_TEXT)
            row[c].s = buf_text(&l->texts) + (buf_failed(&l->texts) ? 0 : row[c].i);
}

static void fill_names(char **names, const struct listing *l)
{
    const struct sweep *sweep = &l->job->sweep;

    *names++ = "trial";
    *names++ = "config";
    for (size_t a = 0; a < sweep->n_axes; a++)
        *names++ = (char *)(uintptr_t)sweep->axes[a].row->key;
    *names++ = "replicate";
    *names++ = "fold";
    *names++ = "state";
    if (has_work(l))
        *names++ = "gflop";
    *names++ = "seconds";
    *names++ = "measured";
}

static void put_trials(struct report *report, struct listing *l, bool is_cut)
{
    struct cell row[P_MAX + LEFT_COLUMNS + RIGHT_COLUMNS] = {{.type = CELL_NULL}};
    int64_t at = 0;

    for (int64_t t = 0; t < l->job->plan.n_trials; t++) {
        if (!l->known.ours[t])
            continue;
        at++;
        if (is_cut && at > FIRST_SHOWN && at <= l->n_rows - LAST_SHOWN)
            continue;
        fill_row(row, l, t);
        report_row(report, row);
        if (is_cut && at == FIRST_SHOWN)
            report_gap(report);
    }
}

static const struct answer_section trials_section = {
    "trials", NULL, false, "trial config", "gflop measured replicate fold = seconds * state"};
static const struct answer_section cost_section = {"cost", "cost", true, NULL, NULL};

/* Programs get all trials. */
static void add_trials(struct answer *answer, struct listing *l)
{
    bool is_cut = answer_is_for_people(answer) && !l->options->is_whole &&
                  l->n_rows > FIRST_SHOWN + LAST_SHOWN;
    char *names[P_MAX + LEFT_COLUMNS + RIGHT_COLUMNS];
    struct report *report;

    fill_names(names, l);
    report = answer_open(answer, &trials_section, names, n_columns(l));
    if (!report)
        return;
    put_trials(report, l, is_cut);
    answer_close(answer);
    answer->out.failed |= buf_failed(&l->texts);
    l->is_cut = is_cut;
}

/* ---- the cost ---- */

static void add_cost(struct answer *answer, const struct listing *l)
{
    const struct job *job = l->job;
    struct rows cost = {.n_cols = 0};
    struct job_memory memory = job_memory(job, (int32_t)l->options->ranks);

    if (!answer_wants(answer, &cost_section))
        return;
    rows_text(&cost, "sweep", sweep_name(l));
    rows_integer(&cost, "configs", job->plan.n_configs);
    rows_integer(&cost, "trials", l->n_rows);
    rows_integer(&cost, "to_run", l->n_left);
    rows_real(&cost, "gflop", l->flops_left * 1e-9);
    rows_real(&cost, "rank_seconds", l->seconds_left);
    rows_integer(&cost, "ranks", l->options->ranks);
    rows_real(&cost, "seconds", l->bound_s);
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
            sweep_name(l), (long long)n, n == 1 ? " was" : "s were",
            duration_words(expected, expected_s), duration_words(took, took_s), off[n / 2] < 0.1,
            100 * off[n / 2], 100 * off[n * 9 / 10]);
    }
    free(off);
}

static bool may_end_early(const struct job *job)
{
    struct settings s;

    for (int32_t config = 0; config < job->plan.n_configs; config++) {
        plan_settings(&job->plan, config, &s);
        if (s.v[P_PATIENCE].i > 0)
            return true;
    }
    return false;
}

/* True if no configuration is small enough to be tried. */
static bool is_large(const struct job *job)
{
    for (int32_t c = 0; c < job->plan.n_configs; c++)
        if (job->bytes[c] <= MOST_TRIED_BYTES)
            return false;
    return true;
}

/* Less is not worth a line. */
#define LEAST_STORE_BYTES 4e6

/* Rank 0 reads the data, which the ranks of a host then share, and writes the database. */
static void print_rank_0(const struct listing *l, const struct job_memory *memory)
{
    char words[BYTES_TEXT];

    if (memory->prepare > memory->rank)
        log_info("%s: memory for rank 0: about %s before trials begin", sweep_name(l),
                 bytes_words(words, memory->prepare));
    if (l->job->store_bytes > LEAST_STORE_BYTES)
        log_info("%s: memory for rank 0: about %s more, for models on their way to the database",
                 sweep_name(l), bytes_words(words, l->job->store_bytes));
}

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
             sweep_name(l), bytes_words(all, memory.rank), bytes_words(program, memory.program),
             bytes_words(data, (double)job->data.block_bytes),
             bytes_words(inputs, job->inputs_bytes), bytes_words(trial, job->trial_bytes));
    if (l->options->ranks > 1)
        log_info("%s: memory for %ld ranks on one host: about %s", sweep_name(l), l->options->ranks,
                 bytes_words(all, memory.host));
    print_rank_0(l, &memory);
}

static void print_gpus(const struct listing *l)
{
    struct gpu_wish wish = preflight_gpus(&l->job->sweep);
    int32_t per_host = wish.per_host, devices, ranks;
    struct buf text = {0};
    struct err err;

    if (wish.gpus <= 0 || gpu_amount(&devices, &ranks, wish.gpus, &err))
        return;
    if (ranks > 1)
        buf_printf(&text, "%d ranks share a GPU", ranks);
    else
        buf_printf(&text, "each rank gets %d GPU%s", devices, plural(devices));
    if (per_host)
        buf_printf(&text, "; a host with %d GPU%s has room for %d rank%s", per_host,
                   plural(per_host), per_host / devices * ranks,
                   plural(per_host / devices * ranks));
    log_info("%s: %s", sweep_name(l), buf_text(&text));
    buf_release(&text);
}

static void put_source(struct buf *out, const struct listing *l)
{
    if (!l->n_measured && is_large(l->job))
        buf_printf(out,
                   "assuming a usual processor: no configuration was tried, since each takes more "
                   "than %g GB",
                   MOST_TRIED_BYTES * 1e-9);
    else if (!l->n_measured)
        buf_puts(out, "assuming a usual processor: no configuration was tried, since the sweep "
                      "is so short");
    else if (l->n_known)
        buf_printf(out, "by the speed of %lld finished trial%s", (long long)l->n_known,
                   plural(l->n_known));
    else
        buf_printf(out, "by the speed of %lld configuration%s tried here", (long long)l->n_measured,
                   plural(l->n_measured));
}

static void put_failed(struct buf *out, const struct listing *l)
{
    int64_t n = 0;

    for (int64_t t = 0; t < l->job->plan.n_trials; t++)
        n += l->known.ours[t] && l->known.states[t] == TRIAL_FAILED;
    if (n)
        buf_printf(out, ", %lld of them failed (run --retry failed runs %s again)", (long long)n,
                   n == 1 ? "it" : "them");
}

static void put_expected(struct buf *out, const struct listing *l)
{
    /* An estimate is no bound: other work on the cores can double it. */
    const char *early = may_end_early(l->job) ? " if no trial ends early" : "";
    char words[DURATION_TEXT];

    if (!l->n_left) {
        buf_puts(out, "; all are finished");
        put_failed(out, l);
        return;
    }
    buf_printf(out, "; %lld to run", (long long)l->n_left);
    if (!cost_is_known(l->cost)) {
        buf_puts(out, "; durations are learnt as trials finish");
        return;
    }
    buf_printf(out, ": about %s on %ld rank%s%s (", duration_words(words, l->bound_s),
               l->options->ranks, plural(l->options->ranks), early);
    put_source(out, l);
    buf_putc(out, ')');
    if (l->job->work)
        buf_printf(out, ", %.4g GFLOP", l->flops_left * 1e-9);
}

static void print_totals(const struct listing *l)
{
    const struct shard *shard = l->options->shard;
    struct buf text = {0};

    plan_put_size(&text, &l->job->plan);
    if (shard->n > 1)
        buf_printf(&text, ", %lld of them in shard %d/%d", (long long)l->n_rows, shard->k,
                   shard->n);
    put_expected(&text, l);
    log_info("%s: %s", sweep_name(l), buf_text(&text));
    buf_release(&text);
}

static double refit_seconds(const struct listing *l, const struct refit *refit, int64_t id)
{
    double seconds = 0;

    for (int64_t t = 0; t < l->job->plan.n_trials; t++)
        if (refit_has(refit, t) && l->known.config_ids[plan_trial(&l->job->plan, t).config] == id)
            seconds += cost_seconds(l->cost, plan_trial(&l->job->plan, t).config);
    return seconds;
}

/* The choice of configurations is known only when all trials are finished. */
static int print_models(const struct listing *l, struct err *err)
{
    const struct job *job = l->job;
    struct refit refit = {0};
    char text[REFIT_TEXT], words[DURATION_TEXT];
    int rc;

    if (l->n_left || l->n_rows < job->plan.n_trials)
        return 0;
    if (!l->store || keep_of(job->sweep.fixed.v) != KEEP_BEST)
        return 0;
    rc = refit_find(&refit, l->store, &job->plan, &job->data, &l->known, err);
    for (int i = 0; !rc && i < refit.n_configs; i++)
        log_info("%s: %s: 'run' trains them once more to make the models, about %s on 1 rank",
                 sweep_name(l), refit_text(text, &refit.configs[i]),
                 duration_words(words, refit_seconds(l, &refit, refit.configs[i].id)));
    refit_release(&refit);
    return rc;
}

static int print_notes(const struct listing *l, struct err *err)
{
    if (l->is_cut)
        log_info("%s: the first %d and the last %d of %lld trials; plan --list shows all",
                 sweep_name(l), FIRST_SHOWN, LAST_SHOWN, (long long)l->n_rows);
    print_totals(l);
    print_gpus(l);
    print_accuracy(l);
    if (print_models(l, err))
        return -1;
    print_memory(l);
    return 0;
}

/* ---- commands ---- */

static const struct answer_section commands_section = {"commands", NULL, false, "trial command",
                                                       "config replicate fold"};

static int put_command_rows(struct report *report, struct listing *l, struct program_lines *lines,
                            struct err *err)
{
    const struct plan *plan = &l->job->plan;
    int64_t last_id = l->last_id;
    int rc = 0;

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
        rc = program_lines_put(&l->texts, lines, t, id, err);
        row[4].s = buf_text(&l->texts);
        if (!rc && report)
            report_row(report, row);
        else if (!rc)
            puts(row[4].s);
    }
    return rc;
}

static void print_gang_note(const struct listing *l)
{
    int32_t widest = plan_widest(&l->job->plan);

    if (widest > 1)
        log_info("%s: ranks = %d: these are the lines of rank 0, without RANK, WORLD_SIZE, "
                 "LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which 'run' sets for "
                 "each process of a gang",
                 sweep_name(l), widest);
}

/* People get lines that a shell can run. */
static int add_commands(struct answer *answer, struct listing *l, struct err *err)
{
    static char *const names[] = {"trial", "config", "replicate", "fold", "command"};
    struct report *report = NULL;
    struct program_lines lines;
    int rc;

    if (!sweep_is_program(&l->job->sweep))
        return err_set(err, "%s: only a sweep with [program] has commands", l->job->sweep.path);
    if (!answer_is_for_people(answer))
        report = answer_open(answer, &commands_section, names, 5);
    rc = program_lines_open(&lines, l->job, l->options->db, err);
    if (!rc)
        rc = put_command_rows(report, l, &lines, err);
    if (!rc)
        print_gang_note(l);
    if (report)
        answer_close(answer);
    program_lines_close(&lines);
    return rc;
}

/* A login node may lack the program. */
static void warn_missing(struct program_lines *lines)
{
    struct err err;

    if (program_lines_check(lines, &err))
        log_warn("%s: 'run' refuses to start where this is so", err.text);
}

static int print_advice(const struct listing *l, struct err *err)
{
    size_t n = (size_t)l->job->plan.n_configs;
    int64_t *n_left = calloc(n, sizeof *n_left);
    struct errlist *advice = &l->job->advice;
    int rc;

    if (!n_left)
        return err_nomem(err, "ranks", n * sizeof *n_left);
    for (int32_t config = 0; config < l->job->plan.n_configs; config++)
        n_left[config] = count_left(l, config);
    rc = advice_ranks(advice, l->job, n_left, (int32_t)l->options->ranks, err);
    advice_print(advice, l->job->sweep.path);
    free(n_left);
    return rc;
}

/* Warn of what `run` warns of, and of a launch that it refuses. */
static int warn(const struct listing *l, struct err *err)
{
    const struct plan_options *options = l->options;
    const struct job *job = l->job;
    int32_t widest = plan_widest(&job->plan);
    struct program_lines lines;
    int rc;

    if (widest > options->ranks)
        log_warn("ranks = %d: a trial needs %d ranks, but this plan is for %ld: run needs at least "
                 "%d (-n %d)",
                 widest, widest, options->ranks, widest, widest);
    if (print_advice(l, err))
        return -1;
    if (!sweep_is_program(&job->sweep))
        return 0;
    rc = program_lines_open(&lines, job, options->db, err);
    if (!rc)
        warn_missing(&lines);
    program_lines_close(&lines);
    return rc;
}

int plan_list(struct job *job, const struct plan_options *options)
{
    struct listing l = {.job = job, .options = options, .config = -1};
    struct answer answer;
    struct err err;
    int status, rc = open_listing(&l, &err) || warn(&l, &err) ? -1 : 0;

    output_begin(&answer, options->common, options->section, OUTPUT_TABLE);
    if (!rc && options->has_commands) {
        rc = add_commands(&answer, &l, &err);
    } else if (!rc) {
        add_trials(&answer, &l);
        if (!answer_is_for_people(&answer) || options->section)
            add_cost(&answer, &l);
    }
    status = output_end(rc, &answer, &err);
    if (status == EXIT_OK && options->is_run && options->has_commands)
        print_totals(&l);
    if (status == EXIT_OK && !options->section && !options->has_commands && print_notes(&l, &err))
        status = cli_fail(&err);
    close_listing(&l);
    return status;
}
