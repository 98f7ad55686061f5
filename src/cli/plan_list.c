#include "cli/plan_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grid/param.h"
#include "report/report.h"

/* Columns: trial, config, the axes, replicate, fold, gflop, seconds. */
enum { LEFT_COLUMNS = 2, RIGHT_COLUMNS = 4 };

/* Seconds a flop, from the database where there is one that knows, else measured. */
static int find_rate(double *rate, struct job *job, const char *db, struct err *err)
{
    struct store *store;

    *rate = 0;
    if (access(db, F_OK) == 0) {
        if (store_open_reader(&store, db, err))
            return -1;
        *rate = store_seconds_per_flop(store);
        store_close(store);
    }
    if (*rate <= 0)
        *rate = job_measure_rate(job, err);
    return *rate < 0 ? -1 : 0;
}

static struct cell axis_cell(const struct axis *axis, const struct settings *s, struct buf *texts)
{
    const struct param *p = &param_table[axis->id];
    union value value = s->v[axis->id];
    struct buf text = {0};
    struct cell cell = {.type = CELL_TEXT};

    if (p->type == PARAM_REAL)
        return (struct cell){.type = CELL_REAL, .f = value.f};
    if (p->type == PARAM_INT || (p->type == PARAM_COUNT && value.i))
        return (struct cell){.type = CELL_INTEGER, .i = value.i};
    param_format(&text, axis->id, value);
    /* Offsets now, pointers once the buffer no longer moves. */
    cell.i = (int64_t)texts->size;
    buf_add(texts, buf_text(&text), text.size + 1);
    buf_release(&text);
    return cell;
}

static void fill_row(struct cell *row, const struct job *job, int64_t trial, double rate,
                     struct buf *texts)
{
    struct plan_trial where = plan_trial(&job->plan, trial);
    size_t n_axes = job->sweep.n_axes;
    double flops = job->config_flops[where.config];
    struct settings s;

    plan_settings(&job->plan, where.config, &s);
    row[0] = (struct cell){.type = CELL_INTEGER, .i = trial + 1};
    row[1] = (struct cell){.type = CELL_INTEGER, .i = where.config + 1};
    for (size_t a = 0; a < n_axes; a++)
        row[LEFT_COLUMNS + a] = axis_cell(&job->sweep.axes[a], &s, texts);
    row += LEFT_COLUMNS + n_axes;
    row[0] = (struct cell){.type = CELL_INTEGER, .i = where.replicate};
    row[1] = (struct cell){.type = CELL_INTEGER, .i = where.fold};
    row[2] = (struct cell){.type = CELL_REAL, .f = flops * 1e-9};
    row[3] = (struct cell){.type = CELL_REAL, .f = flops * rate};
}

static void fill_names(char **names, const struct sweep *sweep)
{
    static char *const left[LEFT_COLUMNS] = {"trial", "config"};
    static char *const right[RIGHT_COLUMNS] = {"replicate", "fold", "gflop", "seconds"};
    size_t n = 0;

    for (int i = 0; i < LEFT_COLUMNS; i++)
        names[n++] = left[i];
    for (size_t a = 0; a < sweep->n_axes; a++)
        names[n++] = (char *)(uintptr_t)param_table[sweep->axes[a].id].key;
    for (int i = 0; i < RIGHT_COLUMNS; i++)
        names[n++] = right[i];
}

static int print_trials(const struct job *job, double rate, const char *format, struct err *err)
{
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
            fill_row(cells + t * n_cols, job, t, rate, &texts);
        for (size_t i = 0; i < n_cells; i++)
            if (cells[i].type == CELL_TEXT)
                cells[i].s = buf_text(&texts) + cells[i].i;
        report_format(&out, &table, format);
    }
    if (!names || !cells || buf_failed(&texts) || buf_failed(&out))
        rc = err_nomem(err, "plan", n_cells * sizeof *cells);
    else
        fputs(buf_text(&out), stdout);
    buf_release(&out);
    buf_release(&texts);
    free(names);
    free(cells);
    return rc;
}

static void print_totals(const struct job *job, double rate)
{
    const struct plan *plan = &job->plan;
    double flops = 0, hours;

    for (int32_t c = 0; c < plan->n_configs; c++)
        flops += job->config_flops[c] * plan->replicates * plan->folds;
    hours = flops * rate / 3600;
    fprintf(stderr,
            "espalier: %s: %d configurations x %d replicates x %d folds = %lld trials, %.4g "
            "gflop, about %.3g core-%s\n",
            job->sweep.fixed.v[P_SWEEP_NAME].s, plan->n_configs, plan->replicates, plan->folds,
            (long long)plan->n_trials, flops * 1e-9, hours < 0.1 ? hours * 3600 : hours,
            hours < 0.1 ? "seconds" : "hours");
}

int plan_list(struct job *job, const char *db, const char *format)
{
    struct err err;
    double rate;

    if (find_rate(&rate, job, db, &err) || print_trials(job, rate, format, &err))
        return cli_fail(&err, EXIT_ERROR);
    print_totals(job, rate);
    return EXIT_OK;
}
