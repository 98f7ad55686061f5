/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/predictor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/safetensors.h"
#include "gcn/pass.h"
#include "tensor/gemm.h"
#include "tensor/spmm.h"
#include "trial/kept.h"
#include "trial/spec.h"

/* rows scaled and multiplied at a time */
#define BLOCK_ROWS 64

/* ---- the panel ---- */

/* Make A^ of one graph, which stays until another is predicted. */
static int make_one(struct predictor *p, int32_t graph, struct err *err)
{
    const int64_t *start = p->asked->graph_start;
    bool is_made = p->panel.row_start && p->one == graph;
    int32_t n = (int32_t)(start[graph + 1] - start[graph]);
    struct csr adjacency;
    int rc;

    p->one = graph;
    p->first_node = (int32_t)start[graph];
    if (is_made)
        return 0;
    csr_release(&p->panel);
    if (p->graph.build == GRAPH_NONE ? csr_init(&adjacency, n, n, 0, err)
                                     : graph_one(&adjacency, p->asked, graph, err))
        return -1;
    rc = csr_normalize(&p->panel, &adjacency, err);
    csr_release(&adjacency);
    return rc;
}

int predictor_init(struct predictor *p, const struct dataset *data, struct prepared *prepared,
                   const struct settings *settings, struct err *err)
{
    struct csr adjacency = {0};
    int rc = 0;

    *p = (struct predictor){.data = data, .asked = data, .settings = settings};
    p->type = model_type_of(settings);
    spec_gcn(&p->spec, settings);
    spec_inputs(&p->made, settings);
    p->spec.dropout = p->spec.input_dropout = 0;
    p->spec.batch_size = 0;
    spec_graph(&p->graph, settings);
    if (!p->type->uses_graph)
        p->graph.build = GRAPH_NONE;
    /* new graphs may be predicted instead */
    if (!data->graph_start)
        rc = (prepared ? prepared_graph(&adjacency, prepared, &p->graph, err)
                       : graph_build(&adjacency, data, &p->graph, err)) ||
             csr_normalize(&p->panel, &adjacency, err);
    csr_release(&adjacency);
    if (rc)
        return -1;
    if (!p->type->inputs) /* nothing but fixed effects */
        p->made.scale = SCALE_NONE;
    p->scaling.scale = p->made.scale;
    return data->is_sparse ? scale_sparse(&p->sparse, data, 0, p->made.scale, err)
                           : scaling_fit(&p->scaling, data, p->made.scale, err);
}

void predictor_release(struct predictor *p)
{
    if (!p)
        return;
    scaling_release(&p->scaling);
    csr_release(&p->sparse);
    csr_release(&p->panel);
    csr_release(&p->joined);
    mat_release(&p->fresh);
    arena_release(&p->scratch);
    memset(p, 0, sizeof *p);
}

int32_t predictor_outputs(const struct predictor *p)
{
    return p->data->task == TASK_CLASSIFICATION ? p->data->n_classes : 1;
}

bool predictor_has_probabilities(const struct predictor *p)
{
    return p->data->task == TASK_CLASSIFICATION && p->type->gives_probabilities;
}

/* ---- features ---- */

/* In place, as the network sees it. sample: of the panel, or -1 for a new one, which is divided by
 * its own sum. scaled: scratch. */
static void scale_row(float *row, const struct predictor *p, int32_t sample, double *scaled)
{
    struct mat raw = mat_view(row, 1, p->data->n_features);
    struct feature_panel where = {.at = sample < 0 ? 0 : sample, .n = 1};
    struct scaling scaling = p->scaling;
    double sum = 0, factor;

    if (sample < 0 && scaling.scale == SCALE_ROW) {
        for (int32_t j = 0; j < raw.n_cols; j++)
            sum += (double)row[j];
        factor = sum != 0 ? 1 / sum : 1;
        scaling.row_factor = &factor;
    }
    scaling_apply(scaled, &scaling, &where, &raw);
    for (int32_t j = 0; j < raw.n_cols; j++)
        row[j] = (float)scaled[j];
}

static int scale_fresh(struct predictor *p, const struct mat *x, struct err *err)
{
    double *scaled = malloc((size_t)x->n_cols * sizeof *scaled);

    mat_release(&p->fresh);
    if (!scaled || mat_init(&p->fresh, x->n_rows, x->n_cols, err)) {
        free(scaled);
        return err_nomem(err, "new samples", (size_t)mat_size(x) * sizeof *x->v);
    }
    memcpy(p->fresh.v, x->v, (size_t)mat_size(x) * sizeof *x->v);
    for (int32_t i = 0; i < x->n_rows; i++)
        scale_row(mat_row(&p->fresh, i), p, -1, scaled);
    free(scaled);
    return 0;
}

/* ---- new samples ---- */

