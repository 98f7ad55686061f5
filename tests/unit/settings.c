/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/settings.h"
#include "unit.h"

#include "resolve.h"

static const bool none_swept[P_MAX] = {false};

/* Pinned: changing this text changes the key of every trial, and requires a new KEY_VERSION. */
static const char canonical_defaults[] = "espalier-key-2\n"
                                         "data=00000000000000010000000000000002\n"
                                         "sweep.objective=val_pearson\n"
                                         "sweep.direction=max\n"
                                         "sweep.seed=1\n"
                                         "sweep.folds=0\n"
                                         "data.scale=standardize\n"
                                         "graph.build=knn\n"
                                         "graph.k=10\n"
                                         "graph.metric=cosine\n"
                                         "graph.threshold=0.5\n"
                                         "graph.weights=binary\n"
                                         "split.test=0.2\n"
                                         "split.val=0.2\n"
                                         "model.type=gcn\n"
                                         "model.layers=2\n"
                                         "model.hidden_size=64\n"
                                         "model.activation=relu\n"
                                         "model.residual=no\n"
                                         "model.batch_norm=no\n"
                                         "model.dropout=0.5\n"
                                         "model.input_dropout=0\n"
                                         "model.reduce=none\n"
                                         "model.lambda=1\n"
                                         "model.pool=mean\n"
                                         "train.epochs=100\n"
                                         "train.optimizer=adam\n"
                                         "train.learning_rate=0.01\n"
                                         "train.schedule=constant\n"
                                         "train.step_size=30\n"
                                         "train.step_gamma=0.1\n"
                                         "train.warmup_epochs=0\n"
                                         "train.clip_norm=0\n"
                                         "train.weight_decay=0.0005\n"
                                         "train.decay_layers=all\n"
                                         "train.momentum=0.9\n"
                                         "train.beta1=0.9\n"
                                         "train.beta2=0.999\n"
                                         "train.epsilon=1e-08\n"
                                         "train.batch_size=full\n"
                                         "train.patience=0\n"
                                         "train.class_weights=none\n";

static const char json_defaults[] =
    "{\"objective\": \"val_pearson\", \"direction\": \"max\", \"seed\": 1, \"folds\": 0, "
    "\"ploidy\": \"auto\", \"scale\": \"standardize\", \"build\": \"knn\", \"k\": 10, \"metric\": "
    "\"cosine\", "
    "\"threshold\": 0.5, \"weights\": \"binary\", \"test\": 0.2, \"val\": 0.2, "
    "\"stop\": 0, \"type\": \"gcn\", \"layers\": 2, \"hidden_size\": 64, \"activation\": \"relu\", "
    "\"residual\": \"no\", \"batch_norm\": \"no\", "
    "\"dropout\": 0.5, \"input_dropout\": 0, \"reduce\": \"none\", \"pool\": \"mean\", \"epochs\": "
    "100, "
    "\"optimizer\": \"adam\", "
    "\"learning_rate\": 0.01, \"schedule\": \"constant\", "
    "\"weight_decay\": 0.0005, \"decay_layers\": \"all\", "
    "\"momentum\": 0.9, "
    "\"batch_size\": \"full\", \"workers\": 1, "
    "\"choose_epoch\": \"objective\", \"patience\": 0, "
    "\"class_weights\": \"none\", \"threads\": 1, \"ranks\": 1}";

/* The defaults before choose_epoch existed. */
static void resolved_defaults(struct settings *s)
{
    default_settings(s);
    s->v[P_CHOOSE_EPOCH].i = param_choice(P_CHOOSE_EPOCH, "objective");
    assert_int_equal(resolve_settings(s, TASK_REGRESSION, NULL), 0);
}

static void assert_setting(const struct settings *s, enum param_id id, const char *text)
{
    struct buf out = {0};

    param_format(&out, id, s->v[id]);
    assert_string_equal(buf_text(&out), text);
    buf_release(&out);
}

static void test_canonical(void **state)
{
    const struct hash digest = {1, 2};
    struct buf text = {0}, scratch = {0};
    struct settings s;
    struct hash key;
    char hex[HASH_HEX_SIZE];

    (void)state;
    resolved_defaults(&s);
    settings_canonical(&text, &s, none_swept, digest, -1, -1);
    assert_string_equal(buf_text(&text), canonical_defaults);
    key = settings_key(&s, none_swept, digest, -1, -1, &scratch);
    assert_true(hash_equal(key, hash_text(canonical_defaults)));
    assert_string_equal(hash_hex(key, hex), "47d5e37d4028651b7ea6835b19fc1046");
    buf_clear(&text);
    settings_canonical(&text, &s, none_swept, digest, 3, 0);
    assert_string_equal(buf_text(&text) + strlen(canonical_defaults), "replicate=3\nfold=0\n");
    buf_release(&text);
    buf_release(&scratch);
}

