/* How far a run is, for the person who waits: a live line on a terminal, plain lines otherwise. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "grid/plan.h"
#include "sched/master.h"

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
    int32_t best_config; /* of the complete ones, in the plan; -1: none yet */
    int64_t best_id;     /* the same in the database; set by the caller of progress_trial() */
    double best_mean;
    double next_s; /* when to speak again, in elapsed seconds */
    bool line_open;
};

int progress_init(struct progress *p, enum progress_mode mode, const struct plan *plan,
                  struct err *err);
void progress_release(struct progress *p);

/* A trial that is finished, now or before this run. value NaN is not counted. True when it made its
 * configuration complete and the best so far. */
bool progress_trial(struct progress *p, int64_t trial, double value);

void progress_show(struct progress *p, const struct master_progress *now);
/* "1:02:03", "2:03". */
void progress_duration(char *out, size_t size, double seconds);
/* End the live line. */
void progress_finish(struct progress *p);

#endif
