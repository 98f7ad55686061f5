/* `espalier predict`, among its own files: which models are asked, about which samples. */
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
    const struct dataset *data;      /* how features are coded: the replay's or the stand-in */
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

/* Samples of these ids, not asked about yet; the data and their models. */
struct predictions predict_describe(const struct predict *w, const char *const *id);

/* What model m says of these nodes, each at its own place in p: node i in row i - first.
 *   holds  it will be asked again: its file stays in memory, up to 1 GiB of all */
int predict_ask(struct predictions *p, struct predict *w, int32_t m, const int32_t *nodes,
                int32_t n, int32_t first, bool holds, struct err *err);

/* Samples that are new and asked about together: at most 512 MB of features, at least 16; n where
 * these are fewer. */
int32_t predict_batch_size(int32_t n, int32_t n_features);

/* The rows of n samples that all models are asked about, which are nodes [n]: first, ... */
int predict_rows(struct predict *w, const char *const *id, const int32_t *nodes, int32_t n,
                 int32_t first, bool holds, struct err *err);

/* Rows for samples of the panel, new samples (--genotypes), new graphs (--graphs) and new nodes
 * (--features). */
int predict_panel(struct predict *w, struct err *err);
int predict_new(struct predict *w, struct err *err);
int predict_graphs(struct predict *w, struct err *err);
int predict_nodes(struct predict *w, struct err *err);

/* Say how good predictions of samples of the panel are that were held out of training: together,
 * and, as recorded, the mean of each model's own score. p: of all samples, those of `part` filled
 * in. */
int predict_score(const struct predictions *p, const char *part, struct err *err);

/* There is none of a trial (letter 't') or configuration ('c'), and what to do. Always returns -1.
 */
int predict_no_model(const char *db, char letter, int64_t id, struct err *err);

/* Takes one that is zero but for o and what replay borrows. */
void predict_release(struct predict *w);

#endif
