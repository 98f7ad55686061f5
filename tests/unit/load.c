/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/buf.h"
#include "loading.h"
#include "unit.h"

#define GENO "id,m1,m2,m3,m4\nx,0,2,0,0\ny,2,,0,NA\nz,0,1,0,2\nw,0,0,0,2\n"
#define PHENO "id,ft\nz,3\nx,1\nq,9\ny,NA\nr,NA\n"

static struct data_spec genotype_spec(const char *genotypes, const char *phenotypes)
{
    return (struct data_spec){.format = &genotype_format,
                              .genotypes = scratch_text("geno.csv", genotypes),
                              .phenotypes = scratch_text("pheno.csv", phenotypes)};
}

static struct data_spec graph_spec(const char *labels, const char *features, const char *edges)
{
    struct data_spec spec = {.format = &graph_format,
                             .labels = scratch_text("labels.csv", labels),
                             .features = scratch_text("features.csv", features)};

    if (edges)
        spec.edges = scratch_text("edges.csv", edges);
    return spec;
}

static void refuse_genotype(const char *genotypes, const char *phenotypes, const char *wanted)
{
    struct data_spec spec = genotype_spec(genotypes, phenotypes);

    refuse_spec(&spec, wanted);
}

static void refuse_graph(const char *labels, const char *features, const char *edges,
                         const char *wanted)
{
    struct data_spec spec = graph_spec(labels, features, edges);

    refuse_spec(&spec, wanted);
}

/* ---- genotypes ---- */

static void test_genotype(void **state)
{
    static const float features[] = {0, 2, 0, 2, 1, 4.0f / 3, 0, 1, 2, 0, 0, 2};
    struct data_spec spec = genotype_spec(GENO, PHENO);
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 4);
    assert_int_equal(d.n_features, 3);
    assert_non_null(d.dosage);
    check_features(&d, features);
    assert_string_equal(dataset_id(&d, 3), "w");
    assert_string_equal(dataset_feature_name(&d, 2), "m4");
    assert_int_equal(d.task, TASK_REGRESSION);
    assert_true(d.target[0] == 1 && d.target[2] == 3);
    assert_true(isnan(d.target[1]) && isnan(d.target[3]));
    assert_int_equal(report.n_samples, 4);
    assert_int_equal(report.n_valued, 3);
    assert_int_equal(report.n_joined, 2);
    assert_int_equal(report.n_unjoined, 1);
    assert_int_equal(report.n_features, 4);
    assert_int_equal(noted_number(&report, "genotypes", " monomorphic"), 1);
    assert_int_equal(report.n_missing, 2);
    dataset_release(&d);
}

/* One call that is not a whole number turns all into floats. Missing calls get the same means. */
static void test_imputed_genotype(void **state)
{
    static const float features[] = {0, 2, 0.5f, 2, 1, 4.5f / 3, 0, 1, 2, 0, 0, 2};
    struct data_spec spec =
        genotype_spec("id,m1,m2,m3,m4\nx,0,2,0,0.5\ny,2,,0,NA\nz,0,1,0,2\nw,0,0,0,2\n", PHENO);
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_null(d.dosage);
    check_features(&d, features);
    assert_int_equal(noted_number(&report, "genotypes", " monomorphic"), 1);
    assert_int_equal(report.n_missing, 2);
    dataset_release(&d);
}

/* Every spelling of calls in letters gives the same dosages. The later letter is counted. m3 has
 * three alleles, m4 one. */
static void test_letters(void **state)
{
    static const char *const tables[] = {
        "id,m1,m2,m3,m4\nx,AA,TC,AA,AA\ny,AG,--,CC,NN\nz,GG,CC,GT,AA\nw,A-,TT,AA,QQQ\n",
        "id,m1,m2,m3,m4\nx,A/A,T/C,A/A,A/A\ny,A/G,./.,C/C,N/N\nz,G/G,C/C,G/T,A/A\nw,A/N,T/T,A/"
        "A,A?C\n",
        "id m1 m2 m3 m4\nx A:A T:C A:A A:A\ny G:A ? C:C NA\nz G:G C:C G:T A:A\nw NC T:T A:A A\"A\n",
        "id\tm1\tm2\tm3\tm4\nx\tA\tY\tA\tA\ny\tR\tN\tC\t.\nz\tG\tC\tK\tA\nw\tN\tT\tA\tQQ1\n",
        "id,m1,m2,m3,m4\nx,A,H,A,A\ny,H,-,C,-\nz,B,A,B,A\nw,-,B,A,Q2Q\n",
        "id,m1,m2,m3,m4\nx,0|0,0|1,0|0,0|0\ny,0|1,.|.,1|1,.\nz,1|1,0|0,2|2,0|0\nw,.,1|1,0|0,0|2|\n",
    };
    static const int8_t wanted[] = {0, 1, 1, -128, 2, 0, -128, 2};

    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct data_spec spec = genotype_spec(tables[i], "id,ft\nx,1\ny,2\nz,4\nw,3\n");
        struct data_report report;
        struct dataset d;

        load(&d, &report, &spec);
        assert_int_equal(d.n_features, 2);
        assert_memory_equal(d.dosage, wanted, sizeof wanted);
        assert_string_equal(dataset_alleles(&d, 0), i == 5   ? ""
                                                    : i == 4 ? "\t0\tA\tB"
                                                             : "\t0\tA\tG");
        assert_string_equal(noted(&report, "alleles"),
                            "1 marker with more than two alleles dropped: \"m3\"");
        assert_non_null(strstr(noted(&report, "malformed"),
                               "1 call cannot be read and counts as missing; the first is line 5"));
        dataset_release(&d);
    }
}