static void test_key_follows_identity(void **state)
{
    const struct hash digest = {1, 2}, other = {1, 3};
    struct buf scratch = {0};
    struct settings s;
    struct hash key;
    bool swept[P_MAX] = {false};

    (void)state;
    resolved_defaults(&s);
    key = settings_key(&s, swept, digest, 0, 0, &scratch);
    assert_false(hash_equal(key, settings_key(&s, swept, other, 0, 0, &scratch)));
    assert_false(hash_equal(key, settings_key(&s, swept, digest, 1, 0, &scratch)));
    assert_false(hash_equal(key, settings_key(&s, swept, digest, 0, 1, &scratch)));
    s.v[P_REPLICATES].i = 7;
    s.v[P_SWEEP_NAME].s = "other";
    s.v[P_GENOTYPES].s = "moved.csv";
    s.v[P_TRIAL_TIMEOUT].f = 60;
    s.v[P_THREADS].i = 4;
    assert_true(hash_equal(key, settings_key(&s, swept, digest, 0, 0, &scratch)));
    swept[P_THREADS] = true;
    assert_false(hash_equal(key, settings_key(&s, swept, digest, 0, 0, &scratch)));
    swept[P_THREADS] = false;
    s.v[P_DROPOUT].f = 0.25;
    assert_false(hash_equal(key, settings_key(&s, swept, digest, 0, 0, &scratch)));
    resolved_defaults(&s);
    swept[P_STOP] = true;
    assert_true(hash_equal(key, settings_key(&s, swept, digest, 0, 0, &scratch)));
    s.v[P_STOP].f = 0.1;
    assert_false(hash_equal(key, settings_key(&s, swept, digest, 0, 0, &scratch)));
    assert_non_null(strstr(buf_text(&scratch), "split.val=0.2\nsplit.stop=0.1\nmodel.type"));
    resolved_defaults(&s);
    s.v[P_CHOOSE_EPOCH].i = param_choice(P_CHOOSE_EPOCH, "loss");
    assert_false(hash_equal(key, settings_key(&s, swept, digest, 0, 0, &scratch)));
    assert_non_null(strstr(buf_text(&scratch), "size=full\ntrain.choose_epoch=loss\ntrain.pa"));
    resolved_defaults(&s);
    s.v[P_WORKERS].i = 2;
    assert_false(hash_equal(key, settings_key(&s, swept, digest, 0, 0, &scratch)));
    assert_non_null(strstr(buf_text(&scratch), "size=full\ntrain.workers=2\ntrain.patience"));
    buf_release(&scratch);
}

static void test_seed_follows_numbers_alone(void **state)
{
    const struct hash digest = {1, 2};
    struct buf scratch = {0};
    struct settings s;
    struct hash seed;
    bool swept[P_MAX] = {false};

    (void)state;
    resolved_defaults(&s);
    seed = settings_seed(&s, digest, 3, 1, &scratch);
    assert_true(hash_equal(seed, settings_key(&s, swept, digest, 3, 1, &scratch)));
    swept[P_THREADS] = true;
    assert_false(hash_equal(seed, settings_key(&s, swept, digest, 3, 1, &scratch)));
    s.v[P_WORKERS].i = 4;
    s.v[P_THREADS].i = 2;
    s.v[P_RANKS].i = 2;
    assert_true(hash_equal(seed, settings_seed(&s, digest, 3, 1, &scratch)));
    assert_int_equal(s.v[P_WORKERS].i, 4);
    assert_false(hash_equal(seed, settings_seed(&s, digest, 3, 0, &scratch)));
    assert_false(hash_equal(seed, settings_seed(&s, digest, 2, 1, &scratch)));
    s.v[P_LEARNING_RATE].f = 0.02;
    assert_false(hash_equal(seed, settings_seed(&s, digest, 3, 1, &scratch)));
    buf_release(&scratch);
}

static void test_resolve(void **state)
{
    struct settings s;
    struct err err;

    (void)state;
    default_settings(&s);
    s.v[P_FORMAT].i = param_choice(P_FORMAT, "graph");
    assert_int_equal(resolve_settings(&s, TASK_CLASSIFICATION, &err), 0);
    assert_int_equal(resolve_settings(&s, TASK_CLASSIFICATION, &err), 0);
    assert_setting(&s, P_OBJECTIVE, "val_accuracy");
    assert_setting(&s, P_DIRECTION, "max");
    assert_setting(&s, P_BUILD, "file");
    assert_setting(&s, P_SCALE, "none");
    assert_setting(&s, P_TASK, "classification");

    default_settings(&s);
    s.v[P_FORMAT].i = param_choice(P_FORMAT, "graph");
    s.v[P_OBJECTIVE].s = "val_rmse";
    s.v[P_BUILD].i = param_choice(P_BUILD, "none");
    s.v[P_SCALE].i = param_choice(P_SCALE, "row");
    assert_int_equal(resolve_settings(&s, TASK_REGRESSION, &err), 0);
    assert_setting(&s, P_OBJECTIVE, "val_rmse");
    assert_setting(&s, P_DIRECTION, "min");
    assert_setting(&s, P_BUILD, "none");
    assert_setting(&s, P_SCALE, "row");

    default_settings(&s);
    s.v[P_DIRECTION].i = param_choice(P_DIRECTION, "min");
    assert_int_equal(resolve_settings(&s, TASK_REGRESSION, &err), 0);
    assert_setting(&s, P_DIRECTION, "min");
}

