#include "cli/plan_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grid/param.h"
#include "report/report.h"

/* Columns: trial, config, the axes, replicate, fold, state, gflop, seconds. */
enum { LEFT_COLUMNS = 2, RIGHT_COLUMNS = 5 };

/* What the list is made of. Numbers of trials and configurations are those of the database; where
 * there is none, those that a new one will give them. */
struct listing {
    struct job *job;
    struct store *store; /* NULL: no database */
    int64_t *trial_ids;  /* [n_trials] 0 where the database has no such trial; owned */
    uint8_t *states;     /* [n_trials] enum trial_state; owned */
    double *values;      /* [n_trials] owned */
    double rate;         /* seconds a flop; 0: not known */
    bool is_measured;    /* here and now, not taken from the database */
    double flops_left;
};

static bool is_any_done(const struct listing *l)
{
    for (int64_t t = 0; t < l->job->plan.n_trials; t++)
        if (l->states[t] == TRIAL_DONE)
            return true;
    return false;
}

static int open_listing(struct listing *l, const char *db, struct err *err)
{
    size_t n = (size_t)l->job->plan.n_trials;

    l->trial_ids = calloc(n, sizeof *l->trial_ids);
    l->states = calloc(n, sizeof *l->states);
    l->values = calloc(n, sizeof *l->values);
    if (!l->trial_ids || !l->states || !l->values)
        return err_nomem(err, "trials", n * (sizeof(int64_t) + sizeof(double) + 1));
    if (access(db, F_OK) == 0) {
        if (store_open_reader(&l->store, db, err) ||
            store_find(l->store, &l->job->plan, &l->job->data, l->trial_ids, l->states, l->values,
                       err))
            return -1;
        if (is_any_done(l))
            l->rate = store_seconds_per_flop(l->store);
    }
    l->is_measured = l->rate <= 0;
    if (l->is_measured)
        l->rate = job_measure_rate(l->job, err);
    return l->rate < 0 ? -1 : 0;
}

static void close_listing(struct listing *l)
{
    store_close(l->store);
    free(l->trial_ids);
    free(l->states);
    free(l->values);
}

static struct cell text_cell(struct buf *texts, const char *text)
{
    /* Offsets now, pointers once the buffer no longer moves. */
    struct cell cell = {.type = CELL_TEXT, .i = (int64_t)texts->size};

    buf_add(texts, text, strlen(text) + 1);
    return cell;
}

static struct cell axis_cell(const struct axis *axis, const struct settings *s, struct buf *texts)
{
    const struct param *p = &param_table[axis->id];
    union value value = s->v[axis->id];
    struct buf text = {0};
    struct cell cell;

    if (p->type == PARAM_REAL)
        return (struct cell){.type = CELL_REAL, .f = value.f};
    if (p->type == PARAM_INT || (p->type == PARAM_COUNT && value.i))
        return (struct cell){.type = CELL_INTEGER, .i = value.i};
    param_format(&text, axis->id, value);
    cell = text_cell(texts, buf_text(&text));
    buf_release(&text);
    return cell;
}

static struct cell id_cell(int64_t id)
{
    return (struct cell){.type = id ? CELL_INTEGER : CELL_NULL, .i = id};
}

