/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/trainer.h"

#include <math.h>
#include <string.h>

#include "gcn/optimizer.h"

static bool has_graphs(const struct trainer *trainer)
{
    return trainer->spec->pool != POOL_NONE;
}

static void build(struct receptive_field *field, const struct trainer *trainer,
                  const int32_t *samples, int32_t n)
{
    if (has_graphs(trainer))
        receptive_field_build_graphs(field, &trainer->inputs->a_hat, samples, n);
    else
        receptive_field_build(field, &trainer->inputs->a_hat, samples, n);
}

/* Rows of `both` for the rows of `field`; NULL if they are the same. */
static int32_t *map_rows(const struct receptive_field *field, const struct receptive_field *both,
                         int32_t *place)
{
    const struct level *from = &field->level[1];
    const struct level *to = &both->level[1];

    if (from->n == to->n)
        return NULL;
    for (int32_t i = 0; i < from->n; i++)
        place[i] = to->pos[from->rows[i]];
    return place;
}

static int share_first(struct trainer *trainer, struct arena *scratch, struct err *err)
{
    const struct split *split = trainer->split;
    size_t n_both = (size_t)split->n_train + (size_t)trainer->n_watched;
    size_t n_samples = (size_t)trainer->inputs->data->n_samples;
    size_t width = (size_t)trainer->model.layer[0].w.n_cols;
    int32_t *nodes = arena_take(scratch, n_both, sizeof *nodes);
    int32_t *batch_rows = arena_take(scratch, n_samples, sizeof *batch_rows);
    int32_t *watch_rows = arena_take(scratch, n_samples, sizeof *watch_rows);
    float *z1;

    if (receptive_field_init(&trainer->both, (int32_t)n_samples, trainer->spec->layers, scratch,
                             err))
        return -1;
    if (!nodes || !batch_rows || !watch_rows)
        return err_nomem(err, "rows of a batch", 3 * n_samples * sizeof *nodes);
    memcpy(nodes, split->train, (size_t)split->n_train * sizeof *nodes);
    memcpy(nodes + split->n_train, trainer->watched, (size_t)trainer->n_watched * sizeof *nodes);
    receptive_field_build(&trainer->both, &trainer->inputs->a_hat, nodes, (int32_t)n_both);
    z1 = arena_take(scratch, (size_t)trainer->both.level[1].n * width, sizeof *z1);
    if (!z1)
        return err_nomem(err, "first layer", n_samples * width * sizeof *z1);
    trainer->z1 = mat_view(z1, trainer->both.level[1].n, (int32_t)width);
    trainer->batch_in_z1 = map_rows(&trainer->batch, &trainer->both, batch_rows);
    trainer->watch_in_z1 = map_rows(&trainer->watch, &trainer->both, watch_rows);
    return 0;
}

static int32_t capacity_of(const struct trainer *trainer)
{
    const struct dataset *data = trainer->inputs->data;
    int32_t n_batch = trainer->is_full_batch ? trainer->split->n_train : trainer->spec->batch_size;

    return has_graphs(trainer) ? receptive_field_capacity(data, n_batch) : data->n_samples;
}

static int init_nodes(struct trainer *trainer, struct arena *scratch, struct err *err)
{
    const struct gcn_inputs *inputs = trainer->inputs;
    const struct split *split = trainer->split;
    int32_t n = inputs->data->n_samples, layers = trainer->spec->layers;

    if (receptive_field_init(&trainer->batch, n, layers, scratch, err) ||
        receptive_field_init(&trainer->watch, n, layers, scratch, err))
        return -1;
    receptive_field_build(&trainer->watch, &inputs->a_hat, trainer->watched, trainer->n_watched);
    if (!trainer->is_full_batch)
        return 0;
    receptive_field_build(&trainer->batch, &inputs->a_hat, split->train, split->n_train);
    trainer->shares_first = dropout_is_off(&trainer->pass.first.dropout);
    return trainer->shares_first ? share_first(trainer, scratch, err) : 0;
}

static int init_graphs(struct trainer *trainer, struct arena *scratch, struct err *err)
{
    const struct gcn_inputs *inputs = trainer->inputs;
    const struct split *split = trainer->split;
    int32_t n = inputs->data->n_samples, layers = trainer->spec->layers;
    int32_t n_outputs = trainer->target.n_outputs;
    float *logits = arena_take(scratch, (size_t)n * (size_t)n_outputs, sizeof *logits);

    trainer->place = arena_take(scratch, (size_t)n, sizeof *trainer->place);
    if (!logits || !trainer->place)
        return err_nomem(err, "logits", (size_t)n * ((size_t)n_outputs + 1) * sizeof *logits);
    trainer->logits = mat_view(logits, n, n_outputs);
    if (receptive_field_init_graphs(&trainer->batch, inputs->data, trainer->capacity, layers,
                                    scratch, err) ||
        receptive_field_init_graphs(&trainer->watch, inputs->data, trainer->capacity, layers,
                                    scratch, err))
        return -1;
    if (trainer->is_full_batch)
        receptive_field_build_graphs(&trainer->batch, &inputs->a_hat, split->train, split->n_train);
    return 0;
}

