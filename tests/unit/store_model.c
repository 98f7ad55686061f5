/* SPDX-License-Identifier: BSD-3-Clause */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/merge.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 2\n[grid]\nhidden_size = 16, 32, 64\n"
#define MODELS "SELECT group_concat(trial_id || safetensors) FROM (SELECT * FROM model ORDER BY 1)"

static void put(struct fixture *f, struct store *store, int64_t trial, double value,
                enum trial_state state)
{
    struct trial_result r;
    struct err err;

    fixture_result(&r, trial, value);
    r.state = state;
    if (state == TRIAL_DONE) {
        r.model = malloc(8);
        r.model_bytes = (size_t)snprintf(r.model, 8, "m%d", (int)trial);
    }
    if (store_result(store, f->known.ids[trial], &r, &err))
        fail_msg("%s", err.text);
    trial_result_release(&r);
}

static void prune(struct store *store, int64_t each, bool is_whole)
{
    struct err err;

    if (store_prune_models(store, "s", each, is_whole, NULL, &err) || store_commit(store, &err))
        fail_msg("%s", err.text);
}

static void test_best_and_incomplete_stay(void **state)
{
    struct fixture f;
    struct store *store;
    struct buf model = {0};
    struct err err;

    (void)state;
    store = fixture_begin(&f, INI);
    put(&f, store, 0, 0.5, TRIAL_DONE);
    put(&f, store, 2, 0.1, TRIAL_DONE);
    put(&f, store, 4, 0.2, TRIAL_DONE);
    prune(store, 2, false);
    fixture_sql_is(&f, MODELS, "1m0,3m2,5m4"); /* no configuration is complete */
    put(&f, store, 1, 0.5, TRIAL_DONE);
    prune(store, 2, false);
    fixture_sql_is(&f, MODELS, "1m0,2m1,3m2,5m4"); /* the only complete one */
    put(&f, store, 5, 0.3, TRIAL_DONE);
    prune(store, 2, false);
    fixture_sql_is(&f, MODELS, "1m0,2m1,3m2"); /* another complete one, worse */
    put(&f, store, 3, 0.95, TRIAL_DONE);
    prune(store, 3, false);
    fixture_sql_is(&f, MODELS, "1m0,2m1,3m2,4m3"); /* 3 trials a configuration: none is complete */
    prune(store, 2, false);
    fixture_sql_is(&f, MODELS, "3m2,4m3"); /* another complete one, better */
    assert_int_equal(store_find_model(&model, store, 4, &err), 1);
    assert_memory_equal(model.data, "m3", 2);
    assert_int_equal(store_find_model(&model, store, 1, &err), 0);
    buf_release(&model);
    fixture_end(&f, store);
}

/* The choice of --rule 1se is kept beside the best. While the sweep runs, its possible choices
 * are. */
static void test_cheapest_stays(void **state)
{
    const double first[3] = {0.75, 0.7, 0.9}, second[3] = {0.75, 0.7, 0.7};
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(&f, INI);
    fixture_exec(&f, "UPDATE config SET flops = config_id");
    for (int64_t c = 2; c >= 0; c--) {
        put(&f, store, 2 * c, first[c], TRIAL_DONE);
        put(&f, store, 2 * c + 1, second[c], TRIAL_DONE);
        prune(store, 2, false);
        fixture_sql_is(&f, MODELS,
                       c == 2   ? "5m4,6m5"
                       : c == 1 ? "3m2,4m3,5m4,6m5"
                                : "1m0,2m1,5m4,6m5");
    }
    prune(store, 2, true);
    fixture_sql_is(&f, MODELS, "1m0,2m1,5m4,6m5");
    fixture_exec(&f, "UPDATE trial SET value = 0.8 WHERE config_id = 3");
    prune(store, 2, false);
    fixture_sql_is(&f, MODELS, "1m0,2m1,5m4,6m5");
    prune(store, 2, true); /* 0.75 is not within a standard error of 0 */
    fixture_sql_is(&f, MODELS, "5m4,6m5");
    fixture_end(&f, store);
}

/* A configuration of unknown cost is not the cheapest. Then seconds decide, then places. */
static void test_costs(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(&f, INI);
    for (int64_t t = 0; t < 6; t++)
        put(&f, store, t, t % 2 ? 0.5 : 0.1, TRIAL_DONE);
    prune(store, 2, false);
    fixture_sql_is(&f, MODELS, "1m0,2m1"); /* the first of equals */
    for (int64_t t = 2; t < 6; t++)
        put(&f, store, t, t % 2 ? 0.4 : 0.1, TRIAL_DONE);
    prune(store, 3, false);
    fixture_exec(&f, "UPDATE config SET flops = config_id WHERE config_id = 3");
    fixture_exec(&f, "UPDATE trial SET seconds = 0.1 WHERE config_id = 2");
    prune(store, 2, false);
    fixture_sql_is(&f, MODELS, "1m0,2m1,3m2,4m3,5m4,6m5");
    fixture_exec(&f, "UPDATE config SET flops = NULL");
    prune(store, 2, true);
    fixture_sql_is(&f, MODELS, "1m0,2m1,3m2,4m3");
    fixture_end(&f, store);
}

