#include <stdlib.h>

#include "base/log.h"
#include "cli/predict.h"
#include "data/load.h"
#include "data/newnodes.h"

struct batch {
    struct mat x;          /* (n, F) */
    struct attached edges; /* start is owned */
    int32_t *nodes;        /* [n] */
    const char **id;       /* [n] of all new nodes */
};

static int check_data(const struct predict *w, struct err *err)
{
    if (w->settings.v[P_FORMAT].i != DATA_GRAPH)
        return err_set(err,
                       "--features: the data of the sweep are no graph of nodes (data.format "
                       "= graph): new samples are given with --%s",
                       w->replay.data.graph_start ? "graphs" : "genotypes");
    if (w->predictor.graph.build == GRAPH_FILE && !w->o->edges)
        return err_set(err, "--features: the graph was given as edges: --edges FILE must join the "
                            "new nodes to it");
    return 0;
}

static int batch_init(struct batch *b, const struct newnodes *new, struct err *err)
{
    int32_t n = predict_batch_size(new->n, new->data->n_features);

    b->nodes = malloc((size_t)n * sizeof *b->nodes);
    b->edges.start = malloc(((size_t)n + 1) * sizeof *b->edges.start);
    b->id = malloc((size_t) new->n * sizeof *b->id);
    if (!b->nodes || !b->edges.start || !b->id)
        return err_nomem(err, "new nodes", (size_t) new->n * sizeof *b->id);
    for (int32_t i = 0; i < n; i++)
        b->nodes[i] = new->data->n_samples + i;
    for (int32_t i = 0; i < new->n; i++)
        b->id[i] = newnodes_id(new, i);
    return mat_init(&b->x, n, new->data->n_features, err);
}

static void batch_release(struct batch *b)
{
    mat_release(&b->x);
    free(b->edges.start);
    free(b->nodes);
    free(b->id);
}

static int predict_batch(struct predict *w, struct batch *b, const struct newnodes *new,
                         int32_t first, struct err *err)
{
    int32_t n = new->n - first < b->x.n_rows ? new->n - first : b->x.n_rows;
    struct mat x = mat_view(b->x.v, n, b->x.n_cols);

    newnodes_take(&x, &b->edges, new, first);
    if (predictor_join(&w->predictor, &x, &b->edges, err))
        return -1;
    return predict_rows(w, b->id + first, b->nodes, n, new->data->n_samples, new->n > b->x.n_rows,
                        err);
}

static void tell(const struct newnodes *n, const struct predict_options *o)
{
    log_info("%s: %d new nodes, %lld rows left out: they are of nodes of the training data",
             o->features, n->n, (long long)n->n_known);
    if (n->n_unknown)
        log_warn("%s: %lld entries dropped: the training data have no such feature", o->features,
                 (long long)n->n_unknown);
    if (n->n_missing)
        log_info("%s: %lld missing cells are the mean of the training data", o->features,
                 (long long)n->n_missing);
    if (!o->edges)
        return;
    if (n->n_alone)
        log_info("%s: %d new nodes have no edge to the training data", o->edges, n->n_alone);
    if (n->n_between)
        log_warn(
            "%s: %lld edges between new nodes are left out: predictions depend on the training "
            "data alone",
            o->edges, (long long)n->n_between);
    if (n->n_within)
        log_info("%s: %lld edges are between nodes of the training data, and not read", o->edges,
                 (long long)n->n_within);
}

int predict_nodes(struct predict *w, struct err *err)
{
    struct newnodes new = {0};
    struct batch b = {0};
    int rc = check_data(w, err);

    if (!rc)
        rc = newnodes_read(&new, &w->replay.data, w->o->features, w->o->edges, err);
    if (!rc)
        rc = batch_init(&b, &new, err);
    for (int32_t first = 0; !rc && first < new.n; first += b.x.n_rows)
        rc = predict_batch(w, &b, &new, first, err);
    if (!rc)
        tell(&new, w->o);
    batch_release(&b);
    newnodes_release(&new);
    return rc;
}
