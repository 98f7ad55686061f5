/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/requirements.h"
#include "grid/sweep.h"
#include "grid/sweep_file.h"
#include "unit.h"

/* wanted: the errors, one a line. */
static void assert_faults(const char *text, const char *const *set, size_t n_set,
                          const char *wanted)
{
    struct errlist errors = {0};
    struct buf got = {0};
    struct sweep sweep;
    int rc = sweep_parse(&sweep, "x.ini", text, set, n_set, &errors);

    for (size_t i = 0; i < errors.n; i++)
        buf_printf(&got, "%s\n", errors.text[i]);
    assert_string_equal(buf_text(&got), wanted);
    assert_int_equal(rc, errors.n ? -1 : 0);
    sweep_release(&sweep);
    errlist_release(&errors);
    buf_release(&got);
}

static void assert_fault(const char *text, const char *wanted)
{
    assert_faults(text, NULL, 0, wanted);
}

static void assert_set_fault(const char *text, const char *set, const char *wanted)
{
    assert_faults(text, &set, 1, wanted);
}

static void test_all_at_once(void **state)
{
    (void)state;
    assert_fault("stray = 1\n"
                 "[swep]\n"
                 "name = x\n"
                 "[model]\n"
                 "layers = 9\n"
                 "hiden_size = 3\n"
                 "no equals here\n"
                 "dropout = 1.2 ; too much\n"
                 "[open\n"
                 "unknown = because the section is\n"
                 "[sweep]\n"
                 "folds = 1\n",
                 "x.ini:1: 'stray' stands before the first [section]\n"
                 "x.ini:2: unknown section [swep]; did you mean [sweep]?\n"
                 "x.ini:5: layers = 9: must be in [1, 8]\n"
                 "x.ini:6: unknown key 'hiden_size' in [model]; did you mean [model] hidden_size?\n"
                 "x.ini:7: 'no equals here': must be 'key = value' or '[section]'\n"
                 "x.ini:8: dropout = 1.2: must be in [0, 1)\n"
                 "x.ini:9: '[open': ']' is missing\n"
                 "x.ini:12: folds = 1: must be 0 (one holdout split) or at least 2\n");
}

static void test_empty(void **state)
{
    (void)state;
    assert_fault("", "x.ini: has no settings\n");
    assert_fault("; nothing\n\n[grid]\n", "x.ini: has no settings\n");
    assert_fault("\xef\xbb\xbf", "x.ini: has no settings\n");
}

static void test_lines(void **state)
{
    (void)state;
    assert_fault("[model] layers = 2\n", "x.ini:1: ' layers = 2': unexpected text after ']'\n");
    assert_fault("[model\n", "x.ini:1: '[model': ']' is missing\n");
    assert_fault("[mod ;el]\n", "x.ini:1: '[mod': ']' is missing\n");
    assert_fault("[]\na = 1", "x.ini:1: unknown section []; 'espalier params' lists them\n");
    assert_fault("[colours]\na = 1",
                 "x.ini:1: unknown section [colours]; 'espalier params' lists them\n");
    assert_fault(
        "[an extremely long section name that no table has at all]\n",
        "x.ini:1: '[an extremely long section name that no table has at all]': the section "
        "name is too long\n");
    assert_fault("[model]\n= 3\n", "x.ini:2: the key is missing\n");
    assert_fault("[model]\nlayers\n", "x.ini:2: 'layers': must be 'key = value' or '[section]'\n");
    assert_fault("[model]\nlayers = 2\a\n", "x.ini:2: control character 0x07\n");
    assert_fault("[model]\rlayers = 2\r", "x.ini:1: control character 0x0d\n");
    assert_fault("[model]\nlayers = \1"
                 "2\n",
                 "x.ini:2: control character 0x01\n");
}

static void test_long_line_without_key(void **state)
{
    struct buf text = {0};

    (void)state;
    buf_puts(&text, "[model]\nlayers = 2\n");
    for (int i = 0; i < 1000; i++)
        buf_puts(&text, "abc ");
    buf_puts(&text, "= 3\ndropout = 7\n");
    assert_fault(buf_text(&text),
                 "x.ini:3: 'abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc ': must be "
                 "'key = value' or '[section]'\n"
                 "x.ini:4: dropout = 7: must be in [0, 1)\n");
    buf_release(&text);
}

static void test_indented(void **state)
{
    (void)state;
    assert_fault("[model]\n  layers = 2\n  dropout = 0.1\n  [grid]\n",
                 "x.ini:3: 'dropout': an indented line continues the value above: remove the "
                 "indentation\n"
                 "x.ini:4: '[grid]': an indented line continues the value above: remove the "
                 "indentation\n");
    assert_fault("[model]\nlayers = 2\n  3\n",
                 "x.ini:2: layers = 2 3: must be an integer in [1, 8]\n");
}

