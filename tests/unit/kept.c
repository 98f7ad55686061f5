/* SPDX-License-Identifier: BSD-3-Clause */
/* A kept model must predict for the stored samples what was recorded. Plain loops in double apply
 * the file's weights and preprocessing to the features as they were read. */
#include <math.h>
#include <unistd.h>

#include "base/safetensors.h"
#include "data/format.h"
#include "grid/sweep_file.h"
#include "predict/predictor.h"
#include "resolve.h"
#include "stride.h"
#include "trial/kept.h"
#include "trial/model_runner.h"
#include "trial/spec.h"
#include "unit.h"

#define DENSE "[data]\nsamples = 60\nmarkers = 40\ncausal = 5\n"
#define WIDE "[data]\nsamples = 60\nmarkers = 200\ncausal = 5\n"
#define SPARSE                                                                      \
    "[data]\nformat = graph\nedges = edges.csv\nfeatures = features.csv\nlabels = " \
    "labels.csv\n"
#define REST "[train]\nepochs = 5\n[model]\nhidden_size = 6\n"

struct fixture {
    char folder[64];
    struct sweep sweep;
    struct dataset data;
    struct plan plan;
    struct prepared *prepared;
    struct model_runner *gcn;
    struct settings settings;
    struct trial_result result;
    struct buf file; /* after kept_complete() */
};

