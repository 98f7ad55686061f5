#include <stdlib.h>

#include "base/log.h"
#include "cli/predict.h"
#include "data/knowngraphs.h"
#include "data/newgraphs.h"
#include "trial/spec.h"

/* Molecules of a table that are in memory at a time: 2 MB of features. */
#define PIECE 1024

struct progress {
    struct newgraphs new;
    struct knowngraphs known;
    int32_t n, n_known;
};

/* ---- what was read ---- */

static void tell_skipped(const char *path, const struct data_report *r)
{
    int32_t n = r->n_skipped < DATA_NAMED ? r->n_skipped : DATA_NAMED;
    struct buf lines = {0};

    for (int32_t i = 0; i < n; i++)
        buf_printf(&lines, "%s%lld", i ? ", " : "", (long long)r->skipped_line[i]);
    if (n)
        log_warn("%s: %d molecule%s that cannot be read %s no prediction: line %s%s", path,
                 r->n_skipped, r->n_skipped == 1 ? "" : "s", r->n_skipped == 1 ? "has" : "have",
                 buf_text(&lines), n < r->n_skipped ? " ..." : "");
    buf_release(&lines);
}

static void tell(const struct progress *progress, const char *path)
{
    const struct data_report *r = &progress->new.report;

    log_info("%s: %d graph%s to predict, %d of them are in the data of the sweep already", path,
             progress->n, progress->n == 1 ? "" : "s", progress->n_known);
    tell_skipped(path, r);
    if (r->n_bad_valence)
        log_info("%s: %d atoms have a valence that cannot be, and no hydrogens", path,
                 r->n_bad_valence);
    if (r->n_one_way_edges)
        log_info("%s: %lld edge%s listed in one direction alone, and taken for both", path,
                 (long long)r->n_one_way_edges, r->n_one_way_edges == 1 ? " is" : "s are");
    if (r->n_unknown_labels)
        log_warn("%s: %lld nodes have a label that none has in the data that were trained on, and "
                 "count as nodes without one: the first is %.0f, of node %lld",
                 path, (long long)r->n_unknown_labels, r->unknown_label,
                 (long long)r->unknown_line);
}

/* ---- asking ---- */

static int predict_piece(struct predict *w, const struct dataset *graphs, struct err *err)
{
    int32_t n = graphs->n_samples;
    const char **id = malloc((size_t)n * sizeof *id);
    int32_t *nodes = malloc((size_t)n * sizeof *nodes);
    int rc = id && nodes ? 0 : err_nomem(err, "samples", (size_t)n * (sizeof *id + sizeof *nodes));

    for (int32_t i = 0; !rc && i < n; i++) {
        id[i] = dataset_id(graphs, i);
        nodes[i] = i;
    }
    predictor_ask_graphs(&w->predictor, graphs);
    if (!rc)
        rc = predict_rows(w, id, nodes, n, 0, true, err);
    free(nodes);
    free(id);
    return rc;
}

/* 1, or 0 after the last. */
static int take_piece(struct progress *progress, struct predict *w, struct err *err)
{
    struct dataset graphs;
    int status = newgraphs_next(&graphs, &progress->new, PIECE, err);
    int32_t n_known;

    if (status <= 0)
        return status;
    n_known = knowngraphs_count(&progress->known, &graphs, err);
    if (n_known < 0 || predict_piece(w, &graphs, err))
        status = -1;
    progress->n += graphs.n_samples;
    progress->n_known += n_known;
    dataset_release(&graphs);
    return status;
}

int predict_graphs(struct predict *w, struct err *err)
{
    struct progress progress = {0};
    struct data_spec spec;
    int status = -1;

    spec_data(&spec, &w->settings);
    if (newgraphs_open(&progress.new, &w->replay.data, &spec, w->o->graphs, err) == 0 &&
        knowngraphs_init(&progress.known, &w->replay.data, err) == 0)
        while ((status = take_piece(&progress, w, err)) > 0)
            ;
    if (status == 0)
        tell(&progress, w->o->graphs);
    knowngraphs_release(&progress.known);
    newgraphs_close(&progress.new);
    return status;
}