void predictor_ask_graphs(struct predictor *p, const struct dataset *graphs)
{
    p->asked = graphs;
    csr_release(&p->panel);
}

/* Append the row of new sample i. inverse_root: [N] 1 / sqrt(degree + 1) in the data. */
static void append_row(struct csr *a, const double *inverse_root, const struct predictor *p,
                       const struct attached *to, int32_t i)
{
    int32_t node = p->data->n_samples + i;
    int64_t at = a->row_start[node];
    double degree = 1;

    for (int64_t e = to->start[i]; e < to->start[i + 1]; e++)
        degree += (double)to->edge[e].weight;
    for (int64_t e = to->start[i]; e < to->start[i + 1]; e++, at++) {
        int32_t j = to->edge[e].sample;

        a->col[at] = j;
        a->val[at] = (float)((double)to->edge[e].weight * inverse_root[j] / sqrt(degree));
    }
    a->col[at] = node;
    a->val[at] = (float)(1 / degree);
    a->row_start[node + 1] = at + 1;
}

static int join(struct predictor *p, const struct attached *to, int32_t n, struct err *err)
{
    const struct csr *panel = &p->panel;
    int32_t n_panel = panel->n_rows;
    int64_t nnz = csr_nnz(panel);
    double *inverse_root = calloc((size_t)n_panel + 1, sizeof *inverse_root);

    csr_release(&p->joined);
    if (!inverse_root ||
        csr_init(&p->joined, n_panel + n, n_panel + n, nnz + to->start[n] + n, err)) {
        free(inverse_root);
        return err_nomem(err, "new samples", (size_t)n_panel * sizeof *inverse_root);
    }
    /* the diagonal of D^-1/2 (A + I) D^-1/2 is 1 / d */
    for (int32_t i = 0; i < n_panel; i++)
        for (int64_t e = panel->row_start[i]; e < panel->row_start[i + 1]; e++)
            if (panel->col[e] == i)
                inverse_root[i] = sqrt((double)panel->val[e]);
    memcpy(p->joined.row_start, panel->row_start, ((size_t)n_panel + 1) * sizeof *panel->row_start);
    memcpy(p->joined.col, panel->col, (size_t)nnz * sizeof *panel->col);
    memcpy(p->joined.val, panel->val, (size_t)nnz * sizeof *panel->val);
    for (int32_t i = 0; i < n; i++)
        append_row(&p->joined, inverse_root, p, to, i);
    free(inverse_root);
    return 0;
}

int predictor_join(struct predictor *p, const struct mat *x, const double *fixed,
                   const struct attached *edges, struct err *err)
{
    struct attached to = {0};
    int rc = 0;

    p->fixed = fixed;
    if (p->graph.build == GRAPH_FILE && !edges)
        return err_set(err, "the graph comes from a file of edges, but the new samples have none");
    if (p->graph.build != GRAPH_FILE)
        rc = attach(&to, p->data, &p->graph, x, err);
    if (!rc)
        rc = join(p, p->graph.build == GRAPH_FILE ? edges : &to, x->n_rows, err);
    attached_release(&to);
    return rc ? -1 : scale_fresh(p, x, err);
}

/* ---- a model ---- */

struct opened {
    const void *file;
    size_t bytes;
    bool is_projected; /* first is X W of the panel, not W */
    struct mat first;  /* a view */
    double target_mean, target_sd;
    struct fixed_effects fixed;
};

static int damaged(struct err *err)
{
    return err_set(err, "the stored model is damaged");
}

static int open_model(struct opened *m, const struct predictor *p, const void *file, size_t bytes,
                      struct err *err)
{
    struct safetensor t;

    *m = (struct opened){.file = file, .bytes = bytes};
    if (safetensors_number(&m->target_mean, file, bytes, "target_mean") ||
        safetensors_number(&m->target_sd, file, bytes, "target_sd"))
        return damaged(err);
    if (kept_fixed(&m->fixed, p->data, predictor_outputs(p), file, bytes, err))
        return -1;
    if (!p->type->inputs)
        return 0;
    m->is_projected = !kept_is_complete(file, bytes);
    if (m->is_projected && p->fresh.n_rows)
        return err_set(err, "the model has no weights for features");
    if (kept_first(&t, m->file, m->bytes) ||
        t.shape[0] != (m->is_projected ? p->data->n_samples : p->data->n_features))
        return damaged(err);
    m->first = mat_view((float *)(uintptr_t)t.data, (int32_t)t.shape[0], (int32_t)t.shape[1]);
    return 0;
}