static void test_comment_hint(void **state)
{
    (void)state;
    assert_fault("[model]\ndropout = 0.5 # half\n",
                 "x.ini:2: dropout = 0.5 # half: must be a number in [0, 1) (a comment after a "
                 "value begins with ' ;')\n");
}

static void test_twice(void **state)
{
    (void)state;
    assert_fault("[model]\nlayers = 2\n[model]\nlayers = 3\n",
                 "x.ini:4: layers is already set in line 2\n");
    assert_fault("[grid]\nk = 2\ngraph.k = 3\n", "x.ini:3: k is already an axis in line 2\n");
    assert_fault("[graph]\nk = 2\n[grid]\nk = 3, 4\n",
                 "x.ini:4: k is an axis here and fixed in line 2: keep one\n");
    assert_fault("[grid]\nk = 3, 4\n[graph]\nk = 2\n",
                 "x.ini:4: k is fixed here and an axis in line 2: keep one\n");
}

static void test_axes(void **state)
{
    (void)state;
    assert_fault("[grid]\nseed = 1, 2\n", "x.ini:2: seed cannot be an axis: set it in [sweep]\n");
    assert_fault("[grid]\nk =\n", "x.ini:2: k: an axis needs at least one value\n");
    assert_fault("[grid]\nk = 3,\n 3\n", "x.ini:2: k: 3 comes twice\n");
    assert_fault("[grid]\nmodel.k = 3\n",
                 "x.ini:2: unknown key 'model.k'; did you mean [graph] k?\n");
    assert_fault("[grid]\nlr = 3\n",
                 "x.ini:2: unknown key 'lr'; did you mean [train] learning_rate?\n");
    assert_fault("[grid]\nflavour = 3\n",
                 "x.ini:2: unknown key 'flavour'; 'espalier params' lists them\n");
}

static void test_format_requirements(void **state)
{
    (void)state;
    assert_fault("[sweep]\n\n[data]\nformat = genotype\n",
                 "x.ini:3: [data] genotypes is not set: required by format = genotype\n");
    assert_fault("[data]\nformat = graph\n",
                 "x.ini:1: [data] features is not set: required by format = graph\n"
                 "x.ini:1: [data] labels is not set: required by format = graph\n"
                 "x.ini:1: [data] edges is not set: required by format = graph: set it, or a "
                 "[graph] build other than file\n");
    assert_set_fault("[sweep]\nname = x\n", "format=tu",
                     "x.ini: [data] folder is not set: required by format = tu\n");
    assert_fault("[data]\nformat = graph\nfeatures = f\nlabels = l\n[grid]\nbuild = knn, none\n",
                 "");
    assert_fault("[data]\nformat = graph\nfeatures = f\nlabels = l\n[grid]\nbuild = knn, file\n",
                 "x.ini:6: build = file needs format = graph and [data] edges\n");
    assert_fault("[graph]\nbuild = file\n",
                 "x.ini:2: build = file needs format = graph and [data] edges\n");
    assert_fault("[data]\nformat = simulated\nedges = e.csv\n",
                 "x.ini:3: edges belongs to format = graph, and the format is simulated\n");
    /* consequences of a faulty setting are not reported */
    assert_fault("[data]\nformat = genotypes\ngenotypes = g.csv\n",
                 "x.ini:2: format = genotypes: must be genotype | graph | simulated | tu | smiles; "
                 "did you mean genotype?\n");
}

#define FORMATS "must be genotype | graph | simulated | tu | smiles"

/* Files stored before the format was required are of simulated data. */
static void test_missing_format(void **state)
{
    static const struct {
        const char *given, *suggested;
    } cases[] = {
        {"genotypes = f", "'genotypes' suggests format = genotype"},
        {"trait = t\nphenotypes = f", "'phenotypes' suggests format = genotype"},
        {"folder = f", "'folder' suggests format = tu"},
        {"molecules = f", "'molecules' suggests format = smiles"},
        {"labels = l\nedges = f", "'edges' suggests format = graph"},
        {"labels = l", "'labels' suggests format = graph"},
    };

    (void)state;
    assert_fault("[data]\nsamples = 100\n[grid]\nk = 3, 5\n", "");
    assert_fault("[grid]\nk = 3, 5\n", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128], wanted[256];

        snprintf(text, sizeof text, "[grid]\nk = 3\n[data]\n%s\n", cases[i].given);
        snprintf(wanted, sizeof wanted, "x.ini:3: [data] format is not set: " FORMATS "; %s\n",
                 cases[i].suggested);
        assert_fault(text, wanted);
    }
}

