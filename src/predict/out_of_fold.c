/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/out_of_fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/real.h"
#include "predict/predictions.h"

int out_of_fold_init(struct out_of_fold *o, struct err *err)
{
    return predictor_init(&o->predictor, o->data, o->prepared, &o->settings, err);
}

void out_of_fold_release(struct out_of_fold *o)
{
    if (!o)
        return;
    predictor_release(&o->predictor);
    buf_release(&o->file);
    buf_release(&o->json);
    memset(o, 0, sizeof *o);
}

int64_t out_of_fold_count(struct out_of_fold *o, int32_t replicate, int32_t fold, struct err *err)
{
    const struct split *split = prepared_split(o->prepared, &o->settings, replicate, fold, err);

    return split ? (int64_t)split->n_val * predictor_outputs(&o->predictor) : -1;
}

/* {"no":0.25,"yes":0.75} */
static void put_outputs(struct buf *json, const struct dataset *d, const double *out, double unit)
{
    buf_clear(json);
    for (int32_t c = 0; c < d->n_classes; c++) {
        buf_putc(json, c ? ',' : '{');
        escape_json(json, dataset_class_name(d, c));
        buf_putc(json, ':');
        real_format(json, predictions_round(out[c], unit));
    }
    buf_putc(json, '}');
}

static int put_row(struct out_of_fold *o, int64_t trial_id, int32_t sample, const double *out,
                   struct err *err)
{
    const struct dataset *d = o->data;
    struct store_prediction row = {.sample = sample, .id = dataset_id(d, sample)};
    int32_t largest = 0;

    if (d->group)
        row.group = dataset_group_name(d, d->group[sample]);
    if (d->task != TASK_CLASSIFICATION) {
        row.observed = (struct cell){.type = CELL_REAL, .f = real_of_float(d->target[sample])};
        row.predicted =
            (struct cell){.type = CELL_REAL, .f = predictions_round(*out, o->predictor.unit)};
        return store_put_prediction(o->store, trial_id, &row, err);
    }
    for (int32_t c = 1; c < d->n_classes; c++)
        if (out[c] > out[largest])
            largest = c;
    put_outputs(&o->json, d, out, o->predictor.unit);
    if (buf_failed(&o->json))
        return err_nomem(err, "predictions", o->json.size);
    row.observed = (struct cell){.type = CELL_TEXT, .s = dataset_class_name(d, d->label[sample])};
    row.predicted = (struct cell){.type = CELL_TEXT, .s = dataset_class_name(d, largest)};
    if (predictor_has_probabilities(&o->predictor))
        row.probabilities = buf_text(&o->json);
    else
        row.scores = buf_text(&o->json);
    return store_put_prediction(o->store, trial_id, &row, err);
}

/* out [n_val * outputs] */
static int run_model(double *out, struct out_of_fold *o, int64_t trial_id,
                     const struct split *split, struct err *err)
{
    size_t n = (size_t)split->n_val * (size_t)predictor_outputs(&o->predictor);

    buf_clear(&o->file);
    if (store_find_model(&o->file, o->store, trial_id, err) < 0 ||
        predictor_predict(out, &o->predictor, o->file.data, o->file.size, split->val, split->n_val,
                          err))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(out[i]))
            return err_set(err, "the model gives an output that is not finite");
    return 0;
}

enum out_of_fold_end out_of_fold_put(struct out_of_fold *o, int64_t trial_id, int32_t replicate,
                                     int32_t fold, struct err *err)
{
    const struct split *split = prepared_split(o->prepared, &o->settings, replicate, fold, err);
    int32_t each = predictor_outputs(&o->predictor);
    enum out_of_fold_end end = OUT_OF_FOLD_IMPOSSIBLE;
    double *out = NULL;

    if (!split)
        return end;
    out = malloc(((size_t)split->n_val * (size_t)each + 1) * sizeof *out);
    if (!out)
        err_nomem(err, "predictions", (size_t)split->n_val * (size_t)each * sizeof *out);
    else if (!run_model(out, o, trial_id, split, err))
        end = OUT_OF_FOLD_STORED;
    for (int32_t i = 0; end == OUT_OF_FOLD_STORED && i < split->n_val; i++)
        if (put_row(o, trial_id, split->val[i], out + (int64_t)i * each, err))
            end = OUT_OF_FOLD_UNWRITTEN;
    free(out);
    return end;
}
