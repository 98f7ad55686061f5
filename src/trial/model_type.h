/* SPDX-License-Identifier: BSD-3-Clause */
/* The model types: one row each, with what the rest of the program may ask about a type, and what
 * it does. No code outside the rows compares types or names one (tests/arch/kinds.awk).
 *
 * To add a type: a file model_NAME.c with its row; in grid/param_table.h its name in MODEL_TYPES, and
 * in the lists of those that have a setting, for the settings that not every type has. */
#ifndef TRIAL_MODEL_TYPE_H
#define TRIAL_MODEL_TYPE_H

#include "gcn/cost.h"
#include "gcn/train.h"
#include "grid/settings.h"
#include "tensor/lapack.h"
#include "trial/derived.h"

/* ---- inputs ---- */

/* What tells the inputs of two configurations apart, compared byte by byte. Members that a kind of
 * inputs does not depend on are 0. */
struct inputs_key {
    const struct inputs_type *type;
    struct graph_spec graph;
    struct gcn_inputs_spec spec;
};

/* A kind of inputs: what is constant over a grid, is made once and shared by its trials. Model types
 * that start from the same inputs have the same kind. An outline says what the inputs will be
 * before they are made. */
struct inputs_type {
    size_t size;         /* of the struct of the inputs, */
    size_t outline_size; /* and of the outline */

    /* Fill a zeroed key (all but type). -1 and err where the settings do not suit the data. */
    int (*key)(struct inputs_key *key, const struct dataset *data, const struct settings *s,
               struct err *err);
    /* outline: zeroed. -1 and err where the inputs cannot be made. Pair with forget() (NULL: it has
     * nothing to release), also after a failure. */
    int (*outline)(void *outline, struct derived *derived, const struct inputs_key *key,
                   struct err *err);
    void (*forget)(void *outline);
    double (*bytes)(const void *outline); /* memory of the inputs */
    /* inputs: zeroed. The outline may change. */
    int (*make)(void *inputs, void *outline, struct derived *derived, const struct inputs_key *key,
                struct err *err);
    void (*release)(void *inputs);

    /* The inputs as one block of bytes, 64-byte aligned; a view borrows block and data. */
    size_t (*packed_bytes)(const void *inputs);
    void (*pack)(void *block, const void *inputs);
    int (*view)(void *inputs, const struct dataset *data, const void *block, size_t bytes,
                struct err *err);
};

/* ---- one trial ---- */

/* A trial to train. All is borrowed. */
struct model_training {
    const struct settings *settings; /* resolved */
    const struct dataset *data;
    const void *inputs; /* of the type's kind; NULL where it has none */
    const struct split *split;
    struct hash key;       /* of the random numbers */
    struct arena *scratch; /* holds what train() makes; not reset */
    const struct clock *clock;
    const struct gcn_observer *observer; /* asked after each epoch, */
    const struct lapack_watch *watch;    /* or, where there are none, now and then */

    /* Set by train(): */
    const struct mat *coordinates; /* L, where the weights are by reduced features; else NULL */
    void *fitted;                  /* for weights() */
};

struct model_type {
    const char *name; /* the choice of model.type */

    bool trains;              /* false: a trial is over at once and has no split, scores or model */
    bool draws_random;        /* replicates on the same samples differ */
    bool has_epochs;          /* one of which is chosen by what is validated */
    bool gives_probabilities; /* of classes; false: scores, of which the largest decides */
    bool uses_graph;          /* one that joins samples: predictions depend on it */

    const char *proposal; /* what it is, in a sweep file by `init`; "": the first model there, which
                           * the others are compared with; NULL: not proposed */

    const struct inputs_type *inputs; /* NULL: trials start from the data */

    /* Work of a trial, and memory it takes beside data and inputs, its model included (kept_bytes()).
     * outline: of its inputs, NULL where it has none. Not asked of a type that trains nothing. */
    void (*cost)(struct gcn_cost *work, double *bytes, const struct settings *s,
                 const struct dataset *data, const void *outline, const struct split *split);
    /* Train and score. outcome->curve has room for the epochs; all else is set here, the weights
     * where they follow from training. -1 and err where the trial cannot be trained. */
    int (*train)(struct gcn_outcome *outcome, struct model_training *training, struct err *err);
    /* After train(), where a model is kept: set outcome->weights and what belongs to them, the same
     * model as weights of a network (spec_gcn()). They are handed over in *weights. NULL: train()
     * did all that, or there are none. */
    int (*weights)(float **weights, struct gcn_outcome *outcome,
                   const struct model_training *training, struct err *err);
};

/* ---- the rows ---- */

#define MODEL_TYPE_ROW(name) extern const struct model_type model_##name;
MODEL_TYPES(MODEL_TYPE_ROW, )
#undef MODEL_TYPE_ROW

/* Row i, a choice of model.type; NULL where there are no more. */
const struct model_type *model_type(int64_t i);

/* The type of the settings. */
const struct model_type *model_type_of(const struct settings *s);

/* Whether the type `name` has the property `fact`: "trains", "draws_random", "has_epochs",
 * "gives_probabilities" or "uses_graph". false where there is no such type or property. */
bool model_type_is(const char *name, const char *fact);

#endif
