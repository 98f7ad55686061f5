#include <stdlib.h>

#include "cli/newcomers.h"
#include "cli/predict.h"

/* Those of one batch, who are in x. */
static int ask_batch(struct predictions *p, struct predict *w, const struct mat *x, bool holds,
                     struct err *err)
{
    int32_t n_panel = w->predictor.data->n_samples;
    int32_t *nodes = malloc((size_t)x->n_rows * sizeof *nodes);
    int rc = nodes ? predictor_join(&w->predictor, x, NULL, err)
                   : err_nomem(err, "samples", (size_t)x->n_rows * sizeof *nodes);

    for (int32_t i = 0; !rc && i < x->n_rows; i++)
        nodes[i] = n_panel + i;
    for (int32_t m = 0; !rc && m < w->n_models; m++)
        rc = predict_ask(p, w, m, nodes, x->n_rows, n_panel, holds, err);
    free(nodes);
    return rc;
}

static int predict_batch(struct predict *w, struct newcomers *new, const struct mat *room,
                         int32_t first, struct err *err)
{
    int32_t n = new->n - first < room->n_rows ? new->n - first : room->n_rows;
    struct mat x = mat_view(room->v, n, room->n_cols);
    struct predictions p = predict_describe(w, new->id + first);
    int rc = newcomers_read(&x, new, first, n, w->o->is_forced, err);

    if (!rc)
        rc = predictions_init(&p, n, w->n_models, predictor_outputs(&w->predictor), err);
    if (!rc)
        rc = ask_batch(&p, w, &x, new->n > room->n_rows, err);
    if (!rc)
        rc = predictions_put(&w->table, &p, w->o->is_each, err);
    predictions_release(&p);
    return rc;
}

int predict_new(struct predict *w, struct err *err)
{
    struct newcomers new;
    struct mat room = {0};
    int rc = newcomers_open(&new, w->data, &w->settings, w->o->genotypes, w->o->phenotypes,
                            w->o->is_all, err);

    if (!rc)
        rc = mat_init(&room, newcomers_batch(&new), w->data->n_features, err);
    for (int32_t first = 0; !rc && first < new.n; first += room.n_rows)
        rc = predict_batch(w, &new, &room, first, err);
    if (!rc)
        newcomers_tell_missing(&new);
    mat_release(&room);
    newcomers_close(&new);
    return rc;
}
