/* SPDX-License-Identifier: BSD-3-Clause */
/* predict: kept models put to use on samples, old and new.
 *
 * replay finds a trial's settings and data again, predictor runs the forward pass of a kept model,
 * new_samples reads the genotypes to predict, training_summary stands for training data that are
 * not there, predictions holds what the models say. What is wrong goes up to cli as an error. May
 * include store, trial and what is below; neither cli nor report, run or launch.
 *
 * This file: which models are asked (predict.c), and about which samples (predict_samples.c). */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "predict/predictions.h"
#include "predict/predictor.h"
#include "predict/replay.h"
#include "predict/training_summary.h"
#include "trial/kept.h"

struct predict_options {
    const char *db;
    const char *config;
    const char *trial;
    const char *sweep;
    const char *genotypes;
    const char *phenotypes;
    bool is_forced;
    const char *graphs;
    const char *features, *edges;
    const char *part;
    bool is_all;
    const char *output;
    const char *format;
    bool is_each;
    struct text_list set;
};

struct predict {
    const struct predict_options *o;
    int64_t config_id;
    int64_t *trial;   /* [n_models] those with a model; owned */
    struct buf *held; /* [n_models] their files where they are asked several times, else empty */
    size_t held_bytes;
    int32_t n_models;
    struct kept_products products; /* for their weights after a reduction */
    struct replay replay;
    struct training_summary summary; /* in the place of the replay's data, of held[0]; else zero */
    const struct dataset *data;      /* how features are coded: the replay's or the summary's */
    struct settings settings;        /* of the configuration */
    struct predictor predictor;
    struct result_table table; /* what came out */
};

/* Which trials: --trial, --config, or the best configuration. -1 and err: it has no model. */
int predict_choose(struct predict *w, struct err *err);

/* The data, settings and predictor of the first trial. Where new genotypes are asked about and the
 * models can stand alone, without the training data: if all samples are, and if the data cannot be
 * read or are others, which is told. -1 and err: that, where they cannot. */
int predict_prepare(struct predict *w, struct err *err);

/* The rows of w->table: for the samples of the training data that the options choose, or for new
 * samples (--genotypes), graphs (--graphs) or nodes (--features). -1 and err. */
int predict_samples(struct predict *w, struct err *err);

/* There is none of a trial (letter 't') or configuration ('c'), and what to do. Always returns -1.
 */
int predict_no_model(const char *db, char letter, int64_t id, struct err *err);

/* Takes one that is zero but for o and what replay borrows. */
void predict_release(struct predict *w);

#endif
