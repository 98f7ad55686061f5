/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the facts in each model type's row with the program's behaviour. A new row is tested
 * without changes here. */
#include <math.h>

#include "data/format.h"
#include "grid/plan.h"
#include "grid/sweep_file.h"
#include "resolve.h"
#include "scratch.h"
#include "trial/model_runner.h"
#include "trial/model_type.h"
#include "trial/prepared.h"
#include "trial/spec.h"
#include "unit.h"

#define ONE(name) +1
enum { N_MODELS = MODEL_TYPES(ONE, ) - 1 }; /* without `external`, the last row */
#undef ONE

struct fixture {
    struct sweep sweep;
    struct dataset data;
    struct plan plan;
    struct prepared *prepared;
    struct settings settings; /* of the first configuration */
};

/* Simulated data have no fixed effects; tests/unit/fixed.c has data that do. */
static bool lacks_data(int64_t i)
{
    return model_type(i)->trains && !model_type(i)->inputs;
}

static void set_up(struct fixture *f, const char *ini, const struct model_type *type)
{
    char set[64];
    const char *const sets[] = {set};
    struct errlist errors = {0};
    struct data_report report;
    struct data_spec spec;
    struct predicate all = {0};
    struct err err;

    memset(f, 0, sizeof *f);
    snprintf(set, sizeof set, "model.type=%s", type->name);
    assert_int_equal(sweep_parse(&f->sweep, "unit.ini", ini, sets, 1, &errors), 0);
    spec_data(&spec, f->sweep.fixed.v);
    assert_int_equal(data_load(&f->data, &spec, &report, &err), 0);
    assert_int_equal(resolve_sweep(&f->sweep, f->data.task, &err), 0);
    assert_int_equal(make_plan(&f->plan, &f->sweep, &all, &err), 0);
    f->prepared = prepared_create(&f->data, &err);
    assert_non_null(f->prepared);
    plan_settings(&f->plan, 0, &f->settings);
    assert_ptr_equal(model_type_of(&f->settings), type);
}

static void tear_down(struct fixture *f)
{
    prepared_destroy(f->prepared);
    plan_release(&f->plan);
    dataset_release(&f->data);
    sweep_release(&f->sweep);
}

static const char simulated[] = "[sweep]\nname = types\n"
                                "[data]\nsamples = 60\nmarkers = 40\ncausal = 5\n"
                                "[graph]\nk = 4\n[train]\nepochs = 5\n[split]\nstop = 0.1\n";

enum { MOST_EPOCHS = 10 };

struct trained {
    struct gcn_outcome outcome;
    struct gcn_epoch curve[MOST_EPOCHS];
};

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static bool never_after(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run)
{
    (void)arg;
    (void)so_far;
    (void)run;
    return false;
}

static void train(struct trained *out, struct fixture *f, const char *key, bool is_stopped)
{
    const struct model_type *type = model_type_of(&f->settings);
    const struct gcn_observer observer = {.epoch_done = never_after};
    const struct lapack_watch watch = {never, NULL};
    struct arena scratch = {0};
    struct model_training training = {.settings = &f->settings,
                                      .data = &f->data,
                                      .seed = hash_text(key),
                                      .scratch = &scratch,
                                      .clock = &clock_system};
    struct err err;

    if (is_stopped) {
        training.observer = &observer;
        training.watch = &watch;
    }
    memset(out, 0, sizeof *out);
    out->outcome.curve = out->curve;
    if (type->inputs)
        training.inputs = prepared_inputs(f->prepared, &f->settings, &err);
    if (type->trains)
        training.split = prepared_split(f->prepared, &f->settings, 0, 0, &err);
    assert_int_equal(type->train(&out->outcome, &training, &err), 0);
    arena_release(&scratch);
}

static bool is_same(const struct trained *a, const struct trained *b)
{
    return !memcmp(&a->outcome.value, &b->outcome.value, sizeof a->outcome.value) &&
           !memcmp(a->outcome.metrics, b->outcome.metrics, sizeof a->outcome.metrics);
}