/* Leave out the first layer, which is multiplied separately. */
static int fill_model(struct model *model, const struct opened *m, struct err *err)
{
    for (int32_t i = 0; i < model->n_tensors; i++) {
        const struct model_tensor *to = &model->tensor[i];
        struct safetensor from;

        if (to->layer == 0 && to->array == MODEL_WEIGHT)
            continue;
        if (kept_tensor(&from, m->file, m->bytes, to))
            return damaged(err);
        memcpy(model->weights + to->begin, from.data, safetensors_bytes(&from));
    }
    return 0;
}

/* ---- the first layer ---- */

/* row out [F]: the scaled features of a node */
static void read_row(float *row, const struct predictor *p, int32_t node, double *scaled)
{
    int32_t n = p->asked->n_nodes;
    struct mat one = mat_view(row, 1, p->data->n_features);

    if (node >= n) {
        memcpy(row, mat_row(&p->fresh, node - n), (size_t)one.n_cols * sizeof *row);
        return;
    }
    node += p->first_node;
    dataset_decode(&one, p->asked, node, 0);
    scale_row(row, p, p->asked == p->data ? node : -1, scaled);
}

static int multiply_dense(struct mat *out, const struct predictor *p, const struct opened *m,
                          const int32_t *rows, struct err *err)
{
    size_t width = (size_t)p->data->n_features;
    int32_t most = out->n_rows < BLOCK_ROWS ? out->n_rows : BLOCK_ROWS;
    double *scaled = malloc(width * sizeof *scaled);
    struct mat block = {0};

    if (!scaled || mat_init(&block, most, (int32_t)width, err)) {
        free(scaled);
        return err_nomem(err, "features", width * BLOCK_ROWS * sizeof(float));
    }
    for (int32_t at = 0; at < out->n_rows; at += BLOCK_ROWS) {
        int32_t n = out->n_rows - at < BLOCK_ROWS ? out->n_rows - at : BLOCK_ROWS;
        struct mat x = mat_view(block.v, n, block.n_cols);
        struct mat part = mat_view(mat_row(out, at), n, out->n_cols);

        for (int32_t i = 0; i < n; i++)
            read_row(mat_row(&x, i), p, rows[at + i], scaled);
        gemm(&part, &x, &m->first);
    }
    mat_release(&block);
    free(scaled);
    return 0;
}

/* Nodes ascend: first those of the data, then new ones, which are dense. */
static int multiply_sparse(struct mat *out, const struct predictor *p, const struct opened *m,
                           const int32_t *rows, struct err *err)
{
    int32_t n = 0;
    struct mat known, new;

    while (n < out->n_rows && rows[n] < p->data->n_nodes)
        n++;
    known = mat_view(out->v, n, out->n_cols);
    new = mat_view(out->v + mat_size(&known), out->n_rows - n, out->n_cols);
    spmm(&known, &p->sparse, rows, &m->first, NULL);
    return new.n_rows ? multiply_dense(&new, p, m, rows + n, err) : 0;
}

struct forward {
    struct dataset shape;     /* of all samples, or of one graph */
    int64_t start[2];         /* graph_start of that graph */
    struct gcn_inputs inputs; /* only A^ is read, since the first layer's product is supplied */
    int64_t none;
    struct model model;
    struct receptive_field field;
    struct pass pass;
};

/* ---- outputs ---- */

static void softmax(double *z, int32_t n)
{
    double most = z[0], sum = 0;

    for (int32_t c = 1; c < n; c++)
        most = fmax(most, z[c]);
    for (int32_t c = 0; c < n; c++)
        sum += exp(z[c] - most);
    for (int32_t c = 0; c < n; c++)
        z[c] = exp(z[c] - most) / sum;
}

static void add_fixed(double *out, const struct predictor *p, const struct opened *m,
                      const int32_t *nodes, int32_t n)
{
    int32_t n_panel = p->data->n_samples;

    for (int32_t i = 0; m->fixed.n && i < n; i++) {
        const double *x = nodes[i] < n_panel
                              ? dataset_fixed(p->data, nodes[i])
                              : p->fixed + (int64_t)(nodes[i] - n_panel) * m->fixed.n;

        for (int32_t c = 0; c < m->fixed.n_outputs; c++)
            out[(int64_t)i * m->fixed.n_outputs + c] += fixed_effect(&m->fixed, x, c);
    }
}

/* ---- forward ---- */

/* capacity: the most nodes of a level. */
static int forward_init(struct forward *f, struct predictor *p, const struct opened *m, int32_t n,
                        int32_t capacity, struct err *err)
{
    struct arena *scratch = &p->scratch;

    f->pass = (struct pass){
        .spec = &p->spec, .inputs = &f->inputs, .model = &f->model, .capacity = capacity};
    if (model_init(&f->model, &p->spec, 1, 1, predictor_outputs(p), (struct hash){0}, scratch,
                   err) ||
        fill_model(&f->model, m, err) || pass_init(&f->pass, n, (struct hash){0}, scratch, err))
        return -1;
    return m->first.n_cols == f->model.layer[0].w.n_cols ? 0 : damaged(err);
}

