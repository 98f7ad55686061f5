/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a run is, for the person who waits: a live line on a terminal, plain lines otherwise. */
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
    int64_t best_id;     /* the best so far, in the database; 0: none has all its trials yet. Set
                            by the caller of progress_trial() */
    int32_t best_n;      /* its trials */
    double best_mean;
    double next_s; /* when to speak again, in elapsed seconds */
    bool line_open;
};

int progress_init(struct progress *p, enum progress_mode mode, const struct plan *plan,
                  struct err *err);
void progress_release(struct progress *p);

/* What the database has of the sweep before this run, whose plan has been registered: the
 * leaderboard ranks all of it, also trials and configurations that this plan has not. known: of the
 * plan. -1 and err. */
int progress_read(struct progress *progress, struct store *store, const struct store_trials *known,
                  struct err *err);

/* A trial that is finished now. value NaN is not counted. True when its configuration is the best
 * so far: as in the view `leaderboard`, of those with the most trials, and with no fewer than the
 * plan's. */
bool progress_trial(struct progress *p, int64_t trial, double value);

void progress_show(struct progress *p, const struct master_progress *now);
/* "1:02:03", "2:03". */
void progress_duration(char *out, size_t size, double seconds);
/* End the live line. */
void progress_finish(struct progress *p);

/* How well a session used its ranks: the row of QUERY_EFFICIENCY as one line without a line end,
 * "ranks were busy 97.1 % of the time; 1.9 % above the lower bound of 11.2 s (total / 2 ranks)".
 * Nothing where there is no row, or no time was measured. */
void progress_efficiency(struct buf *out, const struct result_table *table);

#endif
