/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions and facts about the data: what is written, read and dropped. */
#include <math.h>
#include <string.h>

#include "store/data_fact.h"
#include "store/query/query.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 2\n[grid]\nhidden_size = 16, 32, 64\n"
#define TRIALS \
    "SELECT group_concat(trial_id || ' ' || sample) FROM (SELECT * FROM prediction ORDER BY 1, 2)"

static void put_result(struct fixture *f, struct store *store, int64_t trial, double value)
{
    struct err err;

    fixture_put(f, store, trial, TRIAL_DONE, value);
    assert_int_equal(store_put_model(store, f->known.ids[trial], "model", 5, &err), 0);
}

static void put_row(struct store *store, int64_t trial_id, int32_t sample)
{
    struct store_prediction row = {.sample = sample,
                                   .id = "id",
                                   .observed = {.type = CELL_REAL, .f = 1},
                                   .predicted = {.type = CELL_REAL, .f = 1.5}};
    struct err err;

    if (sample % 2) {
        row.group = "g";
        row.observed = (struct cell){.type = CELL_TEXT, .s = "1"};
        row.predicted = (struct cell){.type = CELL_TEXT, .s = "0"};
        row.scores = "{}";
    }
    if (store_put_prediction(store, trial_id, &row, &err))
        fail_msg("%s", err.text);
}

/* Configurations 1 to 3 have trials 1 to 6; 1 is the best, 3 the worst. */
static struct store *make(struct fixture *f)
{
    struct store *store;

    store = fixture_begin(f, INI);
    for (int64_t t = 0; t < 6; t++)
        put_result(f, store, t, 0.9 - 0.1 * (double)(t / 2) - 0.001 * (double)(t % 2));
    for (int32_t sample = 3; sample >= 2; sample--) {
        put_row(store, 1, sample);
        put_row(store, 4, sample);
        put_row(store, 6, sample);
    }
    fixture_commit(store);
    return store;
}

static void test_read_back(void **state)
{
    struct fixture f;
    struct store *store = make(&f);
    struct result_table t;
    struct err err;

    (void)state;
    assert_int_equal(query_table(&t, store, QUERY_PREDICTIONS, 2, &err), 0);
    assert_int_equal(t.n_rows, 2);
    assert_int_equal(result_table_integer(&t, 0, "trial"), 4);
    assert_int_equal(result_table_integer(&t, 0, "replicate"), 1);
    assert_int_equal(result_table_integer(&t, 0, "sample"), 2);
    assert_int_equal(result_table_find(&t, 0, "sample_group")->type, CELL_NULL);
    assert_int_equal(result_table_find(&t, 0, "observed")->type, CELL_REAL);
    assert_true(result_table_real(&t, 0, "predicted") == 1.5);
    assert_string_equal(result_table_text(&t, 1, "sample_group"), "g");
    assert_int_equal(result_table_find(&t, 1, "observed")->type, CELL_TEXT);
    assert_string_equal(result_table_text(&t, 1, "observed"), "1");
    assert_string_equal(result_table_text(&t, 1, "scores"), "{}");
    assert_int_equal(result_table_find(&t, 1, "probabilities")->type, CELL_NULL);
    result_table_release(&t);
    fixture_end(&f, store);
}

/* Other programs may write any type here: readers get a text, or NaN for the number. */
static void test_other_types(void **state)
{
    struct fixture f;
    struct store *store = make(&f);
    struct result_table t;
    struct err err;

    (void)state;
    fixture_exec(&f, "UPDATE prediction SET observed = x'ff00', predicted = 'x'");
    assert_int_equal(query_table(&t, store, QUERY_PREDICTIONS, 2, &err), 0);
    assert_true(isnan(result_table_real(&t, 0, "observed")));
    assert_true(isnan(result_table_real(&t, 0, "predicted")));
    result_table_release(&t);
    fixture_exec(&f, "UPDATE prediction SET sample = -1 WHERE sample = 2");
    assert_int_equal(query_table(&t, store, QUERY_PREDICTIONS, 2, &err), -1);
    assert_non_null(strstr(err.text, "'-1' in the column 'sample'"));
    fixture_end(&f, store);
}