static void assert_resolved(const char *format, enum task task, enum param_id id, const char *text)
{
    struct settings s;
    struct err err;

    default_settings(&s);
    s.v[P_FORMAT].i = param_choice(P_FORMAT, format);
    assert_int_equal(resolve_settings(&s, task, &err), 0);
    assert_setting(&s, id, text);
}

/* doc/decisions/0006, 0035 and 0036 */
static void test_resolve_by_kind(void **state)
{
    (void)state;
    assert_resolved("graph", TASK_CLASSIFICATION, P_BATCH_NORM, "no");
    assert_resolved("genotype", TASK_REGRESSION, P_BATCH_NORM, "no");
    assert_resolved("tu", TASK_CLASSIFICATION, P_BATCH_NORM, "yes");
    assert_resolved("smiles", TASK_REGRESSION, P_BATCH_NORM, "yes");
    assert_resolved("genotype", TASK_REGRESSION, P_POOL, "mean");
    assert_resolved("tu", TASK_CLASSIFICATION, P_POOL, "sum");
    assert_resolved("smiles", TASK_REGRESSION, P_POOL, "sum");
}

static void test_before(void **state)
{
    struct given given;
    struct settings s;

    (void)state;
    settings_before(&given);
    settings_stored(&s, &given);
    assert_setting(&s, P_CHOOSE_EPOCH, "objective");
    assert_setting(&s, P_BATCH_NORM, "no");
    assert_setting(&s, P_STOP, "0");
    assert_setting(&s, P_EPOCHS, "100");
}

static void test_objective_of_other_task(void **state)
{
    struct settings s;
    struct err err;

    (void)state;
    default_settings(&s);
    s.v[P_OBJECTIVE].s = "val_pearson";
    assert_int_equal(resolve_settings(&s, TASK_CLASSIFICATION, &err), -1);
    assert_string_equal(err.text, "objective = val_pearson: not a metric for classification: must "
                                  "be val_accuracy | val_macro_f1 | val_roc_auc | val_log_loss");
}

/* Every objective is a metric, and every metric can be the objective. */
static void test_objectives_are_metrics(void **state)
{
    char choices[] = PARAM_METRICS, *rest = choices, *name;

    (void)state;
    assert_string_equal(strsep(&rest, "|"), "auto");
    while ((name = strsep(&rest, "|"))) {
        struct settings s;
        int n_tasks = 0;

        for (int task = TASK_REGRESSION; task <= TASK_CLASSIFICATION; task++) {
            default_settings(&s);
            s.v[P_OBJECTIVE].s = name;
            n_tasks += resolve_settings(&s, (enum task)task, NULL) == 0;
        }
        assert_int_equal(n_tasks, 1);
    }
}

static void test_json(void **state)
{
    struct buf out = {0};
    struct settings s;

    (void)state;
    resolved_defaults(&s);
    settings_json_kept(&out, &s);
    assert_null(strstr(buf_text(&out), "choose_epoch"));
    assert_null(strstr(buf_text(&out), "workers"));
    assert_non_null(strstr(buf_text(&out), "\"stop\": 0, "));
    buf_clear(&out);
    settings_json(&out, &s);
    assert_string_equal(buf_text(&out), json_defaults);
    buf_clear(&out);
    s.v[P_BATCH_SIZE].i = 32;
    settings_json(&out, &s);
    assert_non_null(strstr(buf_text(&out), "\"batch_size\": 32, "));
    buf_release(&out);
}

