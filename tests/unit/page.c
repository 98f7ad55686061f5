/* SPDX-License-Identifier: BSD-3-Clause */
/* The page about the sweep of a program: its words, its curves and its numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/page/page.h"
#include "storelib.h"

static const char ini[] =
    "[sweep]\nname = p\nobjective = val_accuracy\ndirection = max\nfolds = 2\n"
    "[program]\ncommand = train {rate}\n[grid]\nrate = 1, 2\n";

static void *copy(const void *bytes, size_t n)
{
    return memcpy(malloc(n), bytes, n);
}

/* Epochs 0 and 3, with a loss, the objective and two other names, of which the second epoch has one.
 * A test score, which the page does not show before the choice. */
static void put(struct fixture *f, struct store *store, int64_t trial, double value)
{
    const struct gcn_epoch curve[] = {{.train_loss = 0.75, .val_loss = NAN, .val_value = value / 2},
                                      {.train_loss = 0.25, .val_loss = NAN, .val_value = value}};
    const struct program_point points[] = {
        {0, 0, 0.125}, {3, 0, 0.0625}, {0, 1, 0.875}, {0, 2, 0.5}};
    const struct program_metric metrics[] = {{"val_accuracy", value}};
    const int32_t epochs[] = {0, 3};
    struct trial_result r;
    struct err err;

    trial_result_init(&r, trial);
    r.state = TRIAL_DONE;
    r.value = value;
    r.epochs_run = 2;
    r.best_epoch = 3;
    r.seconds = 0.5;
    strcpy(r.host, "node1");
    r.started = 1000;
    r.finished = 1001;
    r.n_reported = 1;
    r.reported = copy(metrics, sizeof metrics);
    r.n_curve = 2;
    r.curve = copy(curve, sizeof curve);
    r.epochs = copy(epochs, sizeof epochs);
    r.n_curve_names = 3;
    r.curve_names = calloc(3, sizeof *r.curve_names);
    strcpy(r.curve_names[0], "lr<b>");
    strcpy(r.curve_names[1], "train_accuracy");
    strcpy(r.curve_names[2], "test_accuracy");
    r.n_points = 4;
    r.points = copy(points, sizeof points);
    if (store_result(store, f->known.ids[trial], &r, &err))
        fail_msg("%s", err.text);
    trial_result_release(&r);
}

static void read_data(struct sweep_data *data, struct fixture *f, int rule)
{
    struct store *store;
    struct query_sweep sweep;
    struct err err;

    fixture_open(f, ini);
    store = fixture_store(f);
    if (store_begin_session(store, &fixture_session, &err))
        fail_msg("%s", err.text);
    for (int64_t trial = 0; trial < 4; trial++)
        put(f, store, trial, 0.5 + 0.125 * (double)trial);
    if (store_commit(store, &err) || query_sweep(&sweep, store, NULL, &err) ||
        sweep_data_read(data, store, &sweep, rule, &err))
        fail_msg("%s", err.text);
    store_close(store);
}

static void assert_has(const char *text, const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("not in it: %s", wanted);
}

static void assert_lacks(const char *text, const char *unwanted)
{
    if (strstr(text, unwanted))
        fail_msg("in it: %.300s", strstr(text, unwanted));
}

static void test_data(void **state)
{
    struct fixture f;
    struct sweep_data d;

    (void)state;
    read_data(&d, &f, -1);
    assert_int_equal(d.task, TASK_NONE);
    assert_int_equal(d.n_curves, 4);
    assert_int_equal(d.n_curve_names, 2);
    assert_string_equal(d.curve_names[0], "lr<b>");
    assert_string_equal(d.curve_names[1], "train_accuracy");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(d.curves[i].epoch[1], 3);
        assert_true(d.curves[i].more[0][1] == 0.0625);
        assert_true(d.curves[i].more[1][0] == 0.875);
        assert_true(isnan(d.curves[i].more[1][1]));
    }
    sweep_data_release(&d);
    fixture_close(&f);
}

/* Words about samples, graphs and models stay away. The script is about sweeps of all kinds. */
static void test_page(void **state)
{
    static const char *const unwanted[] = {"Data and graph", "validation loss", "training loss",
                                           "on the same folds, with its corrected"};
    struct errlist warnings = {0};
    struct page page = {.version = "1", .warnings = &warnings};
    struct fixture f;
    struct sweep_data d;
    struct buf out = {0};
    char *end;

    (void)state;
    read_data(&d, &f, -1);
    page.data = &d;
    page_put(&out, &page);
    assert_false(buf_failed(&out));
    assert_has(buf_text(&out), "\"curve_names\":[\"lr\\u003cb\\u003e\",\"train_accuracy\"]");
    assert_has(buf_text(&out),
               "\"epoch\":[0,3],\"train_loss\":[0.75,0.25],\"val_loss\":[null,null],"
               "\"val_value\":[0.375,0.75],\"more\":[[0.125,0.0625],[0.875,null]]");
    end = strstr(out.data, "<script type=\"application/json\"");
    assert_non_null(end);
    *end = '\0';
    assert_has(out.data, "<h2>Input files</h2>");
    assert_has(out.data, "A trial ran the command: train {rate}");
    assert_has(out.data, "Table: the epoch that each trial kept");
    assert_has(out.data, ">train_loss</th>");
    assert_has(out.data, ">lr&lt;b&gt;</th>");
    assert_lacks(out.data, ">val_loss</th>");
    assert_lacks(out.data, "<b>");
    assert_lacks(out.data, "test_accuracy");
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        assert_lacks(out.data, unwanted[i]);
    buf_release(&out);
    sweep_data_release(&d);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_page),
    };

    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
