/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/words.h"
#include "data/core/data_spec.h"
#include "data/format.h"
#include "data/graph/known_graphs.h"
#include "data/graph/new_nodes.h"
#include "predict/new_samples.h"
#include "predict/predict.h"
#include "trial/spec.h"

/* most bytes of model files in memory */
#define HELD_BYTES ((size_t)1 << 30)
/* most features in a batch, and least samples */
#define BATCH_FLOATS ((int64_t)1 << 27)
#define LEAST_BATCH 16

/* ---- running the models ---- */

static struct predictions describe(const struct predict *w, const char *const *id,
                                   const uint8_t *part)
{
    return (struct predictions){.data = w->data,
                                .id = id,
                                .part = part,
                                .trial = w->trial,
                                .is_probability = predictor_has_probabilities(&w->predictor)};
}

/* New samples have features and no coordinates of a reduction. */
static int read_model(struct buf *file, struct predict *w, int32_t m, struct err *err)
{
    struct buf out = {0};

    if (store_find_model(file, w->replay.store, w->trial[m], err) < 0)
        return -1;
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

/* Store the outputs of model m for these nodes in p: node i in row i - first. holds: the model will
 * run again, so its file may stay in memory. */
static int ask(struct predictions *p, struct predict *w, int32_t m, const int32_t *nodes, int32_t n,
               int32_t first, bool holds, struct err *err)
{
    size_t each = (size_t)p->n_outputs, size = ((size_t)n + 1) * each;
    double *out = malloc(size * sizeof *out);
    struct buf file = w->held[m];
    int rc = out ? 0 : err_nomem(err, "predictions", size * sizeof *out);

    if (!rc && !file.size)
        rc = read_model(&file, w, m, err);
    if (!rc)
        rc = predictor_predict(out, &w->predictor, file.data, file.size, nodes, n, err);
    if (rc)
        err_wrap(err, "t%lld", (long long)w->trial[m]);
    for (int32_t i = 0; !rc && i < n; i++)
        memcpy(p->v + ((size_t)m * (size_t)p->n + (size_t)(nodes[i] - first)) * each,
               out + (size_t)i * each, each * sizeof *out);
    p->unit = w->predictor.unit;
    if (!w->held[m].size && holds && !rc && w->held_bytes + file.size <= HELD_BYTES) {
        w->held_bytes += file.size;
        w->held[m] = file;
    } else if (!w->held[m].size) {
        buf_release(&file);
    }
    free(out);
    return rc;
}

static int32_t batch_size(int32_t n, int32_t n_features)
{
    int64_t most = BATCH_FLOATS / n_features;

    if (most < LEAST_BATCH)
        most = LEAST_BATCH;
    return n < most ? n : (int32_t)most;
}

/* Samples first, first + 1, ... part: as in struct predictions. */
static int put_rows(struct predict *w, const char *const *id, const uint8_t *part, int32_t n,
                    int32_t first, bool holds, struct err *err)
{
    struct predictions p = describe(w, id, part);
    int32_t *nodes = malloc(((size_t)n + 1) * sizeof *nodes);
    int rc = predictions_init(&p, n, w->n_models, predictor_outputs(&w->predictor), err);

    if (!nodes)
        rc = err_nomem(err, "samples", (size_t)n * sizeof *nodes);
    for (int32_t i = 0; !rc && i < n; i++)
        nodes[i] = first + i;
    for (int32_t m = 0; !rc && m < w->n_models; m++)
        rc = ask(&p, w, m, nodes, n, first, holds, err);
    if (!rc)
        rc = predictions_put(&w->table, &p, w->o->is_each, err);
    predictions_release(&p);
    free(nodes);
    return rc;
}

/* ---- how models know samples ---- */

/* Training outweighs the other parts, which differ between folds. */
static void note_part(uint8_t *part, const int32_t *sample, int32_t n, enum part as)
{
    for (int32_t i = 0; i < n; i++)
        if (as == PART_TRAIN || part[sample[i]] == PART_NONE)
            part[sample[i]] = (uint8_t)as;
}

/* Returns NULL and err on failure. */
static const struct split *split_of(struct predict *w, int32_t m, struct err *err)
{
    struct replay_trial trial;

    if (replay_find(&trial, w->replay.store, w->trial[m], err))
        return NULL;
    return prepared_split(w->replay.prepared, &w->settings, trial.replicate, trial.fold, err);
}

/* Which samples of the training data the models were trained on. Samples that choose the epoch count
 * as such. */
static int find_parts(struct predict *w, struct err *err)
{
    size_t n = (size_t)w->replay.data.n_samples;

    if (w->data != &w->replay.data)
        return 0;
    w->part = calloc(n, sizeof *w->part);
    if (!w->part)
        return err_nomem(err, "samples", n);
    for (int32_t m = 0; m < w->n_models; m++) {
        const struct split *split = split_of(w, m, err);

        if (!split)
            return -1;
        note_part(w->part, split->train, split->n_train, PART_TRAIN);
        note_part(w->part, split->stop, split->n_stop, PART_TRAIN);
        note_part(w->part, split->val, split->n_val, PART_VAL);
        note_part(w->part, split->test, split->n_test, PART_TEST);
    }
    return 0;
}

/* ---- samples of the training data ---- */

/* nodes out [N]: the samples that model m predicts, ascending. Returns their number; -1 and err. */
static int32_t find_nodes(int32_t *nodes, struct predict *w, int32_t m, struct err *err)
{
    const struct dataset *data = &w->replay.data;
    const char *part = w->o->part;
    const struct split *split;
    const int32_t *from;
    int32_t n = 0;

    if (!part || !strcmp(part, "none")) {
        for (int32_t i = 0; i < data->n_samples; i++)
            if (w->o->is_all || !dataset_is_labelled(data, i))
                nodes[n++] = i;
        return n;
    }
    split = split_of(w, m, err);
    if (!split)
        return -1;
    from = split->val;
    n = split->n_val;
    if (!strcmp(part, "test")) {
        from = split->test;
        n = split->n_test;
    } else if (!strcmp(part, "stop")) {
        from = split->stop;
        n = split->n_stop;
    }
    memcpy(nodes, from, (size_t)n * sizeof *nodes);
    return n;
}

/* There is no sample to predict. */
static int nothing(const struct predict *w, struct err *err)
{
    static const char panel[] = "--part val, --part test and --all predict training samples";
    const struct data_format *format = data_format_at(w->settings.v[P_FORMAT].i);
    const char *part = w->o->part;
    struct buf word = {0};

    if (part && !strcmp(part, "stop") && !settings_has(&w->settings, P_STOP))
        return err_set(err,
                       "--part stop: c%lld is %s, which has no epoch to choose: it was trained on "
                       "the samples of the stop part",
                       (long long)w->config_id, model_type_of(&w->settings)->name);
    if (part && strcmp(part, "none") != 0)
        return err_set(err, "the split has no %s part", part);
    if (w->settings.v[P_SUBSET].i == DATA_SUBSET_PHENOTYPED && format->has_genotypes)
        err_set(err,
                "the training data have only samples with a phenotype (data.subset = phenotyped): "
                "--genotypes %s predicts the others; %s",
                escape_shell(&word, w->settings.v[P_GENOTYPES].s), panel);
    else
        err_set(err, "every sample of the training data has a value: predict new ones with %s; %s",
                format->has_genotypes           ? "--genotypes FILE"
                : format->samples == DATA_NODES ? "--features FILE"
                                                : "--graphs PATH",
                panel);
    buf_release(&word);
    return -1;
}

static int predict_panel(struct predict *w, struct err *err)
{
    const struct dataset *data = &w->replay.data;
    const struct settings *s = &w->settings;
    const char *part = w->o->part;
    size_t n_samples = (size_t)data->n_samples;
    const char **id = malloc(n_samples * sizeof *id);
    int32_t *nodes = malloc(n_samples * sizeof *nodes);
    struct predictions p = describe(w, id, w->part);
    int rc =
        predictions_init(&p, data->n_samples, w->n_models, predictor_outputs(&w->predictor), err);

    if (!rc && (!id || !nodes))
        rc = err_nomem(err, "samples", n_samples * sizeof *id);
    for (int32_t i = 0; !rc && i < data->n_samples; i++)
        id[i] = dataset_id(data, i);
    for (int32_t m = 0; !rc && m < w->n_models; m++) {
        int32_t n = find_nodes(nodes, w, m, err);

        if (n == 0)
            rc = nothing(w, err);
        else
            rc = n < 0 ? -1 : ask(&p, w, m, nodes, n, 0, false, err);
    }
    if (!rc)
        rc = predictions_put(&w->table, &p, w->o->is_each, err);
    /* scores of stop or training samples would be too optimistic */
    if (!rc && part && (!strcmp(part, "val") || !strcmp(part, "test")))
        rc = predictions_score(&p, part, err);
    /* molecules without a column of ids are known by the numbers of their rows */
    if (!rc && !*s->v[P_ID].s && data_format_setting(data_format_at(s->v[P_FORMAT].i), "molecules"))
        log_info("%s: ids are row numbers, since data.id names no column", s->v[P_MOLECULES].s);
    predictions_release(&p);
    free(nodes);
    free(id);
    return rc;
}

/* ---- new samples (--genotypes) ---- */

static int predict_genotypes(struct predict *w, struct err *err)
{
    struct new_samples new;
    struct mat room = {0};
    uint8_t *part = NULL;
    int rc = new_samples_open(&new, w->data, &w->settings, w->o->genotypes, w->o->phenotypes,
                              w->o->is_all, err);

    if (!rc)
        rc = mat_init(&room, batch_size(new.n, w->data->n_features), w->data->n_features, err);
    part = malloc((size_t)room.n_rows + 1);
    if (!rc && !part)
        rc = err_nomem(err, "samples", (size_t)room.n_rows);
    for (int32_t first = 0; !rc && first < new.n; first += room.n_rows) {
        int32_t n = new.n - first < room.n_rows ? new.n - first : room.n_rows;
        struct mat x = mat_view(room.v, n, room.n_cols);

        for (int32_t i = 0; w->part && i < n; i++)
            part[i] = new.known[first + i] < 0 ? PART_NONE : w->part[new.known[first + i]];
        rc = new_samples_read(&x, &new, first, n, w->o->accepts_few_markers, err);
        if (!rc)
            rc = predictor_join(&w->predictor, &x, new_samples_fixed(&new, first), NULL, err);
        if (!rc)
            rc = put_rows(w, new.id + first, w->part ? part : NULL, n, w->predictor.data->n_samples,
                          new.n > room.n_rows, err);
    }
    if (!rc)
        new_samples_report_missing(&new);
    free(part);
    mat_release(&room);
    new_samples_close(&new);
    return rc;
}

/* ---- new graphs (--graphs) ---- */

/* molecules in memory at a time: 2 MB of features */
#define PIECE 1024

struct pieces {
    struct new_graphs new;
    struct known_graphs known;
    int32_t n, n_known;
};

static void report_graphs(const struct pieces *pieces, const char *path)
{
    struct buf before = {0};

    log_info(
        "%s: %d graph%s to predict, %d of them with the same %s as graphs of the training data",
        path, pieces->n, pieces->n == 1 ? "" : "s", pieces->n_known,
        data_format_same(pieces->new.spec.format));
    buf_printf(&before, "%s: ", path);
    new_samples_report_notes(&pieces->new.report, buf_text(&before));
    buf_release(&before);
}

/* Return 1; 0 after the last piece. */
static int take_piece(struct pieces *pieces, struct predict *w, struct err *err)
{
    const char *id[PIECE];
    uint8_t part[PIECE];
    struct dataset graphs;
    int status = new_graphs_next(&graphs, &pieces->new, PIECE, err);
    int32_t n_known;

    if (status <= 0)
        return status;
    assert(graphs.n_samples <= PIECE);
    for (int32_t i = 0; i < graphs.n_samples; i++)
        id[i] = dataset_id(&graphs, i);
    n_known = known_graphs_find(part, &pieces->known, &graphs, err);
    predictor_ask_graphs(&w->predictor, &graphs);
    if (n_known < 0 || put_rows(w, id, part, graphs.n_samples, 0, true, err))
        status = -1;
    pieces->n += graphs.n_samples;
    pieces->n_known += n_known;
    dataset_release(&graphs);
    return status;
}

static int predict_graphs(struct predict *w, struct err *err)
{
    struct pieces pieces = {0};
    struct data_spec spec;
    int status = -1;

    spec_data(&spec, w->settings.v);
    if (new_graphs_open(&pieces.new, &w->replay.data, &spec, w->o->graphs, err) == 0 &&
        known_graphs_init(&pieces.known, &w->replay.data, w->part, err) == 0)
        while ((status = take_piece(&pieces, w, err)) > 0)
            ;
    if (status == 0)
        report_graphs(&pieces, w->o->graphs);
    known_graphs_release(&pieces.known);
    new_graphs_close(&pieces.new);
    return status;
}

/* ---- new nodes (--features) ---- */

static int check_data(const struct predict *w, struct err *err)
{
    const struct data_format *format = data_format_at(w->settings.v[P_FORMAT].i);

    if (format->samples != DATA_NODES)
        return data_format_refuse(format, "features", "nodes of a graph", err);
    if (w->predictor.graph.build == GRAPH_FILE && !w->o->edges)
        return err_set(err, "--features: the graph comes from a file of edges: give the edges of "
                            "the new nodes with --edges FILE");
    return 0;
}

static void report_nodes(const struct new_nodes *n, const struct predict_options *o)
{
    log_info("%s: %d new node%s, skipped %lld row%s of nodes of the training data", o->features,
             n->n, plural(n->n), (long long)n->n_known, plural(n->n_known));
    new_samples_report_notes(&n->report, "");
    if (n->n_unknown)
        log_warn("%s: dropped %lld entr%s: the training data have no such feature", o->features,
                 (long long)n->n_unknown, n->n_unknown == 1 ? "y" : "ies");
    if (n->n_missing)
        log_info("%s: set %lld missing cell%s to the mean of the training data", o->features,
                 (long long)n->n_missing, plural(n->n_missing));
    if (!o->edges)
        return;
    if (n->n_alone)
        log_info("%s: %d new node%s without an edge to the training data", o->edges, n->n_alone,
                 plural(n->n_alone));
    if (n->n_between)
        log_warn("%s: ignored %lld edge%s between new nodes: predictions depend only on the "
                 "training data",
                 o->edges, (long long)n->n_between, plural(n->n_between));
    if (n->n_within)
        log_info("%s: ignored %lld edge%s between nodes of the training data", o->edges,
                 (long long)n->n_within, plural(n->n_within));
}

static int predict_nodes(struct predict *w, struct err *err)
{
    const struct dataset *data = &w->replay.data;
    struct new_nodes new = {0};
    struct attached edges = {0};
    uint8_t *part = NULL; /* PART_NONE: nodes of the data are skipped */
    struct mat room = {0};
    int rc = check_data(w, err);

    if (!rc)
        rc = new_nodes_read(&new, data, w->o->features, w->o->edges, err);
    if (!rc)
        rc = mat_init(&room, batch_size(new.n, data->n_features), data->n_features, err);
    if (!rc) {
        edges.start = malloc(((size_t)room.n_rows + 1) * sizeof *edges.start);
        part = calloc((size_t)room.n_rows + 1, sizeof *part);
        if (!edges.start || !part)
            rc = err_nomem(err, "new nodes", (size_t)room.n_rows * sizeof *edges.start);
    }
    for (int32_t first = 0; !rc && first < new.n; first += room.n_rows) {
        int32_t n = new.n - first < room.n_rows ? new.n - first : room.n_rows;
        struct mat x = mat_view(room.v, n, room.n_cols);

        new_nodes_take(&x, &edges, &new, first);
        rc = predictor_join(&w->predictor, &x, NULL, &edges, err);
        if (!rc)
            rc = put_rows(w, new.nodes.text + data->n_samples + first, part, n, data->n_samples,
                          new.n > room.n_rows, err);
    }
    if (!rc)
        report_nodes(&new, w->o);
    mat_release(&room);
    free(edges.start);
    free(part);
    new_nodes_release(&new);
    return rc;
}

int predict_samples(struct predict *w, struct err *err)
{
    const struct predict_options *o = w->o;

    if (find_parts(w, err))
        return -1;
    if (o->genotypes)
        return predict_genotypes(w, err);
    if (o->graphs)
        return predict_graphs(w, err);
    return o->features ? predict_nodes(w, err) : predict_panel(w, err);
}
