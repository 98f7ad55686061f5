/* Train one graph convolutional network and score it: the whole of a trial's arithmetic.
 *
 * No I/O, no globals; the clock is passed in; nothing is allocated inside the epoch loop. The
 * outcome is a function of (spec, inputs, split, key) alone, to the bit, on one machine type. */
#ifndef GCN_TRAIN_H
#define GCN_TRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "data/dataset.h"
#include "data/split.h"
#include "gcn/association.h"
#include "gcn/metric.h"
#include "tensor/activation.h"
#include "tensor/coded.h"
#include "tensor/csr.h"
#include "tensor/mat.h"
#include "tensor/pool.h"

enum optimizer { OPTIMIZER_ADAM, OPTIMIZER_ADAMW, OPTIMIZER_SGD };
enum decay_scope { DECAY_ALL, DECAY_FIRST }; /* weight decay on every layer's W, or the first's */
enum schedule { SCHEDULE_CONSTANT, SCHEDULE_COSINE, SCHEDULE_STEP }; /* schedule.h */
enum class_weights { CLASSES_ALIKE, CLASSES_BALANCED };              /* loss.h */
enum choose_epoch { CHOOSE_LOSS, CHOOSE_OBJECTIVE }; /* what the best epoch is best by */

struct gcn_spec {
    int32_t layers; /* graph convolutions, >= 1 */
    int32_t hidden_size;
    enum activation activation;
    enum pool pool;       /* of the nodes of a graph; POOL_NONE: samples are nodes */
    bool residual;        /* skip connections, hidden.h */
    bool batch_norm;      /* of hidden units, hidden.h */
    double dropout;       /* of hidden units, in [0, 1) */
    double input_dropout; /* of features, in [0, 1) */
    int32_t epochs;
    enum optimizer optimizer;
    double learning_rate;
    enum schedule schedule;
    int32_t step_size; /* epochs, >= 1, and their factor: of SCHEDULE_STEP */
    double step_gamma;
    int32_t warmup_epochs;
    double clip_norm;    /* most length of a gradient; 0: any */
    double weight_decay; /* never on biases */
    enum decay_scope decay_scope;
    double momentum;                  /* sgd */
    double beta1, beta2, epsilon;     /* adam, adamw */
    int32_t batch_size;               /* training samples in a step; 0: all */
    enum choose_epoch choose_epoch;   /* the smallest loss, or the best value of objective */
    int32_t patience;                 /* epochs without a better one by choose_epoch; 0: never */
    enum class_weights class_weights; /* of the loss; for classification */
    enum metric objective;
    bool maximize;
};

/* What is constant over a grid, made once per process and shared, read-only, by its trials. */
struct gcn_inputs {
    const struct dataset *data;
    int32_t n_inputs; /* F: columns that layer 1 multiplies; those of L after a reduction */
    int32_t fan_in;   /* features behind them: what initial weights are scaled by (model.h) */
    struct csr a_hat; /* (N, N) normalised adjacency; where samples are graphs, read M for N here
                       * and in what follows: nodes of all graphs */

    /* Scaled features X (N, F), in the forms that are there: has[enum first_form]. */
    bool has[FIRST_FORM_COUNT];
    struct mat ax;        /* (N, F) A^X */
    struct csr ax_sparse; /* (N, F) A^X */
    struct csr x_sparse;  /* (N, F) */
    struct coded coded;   /* (N, F) */

    /* For input dropout X itself: x_sparse where that is there, otherwise this. After a reduction
     * L, without which weights by its columns mean nothing to others (trial/kept.h). */
    struct mat x; /* (N, F); empty where no trial drops inputs, and nothing is reduced */

    /* What ridge sees in the place of all this (ridge.h). */
    double *kernel;   /* (n_kernel, n_kernel) products of all pairs of samples; NULL where not */
    int32_t n_kernel; /* N, or 0 */

    bool is_view; /* the arrays are somebody else's (inputs_pack.h): never freed here */
};

enum feature_scale {
    SCALE_NONE,
    SCALE_STANDARDIZE, /* each feature to mean 0, sd 1 over all samples; dense only */
    SCALE_ROW,         /* each sample's features divided by their sum (Kipf & Welling 2017) */
};

