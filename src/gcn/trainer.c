/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/trainer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "gcn/cost.h"
#include "gcn/train.h"
#include "tensor/kernel.h"

static bool has_graphs(const struct trainer *trainer)
{
    return trainer->spec->pool != POOL_NONE;
}

/* True if the workers divide the rows of one batch. */
static bool is_divided(const struct trainer *trainer)
{
    return trainer->is_full_batch && trainer->crew->n_workers > 1;
}

/* True if evaluations score blocks of samples, each with a field of its own. */
static bool has_blocks(const struct trainer *trainer)
{
    return has_graphs(trainer) || (trainer->crew->n_workers > 1 && !trainer->is_full_batch);
}

int trainer_check_workers(int32_t workers, int32_t n_train, struct err *err)
{
    if (workers <= n_train)
        return 0;
    return err_set(err,
                   "workers = %d: a training part has only %d samples, and each worker needs one: "
                   "must be at most %d",
                   workers, n_train, n_train);
}

/* ---- receptive fields ---- */

static void build(struct receptive_field *field, const struct trainer *trainer,
                  const int32_t *samples, int32_t n)
{
    if (trainer->counted.outline)
        return;
    if (has_graphs(trainer))
        receptive_field_build_graphs(field, &trainer->inputs->a_hat, samples, n);
    else
        receptive_field_build(field, &trainer->inputs->a_hat, samples, n);
}

static int init_field(struct receptive_field *field, const struct trainer *trainer,
                      bool can_be_divided, struct arena *scratch, struct err *err)
{
    const struct dataset *data = trainer->inputs->data;
    int32_t layers = trainer->spec->layers;

    if (has_graphs(trainer)
            ? receptive_field_init_graphs(field, data, trainer->capacity, layers, scratch, err)
            : receptive_field_init(field, data->n_samples, layers, scratch, err))
        return -1;
    return can_be_divided && is_divided(trainer)
               ? receptive_field_divide(field, &trainer->division, scratch, err)
               : 0;
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
    int32_t width = trainer->model.layer[0].w.n_cols, n;
    int32_t *nodes = arena_take(scratch, n_both, sizeof *nodes);
    int32_t *batch_rows = arena_take(scratch, n_samples, sizeof *batch_rows);
    int32_t *watch_rows = arena_take(scratch, n_samples, sizeof *watch_rows);
    bool is_real = !trainer->counted.outline;

    if (init_field(&trainer->both, trainer, true, scratch, err))
        return -1;
    if (scratch->is_short)
        return err_nomem(err, "rows of a batch", 3 * n_samples * sizeof *nodes);
    if (is_real) {
        memcpy(nodes, split->train, (size_t)split->n_train * sizeof *nodes);
        memcpy(nodes + split->n_train, trainer->watched,
               (size_t)trainer->n_watched * sizeof *nodes);
    }
    build(&trainer->both, trainer, nodes, (int32_t)n_both);
    n = is_real ? trainer->both.level[1].n
                : (int32_t)pass_counted_rows(&trainer->pass, (double)n_both, 1);
    trainer->z1 = mat_view(arena_take(scratch, (size_t)n * (size_t)width, sizeof(float)), n, width);
    if (scratch->is_short)
        return err_nomem(err, "first layer", n_samples * (size_t)width * sizeof(float));
    if (is_real) {
        trainer->batch_in_z1 = map_rows(&trainer->batch, &trainer->both, batch_rows);
        trainer->watch_in_z1 = map_rows(&trainer->watch, &trainer->both, watch_rows);
    }
    return 0;
}

static int init_fields(struct trainer *trainer, struct arena *scratch, struct err *err)
{
    const struct split *split = trainer->split;

    if (init_field(&trainer->batch, trainer, true, scratch, err))
        return -1;
    if ((has_graphs(trainer) || !has_blocks(trainer)) &&
        init_field(&trainer->watch, trainer, !has_graphs(trainer), scratch, err))
        return -1;
    if (!has_blocks(trainer))
        build(&trainer->watch, trainer, trainer->watched, trainer->n_watched);
    if (!trainer->is_full_batch || trainer->piece)
        return 0;
    build(&trainer->batch, trainer, split->train, split->n_train);
    trainer->shares_first = !has_graphs(trainer) && dropout_is_off(&trainer->pass.first.dropout);
    return trainer->shares_first ? share_first(trainer, scratch, err) : 0;
}

