/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/scale_study.h"

#include <math.h>
#include <stdlib.h>

#include "grid/sweep_file.h"
#include "sched/cost_formula.h"

enum { LEAST_EPOCHS = 5 };
#define TRIAL_S 2.0  /* with the chosen epochs */
#define SHORT_S 0.5  /* with `more` epochs, to choose them */
#define LEAST_S 1e-5 /* for any trial */
/* The times of one combination on a machine without other load differ by less. */
#define STEADY 1.25

/* ---- which configuration ---- */

static bool is_varied(enum param_id id)
{
    return id == P_THREADS || id == P_RANKS;
}

static void put_values(struct buf *out, const struct sweep *sweep, const struct settings *s)
{
    for (size_t a = 0; a < sweep->n_axes; a++) {
        const struct axis *axis = &sweep->axes[a];

        if (is_varied(axis->id) || !settings_has(s, axis->id))
            continue;
        buf_printf(out, "%s%s = ", out->size ? ", " : "", axis->row->key);
        param_format(out, axis->id, s->v[axis->id]);
    }
}

static void put_file(struct scale_study *study, const struct job *job, const struct settings *s)
{
    struct settings measured = *s;

    measured.v[P_WHERE].s = "";
    measured.v[P_KEEP].i = param_choice(P_KEEP, "none");
    measured.v[P_REPLICATES].i = study->replicates;
    measured.v[P_PATIENCE].i = 0;
    measured.v[P_WARMUP_EPOCHS].i = 0;
    sweep_write(&study->file, &job->sweep, &measured);
}

static void describe(struct scale_study *study, const struct job *job, int32_t repeats,
                     int64_t epochs)
{
    int32_t folds = job->plan.folds;
    struct settings s;

    plan_settings(&job->plan, study->config, &s);
    put_values(&study->values, &job->sweep, &s);
    study->n_configs = job->plan.n_configs;
    study->has_workers = settings_has(&s, P_WORKERS);
    study->workers = (int32_t)s.v[P_WORKERS].i;
    study->type = settings_type_name(s.v[P_TYPE]);
    study->replicates = (repeats + folds) / folds;
    study->n_trials = study->replicates * folds;
    if (settings_has(&s, P_EPOCHS)) {
        study->all_epochs = s.v[P_EPOCHS].i;
        study->epochs = epochs;
    }
    put_file(study, job, &s);
}

int scale_choose(struct scale_study *study, const struct job *job, int32_t repeats, int64_t epochs,
                 struct err *err)
{
    struct cost *cost = job_cost_create(job, 1, err);

    *study = (struct scale_study){.config = 0};
    if (!cost)
        return -1;
    for (int32_t c = 1; c < job->plan.n_configs; c++)
        if (cost_seconds(cost, c) > cost_seconds(cost, study->config))
            study->config = c;
    cost_destroy(cost);
    describe(study, job, repeats, epochs);
    return buf_failed(&study->values) || buf_failed(&study->file)
               ? err_nomem(err, "the configuration", 0)
               : 0;
}

/* ---- which combinations ---- */

static void add_point(struct scale_study *study, int32_t threads, int32_t ranks)
{
    study->points[study->n_points++] = (struct scale_point){.threads = threads, .ranks = ranks};
}

static bool has_point(const struct scale_study *study, int32_t threads, int32_t ranks)
{
    for (int32_t i = 0; i < study->n_points; i++)
        if (study->points[i].threads == threads && study->points[i].ranks == ranks)
            return true;
    return false;
}

int scale_combine(struct scale_study *study, const struct scale_list *threads,
                  const struct scale_list *ranks, int32_t cores, struct err *err)
{
    size_t most = (size_t)threads->n * (size_t)ranks->n + 1;

    study->points = calloc(most, sizeof *study->points);
    if (!study->points)
        return err_nomem(err, "combinations", most * sizeof *study->points);
    add_point(study, 1, 1);
    for (int32_t r = 0; r < ranks->n; r++)
        for (int32_t t = 0; t < threads->n; t++)
            if ((int64_t)threads->values[t] * ranks->values[r] <= cores &&
                !has_point(study, threads->values[t], ranks->values[r]))
                add_point(study, threads->values[t], ranks->values[r]);
    return 0;
}

void scale_release(struct scale_study *study)
{
    free(study->points);
    buf_release(&study->values);
    buf_release(&study->file);
    *study = (struct scale_study){.config = 0};
}

/* ---- epochs ---- */

