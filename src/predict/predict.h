/* SPDX-License-Identifier: BSD-3-Clause */
/* predict: kept models applied to samples, old and new.
 *
 * replay restores a trial's settings and data, predictor runs the forward pass, new_samples reads
 * genotypes, training_summary replaces missing training data, predictions holds outputs. May
 * include store, trial and the layers below.
 *
 * This file: the choice of models (predict.c) and of samples (predict_samples.c). */
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
    const char *rule; /* of best: "best" or "1se"; NULL: best */
    const char *sweep;
    const char *genotypes;
    const char *phenotypes;
    bool accepts_few_markers;
    bool is_forced; /* output may exist */
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
    int64_t *trial;   /* [n_models] ids; owned */
    struct buf *held; /* [n_models] model files that stay in memory, or empty */
    size_t held_bytes;
    int32_t n_models;
    struct kept_products products; /* for weights after a reduction */
    struct replay replay;
    struct training_summary summary; /* of held[0], if it replaces the data; else zero */
    const struct dataset *data;      /* the replay's data, or the summary */
    struct settings settings;
    struct predictor predictor;
    uint8_t
        *part; /* [N] of the replay's data, enum part: how the models know a sample; owned; NULL:
                      the data are replaced */
    struct result_table table;
};

/* letter: 'c' for a configuration, 't' for a trial. -1 and err: the text is no id. */
int predict_parse_id(int64_t *id, const char *text, char letter, struct err *err);

/* Choose the trials of --trial, of --config, or of the configuration that --rule chooses. -1 and
 * err: there is no model. */
int predict_choose(struct predict *w, struct err *err);

/* Prepare data, settings and predictor of the first trial. If the models allow it, new genotypes
 * need no training data: with a warning if these cannot be read or have changed, silently if all
 * samples are asked for. Otherwise -1 and err. */
int predict_prepare(struct predict *w, struct err *err);

/* Fill w->table with a row for each sample. */
int predict_samples(struct predict *w, struct err *err);

/* Report that a trial (letter 't') or configuration ('c') has no model, and what to do. Returns
 * -1. */
int predict_no_model(struct store *store, char letter, int64_t id, struct err *err);

/* Members of `o` and those borrowed by replay may be set. */
void predict_release(struct predict *w);

#endif
