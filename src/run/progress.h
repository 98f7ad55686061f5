/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a run on stderr: a line that is redrawn on a terminal, plain lines elsewhere. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "grid/plan.h"
#include "sched/master.h"
#include "store/result_table.h"
#include "store/store.h"

enum progress_mode { PROGRESS_NONE, PROGRESS_PLAIN, PROGRESS_LIVE };

/* "auto" (live if stderr is a terminal), "live", "plain", "none". */
enum progress_mode progress_mode(const char *name);

struct progress {
    enum progress_mode mode;
    const struct plan *plan; /* borrowed */
    const char *objective;   /* "val_pearson" */
    bool maximize;
    double *sum;         /* [n_configs] of the objective over finished trials; owned */
    int32_t *n_finished; /* [n_configs] trials of the configuration that are done */
    int64_t best_id; /* the best configuration so far, by its number in the database; 0: none has
                            all its trials yet. The caller of progress_trial() sets it */
    int32_t best_n;  /* its trials */
    double best_mean;
    double next_s;  /* when to print again, in elapsed seconds */
    bool line_open; /* the live line is on the screen */
};

int progress_init(struct progress *p, enum progress_mode mode, const struct plan *plan,
                  struct err *err);
void progress_release(struct progress *p);

/* Read the scores that the database already has for the sweep. The plan of this run has been
 * registered. Like the leaderboard, progress ranks all configurations of the sweep, including those
 * that are not in this plan. known: of the plan. -1 and err. */
int progress_read(struct progress *progress, struct store *store, const struct store_trials *known,
                  struct err *err);

/* Count a trial that has just finished; a value of NaN is not counted. True if its configuration is
 * now the best: as in the view `leaderboard`, among those with the most trials, and with at least
 * as many as the plan has for each. */
bool progress_trial(struct progress *p, int64_t trial, double value);

/* Print a line if it is time for one. The live line never wraps: on a narrow terminal its last parts
 * are left out. */
void progress_show(struct progress *p, const struct master_progress *now);
/* Clear the live line. */
void progress_finish(struct progress *p);

enum { PROGRESS_RATE = 32 };

/* "3.2/s", "12/min", "0.5/h". */
void progress_rate(char out[PROGRESS_RATE], double per_s);

/* Append how well a session used its ranks, from the row of QUERY_EFFICIENCY, without a line feed:
 * "ranks were busy 97.1 % of the time; the run took 1.9 % longer than the shortest possible time of
 * 11 s (all trials spread evenly over 2 ranks)". Nothing is appended without a row or a time. */
void progress_efficiency(struct buf *out, const struct result_table *table);

#endif
