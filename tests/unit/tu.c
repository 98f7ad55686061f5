/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <unistd.h>

#include "loading.h"
#include "unit.h"

/* Two graphs: a triangle 1 2 3 with labels 5, -2, 5 and an edge 4 5. */
#define EDGES "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n4, 5\n5, 4\n"
#define INDICATOR "1\n1\n1\n2\n2\n"
#define LABELS "5\n-2\n5\n5\n7\n"

/* NULL: no such file. */
struct files {
    const char *edges, *indicator, *graph_labels, *graph_attributes, *node_labels, *node_attributes;
};

static const struct files whole = {EDGES, INDICATOR, "1\n-1\n", NULL, LABELS, NULL};

static void put(const char *name, const char *text)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s", scratch_folder, name);
    unlink(path);
    if (text)
        scratch_text(name, text);
}

static struct data_spec spec_of(const struct files *f)
{
    put("T_A.txt", f->edges);
    put("T_graph_indicator.txt", f->indicator);
    put("T_graph_labels.txt", f->graph_labels);
    put("T_graph_attributes.txt", f->graph_attributes);
    put("T_node_labels.txt", f->node_labels);
    put("T_node_attributes.txt", f->node_attributes);
    return (struct data_spec){.format = &tu_format, .folder = scratch_folder};
}

static void refuse(const struct files *files, const char *wanted)
{
    struct data_spec spec = spec_of(files);

    refuse_spec(&spec, wanted);
}

/* ---- accepted ---- */

static void test_labels(void **state)
{
    static const float features[] = {0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1};
    struct data_spec spec = spec_of(&whole);
    struct data_report report;
    struct dataset_graph g;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 2);
    assert_int_equal(d.n_nodes, 5);
    assert_non_null(d.dosage);
    check_features(&d, features);
    assert_string_equal(dataset_feature_name(&d, 0), "label=-2");
    assert_string_equal(dataset_feature_name(&d, 2), "label=7");
    assert_int_equal(d.n_classes, 2);
    assert_string_equal(dataset_class_name(&d, 0), "-1");
    assert_int_equal(d.label[0], 1);
    assert_int_equal(d.n_edges, 4);
    g = dataset_graph(&d, 1);
    assert_int_equal(g.n_nodes, 2);
    assert_int_equal(g.n_edges, 1);
    assert_int_equal(g.source[0] - g.edge_base, 0);
    assert_string_equal(dataset_id(&d, 1), "2");
    assert_int_equal(report.n_duplicate_edges + report.n_self_loops, 0);
    assert_string_equal(noted(&report, "one way"), "");
    assert_false(*noted(&report, "not used"));
    dataset_release(&d);
}

/* Several columns of labels, attributes beside them, spaces, CRLF, empty lines at the end. */
static void test_attributes(void **state)
{
    static const float features[] = {1, 0, 1, 0, 0.5f, -1, 1, 0, 1, 0, 1.5f, 0, 0, 1, 1,
                                     0, 2, 1, 1, 0,    0,  1, 3, 2, 1, 0,    1, 0, 4, 1e-3f};
    struct files files = whole;
    struct data_spec spec;
    struct data_report report;
    struct dataset d;

    (void)state;
    files.node_labels = "0, 3\r\n0, 3\r\n1, 3\r\n0, 4\r\n0, 3\r\n\r\n";
    files.node_attributes = "0.5,-1\n 1.5 , 0\n2,\t1\n3,2\n4,1e-3\n\n\n";
    spec = spec_of(&files);
    load(&d, &report, &spec);
    assert_null(d.dosage);
    check_features(&d, features);
    assert_string_equal(dataset_feature_name(&d, 3), "label2=4");
    assert_string_equal(dataset_feature_name(&d, 5), "attribute2");
    dataset_release(&d);
}