int trainer_init(struct trainer *trainer, const struct gcn_spec *spec,
                 const struct gcn_inputs *inputs, const struct split *split, struct hash key,
                 const struct clock *clock, struct arena *scratch, struct err *err)
{
    const struct dataset *data = inputs->data;

    *trainer = (struct trainer){.spec = spec, .inputs = inputs, .split = split, .clock = clock};
    split_chooser(&trainer->watched, &trainer->n_watched, split);
    trainer->is_full_batch = spec->batch_size == 0 || spec->batch_size >= split->n_train;
    trainer->capacity = capacity_of(trainer);
    if (training_target_init(&trainer->target, spec, data, split->train, split->n_train, scratch,
                             err) ||
        model_init(&trainer->model, spec, inputs->n_inputs, inputs->fan_in,
                   trainer->target.n_outputs, key, scratch, err) ||
        optimizer_init(&trainer->optimizer, spec, &trainer->model, scratch, err) ||
        pass_init(&trainer->pass, spec, inputs, split->n_train, trainer->capacity, &trainer->model,
                  key, scratch, err))
        return -1;
    return has_graphs(trainer) ? init_graphs(trainer, scratch, err)
                               : init_nodes(trainer, scratch, err);
}

void trainer_set_weights(struct trainer *trainer, const float *weights)
{
    memcpy(trainer->model.weights, weights, (size_t)trainer->model.n_weights * sizeof *weights);
    trainer->z1_is_fresh = false;
}

static void charge(struct trainer *trainer, enum gcn_phase phase, double *since)
{
    double now = clock_now(trainer->clock);

    trainer->seconds[phase] += now - *since;
    *since = now;
}

/* Returns NULL if the product is not shared. */
static const struct mat *shared_first(struct trainer *trainer)
{
    if (!trainer->shares_first)
        return NULL;
    if (!trainer->z1_is_fresh)
        first_layer_forward(&trainer->z1, &trainer->pass.first, &trainer->both,
                            &trainer->model.layer[0].w, false, 0);
    trainer->z1_is_fresh = true;
    return &trainer->z1;
}

void trainer_weights_came(struct trainer *trainer)
{
    double flops = trainer->pass.first.flops;

    trainer->z1_is_fresh = false;
    shared_first(trainer);
    trainer->pass.first.flops = flops;
}

void trainer_begin_epoch(struct trainer *trainer, int32_t epoch)
{
    trainer->optimizer.rate = optimizer_rate(trainer->spec, epoch);
}

double trainer_gradient(struct trainer *trainer, const int32_t *nodes, int32_t n)
{
    struct receptive_field *field = &trainer->batch;
    double since = clock_now(trainer->clock);
    const struct mat *z1 = NULL;
    struct mat logits, d;
    double loss;

    if (nodes) {
        build(field, trainer, nodes, n);
        first_layer_forget(&trainer->pass.first);
    } else {
        z1 = shared_first(trainer);
    }
    logits = pass_forward(&trainer->pass, field, z1, trainer->batch_in_z1, true, trainer->n_steps);
    charge(trainer, GCN_FORWARD, &since);

    d = pass_gradient(&trainer->pass, field);
    loss = loss_of(&d, &logits, receptive_field_samples(field), &trainer->target);
    if (isfinite(loss))
        pass_backward(&trainer->pass, field, &d, trainer->n_steps);
    charge(trainer, GCN_BACKWARD, &since);
    return loss;
}

double trainer_step(struct trainer *trainer, const int32_t *nodes, int32_t n)
{
    double loss = trainer_gradient(trainer, nodes, n);
    double since = clock_now(trainer->clock);

    if (isfinite(loss))
        optimizer_step(&trainer->optimizer, &trainer->model);
    trainer->z1_is_fresh = false;
    trainer->n_steps++;
    charge(trainer, GCN_OPTIMIZER, &since);
    return loss;
}

static int32_t count_fitting(const struct trainer *trainer, const int32_t *graphs, int32_t n)
{
    const int64_t *start = trainer->inputs->data->graph_start;
    int64_t n_nodes = 0;
    int32_t i = 0;

    for (; i < n; i++) {
        n_nodes += start[graphs[i] + 1] - start[graphs[i]];
        if (n_nodes > trainer->capacity)
            break;
    }
    return i;
}

/* Row i is graph graphs[i]. */
static struct mat logits_of_graphs(struct trainer *trainer, const int32_t *graphs, int32_t n)
{
    struct mat all = mat_view(trainer->logits.v, n, trainer->logits.n_cols);

    for (int32_t at = 0; at < n;) {
        int32_t n_some = count_fitting(trainer, graphs + at, n - at);
        struct mat some;

        build(&trainer->watch, trainer, graphs + at, n_some);
        some = pass_forward(&trainer->pass, &trainer->watch, NULL, NULL, false, 0);
        memcpy(mat_row(&all, at), some.v, (size_t)mat_size(&some) * sizeof *some.v);
        at += n_some;
    }
    return all;
}

struct mat trainer_watched_logits(struct trainer *trainer)
{
    if (has_graphs(trainer))
        return logits_of_graphs(trainer, trainer->watched, trainer->n_watched);
    return pass_forward(&trainer->pass, &trainer->watch, shared_first(trainer),
                        trainer->watch_in_z1, false, 0);
}

struct mat trainer_logits_of(struct trainer *trainer, const int32_t *samples, int32_t n,
                             const int32_t **rows)
{
    if (has_graphs(trainer)) {
        for (int32_t i = 0; i < n; i++)
            trainer->place[samples[i]] = i;
        *rows = trainer->place;
        return logits_of_graphs(trainer, samples, n);
    }
    build(&trainer->batch, trainer, samples, n);
    *rows = trainer->batch.level[trainer->spec->layers].pos;
    return pass_forward(&trainer->pass, &trainer->batch, NULL, NULL, false, 0);
}

double trainer_flops(const struct trainer *trainer)
{
    return trainer->pass.flops + trainer->pass.first.flops;
}
