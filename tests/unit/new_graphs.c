/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <sys/stat.h>

#include "data/format.h"
#include "data/graph/graph.h"
#include "data/graph/known_graphs.h"
#include "data/graph/molecule.h"
#include "loading.h"
#include "unit.h"

static const char *tu_folder(const char *name, const char *edges, const char *indicator,
                             const char *labels, const char *attributes, const char *targets)
{
    const char *folder = scratch_path(name);
    char path[100];

    mkdir(folder, 0700);
    snprintf(path, sizeof path, "%s/T_A.txt", name);
    scratch_text(path, edges);
    snprintf(path, sizeof path, "%s/T_graph_indicator.txt", name);
    scratch_text(path, indicator);
    snprintf(path, sizeof path, "%s/T_node_labels.txt", name);
    scratch_text(path, labels);
    snprintf(path, sizeof path, "%s/T_node_attributes.txt", name);
    if (attributes)
        scratch_text(path, attributes);
    snprintf(path, sizeof path, "%s/T_graph_labels.txt", name);
    if (targets)
        scratch_text(path, targets);
    return folder;
}

/* A path 1 2 3 and an edge 4 5. */
#define EDGES "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n"
#define INDICATOR "1\n1\n1\n2\n2\n"

static void load_tu(struct dataset *d, const char *folder)
{
    struct data_spec spec = {.format = &tu_format, .folder = folder};
    struct data_report report;

    load(d, &report, &spec);
}

static void open_new(struct new_graphs *n, const struct dataset *data,
                     const struct data_format *format, const char *path)
{
    struct data_spec spec = {.format = format};
    struct err err = {""};

    if (new_graphs_open(n, data, &spec, path, &err))
        fail_msg("%s", err.text);
}

static int next(struct dataset *out, struct new_graphs *n, int32_t most)
{
    struct err err = {""};
    int status = new_graphs_next(out, n, most, &err);

    if (status < 0)
        fail_msg("%s", err.text);
    return status;
}

/* ---- folders ---- */

static void test_labels(void **state)
{
    /* Columns 5, 6, 7 of the first label, columns 1, 2 of the second, the attribute. */
    static const float wanted[] = {0, 0, 1, 0, 1, 3, 1, 0, 0, 0, 0, 4};
    struct dataset data, new;
    struct new_graphs n;

    (void)state;
    load_tu(&data, tu_folder("panel", EDGES, INDICATOR, "5, 1\n6, 1\n5, 2\n7, 1\n7, 1\n",
                             "1\n2\n3\n4\n5\n", "1\n2\n"));
    open_new(&n, &data, &tu_format, tu_folder("new", "", "1\n2\n", "7, 2\n5, 9\n", "3\n4\n", NULL));
    assert_int_equal(next(&new, &n, 1), 1);
    assert_int_equal(new.n_samples, 2);
    assert_int_equal(new.n_features, data.n_features);
    for (int32_t j = 0; j < data.n_features; j++)
        assert_string_equal(dataset_feature_name(&new, j), dataset_feature_name(&data, j));
    check_features(&new, wanted);
    assert_string_equal(noted(&n.report, "unknown"),
                        "1 node with a label that does not occur in the training data, treated as "
                        "unlabelled: the first is 9, of node 2");
    assert_false(dataset_is_labelled(&new, 0));
    dataset_release(&new);
    assert_int_equal(next(&new, &n, 1), 0);
    new_graphs_close(&n);
    dataset_release(&data);
}

/* ---- molecules ---- */

static void load_molecules(struct dataset *d, const char *table)
{
    struct data_spec spec = {.format = &smiles_format, .molecules = scratch_text("m.csv", table)};
    struct data_report report;

    if (!molecule_is_readable()) {
        print_message("built without Indigo\n");
        skip();
    }
    load(d, &report, &spec);
}

/* Molecules without ids are named by their SMILES. */
static void test_pieces(void **state)
{
    static const char *const smiles[] = {"CCO", "C1CC1N", "O=C=O", "c1ccccc1", "Cl"};
    const char *table = "smiles,y\nCCO,1\nC1CC1N,2\nO=C=O,1\nc1ccccc1,2\nCl,1\n";
    struct dataset data, new;
    struct new_graphs n;
    int32_t at = 0, node = 0;

    (void)state;
    load_molecules(&data, table);
    open_new(&n, &data, &smiles_format, scratch_text("new.csv", table));
    while (next(&new, &n, 2)) {
        assert_int_equal(new.n_samples, at < 4 ? 2 : 1);
        for (int32_t i = 0; i < new.n_samples; i++, at++) {
            struct dataset_graph a = dataset_graph(&new, i), b = dataset_graph(&data, at);

            assert_string_equal(dataset_id(&new, i), smiles[at]);
            assert_int_equal(a.n_nodes, b.n_nodes);
            assert_int_equal(a.n_edges, b.n_edges);
        }
        assert_memory_equal(new.dosage, data.dosage + (int64_t)node * data.n_features,
                            (size_t) new.n_nodes *(size_t)data.n_features);
        node += new.n_nodes;
        dataset_release(&new);
    }
    assert_int_equal(at, 5);
    assert_int_equal(next(&new, &n, 2), 0);
    new_graphs_close(&n);
    dataset_release(&data);
}