static void test_degrees(void **state)
{
    static const float features[] = {2, 2, 2, 1, 1};
    struct files files = whole;
    struct data_spec spec;
    struct data_report report;
    struct dataset d;

    (void)state;
    files.node_labels = NULL;
    spec = spec_of(&files);
    load(&d, &report, &spec);
    check_features(&d, features);
    assert_string_equal(dataset_feature_name(&d, 0), "degree");
    dataset_release(&d);
    files.edges = "";
    spec = spec_of(&files);
    load(&d, &report, &spec);
    assert_non_null(
        strstr(noted(&report, "no edges"), "T_A.txt: no edges: none of the 2 graphs (5 nodes)"));
    dataset_release(&d);
}

static void test_regression(void **state)
{
    struct files files = whole;
    struct data_spec spec;
    struct data_report report;
    struct dataset d;

    (void)state;
    files.graph_attributes = "0.5, 7\n-1.25, NA\n";
    spec = spec_of(&files);
    spec.task = DATA_TASK_REGRESSION;
    refuse_spec(&spec, "T_graph_attributes.txt: 2 columns: data.trait must be the number of one, "
                       "from 1");
    spec.trait = "1";
    load(&d, &report, &spec);
    assert_int_equal(d.task, TASK_REGRESSION);
    assert_true(d.target[1] == -1.25f);
    dataset_release(&d);
    spec.trait = "3";
    refuse_spec(&spec, "data.trait = 3: must be the number of a column of T_graph_attributes.txt, "
                       "from 1 to 2");
    /* Without a task, labels take precedence; without labels, attributes. */
    spec.trait = NULL;
    spec.task = DATA_TASK_AUTO;
    load(&d, &report, &spec);
    assert_int_equal(d.task, TASK_CLASSIFICATION);
    assert_non_null(
        strstr(noted(&report, "not used"), "T_graph_attributes.txt: task = regression"));
    dataset_release(&d);
    files.graph_labels = NULL;
    files.graph_attributes = "4.0\n5\n"; /* whole numbers, too */
    spec = spec_of(&files);
    load(&d, &report, &spec);
    assert_int_equal(d.task, TASK_REGRESSION);
    assert_string_equal(noted(&report, "empty"), "");
    dataset_release(&d);
    files.edges = "1, 2\n2, 1\n";
    files.indicator = "1\n1\n1\n2\n3\n";
    files.graph_attributes = "4\nNaN\n5\n";
    spec = spec_of(&files);
    load(&d, &report, &spec);
    assert_int_equal(noted_number(&report, "empty", "of 3 graphs have no value"), 1);
    dataset_release(&d);
}

/* Edges in one direction, duplicate edges, and loops. */
static void test_untidy_edges(void **state)
{
    struct files files = whole;
    struct data_spec spec;
    struct data_report report;
    struct dataset d;

    (void)state;
    files.edges = "3,2\n2,3\n1,2\n3,2\n4,4\n";
    put("T_edge_labels.txt", "0\n0\n0\n0\n0\n");
    spec = spec_of(&files);
    load(&d, &report, &spec);
    put("T_edge_labels.txt", NULL);
    assert_int_equal(d.n_edges, 2);
    assert_int_equal(noted_number(&report, "one way", " edge"), 1);
    assert_int_equal(report.n_duplicate_edges, 1);
    assert_int_equal(report.n_self_loops, 1);
    assert_true(*noted(&report, "not used"));
    dataset_release(&d);
}

static void test_parts(void **state)
{
    struct data_spec spec = spec_of(&whole);
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.split = scratch_text("split.csv", "graph,part\n2,test\n");
    load(&d, &report, &spec);
    assert_int_equal(d.part[0], PART_NONE);
    assert_int_equal(d.part[1], PART_TEST);
    dataset_release(&d);
}

/* ---- refused ---- */

static void test_bad_folder(void **state)
{
    struct data_spec spec = spec_of(&(struct files){NULL, NULL, NULL, NULL, NULL, NULL});

    (void)state;
    spec.folder = "/nowhere/at/all";
    refuse_spec(&spec, "/nowhere/at/all: cannot open the folder: No such file or directory");
    spec.folder = "";
    refuse_spec(&spec, "data.folder is not set: data.format = tu needs it");
}

