/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "grid/plan.h"
#include "grid/sweep_file.h"
#include "unit.h"

#include "resolve.h"

/* text is valid. */
static void parse(struct sweep *sweep, const char *path, const char *text,
                  const char *const *overrides, size_t n)
{
    struct errlist errors = {0};

    if (sweep_parse(sweep, path, text, overrides, n, &errors))
        fail_msg("%s", errors.n ? errors.text[0] : "out of memory");
    assert_int_equal(errors.n, 0);
    errlist_release(&errors);
}

static void assert_setting(const union value v[P_MAX], enum param_id id, const char *text)
{
    struct buf out = {0};

    param_format(&out, id, v[id]);
    assert_string_equal(buf_text(&out), text);
    buf_release(&out);
}

static void assert_axis(const struct sweep *sweep, size_t i, enum param_id id, int line,
                        const char *values)
{
    struct buf out = {0};

    assert_true(i < sweep->n_axes);
    assert_int_equal(sweep->axes[i].id, id);
    assert_int_equal(sweep->axes[i].line, line);
    assert_int_equal(sweep->line[id], line);
    assert_true(sweep->swept[id]);
    for (int32_t v = 0; v < sweep->axes[i].n; v++) {
        buf_puts(&out, v ? " " : "");
        param_format(&out, id, sweep->axes[i].values[v]);
    }
    assert_string_equal(buf_text(&out), values);
    buf_release(&out);
}

static void test_whole_file(void **state)
{
    static const char text[] = "; a comment\n"
                               "[sweep]\n"
                               "name  = ft10              ; identity inside the database\n"
                               "folds = 5\n"
                               "where = hidden_size * batch_size <= 65536\n"
                               "\n"
                               "[data]\n"
                               "format     = genotype\n"
                               "genotypes  = geno.vcf.gz\n"
                               "phenotypes : /data/ft10.csv\n"
                               "trait      = FT;10=x   # y\n"
                               "[model]\n"
                               "activation=tanh\n"
                               "[grid]\n"
                               "hidden_size   = 16, 32,   ; the first two\n"
                               "# and between lines\n"
                               "    64,\n"
                               "\n"
                               "\t128\n"
                               "graph.k       = 5, 10\n"
                               "dropout       = 0.2:0.5:0.1\n"
                               "threads       = 1, 2\n";
    struct sweep sweep;

    (void)state;
    parse(&sweep, "grids/x.ini", text, NULL, 0);
    assert_setting(sweep.fixed.v, P_SWEEP_NAME, "ft10");
    assert_setting(sweep.fixed.v, P_FOLDS, "5");
    assert_setting(sweep.fixed.v, P_WHERE, "hidden_size * batch_size <= 65536");
    assert_setting(sweep.fixed.v, P_GENOTYPES, "grids/geno.vcf.gz");
    assert_setting(sweep.fixed.v, P_PHENOTYPES, "/data/ft10.csv");
    assert_setting(sweep.fixed.v, P_TRAIT, "FT;10=x   # y");
    assert_setting(sweep.fixed.v, P_ACTIVATION, "tanh");
    assert_setting(sweep.fixed.v, P_HIDDEN_SIZE, "64");
    assert_int_equal(sweep.line[P_FOLDS], 4);
    assert_int_equal(sweep.line[P_PATIENCE], 0);
    assert_int_equal(sweep.n_axes, 4);
    assert_axis(&sweep, 0, P_HIDDEN_SIZE, 15, "16 32 64 128");
    assert_axis(&sweep, 1, P_K, 20, "5 10");
    assert_axis(&sweep, 2, P_DROPOUT, 21, "0.2 0.3 0.4 0.5");
    assert_axis(&sweep, 3, P_THREADS, 22, "1 2");
    assert_false(sweep.swept[P_FOLDS]);
    sweep_release(&sweep);
    sweep_release(&sweep);
}

static void test_line_endings_and_mark(void **state)
{
    struct sweep sweep;

    (void)state;
    parse(&sweep, "x.ini", "\xef\xbb\xbf[model]\r\nlayers = 3\r\n\r\n[grid]\r\nk = 5,\r\n  6", NULL,
          0);
    assert_setting(sweep.fixed.v, P_LAYERS, "3");
    assert_axis(&sweep, 0, P_K, 5, "5 6");
    sweep_release(&sweep);
}

/* No key precedes the first one. */
static void test_indented_first_key(void **state)
{
    struct sweep sweep;

    (void)state;
    parse(&sweep, "x.ini",
          "  [model]\n   layers = 3\n[sweep]\n  folds = 4\nwhere = k > 2\n  AND k = 3\n", NULL, 0);
    assert_setting(sweep.fixed.v, P_LAYERS, "3");
    assert_setting(sweep.fixed.v, P_FOLDS, "4");
    assert_setting(sweep.fixed.v, P_WHERE, "k > 2 AND k = 3");
    sweep_release(&sweep);
}