/* ---- pieces of a batch of graphs ---- */

/* Arrays of a piece: what fits in a core's cache of 1 or 2 MB. A training of 1,113 graphs, 128 wide in
 * batches of 64, took 0.67 s instead of 0.96 s. Not the size of this machine's cache: the order of sums
 * would depend on it. */
#define PIECE_BYTES ((size_t)3 << 19)
/* Each piece adds a gradient to the others, which takes 2 to 5 % of the products' time at 256 nodes. */
#define PIECE_ROWS 256

int32_t trainer_capacity(const struct gcn_spec *spec, const struct dataset *data, int32_t n_batch,
                         bool is_full)
{
    /* Bytes of a node in the arrays of pass.c: of each layer activations, A^ H and dropout; products
     * and gradients. */
    size_t of_layer = 2 * sizeof(float) + sizeof(uint16_t), shared = 3 * sizeof(float);
    size_t of_row = (size_t)spec->hidden_size * ((size_t)spec->layers * of_layer + shared);
    size_t rows = PIECE_BYTES / of_row > PIECE_ROWS ? PIECE_BYTES / of_row : PIECE_ROWS;
    bool is_whole = spec->batch_norm || (is_full && spec->workers > 1);
    size_t most = (size_t)receptive_field_largest(data, is_whole ? n_batch : 1);

    if (most < rows)
        most = rows;
    return most < (size_t)data->n_nodes ? (int32_t)most : data->n_nodes;
}

/* How many of the graphs fit in a piece. */
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

/* ---- memory ---- */

/* Numbers that each worker adds up in a step or an evaluation. */
enum { TALLY_LOSS, TALLY_FLOPS, TALLY_FIRST_FLOPS, TALLY_COUNT };

static int init_workers(struct trainer *trainer, struct arena *scratch, struct err *err)
{
    struct crew *crew = trainer->crew;
    const struct crew_calls *calls = crew->calls;
    size_t n_own = (size_t)crew->n, n_bounds = (size_t)crew->n_workers + 1;
    size_t n = (size_t)trainer->inputs->data->n_samples, width = (size_t)trainer->target.n_outputs;

    trainer->tally = arena_take(scratch, n_own * TALLY_COUNT, sizeof *trainer->tally);
    trainer->losses = arena_take(scratch, n_own, sizeof *trainer->losses);
    trainer->blocks = arena_take(scratch, n_bounds, sizeof *trainer->blocks);
    trainer->bounds = arena_take(scratch, n_bounds, sizeof *trainer->bounds);
    if (crew->n_workers > 1 && !trainer->is_full_batch) {
        trainer->parts = calls->take_parts(crew, (size_t)trainer->model.n_weights, err);
        if (!trainer->parts)
            return -1;
    }
    if (has_blocks(trainer) || is_divided(trainer)) {
        trainer->place = arena_take(scratch, n, sizeof *trainer->place);
        /* Two arrays, because the last evaluation of the watched part and that of all samples may
         * follow each other. */
        trainer->logits = calls->take_common(crew, n * width, err);
        trainer->watched_logits = calls->take_common(crew, (size_t)trainer->n_watched * width, err);
        if (!trainer->logits || !trainer->watched_logits)
            return -1;
    }
    return scratch->is_short ? err_nomem(err, "samples", n * sizeof *trainer->place) : 0;
}

static int divide(struct trainer *trainer, struct arena *scratch, struct err *err)
{
    const struct gcn_inputs *inputs = trainer->inputs;
    struct division_samples samples = {
        .a_hat = &inputs->a_hat,
        .graph_start = inputs->data->graph_start,
        .ids = has_graphs(trainer) ? trainer->split->train : NULL,
        .n = has_graphs(trainer) ? trainer->split->n_train : inputs->data->n_samples,
    };

    if (!is_divided(trainer))
        return 0;
    return division_init(&trainer->division, trainer->crew, &samples, trainer->model.n_weights,
                         scratch, err);
}

