/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plan_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "grid/param.h"
#include "report/report.h"
#include "run/calibrate.h"
#include "run/refit.h"
#include "run/sweep_match.h"
#include "trial/kept.h"

/* Whoever asks on a login node what a sweep would take is not to take it. */
#define MOST_TRIED_BYTES 1e9

/* A plan of more trials than these two together is shown by its first and its last ones. */
enum { FIRST_SHOWN = 10, LAST_SHOWN = 10 };

/* Columns: trial, config, the axes, replicate, fold, state, gflop, seconds, measured. */
enum { LEFT_COLUMNS = 2, RIGHT_COLUMNS = 6 };

/* What the list is made of. Numbers of trials and configurations are those of the database; where
 * there is none, those that a new one will give them. */
struct listing {
    struct job *job;
    const struct shard *shard; /* only its trials are listed */
    struct store *store;       /* NULL: no database */
    struct store_trials known;
    struct cost *cost;
    int64_t n_rows;     /* trials of the shard */
    int64_t n_known;    /* trials of the database that are finished */
    int64_t n_measured; /* what cost has learnt from: those, or configurations tried here */
    double flops_left, seconds_left;
    int32_t config;           /* of which the next two are; -1: none yet */
    struct settings settings; /* trimmed */
    double expected_s;        /* of one trial */
    struct buf texts;         /* of the cells of a row */
};

static int64_t count_done(const struct listing *l)
{
    int64_t n = 0;

    for (int64_t t = 0; t < l->job->plan.n_trials; t++)
        n += l->known.states[t] == TRIAL_DONE;
    return n;
}

/* Without a database, or with another sweep of the name in it, all trials are new. */
static int open_known(struct listing *l, const char *db, struct err *err)
{
    const struct job *job = l->job;
    bool is_same;

    if (access(db, F_OK) != 0)
        return 0;
    if (store_open_reader(&l->store, db, err) || sweep_match_warn(&is_same, l->store, db, job, err))
        return -1;
    if (is_same)
        return store_find(l->store, &job->plan, &job->data, &l->known, err);
    store_close(l->store);
    l->store = NULL;
    return 0;
}

static bool is_open(const struct listing *l, int64_t trial)
{
    return l->known.states[trial] == TRIAL_PENDING || l->known.states[trial] == TRIAL_RUNNING;
}

static void add_costs(struct listing *l)
{
    const struct plan *plan = &l->job->plan;
    int64_t each = plan->n_trials / plan->n_configs;

    for (int32_t config = 0; config < plan->n_configs; config++) {
        double expected_s = cost_seconds(l->cost, config);

        for (int64_t t = config * each; t < (config + 1) * each; t++)
            if (l->known.ours[t] && is_open(l, t)) {
                l->flops_left += l->job->work[config].flops;
                l->seconds_left += expected_s;
            }
    }
}

static int open_listing(struct listing *l, const char *db, struct err *err)
{
    struct job *job = l->job;

    l->cost = cost_create(job->work, job->plan.n_configs, 0, err);
    if (!l->cost || store_trials_init(&l->known, job->plan.n_trials, err) ||
        shard_mark(l->known.ours, l->shard, &job->plan, &job->data, err) || open_known(l, db, err))
        return -1;
    for (int64_t t = 0; t < job->plan.n_trials; t++)
        l->n_rows += l->known.ours[t];
    l->n_known = count_done(l);
    l->n_measured = calibrate_cost(l->cost, job, &l->known, 1, MOST_TRIED_BYTES, err);
    if (l->n_measured < 0)
        return -1;
    add_costs(l);
    return 0;
}

static void close_listing(struct listing *l)
{
    store_close(l->store);
    store_trials_release(&l->known);
    cost_destroy(l->cost);
    buf_release(&l->texts);
}

static struct cell text_cell(struct buf *texts, const char *text)
{
    /* Offsets now, pointers once the buffer no longer moves. */
    struct cell cell = {.type = CELL_TEXT, .i = (int64_t)texts->size};

    buf_add(texts, text, strlen(text) + 1);
    return cell;
}

/* Empty where the type of model has no such setting. */
static struct cell axis_cell(const struct axis *axis, const struct settings *s, struct buf *texts)
{
    const struct param *p = &param_table[axis->id];
    union value value = s->v[axis->id];
    struct cell cell = {.type = CELL_TEXT, .i = (int64_t)texts->size};

    if (!settings_has(s, axis->id))
        return (struct cell){.type = CELL_NULL};
    if (p->type == PARAM_REAL)
        return (struct cell){.type = CELL_REAL, .f = value.f};
    if (p->type == PARAM_INT || (p->type == PARAM_COUNT && value.i))
        return (struct cell){.type = CELL_INTEGER, .i = value.i};
    param_format(texts, axis->id, value);
    buf_putc(texts, '\0');
    return cell;
}