static void fill_row(struct cell *row, struct listing *l, int64_t trial, struct buf *texts)
{
    const struct sweep *sweep = &l->job->sweep;
    struct plan_trial where = plan_trial(&l->job->plan, trial);
    double flops = l->job->work[where.config].flops;
    enum trial_state state = (enum trial_state)l->states[trial];
    struct settings s;

    if (state == TRIAL_PENDING || state == TRIAL_RUNNING)
        l->flops_left += flops;
    plan_settings(&l->job->plan, where.config, &s);
    row[0] = id_cell(l->store ? l->trial_ids[trial] : trial + 1);
    row[1] = id_cell(l->store ? store_config_of(l->store, l->trial_ids[trial]) : where.config + 1);
    for (size_t a = 0; a < sweep->n_axes; a++)
        row[LEFT_COLUMNS + a] = axis_cell(&sweep->axes[a], &s, texts);
    row += LEFT_COLUMNS + sweep->n_axes;
    row[0] = (struct cell){.type = CELL_INTEGER, .i = where.replicate};
    row[1] = (struct cell){.type = CELL_INTEGER, .i = where.fold};
    row[2] = text_cell(texts, trial_state_name(state));
    row[3] = (struct cell){.type = CELL_REAL, .f = flops * 1e-9};
    row[4] = (struct cell){.type = CELL_REAL, .f = flops * l->rate};
}

static void fill_names(char **names, const struct sweep *sweep)
{
    static char *const left[LEFT_COLUMNS] = {"trial", "config"};
    static char *const right[RIGHT_COLUMNS] = {"replicate", "fold", "state", "gflop", "seconds"};
    size_t n = 0;

    for (int i = 0; i < LEFT_COLUMNS; i++)
        names[n++] = left[i];
    for (size_t a = 0; a < sweep->n_axes; a++)
        names[n++] = (char *)(uintptr_t)param_table[sweep->axes[a].id].key;
    for (int i = 0; i < RIGHT_COLUMNS; i++)
        names[n++] = right[i];
}

static int print_trials(struct listing *l, const char *format, struct err *err)
{
    const struct job *job = l->job;
    int32_t n_cols = (int32_t)job->sweep.n_axes + LEFT_COLUMNS + RIGHT_COLUMNS;
    size_t n_cells = (size_t)job->plan.n_trials * (size_t)n_cols;
    char **names = calloc((size_t)n_cols, sizeof *names);
    struct cell *cells = calloc(n_cells, sizeof *cells);
    struct table table = {names, n_cols, job->plan.n_trials, cells};
    struct buf texts = {0}, out = {0};
    int rc = 0;

    if (names && cells) {
        fill_names(names, &job->sweep);
        for (int64_t t = 0; t < job->plan.n_trials; t++)
            fill_row(cells + t * n_cols, l, t, &texts);
        for (size_t i = 0; i < n_cells; i++)
            if (cells[i].type == CELL_TEXT)
                cells[i].s = buf_text(&texts) + cells[i].i;
        report_format(&out, &table, format);
    }
    if (!names || !cells || buf_failed(&texts))
        rc = err_nomem(err, "plan", n_cells * sizeof *cells);
    else
        rc = cli_write(stdout, &out, err);
    buf_release(&out);
    buf_release(&texts);
    free(names);
    free(cells);
    return rc;
}

static void print_totals(const struct listing *l)
{
    const struct plan *plan = &l->job->plan;
    double seconds = l->flops_left * l->rate;
    char time[64] = "time not known";

    if (l->rate > 0 || l->flops_left <= 0)
        snprintf(time, sizeof time, "about %.3g core-%s", seconds < 600 ? seconds : seconds / 3600,
                 seconds < 600 ? "seconds" : "hours");
    fprintf(stderr,
            "espalier: %s: %d configurations x %d replicates x %d folds = %lld trials; to run: "
            "%.4g gflop, %s (speed %s)\n",
            l->job->sweep.fixed.v[P_SWEEP_NAME].s, plan->n_configs, plan->replicates, plan->folds,
            (long long)plan->n_trials, l->flops_left * 1e-9, time,
            l->is_measured ? "of one trial, tried here" : "of the finished trials");
}

int plan_list(struct job *job, const char *db, const char *format)
{
    struct listing l = {.job = job};
    struct err err;
    int status = EXIT_OK;

    if (open_listing(&l, db, &err) || print_trials(&l, format, &err))
        status = cli_fail(&err, EXIT_ERROR);
    else
        print_totals(&l);
    close_listing(&l);
    return status;
}
