/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a run on stderr: a line that is redrawn on a terminal, plain lines elsewhere. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "grid/plan.h"
#include "sched/master.h"
#include "store/query/query.h"
#include "store/store.h"

enum progress_mode { PROGRESS_NONE, PROGRESS_PLAIN, PROGRESS_LIVE };

/* "auto" (live if stderr is a terminal), "live", "plain", "none". */
enum progress_mode progress_mode(const char *name);

struct progress {
    enum progress_mode mode;
    const struct plan *plan; /* borrowed */
    const char *objective;   /* "val_pearson" */
    bool maximize;
    double *sum;         /* [n_configs] of the objective over finished trials */
    int32_t *n_finished; /* [n_configs] */
    int64_t best_id; /* by number in the database, set by the caller of progress_trial(); 0: none */
    int32_t best_n;
    double best_mean;
    double next_s; /* when to print again */
    bool line_open;
};

int progress_init(struct progress *p, enum progress_mode mode, const struct plan *plan,
                  struct err *err);
void progress_release(struct progress *p);

/* Read the sweep's scores, including those of configurations that are not in this plan. known: of
 * the registered plan. */
int progress_read(struct progress *progress, struct store *store, const struct store_trials *known,
                  struct err *err);

/* Count a finished trial, unless its value is NaN. True if its configuration is now the best: among
 * those with the most trials, at least as many as the plan has for each. */
bool progress_trial(struct progress *p, int64_t trial, double value);

/* Print the line if it is time for one. It never wraps. */
void progress_show(struct progress *p, const struct master_progress *now);
void progress_finish(struct progress *p);

enum { PROGRESS_RATE = 32 };

/* "3.2/s", "12/min", "0.5/h". */
void progress_rate(char out[PROGRESS_RATE], double per_s);
/* The same in the unit of another rate. */
void progress_rate_like(char out[PROGRESS_RATE], double per_s, double like_per_s);

/* Append a sentence: "ranks were busy 97.1 % of the time; the run took 1.9 % longer than the 11 s of
 * all trials spread evenly over 2 ranks". Nothing if the trials took no time. */
void progress_efficiency(struct buf *out, const struct query_efficiency *e);

#endif