static void test_names_are_the_choices(void **state)
{
    struct buf name = {0};
    int64_t n = 0;

    (void)state;
    for (; model_type(n); n++) {
        buf_clear(&name);
        param_format(&name, P_TYPE, (union value){.i = n});
        assert_string_equal(model_type(n)->name, buf_text(&name));
        assert_string_equal(settings_type_name((union value){.i = n}), buf_text(&name));
    }
    assert_null(model_type(-1));
    for (const char *at = param_table[P_TYPE].choices; at; at = strchr(at + 1, '|'))
        n--;
    assert_int_equal(n, 0);
    buf_release(&name);
}

static void test_settings(void **state)
{
    struct settings s;

    (void)state;
    default_settings(&s);
    for (int64_t i = 0; i < N_MODELS; i++) {
        const struct model_type *type = model_type(i);

        s.v[P_TYPE].i = i;
        for (int id = 0; id < P_COUNT; id++)
            assert_int_equal(settings_has(&s, (enum param_id)id),
                             param_is_among(param_table[id].models, type->name));
        assert_true(settings_has(&s, P_TYPE) && settings_has(&s, P_TEST));
        if (!type->trains)
            continue;
        assert_int_equal(settings_has(&s, P_EPOCHS), type->has_epochs);
        assert_int_equal(settings_has(&s, P_CHOOSE_EPOCH), type->has_epochs);
        assert_int_equal(settings_has(&s, P_STOP), type->has_epochs);
        assert_int_equal(settings_has(&s, P_BUILD), type->uses_graph);
        assert_int_equal(!param_is_among(MODELS_SCORES, type->name), type->gives_probabilities);
        assert_non_null(type->cost);
    }
}

/* Results depend on random numbers only if the type draws any. */
static void test_random_numbers(void **state)
{
    (void)state;
    for (int64_t i = 0; i < N_MODELS; i++) {
        struct trained a, b, again;
        struct fixture f;

        if (lacks_data(i))
            continue;
        set_up(&f, simulated, model_type(i));
        train(&a, &f, "a", false);
        train(&b, &f, "b", false);
        train(&again, &f, "a", false);
        assert_true(is_same(&a, &again));
        assert_int_equal(is_same(&a, &b), !model_type(i)->draws_random);
        assert_int_equal(a.outcome.epochs_run, model_type(i)->has_epochs ? 5 : 0);
        assert_int_equal(!isnan(a.outcome.metrics[PART_VAL][METRIC_RMSE]), model_type(i)->trains);
        tear_down(&f);
    }
}

static void test_graph(void **state)
{
    (void)state;
    for (int64_t i = 0; i < N_MODELS; i++) {
        struct trained few, many;
        struct fixture f;

        if (lacks_data(i))
            continue;
        set_up(&f, simulated, model_type(i));
        train(&few, &f, "a", false);
        f.settings.v[P_K].i = 12;
        train(&many, &f, "a", false);
        assert_int_equal(is_same(&few, &many), !model_type(i)->uses_graph);
        tear_down(&f);
    }
}

static void test_stop(void **state)
{
    (void)state;
    for (int64_t i = 0; i < N_MODELS; i++) {
        struct trained stopped;
        struct fixture f;

        if (lacks_data(i))
            continue;
        set_up(&f, simulated, model_type(i));
        train(&stopped, &f, "a", true);
        if (model_type(i)->has_epochs)
            assert_int_equal(stopped.outcome.status, GCN_STOPPED);
        tear_down(&f);
    }
}

static void test_inputs_are_shared(void **state)
{
    (void)state;
    for (int64_t i = 0; i < N_MODELS; i++) {
        struct trained own, viewed;
        struct fixture f;
        struct gcn_cost work;
        struct err err;
        double bytes;
        size_t n;
        void *block;

        if (lacks_data(i))
            continue;
        set_up(&f, simulated, model_type(i));
        assert_int_equal(prepared_cost(&work, &bytes, f.prepared, &f.settings, &err), 0);
        assert_int_equal(work.flops > 0, model_type(i)->trains);
        assert_int_equal(bytes > 0, model_type(i)->trains);
        train(&own, &f, "a", false);
        assert_int_equal(prepared_has_own(f.prepared, &f.settings), model_type(i)->inputs != NULL);
        if (model_type(i)->inputs) {
            n = prepared_packed_bytes(f.prepared, &f.settings);
            assert_true(fabs(prepared_inputs_bytes(f.prepared, &f.settings) / (double)n - 1) < 0.2);
            block = aligned_alloc(64, (n + 63) / 64 * 64);
            prepared_pack(block, f.prepared, &f.settings);
            assert_int_equal(prepared_adopt(f.prepared, &f.settings, block, n, &err), 0);
            assert_false(prepared_has_own(f.prepared, &f.settings));
            train(&viewed, &f, "a", false);
            assert_true(is_same(&own, &viewed));
            tear_down(&f);
            free(block);
        } else {
            tear_down(&f);
        }
    }
}

