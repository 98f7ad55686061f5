/* SPDX-License-Identifier: BSD-3-Clause */
/* Trainings of a toy by several workers, alone or in a crew whose ranks are threads. */
#ifndef TESTS_UNIT_RANKS_H
#define TESTS_UNIT_RANKS_H

#include "toy.h"

enum { RANKS_EPOCHS = 4, RANKS_WEIGHTS = 1024, RANKS_MOST = 5 };

struct trained {
    struct gcn_outcome outcome;
    struct gcn_epoch curve[RANKS_EPOCHS];
    float weights[RANKS_WEIGHTS];
    int32_t n_stopping; /* calls of the observer */
};

/* hidden_size 9, batches of 3, RANKS_EPOCHS epochs. */
struct gcn_spec ranks_spec(enum task task, int32_t workers);

/* Another dozen of the options for each number from 0 to 11. */
void ranks_set_options(struct gcn_spec *spec, int options);

/* Samples are graphs: of one node and of three in turn. 12 train, 4 val, 4 test. */
void ranks_graphs_init(struct toy *toy, enum task task);

void ranks_train_alone(struct trained *out, const struct toy *toy, const struct gcn_spec *spec);

/* out [n_ranks]. stop_at and key_of are those of the last rank: it ends the training after this epoch
 * (0: never), with this key. fails_at: the call of the crew that fails (0: none). Returns the calls
 * of rank 0. */
int32_t ranks_train(struct trained *out, const struct toy *toy, const struct gcn_spec *spec,
                    int32_t n_ranks, int32_t fails_at, int32_t stop_at, struct hash key_of);

/* The last rank trains with other data. */
void ranks_train_unlike(struct trained *out, const struct toy *toy, const struct toy *other,
                        const struct gcn_spec *spec, int32_t n_ranks);

/* The key of all trainings. */
struct hash ranks_key(void);

/* The same bits, except times. */
void ranks_check_same(const struct trained *a, const struct trained *b);

/* A training with more than one worker ends well and has the same bits again, after breaks, and
 * with 2, 3 ... ranks. */
void ranks_check(struct trained *out, const struct toy *toy, const struct gcn_spec *spec);

#endif