int64_t scale_few_epochs(const struct scale_study *study)
{
    return study->all_epochs < LEAST_EPOCHS ? study->all_epochs : LEAST_EPOCHS;
}

/* At least `least`. */
static int64_t limit_epochs(const struct scale_study *study, double epochs, int64_t least)
{
    return (int64_t)fmin(fmax(ceil(epochs), (double)least), (double)study->all_epochs);
}

int64_t scale_more_epochs(const struct scale_study *study, const struct scale_short *few)
{
    double seconds = fmax(few->seconds, LEAST_S);

    return seconds >= TRIAL_S / 2
               ? few->epochs
               : limit_epochs(study, (double)few->epochs * SHORT_S / seconds, 2 * few->epochs);
}

int64_t scale_epochs(const struct scale_study *study, const struct scale_short *few,
                     const struct scale_short *more)
{
    double seconds = fmax(more->seconds, LEAST_S), each_s = seconds / (double)more->epochs;

    if (more->epochs > few->epochs && more->seconds > few->seconds)
        each_s = (more->seconds - few->seconds) / (double)(more->epochs - few->epochs);
    return limit_epochs(study, (double)more->epochs + (TRIAL_S - seconds) / each_s,
                        scale_few_epochs(study));
}

/* ---- what follows from the times ---- */

double scale_speedup(const struct scale_study *study, const struct scale_point *point)
{
    return study->points[0].seconds / point->seconds;
}

int32_t scale_at_once(const struct scale_point *point, int32_t cores)
{
    return cores / (point->threads * point->ranks);
}

double scale_throughput(const struct scale_study *study, const struct scale_point *point,
                        int32_t cores)
{
    return scale_at_once(point, cores) * scale_speedup(study, point);
}

void scale_take(struct scale_point *point, double *seconds, int32_t n)
{
    point->seconds = cost_median(seconds, n);
    point->least = seconds[n / 4];
    point->most = seconds[n - 1 - n / 4];
}

/* The speed-up, or with cores the throughput. */
static double value_of(const struct scale_study *study, const struct scale_point *point,
                       int32_t cores)
{
    return cores ? scale_throughput(study, point, cores) : scale_speedup(study, point);
}

/* cores 0: by speed-up. */
static const struct scale_point *find_best(const struct scale_study *study, int32_t cores)
{
    const struct scale_point *best = NULL;
    double top = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < study->n_points; i++) {
            const struct scale_point *p = &study->points[i];
            double value = value_of(study, p, cores);

            if (!pass)
                top = fmax(top, value);
            else if (value * SCALE_ALIKE >= top &&
                     (!best || p->threads * p->ranks < best->threads * best->ranks))
                best = p;
        }
    return best;
}

const struct scale_point *scale_fastest(const struct scale_study *study)
{
    return find_best(study, 0);
}

const struct scale_point *scale_busiest(const struct scale_study *study, int32_t cores)
{
    return find_best(study, cores);
}

const struct scale_point *scale_quickest(const struct scale_study *study)
{
    const struct scale_point *top = &study->points[0];

    for (int32_t i = 1; i < study->n_points; i++)
        if (study->points[i].seconds < top->seconds)
            top = &study->points[i];
    return top;
}

/* ---- scatter ---- */

static double ratio(const struct scale_point *p)
{
    return p->most / p->least;
}

/* True if the shortest times of a point and the longest of the best one would change the choice. */
static bool may_be_better(const struct scale_study *study, const struct scale_point *p,
                          const struct scale_point *best, int32_t cores)
{
    double value = value_of(study, p, cores) * p->seconds / p->least,
           top = value_of(study, best, cores) * best->seconds / best->most;

    return p->threads * p->ranks > best->threads * best->ranks ? value > top * SCALE_ALIKE
                                                               : value * SCALE_ALIKE >= top;
}

/* The point of the more scattered times among those that leave the best one open, or `worst`. */
static const struct scale_point *find_doubt(const struct scale_study *study, int32_t cores,
                                            const struct scale_point *worst)
{
    const struct scale_point *best = find_best(study, cores);

    for (int32_t i = 0; i < study->n_points; i++) {
        const struct scale_point *p = &study->points[i], *wider = ratio(p) > ratio(best) ? p : best;

        if (p != best && ratio(wider) >= STEADY && may_be_better(study, p, best, cores) &&
            (!worst || ratio(wider) > ratio(worst)))
            worst = wider;
    }
    return worst;
}

const struct scale_point *scale_unsteady(const struct scale_study *study, int32_t cores)
{
    return find_doubt(study, cores, find_doubt(study, 0, NULL));
}