/* FID IID, and decimal commas. */
static void test_genotype_dialects(void **state)
{
    static const float wanted[] = {0, 2, 0.5f, 1.25f, 2, 0};
    struct data_spec spec = genotype_spec("FID;IID;m1;m2\nf;x;0;2\nf;y;0,5;1,25\ng;z;2,0;0\n",
                                          "FID IID ft\nf x 1\nf y 2\ng z 3\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_features, 2);
    assert_string_equal(dataset_feature_name(&d, 0), "m1");
    assert_memory_equal(d.features.v, wanted, sizeof wanted);
    assert_string_equal(noted(&report, "nonmarkers"), "");
    dataset_release(&d);
}

static void test_genotype_errors(void **state)
{
    (void)state;
    refuse_genotype(
        "id,x,y,z\nx,1,0.5,0.1\ny,0.5,1,0\nz,0.1,0,1\n", PHENO,
        "geno.csv: a relationship matrix, not genotypes: its 3 columns are its own ids; "
        "give the markers that it was made of, from which ridge makes the relationship "
        "(GBLUP)");
    refuse_genotype("id,m1,m2\nx,0,1\ny,A,2\n", PHENO,
                    "geno.csv:3: column \"m1\" = \"A\": must be a number, or empty or NA where "
                    "missing");
    refuse_genotype("id,m1\nx,0\ny,1\nx,2\n", PHENO,
                    "geno.csv:4: id \"x\" occurs twice, first on line 2");
    refuse_genotype("id,m1\nx,0\n,1\n", PHENO, "geno.csv:3: the id in column \"id\" is empty");
    refuse_genotype("id\nx\n", PHENO, "geno.csv: one column: must be an id and at least one more");
    refuse_genotype("id,m1\n", PHENO, "geno.csv: no samples after the header");
    refuse_genotype("id,m1,m2\nx,0,2\ny,0,\nz,,2\n", PHENO,
                    "geno.csv: all 2 markers are monomorphic");
}

/* ---- ids that are equal but not as bytes ---- */

static void check_joined(const char *ids, const char *rows, const char *wanted, const char *note)
{
    struct data_spec spec = genotype_spec(ids, rows);
    struct data_report report;
    struct dataset d;
    char got[80] = "";

    load(&d, &report, &spec);
    for (int32_t i = 0; i < d.n_samples; i++) {
        size_t n = strlen(got);

        snprintf(got + n, sizeof got - n, isnan(d.target[i]) ? "-" : "%g", (double)d.target[i]);
    }
    assert_string_equal(got, wanted);
    assert_string_equal(noted(&report, "ids") + (*note ? strlen(scratch_folder) + 1 : 0), note);
    dataset_release(&d);
}

/* The notes with this label. */
static void check_notes(const struct data_report *report, const char *label,
                        const char *const *wanted, int n)
{
    int found = 0;

    for (int32_t i = 0; i < report->n_notes; i++)
        if (!strcmp(report->note[i].label, label)) {
            assert_true(found < n);
            assert_string_equal(report->note[i].text + strlen(scratch_folder) + 1, wanted[found++]);
        }
    assert_int_equal(found, n);
}

static void test_equal_ids(void **state)
{
    (void)state;
    check_joined("id,m1,m2\n7,0,1\n012,1,2\nMo17,2,0\nB73,1,1\nx,1,0\n",
                 "id,y\n007,1\n12.0,2\nMO17,3\n\" B73 \",4\nx,5\n", "12345",
                 "pheno.csv: 3 ids joined by number or without regard to case: \"007\" as \"7\", "
                 "\"12.0\" as \"012\", \"MO17\" as \"Mo17\"");
    /* Texts of one table that differ stay apart, and a match must be the only one. */
    check_joined("id,m1,m2\n7,0,1\n007,1,2\na,2,0\nA,0,0\n", "id,y\n007,1\n7,2\nA,3\na,4\n", "2143",
                 "");
    check_joined("id,m1,m2\n7,0,1\nx,1,2\nX1,2,0\ny,0,0\n", "id,y\n007,1\n7,2\nx,3\ny,4\n", "23-4",
                 "");
    check_joined("id,m1,m2\n7,0,1\n07,1,2\nx,2,0\ny,0,0\n", "id,y\n007,1\nx,3\ny,4\n", "--34", "");
    check_joined("id,m1,m2\n1234567890123456789,0,1\nx,1,2\ny,0,2\n",
                 "id,y\n1234567890123456788,1\nx,3\ny,2\n", "-32", "");
}

/* Settings name columns in another spelling, in a table that has the markers, too. */
static void test_equal_columns(void **state)
{
    struct data_spec spec = genotype_spec("", "");
    struct data_report report;
    struct dataset d;
    char wanted[400];

    (void)state;
    spec.genotypes = spec.phenotypes = scratch_text(
        "both.csv", "id,Yield,Side,m1,m2\nx,1,train,0,1\ny,2,test,1,2\nz,3,train,2,0\n");
    spec.trait = "yield";
    spec.part = "SIDE";
    load(&d, &report, &spec);
    assert_int_equal(d.n_features, 2);
    snprintf(wanted, sizeof wanted,
             "2 columns of %s found by number or without regard to case: \"yield\" as \"Yield\", "
             "\"SIDE\" as \"Side\"",
             spec.phenotypes);
    assert_string_equal(noted(&report, "columns"), wanted);
    dataset_release(&d);
}

/* In edges, features and split files, as in phenotypes. */
static void test_equal_ids_of_graphs(void **state)
{
    struct data_spec spec = graph_spec("node,label\n7,a\nB,b\nc,a\nd,b\n",
                                       "node,x\n007,1\nb,2\nc,3\nd,4\n", "a,b\n7.0,b\nC,d\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.split =
        scratch_text("split.csv", "id,PART,note\n07,Train,1\nb, TEST ,2\nc,Dev,3\nD,x,4\n");
    refuse_spec(&spec, "split.csv: column \"PART\" has 1 cell other than parts: \"x\" on line 5: "
                       "must be train, val (valid, validation, dev), test, stop or none");
    scratch_text("split.csv", "id,PART,note\n07,Train,1\nb, TEST ,2\nc,Dev,3\nD,none,4\n");
    load(&d, &report, &spec);
    assert_int_equal(d.n_edges, 2);
    check_features(&d, (const float[]){1, 2, 3, 4});
    assert_int_equal(d.part[0], PART_TRAIN);
    assert_int_equal(d.part[1], PART_TEST);
    assert_int_equal(d.part[2], PART_VAL);
    assert_int_equal(d.part[3], PART_NONE);
    check_notes(&report, "ids",
                (const char *[]){"features.csv: 2 ids joined by number or without regard to case: "
                                 "\"007\" as \"7\", \"b\" as \"B\"",
                                 "edges.csv: 3 ids joined by number or without regard to case: "
                                 "\"7.0\" as \"7\", \"b\" as \"B\", \"C\" as \"c\"",
                                 "split.csv: 3 ids joined by number or without regard to case: "
                                 "\"07\" as \"7\", \"b\" as \"B\", \"D\" as \"d\""},
                3);
    dataset_release(&d);
    /* The header of listed features, too. */
    spec.split = NULL;
    scratch_text("features.csv", "node,Feature\n7,u\nB,v\n");
    load(&d, &report, &spec);
    assert_true(d.is_sparse);
    dataset_release(&d);
}

/* ---- codes for missing calls ---- */

static void check_code(const char *rows, const char *missing, const char *wanted)
{
    struct data_spec spec = genotype_spec("", "id,ft\nx,1\ny,2\n");
    struct data_report report;
    struct dataset d;
    char text[200];

    snprintf(text, sizeof text, "id,m1,m2\n%s", rows);
    scratch_text("geno.csv", text);
    spec.missing_genotype = missing;
    if (wanted) {
        refuse_spec(&spec, wanted);
        return;
    }
    load(&d, &report, &spec);
    dataset_release(&d);
}

#define CODE(where, code, low, high)                                                         \
    "geno.csv:" where " = " code ": not a likely dosage beside values from " low " to " high \
    ": set "                                                                                 \
    "[data] missing_genotype = " code " if it means a missing call, or none if it is a dosage"

static void test_missing_codes(void **state)
{
    (void)state;
    check_code("x,0,1\ny,1,-9\n", NULL, CODE("3: column \"m2\"", "-9", "0", "1"));
    check_code("x,0,1\ny,-1,2\nz,-1,0\n", NULL, CODE("3: column \"m1\"", "-1", "0", "2"));
    check_code("x,0,-1\ny,1,-9\n", NULL, CODE("3: column \"m2\"", "-9", "-1", "1"));
    check_code("x,0.5,1\ny,1,-9\n", NULL, CODE("3: column \"m2\"", "-9", "0.5", "1"));
    check_code("x,0,-999\ny,1,2\n", NULL, CODE("2: column \"m2\"", "-999", "0", "2"));
    check_code("x,0,9\ny,1,2\n", NULL, CODE("2: column \"m2\"", "9", "0", "2"));
    check_code("x,0,9\ny,1,2\nz,3,-1\n", "-1", NULL);
    check_code("x,0,9\ny,1,-2\n", "9", CODE("3: column \"m2\"", "-2", "0", "1"));
    check_code("x,0,9\ny,-2,1\n", "none", NULL);
    /* Counted as in rrBLUP, from two and four chromosomes, with means subtracted. */
    check_code("x,0,-1\ny,1,0\n", NULL, NULL);
    check_code("x,-1,-2\ny,1,2\n", NULL, NULL);
    check_code("x,-1,-1.5\ny,0.5,2\n", NULL, NULL);
    check_code("x,0,1\ny,4,2\n", NULL, NULL);
}

static void test_missing_genotype(void **state)
{
    static const int8_t wanted[] = {0, DOSAGE_MISSING, DOSAGE_MISSING, 1, 2, DOSAGE_MISSING};
    struct data_spec spec =
        genotype_spec("id,m1,m2\nx,0,-9.0\ny,9,1\nz,2,N\n", "id,ft\nx,1\ny,2\nz,4\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    scratch_text("geno.csv", "id,m1,m2\nx,0,-9.0\ny,9,1\nz,2,N\nw,0,0\n");
    spec.missing_genotype = "-9, 9,N";
    load(&d, &report, &spec);
    assert_int_equal(report.n_missing, 3);
    assert_memory_equal(d.dosage, wanted, sizeof wanted);
    assert_true(d.fill[0] == 2.0f / 3 && d.fill[1] == 0.5f);
    dataset_release(&d);
    spec.missing_genotype = "-9,";
    refuse_spec(&spec, "data.missing_genotype: a name is empty");
    spec.missing_genotype = "-9";
    spec.genotypes = scratch_text("a.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\t"
                                           "FILTER\tINFO\tFORMAT\tx\ty\n");
    refuse_spec(&spec,
                "data.missing_genotype is only for tables: a.vcf marks missing calls itself");
}

/* Scaled or centred numbers and amounts are no dosages. */
static void test_numbers(void **state)
{
    struct data_spec spec = genotype_spec("id,m1,m2\nx,-1.2,0.5\ny,0.3,0.5\nz,0.9,-1\n", PHENO);
    struct data_report report = {0};
    struct dataset d;

    (void)state;
    assert_int_equal(data_load(&d, &spec, &report, NULL), 0);
    assert_true(d.ploidy == 0 && d.base == 0);
    assert_non_null(
        strstr(report.note[report.n_notes - 1].text, "from -1.2 to 0.9 are no dosages"));
    dataset_release(&d);
    spec = genotype_spec("id,m1,m2\nx,0,16.5\ny,0.3,0.5\nz,3,900\n", PHENO);
    load(&d, &report, &spec);
    assert_int_equal(d.ploidy, 0);
    dataset_release(&d);
    spec = genotype_spec("id,m1,m2\nx,0,16\ny,3,5\nz,3,1\n", PHENO);
    load(&d, &report, &spec);
    assert_int_equal(d.ploidy, 16);
    dataset_release(&d);
    spec = genotype_spec("id,m1,m2\nx,-1.2,0.5\ny,0.3,0.5\nz,0.9,-1\n", PHENO);
    spec.filter.maf = 0.05;
    refuse_spec(&spec,
                "geno.csv: numbers from -1.2 to 0.9 are no dosages, so maf cannot be applied: "
                "remove [data] maf, or give the genotypes before they were scaled");
}

static void test_phenotype_errors(void **state)
{
    (void)state;
    refuse_genotype(GENO, "id,ft\nx,1\nq,2\nx,3\n",
                    "pheno.csv:4: id \"x\" occurs twice, first on line 2; a phenotype table needs "
                    "one row for each id: instead of several (environments, years, replicates), "
                    "give the mean of each id or the rows of one environment");
    refuse_genotype(GENO, "id,ft\nq,2\nq,3\n",
                    "pheno.csv:3: id \"q\" occurs twice, first on line 2; a phenotype table needs "
                    "one row for each id: instead of several (environments, years, replicates), "
                    "give the mean of each id or the rows of one environment");
    refuse_genotype(GENO, "id,ft\nA,1\nB,2\n",
                    "geno.csv and pheno.csv have no id in common (the first are \"x\" and \"A\")");
    refuse_genotype("id,m1,m2\n33-16,0,1\nA-4226,1,2\nB73,2,0\n110,0,0\n",
                    "Taxa,y\nX33.16,1\na.4226,2\nX42,3\n110_110,5\nZ9,4\n",
                    "geno.csv and pheno.csv have no id in common (the first are \"33-16\" and "
                    "\"X33.16\"): 3 of the 5 ids of pheno.csv that did not join differ from ids of "
                    "geno.csv only in case, blanks, punctuation, zeros or a repetition (\"X33.16\" "
                    "is \"33-16\", "
                    "\"a.4226\" is \"A-4226\", \"110_110\" is \"110\"): spell them the same way");
    refuse_genotype(
        "id,m1,m2\n7-x,0,1\n12-x,1,2\n", "id,y\n7,1\n12,2\n",
        "geno.csv and pheno.csv have no id in common (the first are \"7-x\" and \"7\"): "
        "2 ids of geno.csv are ids of pheno.csv with a lane, path or family before "
        "or behind them (\"7-x\" is \"7\", \"12-x\" is \"12\"): cut these off in geno.csv");
    refuse_genotype(
        "id,m1,m2\nL001,0,1\nL002,1,2\nL003,2,0\n",
        "id,y\nL001_S1_L001,1\n/run/L002.sorted.bam,2\nF2_L003,3\n",
        "geno.csv and pheno.csv have no id in common (the first are \"L001\" and "
        "\"L001_S1_L001\"): 3 ids of pheno.csv are ids of geno.csv with a lane, path or "
        "family before or behind them (\"L001_S1_L001\" is \"L001\", "
        "\"/run/L002.sorted.bam\" is \"L002\", \"F2_L003\" is \"L003\"): cut these off in "
        "pheno.csv");
    refuse_genotype(
        "id,m1,m2\nL001,0,1\nL002,1,2\n", "id,y\nL002_L001,1\nL001_L001,2\n",
        "geno.csv and pheno.csv have no id in common (the first are \"L001\" and \"L002_L001\"): "
        "2 ids of pheno.csv are ids of geno.csv with a lane, path or family before "
        "or behind them (\"L002_L001\" is \"L002\", \"L001_L001\" is \"L001\"): cut these off in "
        "pheno.csv");
    refuse_genotype(
        "id,m1,m2\n23,0,1\n24,1,2\n", "id,y\n123,1\n124,2\n",
        "geno.csv and pheno.csv have no id in common (the first are \"23\" and \"123\")");
    refuse_genotype("marker,a,b,c,d\nm1,0,1,2,0\nm2,1,2,0,0\n", "id,y\nd,1\na,2\nb,3\nc,4\nz,5\n",
                    "geno.csv and pheno.csv have no id in common (the first are \"m1\" and "
                    "\"d\"): 4 of the 5 ids of pheno.csv that did not join are columns of "
                    "geno.csv (\"a\", \"b\", \"c\"): that table is transposed; it must have a "
                    "row for each sample and a column for each marker");
    refuse_genotype(GENO, "\"y\"\n\"1\" 2\n\"2\" 3\n",
                    "geno.csv and pheno.csv have no id in common (the first are \"x\" and \"1\"): "
                    "these ids are row names written by R; set data.id to use another column");
    refuse_genotype(GENO, "id,ft\n",
                    "geno.csv and pheno.csv have no id in common (the first are \"x\" and \"\")");
    refuse_genotype(GENO, "id,ft\nx,NA\ny,\nq,1\n",
                    "pheno.csv: column \"ft\": no sample has a value");
    refuse_genotype(GENO, "id,ft\nx,5\ny,5.0\n",
                    "pheno.csv: column \"ft\": every value is 5, there is nothing to predict");
    refuse_genotype(
        GENO, "id,ft\nx,1000000001\ny,1000000003\n",
        "pheno.csv: column \"ft\": values from 1000000001 to 1000000003 differ only beyond the "
        "precision of floats (about 7 digits): subtract a constant from all, such as "
        "1000000001");
    refuse_genotype(GENO, "id,ft\nx,5\ny,six\n",
                    "pheno.csv:3: column \"ft\" = \"six\": a word among numbers: correct it, "
                    "name it in data.missing if it stands for a missing value, or set task = "
                    "classification to make every value a class");
    refuse_genotype(GENO, "id\nx\n",
                    "pheno.csv:1: one column: must be an id and at least one "
                    "trait");
}

/* There is nearly one class a sample. */
static void refuse_labels(const char *format, const char *wanted)
{
    struct data_spec spec = {.format = &graph_format};
    struct data_report report;
    struct dataset d;
    struct buf labels = {0}, features = {0};

    buf_puts(&labels, "node,ft\n");
    buf_puts(&features, "node,f\n");
    for (int i = 0; i < 12; i++) {
        buf_printf(&labels, format, i, 7 + (i ? i : 1));
        buf_printf(&features, "n%d,%d\n", i, i);
    }
    spec.labels = scratch_text("labels.csv", buf_text(&labels));
    spec.features = scratch_text("features.csv", buf_text(&features));
    buf_release(&labels);
    buf_release(&features);
    refuse_spec(&spec, wanted);
    spec.task = DATA_TASK_CLASSIFICATION;
    load(&d, &report, &spec);
    assert_int_equal(d.n_classes, 11);
    dataset_release(&d);
}

static void test_single_members(void **state)
{
    (void)state;
    refuse_labels(
        "n%d,%d\n",
        "labels.csv: column \"ft\": 12 values make 11 classes, 10 of them with one member "
        "(\"8\", \"9\" ...): set task = regression if they are numbers to be predicted, "
        "or task = classification if these are the classes");
    refuse_labels(
        "n%d,%d days\n",
        "labels.csv:2: column \"ft\" = \"8 days\": 12 of 12 values are a number followed by "
        "\" days\": remove the unit, or set task = classification to make every value a class");
    refuse_labels(
        "n%d,line %d\n",
        "labels.csv: column \"ft\": 12 values make 11 classes, 10 of them with one member "
        "(\"line 10\", \"line 11\" ...): set task = regression if they are numbers to be "
        "predicted, or task = classification if these are the classes");
}

static void test_trait(void **state)
{
    struct data_spec spec = genotype_spec(GENO, "id,a,b,a\nx,1,4,0\ny,2,6,0\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.trait = "b";
    load(&d, &report, &spec);
    assert_true(d.target[0] == 4 && d.target[1] == 6);
    dataset_release(&d);
    spec.trait = "c";
    refuse_spec(&spec,
                "pheno.csv:1: no trait \"c\": data.trait must be one of \"a\", \"b\", \"a\"");
    spec.trait = "";
    refuse_spec(&spec, "pheno.csv:1: several traits: set data.trait to one of \"a\", \"b\", \"a\"");
    spec.trait = "a";
    refuse_spec(&spec, "pheno.csv:1: 2 columns are named \"a\"");
    spec.phenotypes = NULL;
    refuse_spec(&spec, "data.phenotypes is not set: data.format = genotype needs it");
}

static void test_text_trait(void **state)
{
    static const int32_t label[] = {1, 0, -1, 1};
    struct data_spec spec = genotype_spec(GENO, "id,c\nx,tall\nw,tall\ny,dwarf\nz,NA\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_classes, 2);
    assert_memory_equal(d.label, label, sizeof label);
    assert_string_equal(dataset_class_name(&d, 0), "dwarf");
    dataset_release(&d);
    spec.task = DATA_TASK_REGRESSION;
    refuse_spec(&spec,
                "pheno.csv:2: column \"c\" = \"tall\": must be a number, or empty or NA where "
                "missing, for task = regression");
    spec = genotype_spec(GENO, "id,c\nx,tall\ny,tall\n");
    refuse_spec(&spec,
                "pheno.csv: column \"c\": every value is \"tall\", there is nothing to predict");
}

static void test_numeric_classes(void **state)
{
    static const int32_t label[] = {2, 1, 0, 2};
    struct data_spec spec = genotype_spec(GENO, "id,c\nx,10\ny,9\nz,-1\nw,10\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.task = DATA_TASK_CLASSIFICATION;
    load(&d, &report, &spec);
    assert_memory_equal(d.label, label, sizeof label);
    assert_string_equal(dataset_class_name(&d, 2), "10");
    dataset_release(&d);
}

/* 8 nodes; wanted: the classes joined by commas. */
static void check_classes(const char *const *cell, const char *wanted, const char *note)
{
    char labels[300] = "node,c\n", features[100] = "node,f\n", got[100] = "";
    struct data_report report;
    struct data_spec spec;
    struct dataset d;

    for (int i = 0; i < 8; i++) {
        snprintf(labels + strlen(labels), sizeof labels - strlen(labels), "%d,\"%s\"\n", i,
                 cell[i]);
        snprintf(features + strlen(features), sizeof features - strlen(features), "%d,%d\n", i, i);
    }
    spec = graph_spec(labels, features, NULL);
    load(&d, &report, &spec);
    for (int32_t k = 0; k < d.n_classes; k++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", k ? "," : "",
                 dataset_class_name(&d, k));
    assert_string_equal(got, wanted);
    assert_int_equal(d.label[0], d.label[1]);
    assert_int_not_equal(d.label[0], d.label[7]);
    assert_string_equal(noted(&report, "classes"), note);
    dataset_release(&d);
}

static void test_equal_classes(void **state)
{
    static const char *const numbers[] = {"1.0", "1", "1.0", "1.0", "01", "0.0", "0", "0.0"};
    static const char *const blanks[] = {"a ",
                                         "a",
                                         " a",
                                         "a",
                                         "\xc2\xa0"
                                         "a",
                                         "b",
                                         "b ",
                                         "b"};
    static const char *const cases[] = {"Yes", "yes", "Yes", "YES", "yes", "Yes", "no", "No"};

    (void)state;
    check_classes(numbers, "0,1", "");
    check_classes(blanks, "a,b", "");
    check_classes(cases, "No,Yes",
                  "4 values joined with others that differ only in case: \"yes\" as \"Yes\", "
                  "\"YES\" as \"Yes\", \"no\" as \"No\"");
}

static void test_split_without_header(void **state)
{
    struct data_spec spec = genotype_spec(GENO, PHENO);

    (void)state;
    spec.split = scratch_text("split.csv", "w,train\nx,val\n");
    refuse_spec(&spec,
                "split.csv:1: the column of parts is named \"train\"; is this line a sample? "
                "A header must come first, such as id,part");
}

static void test_split_file(void **state)
{
    static const uint8_t part[] = {PART_TRAIN, PART_TEST, PART_NONE, PART_VAL};
    struct data_spec spec = genotype_spec(GENO, PHENO);
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.split = scratch_text("split.csv", "id,part\nw,val\nx,train\ny,test\n");
    load(&d, &report, &spec);
    assert_memory_equal(d.part, part, sizeof part);
    dataset_release(&d);
    scratch_text("split.csv", "id,part\nw,val\nv,train\n");
    refuse_spec(&spec, "split.csv:3: column \"id\": id \"v\" is not in geno.csv");
    scratch_text("split.csv", "id,part\nw,fold1\nx,train\n");
    refuse_spec(&spec,
                "split.csv: column \"part\" has 1 cell other than parts: \"fold1\" on line 2: must "
                "be train, val (valid, validation, dev), test, stop or none");
    scratch_text("split.csv", "id,part\nw,val\nw,train\n");
    refuse_spec(&spec, "split.csv:3: id \"w\" occurs twice, first on line 2");
    scratch_text("split.csv", "id,side,more\nw,val,1\n");
    refuse_spec(&spec, "split.csv:1: 3 columns, none named \"part\": a split file needs two "
                       "columns (id, part) or a column \"part\" (or set split.part)");
    scratch_text("split.csv", "id,more,part\nw,1,val\nx,,train\ny,2,test\n");
    load(&d, &report, &spec);
    assert_memory_equal(d.part, part, sizeof part);
    dataset_release(&d);
}

static void test_part_words(void **state)
{
    static const uint8_t part[] = {PART_TRAIN, PART_TEST, PART_NONE, PART_VAL};
    struct data_spec spec = genotype_spec(GENO, PHENO);
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.split =
        scratch_text("split.csv", "id,Side,more\nw, Validation ,1\nx,TRAIN,\ny,Testing,\n");
    spec.part = "side";
    load(&d, &report, &spec);
    assert_memory_equal(d.part, part, sizeof part);
    dataset_release(&d);
    spec.part = "fold";
    refuse_spec(&spec, "split.csv: no column \"fold\" (split.part)");
}

/* ---- graphs ---- */

#define LABELS "node,label\nb,red\na,\nc,blue\n"

static void test_graph(void **state)
{
    static const int32_t label[] = {1, -1, 0};
    struct data_spec spec =
        graph_spec(LABELS, "node,feature\nc,2\nb,0\nc,0\n", "src,dst\na,b\nc,b\nb,a\nc,c\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 3);
    assert_memory_equal(d.label, label, sizeof label);
    assert_string_equal(dataset_id(&d, 0), "b");
    assert_true(d.is_sparse);
    assert_int_equal(d.n_features, 3);
    assert_int_equal(csr_nnz(&d.sparse_features), 3);
    assert_int_equal(d.sparse_features.row_start[2], 1);
    assert_int_equal(d.sparse_features.col[2], 2);
    assert_true(d.sparse_features.val[2] == 1);
    assert_int_equal(d.n_edges, 2);
    assert_int_equal(d.edge_source[1], 0);
    assert_int_equal(d.edge_target[1], 2);
    assert_true(d.edge_weight[1] == 1);
    assert_int_equal(report.n_duplicate_edges, 1);
    assert_int_equal(report.n_self_loops, 1);
    assert_int_equal(report.n_joined, 2);
    dataset_release(&d);
}

static void test_named_features(void **state)
{
    struct data_spec spec =
        graph_spec(LABELS, "node,feature,value\nc,w,0.5\nb,7,2\nc,7,0\nb,w,-1\n", NULL);
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_features, 2);
    assert_string_equal(dataset_feature_name(&d, 0), "w");
    assert_string_equal(dataset_feature_name(&d, 1), "7");
    assert_int_equal(csr_nnz(&d.sparse_features), 3);
    assert_true(d.sparse_features.val[0] == -1);
    assert_true(d.sparse_features.val[2] == 0.5f);
    assert_int_equal(d.n_edges, 0);
    dataset_release(&d);
}

static void test_dense_features(void **state)
{
    static const float features[] = {5, 1, 4, 1, 3, 1};
    struct data_spec spec =
        graph_spec("node,y\nb,1.5\na,2\nc,1\n", "node,f,g\nc,3,1\nb,5,\na,4,NA\n", NULL);
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_false(d.is_sparse);
    assert_int_equal(d.task, TASK_REGRESSION);
    assert_non_null(d.dosage);
    check_features(&d, features);
    assert_int_equal(report.n_missing, 2);
    assert_string_equal(dataset_feature_name(&d, 1), "g");
    dataset_release(&d);
}

static void test_edge_weights(void **state)
{
    struct data_spec spec =
        graph_spec(LABELS, "node,feature\nc,2\n", "s,t,w\na,b,0.5\nc,b,2\nb,a,0.5\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_true(d.edge_weight[0] == 0.5f && d.edge_weight[1] == 2);
    dataset_release(&d);
}

/* Columns of parts and groups follow the label, in any order. */
static void test_label_columns(void **state)
{
    static const uint8_t part[] = {PART_TRAIN, PART_NONE, PART_VAL};
    static const int32_t label[] = {1, -1, 0}, group[] = {0, 0, 1};
    struct data_spec spec = graph_spec("node,set,label,lab\nb,Train,red,p\na,,,p\nc,dev,blue,q\n",
                                       "node,feature\nc,2\nb,0\nc,0\n", "src,dst\na,b\nc,b\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.part = "set", spec.group = "lab";
    load(&d, &report, &spec);
    assert_memory_equal(d.label, label, sizeof label);
    assert_memory_equal(d.part, part, sizeof part);
    assert_memory_equal(d.group, group, sizeof group);
    assert_int_equal(report.n_notes, 0); /* node a has no label that would be lost */
    dataset_release(&d);
    spec.group = NULL;
    refuse_spec(&spec, "labels.csv:1: 4 columns: a table of labels has two (node, label), and "
                       "those that split.part and split.group name");
}

static void test_edge_errors(void **state)
{
    const char *features = "node,feature\nc,2\n";

    (void)state;
    refuse_graph(LABELS, features, "src,dst\na,b\na,d\n",
                 "edges.csv:3: column \"dst\": id \"d\" is not in labels.csv");
    refuse_graph(LABELS, features, "a,b\na,c\n",
                 "edges.csv:1: a header is missing: the first line must name the columns, \"a\" "
                 "and \"b\" are nodes");
    refuse_graph(LABELS, features, "s,t,w\na,b,-1\n",
                 "edges.csv:2: column \"w\" = \"-1\": a weight must be a positive number");
    refuse_graph(LABELS, features, "s,t,w\na,b,1e-60\n",
                 "edges.csv:2: column \"w\" = \"1e-60\": a weight must be a positive number");
    refuse_graph(LABELS, features, "s,t,w\na,b,1\nb,c,1\nb,a,2\n",
                 "edges.csv:4: edge \"b\" to \"a\" has weight 2, but weight 1 on line 2");
    refuse_graph(
        LABELS, features, "s,t,w,x\na,b,1,1\n",
        "edges.csv:1: 4 columns: a table of edges has two or three (source, target, weight)");
}

static void test_graph_errors(void **state)
{
    (void)state;
    refuse_graph("node,label\na,0\nb,1\na,1\n", "node,feature\na,0\n", NULL,
                 "labels.csv:4: id \"a\" occurs twice, first on line 2");
    refuse_graph("node,label\n", "node,feature\na,0\n", NULL,
                 "labels.csv: no nodes after the header");
    refuse_graph("node,label\na,\n", "node,feature\na,0\n", NULL,
                 "labels.csv: column \"label\": no sample has a value");
    refuse_graph("node\na\n", "node,feature\na,0\n", NULL,
                 "labels.csv:1: 1 column: a table of labels has two (node, label), and those "
                 "that split.part and split.group name");
    refuse_graph(LABELS, "node,feature\na,0\nd,0\n", NULL,
                 "features.csv:3: column \"node\": id \"d\" is not in labels.csv");
    refuse_graph(LABELS, "node,feature\na,0\nb,3\na,0\n", NULL,
                 "features.csv: node \"a\" has feature 0 twice");
    refuse_graph(LABELS, "node,feature\na,v\na,w\na,v\n", NULL,
                 "features.csv: node \"a\" has feature \"v\" twice");
    refuse_graph(LABELS, "node,feature,value\na,0,x\n", NULL,
                 "features.csv:2: column \"value\" = \"x\": must be a number");
    refuse_graph(LABELS, "node,feature\na,\n", NULL,
                 "features.csv:2: the feature of node \"a\" is empty");
    refuse_graph(LABELS, "node,feature\n", NULL, "features.csv: no features after the header");
    refuse_graph(LABELS, "node,f\na,1\nb,2\n", NULL,
                 "features.csv: no row for node \"c\" of labels.csv");
    refuse_graph(LABELS, "node,f\na,\nb,NA\nc,\n", NULL, "features.csv: column \"f\" has no value");
    refuse_graph(LABELS, "node\na\nb\nc\n", NULL,
                 "features.csv: one column: must be an id and at least one more");
}

/* ---- simulated ---- */

static void test_simulated(void **state)
{
    struct data_spec spec = {.format = &simulated_format,
                             .simulate = {.samples = 40,
                                          .markers = 30,
                                          .populations = 3,
                                          .fst = 0.2,
                                          .causal = 5,
                                          .heritability = 0.6,
                                          .seed = 1}};
    struct data_report report;
    struct dataset a, b;

    (void)state;
    load(&a, &report, &spec);
    load(&b, &report, &spec);
    assert_true(hash_equal(a.digest, b.digest));
    assert_int_equal(a.n_features, 30);
    assert_non_null(a.dosage);
    assert_int_equal(report.n_joined, 40);
    assert_string_equal(dataset_id(&a, 39), "s40");
    assert_string_equal(dataset_feature_name(&a, 29), "5_30");
    dataset_release(&b);
    spec.simulate.seed = 2;
    load(&b, &report, &spec);
    assert_false(hash_equal(a.digest, b.digest));
    dataset_release(&a);
    dataset_release(&b);
    spec.simulate.causal = 31;
    refuse_spec(&spec, "data.causal = 31: must be at most data.markers = 30");
}

/* ---- real data ---- */

static const char *real(const char *name)
{
    static char path[6][512];
    static int next;
    const char *folder = getenv("ESPALIER_DATA");
    char *out = path[next++ % 6];

    if (!folder || !*folder)
        skip();
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

/* The hashes date from when features were stored as floats. */
static void check_values(const struct dataset *d, const char *wanted)
{
    char hex[HASH_HEX_SIZE];
    struct mat x;

    assert_int_equal(mat_init(&x, d->n_samples, d->n_features, NULL), 0);
    dataset_decode(&x, d, 0, 0);
    hash_hex(hash_bytes(x.v, (size_t)mat_size(&x) * sizeof *x.v), hex);
    assert_string_equal(hex, wanted);
    mat_release(&x);
}

static void test_ft10(void **state)
{
    struct data_spec spec = {.format = &genotype_format,
                             .genotypes = real("arabidopsis/ft10_geno.csv"),
                             .phenotypes = real("arabidopsis/ft10_pheno.csv")};
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 1058);
    assert_int_equal(d.n_features, 984);
    check_values(&d, "99759b9f494f504ffefd6ca67f11ea16");
    assert_int_equal(report.n_joined, 1058);
    assert_int_equal(report.n_missing, 0);
    assert_int_equal(noted_number(&report, "genotypes", " monomorphic"), 0);
    assert_true(d.target[0] == 61.25f);
    assert_string_equal(dataset_id(&d, 1), "108");
    assert_string_equal(dataset_feature_name(&d, 0), "1_73");
    dataset_release(&d);
}

static void test_ft16(void **state)
{
    struct data_spec spec = {.format = &genotype_format,
                             .genotypes = real("arabidopsis/ft16_chr5_geno.csv.gz"),
                             .phenotypes = real("arabidopsis/ft16_chr5_pheno.csv"),
                             .trait = "FT10"};
    struct data_report report;
    struct dataset d;

    (void)state;
    if (getenv("TEST_UNDER_VALGRIND")) /* which needs many seconds */
        skip();
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 162);
    assert_int_equal(report.n_features, 53859);
    assert_int_equal(noted_number(&report, "genotypes", " monomorphic"), 0);
    assert_int_equal(d.n_features, 53859);
    check_values(&d, "a38b406ae29797e9bb4587bd2067863a");
    assert_int_equal(report.n_joined, 162 - 24);
    dataset_release(&d);
}

static void test_cora(void **state)
{
    static const int32_t class_size[] = {351, 217, 418, 818, 426, 298, 180};
    struct data_spec spec = {.format = &graph_format,
                             .edges = real("cora/edges.csv"),
                             .features = real("cora/features.csv"),
                             .labels = real("cora/labels.csv"),
                             .split = real("cora/split.csv")};
    struct data_report report;
    struct dataset d;
    int32_t n_part[4] = {0}, n_class[7] = {0};

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 2708);
    assert_int_equal(d.n_features, 1433);
    assert_int_equal(csr_nnz(&d.sparse_features), 49216);
    assert_int_equal(d.n_edges, 5278);
    assert_int_equal(d.n_classes, 7);
    for (int32_t i = 0; i < d.n_samples; i++) {
        n_part[d.part[i]]++;
        n_class[d.label[i]]++;
    }
    assert_int_equal(n_part[PART_TRAIN], 140);
    assert_int_equal(n_part[PART_VAL], 500);
    assert_int_equal(n_part[PART_TEST], 1000);
    assert_memory_equal(n_class, class_size, sizeof class_size);
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_genotype),
        cmocka_unit_test(test_imputed_genotype),
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_genotype_dialects),
        cmocka_unit_test(test_genotype_errors),
        cmocka_unit_test(test_missing_codes),
        cmocka_unit_test(test_missing_genotype),
        cmocka_unit_test(test_phenotype_errors),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_equal_ids),
        cmocka_unit_test(test_equal_columns),
        cmocka_unit_test(test_equal_ids_of_graphs),
        cmocka_unit_test(test_single_members),
        cmocka_unit_test(test_trait),
        cmocka_unit_test(test_text_trait),
        cmocka_unit_test(test_numeric_classes),
        cmocka_unit_test(test_equal_classes),
        cmocka_unit_test(test_split_file),
        cmocka_unit_test(test_part_words),
        cmocka_unit_test(test_label_columns),
        cmocka_unit_test(test_split_without_header),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_named_features),
        cmocka_unit_test(test_dense_features),
        cmocka_unit_test(test_edge_weights),
        cmocka_unit_test(test_edge_errors),
        cmocka_unit_test(test_graph_errors),
        cmocka_unit_test(test_simulated),
        cmocka_unit_test(test_ft10),
        cmocka_unit_test(test_ft16),
        cmocka_unit_test(test_cora),
    };

    return cmocka_run_group_tests_name("load", tests, scratch_make, scratch_remove);
}
