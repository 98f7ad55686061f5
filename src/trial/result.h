/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of a trial; failure and divergence are results, too. */
#ifndef TRIAL_RESULT_H
#define TRIAL_RESULT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "gcn/train.h"
#include "grid/settings.h"
#include "program/report.h" /* struct program_metric, struct program_point */

/* State from which a stopped trial continues. */
struct trial_checkpoint {
    int64_t trial;     /* number in the plan */
    int32_t epoch;     /* last epoch run, from 1 */
    double left;       /* share of epochs still to run, in [0, 1) */
    double seconds;    /* so far, over all attempts */
    size_t bytes;      /* of the state */
    const void *state; /* [bytes] of gcn_save() (gcn/train.h); borrowed */
};

bool trial_checkpoint_is_valid(const struct trial_checkpoint *checkpoint);

/* Wire format. Unpacking borrows the state; -1: truncated, or a number out of range. */
void trial_checkpoint_pack(struct buf *out, const struct trial_checkpoint *checkpoint);
int trial_checkpoint_unpack(struct trial_checkpoint *checkpoint, struct cursor *in);

/* HELD: waits for a decision of the search, before it runs or at a rung, where it has reported a curve. STOPPED:
 * by such a decision. */
#define TRIAL_STATE_TABLE(X) \
    X(PENDING, "pending")    \
    X(RUNNING, "running")    \
    X(DONE, "done")          \
    X(DIVERGED, "diverged")  \
    X(FAILED, "failed")      \
    X(HELD, "held")          \
    X(STOPPED, "stopped")

enum trial_state {
#define TRIAL_STATE_ENUM(id, name) TRIAL_##id,
    TRIAL_STATE_TABLE(TRIAL_STATE_ENUM)
#undef TRIAL_STATE_ENUM
        TRIAL_STATE_COUNT
};

const char *trial_state_name(enum trial_state state);
int trial_state_parse(const char *name); /* -1: no such state */
/* True for the outcome of an attempt that ended with a result of its trial, maybe at a rung. */
bool trial_is_result(const char *outcome);

#define TRIAL_PHASE_TABLE(X)                                      \
    X(LOAD, "load") /* data, graph, split that were not cached */ \
    X(FORWARD, "forward")                                         \
    X(BACKWARD, "backward")                                       \
    X(OPTIMIZER, "optimizer")                                     \
    X(EVALUATION, "evaluation")                                   \
    X(WAITING, "waiting") /* of the worker for this trial */

enum trial_phase {
#define TRIAL_PHASE_ENUM(id, name) PHASE_##id,
    TRIAL_PHASE_TABLE(TRIAL_PHASE_ENUM)
#undef TRIAL_PHASE_ENUM
        PHASE_COUNT
};

const char *trial_phase_name(enum trial_phase phase);

/* A time in which a program ran until it ended unasked, to be started again. */
struct trial_restart {
    double started, finished; /* Unix seconds */
    int64_t was_killed;       /* 1: by a signal of others, 0: it exited with 75 */
};

/* One of the ranks that ran a trial together. */
struct trial_member {
    int32_t rank;
    const char *host; /* borrowed */
};

struct trial_result {
    /* Numbers, up to `error`, are sent as they are. */
    int64_t trial; /* number in the plan */
    enum trial_state
        state; /* DONE, DIVERGED, FAILED; HELD: at its rung, with this curve; PENDING: stopped with this
                * curve, run it again */
    int32_t rung; /* to which it ran; SETTINGS_LAST_RUNG: to its end */
    int32_t epochs_run, best_epoch;
    int32_t resumed_epoch; /* continued after this epoch; 0: from the start */
    double value;          /* objective; NaN if undefined */
    double seconds;        /* of the attempt and earlier_s, without waiting */
    double earlier_s;      /* of the attempts that this one continues; negative: minus the time of
                              a program that was killed without a checkpoint and started again */
    double predicted;      /* by the scheduler; NaN: nothing, as in a result that was received */
    double flops;
    int64_t peak_bytes; /* scratch memory taken, also what was never written; of the leader */
    double metrics[PART_COUNT][METRIC_COUNT]; /* [enum part][enum metric], NaN if undefined */
    double losses[PART_COUNT];                /* [enum part] */
    double timing[PHASE_COUNT];               /* seconds */
    double started, finished;                 /* Unix seconds */
    int32_t rank, pid;
    size_t model_bytes; /* set, too, if the model was too large to keep */
    size_t log_bytes;
    int64_t log_total;
    int32_t n_curve, n_reported, n_curve_names, n_points, n_files, n_restarts;
    bool drops_checkpoint; /* its folder has one that is needed until the result is on disk */

