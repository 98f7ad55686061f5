/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and registering in passes gives the same as looking up row by row. */
#include "resolve.h"
#include "storelib.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/db.h"
#include "store/query/query.h"

static const char two_by_two[] = "[sweep]\nname = s\nfolds = 2\n[grid]\nhidden_size = 4, 8\n"
                                 "learning_rate = 0.1, 0.01\n";

static void end(struct fixture *f, struct store *store, int64_t t, enum trial_state state,
                double value)
{
    struct trial_result r;
    struct err err;

    fixture_result(&r, t, value);
    r.state = state;
    r.rank = (int32_t)t + (int32_t)state; /* another for each attempt */
    if (state == TRIAL_FAILED) {
        r.value = NAN;
        r.metrics[PART_VAL][METRIC_PEARSON] = NAN;
    }
    snprintf(r.host, sizeof r.host, "node%d", (int)t % 2);
    if (store_result(store, f->known.ids[t], &r, &err))
        fail_msg("%s", err.text);
    trial_result_release(&r);
}

static void done(struct store *store)
{
    fixture_commit(store);
    store_close(store);
}

/* ---- export ---- */

struct compared {
    sqlite3_stmt *row; /* SELECT * FROM trials */
    int n;
};

static void compare_cell(const struct cell *cell, sqlite3_stmt *row, int c)
{
    static const int types[] = {[CELL_NULL] = SQLITE_NULL,
                                [CELL_INTEGER] = SQLITE_INTEGER,
                                [CELL_REAL] = SQLITE_FLOAT,
                                [CELL_TEXT] = SQLITE_TEXT};
    double real = sqlite3_column_double(row, c);

    assert_int_equal(types[cell->type], sqlite3_column_type(row, c));
    if (cell->type == CELL_INTEGER)
        assert_int_equal(cell->i, sqlite3_column_int64(row, c));
    if (cell->type == CELL_REAL)
        assert_memory_equal(&cell->f, &real, sizeof real);
    if (cell->type == CELL_TEXT)
        assert_string_equal(cell->s, sqlite3_column_text(row, c));
}

static void compare_row(void *arg, const struct result_table *row)
{
    struct compared *compared = arg;

    assert_int_equal(row->n_cols, sqlite3_column_count(compared->row));
    for (int c = 0; c < row->n_cols; c++)
        assert_string_equal(row->names[c], sqlite3_column_name(compared->row, c));
    if (!row->n_rows)
        return;
    assert_int_equal(sqlite3_step(compared->row), SQLITE_ROW);
    for (int c = 0; c < row->n_cols; c++)
        compare_cell(&row->cells[c], compared->row, c);
    compared->n++;
}

static void trials_are_the_view(const struct fixture *f, const char *sweep, const char *sql, int n)
{
    struct compared compared = {0};
    struct query_sweep wanted;
    struct store *store;
    struct err err;

    store = fixture_reader(f);
    assert_int_equal(sweep ? query_sweep(&wanted, store, sweep, &err) : 0, 0);
    assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &compared.row, NULL), SQLITE_OK);
    if (query_trials(store, sweep ? &wanted : NULL, compare_row, &compared, &err))
        fail_msg("%s", err.text);
    assert_int_equal(compared.n, n);
    assert_int_equal(sqlite3_step(compared.row), SQLITE_DONE);
    sqlite3_finalize(compared.row);
    store_close(store);
}

/* Two sweeps; folds added later (so a configuration's trials are not adjacent); metrics of some
 * trials; two attempts of one trial. */
static void test_trials_are_the_view(void **state)
{
    static const char more_folds[] = "[sweep]\nname = s\nfolds = 2\nreplicates = 2\n[grid]\n"
                                     "hidden_size = 4, 8\nlearning_rate = 0.1, 0.01\n";
    static const char other[] = "[sweep]\nname = other\n[grid]\ndropout = 0.1, 0.2\n";
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(&f, two_by_two);
    end(&f, store, 1, TRIAL_DONE, 0.5);
    end(&f, store, 2, TRIAL_FAILED, 0);
    end(&f, store, 2, TRIAL_DONE, -0.25);
    done(store);
    fixture_plan(&f, more_folds);
    store = fixture_store(&f);
    end(&f, store, 3, TRIAL_DONE, 0.75);
    end(&f, store, 15, TRIAL_FAILED, 0);
    done(store);
    fixture_plan(&f, other);
    store = fixture_store(&f);
    end(&f, store, 1, TRIAL_DONE, 0.125);
    done(store);
    trials_are_the_view(&f, NULL, "SELECT * FROM trials", 18);
    trials_are_the_view(&f, "s", "SELECT * FROM trials WHERE sweep = 's'", 16);
    trials_are_the_view(&f, "other", "SELECT * FROM trials WHERE sweep = 'other'", 2);
    fixture_close(&f);
}

/* ---- registration ---- */

/* 3 x 2 x 2 = 12 configurations of 2 folds: one statement of 16 trials and one of 8. */
static const char twelve[] = "[sweep]\nname = s\nfolds = 2\n[grid]\nhidden_size = 4, 8, 16\n"
                             "learning_rate = 0.1, 0.01\ndropout = 0, 0.5\n";

static struct hash key_of(const struct fixture *f, int64_t t, bool of_config)
{
    struct plan_trial trial = plan_trial(&f->plan, t);
    struct settings s;
    struct buf scratch = {0};
    struct hash key;
    struct err err;

    plan_settings(&f->plan, trial.config, &s);
    assert_int_equal(resolve_settings(&s, f->data.task, &err), 0);
    key = settings_key(&s, f->plan.sweep->swept, f->data.digest, of_config ? -1 : trial.replicate,
                       of_config ? -1 : trial.fold, &scratch);
    buf_release(&scratch);
    return key;
}

