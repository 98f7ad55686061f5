#include "gcn/trainer.h"

#include <math.h>
#include <string.h>

#include "gcn/schedule.h"

/* Where the rows of level 1 of `field` lie in level 1 of `both`; NULL where in their own place. */
static int32_t *map_rows(const struct field *field, const struct field *both, int32_t *place)
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
    size_t n_both = (size_t)split->n_train + (size_t)split->n_val;
    size_t n_samples = (size_t)trainer->inputs->data->n_samples;
    size_t width = (size_t)trainer->model.layer[0].w.n_cols;
    int32_t *nodes = arena_take(scratch, n_both, sizeof *nodes);
    int32_t *batch_rows = arena_take(scratch, n_samples, sizeof *batch_rows);
    int32_t *val_rows = arena_take(scratch, n_samples, sizeof *val_rows);
    float *z1;

    if (field_init(&trainer->both, (int32_t)n_samples, trainer->spec->layers, scratch, err))
        return -1;
    if (!nodes || !batch_rows || !val_rows)
        return err_nomem(err, "rows of a batch", 3 * n_samples * sizeof *nodes);
    memcpy(nodes, split->train, (size_t)split->n_train * sizeof *nodes);
    memcpy(nodes + split->n_train, split->val, (size_t)split->n_val * sizeof *nodes);
    field_build(&trainer->both, &trainer->inputs->a_hat, nodes, (int32_t)n_both);
    z1 = arena_take(scratch, (size_t)trainer->both.level[1].n * width, sizeof *z1);
    if (!z1)
        return err_nomem(err, "first layer", n_samples * width * sizeof *z1);
    trainer->z1 = mat_view(z1, trainer->both.level[1].n, (int32_t)width);
    trainer->batch_in_z1 = map_rows(&trainer->batch, &trainer->both, batch_rows);
    trainer->val_in_z1 = map_rows(&trainer->val, &trainer->both, val_rows);
    return 0;
}

int trainer_init(struct trainer *trainer, const struct gcn_spec *spec,
                 const struct gcn_inputs *inputs, const struct split *split, struct hash key,
                 const struct clock *clock, struct arena *scratch, struct err *err)
{
    const struct dataset *data = inputs->data;
    int32_t n = data->n_samples;

    *trainer = (struct trainer){.spec = spec, .inputs = inputs, .split = split, .clock = clock};
    if (target_init(&trainer->target, spec, data, split->train, split->n_train, scratch, err) ||
        model_init(&trainer->model, spec, inputs->n_inputs, inputs->fan_in,
                   trainer->target.n_outputs, key, scratch, err) ||
        optimizer_init(&trainer->optimizer, spec, &trainer->model, scratch, err) ||
        pass_init(&trainer->pass, spec, inputs, split->n_train, &trainer->model, key, scratch,
                  err) ||
        field_init(&trainer->batch, n, spec->layers, scratch, err) ||
        field_init(&trainer->val, n, spec->layers, scratch, err))
        return -1;
    field_build(&trainer->val, &inputs->a_hat, split->val, split->n_val);
    trainer->is_full_batch = spec->batch_size == 0 || spec->batch_size >= split->n_train;
    if (!trainer->is_full_batch)
        return 0;
    field_build(&trainer->batch, &inputs->a_hat, split->train, split->n_train);
    trainer->shares_first = dropout_is_off(&trainer->pass.first.dropout);
    return trainer->shares_first ? share_first(trainer, scratch, err) : 0;
}

void trainer_set_weights(struct trainer *trainer, const float *weights)
{
    memcpy(trainer->model.weights, weights, (size_t)trainer->model.n_weights * sizeof *weights);
    trainer->z1_is_fresh = false;
}

/* Adds the time since *since to a phase and starts the next. */
static void charge(struct trainer *trainer, enum gcn_phase phase, double *since)
{
    double now = clock_now(trainer->clock);

    trainer->seconds[phase] += now - *since;
    *since = now;
}

/* The shared product for the present weights; NULL where it is not shared. */
static const struct mat *shared_first(struct trainer *trainer)
{
    if (!trainer->shares_first)
        return NULL;
    if (!trainer->z1_is_fresh)
        first_forward(&trainer->z1, &trainer->pass.first, &trainer->both,
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
    trainer->optimizer.rate = schedule_rate(trainer->spec, epoch);
}

double trainer_gradient(struct trainer *trainer, const int32_t *nodes, int32_t n)
{
    struct field *field = &trainer->batch;
    double since = clock_now(trainer->clock);
    const struct mat *z1 = NULL;
    struct mat logits, d;
    double loss;

    if (nodes) {
        field_build(field, &trainer->inputs->a_hat, nodes, n);
        first_forget(&trainer->pass.first);
    } else {
        z1 = shared_first(trainer);
    }
    logits = pass_forward(&trainer->pass, field, z1, trainer->batch_in_z1, true, trainer->n_steps);
    charge(trainer, GCN_FORWARD, &since);

    d = pass_gradient(&trainer->pass, field);
    loss = loss_of(&d, &logits, field->level[trainer->spec->layers].rows, &trainer->target);
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

struct mat trainer_validation_logits(struct trainer *trainer)
{
    return pass_forward(&trainer->pass, &trainer->val, shared_first(trainer), trainer->val_in_z1,
                        false, 0);
}

struct mat trainer_logits_of(struct trainer *trainer, const int32_t *nodes, int32_t n)
{
    field_build(&trainer->batch, &trainer->inputs->a_hat, nodes, n);
    return pass_forward(&trainer->pass, &trainer->batch, NULL, NULL, false, 0);
}

double trainer_flops(const struct trainer *trainer)
{
    return trainer->pass.flops + trainer->pass.first.flops;
}