/* What inputs are made for, beside data and graph. */
struct gcn_inputs_spec {
    enum feature_scale scale;
    bool drops_inputs;  /* also for trials with input dropout, which need X itself */
    bool small_batches; /* also for trials whose steps need few rows, for which A^X is cheaper */
    int32_t reduce;     /* REDUCE_NONE, REDUCE_EXACT, or leading directions to keep (reducer.h) */
};

/* adjacency is borrowed for the call; spec->reduce is not looked at. Pair with
 * gcn_inputs_release(). */
int gcn_inputs_init(struct gcn_inputs *inputs, const struct dataset *data,
                    const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                    struct err *err);
/* The same with reduced features l (N, rank) from reducer_make(), borrowed for the call: A^L takes
 * the place of A^X. */
int gcn_inputs_init_reduced(struct gcn_inputs *inputs, const struct dataset *data,
                            const struct csr *adjacency, const struct mat *l, struct err *err);
void gcn_inputs_release(struct gcn_inputs *inputs);

enum gcn_phase { GCN_FORWARD, GCN_BACKWARD, GCN_OPTIMIZER, GCN_EVALUATION, GCN_PHASE_COUNT };

enum gcn_status {
    GCN_DONE,
    GCN_DIVERGED, /* a loss was not finite; scores are those of the best epoch before, if any */
    GCN_STOPPED,  /* the observer said so; nothing in the outcome counts */
};

/* val_ is the part that chooses the epoch: stop, where the split has one. */
struct gcn_epoch {
    double train_loss; /* mean over the epoch's training samples, as trained (with dropout, and
                        * class weights: val_loss too) */
    double val_loss;
    double val_value; /* the objective */
    double seconds;   /* since training began, breaks left out */
};

struct gcn_outcome {
    enum gcn_status status;
    int32_t epochs_run;
    int32_t best_epoch; /* by choose_epoch on the part that chooses it; from 1; 0: none finished */
    double value;       /* objective of val at the best epoch; NaN where none finished. While it
                         * trains: of the part that chooses the epoch */
    double metrics[PART_COUNT]
                  [METRIC_COUNT]; /* [enum part][metric] at the best epoch; NaN where undefined */
    double losses[PART_COUNT];    /* [enum part] likewise */
    double seconds[GCN_PHASE_COUNT];
    double flops;            /* of the matrix products done, counted from shapes */
    struct gcn_epoch *curve; /* [epochs] caller-allocated; the first epochs_run are filled */
    int32_t resumed_epoch;   /* went on from the state after this epoch; 0: from the beginning */
    char reason[128];        /* of divergence: "train loss is inf in epoch 3" */

    /* What predicts: of the best epoch, or the initial ones where epochs = 0. */
    const float *weights; /* [n_weights] as model.h lays them out; in scratch; NULL where none */
    int64_t n_weights;
    int32_t n_outputs;             /* C */
    double target_mean, target_sd; /* regression: prediction = output x sd + mean; else 0 and 1 */
};

struct gcn_run; /* a training under way */

struct gcn_observer {
    /* Asked after every epoch; false ends the trial with GCN_STOPPED. May call gcn_save(). */
    bool (*epoch_done)(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run);
    void *arg;
    /* What gcn_save() wrote of the same trial, to go on from there to the same outcome, bit for bit
     * but for times; borrowed. NULL, or nothing that fits (outcome->resumed_epoch tells): from the
     * beginning. Each call of epoch_done sees the whole, as if there had been no break. */
    const void *state;
    size_t state_bytes;
};

/* The training between two epochs, appended to out (checkpoint.h): three or four times the weights,
 * and the curve. */
void gcn_save(struct buf *out, const struct gcn_run *run);
size_t gcn_save_bytes(const struct gcn_run *run); /* how much that is */

/* Train and score. outcome->curve is set by the caller, all else here. scratch holds everything the
 * trial needs and is not reset. threads is that of one dense product; the rest is
 * single-threaded. observer may be NULL. epochs = 0 scores the initial weights (best_epoch 0).
 * -1 and err only when memory is short. */
int gcn_train(struct gcn_outcome *outcome, const struct gcn_spec *spec,
              const struct gcn_inputs *inputs, const struct split *split, struct hash key,
              int threads, struct arena *scratch, const struct clock *clock,
              const struct gcn_observer *observer, struct err *err);

/* The work of a trial, from shapes alone (outline.h). */
struct gcn_cost {
    double flops; /* of the matrix products */
    double bytes; /* moved: operands and results of the products, state of the optimiser */
    double steps; /* of the optimiser */
};

#endif