/* The samples of this rank in a step and in scoring. The ranks of a gang share the rows of nodes, but
 * not those of graphs. */
static void expect_samples(struct trainer *trainer, const struct gcn_outline *outline)
{
    const struct split *split = trainer->split;
    const struct crew *crew = trainer->crew;
    double n_scored = (double)split->n_train + split->n_val + split->n_test + split->n_stop;
    double own = is_divided(trainer) ? (double)crew->n / crew->n_workers : 1;
    double of_worker = ceil((double)split->n_train / crew->n_workers);

    trainer->counted = (struct pass_counted){
        .outline = outline,
        .n_batch =
            trainer->is_full_batch ? split->n_train : fmin(trainer->spec->batch_size, of_worker),
        .n_scored = has_blocks(trainer) ? ceil(n_scored / crew->n_workers) : n_scored,
        .own = has_graphs(trainer) ? 1 : own,
    };
    if (has_graphs(trainer))
        trainer->counted.n_batch *= own;
}

static int init_parts(struct trainer *trainer, const struct gcn_training *training, int32_t most,
                      struct err *err)
{
    const struct gcn_spec *spec = trainer->spec;
    const struct gcn_inputs *inputs = trainer->inputs;
    const struct split *split = trainer->split;
    struct arena *scratch = training->scratch;

    if (training_target_init(&trainer->target, spec, inputs->data, split->train, split->n_train,
                             scratch, err) ||
        training_target_fit_fixed(&trainer->target, inputs->data, split->train, split->n_train,
                                  scratch, err) ||
        model_init(&trainer->model, spec, inputs->n_inputs, inputs->fan_in,
                   trainer->target.n_outputs, training->key, scratch, err) ||
        divide(trainer, scratch, err) ||
        optimizer_init(&trainer->optimizer, spec, &trainer->model, scratch, err))
        return -1;
    trainer->pass = (struct pass){
        .spec = spec,
        .inputs = inputs,
        .model = &trainer->model,
        .capacity = trainer->capacity,
        .division = is_divided(trainer) ? &trainer->division : NULL,
        .counted = scratch->counts ? &trainer->counted : NULL,
    };
    if (pass_init(&trainer->pass, split->n_train, training->key, scratch, err))
        return -1;
    if (has_graphs(trainer) && receptive_field_largest(inputs->data, most) > trainer->capacity)
        trainer->piece =
            arena_take(scratch, (size_t)trainer->model.n_weights, sizeof *trainer->piece);
    return init_workers(trainer, scratch, err) || init_fields(trainer, scratch, err) ? -1 : 0;
}

int trainer_init(struct trainer *trainer, const struct gcn_training *training, struct err *err)
{
    const struct gcn_spec *spec = training->spec;
    const struct split *split = training->split;
    const struct dataset *data = training->inputs->data;
    bool is_full = spec->batch_size == 0 || spec->batch_size >= split->n_train;
    int32_t most = is_full ? split->n_train : spec->batch_size; /* samples of a batch */

    *trainer = (struct trainer){
        .spec = spec,
        .inputs = training->inputs,
        .split = split,
        .clock = training->clock,
        .crew = training->crew,
        .is_full_batch = is_full,
        .capacity = data->n_samples,
    };
    if (!trainer->crew) {
        crew_alone_init(&trainer->alone, spec->workers > 1 ? spec->workers : 1, training->scratch);
        trainer->crew = &trainer->alone.crew;
    }
    assert(trainer->crew->n_workers == 1 || trainer->crew->n_workers == spec->workers);
    split_chooser(&trainer->watched, &trainer->n_watched, split);
    if (has_graphs(trainer))
        trainer->capacity = trainer_capacity(spec, data, most, is_full);
    if (training->scratch->counts)
        expect_samples(trainer, training->outline);
    return trainer_check_workers(trainer->crew->n_workers, split->n_train, err) ||
                   init_parts(trainer, training, most, err)
               ? -1
               : 0;
}