/* The first layer's product A^ X W is supplied. A forward pass leaves its buffers alone until that is
 * used. */
static int forward_run(double *out, struct forward *f, const struct predictor *p,
                       const struct opened *m, struct err *err)
{
    const struct receptive_field *field = &f->field;
    const int32_t *rows = field->level[0].rows;
    struct mat product = mat_view(f->pass.buffers.v[0], field->level[0].n, m->first.n_cols);
    struct mat z1 = mat_view(f->pass.buffers.v[1], field->level[1].n, m->first.n_cols), z;

    if (!m->is_projected &&
        (p->data->is_sparse ? multiply_sparse : multiply_dense)(&product, p, m, rows, err))
        return -1;
    for (int32_t i = 0; m->is_projected && i < product.n_rows; i++)
        memcpy(mat_row(&product, i), mat_row(&m->first, rows[i]),
               (size_t)product.n_cols * sizeof(float));
    spmm(&z1, &f->inputs.a_hat, receptive_field_rows(field, 1), &product,
         receptive_field_pos(field, 0));
    z = pass_forward(&f->pass, &f->field, &z1, NULL, false, 0);
    for (int64_t i = 0; i < mat_size(&z); i++)
        out[i] = (double)z.v[i] * m->target_sd + m->target_mean;
    return 0;
}

static int run_nodes(double *out, struct forward *f, struct predictor *p, const struct opened *m,
                     const int32_t *nodes, int32_t n, struct err *err)
{
    if (receptive_field_init(&f->field, f->shape.n_nodes, p->spec.layers, &p->scratch, err))
        return -1;
    receptive_field_build(&f->field, &f->inputs.a_hat, nodes, n);
    return forward_init(f, p, m, n, f->field.level[0].n, err) || forward_run(out, f, p, m, err) ? -1
                                                                                                : 0;
}

/* One at a time, because the rounding of a product may depend on its rows, and the prediction for a
 * graph must not depend on other graphs. */
static int run_graphs(double *out, struct forward *f, struct predictor *p, const struct opened *m,
                      const int32_t *graphs, int32_t n, struct err *err)
{
    static const int32_t first = 0;
    const int64_t *start = p->asked->graph_start;
    int32_t most = 0;
    int rc;

    for (int32_t i = 0; i < n; i++)
        if (start[graphs[i] + 1] - start[graphs[i]] > most)
            most = (int32_t)(start[graphs[i] + 1] - start[graphs[i]]);

    f->shape.n_samples = 1;
    f->shape.n_nodes = most;
    f->shape.graph_start = f->start;
    if (receptive_field_init_graphs(&f->field, &f->shape, most, p->spec.layers, &p->scratch, err))
        return -1;
    rc = forward_init(f, p, m, 1, most, err);
    for (int32_t i = 0; !rc && i < n; i++) {
        rc = make_one(p, graphs[i], err);
        if (rc)
            break;
        f->inputs.a_hat = p->panel;
        f->start[1] = p->panel.n_rows;
        receptive_field_build_graphs(&f->field, &f->inputs.a_hat, &first, 1);
        rc = forward_run(out + (int64_t)i * predictor_outputs(p), f, p, m, err);
    }
    return rc;
}

int predictor_predict(double *out, struct predictor *p, const void *file, size_t bytes,
                      const int32_t *nodes, int32_t n, struct err *err)
{
    int32_t n_outputs = predictor_outputs(p);
    bool has_probabilities = predictor_has_probabilities(p);
    struct forward f = {.shape = *p->data};
    struct opened m;

    arena_reset(&p->scratch);
    if (open_model(&m, p, file, bytes, err))
        return -1;
    p->unit = has_probabilities ? 1 : m.target_sd;
    f.inputs = (struct gcn_inputs){.data = &f.shape, .n_inputs = 1, .fan_in = 1};
    f.inputs.a_hat = p->fresh.n_rows ? p->joined : p->panel;
    f.inputs.ax_sparse.row_start = &f.none;
    f.inputs.has[FIRST_AX_SPARSE] = true;
    f.shape.n_samples = f.shape.n_nodes = f.inputs.a_hat.n_rows;
    for (int64_t i = 0; !p->type->inputs && i < (int64_t)n * n_outputs; i++)
        out[i] = m.target_mean;
    if (p->type->inputs &&
        (p->asked->graph_start ? run_graphs : run_nodes)(out, &f, p, &m, nodes, n, err))
        return -1;
    add_fixed(out, p, &m, nodes, n);
    for (int32_t i = 0; has_probabilities && i < n; i++)
        softmax(out + (int64_t)i * n_outputs, n_outputs);
    return 0;
}