/* whole with another text of one file; NULL: no such file. */
static void test_faults(void **state)
{
#define AT(member) offsetof(struct files, member)
    static const struct {
        size_t at;
        const char *text, *wanted;
    } faults[] = {
        {AT(graph_labels), NULL,
         "T_graph_indicator.txt: needs T_graph_labels.txt or T_graph_attributes.txt"},
        {AT(edges), NULL, "T_A.txt: cannot open: No such file or directory"},
        {AT(graph_labels), "", "T_graph_labels.txt: is empty: must have a row for each graph"},
        {AT(indicator), "1\n1\n2\n1\n2\n",
         "T_graph_indicator.txt:4: graph 1 after graph 2: nodes must be in the order of "
         "graphs"},
        {AT(indicator), "1\n1\n1\n2\n3\n",
         "T_graph_indicator.txt:5: graph 3 has no row in T_graph_labels.txt, which has 2"},
        {AT(indicator), "0\n1\n1\n2\n2\n",
         "T_graph_indicator.txt:1: graph 0: must be in [1, 2147483647]"},
        {AT(indicator), "1\n1\n1\n1\n1\n",
         "T_graph_indicator.txt: ends with graph 1: T_graph_labels.txt has 2 graphs"},
        {AT(indicator), "2\n2\n2\n2\n2\n",
         "T_graph_indicator.txt:1: graph 2 after graph 0: graph 1 has no nodes"},
        {AT(indicator), "1\n1\nx\n2\n2\n",
         "T_graph_indicator.txt:3: graph \"x\": must be a whole number"},
        {AT(indicator), "1\n1\n\n2\n2\n",
         "T_graph_indicator.txt:3: an empty line before the last row: rows are "
         "identified by their line number"},
        {AT(indicator), "1\n1\n1, 2\n2\n2\n",
         "T_graph_indicator.txt:3: 2 cells: the first line has 1"},
        {AT(indicator), "",
         "T_graph_indicator.txt: ends with graph 0: T_graph_labels.txt has 2 graphs"},
        {AT(edges), "1, 2\n3, 4\n",
         "T_A.txt:2: edge 3, 4 joins graphs 1 and 2: both nodes must be in one graph"},
        {AT(edges), "1, 2\n1, 6\n", "T_A.txt:2: node 6: must be in [1, 5]"},
        {AT(edges), "0, 1\n", "T_A.txt:1: node 0: must be in [1, 5]"},
        {AT(edges), "1, 2\n1, \n", "T_A.txt:2: node \"\": must be a whole number"},
        {AT(edges), "1 2\n", "T_A.txt:1: 1 cell: an edge has two (from, to)"},
        {AT(edges), "1, 2, 3\n", "T_A.txt:1: 3 cells: an edge has two (from, to)"},
        {AT(edges), "1, 99999999999999999999\n",
         "T_A.txt:1: node \"99999999999999999999\": must be a whole number"},
        {AT(node_labels), "1\n2\n3\n4\n",
         "T_node_labels.txt: 4 rows: T_graph_indicator.txt has 5 nodes"},
        {AT(node_labels), "1\n2\n3\n4\n5\n6\n",
         "T_node_labels.txt:6: one row more than the 5 nodes of T_graph_indicator.txt"},
        {AT(node_labels), "1\n2\n0.5\n4\n5\n",
         "T_node_labels.txt:3: label \"0.5\": must be a whole number"},
        {AT(node_labels), "1\n2\n9999999999\n4\n5\n",
         "T_node_labels.txt:3: label 9999999999: must be in [-2147483648, 2147483647]"},
        {AT(node_attributes), "1\nnan\n3\n4\n5\n",
         "T_node_attributes.txt:2: attribute \"nan\": must be a number"},
        {AT(node_attributes), "1\n2\n",
         "T_node_attributes.txt: 2 rows: T_graph_indicator.txt has 5 nodes"},
        {AT(graph_labels), "1\n1\n",
         "T_graph_labels.txt: column \"graph label\": every value is \"1\", there is "
         "nothing to predict"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct files files = whole;
        struct data_spec spec;

        *(const char **)((char *)&files + faults[i].at) = faults[i].text;
        spec = spec_of(&files);
        refuse_spec(&spec, faults[i].wanted);
    }
}

static void test_two_sets(void **state)
{
    struct data_spec spec = spec_of(&whole);
    struct data_report report;
    struct dataset d;
    struct err err = {""};

    (void)state;
    put("U_graph_indicator.txt", "1\n");
    assert_int_equal(data_load(&d, &spec, &report, &err), -1);
    put("U_graph_indicator.txt", NULL);
    assert_non_null(strstr(err.text, "U_graph_indicator.txt"));
    assert_non_null(strstr(err.text, "T_graph_indicator.txt"));
    assert_non_null(strstr(err.text, ": must be one data set"));
}

/* Too many distinct values to be labels. */
static void test_measured_labels(void **state)
{
    enum { N = 10001 };
    char *indicator = calloc(N + 1, 2), *labels = calloc(N + 1, 8);
    struct files files = {"1, 2\n", indicator, "0\n1\n", NULL, labels, NULL};
    char *to = labels;

    (void)state;
    for (int i = 0; i < N; i++) {
        memcpy(indicator + (size_t)2 * (size_t)i, i < N - 1 ? "1\n" : "2\n", 2);
        to += sprintf(to, "%d\n", i);
    }
    refuse(&files, "T_node_labels.txt: more than 10000 different node labels, each of which "
                   "becomes a feature: put measured numbers in the file of node attributes");
    free(indicator);
    free(labels);
}

/* ---- real data ---- */

static const char *real_folder(const char *name)
{
    static char path[512];
    const char *data = getenv("ESPALIER_DATA");

    if (!data) {
        print_message("ESPALIER_DATA is not set\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/tu/%s", data, name);
    return path;
}

static int32_t count_label(const struct dataset *d, const char *name)
{
    int32_t n = 0;

    for (int32_t i = 0; i < d->n_samples; i++)
        n += d->label[i] >= 0 && strcmp(dataset_class_name(d, d->label[i]), name) == 0;
    return n;
}

static int32_t largest_graph(const struct dataset *d)
{
    int32_t most = 0;

    for (int32_t i = 0; i < d->n_samples; i++) {
        int32_t n = dataset_graph(d, i).n_nodes;

        most = n > most ? n : most;
    }
    return most;
}

/* Published counts: TUDataset, Morris et al. 2020. */
static void test_real(void **state)
{
    static const struct {
        const char *name;
        int32_t n_samples, n_nodes, n_edges, n_features, largest;
        const char *class_names[2];
        int32_t of_class[2];
    } sets[] = {{"MUTAG", 188, 3371, 7442 / 2, 7, 28, {"1", "-1"}, {125, 63}},
                {"PROTEINS", 1113, 43471, 162088 / 2, 4, 620, {"1", "2"}, {663, 450}}};

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct data_spec spec = {.format = &tu_format, .folder = real_folder(sets[k].name)};
        struct data_report report;
        struct dataset d;

        load(&d, &report, &spec);
        assert_int_equal(d.n_samples, sets[k].n_samples);
        assert_int_equal(d.n_nodes, sets[k].n_nodes);
        assert_int_equal(d.n_edges, sets[k].n_edges);
        assert_int_equal(d.n_features, sets[k].n_features);
        assert_int_equal(largest_graph(&d), sets[k].largest);
        for (int c = 0; c < 2; c++)
            assert_int_equal(count_label(&d, sets[k].class_names[c]), sets[k].of_class[c]);
        assert_int_equal(report.n_duplicate_edges + report.n_self_loops, 0);
        assert_string_equal(noted(&report, "one way"), "");
        dataset_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),       cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_degrees),      cmocka_unit_test(test_regression),
        cmocka_unit_test(test_untidy_edges), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_bad_folder),   cmocka_unit_test(test_faults),
        cmocka_unit_test(test_two_sets),     cmocka_unit_test(test_measured_labels),
        cmocka_unit_test(test_real),
    };

    return cmocka_run_group_tests_name("tu", tests, scratch_make, scratch_remove);
}