static FILE *open_in(const struct fixture *f, const char *name)
{
    char path[96];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

/* A ring of 30 nodes with 50 mostly zero features and three classes, one named b"é". */
static void write_graph(const struct fixture *f)
{
    FILE *edges = open_in(f, "edges.csv"), *features = open_in(f, "features.csv");
    FILE *labels = open_in(f, "labels.csv");

    fputs("source,target\n", edges);
    fputs("node,feature,value\n", features);
    fputs("node,label\n", labels);
    for (int i = 0; i < 30; i++) {
        fprintf(edges, "n%d,n%d\nn%d,n%d\n", i, (i + 1) % 30, i, (i + 4) % 30);
        fprintf(features, "n%d,%d,%g\nn%d,%d,1\n", i, i * 7 % 20, 1 + i % 5 * 0.5, i,
                20 + i * 11 % 30);
        fprintf(labels, "n%d,%s\n", i, i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "\xc3\xa9");
    }
    fclose(edges);
    fclose(features);
    fclose(labels);
}

static bool go_on(void *arg)
{
    (void)arg;
    return true;
}

static void run(struct fixture *f)
{
    struct trial_watch watch = {.keep_going = go_on};
    struct runner runner = model_runner_interface(f->gcn);

    trial_result_init(&f->result, 0);
    runner.run(runner.self, &f->result, 0, &watch);
    if (f->result.state != TRIAL_DONE)
        fail_msg("%s", f->result.error);
}

static void set_up(struct fixture *f, const char *ini)
{
    struct errlist errors = {0};
    struct data_report report;
    struct data_spec spec;
    char path[96];
    struct err err;

    memset(f, 0, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "%s/espalier-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(f->folder));
    write_graph(f);
    snprintf(path, sizeof path, "%s/unit.ini", f->folder);
    if (sweep_parse(&f->sweep, path, ini, NULL, 0, &errors))
        fail_msg("%s", errors.text[0]);
    spec_data(&spec, f->sweep.fixed.v);
    if (data_load(&f->data, &spec, &report, &err) || resolve_sweep(&f->sweep, f->data.task, &err) ||
        make_plan(&f->plan, &f->sweep, NULL, &err))
        fail_msg("%s", err.text);
    f->prepared = prepared_create(&f->data, &err);
    f->gcn = model_runner_create(&f->plan, &f->data, f->prepared, &clock_system, &err);
    plan_settings(&f->plan, 0, &f->settings);
    run(f);
}

static void tear_down(struct fixture *f)
{
    char command[128];

    buf_release(&f->file);
    trial_result_release(&f->result);
    model_runner_destroy(f->gcn);
    prepared_destroy(f->prepared);
    plan_release(&f->plan);
    dataset_release(&f->data);
    sweep_release(&f->sweep);
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    assert_int_equal(system(command), 0);
}

/* ---- the plain twin ---- */

static struct safetensor find(const struct fixture *f, const char *name)
{
    struct safetensor t;

    if (safetensors_find(&t, f->file.data, f->file.size, name))
        fail_msg("no %s", name);
    return t;
}

static void read_raw(double *x, const struct dataset *data)
{
    size_t f = (size_t)data->n_features, size = (size_t)data->n_samples * f;
    struct mat dense;

    memset(x, 0, size * sizeof *x);
    for (int32_t i = 0; data->is_sparse && i < data->n_samples; i++)
        for (int64_t e = data->sparse_features.row_start[i];
             e < data->sparse_features.row_start[i + 1]; e++)
            x[(size_t)i * f + (size_t)data->sparse_features.col[e]] =
                (double)data->sparse_features.val[e];
    if (data->is_sparse)
        return;
    assert_int_equal(mat_init(&dense, data->n_samples, data->n_features, NULL), 0);
    dataset_decode(&dense, data, 0, 0);
    for (size_t i = 0; i < size; i++)
        x[i] = (double)dense.v[i];
    mat_release(&dense);
}

static double *scaled(const struct fixture *f)
{
    size_t n = (size_t)f->data.n_samples, w = (size_t)f->data.n_features;
    double *x = malloc(n * w * sizeof *x);
    struct gcn_inputs_spec made;

    spec_inputs(&made, &f->settings);
    read_raw(x, &f->data);
    if (made.scale == SCALE_STANDARDIZE) {
        const double *mean = find(f, "features.mean").data;
        const double *factor = find(f, "features.factor").data;

        for (size_t i = 0; i < n * w; i++)
            x[i] = (x[i] - mean[i % w]) * factor[i % w];
    }
    for (size_t i = 0; made.scale == SCALE_ROW && i < n; i++) {
        double sum = 0;

        for (size_t j = 0; j < w; j++)
            sum += x[i * w + j];
        for (size_t j = 0; j < w; j++)
            x[i * w + j] /= sum;
    }
    return x;
}

static const float *array(const struct fixture *f, const char *format, int l, int64_t shape[2])
{
    char name[48];
    struct safetensor t;

    snprintf(name, sizeof name, format, l);
    t = find(f, name);
    memcpy(shape, t.shape, sizeof t.shape);
    return t.data;
}

/* Apply to z (n, w) the steps after the product with the graph. */
static void shift(double *z, size_t n, size_t w, const struct fixture *f, int l)
{
    int64_t shape[2];
    struct safetensor t;
    char name[48];
    bool has_norm;

    snprintf(name, sizeof name, "norms.%d.bias", l);
    has_norm = !safetensors_find(&t, f->file.data, f->file.size, name);
    for (size_t i = 0; i < n * w; i++) {
        if (!has_norm) {
            z[i] += (double)array(f, "layers.%d.bias", l, shape)[i % w];
            continue;
        }
        z[i] -= (double)array(f, "norms.%d.running_mean", l, shape)[i % w];
        z[i] /= sqrt((double)array(f, "norms.%d.running_var", l, shape)[i % w] + 1e-5);
        z[i] *= (double)array(f, "norms.%d.weight", l, shape)[i % w];
        z[i] += (double)array(f, "norms.%d.bias", l, shape)[i % w];
    }
}

/* Map h (n, w) to the next layer, without its activation. a: NULL without a graph. */
static double *layer(const double *h, size_t n, const struct fixture *f, const struct csr *a, int l,
                     size_t *width)
{
    int64_t shape[2];
    const float *w = array(f, "layers.%d.weight", l, shape);
    size_t out = (size_t)shape[1];
    double *y = calloc(n * out, sizeof *y), *z = calloc(n * out, sizeof *z);

    assert_int_equal(shape[0], *width);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < *width; k++)
            for (size_t j = 0; j < out; j++)
                y[i * out + j] += h[i * *width + k] * (double)w[k * out + j];
    if (!a)
        memcpy(z, y, n * out * sizeof *z);
    for (size_t i = 0; a && i < n; i++)
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            for (size_t j = 0; j < out; j++)
                z[i * out + j] += (double)a->val[e] * y[(size_t)a->col[e] * out + j];
    shift(z, n, out, f, l);
    *width = out;
    free(y);
    return z;
}

static double activated(enum activation activation, double x)
{
    switch (activation) {
    case ACTIVATION_RELU:
        return fmax(x, 0);
    case ACTIVATION_TANH:
        return tanh(x);
    case ACTIVATION_ELU:
        return x > 0 ? x : expm1(x);
    default:
        return x * (1 + erf(x / sqrt(2))) / 2;
    }
}

static double *predict(const struct fixture *f)
{
    size_t n = (size_t)f->data.n_samples, width = (size_t)f->data.n_features;
    const struct gcn_inputs *inputs = prepared_inputs(f->prepared, &f->settings, NULL);
    bool is_ridge = !settings_has(&f->settings, P_LAYERS);
    double *h = scaled(f);
    struct gcn_spec spec;

    spec_gcn(&spec, &f->settings);
    if (is_ridge)
        spec.layers = 1;
    for (int l = 0; l < spec.layers; l++) {
        double *z = layer(h, n, f, is_ridge ? NULL : &inputs->a_hat, l, &width);
        bool is_last = l + 1 == spec.layers;

        for (size_t i = 0; !is_last && i < n * width; i++)
            z[i] = activated(spec.activation, z[i]) + (spec.residual && l > 0 ? h[i] : 0);
        free(h);
        h = z;
    }
    return h;
}

static double number(const struct fixture *f, const char *name)
{
    struct buf metadata = {0};
    char key[64];
    const char *at;
    double value;

    assert_int_equal(safetensors_metadata(&metadata, f->file.data, f->file.size), 0);
    snprintf(key, sizeof key, "\"%s\":\"", name);
    at = strstr(buf_text(&metadata), key);
    assert_non_null(at);
    value = strtod(at + strlen(key), NULL);
    buf_release(&metadata);
    return value;
}

static double squared_error(const struct fixture *f, const double *z, int32_t i)
{
    double d = z[i] * number(f, "target_sd") + number(f, "target_mean") - (double)f->data.target[i];

    return d * d;
}

static double cross_entropy(const struct fixture *f, const double *z, int32_t i)
{
    double sum = 0;
    int32_t c = f->data.n_classes;

    for (int32_t j = 0; j < c; j++)
        sum += exp(z[i * c + j]);
    return log(sum) - z[i * c + f->data.label[i]];
}

static void check_part(const struct fixture *f, const double *z, const int32_t *nodes, int32_t n,
                       enum part part)
{
    bool is_regression = f->data.task == TASK_REGRESSION;
    double sum = 0, wanted;

    for (int32_t i = 0; i < n; i++)
        sum += is_regression ? squared_error(f, z, nodes[i]) : cross_entropy(f, z, nodes[i]);
    wanted = f->result.metrics[part][is_regression ? METRIC_RMSE : METRIC_LOG_LOSS];
    sum /= n;
    if (is_regression)
        sum = sqrt(sum);
    if (!(fabs(sum - wanted) < 2e-6 * wanted))
        fail_msg("%s: %.9g, recorded %.9g", part_name(part), sum, wanted);
}

static void check(struct fixture *f)
{
    const struct split *split = prepared_split(f->prepared, &f->settings, 0, 0, NULL);
    double *z = predict(f);

    check_part(f, z, split->train, split->n_train, PART_TRAIN);
    check_part(f, z, split->val, split->n_val, PART_VAL);
    check_part(f, z, split->test, split->n_test, PART_TEST);
    free(z);
}

/* ---- tests ---- */

static void applies(const char *ini, bool is_reduced)
{
    struct kept_products products = {0};
    struct fixture f;
    struct err err;

    set_up(&f, ini);
    assert_non_null(f.result.model);
    assert_int_equal(kept_is_complete(f.result.model, f.result.model_bytes), !is_reduced);
    for (int i = 0; is_reduced && i < 2; i++) {
        buf_clear(&f.file);
        if (kept_complete(&f.file, f.result.model, f.result.model_bytes, &f.data, &f.settings,
                          &products, &err))
            fail_msg("%s", err.text);
    }
    kept_products_release(&products);
    if (!is_reduced)
        buf_add(&f.file, f.result.model, f.result.model_bytes);
    assert_true(kept_is_complete(f.file.data, f.file.size));
    check(&f);
    tear_down(&f);
}

static void test_features(void **state)
{
    (void)state;
    applies(DENSE REST, false);
    applies(WIDE REST, false);
    applies(DENSE "scale = none\n" REST, false);
    applies(DENSE "scale = row\n" REST, false);
    applies(SPARSE REST, false);
    applies(SPARSE "scale = row\n" REST, false);
}

static void test_networks(void **state)
{
    (void)state;
    applies(DENSE REST "layers = 1\n", false);
    applies(DENSE REST "layers = 3\nactivation = tanh\n", false);
    applies(DENSE REST "input_dropout = 0.2\n", false);
    applies(SPARSE REST "input_dropout = 0.2\nlayers = 4\n", false);
    applies(DENSE "[train]\nbatch_size = 4\nepochs = 3\n", false);
    applies(DENSE "[train]\nepochs = 0\n", false);
    applies(DENSE REST "layers = 4\nresidual = yes\nactivation = elu\n", false);
    applies(SPARSE REST "layers = 3\nbatch_norm = yes\nactivation = gelu\n", false);
    applies(WIDE REST "layers = 3\nbatch_norm = yes\nreduce = exact\n", true);
}

static void test_baselines(void **state)
{
    (void)state;
    applies(DENSE REST "type = mlp\n", false);
    applies(WIDE REST "type = mlp\nreduce = exact\n", true);
    applies(DENSE "[model]\ntype = ridge\n", false);
    applies(WIDE "[model]\ntype = ridge\nlambda = 3\n", false);
    applies(WIDE "scale = none\n[model]\ntype = ridge\n", false);
}

static void test_reductions(void **state)
{
    (void)state;
    applies(WIDE REST "reduce = exact\n", true);
    applies(WIDE REST "reduce = pca:9\n", true);
    applies(DENSE REST "reduce = pca:9\n", true);
    applies(DENSE REST "reduce = exact\n", false); /* no effect here */
    applies(WIDE "scale = row\n" REST "reduce = exact\n", true);
    applies(WIDE "scale = none\n" REST "reduce = pca:20\n", true);
    applies(SPARSE REST "reduce = exact\n", true);
    applies(SPARSE "scale = row\n" REST "reduce = pca:9\n", true);
}

static void test_texts(void **state)
{
    struct fixture f;
    struct safetensor t;

    (void)state;
    set_up(&f, SPARSE REST);
    buf_add(&f.file, f.result.model, f.result.model_bytes);
    t = find(&f, "classes");
    assert_int_equal(t.shape[0], 7);
    assert_memory_equal(t.data, "a\0b\0\xc3\xa9", 7);
    assert_int_equal(safetensors_find(&t, f.file.data, f.file.size, "features.mean"), -1);
    assert_int_equal(safetensors_find(&t, f.file.data, f.file.size, "features.fill"), -1);
    assert_int_equal(number(&f, "outputs"), 3);
    assert_int_equal(number(&f, "best_epoch"), f.result.best_epoch);
    tear_down(&f);
    set_up(&f, DENSE REST);
    buf_add(&f.file, f.result.model, f.result.model_bytes);
    t = find(&f, "features.fill");
    assert_int_equal(t.shape[0], f.data.n_features);
    assert_memory_equal(t.data, f.data.fill, safetensors_bytes(&t));
    t = find(&f, "features.names");
    assert_string_equal((const char *)t.data, dataset_feature_name(&f.data, 0));
    tear_down(&f);
}

/* The same trial gives the same bytes. Nothing is kept if nothing was requested. */
static void test_rules(void **state)
{
    struct fixture f, again;

    (void)state;
    set_up(&f, DENSE REST);
    set_up(&again, DENSE REST);
    assert_int_equal(f.result.model_bytes, again.result.model_bytes);
    assert_memory_equal(f.result.model, again.result.model, f.result.model_bytes);
    tear_down(&f);
    tear_down(&again);
    set_up(&f, "[sweep]\nkeep = none\n" DENSE REST);
    assert_null(f.result.model);
    tear_down(&f);
    set_up(&f, "[sweep]\nkeep = all\n" DENSE REST);
    assert_non_null(f.result.model);
    tear_down(&f);
}

static void test_damage(void **state)
{
    struct kept_products products = {0};
    struct fixture f;
    struct err err;

    (void)state;
    set_up(&f, WIDE REST "reduce = pca:9\n");
    for (size_t n = 0; n < f.result.model_bytes; n += n < 3000 ? 1 : 97)
        assert_int_equal(
            kept_complete(&f.file, f.result.model, n, &f.data, &f.settings, &products, &err), -1);
    assert_string_equal(err.text, "the stored model is damaged");
    kept_products_release(&products);
    tear_down(&f);
}

/* A model with a false header is refused or predicts nonsense, but is never read past its end. */
static void lies(const char *ini, size_t step)
{
    static const char likely[] = "0189U F4";
    int32_t nodes[] = {0, 7, 29};
    struct kept_products products = {0};
    struct predictor p;
    struct fixture f;
    struct err err;
    double out[9];
    int64_t n;
    int refused = 0, asked = 0;

    set_up(&f, ini);
    assert_int_equal(predictor_init(&p, &f.data, NULL, &f.settings, &err), 0);
    assert_int_equal(
        predictor_predict(out, &p, f.result.model, f.result.model_bytes, nodes, 3, &err), 0);
    memcpy(&n, f.result.model, sizeof n);
    for (size_t at = 8; at < 8 + (size_t)n; at += step * (size_t)test_stride())
        for (const char *c = likely; *c; c++, asked++) {
            char *byte = (char *)f.result.model + at, was = *byte;
            int rc;

            *byte = *c;
            rc = predictor_predict(out, &p, f.result.model, f.result.model_bytes, nodes, 3, &err);
            refused += rc != 0;
            if (!kept_is_complete(f.result.model, f.result.model_bytes))
                (void)kept_complete(&f.file, f.result.model, f.result.model_bytes, &f.data,
                                    &f.settings, &products, &err);
            buf_clear(&f.file);
            *byte = was;
        }
    assert_in_range(refused, asked / 10, asked - 1);
    kept_products_release(&products);
    predictor_release(&p);
    tear_down(&f);
}

static void test_headers_that_lie(void **state)
{
    (void)state;
    lies(DENSE REST "batch_norm = yes\n", 1);
    lies(SPARSE REST, 1);
    lies(WIDE REST "reduce = pca:9\n", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),  cmocka_unit_test(test_networks),
        cmocka_unit_test(test_baselines), cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_texts),     cmocka_unit_test(test_rules),
        cmocka_unit_test(test_damage),    cmocka_unit_test(test_headers_that_lie),
    };

    return cmocka_run_group_tests_name("kept", tests, NULL, NULL);
}