static void test_trim(void **state)
{
    const struct hash digest = {1, 2};
    struct buf scratch = {0}, out = {0};
    struct settings s, other;

    (void)state;
    resolved_defaults(&s);
    other = s;
    other.v[P_K].i = 3;
    settings_trim(&other);
    assert_int_equal(other.v[P_K].i, 3);
    other.v[P_TYPE].i = s.v[P_TYPE].i = param_choice(P_TYPE, "mlp");
    settings_trim(&s);
    settings_trim(&other);
    assert_setting(&other, P_BUILD, "none");
    assert_setting(&other, P_K, "10");
    assert_true(hash_equal(settings_key(&s, none_swept, digest, 0, 0, &scratch),
                           settings_key(&other, none_swept, digest, 0, 0, &scratch)));
    assert_int_equal(resolve_settings(&other, TASK_REGRESSION, NULL), 0);
    assert_setting(&other, P_BUILD, "none");
    other.v[P_TYPE].i = param_choice(P_TYPE, "mlp");
    other.v[P_STOP].f = 0.1;
    settings_trim(&other);
    assert_setting(&other, P_STOP, "0.1");
    other.v[P_TYPE].i = param_choice(P_TYPE, "ridge");
    settings_trim(&other);
    assert_setting(&other, P_STOP, "0");
    settings_json(&out, &other);
    assert_null(strstr(buf_text(&out), "\"stop\""));
    assert_null(strstr(buf_text(&out), "\"choose_epoch\""));
    assert_setting(&other, P_CHOOSE_EPOCH, "objective");
    assert_setting(&other, P_BATCH_NORM, "no");
    other.v[P_TYPE].i = param_choice(P_TYPE, "noop");
    other.v[P_CHOOSE_EPOCH].i = param_choice(P_CHOOSE_EPOCH, "loss");
    settings_trim(&other);
    assert_setting(&other, P_CHOOSE_EPOCH, "objective");
    buf_clear(&out);
    settings_json(&out, &s);
    assert_non_null(strstr(buf_text(&out), "\"stop\": 0,"));
    assert_null(strstr(buf_text(&out), "\"build\""));
    assert_null(strstr(buf_text(&out), "\"threshold\""));
    assert_non_null(strstr(buf_text(&out), "\"type\": \"mlp\", \"layers\": 2"));
    buf_release(&out);
    buf_release(&scratch);
}

/* Texts of successive points equal those of each point alone. */
static void test_texts_of_points(void **state)
{
    static const char *const types[] = {"gcn", "ridge", "mlp", "noop"};
    const struct hash digest = {1, 2};
    struct settings_texts texts;
    struct buf json = {0}, scratch = {0};
    bool swept[P_MAX] = {[P_TYPE] = true, [P_HIDDEN_SIZE] = true, [P_THREADS] = true};
    int64_t before;

    (void)state;
    settings_texts_init(&texts, swept, digest);
    for (int i = 0; i < 24; i++) {
        struct settings s;

        resolved_defaults(&s);
        s.v[P_TYPE].i = param_choice(P_TYPE, types[i / 3 % 4]);
        s.v[P_HIDDEN_SIZE].i = 1 + i % 5;
        s.v[P_THREADS].i = 1 + i % 2;
        s.v[P_STOP].f = i % 7 ? 0.1 : 0;
        s.v[P_LEARNING_RATE].f = 0.1 * i + 0.001;
        settings_trim(&s);
        settings_texts_set(&texts, &s);
        for (int32_t fold = -1; fold < 11; fold += 3) {
            struct hash key = settings_key(&s, swept, digest, fold, fold, &scratch);

            assert_true(hash_equal(settings_texts_key(&texts, fold, fold), key));
            assert_string_equal(buf_text(&texts.canonical), buf_text(&scratch));
        }
        buf_clear(&json);
        settings_json(&json, &s);
        assert_string_equal(buf_text(&texts.json), buf_text(&json));
        before = texts.n_formatted;
        settings_texts_set(&texts, &s);
        assert_int_equal(texts.n_formatted, before);
        s.v[P_DROPOUT].f = 0.125;
        settings_texts_set(&texts, &s);
        assert_int_equal(texts.n_formatted, before + 1);
    }
    settings_texts_release(&texts);
    buf_release(&json);
    buf_release(&scratch);
}

/* A model type that computes differently has new keys; keys of other types stay. */
static void test_revision(void **state)
{
    const struct hash digest = {1, 2};
    struct buf text = {0};
    struct settings s;

    (void)state;
    resolved_defaults(&s);
    assert_int_equal(settings_revision(&s), 1);
    s.v[P_TYPE].i = param_choice(P_TYPE, "ridge");
    settings_trim(&s);
    assert_int_equal(settings_revision(&s), 2);
    settings_canonical(&text, &s, none_swept, digest, 1, 2);
    assert_string_equal(strstr(buf_text(&text), "revision="), "revision=2\nreplicate=1\nfold=2\n");
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_key_follows_identity),
        cmocka_unit_test(test_seed_follows_numbers_alone),
        cmocka_unit_test(test_resolve),
        cmocka_unit_test(test_resolve_by_kind),
        cmocka_unit_test(test_before),
        cmocka_unit_test(test_objective_of_other_task),
        cmocka_unit_test(test_objectives_are_metrics),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_texts_of_points),
        cmocka_unit_test(test_revision),
    };

    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
