#include "gcn/pass.h"

#include "tensor/gemm.h"
#include "tensor/spmm.h"

static int take_activations(struct pass *pass, struct arena *scratch)
{
    size_t n_hidden = (size_t)pass->model->n_layers - 1;
    size_t n = (size_t)pass->inputs->data->n_samples;
    size_t width = (size_t)pass->spec->hidden_size;
    size_t stride = (size_t)dropout_stride(pass->spec->hidden_size);

    pass->h = arena_take_zeroed(scratch, n_hidden, sizeof *pass->h);
    pass->bits = arena_take_zeroed(scratch, n_hidden, sizeof *pass->bits);
    if (!pass->h || !pass->bits)
        return -1;
    for (size_t l = 0; l < n_hidden; l++) {
        pass->h[l] = arena_take(scratch, n * width, sizeof(float));
        if (!dropout_is_off(&pass->dropout))
            pass->bits[l] = arena_take(scratch, n * stride, sizeof(uint16_t));
        if (!pass->h[l] || (!dropout_is_off(&pass->dropout) && !pass->bits[l]))
            return -1;
    }
    return 0;
}

int pass_init(struct pass *pass, const struct gcn_spec *spec, const struct gcn_inputs *inputs,
              struct model *model, struct hash key, struct arena *scratch, struct err *err)
{
    int32_t n_outputs = model->layer[model->n_layers - 1].w.n_cols;
    size_t n = (size_t)inputs->data->n_samples * (size_t)model_width(model);

    *pass = (struct pass){.spec = spec, .inputs = inputs, .model = model};
    dropout_init(&pass->dropout, spec->dropout, key, RNG_DROPOUT);
    if (first_init(&pass->first, spec, inputs, n_outputs, key, scratch, err))
        return -1;
    pass->z = arena_take(scratch, n, sizeof(float));
    pass->t = arena_take(scratch, n, sizeof(float));
    pass->d = arena_take(scratch, n, sizeof(float));
    if (!pass->z || !pass->t || !pass->d || take_activations(pass, scratch))
        return err_nomem(err, "activations", 3 * n * sizeof(float));
    return 0;
}

static uint32_t layer_step(const struct pass *pass, uint32_t step, int32_t layer)
{
    return step * (uint32_t)pass->model->n_layers + (uint32_t)layer;
}

/* h of hidden layer l (0, 1, ...) over the field. */
static struct mat hidden_view(const struct pass *pass, const struct field *field, int32_t layer)
{
    return mat_view(pass->h[layer], field->level[layer + 1].n, pass->spec->hidden_size);
}

static void activate(struct pass *pass, const struct field *field, int32_t layer,
                     const struct mat *z, const int32_t *z_rows, bool is_training, uint32_t step)
{
    struct mat h = hidden_view(pass, field, layer);
    bool drops = is_training && !dropout_is_off(&pass->dropout);

    if (drops)
        dropout_bits(pass->bits[layer], &pass->dropout, layer_step(pass, step, layer),
                     field_rows(field, layer + 1), h.n_rows, h.n_cols);
    kernel_activate(&h, z, z_rows, pass->model->layer[layer].b, pass->spec->activation,
                    drops ? &pass->dropout : NULL, pass->bits[layer]);
}

/* z = A^ (h w), from level `layer` to level `layer + 1`. */
static void propagate(struct mat *z, struct pass *pass, const struct field *field, int32_t layer)
{
    const struct mat *w = &pass->model->layer[layer].w;
    struct mat h = hidden_view(pass, field, layer - 1);
    struct mat t = mat_view(pass->t, h.n_rows, w->n_cols);

    gemm(&t, 1, &h, w, 0);
    spmm(z, &pass->inputs->a_hat, field_rows(field, layer + 1), &t, field_pos(field, layer));
    pass->flops += 2.0 * (double)mat_size(&t) * w->n_rows +
                   2.0 * w->n_cols * (double)field->level[layer + 1].entries;
}

struct mat pass_forward(struct pass *pass, const struct field *field, const struct mat *z1,
                        const int32_t *z1_rows, bool is_training, uint32_t step)
{
    int32_t last = pass->model->n_layers - 1;
    struct mat z = mat_view(pass->z, field->level[1].n, pass->model->layer[0].w.n_cols);
    struct mat logits;

    if (!z1) {
        first_forward(&z, &pass->first, field, &pass->model->layer[0].w, is_training, step);
        z1 = &z;
        z1_rows = NULL;
    }
    for (int32_t l = 0; l < last; l++) {
        activate(pass, field, l, l == 0 ? z1 : &z, l == 0 ? z1_rows : NULL, is_training, step);
        z = mat_view(pass->z, field->level[l + 2].n, pass->model->layer[l + 1].w.n_cols);
        propagate(&z, pass, field, l + 1);
    }
    logits = mat_view(pass->z, field->level[last + 1].n, pass->model->layer[last].w.n_cols);
    kernel_rows(&logits, last == 0 ? z1 : &z, last == 0 ? z1_rows : NULL,
                pass->model->layer[last].b);
    return logits;
}

struct mat pass_gradient(struct pass *pass, const struct field *field)
{
    int32_t last = pass->model->n_layers - 1;

    return mat_view(pass->d, field->level[last + 1].n, pass->model->layer[last].w.n_cols);
}

/* From the gradient by layer `layer`'s z to that by the layer below's; fills dW. */
static void propagate_back(struct mat *d, struct pass *pass, const struct field *field,
                           int32_t layer)
{
    struct model *model = pass->model;
    const struct mat *w = &model->layer[layer].w;
    struct mat h = hidden_view(pass, field, layer - 1);
    struct mat t = mat_view(pass->t, h.n_rows, w->n_cols);

    spmm(&t, &pass->inputs->a_hat, field_rows(field, layer), d, field_pos(field, layer + 1));
    gemm_tn(&model->d_layer[layer].w, 1, &h, &t, 0);
    *d = mat_view(pass->d, h.n_rows, h.n_cols);
    gemm_nt(d, 1, &t, w, 0);
    kernel_activate_back(d, &h, pass->spec->activation,
                         dropout_is_off(&pass->dropout) ? NULL : &pass->dropout,
                         pass->bits[layer - 1]);
    pass->flops += 4.0 * (double)mat_size(&t) * w->n_rows +
                   2.0 * w->n_cols * (double)field->level[layer + 1].entries;
}

void pass_backward(struct pass *pass, const struct field *field, struct mat *d, uint32_t step)
{
    struct model *model = pass->model;

    for (int32_t l = model->n_layers - 1; l > 0; l--) {
        kernel_column_sums(model->d_layer[l].b, d);
        propagate_back(d, pass, field, l);
    }
    kernel_column_sums(model->d_layer[0].b, d);
    first_backward(&model->d_layer[0].w, &pass->first, field, d, step);
}