static void test_default_name(void **state)
{
    static const char *const paths[][2] = {{"grids/ft10.ini", "ft10"},
                                           {"ft10", "ft10"},
                                           {"a.b/ft10.v2.ini", "ft10.v2"},
                                           {".ini", ".ini"}};
    struct sweep sweep;

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        parse(&sweep, paths[i][0], "[model]\nlayers = 3\n", NULL, 0);
        assert_setting(sweep.fixed.v, P_SWEEP_NAME, paths[i][1]);
        sweep_release(&sweep);
    }
}

/* Lines have every length around that of inih's buffer. */
static void test_long_lists(void **state)
{
    struct buf text = {0};
    struct sweep sweep;

    (void)state;
    for (int n = 1; n < 2500; n = n < 130 ? n + 1 : n * 3) {
        buf_clear(&text);
        buf_puts(&text, "[grid]\nk = 1");
        for (int i = 2; i <= n; i++)
            buf_printf(&text, ",%s%d", i % 7 ? "" : "  \t ", i);
        buf_puts(&text, "  ; 7, 8, k = 9\nhidden_size = 5");
        parse(&sweep, "x.ini", buf_text(&text), NULL, 0);
        assert_int_equal(sweep.n_axes, 2);
        assert_int_equal(sweep.axes[0].n, n);
        for (int i = 0; i < n; i++)
            assert_int_equal(sweep.axes[0].values[i].i, i + 1);
        assert_axis(&sweep, 1, P_HIDDEN_SIZE, 3, "5");
        sweep_release(&sweep);
    }
    buf_release(&text);
}

/* A long text is read back byte for byte, wherever the buffer cuts it. */
static void test_long_texts(void **state)
{
    static const char pattern[] = "[a] = b;#c:  =;d ";
    struct buf text = {0}, wanted = {0};
    struct sweep sweep;

    (void)state;
    for (int n = 150; n < 450; n++) {
        buf_clear(&text);
        buf_clear(&wanted);
        for (int i = 0; i < n; i++)
            buf_putc(&wanted, pattern[i % (int)(sizeof pattern - 1)]);
        buf_putc(&wanted, '.');
        buf_printf(&text, "[sweep]\nwhere = %s\nfolds = 3", buf_text(&wanted));
        parse(&sweep, "x.ini", buf_text(&text), NULL, 0);
        assert_setting(sweep.fixed.v, P_WHERE, buf_text(&wanted));
        assert_setting(sweep.fixed.v, P_FOLDS, "3");
        sweep_release(&sweep);
    }
    buf_release(&text);
    buf_release(&wanted);
}

static void test_environment(void **state)
{
    struct sweep sweep;
    static const char text[] = "[split]\nfile = ${TEST_SWEEP_A}/x${TEST_SWEEP_B}$C.csv";

    (void)state;
    setenv("TEST_SWEEP_A", "/data", 1);
    setenv("TEST_SWEEP_B", "1", 1);
    parse(&sweep, "dir/x.ini", text, NULL, 0);
    assert_setting(sweep.fixed.v, P_SPLIT_FILE, "/data/x1$C.csv");
    sweep_release(&sweep);
    setenv("TEST_SWEEP_A", "rel", 1);
    parse(&sweep, "dir/x.ini", text, NULL, 0);
    assert_setting(sweep.fixed.v, P_SPLIT_FILE, "dir/rel/x1$C.csv");
    sweep_release(&sweep);
}

static void test_overrides(void **state)
{
    static const char text[] = "[model]\nlayers = 3\n[grid]\nk = 5, 6\nhidden_size = 1, 2\n"
                               "dropout = 0, 0.5\n";
    static const char *const set[] = {"k = 7 ",         "grid.model.layers=1,2",
                                      "train.epochs=9", "grid.dropout=.1",
                                      "epochs=10",      "split.file=s.csv"};
    struct sweep sweep;

    (void)state;
    parse(&sweep, "dir/x.ini", text, set, sizeof set / sizeof *set);
    assert_setting(sweep.fixed.v, P_K, "7");
    assert_false(sweep.swept[P_K]);
    assert_int_equal(sweep.line[P_K], SWEEP_LINE_SET);
    assert_setting(sweep.fixed.v, P_EPOCHS, "10");
    assert_setting(sweep.fixed.v, P_LAYERS, "2");
    assert_setting(sweep.fixed.v, P_SPLIT_FILE, "s.csv");
    assert_int_equal(sweep.n_axes, 3);
    assert_axis(&sweep, 0, P_HIDDEN_SIZE, 5, "1 2");
    assert_axis(&sweep, 1, P_DROPOUT, SWEEP_LINE_SET, "0.1");
    assert_axis(&sweep, 2, P_LAYERS, SWEEP_LINE_SET, "1 2");
    sweep_release(&sweep);
}

