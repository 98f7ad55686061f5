/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "loading.h"
#include "unit.h"

#define GENO "id,m1,m2\nx,0,2\ny,2,0\nz,0,1\nw,0,0\n"

static struct data_spec spec_of(const char *phenotypes)
{
    return (struct data_spec){.format = &genotype_format,
                              .trait = "ft",
                              .genotypes = scratch_text("geno.csv", GENO),
                              .phenotypes = scratch_text("pheno.csv", phenotypes)};
}

/* ---- missing values ---- */

static void test_missing(void **state)
{
    struct data_spec spec = spec_of("id\tft\r\nx\t-9.0\r\n\"y\"\t\"5\"\r\nz\tunknown\r\nw\t7\r\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.missing = " -9, unknown";
    load(&d, &report, &spec);
    assert_true(isnan(d.target[0]) && isnan(d.target[2]));
    assert_true(d.target[1] == 5 && d.target[3] == 7);
    assert_int_equal(report.n_valued, 2);
    assert_string_equal(noted(&report, "suspect"), "");
    dataset_release(&d);
    spec.missing = "-9";
    refuse_spec(&spec,
                "pheno.csv:4: column \"ft\" = \"unknown\": a word among numbers: correct it, name "
                "it in data.missing if it stands for a missing value, or set task = "
                "classification to make every value a class");
    spec.missing = "-9,,x";
    refuse_spec(&spec, "data.missing: a name is empty");
    spec.missing = "x, -9, x";
    refuse_spec(&spec, "data.missing: \"x\" occurs twice");
}

/* found: "" for no note. */
static void check_suspect(const char *cells, const char *found)
{
    struct data_spec spec;
    struct data_report report;
    struct dataset d;
    const char *note;
    char text[200];

    snprintf(text, sizeof text, "id,ft\n%s", cells);
    spec = spec_of(text);
    load(&d, &report, &spec);
    note = noted(&report, "suspect");
    assert_ptr_equal(strstr(note, found), note);
    assert_int_equal(*found != 0, *note != 0);
    dataset_release(&d);
}

/* -9 is a number unless declared missing. If no other value is negative, a note asks for a look. */
static void test_suspect(void **state)
{
    (void)state;
    check_suspect("x,-9\ny,5\nz,-9\nw,7\n", "column \"ft\" is -9 in 2 samples and");
    check_suspect("x,-999\ny,0\nz,3\n", "column \"ft\" is -999 in 1 sample and");
    check_suspect("x,-9\ny,-3\nz,4\nw,7\n", "");
    check_suspect("x,-9\ny,-11\nz,4\nw,7\n", "");
    check_suspect("x,-8\ny,1\nz,4\nw,7\n", "");
}

/* ---- as spreadsheets and PLINK write them ---- */

static void check_target(const struct data_spec *spec, const float *wanted)
{
    struct data_report report;
    struct dataset d;

    load(&d, &report, spec);
    assert_int_equal(d.n_classes, 0);
    for (int32_t i = 0; i < 4; i++)
        assert_true(isnan(wanted[i]) ? isnan(d.target[i]) : d.target[i] == wanted[i]);
    dataset_release(&d);
}

static void test_decimal_comma(void **state)
{
    struct data_spec spec = spec_of("id;ft;c\nx;1,5;1,25\ny;-20;\nz;3,25E1;1\nw;NA;2,5\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    check_target(&spec, (const float[]){1.5f, -20, 32.5f, NAN});
    spec.fixed = "c";
    load(&d, &report, &spec);
    assert_int_equal(d.n_fixed, 1);
    assert_true(d.fixed[0] == 1.25 && d.fixed[3] == 2.5);
    dataset_release(&d);
    /* With semicolons as separators, a comma before three digits is a decimal comma. */
    spec = spec_of("id;ft\nx;1,500\ny;2,500\n");
    check_target(&spec, (const float[]){1.5f, 2.5f, NAN, NAN});
    spec = spec_of("id\tft\nx\t1,500\ny\t2,25\n");
    check_target(&spec, (const float[]){1.5f, 2.25f, NAN, NAN});
    spec = spec_of("id\tft\nx\t1,500\ny\t2,250\nz\t7\n");
    refuse_spec(&spec, "pheno.csv:2: column \"ft\" = \"1,500\": the comma may separate thousands "
                       "or be a decimal comma: write a decimal point and no thousands separator");
}

/* A word among decimal commas is reported as that word. */
static void test_words(void **state)
{
    struct data_spec spec = spec_of("id;ft\nx;1,1\ny;-0,04\nz;n.d.\nw;2\n");

    (void)state;
    refuse_spec(&spec,
                "pheno.csv:4: column \"ft\" = \"n.d.\": a word among numbers: correct it, name it "
                "in data.missing if it stands for a missing value, or set task = "
                "classification to make every value a class");
    spec.missing = "N.D.";
    check_target(&spec, (const float[]){1.1f, -0.04f, NAN, 2});
    spec = spec_of("id;ft\nx;1\ny;null\nz;n.d.\nw;null\n");
    refuse_spec(
        &spec,
        "pheno.csv:3: column \"ft\" = \"null\": a word among numbers: correct it, name it in "
        "data.missing if it stands for a missing value, or set task = classification to "
        "make every value a class; 3 such cells: \"null\", \"n.d.\", \"null\"");
}

/* rows: lines 3 to 5. wanted: the message of line 3, or NULL if the rows are accepted. */
static void check_bounds(const char *rows, enum data_task task, const char *wanted)
{
    struct data_report report;
    struct dataset d;
    char table[200], message[400];
    struct data_spec spec;

    snprintf(table, sizeof table, "id;ft;other\nw;2;>7\n%s", rows);
    spec = spec_of(table);
    spec.trait = "ft";
    spec.task = task;
    snprintf(message, sizeof message, "pheno.csv:3: column \"ft\" = %s", wanted ? wanted : "");
    if (wanted) {
        refuse_spec(&spec, message);
        return;
    }
    load(&d, &report, &spec);
    dataset_release(&d);
}

/* Bounds and estimates among numbers are counted. Columns that are not the trait do not count. */
static void test_bounds(void **state)
{
    static const char of_2[] =
        "2 of 4 values are bounds or estimates: to leave them out would bias the data, because "
        "bounds are the extreme ones; write them as numbers, or make classes at a threshold";
    static const char *const pairs[][2] = {
        {">=1,5", "< 2,5"}, {">10000", "<0.5"}, {"> 10", "~3"},  {">10 nM", "~ 3,5 uM"},
        {"≥ 5", "≈1e3"},    {"=<5", "<=.5"},    {">>100", "<-3"}};
    char rows[100], wanted[400];
    struct data_spec spec;

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (enum data_task task = DATA_TASK_AUTO; task <= DATA_TASK_REGRESSION; task++) {
            snprintf(rows, sizeof rows, "x;%s;1\ny;%s;1\nz;7;n.d.\n", pairs[i][0], pairs[i][1]);
            snprintf(wanted, sizeof wanted, "\"%s\": %s", pairs[i][0], of_2);
            check_bounds(rows, task, wanted);
        }
    /* Also behind a word, which data.missing may name, unlike bounds. */
    spec = spec_of("id;ft\nx;n.d.\ny;>5\nz;7\nw;~8\n");
    snprintf(wanted, sizeof wanted, "pheno.csv:3: column \"ft\" = \">5\": %s", of_2);
    refuse_spec(&spec, wanted);
    check_bounds("x;1;>5\ny;3;<2\nz;7;~1\n", DATA_TASK_AUTO, NULL);
    check_bounds("x;>1;1\ny;>1;1\nz;2;1\n", DATA_TASK_CLASSIFICATION, NULL);
}

/* 1.066 beside 979 means 1066. Values that may be measurements are accepted. */
static void test_thousands(void **state)
{
    struct data_spec spec = spec_of("id,ft\nx,979\ny,1.066\nz,NA\nw,1.012.500\n");

    (void)state;
    refuse_spec(&spec,
                "pheno.csv:3: column \"ft\" = \"1.066\": the point likely separates thousands, "
                "because other rows have whole numbers of three digits: remove the point");
    spec = spec_of("id;ft\nx;979\ny;1.066\n");
    refuse_spec(&spec,
                "pheno.csv:3: column \"ft\" = \"1.066\": the point likely separates thousands, "
                "because other rows have whole numbers of three digits: remove the point");
    spec = spec_of("id,ft\nx,79\ny,1.066\nz,2.125\n");
    check_target(&spec, (const float[]){79, 1.066f, 2.125f, NAN});
    spec = spec_of("id,ft\nx,979\ny,1.06\nz,1.125\n");
    check_target(&spec, (const float[]){979, 1.06f, 1.125f, NAN});
    spec = spec_of("id,ft\nx,979\ny,10.066\n");
    check_target(&spec, (const float[]){979, 10.066f, NAN, NAN});
    spec = spec_of("id,ft\nx,1.066\ny,2.125\n");
    check_target(&spec, (const float[]){1.066f, 2.125f, NAN, NAN});
}

static void test_other_commas(void **state)
{
    static const char why[] = ": a comma in a number: write a decimal point and no thousands "
                              "separator; decimal commas are accepted if semicolons or tabs "
                              "separate the columns and no number of the column has a point";
    struct data_spec spec = spec_of("id,ft\nx,\"1,5\"\ny,\"2,5\"\n");
    char wanted[400];

    (void)state;
    snprintf(wanted, sizeof wanted, "pheno.csv:2: column \"ft\" = \"1,5\"%s", why);
    refuse_spec(&spec, wanted);
    spec = spec_of("id;ft\nx;1.5\ny;2,5\n");
    snprintf(wanted, sizeof wanted, "pheno.csv:3: column \"ft\" = \"2,5\"%s", why);
    refuse_spec(&spec, wanted);
    spec = spec_of("id,ft\nx,1\ny,2\n");
    scratch_text("geno.csv", "id;m1\nx;0,5\ny;1,234\n");
    refuse_spec(&spec, "geno.csv:3: column \"m1\" = \"1,234\": must be a number with a decimal "
                       "point, or empty or NA where missing");
}

static void test_id_column(void **state)
{
    static const float wanted[] = {5, 6, NAN, 7};
    struct data_spec spec = spec_of("FID IID ft\nf x 5\nf y 6\nx w 7\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    check_target(&spec, wanted);
    spec.trait = NULL;
    check_target(&spec, wanted);
    spec.split = scratch_text("split.txt", "FID IID side\nf x train\nf y val\nx w test\n");
    load(&d, &report, &spec);
    assert_int_equal(d.part[1], PART_VAL);
    dataset_release(&d);
    spec = spec_of("#FID\tIID\tft\nf\tx\t5\nf\ty\t6\nx\tw\t7\n");
    check_target(&spec, wanted);
    spec = spec_of("plot,line,ft\n1,x,5\n2,y,6\n3,w,7\n");
    spec.id = "line";
    check_target(&spec, wanted);
    spec.fixed = "plot";
    load(&d, &report, &spec);
    assert_int_equal(d.n_fixed, 1);
    dataset_release(&d);
    spec.id = "LINE";
    check_target(&spec, wanted);
    spec.id = "lien";
    refuse_spec(&spec, "pheno.csv:1: no column \"lien\" (data.id): must be one of \"plot\", "
                       "\"line\", \"ft\"; did you mean \"line\"?");
    spec.id = "line_of_2024";
    refuse_spec(&spec, "pheno.csv:1: no column \"line_of_2024\" (data.id): must be one of "
                       "\"plot\", \"line\", \"ft\"; did you mean \"line\"?");
    spec.trait = NULL;
    spec.id = NULL;
    scratch_text("pheno.csv", "o 5 6\ny 6 6\n");
    refuse_spec(&spec,
                "pheno.csv:1: several traits: set data.trait to one of \"5\", \"6\"; is this "
                "line a sample? A header must come first, such as FID IID TRAIT");
    scratch_text("pheno.csv", "o,82\ny,6\nz,7\n");
    refuse_spec(&spec, "pheno.csv:1: the only trait is \"82\"; is this line a sample? A header "
                       "must come first, such as FID IID TRAIT (or set data.trait to it)");
    spec = spec_of("FID IID\nf x\n");
    spec.trait = NULL;
    refuse_spec(&spec, "pheno.csv:1: two columns, FID and IID: must be an id and at least one "
                       "trait");
}

/* GCTA, PLINK --pheno and two columns. A sample must not become the header: its id or a value shows
 * it, also where the trait is set. */
static void test_no_header(void **state)
{
    static const struct {
        const char *text, *found;
    } cases[] = {
        {"f x 0 0 1 5\nf y 0 0 1 6\n", "\"x\" is the id of a sample: the first line must be a "
                                       "header that names the columns: put a line \"FID IID trait1 "
                                       "trait2 trait3\" and so on before it"},
        {"x NA\ny 6\nz 7\n", "\"x\" is the id of a sample: the first line must be a header that "
                             "names the columns: put a line \"id trait\" before it"},
        {"o,82.5\ny,6\nz,7\n", "\"82.5\" is a value: the first line must be a header that names "
                               "the columns: put a line \"id,trait\" before it"},
        {"o o -9\nx x 6\nz z 7\n", "\"-9\" is a value: the first line must be a header that names "
                                   "the columns: put a line \"FID IID trait\" before it"},
    };
    char wanted[300];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct data_spec spec = spec_of(cases[i].text);

        spec.trait = i == 1 ? "NA" : NULL;
        snprintf(wanted, sizeof wanted, "pheno.csv:1: %s", cases[i].found);
        refuse_spec(&spec, wanted);
    }
}

/* ---- covariates ---- */

#define TABLE                                                                             \
    "id,ft,lat,country,year,same,mixed,each\n"                                            \
    "x,1,10,SWE,2019,1,1,a\nq,9,99,YYY,1,2,2,b\ny,2,20,CZE,2020,1,b,b\nz,3,,SWE,,1,3,c\n" \
    "w,NA,30,,2019,1,4,\n"

static void test_fixed(void **state)
{
    static const double wanted[4][3] = {{10, 0, 1}, {20, 1, 0}, {20, 0, 1}, {30, 0, 0}};
    struct data_spec spec = spec_of(TABLE);
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.fixed = "lat, country";
    load(&d, &report, &spec);
    assert_int_equal(d.n_features, 2);
    assert_int_equal(d.n_fixed, 3);
    assert_int_equal(noted_number(&report, "effects", " missing cells"), 2);
    assert_non_null(d.dosage);
    assert_string_equal(dataset_fixed_name(&d, 0), "lat");
    assert_string_equal(dataset_fixed_name(&d, 1), "country=CZE");
    assert_string_equal(dataset_fixed_name(&d, 2), "country=SWE");
    assert_int_equal(d.fixed_factor[0], -1);
    assert_int_equal(d.fixed_factor[1], 0);
    assert_int_equal(d.fixed_factor[2], 0);
    for (int32_t i = 0; i < 4; i++)
        assert_memory_equal(dataset_fixed(&d, i), wanted[i], sizeof wanted[i]);
    dataset_release(&d);
}

/* Numbers that are used as names. */
static void test_factor(void **state)
{
    struct data_spec spec = spec_of(TABLE);
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.fixed = "factor(year)";
    load(&d, &report, &spec);
    assert_int_equal(d.n_fixed, 2);
    assert_string_equal(dataset_fixed_name(&d, 1), "year=2020");
    dataset_release(&d);
    spec.fixed = "year";
    load(&d, &report, &spec);
    assert_int_equal(d.n_fixed, 1);
    assert_true(fabs(d.fixed[2] - 6058.0 / 3) < 1e-9);
    dataset_release(&d);
}

static void refuse_fixed(const char *list, const char *wanted)
{
    struct data_spec spec = spec_of(TABLE);

    spec.fixed = list;
    refuse_spec(&spec, wanted);
}

static void test_quoted_names(void **state)
{
    struct data_spec spec = spec_of("id;ft;\"a, b\";\"c \"\"d\"\"\";e\"f(g)\n"
                                    "x;1;3;4;5\ny;2;5;5;6\nz;3;3;4;5\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.fixed = "\"c \"\"d\"\"\" , factor(\"a, b\"),e\"f(g)";
    load(&d, &report, &spec);
    assert_string_equal(dataset_fixed_name(&d, 0), "c \"d\"");
    assert_string_equal(dataset_fixed_name(&d, 1), "a, b=3");
    assert_string_equal(dataset_fixed_name(&d, 3), "e\"f(g)");
    dataset_release(&d);
    spec.fixed = "ft2, \"a, b";
    refuse_spec(&spec, "data.fixed: \"a, b: a quote is not closed");
    spec.fixed = "\"\"";
    refuse_spec(&spec, "data.fixed: a name is empty");
}

static void test_fixed_errors(void **state)
{
    struct data_spec spec;

    (void)state;
    refuse_fixed("lat, alt",
                 "pheno.csv:1: no column \"alt\": each of data.fixed must be one of "
                 "\"ft\", \"lat\", \"country\", \"year\", \"same\", \"mixed\", \"each\"; "
                 "did you mean \"lat\"?");
    refuse_fixed("ft", "pheno.csv:1: data.fixed: \"ft\" is the trait itself");
    refuse_fixed("lat, lat", "data.fixed: \"lat\" occurs twice");
    refuse_fixed("same", "pheno.csv: data.fixed: column \"same\": every value is 1; it "
                         "does not distinguish samples");
    refuse_fixed("each", "pheno.csv: data.fixed: column \"each\": no two samples share "
                         "one of its 3 words, so a model cannot learn from them");
    refuse_fixed("mixed", "pheno.csv:4: data.fixed: column \"mixed\" = \"b\": a word among "
                          "numbers: correct it, name it in data.missing if it stands for a "
                          "missing value, or write factor(COLUMN) to make every value a word");
    spec = spec_of("id,ft,c\nx,1,\x8e\ny,2,b\nz,3,b\n");
    spec.fixed = "c";
    refuse_spec(&spec, "pheno.csv:2: data.fixed: column \"c\" = \"?\": is not UTF-8: save the "
                       "table as UTF-8 (iconv -f CHARSET -t UTF-8)");
}

/* ---- groups ---- */

static void test_group(void **state)
{
    static const int32_t group[] = {1, 0, 1, -1};
    static const int32_t years[] = {0, 1, 1, 0};
    struct data_spec spec = spec_of(TABLE);
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.group = "country";
    load(&d, &report, &spec);
    assert_int_equal(d.n_groups, 2);
    assert_memory_equal(d.group, group, sizeof group);
    assert_string_equal(dataset_group_name(&d, 0), "CZE");
    assert_null(d.part);
    dataset_release(&d);
    spec.group = "year";
    refuse_spec(&spec, "pheno.csv: 1 sample with a value to predict but without a group in column "
                       "\"year\": \"z\": split.group requires one: write a word that they share, "
                       "or one for each");
    spec.split = scratch_text("split.csv", "id,year\nw,10\nx,10\ny,200\nz,200\n");
    load(&d, &report, &spec);
    assert_memory_equal(d.group, years, sizeof years);
    assert_string_equal(dataset_group_name(&d, 1), "200"); /* in numeric order */
    assert_null(d.part);
    dataset_release(&d);
}

static void test_group_with_parts(void **state)
{
    static const uint8_t part[] = {PART_TRAIN, PART_TEST, PART_VAL, PART_NONE};
    struct data_spec spec = spec_of(TABLE);
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.group = "family";
    spec.split =
        scratch_text("split.csv", "id,family,note,part\nx,a,1,train\ny,b,,test\nz,a,,val\n");
    load(&d, &report, &spec);
    assert_memory_equal(d.part, part, sizeof part);
    assert_int_equal(d.n_groups, 2);
    assert_int_equal(d.group[3], -1);
    dataset_release(&d);
    spec.group = "country"; /* parts from the split file */
    load(&d, &report, &spec);
    assert_memory_equal(d.part, part, sizeof part);
    assert_string_equal(dataset_group_name(&d, 0), "CZE");
    dataset_release(&d);
}

static void test_part(void **state)
{
    static const uint8_t part[] = {PART_TRAIN, PART_VAL, PART_TEST, PART_NONE};
    struct data_spec spec = spec_of("id,ft,set\nw,1,NA\nx,2,Training\ny,3, VALID \nz,4,test\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.trait = "ft", spec.part = "set";
    load(&d, &report, &spec);
    assert_memory_equal(d.part, part, sizeof part);
    assert_non_null(strstr(report.note[0].text, "pheno.csv: column \"set\" is empty for 1 sample "
                                                "with a value, left out of all parts: \"w\""));
    dataset_release(&d);
    spec.part = "Sets";
    refuse_spec(
        &spec,
        "pheno.csv:1: no column \"Sets\" (split.part): must be one of \"id\", \"ft\", \"set\"; did "
        "you mean \"set\"?");
    spec.part = "ft";
    refuse_spec(
        &spec, "pheno.csv:1: split.part: column \"ft\" is the trait and cannot divide the samples");
    spec = spec_of("id,ft,set\nw,1,1\nx,2,b\ny,3,train\nz,4,c\n");
    spec.trait = "ft", spec.part = "set";
    refuse_spec(&spec,
                "pheno.csv: column \"set\" has 3 cells other than parts: \"b\" on line 3, \"c\" on "
                "line 5, \"1\" "
                "on line 2: must be train, val (valid, validation, dev), test, stop or none");
}

static void test_group_errors(void **state)
{
    struct data_spec spec = spec_of("id,ft,fam\nx,1,a\ny,2,a\n");

    (void)state;
    spec.group = "family";
    refuse_spec(&spec,
                "pheno.csv:1: no column \"family\" (split.group): must be one of \"id\", \"ft\", "
                "\"fam\"; did you mean \"fam\"?");
    spec.split = scratch_text("split.csv", "id,part\nx,train\n");
    refuse_spec(&spec, "split.csv: no column \"family\" (split.group)");
    scratch_text("split.csv", "id,side,note\nx,train,1\n");
    refuse_spec(&spec, "split.csv:1: no column \"part\" and none \"family\" (split.group): a split "
                       "file needs at least one of them");
    scratch_text("split.csv", "id,family,family\nx,a,b\n");
    refuse_spec(&spec, "split.csv:1: 2 columns are named \"family\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_suspect),
        cmocka_unit_test(test_decimal_comma),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_thousands),
        cmocka_unit_test(test_other_commas),
        cmocka_unit_test(test_id_column),
        cmocka_unit_test(test_no_header),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_quoted_names),
        cmocka_unit_test(test_fixed_errors),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_group_with_parts),
        cmocka_unit_test(test_group_errors),
        cmocka_unit_test(test_part),
    };

    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