static void test_split_requirements(void **state)
{
    (void)state;
    assert_fault("[split]\ntest = 0.5\nval = 0.5\n",
                 "x.ini:3: test = 0.5 and val = 0.5 leave nothing to train on: together they must "
                 "be less than 1\n");
    assert_fault("[grid]\ntest = 0.1, 0.85\n",
                 "x.ini:2: test = 0.85 and val = 0.2 leave nothing to train on: together they must "
                 "be less than 1\n");
    assert_fault("[sweep]\nfolds = 5\n[split]\ntest = 0.9\n", "");
    assert_fault("[sweep]\nwhere = test + val < 1\n[grid]\ntest = 0.1, 0.9\n", "");
    assert_fault("[split]\ntest = 0.9\nfile = s.csv\n", "");
    assert_fault("[split]\npart = set\n",
                 "x.ini:2: part = set: this format has no table with a column of parts: give the "
                 "column in a [split] file\n");
    assert_fault(
        "[split]\npart = set\nfile = s.csv\nstop = 0.1\n[grid]\ntest = 0.1, 0.2\n",
        "x.ini:6: test has no effect, as part = set gives the parts: remove one of them\n");
    assert_fault("[split]\npart = set\nfile = s.csv\nval = 0.2\n", ""); /* as it is stored */
}

static void test_reduction(void **state)
{
    (void)state;
    assert_fault("[model]\nreduce = pca:0\n",
                 "x.ini:2: reduce = pca:0: must be none | exact | pca:K, K an integer in [1, "
                 "1000000000]\n");
    assert_fault("[model]\ninput_dropout = 0.5\nreduce = exact\n",
                 "x.ini:3: reduce = exact leaves no features for input_dropout = 0.5 to drop: "
                 "set reduce = none or input_dropout = 0, or exclude points with both by [sweep] "
                 "where\n");
    assert_fault("[model]\nreduce = none\n[grid]\ninput_dropout = 0, 0.2\n", "");
    assert_fault("[model]\nreduce = exact\n[grid]\ninput_dropout = 0\n", "");
    assert_fault("[grid]\nreduce = none, pca:5, exact\ninput_dropout = 0, 0.2\n",
                 "x.ini:2: reduce = pca:5 leaves no features for input_dropout = 0.2 to drop: "
                 "set reduce = none or input_dropout = 0, or exclude points with both by [sweep] "
                 "where\n");
    assert_fault("[sweep]\nwhere = reduce = 'none' or input_dropout = 0\n"
                 "[grid]\nreduce = none, pca:5\ninput_dropout = 0, 0.2\n",
                 "");
}

static void test_data(void **state)
{
    const struct dataset data = {.n_samples = 162, .n_features = 53859};
    struct errlist errors = {0};
    struct sweep sweep;

    (void)state;
    assert_int_equal(sweep_parse(&sweep, "x.ini",
                                 "[grid]\nk = 3\nreduce = none, pca:162, pca:163, exact, pca:500\n",
                                 NULL, 0, &errors),
                     0);
    assert_int_equal(requirements_check_data(&sweep, &data, &errors), -1);
    assert_int_equal(errors.n, 2);
    assert_string_equal(errors.text[0], "x.ini:3: reduce = pca:163: must be at most pca:162, the "
                                        "smaller of 162 samples and 53859 features");
    errlist_release(&errors);
    sweep_release(&sweep);
    assert_int_equal(sweep_parse(&sweep, "x.ini",
                                 "[sweep]\nwhere = k > 3\n[grid]\nk = 3, 4\nreduce = pca:500\n",
                                 NULL, 0, &errors),
                     0);
    assert_int_equal(requirements_check_data(&sweep, &data, &errors), 0);
    sweep_release(&sweep);
}

static void test_paths(void **state)
{
    (void)state;
    unsetenv("TEST_SWEEP_UNSET");
    setenv("TEST_SWEEP_EMPTY", "", 1);
    setenv("TEST_SWEEP_SET", "/data", 1);
    assert_fault("[split]\nfile = ${TEST_SWEEP_UNSET}/x\n",
                 "x.ini:2: file = ${TEST_SWEEP_UNSET}/x: TEST_SWEEP_UNSET is not set in the "
                 "environment\n");
    assert_fault("[split]\nfile = ${TEST_SWEEP_EMPTY}/x\n",
                 "x.ini:2: file = ${TEST_SWEEP_EMPTY}/x: TEST_SWEEP_EMPTY is not set in the "
                 "environment\n");
    assert_fault("[data]\nformat = genotype\ngenotypes = ${TEST_SWEEP_UNSET}\nphenotypes = p\n",
                 "x.ini:3: genotypes = ${TEST_SWEEP_UNSET}: TEST_SWEEP_UNSET is not set in the "
                 "environment\n");
    assert_fault("[split]\nfile = ${HOME/x\n",
                 "x.ini:2: file = ${HOME/x: '${' without a name and '}'\n");
    assert_fault("[split]\nfile = $TEST_SWEEP_SET/x\n",
                 "x.ini:2: file = $TEST_SWEEP_SET/x: write ${TEST_SWEEP_SET} for the variable of "
                 "the environment\n");
    assert_fault("[split]\nfile = ${}/x\n", "x.ini:2: file = ${}/x: '${' without a name and '}'\n");
}