static struct cell id_cell(int64_t id)
{
    return (struct cell){.type = id ? CELL_INTEGER : CELL_NULL, .i = id};
}

static struct cell seconds_cell(double seconds)
{
    return (struct cell){.type = isfinite(seconds) ? CELL_REAL : CELL_NULL, .f = seconds};
}

/* Trials come configuration by configuration. */
static void turn_to(struct listing *l, int32_t config)
{
    if (config == l->config)
        return;
    l->config = config;
    plan_settings(&l->job->plan, config, &l->settings);
    l->expected_s = cost_seconds(l->cost, config);
}

/* A finished trial shows what had been predicted before it ran. */
static void fill_seconds(struct cell cells[2], const struct listing *l, int64_t trial)
{
    if (is_open(l, trial)) {
        cells[0] = seconds_cell(l->expected_s);
        cells[1] = (struct cell){.type = CELL_NULL};
    } else {
        cells[0] = seconds_cell(l->known.predicted[trial]);
        cells[1] = seconds_cell(l->known.seconds[trial]);
    }
}

static void fill_row(struct cell *row, struct listing *l, int64_t trial)
{
    const struct sweep *sweep = &l->job->sweep;
    struct plan_trial where = plan_trial(&l->job->plan, trial);
    size_t n_cols = LEFT_COLUMNS + sweep->n_axes + RIGHT_COLUMNS;
    struct cell *right = row + LEFT_COLUMNS + sweep->n_axes;

    turn_to(l, where.config);
    buf_clear(&l->texts);
    row[0] = id_cell(l->store ? l->known.ids[trial] : trial + 1);
    row[1] = id_cell(l->store ? l->known.config_ids[where.config] : where.config + 1);
    for (size_t a = 0; a < sweep->n_axes; a++)
        row[LEFT_COLUMNS + a] = axis_cell(&sweep->axes[a], &l->settings, &l->texts);
    right[0] = (struct cell){.type = CELL_INTEGER, .i = where.replicate};
    right[1] = (struct cell){.type = CELL_INTEGER, .i = where.fold};
    right[2] = text_cell(&l->texts, trial_state_name((enum trial_state)l->known.states[trial]));
    right[3] = (struct cell){.type = CELL_REAL, .f = l->job->work[where.config].flops * 1e-9};
    fill_seconds(right + 4, l, trial);
    for (size_t c = 0; c < n_cols; c++)
        if (row[c].type == CELL_TEXT)
            row[c].s = buf_text(&l->texts) + (buf_failed(&l->texts) ? 0 : row[c].i);
}

static void fill_names(char **names, const struct sweep *sweep)
{
    static char *const left[LEFT_COLUMNS] = {"trial", "config"};
    static char *const right[RIGHT_COLUMNS] = {"replicate", "fold",    "state",
                                               "gflop",     "seconds", "measured"};
    size_t n = 0;

    for (int i = 0; i < LEFT_COLUMNS; i++)
        names[n++] = left[i];
    for (size_t a = 0; a < sweep->n_axes; a++)
        names[n++] = (char *)(uintptr_t)param_table[sweep->axes[a].id].key;
    for (int i = 0; i < RIGHT_COLUMNS; i++)
        names[n++] = right[i];
}