static bool always(void *arg)
{
    (void)arg;
    return true;
}

static void test_models_are_kept(void **state)
{
    (void)state;
    for (int64_t i = 0; i < N_MODELS; i++) {
        struct model_runner *self;
        struct trial_result r;
        struct runner runner;
        struct fixture f;
        struct err err;

        if (lacks_data(i))
            continue;
        set_up(&f, simulated, model_type(i));
        self = model_runner_create(&f.plan, &f.data, f.prepared, &clock_system, &err);
        assert_non_null(self);
        runner = model_runner_interface(self);
        trial_result_init(&r, 0);
        runner.run(runner.self, &r, 0, &(struct trial_watch){.keep_going = always});
        assert_int_equal(r.state, TRIAL_DONE);
        assert_int_equal(r.model != NULL, model_type(i)->trains);
        assert_int_equal(r.n_curve > 0, model_type(i)->has_epochs);
        trial_result_release(&r);
        model_runner_destroy(self);
        tear_down(&f);
    }
}

static void write_classes(char *ini, size_t n)
{
    FILE *features = fopen(scratch_path("features.csv"), "w");
    FILE *labels = fopen(scratch_path("labels.csv"), "w");
    FILE *edges = fopen(scratch_path("edges.csv"), "w");

    assert_true(features && labels && edges);
    fprintf(features, "node,a,b\n");
    fprintf(labels, "node,label\n");
    fprintf(edges, "source,target\n");
    for (int i = 0; i < 60; i++) {
        fprintf(features, "n%d,%g,%g\n", i, sin(i), cos(3 * i) + i % 3);
        fprintf(labels, "n%d,%s\n", i, i % 3 ? "red" : "blue");
        fprintf(edges, "n%d,n%d\n", i, (i + 3) % 60);
    }
    fclose(features);
    fclose(labels);
    fclose(edges);
    snprintf(ini, n,
             "[sweep]\nname = types\n[data]\nformat = graph\nfeatures = %s\nlabels = %s\n"
             "edges = %s\n[train]\nepochs = 5\n",
             scratch_path("features.csv"), scratch_path("labels.csv"), scratch_path("edges.csv"));
}

/* Types with probabilities have a log_loss. For other types a sweep that ranks by it is refused. */
static void test_probabilities(void **state)
{
    char ini[1024];

    (void)state;
    write_classes(ini, sizeof ini);
    for (int64_t i = 0; i < N_MODELS; i++) {
        const struct model_type *type = model_type(i);
        char set[64];
        const char *const sets[] = {set, "objective=val_log_loss"};
        struct errlist errors = {0};
        struct sweep sweep;
        struct trained trained;
        struct fixture f;
        bool is_refused;

        if (lacks_data(i))
            continue;
        set_up(&f, ini, type);
        train(&trained, &f, "a", false);
        assert_int_equal(!isnan(trained.outcome.metrics[PART_VAL][METRIC_ACCURACY]), type->trains);
        assert_int_equal(!isnan(trained.outcome.metrics[PART_VAL][METRIC_LOG_LOSS]),
                         type->gives_probabilities);
        tear_down(&f);
        snprintf(set, sizeof set, "model.type=%s", type->name);
        is_refused = sweep_parse(&sweep, "unit.ini", ini, sets, 2, &errors) != 0;
        assert_int_equal(is_refused, type->trains && !type->gives_probabilities);
        errlist_release(&errors);
        sweep_release(&sweep);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_the_choices),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_inputs_are_shared),
        cmocka_unit_test(test_models_are_kept),
        cmocka_unit_test(test_probabilities),
    };

    return cmocka_run_group_tests_name("model_type", tests, scratch_make, scratch_remove);
}