/* A script's own options come before those that a user adds. */
static void test_last_option_counts(void **state)
{
    static const char *const axis[] = {"k=3", "grid.k=4,5"}, *const fixed[] = {"grid.k=4,5", "k=3"};
    struct sweep sweep;

    (void)state;
    parse(&sweep, "x.ini", "[model]\nlayers = 3\n", axis, 2);
    assert_int_equal(sweep.n_axes, 1);
    assert_axis(&sweep, 0, P_K, SWEEP_LINE_SET, "4 5");
    sweep_release(&sweep);
    parse(&sweep, "x.ini", "[model]\nlayers = 3\n", fixed, 2);
    assert_int_equal(sweep.n_axes, 0);
    assert_setting(sweep.fixed.v, P_K, "3");
    sweep_release(&sweep);
}

static void test_override_meets_requirement(void **state)
{
    static const char *const set[] = {"features=f.csv"};
    struct sweep sweep;

    (void)state;
    parse(&sweep, "x.ini", "[data]\nformat = graph\nedges = e\nlabels = l\n", set, 1);
    sweep_release(&sweep);
}

static void test_load(void **state)
{
    static const char *const simulated[] = {"data.format=simulated"};
    char path[] = "/tmp/espalier-sweep-XXXXXX";
    int fd = mkstemp(path);
    struct errlist errors = {0};
    struct sweep sweep;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "[sweep]\nname = x\n", 17), 17);
    assert_int_equal(sweep_load(&sweep, path, NULL, 0, &errors), -1);
    assert_non_null(strstr(errors.text[0], ": [data] format is not set: must be genotype | "));
    assert_non_null(strstr(errors.text[0], "; format = simulated needs no files"));
    errlist_release(&errors);
    memset(&errors, 0, sizeof errors);
    sweep_release(&sweep);
    assert_int_equal(sweep_load(&sweep, path, simulated, 1, &errors), 0);
    assert_setting(sweep.fixed.v, P_SWEEP_NAME, "x");
    sweep_release(&sweep);
    assert_int_equal(write(fd, "\0", 1), 1);
    assert_int_equal(sweep_load(&sweep, path, NULL, 0, &errors), -1);
    assert_non_null(strstr(errors.text[0], ": not a text file (it has NUL bytes)"));
    sweep_release(&sweep);
    assert_int_equal(ftruncate(fd, SWEEP_MAX_BYTES + 1), 0);
    assert_int_equal(sweep_load(&sweep, path, NULL, 0, &errors), -1);
    assert_non_null(strstr(errors.text[1], ": larger than 16777216 bytes; not a sweep file"));
    sweep_release(&sweep);
    close(fd);
    unlink(path);
    assert_int_equal(sweep_load(&sweep, path, NULL, 0, &errors), -1);
    assert_non_null(strstr(errors.text[2], ": No such file or directory"));
    sweep_release(&sweep);
    errlist_release(&errors);
}

static void test_write_round_trip(void **state)
{
    static const char text[] = "[sweep]\nseed = 7\nreplicates = 2\nwhere = k > 0\n"
                               "[data]\nformat = genotype\ngenotypes = g.csv\nphenotypes = p.csv\n"
                               "trait =; = b [c]\n"
                               "[resources]\ntrial_timeout = 15m\n"
                               "[grid]\nbuild = knn, threshold\nk = 3, 10\n"
                               "learning_rate = log(1e-5, 0.3, 3)\nbatch_size = 32, full\n"
                               "threads = 1, 2\n"
                               "type = ridge, gcn, mlp\nlambda = 0.1, 1\n";
    struct hash digest = hash_text("data");
    struct buf written = {0}, scratch = {0};
    struct sweep sweep, again;
    struct plan plan, one;
    char here[4096], path[4200];

    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/dir/g.csv", here);
    parse(&sweep, "dir/x.ini", text, NULL, 0);
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    assert_int_equal(plan.n_configs, 48 + 12 + 4);
    for (int32_t config = 0; config < plan.n_configs; config++) {
        struct settings a, b;

        plan_settings(&plan, config, &a);
        assert_int_equal(resolve_settings(&a, TASK_REGRESSION, NULL), 0);
        buf_clear(&written);
        (config % 2 ? sweep_write : sweep_write_effective)(&written, &sweep, a.v);
        parse(&again, "elsewhere/y.ini", buf_text(&written), NULL, 0);
        assert_int_equal(make_plan(&one, &again, NULL, NULL), 0);
        assert_int_equal(one.n_trials, 2);
        plan_settings(&one, 0, &b);
        assert_int_equal(resolve_settings(&b, TASK_REGRESSION, NULL), 0);
        assert_true(hash_equal(settings_key(&a, sweep.swept, digest, 1, 0, &scratch),
                               settings_key(&b, again.swept, digest, 1, 0, &scratch)));
        assert_string_equal(b.v[P_SWEEP_NAME].s, "x");
        assert_string_equal(b.v[P_TRAIT].s, "; = b [c]");
        assert_string_equal(b.v[P_GENOTYPES].s, path);
        assert_true(b.v[P_TRIAL_TIMEOUT].f == 900);
        plan_release(&one);
        sweep_release(&again);
    }
    plan_release(&plan);
    sweep_release(&sweep);
    buf_release(&written);
    buf_release(&scratch);
}