/* The rows of the first and the last trials, of all where is_whole. */
static void put_trials(struct report *report, struct listing *l, bool is_whole)
{
    struct cell row[P_COUNT + LEFT_COLUMNS + RIGHT_COLUMNS] = {{.type = CELL_NULL}};
    bool is_cut = !is_whole && l->n_rows > FIRST_SHOWN + LAST_SHOWN;
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

/* csv and json are for programs, which are given all. */
static int print_trials(struct listing *l, const char *format, bool is_whole, struct err *err)
{
    const struct job *job = l->job;
    char *names[P_COUNT + LEFT_COLUMNS + RIGHT_COLUMNS];
    int32_t n_cols = (int32_t)job->sweep.n_axes + LEFT_COLUMNS + RIGHT_COLUMNS;
    struct report report;
    struct buf out = {0};
    int rc;

    fill_names(names, &job->sweep);
    report_begin(&report, &out, names, n_cols, format);
    put_trials(&report, l, is_whole || strcmp(format, "table") != 0);
    report_end(&report);
    out.failed |= buf_failed(&l->texts);
    rc = cli_print(&out, format, err);
    buf_release(&out);
    if (!rc && report.n_rows < l->n_rows)
        fprintf(
            stderr,
            "espalier: %s: the first %d and the last %d of %lld trials; plan --list shows all\n",
            job->sweep.fixed.v[P_SWEEP_NAME].s, FIRST_SHOWN, LAST_SHOWN, (long long)l->n_rows);
    return rc;
}

static int ascending(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

/* By how much the predictions of finished trials were off: larger / smaller - 1. */
static void put_accuracy(struct buf *out, const struct listing *l)
{
    double *off = malloc((size_t)l->job->plan.n_trials * sizeof *off);
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
        buf_printf(
            out,
            "; the %lld finished ones were expected to take %.3g s and took %.3g s, prediction "
            "off by a median of %.*f %% (90 %% of trials within %.0f %%)",
            (long long)n, expected_s, took_s, off[n / 2] < 0.1, 100 * off[n / 2],
            100 * off[n * 9 / 10]);
    }
    free(off);
}

/* Whether some trial may end before its last epoch. */
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

/* Whether no configuration is small enough to be tried. */
static bool is_large(const struct job *job)
{
    for (int32_t c = 0; c < job->plan.n_configs; c++)
        if (job->bytes[c] <= MOST_TRIED_BYTES)
            return false;
    return true;
}

static void put_bytes(struct buf *out, double bytes)
{
    if (bytes < 1e9)
        buf_printf(out, "%.*f MB", bytes < 1e7, bytes * 1e-6);
    else
        buf_printf(out, "%.1f GB", bytes * 1e-9);
}

/* Of a rank alone on its host: of n ranks the first two are there once. */
static void print_memory(const struct job *job)
{
    double data = (double)job->data.block_bytes;
    struct buf text = {0};

    put_bytes(&text, data + job->inputs_bytes + job->trial_bytes);
    buf_puts(&text, " for a rank: ");
    put_bytes(&text, data);
    buf_puts(&text, " of data and ");
    put_bytes(&text, job->inputs_bytes);
    buf_puts(&text, " derived from them, once for all ranks of a host, and up to ");
    put_bytes(&text, job->trial_bytes);
    cli_warnf("espalier: %s: memory: about %s of its own\n", job->sweep.fixed.v[P_SWEEP_NAME].s,
              buf_text(&text));
    buf_release(&text);
}

static void put_source(struct buf *out, const struct listing *l)
{
    if (!l->n_measured && is_large(l->job))
        buf_printf(out, "speed of a usual core: none was tried, as each takes more than %g GB",
                   MOST_TRIED_BYTES * 1e-9);
    else if (!l->n_measured)
        buf_puts(out, "speed of a usual core: none was tried");
    else if (l->n_known)
        buf_printf(out, "speed of %lld finished trial%s", (long long)l->n_known,
                   l->n_known == 1 ? "" : "s");
    else
        buf_printf(out, "speed of %lld configuration%s, tried here", (long long)l->n_measured,
                   l->n_measured == 1 ? "" : "s");
}

static void print_totals(const struct listing *l)
{
    bool is_short = l->seconds_left < 600;
    struct buf text = {0}, size = {0}, part = {0};

    plan_put_size(&size, &l->job->plan);

    if (l->shard->n > 1)
        buf_printf(&part, ", %lld of them in shard %d/%d", (long long)l->n_rows, l->shard->k,
                   l->shard->n);
    put_source(&text, l);
    buf_puts(&text, ")");
    put_accuracy(&text, l);
    cli_warnf("espalier: %s: %s%s; to run: %.4g gflop, %s %.3g core-%s (%s\n",
              l->job->sweep.fixed.v[P_SWEEP_NAME].s, buf_text(&size), buf_text(&part),
              l->flops_left * 1e-9, may_end_early(l->job) ? "patience aside about" : "about",
              is_short ? l->seconds_left : l->seconds_left / 3600, is_short ? "seconds" : "hours",
              buf_text(&text));
    buf_release(&size);
    buf_release(&part);
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

/* Where nothing else is left to run: before, nobody knows what will be chosen. */
static int print_models(const struct listing *l, struct err *err)
{
    const struct job *job = l->job;
    struct refit refit = {0};
    char text[REFIT_TEXT];
    int rc;

    for (int64_t t = 0; t < job->plan.n_trials; t++)
        if (!l->known.ours[t] || is_open(l, t))
            return 0;
    if (!l->store || keep_of(&job->sweep.fixed) != KEEP_BEST)
        return 0;
    rc = refit_find(&refit, l->store, &job->plan, &job->data, &l->known, err);
    for (int i = 0; !rc && i < refit.n_configs; i++)
        cli_warnf("espalier: %s: %s: 'run' trains them once more for that alone, about %.3g "
                  "core-seconds\n",
                  job->sweep.fixed.v[P_SWEEP_NAME].s, refit_text(text, &refit.configs[i]),
                  refit_seconds(l, &refit, refit.configs[i].id));
    refit_release(&refit);
    return rc;
}

int plan_list(struct job *job, const char *db, const struct shard *shard, const char *format,
              bool is_whole)
{
    struct listing l = {.job = job, .shard = shard, .config = -1};
    struct err err;
    int status = EXIT_OK;

    if (open_listing(&l, db, &err) || print_trials(&l, format, is_whole, &err))
        status = cli_fail(&err);
    else {
        print_totals(&l);
        if (print_models(&l, &err))
            status = cli_fail(&err);
        print_memory(job);
    }
    close_listing(&l);
    return status;
}
