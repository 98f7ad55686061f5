/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of model types: one row for each, with its functions and facts. No code outside the
 * rows compares types or names one (tests/arch/law.awk). To add one, see doc/ARCHITECTURE.md. */
#ifndef TRIAL_MODEL_TYPE_H
#define TRIAL_MODEL_TYPE_H

#include "gcn/cost.h"
#include "gcn/train.h"
#include "grid/settings.h"
#include "tensor/lapack.h"
#include "trial/derived.h"

/* ---- inputs ---- */

/* The inputs of a configuration; compared byte by byte. Members without effect are 0. */
struct inputs_key {
    const struct inputs_type *type;
    struct graph_spec graph;
    struct gcn_inputs_spec spec;
};

/* A kind of inputs, shared by trials and model types. An outline describes them beforehand. */
struct inputs_type {
    size_t size;
    size_t outline_size;

    /* Fill a zeroed key except type. -1 and err: the settings do not suit the data. */
    int (*key)(struct inputs_key *key, const struct dataset *data, const struct settings *s,
               struct err *err);
    /* Fill a zeroed outline. -1 and err: the inputs cannot be made. Pair with forget() (may be
     * NULL), also after a failure. */
    int (*outline)(void *outline, struct derived *derived, const struct inputs_key *key,
                   struct err *err);
    void (*forget)(void *outline);
    double (*bytes)(const void *outline);
    /* Make the inputs in a zeroed struct. May change the outline. */
    int (*make)(void *inputs, void *outline, struct derived *derived, const struct inputs_key *key,
                struct err *err);
    void (*release)(void *inputs);

    const struct packed_type *packed; /* the inputs as one block (gcn/packed.h) */
};

/* ---- one trial ---- */

/* All members are borrowed. */
struct model_training {
    const struct settings *settings;
    const struct dataset *data;
    const void *inputs; /* of the type's kind; NULL if it has none */
    const struct split *split;
    struct hash seed;      /* of the random numbers */
    struct arena *scratch; /* train() does not reset it */
    const struct clock *clock;
    const struct gcn_observer *observer; /* after each epoch */
    struct crew *crew;                   /* NULL: this rank trains alone */
    const struct lapack_watch *watch;    /* every few seconds without epochs */

    /* Set by train(): */
    const struct mat *coordinates; /* L, if the weights are by reduced features */
    void *fitted;                  /* for weights() */
};

struct model_type {
    const char *name;      /* choice of model.type */
    const char *words;     /* as a paper calls it */
    const char *source;    /* "Hoerl & Kennard 1970"; NULL: none */
    const char *reference; /* of the source, for a list */

    bool trains;              /* false: trials end at once, without split, scores and model */
    bool draws_random;        /* replicates differ on the same samples */
    bool has_epochs;          /* one epoch is chosen by its scores */
    bool gives_probabilities; /* of classes; false: the largest score decides */
    bool uses_graph;          /* a graph that joins samples affects predictions */
    bool is_baseline;         /* fixed effects alone: what features must beat */
    bool is_program; /* trials run as trial/program_runner.h; the functions below are NULL */

    /* Description for a sweep file of `init`; "": the first model there; NULL: not proposed. */
    const char *proposal;

    const struct inputs_type *inputs; /* NULL: trials use only the data */

    /* Work of a trial, and its bytes beside data and inputs, model included. outline: of its
     * inputs, or NULL. Only called if `trains`. */
    void (*cost)(struct gcn_cost *work, double *bytes, const struct settings *s,
                 const struct dataset *data, const void *outline, const struct split *split);
    /* Train and score. outcome->curve has room for the epochs. -1 and err: the trial cannot be
     * trained. */
    int (*train)(struct gcn_outcome *outcome, struct model_training *training, struct err *err);
    /* Called after train() if the model is kept: set outcome->weights and related members to
     * weights of a network (spec_gcn()). The caller frees *weights. NULL: train() set them, or
     * there are none. */
    int (*weights)(float **weights, struct gcn_outcome *outcome,
                   const struct model_training *training, struct err *err);
};

/* ---- the rows ---- */

#define MODEL_TYPE_ROW(name) extern const struct model_type model_##name;
MODEL_TYPES(MODEL_TYPE_ROW, )
#undef MODEL_TYPE_ROW

/* NULL after the last row. */
const struct model_type *model_type(int64_t i);

const struct model_type *model_type_of(const struct settings *s);

#endif
