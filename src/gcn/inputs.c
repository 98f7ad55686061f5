/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "gcn/cost.h"
#include "gcn/scale.h"
#include "tensor/kernel.h"
#include "tensor/spmm.h"

/* Panels of columns, so that A^X needs no second matrix of its size. A panel is a whole number of
 * spmm() blocks, so each column has the same bits as in one piece. */
#define PANEL_BYTES ((size_t)16 << 20)
#define PANEL_COLUMNS 64

struct panels {
    const struct dataset *data;
    enum feature_scale scale;
    double *row_sum;  /* [M] for SCALE_ROW; else NULL */
    int32_t width;    /* at most */
    struct mat x, ax; /* no ax if one panel is all */
};

static bool is_whole(const struct panels *p)
{
    return p->width == p->data->n_features;
}

static int read_panel(struct mat *out, struct panels *p, int32_t at, struct err *err)
{
    int32_t left = p->data->n_features - at;

    *out = mat_view(p->x.v, p->data->n_nodes, left < p->width ? left : p->width);
    return scale_columns(out, p->data, p->scale, at, err);
}

static int panels_init(struct panels *p, const struct dataset *data, enum feature_scale scale,
                       struct err *err)
{
    size_t n = (size_t)data->n_nodes;
    size_t blocks = PANEL_BYTES / (n * PANEL_COLUMNS * sizeof(float));
    size_t width = (blocks ? blocks : 1) * PANEL_COLUMNS;
    struct mat panel;

    *p = (struct panels){.data = data, .scale = scale, .width = data->n_features};
    if (width < (size_t)data->n_features)
        p->width = (int32_t)width;
    if (mat_init(&p->x, data->n_nodes, p->width, err) ||
        (!is_whole(p) && mat_init(&p->ax, data->n_nodes, p->width, err)))
        return -1;
    if (scale != SCALE_ROW)
        return 0;
    p->row_sum = calloc(n, sizeof *p->row_sum);
    if (!p->row_sum)
        return err_nomem(err, "row sums", n * sizeof *p->row_sum);
    for (int32_t at = 0; at < data->n_features; at += p->width) {
        if (read_panel(&panel, p, at, err))
            return -1;
        kernel_add_row_sums(p->row_sum, &panel);
    }
    return 0;
}

static void put_panel(struct mat *out, const struct mat *panel, int32_t at)
{
    for (int32_t i = 0; i < panel->n_rows; i++)
        memcpy(mat_row(out, i) + at, mat_row(panel, i), (size_t)panel->n_cols * sizeof *panel->v);
}

static int fill_dense(struct gcn_inputs *inputs, struct panels *p, struct err *err)
{
    for (int32_t at = 0; at < p->data->n_features; at += p->width) {
        struct mat x, ax;

        if (read_panel(&x, p, at, err))
            return -1;
        if (p->row_sum)
            kernel_divide_rows(&x, p->row_sum);
        if (inputs->x.v)
            put_panel(&inputs->x, &x, at);
        if (!inputs->has[FIRST_AX_DENSE])
            continue;
        ax = is_whole(p) ? inputs->ax : mat_view(p->ax.v, x.n_rows, x.n_cols);
        spmm(&ax, &inputs->a_hat, NULL, &x, NULL);
        if (!is_whole(p))
            put_panel(&inputs->ax, &ax, at);
    }
    return 0;
}

static int make_dense(struct gcn_inputs *inputs, const struct gcn_outline *outline,
                      enum feature_scale scale, struct err *err)
{
    const struct dataset *data = inputs->data;
    struct panels panels;
    int rc = panels_init(&panels, data, scale, err);

    if (!rc && outline->has_x && !is_whole(&panels))
        rc = mat_init(&inputs->x, data->n_nodes, data->n_features, err);
    if (!rc && inputs->has[FIRST_AX_DENSE])
        rc = mat_init(&inputs->ax, data->n_nodes, data->n_features, err);
    if (!rc)
        rc = fill_dense(inputs, &panels, err);
    if (!rc && outline->has_x && is_whole(&panels)) {
        inputs->x = panels.x;
        panels.x = (struct mat){0};
    }
    free(panels.row_sum);
    mat_release(&panels.x);
    mat_release(&panels.ax);
    return rc;
}

