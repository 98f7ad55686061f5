#include <stdlib.h>
#include <string.h>

#include "cli/predict.h"

/* What files of models may take while they are asked again and again. */
#define HELD_BYTES ((size_t)1 << 30)
/* Features of a batch, and its smallest size. */
#define BATCH_FLOATS ((int64_t)1 << 27)
#define LEAST_BATCH 16

struct predictions predict_describe(const struct predict *w, const char *const *id)
{
    return (struct predictions){.data = w->data,
                                .id = id,
                                .trial = w->trial,
                                .is_probability = predictor_has_probabilities(&w->predictor)};
}

/* What is new has features alone, no coordinates of a reduction. */
static int complete(struct buf *file, struct predict *w, struct err *err)
{
    struct buf out = {0};

    if (!w->predictor.fresh.n_rows || w->data != &w->replay.data ||
        kept_is_complete(file->data, file->size))
        return 0;
    if (kept_complete(&out, file->data, file->size, &w->replay.data, &w->settings, &w->products,
                      err)) {
        buf_release(&out);
        return -1;
    }
    buf_release(file);
    *file = out;
    return 0;
}

static int read_model(struct buf *file, struct predict *w, int32_t m, struct err *err)
{
    if (store_find_model(file, w->replay.store, w->trial[m], err) < 0)
        return -1;
    return complete(file, w, err);
}

/* The file is handed over. */
static void keep_or_release(struct predict *w, int32_t m, struct buf *file, bool holds)
{
    if (!holds || w->held_bytes + file->size > HELD_BYTES) {
        buf_release(file);
        return;
    }
    w->held_bytes += file->size;
    w->held[m] = *file;
}

static void put(struct predictions *p, int32_t m, const double *out, const int32_t *nodes,
                int32_t n, int32_t first)
{
    size_t each = (size_t)p->n_outputs;

    for (int32_t i = 0; i < n; i++)
        memcpy(p->v + ((size_t)m * (size_t)p->n + (size_t)(nodes[i] - first)) * each,
               out + (size_t)i * each, each * sizeof *out);
}

int predict_ask(struct predictions *p, struct predict *w, int32_t m, const int32_t *nodes,
                int32_t n, int32_t first, bool holds, struct err *err)
{
    size_t size = ((size_t)n + 1) * (size_t)p->n_outputs;
    double *out = malloc(size * sizeof *out);
    struct buf file = w->held[m];
    int rc = out ? 0 : err_nomem(err, "predictions", size * sizeof *out);

    if (!rc && !file.size)
        rc = read_model(&file, w, m, err);
    if (!rc)
        rc = predictor_predict(out, &w->predictor, file.data, file.size, nodes, n, err);
    if (rc)
        err_wrap(err, "t%lld", (long long)w->trial[m]);
    else
        put(p, m, out, nodes, n, first);
    if (!w->held[m].size)
        keep_or_release(w, m, &file, holds && !rc);
    free(out);
    return rc;
}

int32_t predict_batch_size(int32_t n, int32_t n_features)
{
    int64_t most = BATCH_FLOATS / n_features;

    if (most < LEAST_BATCH)
        most = LEAST_BATCH;
    return n < most ? n : (int32_t)most;
}

int predict_rows(struct predict *w, const char *const *id, const int32_t *nodes, int32_t n,
                 int32_t first, bool holds, struct err *err)
{
    struct predictions p = predict_describe(w, id);
    int rc = predictions_init(&p, n, w->n_models, predictor_outputs(&w->predictor), err);

    for (int32_t m = 0; !rc && m < w->n_models; m++)
        rc = predict_ask(&p, w, m, nodes, n, first, holds, err);
    if (!rc)
        rc = predictions_put(&w->table, &p, w->o->is_each, err);
    predictions_release(&p);
    return rc;
}

void predict_release(struct predict *w)
{
    for (int32_t m = 0; w->held && m < w->n_models; m++)
        buf_release(&w->held[m]);
    free(w->held);
    kept_products_release(&w->products);
    free(w->trial);
    table_release(&w->table);
    predictor_release(&w->predictor);
    standin_release(&w->standin);
    replay_release(&w->replay);
}
