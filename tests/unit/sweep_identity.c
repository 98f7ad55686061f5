/* SPDX-License-Identifier: BSD-3-Clause */
/* Which plans continue a stored sweep. */
#include <stdio.h>
#include <string.h>

#include "store/query/query.h"
#include "storelib.h"

#define HEAD "[sweep]\nname = s\nreplicates = 2\n"
#define INI HEAD "[model]\nlayers = 2\n[train]\nepochs = 3\n[grid]\nhidden_size = 16, 32\n"

/* wanted: the lines of store_differences(). */
static void expect(const struct fixture *f, const char *wanted)
{
    struct errlist lines = {0};
    struct buf got = {0};
    struct store *store;
    struct err err;

    store = fixture_reader(f);
    if (store_differences(store, &f->plan, &f->data, &lines, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < lines.n; i++)
        buf_printf(&got, "%s\n", lines.text[i]);
    if (strcmp(buf_text(&got), wanted) != 0)
        fail_msg("got:\n%swanted:\n%s", buf_text(&got), wanted);
    buf_release(&got);
    errlist_release(&lines);
    store_close(store);
}

static void begin(struct fixture *f, const char *ini)
{
    store_close(fixture_begin(f, ini));
}

static void expect_of(struct fixture *f, const char *ini, const char *wanted)
{
    fixture_plan(f, ini);
    expect(f, wanted);
}

static void test_goes_on(void **state)
{
    /* in turn: the same sweep; more replicates, one value more, one fewer; another axis; the axis
     * fixed; other threads, limits and `where`; another sweep in the file */
    static const char *const same[] = {
        INI,
        "[sweep]\nname = s\nreplicates = 5\n[train]\nepochs = 3\n[grid]\nhidden_size = 16, 32\n",
        HEAD "[train]\nepochs = 3\n[grid]\nhidden_size = 16, 64\n",
        HEAD "[train]\nepochs = 3\n[grid]\nhidden_size = 16\ndropout = 0.1, 0.2\n",
        HEAD "[grid]\nhidden_size = 16, 32\nepochs = 4, 5\n",
        HEAD "[model]\nhidden_size = 8\n[train]\nepochs = 3\n",
        HEAD "where = hidden_size > 16\n[train]\nepochs = 3\n[resources]\nthreads = 2\n"
             "trial_timeout = 9\ncrash_limit = 5\n[grid]\nhidden_size = 16, 32\n",
        "[sweep]\nname = other\n[train]\nepochs = 7\n",
    };
    struct fixture f;

    (void)state;
    begin(&f, INI);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        expect_of(&f, same[i], "");
    fixture_close(&f);
}

/* A former axis may be fixed at any value, even if the last run fixed it at another. */
static void test_once_an_axis(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, INI);
    for (int size = 4; size < 7; size++) {
        char ini[160];

        snprintf(ini, sizeof ini, HEAD "[model]\nhidden_size = %d\n[train]\nepochs = 3\n", size);
        expect_of(&f, ini, "");
        store_close(fixture_store(&f));
    }
    fixture_sql_is(&f, "SELECT count(*) FROM config", "5");
    fixture_close(&f);
}

static void test_is_another(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, INI);
    expect_of(&f, HEAD "[train]\nepochs = 4\n[grid]\nhidden_size = 16\n", "train.epochs: 3 -> 4\n");
    expect_of(&f,
              HEAD
              "objective = val_rmse\nseed = 2\nfolds = 5\n[train]\nepochs = 3\nbatch_size = 8\n"
              "[grid]\nhidden_size = 16\n",
              "sweep.objective: val_pearson -> val_rmse\nsweep.direction: max -> min\n"
              "sweep.seed: 1 -> 2\nsweep.folds: 0 -> 5\ntrain.batch_size: full -> 8\n");
    fixture_close(&f);
}

static void test_data(void **state)
{
    char wanted[512], before[HASH_HEX_SIZE], after[HASH_HEX_SIZE];
    struct fixture f;

    (void)state;
    begin(&f, INI);
    /* With equal data, other [data] settings make no difference. */
    expect_of(&f, HEAD "[data]\nfst = 0.3\n[train]\nepochs = 3\n", "");
    hash_hex(f.data.digest, before);
    f.data.digest = hash_text("other");
    hash_hex(f.data.digest, after);
    snprintf(wanted, sizeof wanted, "data.fst: 0.2 -> 0.3\nthe data differ (digest %s -> %s)\n",
             before, after);
    expect(&f, wanted);
    snprintf(wanted, sizeof wanted,
             "split.file: (none) -> /d/split.csv\n"
             "the data differ: /d/split.csv (digest %s -> %s)\n",
             before, after);
    expect_of(&f, HEAD "[split]\nfile = /d/split.csv\n[train]\nepochs = 3\n", wanted);
    fixture_close(&f);
}

