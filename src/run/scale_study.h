/* SPDX-License-Identifier: BSD-3-Clause */
/* How the time of one trial depends on threads and ranks (`espalier scale`).
 *
 * A combination of threads and ranks is a run of one configuration in a temporary folder, with a
 * database of its own: a first trial that does not count, then the measured ones. */
#ifndef RUN_SCALE_STUDY_H
#define RUN_SCALE_STUDY_H

#include "run/job.h"

enum { SCALE_MOST = 64 };
/* Measured times differ by some percent. */
#define SCALE_ALIKE 1.05

struct scale_list {
    int32_t values[SCALE_MOST];
    int32_t n;
};

struct scale_point {
    int32_t threads, ranks;
    double seconds;       /* median of the measured trials */
    double least, most;   /* likewise, without the shortest quarter and the longest one */
    double communication; /* share of the time in trials, over all ranks */
};

struct scale_study {
    int32_t config;     /* in the plan, from 0 */
    int32_t n_configs;  /* of the plan */
    struct buf values;  /* "hidden_size = 64, dropout = 0.2"; "": there is no such axis. Owned */
    const char *type;   /* of model */
    bool has_workers;   /* false: a type without gradient steps */
    int32_t workers;    /* 1 without */
    int64_t epochs;     /* measured; 0: not chosen yet, or a model without epochs */
    int64_t all_epochs; /* of the sweep file; 0: a model without epochs */
    int32_t replicates, n_trials; /* of each combination; n_trials with the first one */
    struct buf file;              /* its sweep file; owned */
    struct scale_point *points;   /* [n_points] owned; the first is 1 x 1 */
    int32_t n_points;
};

/* Choose the most expensive configuration of the plan. repeats: trials to measure at least. epochs:
 * to train, or 0. The job may be released then. -1 and err. Pair with scale_release(), whatever the
 * result. */
int scale_choose(struct scale_study *study, const struct job *job, int32_t repeats, int64_t epochs,
                 struct err *err);

/* Add 1 x 1, and all combinations of at most `cores` processors. */
int scale_combine(struct scale_study *study, const struct scale_list *threads,
                  const struct scale_list *ranks, int32_t cores, struct err *err);

/* Run them. Without epochs, short runs choose so many that a trial of 1 x 1 takes about 2 s. Call
 * stop_heed() before. is_stopped out: a signal asked to stop. -1 and err: a run failed.
 * The temporary folder is gone in any case. */
int scale_measure(struct scale_study *study, bool *is_stopped, struct err *err);

void scale_release(struct scale_study *study);

/* A trial of 1 x 1 with so many epochs. */
struct scale_short {
    int64_t epochs;
    double seconds;
};

/* The epochs of two short trials, and those of a trial of about 2 s that follow from their times: an
 * epoch takes the difference, without what a trial does once. At least 5, at most all. If the first
 * trial is not worth a second one, `more` has the epochs of `few`. */
int64_t scale_few_epochs(const struct scale_study *study);
int64_t scale_more_epochs(const struct scale_study *study, const struct scale_short *few);
int64_t scale_epochs(const struct scale_study *study, const struct scale_short *few,
                     const struct scale_short *more);

/* Set seconds, least and most of a point from its n > 0 times, which become ascending. */
void scale_take(struct scale_point *point, double *seconds, int32_t n);

/* For a measured point: the time on one core relative to its own; trials that fit on the machine at
 * once; finished trials relative to one core that runs trials one after another. */
double scale_speedup(const struct scale_study *study, const struct scale_point *point);
int32_t scale_at_once(const struct scale_point *point, int32_t cores);
double scale_throughput(const struct scale_study *study, const struct scale_point *point,
                        int32_t cores);

/* The best point by speed-up, and by throughput. Within 5 % the one of fewer cores is better. */
const struct scale_point *scale_fastest(const struct scale_study *study);
const struct scale_point *scale_busiest(const struct scale_study *study, int32_t cores);
/* The one of the shortest time, by however little. */
const struct scale_point *scale_quickest(const struct scale_study *study);

/* The point whose times scatter most (`most` is at least 1.25 of `least`), if another one might be
 * better within the times of both; else NULL. */
const struct scale_point *scale_unsteady(const struct scale_study *study, int32_t cores);

#endif
