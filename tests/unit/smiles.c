/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/buf.h"
#include "data/core/split.h"
#include "data/graph/molecule.h"
#include "golden_file.h"
#include "loading.h"

static struct data_spec spec_of(const char *table)
{
    if (!molecule_is_readable()) {
        print_message("built without Indigo\n");
        skip();
    }
    return (struct data_spec){.format = &smiles_format, .molecules = scratch_text("m.csv", table)};
}

/* Indigo's own text stands between these. */
static void refuse(const struct data_spec *spec, const char *begins, const char *ends)
{
    struct dataset d;
    struct data_report report;
    struct err err = {""};
    const char *text = err.text;
    size_t size = strlen(scratch_folder) + 1;

    assert_int_equal(data_load(&d, spec, &report, &err), -1);
    if (strncmp(text, scratch_folder, size - 1) == 0)
        text += size;
    if (strncmp(text, begins, strlen(begins)) != 0 || strlen(text) < strlen(ends) ||
        strcmp(text + strlen(text) - strlen(ends), ends) != 0)
        fail_msg("\"%s\" is not \"%s...%s\"", text, begins, ends);
}

static int32_t column(const char *name)
{
    for (int32_t j = 0; j < MOLECULE_FEATURES; j++)
        if (strcmp(molecule_feature_name(j), name) == 0)
            return j;
    fail_msg("no feature %s", name);
    return -1;
}

static int feature(const struct dataset *d, int32_t node, const char *name)
{
    return d->dosage[(int64_t)node * d->n_features + column(name)];
}

/* ---- one molecule ---- */

/* wanted: nonzero features, "C degree=3 ..."; values other than 1 follow a colon. */
static void check_atom(const struct dataset *d, int32_t node, const char *wanted)
{
    char text[512] = "";

    for (int32_t j = 0; j < MOLECULE_FEATURES; j++) {
        int v = d->dosage[(int64_t)node * d->n_features + j];
        size_t n = strlen(text);

        if (v)
            snprintf(text + n, sizeof text - n, v == 1 ? "%s%s" : "%s%s:%d", n ? " " : "",
                     molecule_feature_name(j), v);
    }
    assert_string_equal(text, wanted);
}

static void test_atoms(void **state)
{
    struct data_spec spec = spec_of("smiles,y\nCC(=O)[O-].[Na+],1\nc1ccccc1C#N,2\n[Zr]CC=C=C,1\n");
    struct data_report report;
    struct dataset_graph g;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 3);
    assert_int_equal(d.n_features, MOLECULE_FEATURES);
    g = dataset_graph(&d, 0);
    assert_int_equal(g.n_nodes, 5);
    assert_int_equal(g.n_edges, 3);
    check_atom(&d, 0, "C degree=1 hydrogens=3");
    check_atom(&d, 1, "C degree=3 hydrogens=0 double_bonds");
    check_atom(&d, 2, "O degree=1 hydrogens=0 double_bonds");
    check_atom(&d, 3, "O degree=1 hydrogens=0 charge:-1");
    check_atom(&d, 4, "Na degree=0 hydrogens=0 charge");
    g = dataset_graph(&d, 1);
    assert_int_equal(g.n_nodes, 8);
    assert_int_equal(g.n_edges, 8);
    check_atom(&d, 5, "C degree=2 hydrogens=1 aromatic ring");
    check_atom(&d, 11, "C degree=2 hydrogens=0 triple_bonds");
    check_atom(&d, 12, "N degree=1 hydrogens=0 triple_bonds");
    assert_int_equal(feature(&d, 16, "double_bonds"), 2);
    dataset_release(&d);
}