static void test_set(void **state)
{
    static const char text[] = "[model]\nlayers = 2\ninput_dropout = 0.5\n";

    (void)state;
    assert_set_fault(text, "hidden_size=x",
                     "--set hidden_size=x: must be an integer in [1, 65536]\n");
    assert_set_fault(text, "grid.k=1,y",
                     "--set grid.k=1,y: k = y: must be an integer in [1, 1000000]\n");
    assert_set_fault(
        text, "hidden_size=8,16",
        "--set hidden_size=8,16: must be an integer in [1, 65536]; several values make "
        "an axis: --set grid.hidden_size=8,16\n");
    assert_set_fault("[model]\nlayers = 2, 3\n", "k=2",
                     "x.ini:2: layers = 2, 3: must be an integer in [1, 8]; several values make an "
                     "axis: move the line to [grid]\n");
    assert_set_fault(text, "grid.hiden_size=8,16",
                     "--set grid.hiden_size=8,16: unknown key 'hiden_size'; did you mean [model] "
                     "hidden_size?\n");
    assert_set_fault(text, "hidden_size", "--set hidden_size: must be key=value\n");
    assert_set_fault(text, "=1", "--set =1: the key is missing\n");
    assert_set_fault(
        text, "train.layers=1",
        "--set train.layers=1: unknown key 'train.layers'; did you mean [model] layers?\n");
    assert_set_fault(text, "grid.seed=1",
                     "--set grid.seed=1: seed cannot be an axis: set it in [sweep]\n");
    assert_set_fault(text, "where=k > 1 ; x",
                     "--set where=k > 1 ; x: ' ;' would begin a comment in a sweep file\n");
    assert_set_fault(text, "name=a\nb", "--set name=a?b: control character 0x0a\n");
    assert_set_fault(text, "folds=1",
                     "--set folds: folds = 1: must be 0 (one holdout split) or at least 2\n");
    /* the key as it was written */
    assert_set_fault(text, " sweep.folds = 1",
                     "--set sweep.folds: folds = 1: must be 0 (one holdout split) or at least 2\n");
    assert_set_fault(text, "grid.model.reduce=none,pca:2",
                     "--set grid.model.reduce: reduce = pca:2 leaves no features for "
                     "input_dropout = 0.5 to drop: set reduce = none or input_dropout = 0, or "
                     "exclude points with both by [sweep] where\n");
    /* after those of the file */
    assert_set_fault(
        "[model]\nlayers = 9\n", "k=0",
        "x.ini:2: layers = 9: must be in [1, 8]\n--set k=0: must be in [1, 1000000]\n");
}

/* A file of another kind does not flood the terminal. */
static void test_many(void **state)
{
    struct errlist errors = {0};
    struct buf text = {0};
    struct sweep sweep;

    (void)state;
    buf_puts(&text, "[model]\n");
    for (int i = 0; i < 5000; i++)
        buf_puts(&text, "words\nkey = value\n");
    assert_int_equal(sweep_parse(&sweep, "x.ini", buf_text(&text), NULL, 0, &errors), -1);
    assert_int_equal(errors.n, 11);
    assert_string_equal(errors.text[0], "x.ini:2: 'words': must be 'key = value' or '[section]'");
    assert_string_equal(errors.text[9],
                        "x.ini:11: unknown key 'key' in [model]; 'espalier params' lists them");
    assert_string_equal(errors.text[10], "x.ini: ... and 9990 more errors");
    sweep_release(&sweep);
    errlist_release(&errors);
    buf_release(&text);
}

static void test_ridge(void **state)
{
    (void)state;
    assert_fault(
        "[sweep]\nobjective = val_log_loss\n[grid]\ntype = gcn, ridge\n",
        "x.ini:2: objective = val_log_loss: needs class probabilities, but type = ridge computes "
        "scores: must be val_accuracy, val_macro_f1 or val_roc_auc\n");
    assert_fault("[sweep]\nobjective = val_roc_auc\n[grid]\ntype = gcn, ridge\n", "");
    assert_fault("[model]\ntype = ridge\nlambda = 0\n",
                 "x.ini:3: lambda = 0: must be in (0, 1000000000000]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_long_line_without_key),
        cmocka_unit_test(test_indented),
        cmocka_unit_test(test_comment_hint),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_format_requirements),
        cmocka_unit_test(test_missing_format),
        cmocka_unit_test(test_split_requirements),
        cmocka_unit_test(test_reduction),
        cmocka_unit_test(test_ridge),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests_name("sweep_faults", tests, NULL, NULL);
}