static int make_features(struct gcn_inputs *inputs, const struct gcn_outline *outline,
                         enum feature_scale scale, struct err *err)
{
    const struct dataset *data = inputs->data;
    const struct scale_source columns = {data, scale};
    struct coded_source source = scale_coded_source(&columns);
    struct csr *x = &inputs->x_sparse;

    if (inputs->has[FIRST_X_SPARSE])
        return scale_sparse(x, data, outline->entries_x, scale, err) ||
                       (inputs->has[FIRST_AX_SPARSE] &&
                        csr_multiply(&inputs->ax_sparse, &inputs->a_hat, x, outline->entries_ax,
                                     err))
                   ? -1
                   : 0;
    inputs->coded = outline->coded;
    if (inputs->has[FIRST_X_CODED] && coded_make(&inputs->coded, &source, err))
        return -1;
    return inputs->has[FIRST_AX_DENSE] || outline->has_x ? make_dense(inputs, outline, scale, err)
                                                         : 0;
}

/* ---- all inputs ---- */

/* Set the padding too: packed inputs are hashed. */
static void begin(struct gcn_inputs *inputs, const struct dataset *data, int32_t n_inputs)
{
    memset(inputs, 0, sizeof *inputs);
    inputs->data = data;
    inputs->n_inputs = n_inputs;
    inputs->fan_in = data->n_features;
}

int gcn_inputs_make(struct gcn_inputs *inputs, const struct gcn_outline *outline,
                    const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                    struct err *err)
{
    begin(inputs, outline->data, outline->n_inputs);
    memcpy(inputs->has, outline->has, sizeof inputs->has);
    if (csr_normalize(&inputs->a_hat, adjacency, err) ||
        make_features(inputs, outline, spec->scale, err)) {
        gcn_inputs_release(inputs);
        return -1;
    }
    return 0;
}

int gcn_inputs_init_reduced(struct gcn_inputs *inputs, const struct dataset *data,
                            const struct csr *adjacency, const struct mat *l, struct err *err)
{
    begin(inputs, data, l->n_cols);
    if (csr_normalize(&inputs->a_hat, adjacency, err) ||
        mat_init(&inputs->ax, l->n_rows, l->n_cols, err) ||
        mat_init(&inputs->x, l->n_rows, l->n_cols, err)) {
        gcn_inputs_release(inputs);
        return -1;
    }
    memcpy(inputs->x.v, l->v, (size_t)mat_size(l) * sizeof *l->v);
    spmm(&inputs->ax, &inputs->a_hat, NULL, l, NULL);
    inputs->has[FIRST_AX_DENSE] = true;
    return 0;
}

void gcn_inputs_release(struct gcn_inputs *inputs)
{
    if (!inputs)
        return;
    if (!inputs->is_view) {
        csr_release(&inputs->a_hat);
        csr_release(&inputs->x_sparse);
        csr_release(&inputs->ax_sparse);
        coded_release(&inputs->coded);
        mat_release(&inputs->x);
        mat_release(&inputs->ax);
    }
    *inputs = (struct gcn_inputs){0};
}

/* ---- packed ---- */

/* Fails if struct gcn_inputs gets a new member: add arrays to walk(), then correct the size. */
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(struct gcn_inputs) == 264, "walk() must know every array of gcn_inputs");
#endif

static void walk(struct packer *p, void *object)
{
    struct gcn_inputs *inputs = object;
    struct coded *c = &inputs->coded;

    packer_data(p, &inputs->data, &inputs->is_view);
    packer_csr(p, &inputs->a_hat);
    packer_mat(p, &inputs->x);
    packer_csr(p, &inputs->x_sparse);
    packer_mat(p, &inputs->ax);
    packer_csr(p, &inputs->ax_sparse);
#define WALK(name, n) PACKER_ARRAY(p, c->name, n);
    CODED_ARRAYS(WALK, c)
#undef WALK
}

const struct packed_type gcn_inputs_packed = {"esp-gcni", 2, sizeof(struct gcn_inputs), walk};
