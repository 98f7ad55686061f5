/* What is read and registered in passes gives what is looked up row by row. */
#include "storelib.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/db.h"
#include "store/query.h"

static const char two_by_two[] = "[sweep]\nname = s\nfolds = 2\n[grid]\nhidden_size = 4, 8\n"
                                 "learning_rate = 0.1, 0.01\n";

static void end(struct fixture *f, struct store *store, int64_t t, enum trial_state state,
                double value)
{
    struct trial_result r;
    struct err err;

    fixture_result(&r, t, value);
    r.state = state;
    r.rank = (int32_t)t + (int32_t)state; /* another one for another attempt */
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
    struct err err;

    if (store_commit(store, &err))
        fail_msg("%s", err.text);
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

static void compare_row(void *arg, const struct table *row)
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

    if (store_open_reader(&store, f->path, &err) ||
        (sweep && query_sweep(&wanted, store, sweep, &err)))
        fail_msg("%s", err.text);
    assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &compared.row, NULL), SQLITE_OK);
    if (query_trials(store, sweep ? &wanted : NULL, compare_row, &compared, &err))
        fail_msg("%s", err.text);
    assert_int_equal(compared.n, n);
    assert_int_equal(sqlite3_step(compared.row), SQLITE_DONE);
    sqlite3_finalize(compared.row);
    store_close(store);
}

/* Two sweeps, folds that were added (so that a configuration's trials are apart), metrics of some
 * trials, and two attempts of one. */
static void test_trials_are_the_view(void **state)
{
    static const char more_folds[] = "[sweep]\nname = s\nfolds = 2\nreplicates = 2\n[grid]\n"
                                     "hidden_size = 4, 8\nlearning_rate = 0.1, 0.01\n";
    static const char other[] = "[sweep]\nname = other\n[grid]\ndropout = 0.1, 0.2\n";
    struct fixture f;
    struct store *store;

    (void)state;
    fixture_open(&f, two_by_two);
    store = fixture_store(&f);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trials_are_the_view),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
