/* What several models say of the same samples, and their table. */
#ifndef PREDICT_PREDICTIONS_H
#define PREDICT_PREDICTIONS_H

#include "base/err.h"
#include "data/core/dataset.h"
#include "store/result_table.h"

struct predictions {
    const struct dataset *data; /* class names; borrowed */
    const char *const *id;      /* [n] borrowed */
    int32_t n;                  /* samples */
    int32_t n_models;
    int32_t n_outputs;    /* C */
    bool is_probability;  /* of classes; else their scores */
    const int64_t *trial; /* [n_models] ids, borrowed */
    double *v;            /* (n_models, n, C) NaN where a model was not asked */
};

/* Room for n samples, all NaN. The other members are the caller's. Pair with predictions_release().
 */
int predictions_init(struct predictions *p, int32_t n, int32_t n_models, int32_t n_outputs,
                     struct err *err);
void predictions_release(struct predictions *p); /* takes a zeroed one */

/* What a model says, and the mean over those that were asked: NaN where none was. */
double predictions_output(const struct predictions *p, int32_t model, int32_t sample, int32_t c);
double predictions_mean(const struct predictions *p, int32_t sample, int32_t c);

/* Append a row for each sample that a model was asked of to a table that begins zeroed:
 * id, prediction, sd, models; of classes prediction is the likeliest by the mean over models, sd
 * that of its probability, and p_NAME (score_NAME) the means; where is_each is set, t12 ... what
 * each model says (of classes t12_NAME). sd: between models, n - 1; NULL for one. */
int predictions_put(struct result_table *table, const struct predictions *p, bool is_each,
                    struct err *err);

#endif