static void test_dropped(void **state)
{
    struct fixture f;
    struct store *store = make(&f);
    int64_t n = 0;
    struct err err;

    (void)state;
    fixture_sql_is(&f, TRIALS, "1 2,1 3,4 2,4 3,6 2,6 3");
    assert_int_equal(store_prune_predictions(store, "s", &err), 0);
    fixture_commit(store);
    fixture_sql_is(&f, TRIALS, "1 2,1 3");
    assert_int_equal(store_prune_predictions(store, "s", &err), 0);
    put_row(store, 6, 2);
    assert_int_equal(store_drop_models(store, "s", &n, &err), 0);
    fixture_commit(store);
    assert_int_equal(n, 6);
    fixture_sql_is(&f, "SELECT count(*) FROM prediction", "0");
    fixture_end(&f, store);
}

/* Another sweep of the file keeps its rows. */
static void test_other_sweep(void **state)
{
    struct fixture f;
    struct store *store = make(&f);
    struct err err;

    (void)state;
    store_close(store);
    fixture_plan(&f, "[sweep]\nname = t\n[grid]\nhidden_size = 16, 32\n");
    store = fixture_store(&f);
    assert_int_equal(store_prune_predictions(store, "t", &err), 0);
    assert_int_equal(store_drop_models(store, "t", NULL, &err), 0);
    fixture_commit(store);
    fixture_sql_is(&f, TRIALS, "1 2,1 3,4 2,4 3,6 2,6 3");
    fixture_end(&f, store);
}

static void put_facts(struct store *store, int n, const char *last)
{
    static const struct cell integer = {.type = CELL_INTEGER, .i = 7},
                             real = {.type = CELL_REAL, .f = 0.5}, none = {.type = CELL_NULL};
    struct cell text = {.type = CELL_TEXT, .s = last};
    struct data_facts facts;
    struct err err;
    int rc = data_facts_begin(&facts, store, "s", &err) || data_facts_drop(&facts, &err);

    for (int i = 0; !rc && i < n; i++)
        rc = data_facts_put(&facts, "many", "i", &integer, &err);
    if (rc || data_facts_put(&facts, "few", "r", &real, &err) ||
        data_facts_put(&facts, "few", "n", &none, &err) ||
        data_facts_put(&facts, "few", "t", &text, &err))
        fail_msg("%s", err.text);
    fixture_commit(store);
}

static void test_facts(void **state)
{
    static const char all[] = "SELECT group_concat(topic || ordinal || name || quote(value)) FROM"
                              " (SELECT * FROM data_fact ORDER BY topic, ordinal)";
    struct fixture f;
    struct store *store;
    struct result_table t;
    struct err err;

    (void)state;
    store = fixture_begin(&f, INI);
    put_facts(store, 2, "it's");
    fixture_sql_is(&f, all, "few0r0.5,few1nNULL,few2t'it''s',many0i7,many1i7");
    assert_int_equal(query_table(&t, store, QUERY_DATA_FACTS, 1, &err), 0);
    assert_int_equal(t.n_rows, 5);
    assert_string_equal(result_table_text(&t, 4, "topic"), "many");
    assert_int_equal(result_table_integer(&t, 4, "value"), 7);
    result_table_release(&t);
    put_facts(store, 1, "other");
    fixture_sql_is(&f, all, "few0r0.5,few1nNULL,few2t'other',many0i7");
    put_facts(store, 0, "other");
    fixture_sql_is(&f, all, "few0r0.5,few1nNULL,few2t'other'");
    fixture_end(&f, store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_back), cmocka_unit_test(test_other_types),
        cmocka_unit_test(test_dropped),   cmocka_unit_test(test_other_sweep),
        cmocka_unit_test(test_facts),
    };

    return cmocka_run_group_tests_name("store_prediction", tests, NULL, NULL);
}