static void test_damage(void **state)
{
    static const char *const damages[] = {
        "UPDATE model SET safetensors = x'6d31'", "UPDATE model SET safetensors = x''",
        "UPDATE model SET safetensors = x'6d3000'", "UPDATE model SET hash = ''"};
    struct fixture f;
    struct store *store;
    struct buf model = {0};
    struct err err;

    (void)state;
    store = fixture_begin(&f, INI);
    put(&f, store, 0, 0.5, TRIAL_DONE);
    prune(store, 2, false);
    assert_int_equal(store_find_model(&model, store, f.known.ids[0], &err), 1);
    assert_int_equal(model.size, 2);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        put(&f, store, 0, 0.5, TRIAL_DONE);
        prune(store, 2, false);
        buf_clear(&model);
        fixture_exec(&f, damages[i]);
        assert_int_equal(store_find_model(&model, store, f.known.ids[0], &err), -1);
        assert_int_equal(model.size, 0);
        assert_non_null(strstr(err.text, ": the model of t1 is damaged: "));
    }
    buf_release(&model);
    fixture_end(&f, store);
}

/* A configuration with a failed trial ranks behind complete ones. */
static void test_failures(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(&f, INI);
    put(&f, store, 0, 0.9, TRIAL_DONE);
    put(&f, store, 1, 0, TRIAL_FAILED);
    put(&f, store, 2, 0.1, TRIAL_DONE);
    put(&f, store, 3, 0.1, TRIAL_DONE);
    prune(store, 2, false);
    fixture_sql_is(&f, MODELS, "3m2,4m3");
    put(&f, store, 2, 0.1, TRIAL_DIVERGED); /* a new result replaces everything of the trial */
    prune(store, 2, false);
    fixture_sql_is(&f, MODELS, "4m3");
    fixture_end(&f, store);
}

static void test_smaller_may_be_better(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(
        &f, "[sweep]\nname = s\nobjective = val_rmse\n[grid]\nhidden_size = 16, 32, 64\n");
    put(&f, store, 0, 0.5, TRIAL_DONE);
    put(&f, store, 1, 0.3, TRIAL_DONE);
    put(&f, store, 2, 0.3, TRIAL_DONE);
    prune(store, 1, false);
    fixture_sql_is(&f, MODELS, "2m1"); /* the first of equals */
    fixture_end(&f, store);
}

/* Each half keeps its own models; merged, only the best are kept. */
static void test_merge(void **state)
{
    struct fixture half[2], out;

    (void)state;
    fixture_open(&out, INI);
    for (int h = 0; h < 2; h++) {
        struct store *store;

        fixture_open(&half[h], INI);
        for (int64_t t = 0; t < 6; t++)
            half[h].known.ours[t] = t % 2 == h;
        store = fixture_store(&half[h]);
        for (int64_t t = h; t < 6; t += 2)
            put(&half[h], store, t, t / 2 == 1 ? 0.9 : 0.1, TRIAL_DONE);
        prune(store, 2, false);
        store_close(store);
    }
    fixture_sql_is(&half[0], MODELS, "1m0,3m2,5m4");
    fixture_sql_is(&half[1], MODELS, "2m1,4m3,6m5");
    fixture_merge(&out, &half[0], NULL);
    fixture_sql_is(&out, MODELS, "1m0,3m2,5m4");
    fixture_merge(&out, &half[1], NULL);
    fixture_sql_is(&out, MODELS, "3m2,4m3");
    fixture_merge(&out, &half[0], NULL);
    fixture_sql_is(&out, MODELS, "3m2,4m3");
    fixture_close(&half[0]);
    fixture_close(&half[1]);
    fixture_close(&out);
}

/* A bit is flipped on one side: the undamaged model is kept. */
static void test_merge_damaged(void **state)
{
    struct fixture side[2];
    struct merge_input input;
    struct errlist notes = {0};
    struct err err;

    (void)state;
    for (int s = 0; s < 2; s++) {
        struct store *store;

        store = fixture_begin(&side[s], INI);
        for (int64_t t = 0; t < 3; t++)
            put(&side[s], store, t, 0.5, TRIAL_DONE);
        prune(store, 2, false);
        store_close(store);
    }
    fixture_exec(&side[0], "UPDATE model SET safetensors = x'6d31' WHERE trial_id IN (1, 3)");
    fixture_exec(&side[1], "UPDATE model SET safetensors = x'6d33' WHERE trial_id IN (2, 3)");
    input = (struct merge_input){.path = side[1].path};
    if (merge_databases(side[0].path, &input, 1, &notes, &err))
        fail_msg("%s", err.text);
    fixture_sql_is(&side[0], MODELS, "1m0,2m1,3m1"); /* both damaged: that of the output */
    assert_int_equal(notes.n, 3);
    assert_non_null(strstr(notes.text[0], ": the model of t2 is damaged: it is left out"));
    assert_non_null(strstr(notes.text[2], ": the model of t1 is damaged: the copy in "));
    errlist_release(&notes);
    fixture_close(&side[0]);
    fixture_close(&side[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_and_incomplete_stay),
        cmocka_unit_test(test_cheapest_stays),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_smaller_may_be_better),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_damaged),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests_name("store_model", tests, NULL, NULL);
}