static void test_write_exactly(void **state)
{
    struct buf out = {0};
    struct sweep sweep;

    (void)state;
    parse(&sweep, "x.ini", "[split]\nfile = /s.csv\n[model]\nlayers = 3\ndropout = 0.5\n", NULL, 0);
    sweep_write(&out, &sweep, sweep.fixed.v);
    assert_string_equal(buf_text(&out),
                        "[sweep]\nname = x\n\n[data]\nformat = simulated\n\n"
                        "[split]\nfile = /s.csv\n\n[model]\nlayers = 3\n"
                        "batch_norm = auto\npool = auto\n\n[train]\nchoose_epoch = loss\n");
    sweep_release(&sweep);
    buf_release(&out);
}

/* A missing setting has the value of the time before it existed. This value is written, so that
 * sweep_parse() and sweep_parse_stored() agree. */
static void test_stored(void **state)
{
    static const char text[] = "[sweep]\nname = x\n\n[data]\nformat = simulated\n\n"
                               "[model]\nbatch_norm = no\n"
                               "pool = mean\n\n"
                               "[train]\nchoose_epoch = objective\n";
    struct errlist errors = {0};
    struct buf out = {0};
    struct sweep sweep;

    (void)state;
    assert_int_equal(sweep_parse_stored(&sweep, "x.ini", "[sweep]\nname = x\n", &errors), 0);
    sweep_write(&out, &sweep, sweep.fixed.v);
    assert_string_equal(buf_text(&out), text);
    sweep_release(&sweep);
    parse(&sweep, "x.ini", text, NULL, 0);
    buf_clear(&out);
    sweep_write(&out, &sweep, sweep.fixed.v);
    assert_string_equal(buf_text(&out), text);
    sweep_release(&sweep);
    buf_release(&out);
}

/* Defaults are written, except settings that the format or the model type lacks. */
static void test_write_effective(void **state)
{
    struct buf out = {0};
    struct sweep sweep, again;
    struct settings s;

    (void)state;
    parse(&sweep, "x.ini", "[data]\nformat = simulated\n[model]\ntype = mlp\n", NULL, 0);
    assert_int_equal(settings_resolve(&s, &sweep.fixed, TASK_REGRESSION, NULL), 0);
    sweep_write_effective(&out, &sweep, s.v);
    assert_non_null(strstr(buf_text(&out), "\nscale = standardize\n"));
    assert_non_null(strstr(buf_text(&out), "\nobjective = val_pearson\n"));
    assert_non_null(strstr(buf_text(&out), "\nformat = simulated\n"));
    assert_non_null(strstr(buf_text(&out), "\nlearning_rate = 0.01\n"));
    assert_null(strstr(buf_text(&out), "\nobjective = auto"));
    assert_null(strstr(buf_text(&out), "\ndirection = auto"));
    assert_null(strstr(buf_text(&out), "\ngroup ="));  /* empty */
    assert_null(strstr(buf_text(&out), "\nmaf ="));    /* for genotypes */
    assert_null(strstr(buf_text(&out), "\nlambda =")); /* for ridge */
    assert_null(strstr(buf_text(&out), "[graph]"));
    parse(&again, "y.ini", buf_text(&out), NULL, 0);
    for (int id = 0; id < P_COUNT; id++)
        if (settings_has(&s, (enum param_id)id))
            assert_true(param_equal((enum param_id)id, s.v[id], again.fixed.v[id]));
    sweep_release(&sweep);
    sweep_release(&again);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_file),
        cmocka_unit_test(test_line_endings_and_mark),
        cmocka_unit_test(test_indented_first_key),
        cmocka_unit_test(test_default_name),
        cmocka_unit_test(test_long_lists),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_last_option_counts),
        cmocka_unit_test(test_override_meets_requirement),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_write_round_trip),
        cmocka_unit_test(test_write_exactly),
        cmocka_unit_test(test_write_effective),
        cmocka_unit_test(test_stored),
    };

    return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
