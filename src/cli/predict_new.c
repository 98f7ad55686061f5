#include <stdlib.h>

#include "cli/newcomers.h"
#include "cli/predict.h"

static int predict_batch(struct predict *w, struct newcomers *new, const struct mat *room,
                         int32_t first, struct err *err)
{
    int32_t n = new->n - first < room->n_rows ? new->n - first : room->n_rows;
    int32_t n_panel = w->predictor.data->n_samples;
    struct mat x = mat_view(room->v, n, room->n_cols);
    int32_t *nodes = malloc((size_t)n * sizeof *nodes);
    int rc = nodes ? newcomers_read(&x, new, first, n, w->o->is_forced, err)
                   : err_nomem(err, "samples", (size_t)n * sizeof *nodes);

    for (int32_t i = 0; !rc && i < n; i++)
        nodes[i] = n_panel + i;
    if (!rc)
        rc = predictor_join(&w->predictor, &x, NULL, err);
    if (!rc)
        rc = predict_rows(w, new->id + first, nodes, n, n_panel, new->n > room->n_rows, err);
    free(nodes);
    return rc;
}

int predict_new(struct predict *w, struct err *err)
{
    struct newcomers new;
    struct mat room = {0};
    int rc = newcomers_open(&new, w->data, &w->settings, w->o->genotypes, w->o->phenotypes,
                            w->o->is_all, err);

    if (!rc)
        rc = mat_init(&room, predict_batch_size(new.n, new.n_markers), w->data->n_features, err);
    for (int32_t first = 0; !rc && first < new.n; first += room.n_rows)
        rc = predict_batch(w, &new, &room, first, err);
    if (!rc)
        newcomers_tell_missing(&new);
    mat_release(&room);
    newcomers_close(&new);
    return rc;
}