/* Thymine's ring is aromatic, with double bonds outside, as in Daylight and RDKit. */
static void test_aromatic_model(void **state)
{
    struct data_spec spec = spec_of("smiles,y\nCC1=CNC(=O)NC1=O,a\nCc1c[nH]c(=O)[nH]c1=O,b\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_memory_equal(d.dosage, d.dosage + (int64_t)9 * d.n_features, 9 * MOLECULE_FEATURES);
    check_atom(&d, 1, "C degree=3 hydrogens=0 aromatic ring");
    check_atom(&d, 3, "N degree=2 hydrogens=1 aromatic ring");
    check_atom(&d, 5, "O degree=1 hydrogens=0 double_bonds");
    dataset_release(&d);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* text: "BONDS ATOM ATOM ..." of the last molecule, as make_molecules.py writes it */
static void describe(struct buf *text, const struct molecules *m, int32_t first, int64_t bonds)
{
    char atom[40][40];
    int32_t n = m->n_atoms - first;

    assert_in_range(n, 1, 40);
    for (int32_t i = 0; i < n; i++) {
        const int8_t *row = m->feature + (int64_t)(first + i) * MOLECULE_FEATURES;
        int32_t element = 0, degree = column("degree=0"), hydrogens = column("hydrogens=0");

        while (!row[element])
            element++;
        while (!row[degree])
            degree++;
        while (!row[hydrogens])
            hydrogens++;
        snprintf(atom[i], sizeof atom[i], "%s.%d.%d.%d.%d", molecule_feature_name(element),
                 degree - column("degree=0"), hydrogens - column("hydrogens=0"),
                 row[column("charge")], row[column("radicals")]);
    }
    qsort(atom, (size_t)n, sizeof *atom, compare_texts);
    buf_clear(text);
    buf_printf(text, "%d", (int)(m->bonds.n - bonds));
    for (int32_t i = 0; i < n; i++)
        buf_printf(text, " %s", atom[i]);
}

/* The form of many spellings is that of RDKit. */
static void test_golden(void **state)
{
    FILE *file = golden_file("molecules");
    char line[1024];
    struct buf got = {0};
    struct molecules m;
    int n = 0;

    (void)state;
    spec_of("");
    molecules_init(&m);
    for (; fgets(line, sizeof line, file); n++) {
        char *wanted = strchr(line, '\t');
        int32_t first = m.n_atoms;
        int64_t bonds = m.bonds.n;

        line[strcspn(line, "\n")] = '\0';
        *wanted++ = '\0';
        assert_int_equal(molecules_add(&m, line, NULL), 1);
        describe(&got, &m, first, bonds);
        if (strcmp(buf_text(&got), wanted) != 0)
            fail_msg("%s: %s is not %s", line, buf_text(&got), wanted);
    }
    assert_int_equal(n, 71);
    molecules_release(&m);
    buf_release(&got);
    fclose(file);
}

/* Spellings of one molecule, with the same order of atoms: equal features. */
static void test_spellings(void **state)
{
    static const char *const pairs[][2] = {
        {"c1ccccc1O", "C1=CC=CC=C1O"},
        {"c1ccccc1O", "c1ccccc1O[H]"},
        {"c1ccc([N+](=O)[O-])cc1", "c1ccc(N(=O)=O)cc1"},
        {"CCN=[N+]=[N-]", "CCN=N#N"},
        {"c1cc[n+]([O-])cc1", "c1ccn(=O)cc1"},
        {"[O-][Cl+3]([O-])([O-])[O-]", "[O-]Cl(=O)(=O)=O"},
        {"CO", "[D]C([2H])([3H])O[T]"},
        {"c1ccccc1 |$core;;;;;$|", "c1ccccc1"},
        {" CCO", "CCO\tname"},
        {"C1=CC=C2C=CC=C2C=C1", "c1ccc2cccc-2cc1"},
        {"C1=CC=C2C(=CC=C2)C=C1", "c1ccc2-c(ccc2)cc1"},
        {"O=C1N=CN=C2NNC=C21", "O=c1ncnc2[nH][nH]cc1-2"},
        {"O=C1NC(=O)N=C2NC3=CC=CC=C3N=C21", "O=c1[nH]c(=O)nc2[nH]c3ccccc3nc1-2"},
        {"CN=C1CNC(C)=C2C=CC=CC2=N1", "CN=C1CNC(C)=c2ccccc2=N1"},
        {"C1=CC=C2C(=C1)C3=CC=CC=C23", "c1ccc2c(c1)-c1ccccc1-2"},
    };
    struct molecules m;

    (void)state;
    spec_of("");
    molecules_init(&m);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int32_t first = m.n_atoms, n;

        assert_int_equal(molecules_add(&m, pairs[i][0], NULL), 1);
        n = m.n_atoms - first;
        assert_int_equal(molecules_add(&m, pairs[i][1], NULL), 1);
        assert_int_equal(m.n_atoms, first + 2 * n);
        assert_memory_equal(m.feature + (int64_t)first * MOLECULE_FEATURES,
                            m.feature + (int64_t)(first + n) * MOLECULE_FEATURES,
                            (size_t)n * MOLECULE_FEATURES);
    }
    molecules_release(&m);
}

/* Each change of form is counted, with the first three molecules. */
static void test_changes(void **state)
{
    struct data_spec spec = spec_of("smiles,y\nCCO |x|,1\n[2H]C,2\nCN(=O)=O,1\nO,2\nC[Gd],2\n"
                                    "CC a,1\nCN(=O)=O b,2\nC c,1\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_string_equal(noted(&report, "cut"),
                        "4 molecules with text behind the SMILES, which is not used: line 2, id "
                        "\"1\"; line 7, id \"6\"; line 8, id \"7\" ...");
    assert_int_equal(noted_number(&report, "hydrogens", " molecule"), 1);
    assert_int_equal(noted_number(&report, "charges", " molecules"), 2);
    assert_string_equal(noted(&report, "elements"),
                        "1 molecule with an element that is no feature, used as \"other\": line 6, "
                        "id \"5\": Gd");
    assert_string_equal(noted(&report, "valences"), "");
    dataset_release(&d);
}

static void test_odd_atoms(void **state)
{
    struct data_spec spec = spec_of("smiles,y\n*CC,1\n[H][H],2\n[U],1\n[CH3],2\n[13CH4],2\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(feature(&d, 0, "other"), 1);
    assert_int_equal(noted_number(&report, "wildcards", " molecule "), 1);
    assert_int_equal(dataset_graph(&d, 1).n_nodes, 2);
    assert_int_equal(feature(&d, 3, "H"), 1);
    assert_int_equal(feature(&d, 5, "other"), 1);
    assert_int_equal(feature(&d, 6, "radicals"), 1);
    check_atom(&d, 7, "C degree=0 hydrogens>=4");
    dataset_release(&d);
}

/* ---- the table ---- */

static void test_columns(void **state)
{
    struct data_spec spec =
        spec_of("name;SMILES;logp;class\nethanol;CCO;-0.31;x\nmethane;C;1.09;\nwater;O;NA;y\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.smiles = "SMILES";
    spec.id = "name";
    spec.trait = "logp";
    spec.split = scratch_text("split.csv", "id,part\nwater,test\n");
    load(&d, &report, &spec);
    assert_int_equal(d.task, TASK_REGRESSION);
    assert_string_equal(dataset_id(&d, 1), "methane");
    assert_true(d.target[0] == -0.31f);
    assert_true(isnan(d.target[2]));
    assert_int_equal(d.part[2], PART_TEST);
    dataset_release(&d);
    spec.trait = "class";
    load(&d, &report, &spec);
    assert_int_equal(d.task, TASK_CLASSIFICATION);
    assert_int_equal(d.label[1], -1);
    dataset_release(&d);
}

static void test_groups(void **state)
{
    struct data_spec spec = spec_of("smiles,y,g\nCCO,1,a\nC,2,b\nO,,\nN,4,a\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.group = "g";
    load(&d, &report, &spec); /* the group is no candidate for the trait */
    assert_int_equal(d.n_groups, 2);
    assert_int_equal(d.group[0], d.group[3]);
    assert_int_equal(d.group[2], -1);
    assert_int_equal(d.label[2], -1);
    assert_non_null(
        strstr(noted(&report, "empty"), "1 of 4 molecules have no value in column \"y\""));
    dataset_release(&d);
    spec.split = scratch_text("split.csv", "id,g\n1,c\n2,c\n4,d\n");
    load(&d, &report, &spec); /* the split file has precedence */
    assert_string_equal(dataset_group_name(&d, d.group[0]), "c");
    dataset_release(&d);
    spec.split = NULL, spec.group = "h";
    refuse(&spec, "m.csv:1: no column \"h\" (split.group): must be one of \"smiles\", \"y\", \"g\"",
           "");
    spec.group = NULL, spec.part = "set";
    spec.molecules = scratch_text("m.csv", "smiles,y,Set\nCCO,1,train\nC,2,Valid\nN,4,\n");
    load(&d, &report, &spec);
    assert_int_equal(d.part[1], PART_VAL);
    assert_non_null(strstr(noted(&report, "no part"), "left out of all parts: \"3\""));
    dataset_release(&d);
    spec.part = NULL, spec.group = "g", spec.trait = "y";
    spec.molecules = scratch_text("m.csv", "smiles,y,g\nCCO,1,a\nC,2,\n");
    refuse(
        &spec,
        "m.csv: 1 sample with a value to predict but without a group in column \"g\": \"2\": ", "");
}

/* m: molecules whose value is their number of atoms and `unit`, then two with bounds. */
static struct data_spec bounds_spec(int m, const char *unit, const char *first, const char *second)
{
    char table[2000] = "smiles,y\n", *at = table + strlen(table);

    for (int n = 1; n <= m; n++)
        at += sprintf(at, "%.*s,%d%s\n", n, "CCCCCCCCCCCCCCCCCCCC", n, unit);
    sprintf(at, "CO,%s\nCN,%s\n", first, second);
    return spec_of(table);
}

/* Bounds without numbers beside them. */
static void test_bounds(void **state)
{
    struct data_spec spec = bounds_spec(12, " nM", "> 10 nM", "<0.5 nM");
    struct dataset d;
    struct data_report report;

    (void)state;
    refuse(&spec,
           "m.csv:14: column \"y\" = \"> 10 nM\": 2 of 14 values are bounds or estimates: to leave",
           "make classes at a threshold");
    spec = bounds_spec(12, "", "7", "~3");
    refuse(&spec, "m.csv:15: column \"y\" = \"~3\": 1 of 14 values are bounds",
           "make classes at a threshold");
    spec = spec_of("smiles,y\nC,active\nCC,>10000\nCO,active\nCN,<0.5\n");
    refuse(&spec,
           "m.csv:3: column \"y\" = \">10000\": 2 of 4 values are bounds or estimates: to leave",
           "make classes at a threshold");
    spec.task = DATA_TASK_CLASSIFICATION;
    load(&d, &report, &spec);
    assert_int_equal(d.n_classes, 3);
    dataset_release(&d);
    spec = spec_of("smiles,y\nC,<5\nCC,5-10\nCO,>10\nCN,<5\n");
    load(&d, &report, &spec);
    assert_int_equal(d.n_classes, 3);
    dataset_release(&d);
}

static void test_bad_columns(void **state)
{
    struct data_spec spec = spec_of("num,smiles,y\n1,C,0\n2,CC,1\n");

    (void)state;
    refuse(&spec, "m.csv: 2 columns could be predicted: data.trait must name one", "");
    spec.trait = "z";
    refuse(&spec,
           "m.csv:1: no column \"z\" (data.trait): must be one of \"num\", \"smiles\", \"y\"", "");
    spec.trait = "y", spec.smiles = "mol";
    refuse(&spec, "m.csv:1: no column \"mol\" (data.smiles)", "");
    spec.smiles = "y";
    refuse(&spec, "m.csv: column \"y\" is used for more than one of smiles, trait and id", "");
    spec.smiles = NULL, spec.id = "y";
    refuse(&spec, "m.csv: column \"y\" is used for more than one", "");
    spec.id = NULL, spec.smiles = "CCO", spec.trait = "5.1";
    spec.molecules = scratch_text("m.csv", "CCO,5.1\nCCN,4\nC,3\n");
    refuse(&spec, "m.csv: the first line is no header, because \"CCO\" is a molecule: write a ",
           "that names the columns, such as smiles,y");
    spec.id = spec.trait = "y", spec.smiles = NULL;
    spec.molecules = "";
    refuse(&spec, "data.molecules is not set: data.format = smiles needs it", "");
    spec.smiles = "mol";
    spec.molecules = scratch_text("m.smi", "CCO ethanol\nCC ethane\n");
    refuse(&spec,
           "m.smi: no column \"mol\" (data.smiles) on the first line: a SMILES file without a "
           "header has nothing to predict; the first line must name the columns",
           "");
    spec.molecules = "m.SDF";
    refuse(&spec,
           "m.SDF: must be a table with a column of SMILES: convert it with obabel FILE.sdf -O "
           "FILE.smi",
           "");
}

static void test_bad_ids(void **state)
{
    struct data_spec spec = spec_of("id,smiles,y\na,C,0\nb,CC,1\na,O,1\n");

    (void)state;
    spec.id = "id", spec.trait = "y";
    refuse(&spec, "m.csv:4: id \"a\" occurs twice, first on line 2", "");
    spec.molecules = scratch_text("m.csv", "id,smiles,y\na,C,0\n,CC,1\n");
    refuse(&spec, "m.csv:3: the id in column \"id\" is empty", "");
}

#define BAD "smiles,y\nC,0\n\"CC(C\",1\nCCO,1\n,1\nC1CC,0\nXx,0\n"

static void test_invalid(void **state)
{
    struct data_spec spec = spec_of(BAD);
    struct data_report report;
    struct dataset d;

    (void)state;
    refuse(&spec,
           "m.csv:3: 4 of 6 rows cannot be parsed as molecules: line 3, id \"2\": \"CC(C\": ",
           "not closed ...; data.skip_invalid = yes skips such rows");
    spec.skip_invalid = true;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 2);
    assert_int_equal(report.n_skipped, 4);
    assert_non_null(
        strstr(noted(&report, "skipped"),
               "m.csv: 4 of 6 rows cannot be parsed as molecules and are left out: line 3, "
               "id \"2\": \"CC(C\": "));
    assert_non_null(strstr(noted(&report, "skipped"), "; line 5, id \"4\": \"\": it is empty"));
    /* Ids remain the row numbers. */
    assert_string_equal(dataset_id(&d, 1), "3");
    assert_int_equal(dataset_graph(&d, 1).n_nodes, 3);
    dataset_release(&d);
    spec.molecules = scratch_text("m.csv", "smiles,y\nC(,0\n");
    refuse(&spec,
           "m.csv:2: no molecules: 1 of 1 rows cannot be parsed as molecules: line 2, id \"1\": "
           "\"C(\": ",
           "");
    spec.skip_invalid = false;
    spec.molecules = scratch_text("m.csv", "smiles,y\n\"C\nC\",0\n");
    refuse(&spec,
           "m.csv:2: no molecules: 1 of 1 rows cannot be parsed as molecules: line 2, id \"1\": "
           "\"C?C\": it has several lines",
           "");
}

/* Indigo alone would accept the truncated ones as whole, and take long for the longest. */
static void test_cut_off(void **state)
{
    static char chain[10002];
    const char *const row[][2] = {
        {"CC(C", "'(' without a ')'"},
        {"CC.", "a '.' with nothing on one side"},
        {".CC", "a '.' with nothing on one side"},
        {"C..C", "a '.' with nothing on one side"},
        {"C()C", "nothing between '(' and ')'"},
        {"C==C", "two bonds in a row"},
        {"CC(C) (", ""},
        {"[Na+].[Cl-]", ""},
        {"[1000CH4]", "an isotope beyond 999"},
        {"[C+16]", "a charge beyond 15"},
        {"[C----------------]", "a charge beyond 15"},
        {"[999CH3+15]", ""},
        {"CC>>CO", "it is a reaction: write one molecule of it, such as the product"},
        {"CC.O>[Pd]>CCO", "it is a reaction: write one molecule of it, such as the product"},
        {"InChI=1S/CH4/h1H4", "it is an InChI: convert it with obabel -iinchi -osmi"},
        {"VNWKTOKETHGBQD-UHFFFAOYSA-N",
         "it is an InChIKey, which does not contain the molecule: look up its SMILES"},
        {"[NH3]->[Pt]",
         "it has a dative bond (-> or <-), which SMILES does not have: write - for it"},
        {"C C(", ""}, /* the text after a blank is a name */
        {chain, "it has more than 10000 letters"},
        {chain + 1, ""},
    };
    struct molecules m;
    struct err err;

    (void)state;
    if (!molecule_is_readable()) {
        print_message("built without Indigo\n");
        skip();
    }
    memset(chain, 'C', sizeof chain - 1);
    molecules_init(&m);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        err.text[0] = '\0';
        assert_int_equal(molecules_add(&m, row[i][0], &err), !*row[i][1]);
        assert_string_equal(err.text, row[i][1]);
    }
    assert_int_equal(m.n_atoms, 5 + 2 + 10000);
    molecules_release(&m);
}

/* ---- real data ---- */

static void test_bbbp(void **state)
{
    const char *data = getenv("ESPALIER_DATA");
    char path[512];
    struct data_spec spec = {
        .format = &smiles_format, .molecules = path, .id = "num", .trait = "p_np"};
    struct split_spec split_spec = {.test = 0.1, .val = 0.18, .seed = 1};
    struct data_report report;
    struct split split;
    struct dataset d, original;
    int32_t n = 0;

    (void)state;
    if (!data || !molecule_is_readable()) {
        print_message("ESPALIER_DATA is not set, or built without Indigo\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/bbbp/bbbp_clean.csv", data);
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 2050);
    assert_int_equal(report.n_skipped, 0);
    assert_int_equal(noted_number(&report, "valences", " molecule "), 1);
    for (int32_t i = 0; i < d.n_samples; i++)
        n += d.label[i] == 1;
    assert_int_equal(n, 1567);
    assert_string_equal(dataset_class_name(&d, 1), "1");
    assert_int_equal(split_make(&split, &d, &split_spec, NULL), 0);
    assert_int_equal(split.n_test, 205);
    assert_int_equal(split.n_train + split.n_val + split.n_test, 2050);
    split_release(&split);
    /* MoleculeNet's original: CRLF, names with commas and quotes, one with a stray quote. */
    snprintf(path, sizeof path, "%s/bbbp/BBBP.csv", data);
    load(&original, &report, &spec);
    assert_true(hash_equal(original.digest, d.digest));
    dataset_release(&original);
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atoms),       cmocka_unit_test(test_aromatic_model),
        cmocka_unit_test(test_odd_atoms),   cmocka_unit_test(test_columns),
        cmocka_unit_test(test_golden),      cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_changes),     cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_bad_columns), cmocka_unit_test(test_groups),
        cmocka_unit_test(test_bad_ids),     cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_cut_off),     cmocka_unit_test(test_bbbp),
    };

    return cmocka_run_group_tests_name("smiles", tests, scratch_make, scratch_remove);
}