/* ---- steps ---- */

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
    if (!trainer->z1_is_fresh) {
        double flops = trainer->pass.first.flops;

        first_layer_forward(&trainer->z1, &trainer->pass.first, &trainer->both,
                            &trainer->model.layer[0].w, &trainer->pass.buffers, false, 0);
        if (trainer->z1_is_counted)
            trainer->pass.first.flops = flops;
    }
    trainer->z1_is_fresh = true;
    trainer->z1_is_counted = false;
    return &trainer->z1;
}

void trainer_begin_epoch(struct trainer *trainer, int32_t epoch)
{
    trainer->optimizer.rate = optimizer_rate(trainer->spec, epoch);
}

/* Losses of a batch, and the gradient d by the logits of this rank's rows. */
static double batch_loss(struct mat *d, const struct trainer *trainer, const struct mat *logits,
                         double divisor)
{
    const struct receptive_field *field = &trainer->batch;
    double sum;

    for (int32_t w = division_begin(field); w < division_end(field); w++) {
        struct span span = receptive_field_samples_span(field, w);
        struct mat own = division_rows(logits, span), own_d = division_rows(d, span);

        target_add_offset(&own, span.rows, &trainer->target);
        trainer->losses[w - division_begin(field)] =
            loss_of(&own_d, divisor, &own, span.rows, &trainer->target);
    }
    division_sum(&sum, field, trainer->losses, 1);
    return sum;
}

/* divisor: of the sum of losses. dropout_step addresses dropout. nodes NULL: the field is there. */
static double field_gradient(struct trainer *trainer, const int32_t *nodes, int32_t n,
                             double divisor, uint32_t dropout_step)
{
    struct receptive_field *field = &trainer->batch;
    const struct model *model = &trainer->model;
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
    logits = pass_forward(&trainer->pass, field, z1, trainer->batch_in_z1, true, dropout_step);
    charge(trainer, GCN_FORWARD, &since);

    d = pass_gradient(&trainer->pass);
    loss = batch_loss(&d, trainer, &logits, divisor);
    if (isfinite(loss))
        pass_backward(&trainer->pass, &d);
    if (isfinite(loss) && is_divided(trainer))
        trainer->crew->calls->sum(trainer->crew, model->gradient, trainer->division.parts,
                                  (size_t)model->n_weights, 0, (size_t)model->n_trained);
    charge(trainer, GCN_BACKWARD, &since);
    return loss;
}

/* Piece by piece, if a batch has several. The gradient goes to model.d_layer, which views
 * gradient [n_weights]. samples NULL: the field is there. */
static double batch_gradient(struct trainer *trainer, float *gradient, const int32_t *samples,
                             int32_t n, double divisor, uint32_t dropout_step)
{
    struct model *model = &trainer->model;
    int32_t n_some = trainer->piece ? count_fitting(trainer, samples, n) : n;
    double loss = field_gradient(trainer, samples, n_some, divisor, dropout_step);

    if (n_some == n)
        return loss;
    model_direct_gradient(model, trainer->piece);
    for (int32_t at = n_some; at < n && isfinite(loss); at += n_some) {
        n_some = count_fitting(trainer, samples + at, n - at);
        loss += field_gradient(trainer, samples + at, n_some, divisor, dropout_step);
        kernel_add(gradient, gradient, trainer->piece, model->n_trained);
    }
    model_direct_gradient(model, gradient);
    return loss;
}

double trainer_gradient(struct trainer *trainer, const int32_t *nodes, int32_t n)
{
    const int32_t *samples = nodes ? nodes : trainer->split->train;
    int32_t n_samples = nodes ? n : trainer->split->n_train;
    bool is_built = !nodes && !trainer->piece;

    return batch_gradient(trainer, trainer->model.gradient, is_built ? NULL : samples, n_samples,
                          loss_weight(&trainer->target, samples, n_samples), trainer->n_steps);
}

static void finish_step(struct trainer *trainer, double loss, double since)
{
    if (isfinite(loss))
        optimizer_step(&trainer->optimizer, &trainer->model);
    trainer->z1_is_fresh = false;
    trainer->n_steps++;
    charge(trainer, GCN_OPTIMIZER, &since);
}