    char error[256]; /* reason of DIVERGED and FAILED; else "" */
    char host[64];
    /* All ranks of its gang, `rank` too. Set by the scheduler, borrowed. Not sent. */
    const struct trial_member *members; /* [n_members] */
    int32_t n_members;

    /* Owned: */
    struct gcn_epoch *curve; /* [n_curve] */
    void *model;             /* [model_bytes] file of trial/kept.h; NULL: not kept */
    /* For programs; models leave all of it zero. */
    struct program_metric *reported; /* [n_reported] at the best epoch; names differ */
    int32_t *epochs; /* [n_curve] numbers as reported, from 0, ascending; NULL: 1, 2 ... n_curve */
    char (*curve_names)[PROGRAM_NAME]; /* [n_curve_names] they differ */
    struct program_point *points; /* [n_points] values that `curve` has no member for; each epoch
                                     and name at most once */
    char *log;    /* [log_bytes] the last of log_total bytes of output; NULL: none was recorded */
    char **files; /* [n_files] names of kept files in the trial's folder; they differ */
    int64_t *files_bytes;           /* [n_files] their sizes */
    struct trial_restart *restarts; /* [n_restarts] after each, the program was started again */
};

void trial_result_init(struct trial_result *r, int64_t trial); /* FAILED, NaNs, no curve */
void trial_result_release(struct trial_result *r);

/* Wire format. Unpacking returns -1 for a truncated or foreign message; r is then released. */
void trial_result_pack(struct buf *out, const struct trial_result *r);
int trial_result_unpack(struct trial_result *r, struct cursor *in);

/* One of several ranks that run a trial together (a gang, doc/decisions/0051). Only the result of
 * rank 0 counts; the others return DONE, FAILED with a reason, or PENDING. */
enum { TRIAL_LOCAL_RANKS = 256, TRIAL_TOKEN = 64 };
struct trial_gang {
    int32_t rank, size;
    int32_t local_rank, local_size; /* among the ranks on this host */
    char address[64];               /* of rank 0: a name or number that all ranks can reach */
    int32_t port;                   /* was free on rank 0's host */
    char token[TRIAL_TOKEN];        /* no other gang has it; of models, only members know it */
    int32_t host, n_hosts;          /* number of this host in the gang, from 0 */
    /* [n_local] ranks of the launch: the first members on this host, in order of their local_rank */
    int32_t local_ranks[TRIAL_LOCAL_RANKS];
    int32_t n_local;
};

struct gang_counts; /* gang/gang.h */

/* The caller of a trial. */
struct trial_watch {
    /* Called at least once an epoch; false: the trial must return with state PENDING. */
    bool (*keep_going)(void *arg);
    /* Called while a member of a gang waits for others, every tenth of a second or sooner; false:
     * the gang is over, return at once with state PENDING. */
    bool (*keep_waiting)(void *arg);
    /* keep_going() may have set kill_s, when there is no time to save the state. NULL: there always is. */
    const struct deadline *deadline;
    /* Take a checkpoint, borrowed for the call: now and then, and before PENDING. NULL: none are
     * kept. */
    void (*save)(void *arg, const struct trial_checkpoint *checkpoint);
    /* Take what a program has reported so far, as of a stopped trial, borrowed for the call: now and
     * then. NULL: no one wants it. */
    void (*report)(void *arg, const struct trial_result *so_far);
    /* Take the counters of a gang since its member began: now and then, and at the end. NULL: no
     * one wants them. */
    void (*count)(void *arg, const struct gang_counts *counts);
    void *arg;
    const struct trial_checkpoint *from; /* NULL: start anew */
    int64_t id;                          /* number in the database; 0: unknown */
    int32_t
        rung; /* where the trial waits, HELD (settings_rung_epochs()); SETTINGS_LAST_RUNG: nowhere */
    const struct trial_gang *gang; /* NULL: this rank runs the trial alone */
};

struct runner {
    /* Run trial `number` and fill r, initialised by the caller. A trial that cannot run gets state
     * FAILED and a reason; one that cannot continue starts anew. */
    void (*run)(void *self, struct trial_result *r, int64_t number,
                const struct trial_watch *watch);
    bool isolates; /* trials are processes of their own: none takes down the one that calls run() */
    /* Asked after run(): why no trial can run in this process any more; the last one is then PENDING.
     * Returns "" if they can. NULL: they always can. */
    const char *(*unable)(const void *self);
    /* Take rows of the plan that were proposed since (plan_take_rows()). NULL: there are none. */
    int (*rows)(void *self, struct cursor *in);
    void *self;
};

#endif