/* ---- SMILES files ---- */

/* The data have an id column "num". wanted: "id:atoms id:atoms", or the beginning of the
 * message. */
static void check_file(const char *name, const char *text, bool skips, const char *wanted)
{
    struct data_spec spec = {.format = &smiles_format, .id = "num", .skip_invalid = skips};
    struct dataset data, new;
    struct err err = {""};
    struct new_graphs n;
    char got[sizeof err.text] = "";
    int status;

    load_molecules(&data, "smiles,y\nCCO,1\nC1CC1N,2\n");
    status = new_graphs_open(&n, &data, &spec, scratch_text(name, text), &err);
    while (status == 0 && (status = new_graphs_next(&new, &n, 1, &err)) > 0) {
        size_t size = strlen(got);

        snprintf(got + size, sizeof got - size, "%s%s:%d", size ? " " : "", dataset_id(&new, 0),
                 new.n_nodes);
        dataset_release(&new);
        status = 0;
    }
    if (status < 0)
        snprintf(got, strlen(wanted) + 1, "%s", err.text + strlen(scratch_folder) + 1);
    assert_string_equal(got, wanted);
    new_graphs_close(&n);
    dataset_release(&data);
}

static void test_smiles_files(void **state)
{
    (void)state;
    check_file("a.smi", "CCO ethanol\nCC\tethane\nC\n", false, "ethanol:3 ethane:2 3:1");
    check_file("a.SMI", "CCO  ethyl alcohol \r\n\r\nCC \t 1,2-ethane\tmore\nC\t\tmore", false,
               "ethyl alcohol:3 1,2-ethane:2 3:1");
    check_file("a.smi", "\xEF\xBB\xBF# by hand\n\nCCO a\n#CC b\n", false, "a:3");
    check_file("a.smi", "CCO \"a\nCC 5\"b\n", false, "\"a:3 5\"b:2");
    check_file("a.smi", "SMILES Name \nCCO a\nCC b\n", false, "a:3 b:2");
    check_file("a.smi", "CCO a\nX b\n\tC\nCC c\n", true, "a:3 c:2");
    check_file("a.txt", "CCO a\nCC b\n", false, "a:3 b:2");
    /* With a header it is a table, and so is one molecule in a file with another name. */
    check_file("a.smi", "num,smiles\nx y,CCO\n", false, "x y:3");
    check_file("a.smi", "num;\"smiles\"\nx;CCO\n", false, "x:3");
    check_file("a.smi", "smiles num\nCCO x\n", false, "x:3");
    check_file("a.txt", "CCO a\n", false, "a.txt:1: no column \"smiles\" (data.smiles)");
}

static void test_bad_smiles_files(void **state)
{
    (void)state;
    check_file("a.smi", "CCO a\nCC b\nCCC a\n", false, "a:3 b:2 a:3");
    check_file("a.smi", "CCO a\n\nCC(C b\n", false,
               "a.smi:3: 1 of 2 rows cannot be parsed as molecules: line 3, id \"b\": \"CC(C\": ");
    check_file("a.smi", "CCO,a\n", false, "a.smi:1: no molecules: 1 of 1 rows cannot be parsed");
    check_file("a.smi", "CCO a\n\tC\n", false, "a.smi:2: 1 of 2 rows cannot be parsed");
    check_file("a.smi", "CCO a\rCC b\r", false, "a:3 b:2");
    check_file("a.smi", "SMILES Name\n", false, "a.smi: no molecules");
    check_file("a.smi", "# nobody\n", false, "a.smi:1: no column \"smiles\"");
    check_file("a.smi", "", false, "a.smi: is empty");
}

static void test_header_is_missed(void **state)
{
    struct data_spec spec = {.format = &smiles_format, .id = "num"};
    struct dataset data, new;
    struct err err = {""};
    struct new_graphs n;

    (void)state;
    load_molecules(&data, "smiles,y\nCCO,1\nC1CC1N,2\n");
    assert_int_equal(
        new_graphs_open(&n, &data, &spec, scratch_text("a.smi", "molecule num\nCCO a\n"), &err), 0);
    assert_int_equal(new_graphs_next(&new, &n, 1, &err), -1);
    assert_non_null(strstr(
        err.text,
        "a.smi:1: 1 of 2 rows cannot be parsed as molecules: line 1, id \"num\": \"molecule\": "));
    assert_non_null(strstr(err.text, "; a header would have a column \"smiles\" (data.smiles)"));
    new_graphs_close(&n);
    dataset_release(&data);
}

/* ---- known graphs ---- */

static int32_t count(const struct dataset *data, const struct dataset *graphs)
{
    static const uint8_t parts[] = {PART_TEST, PART_TRAIN, PART_NONE};
    struct known_graphs k;
    uint8_t found[8];
    int32_t n;

    assert_true(data->n_samples <= 3 && graphs->n_samples <= 8);
    assert_int_equal(known_graphs_init(&k, data, parts, NULL), 0);
    n = known_graphs_find(found, &k, graphs, NULL);
    if (n == 3)
        assert_memory_equal(found, parts, sizeof parts);
    known_graphs_release(&k);
    return n;
}