double trainer_step(struct trainer *trainer, const int32_t *nodes, int32_t n)
{
    double loss = trainer_gradient(trainer, nodes, n);

    finish_step(trainer, loss, clock_now(trainer->clock));
    return loss;
}

/* ---- steps of several workers ---- */

struct flops {
    double upper, first;
};

/* Counts from 0 again. */
static struct flops take_flops(struct trainer *trainer)
{
    struct flops taken = {trainer->pass.flops, trainer->pass.first.flops};

    trainer->pass.flops = trainer->pass.first.flops = 0;
    return taken;
}

/* Worker crew->first + i has computed `loss`, and all flops that are counted now. */
static void put_tally(struct trainer *trainer, int32_t i, double loss)
{
    double *row = trainer->tally + (ptrdiff_t)i * TALLY_COUNT;
    struct flops own = take_flops(trainer);

    row[TALLY_LOSS] = loss;
    row[TALLY_FLOPS] = own.upper;
    row[TALLY_FIRST_FLOPS] = own.first;
}

/* Counts the flops of all workers beside those from before, and returns their loss. */
static double sum_tally(struct trainer *trainer, struct flops before)
{
    double total[TALLY_COUNT] = {0};

    trainer->crew->calls->sum_few(trainer->crew, total, trainer->tally, TALLY_COUNT);
    trainer->pass.flops = before.upper + total[TALLY_FLOPS];
    trainer->pass.first.flops = before.first + total[TALLY_FIRST_FLOPS];
    return total[TALLY_LOSS];
}

/* Writes the worker's part. All workers move the running statistics, but only those of worker 0 are
 * in its part; the sum then takes them to all ranks. */
static double worker_gradient(struct trainer *trainer, const struct deal *deal, int32_t step,
                              int32_t worker, double divisor)
{
    struct model *model = &trainer->model;
    float *part = trainer->parts + (ptrdiff_t)worker * model->n_weights;
    uint32_t n_workers = (uint32_t)trainer->crew->n_workers;
    int32_t n;
    const int32_t *samples = deal_batch(&n, deal, worker, step);
    double loss;

    if (n == 0) {
        memset(part, 0, (size_t)model->n_trained * sizeof *part);
        return 0;
    }
    model_direct_gradient(model, part);
    loss = batch_gradient(trainer, part, samples, n, divisor,
                          trainer->n_steps * n_workers + (uint32_t)worker);
    if (worker == 0)
        memcpy(part + model->n_trained, model->weights + model->n_trained,
               (size_t)(model->n_weights - model->n_trained) * sizeof *part);
    return loss;
}

double trainer_crew_step(struct trainer *trainer, const struct deal *deal, int32_t step)
{
    struct crew *crew = trainer->crew;
    struct model *model = &trainer->model;
    size_t n_weights = (size_t)model->n_weights;
    struct flops before;
    double divisor = 0, loss, since;

    if (crew->n_workers == 1) {
        int32_t n;
        const int32_t *samples = deal_batch(&n, deal, 0, step);

        return trainer_step(trainer, samples, n);
    }
    before = take_flops(trainer);
    for (int32_t w = 0; w < deal->n_workers; w++) {
        int32_t n;
        const int32_t *samples = deal_batch(&n, deal, w, step);

        divisor += loss_weight(&trainer->target, samples, n);
    }
    for (int32_t i = 0; i < crew->n; i++)
        put_tally(trainer, i, worker_gradient(trainer, deal, step, crew->first + i, divisor));
    since = clock_now(trainer->clock);
    loss = sum_tally(trainer, before);
    if (isfinite(loss)) {
        crew->calls->sum(crew, model->gradient, trainer->parts, n_weights, 0, n_weights);
        memcpy(model->weights + model->n_trained, model->gradient + model->n_trained,
               (size_t)(model->n_weights - model->n_trained) * sizeof *model->weights);
    }
    finish_step(trainer, loss, since);
    return loss;
}

/* ---- evaluation ---- */