static void known_is_the_file(const struct fixture *f)
{
    char sql[400], wanted[64], key[HASH_HEX_SIZE], config[HASH_HEX_SIZE];

    for (int64_t t = 0; t < f->plan.n_trials; t++) {
        if (!f->known.ours[t]) {
            assert_int_equal(f->known.ids[t], 0);
            continue;
        }
        snprintf(sql, sizeof sql,
                 "SELECT count(*) || ' ' || max(trial_id) || ' ' || max(state) || ' ' ||"
                 " iif(max(value) IS NULL, 'nan', printf('%%g', max(value))) || ' ' || "
                 "max(config_id) FROM trial"
                 " JOIN config USING (config_id) WHERE trial.key = '%s' AND config.key = '%s'",
                 hash_hex(key_of(f, t, false), key), hash_hex(key_of(f, t, true), config));
        snprintf(wanted, sizeof wanted, "1 %lld %s %g %lld", (long long)f->known.ids[t],
                 trial_state_name((enum trial_state)f->known.states[t]), f->known.values[t],
                 (long long)f->known.config_ids[plan_trial(&f->plan, t).config]);
        fixture_sql_is(f, sql, wanted);
    }
}

static void end_some(struct fixture *f, struct store *store, int64_t first, int64_t step)
{
    for (int64_t t = first; t < f->plan.n_trials; t += step)
        if (f->known.ours[t] && f->known.states[t] == TRIAL_PENDING)
            end(f, store, t, t % 4 == 3 ? TRIAL_DIVERGED : TRIAL_DONE, 0.0625 * (double)t);
}

static void register_and_check(struct fixture *f, int64_t first, int64_t step)
{
    struct store *store = fixture_store(f);

    known_is_the_file(f);
    end_some(f, store, first, step);
    done(store);
}

static void test_half_a_sweep(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, twelve);
    register_and_check(&f, 0, 2);
    for (int64_t t = 0; t < f.plan.n_trials; t++)
        assert_int_equal(f.known.ids[t], t + 1);
    register_and_check(&f, 0, 1);
    register_and_check(&f, 0, 1);
    fixture_sql_is(&f, "SELECT count(*) FROM trial", "24");
    fixture_close(&f);
}

/* Stored trials stay. */
static void test_grown_and_shrunk(void **state)
{
    static const char grown[] =
        "[sweep]\nname = s\nfolds = 2\nreplicates = 3\n[grid]\nhidden_size = 2, 4, 6, 8, 16, 32\n"
        "learning_rate = 0.1, 0.03, 0.01\ndropout = 0, 0.25, 0.5\n";
    static const char shrunk[] = "[sweep]\nname = s\nfolds = 2\n[grid]\nhidden_size = 32, 4\n"
                                 "learning_rate = 0.01, 0.1\ndropout = 0.5, 0\n";
    struct fixture f;
    char before[256], after[256];
    const char *sum = "SELECT group_concat(trial_id || key || state || coalesce(value, '')) FROM"
                      " (SELECT * FROM trial WHERE trial_id <= 3)";

    (void)state;
    fixture_open(&f, twelve);
    register_and_check(&f, 1, 3);
    fixture_sql(&f, sum, before);
    fixture_plan(&f, grown);
    register_and_check(&f, 0, 5);
    assert_string_equal(before, fixture_sql(&f, sum, after));
    fixture_sql_is(&f, "SELECT count(*) || ' ' || max(trial_id) FROM trial", "324 324");
    fixture_plan(&f, shrunk);
    register_and_check(&f, 0, 1);
    fixture_sql_is(&f, "SELECT count(*) FROM trial", "324");
    fixture_close(&f);
}

/* With a second sweep, trial numbers are no longer those of one. */
static void test_two_sweeps(void **state)
{
    static const char other[] = "[sweep]\nname = other\nfolds = 3\n[grid]\nhidden_size = 4, 8\n";
    struct fixture f;

    (void)state;
    fixture_open(&f, twelve);
    register_and_check(&f, 0, 2);
    fixture_plan(&f, other);
    register_and_check(&f, 0, 2);
    assert_int_equal(f.known.ids[0], 25);
    fixture_plan(&f, twelve);
    register_and_check(&f, 0, 3);
    fixture_plan(&f, other);
    register_and_check(&f, 0, 1);
    fixture_sql_is(&f, "SELECT count(*) FROM trial", "30");
    fixture_close(&f);
}

/* Numbers are always those of the whole. */
static void test_parts(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    fixture_open(&f, twelve);
    for (int part = 1; part >= 0; part--) {
        fixture_plan(&f, twelve);
        for (int64_t t = 0; t < f.plan.n_trials; t++)
            f.known.ours[t] = t / 3 % 2 == part;
        store = fixture_store(&f);
        known_is_the_file(&f);
        end_some(&f, store, 0, 2);
        done(store);
    }
    fixture_plan(&f, twelve);
    register_and_check(&f, 0, 1);
    for (int64_t t = 0; t < f.plan.n_trials; t++)
        assert_int_equal(f.known.ids[t], t + 1);
    store = fixture_reader(&f);
    assert_int_equal(store_find(store, &f.plan, &f.data, &f.known, &err), 0);
    store_close(store);
    known_is_the_file(&f);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_a_sweep),        cmocka_unit_test(test_grown_and_shrunk),
        cmocka_unit_test(test_two_sweeps),          cmocka_unit_test(test_parts),
        cmocka_unit_test(test_trials_are_the_view),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