static void test_superseded(void **state)
{
    struct fixture f;
    struct store *store;
    struct buf renamed = {0}, ini = {0};
    struct err err;

    (void)state;
    begin(&f, INI);
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(store_open(&store, f.path, &err), 0);
        assert_int_equal(store_supersede(store, "s", &renamed, &err), 0);
        assert_string_equal(buf_text(&renamed), i == 1 ? "s#1" : "s#2");
        store_close(store);
        expect_of(&f, HEAD "[train]\nepochs = 4\n[grid]\nhidden_size = 16\n", "");
        store_close(fixture_store(&f));
    }
    fixture_sql_is(&f, "SELECT group_concat(name) FROM (SELECT name FROM sweep ORDER BY sweep_id)",
                   "s#1,s#2,s");
    store = fixture_reader(&f);
    assert_int_equal(query_ini(&ini, store, 1, &err), 0);
    assert_non_null(strstr(buf_text(&ini), "name = s#1\n"));
    store_close(store);
    /* The old sweep continues under its new name. */
    expect_of(&f,
              "[sweep]\nname = s#1\nreplicates = 2\n[train]\nepochs = 3\n[grid]\nhidden_size = 8\n",
              "");
    buf_release(&renamed);
    buf_release(&ini);
    fixture_close(&f);
}

/* The time before choose_epoch, when batch_norm was no by default. */
static void make_old(const struct fixture *f)
{
    fixture_exec(f, "UPDATE sweep SET ini = replace(replace(replace(ini, 'batch_norm = auto', ''),"
                    " 'pool = auto', ''), 'choose_epoch = objective', '');"
                    "UPDATE config SET params = json_remove(params, '$.choose_epoch')");
    fixture_sql_is(f, "SELECT group_concat(ini || params) LIKE '%choose_epoch%' FROM sweep, config",
                   "0");
}

#define OLD HEAD "[train]\nepochs = 3\nchoose_epoch = objective\n"

/* The keys of a sweep stored without choose_epoch are those with objective. A default changed since
 * then is reported with the line that keeps the old value. */
static void test_before(void **state)
{
    char keys[256], text[256];
    struct store *store;
    struct buf ini = {0};
    struct fixture f;
    struct err err;

    (void)state;
    begin(&f, OLD "[grid]\nhidden_size = 16, 32\n");
    snprintf(keys, sizeof keys, "%s",
             fixture_sql(&f, "SELECT group_concat(key) FROM (SELECT key FROM trial)", text));
    make_old(&f);
    expect_of(&f, HEAD "[train]\nepochs = 3\n[grid]\nhidden_size = 16\n",
              "train.choose_epoch: objective -> loss (the default of this version; to go on with "
              "the sweep, add to [train]: choose_epoch = objective)\n");
    expect_of(&f, HEAD "[train]\nepochs = 3\nchoose_epoch = loss\n[grid]\nhidden_size = 16\n",
              "train.choose_epoch: objective -> loss\n");
    expect_of(&f, OLD "[grid]\nhidden_size = 16, 32\n", "");
    store_close(fixture_store(&f));
    fixture_sql_is(&f, "SELECT group_concat(key) FROM (SELECT key FROM trial)", keys);

    /* Stored configurations keep the old value. */
    expect_of(&f, HEAD "[train]\nepochs = 3\n[grid]\nhidden_size = 16\nchoose_epoch = loss\n", "");
    store_close(fixture_store(&f));
    fixture_sql_is(&f, "SELECT count(*) FROM config", "3");
    store = fixture_reader(&f);
    for (int64_t config = 1; config <= 3; config += 2) {
        buf_clear(&ini);
        assert_int_equal(query_ini(&ini, store, config, &err), 0);
        assert_non_null(strstr(buf_text(&ini), config == 1 ? "choose_epoch = objective\n"
                                                           : "choose_epoch = loss\n"));
    }
    store_close(store);
    buf_release(&ini);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on),    cmocka_unit_test(test_once_an_axis),
        cmocka_unit_test(test_is_another), cmocka_unit_test(test_data),
        cmocka_unit_test(test_superseded), cmocka_unit_test(test_before),
    };

    return cmocka_run_group_tests_name("sweep_identity", tests, NULL, NULL);
}