/* Row i is graph graphs[i], and below node nodes[i]. */
static void score_graphs(struct mat *out, struct trainer *trainer, const int32_t *graphs)
{
    for (int32_t at = 0; at < out->n_rows;) {
        int32_t n_some = count_fitting(trainer, graphs + at, out->n_rows - at);
        struct mat some;

        build(&trainer->watch, trainer, graphs + at, n_some);
        some = pass_forward(&trainer->pass, &trainer->watch, NULL, NULL, false, 0);
        memcpy(mat_row(out, at), some.v, (size_t)mat_size(&some) * sizeof *some.v);
        at += n_some;
    }
}

static void score_nodes(struct mat *out, struct trainer *trainer, const int32_t *nodes)
{
    const int32_t *pos = trainer->batch.level[trainer->spec->layers].pos;
    struct mat z;

    build(&trainer->batch, trainer, nodes, out->n_rows);
    z = pass_forward(&trainer->pass, &trainer->batch, NULL, NULL, false, 0);
    for (int32_t i = 0; i < out->n_rows; i++)
        memcpy(mat_row(out, i), mat_row(&z, pos[nodes[i]]), (size_t)z.n_cols * sizeof *z.v);
}

/* Each worker scores a block of the samples [n]. Row i is samples[i].
 *   logits  (n, C) of take_logits() */
static struct mat score_blocks(struct trainer *trainer, float *logits, const int32_t *samples,
                               int32_t n)
{
    struct crew *crew = trainer->crew;
    struct mat all = mat_view(logits, n, trainer->target.n_outputs);
    struct division_samples scored = {
        .a_hat = &trainer->inputs->a_hat,
        .graph_start = trainer->inputs->data->graph_start,
        .ids = samples,
        .n = n,
    };
    struct flops before = take_flops(trainer);

    division_cut(trainer->blocks, crew->n_workers, &scored);
    for (int32_t w = 0; w <= crew->n_workers; w++)
        trainer->bounds[w] = (size_t)trainer->blocks[w] * (size_t)all.n_cols;
    for (int32_t i = 0; i < crew->n; i++) {
        int32_t begin = trainer->blocks[crew->first + i];
        int32_t end = trainer->blocks[crew->first + i + 1];
        struct mat block = mat_view(mat_row(&all, begin), end - begin, all.n_cols);

        if (end > begin && has_graphs(trainer))
            score_graphs(&block, trainer, samples + begin);
        else if (end > begin)
            score_nodes(&block, trainer, samples + begin);
        put_tally(trainer, i, 0);
    }
    sum_tally(trainer, before);
    crew->calls->share(crew, logits, trainer->bounds);
    return all;
}

/* Logits z of the field's samples, of which this rank has its own rows: all, by way of logits. */
static struct mat share_logits(const struct receptive_field *field, float *logits, struct mat z)
{
    struct mat all = mat_view(logits, z.n_rows, z.n_cols);

    if (!field->division)
        return z;
    for (int32_t w = division_begin(field); w < division_end(field); w++) {
        struct span span = receptive_field_samples_span(field, w);
        struct mat own = division_rows(&z, span), to = division_rows(&all, span);

        kernel_rows(&to, &own, NULL, NULL);
    }
    division_share(field, field->n_layers, &all);
    return all;
}

struct mat trainer_watched_logits(struct trainer *trainer)
{
    struct mat z;

    if (has_blocks(trainer))
        return score_blocks(trainer, trainer->watched_logits, trainer->watched, trainer->n_watched);
    z = pass_forward(&trainer->pass, &trainer->watch, shared_first(trainer), trainer->watch_in_z1,
                     false, 0);
    return share_logits(&trainer->watch, trainer->watched_logits, z);
}

struct mat trainer_logits_of(struct trainer *trainer, const int32_t *samples, int32_t n,
                             const int32_t **rows)
{
    struct mat z;

    if (has_blocks(trainer)) {
        for (int32_t i = 0; i < n; i++)
            trainer->place[samples[i]] = i;
        *rows = trainer->place;
        return score_blocks(trainer, trainer->logits, samples, n);
    }
    build(&trainer->batch, trainer, samples, n);
    *rows = trainer->batch.level[trainer->spec->layers].pos;
    z = pass_forward(&trainer->pass, &trainer->batch, NULL, NULL, false, 0);
    return share_logits(&trainer->batch, trainer->logits, z);
}