static void test_known(void **state)
{
    struct dataset data, same, others;

    (void)state;
    load_molecules(&data, "smiles,y\nCCO,1\nCC(C)Cc1ccc(cc1)C(C)C(=O)O,2\nCCCCN,1\n");
    load_molecules(&same, "smiles,y\nOCC,1\nOC(=O)C(C)c1ccc(CC(C)C)cc1,2\nNCCCC,1\n");
    /* One atom more, a bond elsewhere, another element. */
    load_molecules(&others, "smiles,y\nOCCC,1\nOC(=O)CCc1ccc(CC(C)C)cc1,2\nOCCCC,1\nCCO.C,1\n");
    assert_int_equal(count(&data, &same), 3);
    assert_int_equal(count(&data, &others), 0);
    dataset_release(&data);
    dataset_release(&same);
    dataset_release(&others);
}

/* Ids are row numbers. A new graph that is row 1 by id, too, is the same sample; with another id it is
 * a copy of all three. */
static void test_same_sample(void **state)
{
    static const uint8_t parts[] = {PART_TEST, PART_TRAIN, PART_VAL};
    static const uint8_t wanted[] = {PART_TEST, PART_NONE, PART_NONE, PART_TRAIN};
    struct dataset data, new;
    struct known_graphs k;
    uint8_t found[4];

    (void)state;
    load_molecules(&data, "smiles,y\nCCO,1\nOCC,2\nC(C)O,1\n");
    load_molecules(&new, "smiles,y\nOCC,1\nCCN,2\nCCCO,1\nCCO,2\n");
    assert_int_equal(known_graphs_init(&k, &data, parts, NULL), 0);
    assert_int_equal(known_graphs_find(found, &k, &data, NULL), 3);
    assert_memory_equal(found, parts, sizeof parts);
    assert_int_equal(known_graphs_find(found, &k, &new, NULL), 2);
    assert_memory_equal(found, wanted, sizeof wanted);
    known_graphs_release(&k);
    dataset_release(&data);
    dataset_release(&new);
}

/* The same labels and number of edges, joined in another way. */
static void test_edges(void **state)
{
    struct dataset path, star;

    (void)state;
    load_tu(&path, tu_folder("path", "1, 2\n2, 3\n3, 4\n", "1\n1\n1\n1\n2\n", "1\n1\n1\n1\n2\n",
                             NULL, "1\n2\n"));
    load_tu(&star, tu_folder("star", "1, 2\n1, 3\n1, 4\n", "1\n1\n1\n1\n2\n", "1\n1\n1\n1\n2\n",
                             NULL, "1\n2\n"));
    assert_int_equal(count(&path, &path), 2);
    assert_int_equal(count(&path, &star), 1);
    dataset_release(&path);
    dataset_release(&star);
}

/* ---- one graph ---- */

static void test_one(void **state)
{
    const struct graph_spec spec = {.build = GRAPH_FILE};
    struct dataset d;
    struct csr all, one;

    (void)state;
    load_tu(&d, tu_folder("one", "2, 3\n1, 2\n4, 6\n5, 6\n", "1\n1\n1\n2\n2\n2\n3\n",
                          "1\n1\n2\n1\n1\n2\n1\n", NULL, "1\n2\n1\n"));
    assert_int_equal(graph_build(&all, &d, &spec, NULL), 0);
    for (int32_t g = 0; g < 3; g++) {
        int32_t first = (int32_t)d.graph_start[g];

        assert_int_equal(graph_one(&one, &d, g, NULL), 0);
        assert_int_equal(one.n_rows, d.graph_start[g + 1] - first);
        assert_int_equal(csr_nnz(&one), all.row_start[first + one.n_rows] - all.row_start[first]);
        for (int32_t i = 0; i < one.n_rows; i++)
            for (int64_t e = one.row_start[i]; e < one.row_start[i + 1]; e++)
                assert_int_equal(one.col[e] + first, all.col[all.row_start[first] + e]);
        csr_release(&one);
    }
    csr_release(&all);
    dataset_release(&d);
}

/* ---- refused ---- */

static void test_no_graphs(void **state)
{
    struct data_spec spec = {.format = &genotype_format};
    struct dataset data = {0};
    struct new_graphs n;
    struct err err;

    (void)state;
    assert_int_equal(new_graphs_open(&n, &data, &spec, "x", &err), -1);
    new_graphs_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),           cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_smiles_files),     cmocka_unit_test(test_bad_smiles_files),
        cmocka_unit_test(test_header_is_missed), cmocka_unit_test(test_known),
        cmocka_unit_test(test_same_sample),      cmocka_unit_test(test_edges),
        cmocka_unit_test(test_no_graphs),        cmocka_unit_test(test_one),
    };

    return cmocka_run_group_tests_name("new_graphs", tests, scratch_make, scratch_remove);
}
