/* SPDX-License-Identifier: BSD-3-Clause */
/* What became of a trial. Failing and diverging are results too. */
#ifndef TRIAL_RESULT_H
#define TRIAL_RESULT_H

#include <stdbool.h>

#include "base/buf.h"
#include "gcn/train.h"

/* How far a trial has come: what a stopped one goes on from. */
struct trial_checkpoint {
    int64_t trial;     /* number in the plan */
    int32_t epoch;     /* the last that was run, from 1 */
    double left;       /* share of the trial's epochs that are not run yet, in [0, 1) */
    double seconds;    /* that the trial took so far, in all attempts that led here */
    const void *state; /* [bytes] of gcn_save() (gcn/train.h); borrowed */
    size_t bytes;
};

/* Whether its numbers are in their ranges. */
bool trial_checkpoint_is_valid(const struct trial_checkpoint *checkpoint);

/* Wire format. Unpacking borrows the state from the message; -1 where that is cut, or no number can
 * be what it says. */
void trial_checkpoint_pack(struct buf *out, const struct trial_checkpoint *checkpoint);
int trial_checkpoint_unpack(struct trial_checkpoint *checkpoint, struct cursor *in);

/* name in the database */
#define TRIAL_STATE_TABLE(X) \
    X(PENDING, "pending")    \
    X(RUNNING, "running")    \
    X(DONE, "done")          \
    X(DIVERGED, "diverged")  \
    X(FAILED, "failed")

enum trial_state {
#define TRIAL_STATE_ENUM(id, name) TRIAL_##id,
    TRIAL_STATE_TABLE(TRIAL_STATE_ENUM)
#undef TRIAL_STATE_ENUM
        TRIAL_STATE_COUNT
};

const char *trial_state_name(enum trial_state state);
int trial_state_parse(const char *name); /* -1 where there is none */

/* Where a trial's seconds went. */
#define TRIAL_PHASE_TABLE(X)                                          \
    X(LOAD, "load") /* data, graph, split: what was not cached yet */ \
    X(FORWARD, "forward")                                             \
    X(BACKWARD, "backward")                                           \
    X(OPTIMIZER, "optimizer")                                         \
    X(EVALUATION, "evaluation")                                       \
    X(WAITING, "waiting") /* of the worker for this trial, before it began */

enum trial_phase {
#define TRIAL_PHASE_ENUM(id, name) PHASE_##id,
    TRIAL_PHASE_TABLE(TRIAL_PHASE_ENUM)
#undef TRIAL_PHASE_ENUM
        PHASE_COUNT
};

const char *trial_phase_name(enum trial_phase phase);

struct trial_result {
    int64_t trial;          /* number in the plan */
    enum trial_state state; /* DONE, DIVERGED, FAILED; PENDING: stopped, to be run again */
    char error[256];        /* reason of DIVERGED and FAILED; "" otherwise */
    double value;           /* the objective; NaN where there is none */
    int32_t epochs_run;
    int32_t best_epoch;
    double seconds;        /* wall time, waiting left out: of the attempt, and earlier_s */
    double earlier_s;      /* of the attempts that this one went on from */
    int32_t resumed_epoch; /* went on after this epoch; 0: from the beginning */
    double predicted; /* seconds the scheduler expected; NaN: none. Not sent: it knows itself */
    double flops;
    int64_t peak_bytes;                       /* scratch memory of the trial */
    double metrics[PART_COUNT][METRIC_COUNT]; /* [enum part][enum metric], NaN where undefined */
    double losses[PART_COUNT];                /* [enum part] */
    double timing[PHASE_COUNT];               /* seconds */
    int32_t rank;
    int32_t pid;
    char host[64];
    double started, finished; /* Unix seconds */
    struct gcn_epoch *curve;  /* [n_curve] owned */
    int32_t n_curve;
    void *model;        /* [model_bytes] owned: the file of trial/kept.h; NULL: none is kept */
    size_t model_bytes; /* without a model: how large it would have been, where that is too much */
};

void trial_result_init(struct trial_result *r, int64_t trial); /* FAILED, NaNs, no curve */
void trial_result_release(struct trial_result *r);

/* Wire format. Unpacking a truncated or foreign message is -1 (and leaves r released). */
void trial_result_pack(struct buf *out, const struct trial_result *r);
int trial_result_unpack(struct trial_result *r, struct cursor *in);

/* Something that runs trials: the GCN, or a stand-in of the tests. */

/* Who has a trial run, from inside it. */
struct trial_watch {
    /* Asked at least once an epoch; false: leave with state PENDING. */
    bool (*keep_going)(void *arg);
    /* Here is how far the trial has come; borrowed for the call. Where it is worth keeping: before
     * it leaves with PENDING, and now and then. NULL: nobody keeps any. */
    void (*save)(void *arg, const struct trial_checkpoint *checkpoint);
    void *arg;
    const struct trial_checkpoint *from; /* to go on from; NULL: from the beginning */
};

struct runner {
    /* Run trial `number` to its end, filling r (initialised by the caller). Never fails: a trial
     * that cannot run has state FAILED and a reason; one that cannot go on begins anew. */
    void (*run)(void *self, struct trial_result *r, int64_t number,
                const struct trial_watch *watch);
    void *self;
};

#endif
