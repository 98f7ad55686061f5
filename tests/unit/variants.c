/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <htslib/vcf.h>
#include <zlib.h>

#include "data/graph/similarity.h"
#include "loading.h"
#include "unit.h"

#define META "##fileformat=VCFv4.2\n##INFO=<ID=X,Number=0,Type=Flag,Description=\"\">\n"
#define COLUMNS "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n"
#define HEAD META COLUMNS
#define SITE(chrom, pos, alleles, format) \
    chrom "\t" pos "\t.\t" alleles "\t.\tPASS\t.\t" format "\t"
#define AC "\tA\tC\t.\t.\t.\tGT\t"
#define AC_DS "\tA\tC\t.\t.\t.\tDS\t"
#define PHENO "id,y\na,1\nb,2\nc,3.5\nd,4\n"

static struct data_spec spec_of(const char *path)
{
    return (struct data_spec){.format = &genotype_format,
                              .genotypes = path,
                              .phenotypes = scratch_text("pheno.csv", PHENO)};
}

static struct data_spec vcf_of(const char *text)
{
    return spec_of(scratch_text("panel.vcf", text));
}

/* A line "NAME=v v v v" for each marker, ? if missing. */
static const char *text_of(const struct dataset *d)
{
    static char text[1024];
    char *at = text;

    *at = '\0';
    for (int32_t j = 0; j < d->n_features; j++) {
        at += sprintf(at, "%s=", dataset_feature_name(d, j));
        for (int32_t i = 0; i < d->n_samples; i++) {
            int64_t k = (int64_t)i * d->n_features + j;

            if (d->dosage && d->dosage[k] == DOSAGE_MISSING)
                at += sprintf(at, "? ");
            else
                at += sprintf(at, "%g ", d->dosage ? d->dosage[k] : (double)d->features.v[k]);
        }
        at[-1] = '\n';
    }
    return text;
}

static void expect(const struct data_spec *spec, const char *wanted)
{
    struct dataset d;
    struct data_report report;

    load(&d, &report, spec);
    assert_string_equal(text_of(&d), wanted);
    dataset_release(&d);
}

static void refuse_vcf(const char *text, const char *wanted)
{
    struct data_spec spec = vcf_of(text);

    refuse_spec(&spec, wanted);
}

/* ---- VCF ---- */

static void test_genotypes(void **state)
{
    struct data_spec spec = vcf_of(HEAD SITE("1", "10", "A\tC", "GT") "0/0\t0|1\t1/1\t./.\n" SITE(
        "1", "20", "A\tC",
        "DP:GT:DS") "3:0:0\t5:1:1.5\t.:.:.\t7\n" SITE("X", "5", "AT\tA",
                                                      "GT:DS") "0|1:.\t0/1/1:1\t1|.:2\t.:0\n");

    (void)state;
    /* Haploid, partly missing, trailing fields omitted, three alleles: calls of fewer are scaled. */
    expect(&spec, "1_10=0 1.5 3 1.5\n1_20=0 3 1.5 1.5\nX_5=1.5 2 1.75 1.75\n");
    spec.ploidy = 2;
    expect(&spec, "1_10=0 1 2 1\n1_20=0 2 1 1\nX_5=1 1.33333 1.16667 1.16667\n");
    spec = vcf_of(HEAD SITE("1", "10", "A\tC", "GT") "0\t1\t1/1\t0/0\n" SITE("1", "20", "A\tC",
                                                                             "GT") "0\t1\t.\t1\n");
    expect(&spec, "1_10=0 2 2 0\n1_20=0 2 ? 2\n");
    spec.filter.maf = 0.34; /* of 1_20 the frequency is 2 of 3 */
    expect(&spec, "1_10=0 2 2 0\n");
}

static void test_dosages(void **state)
{
    struct data_spec spec =
        vcf_of(HEAD SITE("1", "10", "A\tC", "GT:DS") "0/0:0\t0|1:1.25\t.:2\t.\n" SITE(
            "1", "20", "A\tC", "DS:GT") "0\t1\t2\t0\n");

    (void)state;
    spec.filter.dosage = DATA_DOSAGE_DS;
    /* One fraction turns all into floats; missing values become the mean. */
    expect(&spec, "1_10=0 1.25 2 1.08333\n1_20=0 1 2 0\n");
    /* Without DS the call counts, in a line without it, too. */
    spec = vcf_of(HEAD SITE("1", "10", "A\tC", "GT:DS") "0/1\t0|1:1.25\t1/1:.\t.:.\n" SITE(
        "1", "20", "A\tC", "GT") "0/1\t1/1\t0/0\t0/1\n");
    spec.filter.dosage = DATA_DOSAGE_DS;
    expect(&spec, "1_10=1 1.25 2 1.41667\n1_20=1 2 0 1\n");
    /* Means of genotype probabilities, sums of haplotypes; three alleles. */
    spec = vcf_of(HEAD SITE("1", "10", "A\tC", "GP:GT") "1,0,0\t0,0.5,0.5\t.:1/1\t0,.,1:0/1\n" SITE(
        "1", "20", "A\tC,G", "GP") "0,0,0,0,1,0\t1,0,0,0,0,0\t0,0,0.5,0,0,0.5\t0,1,0,0,0,0\n");
    spec.filter.dosage = DATA_DOSAGE_GP;
    expect(&spec, "1_10=0 1.5 2 1\n1_20_A_C=1 0 1 1\n1_20_A_G=1 0 1 0\n");
    /* Tetraploid calls of three alleles have 15 genotypes: 0/0/0/2 is the 6th, 0/1/1/2 the 9th. */
    spec = vcf_of(HEAD SITE("1", "20", "A\tC,G", "GP") "1,0,0,0,0,0,0,0,0,0,0,0,0,0,0\t"
                                                       "0,0,0,0,0,1,0,0,0,0,0,0,0,0,0\t"
                                                       "0,0,0,0,0,0,0.5,0.5,0,0,0,0,0,0,0\t"
                                                       "0,0,0,0,0,0,0,0,0,0,0,0,0,0,1\n");
    spec.filter.dosage = DATA_DOSAGE_GP;
    expect(&spec, "1_20_A_C=0 0 1.5 0\n1_20_A_G=0 1 1 4\n");
    /* Phred scores, the last of which cannot be any. */
    spec = vcf_of(
        HEAD SITE("1", "10", "A\tC", "GP") "3.0103,3.0103,999\t999,0,999\t999,999,0\t0,1,2\n");
    spec.filter.dosage = DATA_DOSAGE_GP;
    expect(&spec, "1_10=0.5 1 2 1.16667\n");
    spec = vcf_of(HEAD SITE("1", "10", "A\tC", "GT:HDS") "0|1:0.25,1\t0|0:0,0\t1|1\t1|1:1,0.5\n");
    spec.filter.dosage = DATA_DOSAGE_HDS;
    expect(&spec, "1_10=1.25 0 2 1.5\n");
    spec = vcf_of(HEAD SITE("1", "10", "A\tC", "DS") "0\t1\t2\t.\n" SITE("1", "20", "A\tC",
                                                                         "DS") "0\t1\t2\t3\n");
    spec.filter.dosage = DATA_DOSAGE_DS;
    expect(&spec, "1_10=0 1 2 ?\n1_20=0 1 2 3\n");
}

static void test_multiallelic(void **state)
{
    struct data_spec spec = vcf_of(HEAD SITE("1", "10", "A\tC,G", "GT") "0/1\t1/2\t2/2\t0/0\n" SITE(
        "1", "20", "A\tC",
        "GT") "0/0\t0/0\t1/1\t0/0\n" SITE("1", "20", "A\tG",
                                          "GT") "0/0\t1/1\t0/0\t0/0\n" SITE("1", "30", "A\t.",
                                                                            "GT") "0/0\t0/0\t0/"
                                                                                  "0\t0/0\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    expect(&spec, "1_10_A_C=1 1 0 0\n1_10_A_G=0 1 2 0\n1_20_A_C=0 0 2 0\n1_20_A_G=0 2 0 0\n");
    spec.filter.multiallelic = DATA_MULTIALLELIC_SKIP;
    load(&d, &report, &spec);
    assert_string_equal(text_of(&d), "1_20_A_C=0 0 2 0\n1_20_A_G=0 2 0 0\n");
    assert_string_equal(dataset_alleles(&d, 1), "1\t20\tA\tG");
    assert_int_equal(noted_number(&report, "sites", " multi-allelic"), 1);
    assert_int_equal(noted_number(&report, "genotypes", " monomorphic"), 1);
    dataset_release(&d);
}

#define FILTERED                                                                                   \
    HEAD SITE("1", "10", "A\tC", "GT") "0/0\t0/0\t0/0\t0/1\n" SITE(                                \
        "1", "20", "A\tC",                                                                         \
        "GT") "0/0\t./.\t1/1\t0/1\n" SITE("1", "30", "A\tC",                                       \
                                          "GT") "1/1\t1/1\t1/1\t./.\n" SITE("2", "10", "A\tC",     \
                                                                            "GT") "1/1\t1/"        \
                                                                                  "1\t1/1\t0/"     \
                                                                                  "1\n" SITE(      \
                                                                                      "2", "20",   \
                                                                                      "A\tC",      \
                                                                                      "GT") "0/"   \
                                                                                            "0\t1" \
                                                                                            "/1\t" \
                                                                                            "0/"   \
                                                                                            "0\t0" \
                                                                                            "/1\n"

static void test_filters(void **state)
{
    struct data_spec spec = vcf_of(FILTERED);
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.filter.maf = 0.2;
    spec.filter.call_rate = 0.8;
    load(&d, &report, &spec);
    assert_string_equal(text_of(&d), "2_20=0 2 0 1\n");
    assert_int_equal(report.n_features, 5);
    assert_int_equal(noted_number(&report, "filters", " rare"), 2);
    assert_int_equal(noted_number(&report, "filters", " markers with too many"), 2);
    dataset_release(&d);
    spec.filter.maf = 0.125; /* exactly as rare as these are */
    spec.filter.call_rate = 0.75;
    expect(&spec, "1_10=0 0 0 1\n1_20=0 ? 2 1\n2_10=2 2 2 1\n2_20=0 2 0 1\n");
    spec.filter.region = "2, 1:20-25";
    expect(&spec, "1_20=0 ? 2 1\n2_10=2 2 2 1\n2_20=0 2 0 1\n");
    spec.filter.region = "1:20,2:20-";
    expect(&spec, "1_20=0 ? 2 1\n2_20=0 2 0 1\n");
    spec.filter.region = NULL;
    spec.filter.variants = "first:2";
    expect(&spec, "1_10=0 0 0 1\n1_20=0 ? 2 1\n");
    spec.filter.variants = "thin:2";
    expect(&spec, "1_10=0 0 0 1\n2_10=2 2 2 1\n");
    spec.filter.variants = "thin:9";
    spec.filter.region = "2:10-20";
    expect(&spec, "2_10=2 2 2 1\n2_20=0 2 0 1\n");
}

static void test_nothing_left(void **state)
{
    struct data_spec spec = vcf_of(FILTERED);

    (void)state;
    spec.filter.region = "3";
    refuse_spec(&spec,
                "panel.vcf: no site is in data.region: 5 are elsewhere, on chromosomes \"1\", "
                "\"2\"");
    spec.filter.region = "2:20";
    spec.filter.maf = 0.5;
    refuse_spec(&spec,
                "panel.vcf: no variant is left: 1 read, 0 monomorphic, 0 with too many missing "
                "calls, 1 rare; 4 sites outside data.region, 0 multi-allelic");
    spec.filter.maf = 0;
    spec.filter.region = "3:9-8";
    refuse_spec(&spec, "region = 3:9-8: must be CHROM, CHROM:POS, CHROM:FROM-TO or CHROM:FROM-, or "
                       "several of these separated by commas");
    spec.filter.region = NULL;
    spec.filter.variants = "thin";
    refuse_spec(&spec, "data.variants = thin: must be all | first:N | thin:N, N an integer in [1, "
                       "2147483647]");
}

static void test_split_of_subset(void **state)
{
    struct data_spec spec = vcf_of(FILTERED);

    (void)state;
    spec.phenotypes = scratch_text("part.csv", "id,y\nd,1\na,2\nc,9\n");
    spec.split = scratch_text("split.csv", "id,part\na,train\nb,val\n");
    spec.subset = DATA_SUBSET_PHENOTYPED;
    refuse_spec(&spec, "split.csv:3: id \"b\" is in panel.vcf but has no value, so data.subset = "
                       "phenotyped drops it: remove it from this file or set data.subset = all");
    scratch_text("split.csv", "id,part\na,train\ne,val\n");
    refuse_spec(&spec, "split.csv:3: column \"id\": id \"e\" is not in panel.vcf");
}

static void test_subset(void **state)
{
    struct data_spec spec = vcf_of(FILTERED);
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.phenotypes = scratch_text("part.csv", "id,y\nd,1\nq,7\nb,NA\na,2\nc,9\n");
    spec.subset = DATA_SUBSET_PHENOTYPED;
    load(&d, &report, &spec);
    assert_string_equal(text_of(&d), "1_10=1 0 0\n1_20=1 0 2\n2_10=1 2 2\n2_20=1 0 0\n");
    assert_string_equal(dataset_id(&d, 0), "d");
    assert_true(d.target[2] == 9);
    assert_int_equal(report.n_samples, 4);
    assert_int_equal(report.n_joined, 3);
    assert_int_equal(report.n_unjoined, 1);
    assert_string_equal(noted(&report, "unmatched"), "\"q\"");
    dataset_release(&d);
    spec.genotypes = scratch_text("geno.csv", "id,m1,m2\na,0,0\nb,1,2\nc,2,\nd,0,1\n");
    expect(&spec, "m1=0 0 2\nm2=1 0 ?\n");
    spec.filter.region = "1";
    refuse_spec(&spec, "data.region needs positions: geno.csv is a table and has none");
    spec.filter = (struct data_filter){.multiallelic = DATA_MULTIALLELIC_SKIP};
    refuse_spec(&spec, "data.multiallelic = skip needs sites: geno.csv is a table and has none");
    spec.filter = (struct data_filter){.dosage = DATA_DOSAGE_DS};
    refuse_spec(&spec,
                "data.dosage = DS needs a file with such a field, as a VCF: geno.csv is a table");
    spec.filter = (struct data_filter){.maf = 0.3, .variants = "first:1"};
    expect(&spec, "m1=0 0 2\n");
}

static const struct {
    const char *text;
    enum data_dosage dosage;
    double maf;
    const char *kept;
    double kinship[10]; /* of samples i <= j */
} panels[] = {
    {HEAD "1\t10\t." AC "0/0\t0/1\t1/1\t./.\n"
          "1\t20\t." AC "0/0\t0/0\t0/0\t0/1\n"
          "1\t30\t." AC "1/1\t0/1\t1/1\t0/0\n"
          "1\t40\t." AC "0/1\t0/1\t0/0\t1/1\n",
     DATA_DOSAGE_GT,
     0.2,
     "1_10 1_30 1_40 ",
     {1.0638297872, -0.1276595745, -0.2978723404, -0.6382978723, 0.0425531915, -0.1276595745,
      0.2127659574, 1.7446808511, -1.3191489362, 1.7446808511}},
    {HEAD "1\t10\t." AC "0/0/0/0\t0/0/0/1\t1/1/1/1\t0/1/0/1\n"
          "1\t20\t." AC "0/0/0/0\t0/0/0/0\t0/0/0/0\t0/0/0/1\n"
          "1\t30\t." AC "1/1/0/1\t1/1/1/1\t1/1/1/1\t./././.\n"
          "1\t40\t." AC "0/0/1/1\t0/0/0/0\t0/0/0/1\t0/1/1/1\n",
     DATA_DOSAGE_GT,
     0.1,
     "1_10 1_40 ",
     {1.7235772358, 0.2926829268, -2.1788617886, 0.1626016260, 1.4634146341, -0.4878048780,
      -1.2682926829, 2.7642276423, -0.0975609756, 1.2032520325}},
    {HEAD "1\t10\t." AC_DS "0.05\t1.1\t3.9\t2.2\n"
          "1\t20\t." AC_DS "0.1\t0\t0.3\t0.9\n"
          "1\t30\t." AC_DS "2.75\t3.8\t3.95\t.\n"
          "1\t40\t." AC_DS "1.9\t0.2\t1.25\t3\n",
     DATA_DOSAGE_DS,
     0.1,
     "1_10 1_30 1_40 ",
     {1.5784958910, 0.2502701110, -1.7275316767, -0.1012343254, 1.0572635301, -0.3704940576,
      -0.9370395835, 1.9588121665, 0.1392135678, 0.8990603412}},
    {HEAD "1\t10\t." AC "1/1\t0/0/0/1\t0/1/1/1\t0/0/0/0\n"
          "1\t20\t." AC "0/1\t0/0/0/0\t0/0/0/0\t0/0/0/1\n"
          "1\t30\t." AC "0/0\t0/0/0/0\t0/0/0/0\t0/0/0/1\n"
          "1\t40\t." AC "0/0\t1/1/1/1\t0/0/0/1\t0/1/1/1\n",
     DATA_DOSAGE_GT,
     0.1,
     "1_10 1_20 1_40 ",
     {3.6646706587, -2.6586826347, 1.1736526946, -2.1796407186, 2.1317365269, -0.9341317365,
      1.4610778443, 0.9820359281, -1.2215568862, 1.9401197605}},
};

/* The markers that maf keeps and their kinship, as numpy computes them: tests/golden/make_kinship.py. */
static void test_kinship(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof panels / sizeof *panels; p++) {
        struct data_spec spec = vcf_of(panels[p].text);
        const double *wanted = panels[p].kinship;
        struct data_report report;
        struct similarity s;
        struct dataset d;
        char kept[80] = "";

        spec.filter.dosage = panels[p].dosage;
        spec.filter.maf = panels[p].maf;
        load(&d, &report, &spec);
        for (int32_t j = 0; j < d.n_features; j++)
            sprintf(kept + strlen(kept), "%s ", dataset_feature_name(&d, j));
        assert_string_equal(kept, panels[p].kept);
        assert_int_equal(similarity_init(&s, &d, GRAPH_KINSHIP, NULL), 0);
        while (similarity_next(&s))
            for (int32_t i = s.first; i < s.first + s.n_rows; i++)
                for (int32_t j = i; j < d.n_samples; j++)
                    assert_true(fabs(similarity_of(&s, i, j) - *wanted++) < 1e-6);
        similarity_release(&s);
        dataset_release(&d);
    }
}

/* More markers than a chunk, more samples than a block, and three marker widths. */
static void test_many(void **state)
{
    enum { SAMPLES = 600, SITES = 5000 };
    struct data_spec spec = spec_of(scratch_path("many.vcf"));
    struct data_report report;
    FILE *file, *pheno;
    struct dataset d;
    struct mat x;

    (void)state;
    if (getenv("TEST_UNDER_VALGRIND")) /* which needs half a minute */
        skip();
    file = fopen(spec.genotypes, "w");
    pheno = fopen(scratch_path("many.csv"), "w");
    fputs(META "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT", file);
    fputs("id,y\n", pheno);
    for (int i = 0; i < SAMPLES; i++) {
        fprintf(file, "\t%d", i);
        fprintf(pheno, "%d,%d.5\n", i, i);
    }
    for (int j = 0; j < SITES; j++) {
        fprintf(file, "\n1\t%d\t.\tA\tC\t.\t.\t.\tDS", j + 1);
        for (int i = 0; i < SAMPLES; i++)
            fprintf(file, "\t%g", j > 4400 ? (i * j) % 7 / 2.0 : (i * 2 + j) % (j % 100 ? 3 : 9));
    }
    fputc('\n', file);
    fclose(file);
    fclose(pheno);
    spec.phenotypes = scratch_path("many.csv");
    spec.filter.dosage = DATA_DOSAGE_DS;
    load(&d, &report, &spec);
    assert_int_equal(d.n_features, SITES - noted_number(&report, "genotypes", " monomorphic"));
    assert_int_equal(mat_init(&x, d.n_samples, d.n_features, NULL), 0);
    dataset_decode(&x, &d, 0, 0);
    for (int32_t k = 0; k < d.n_features; k++) {
        int j = atoi(dataset_feature_name(&d, k) + 2) - 1;

        for (int i = 0; i < SAMPLES; i++) {
            double wanted = j > 4400 ? (i * j) % 7 / 2.0 : (i * 2 + j) % (j % 100 ? 3 : 9);

            if ((double)mat_row(&x, i)[k] != wanted)
                fail_msg("sample %d of marker %d: %g, not %g", i, j, (double)mat_row(&x, i)[k],
                         wanted);
        }
    }
    mat_release(&x);
    dataset_release(&d);
}

static void test_nearly_vcf(void **state)
{
    (void)state;
    refuse_vcf("\xef\xbb\xbf" HEAD,
               "panel.vcf:1: begins with a byte order mark: a VCF must begin with "
               "##fileformat=VCFv4; save it as UTF-8 without the mark");
    refuse_vcf(COLUMNS SITE("1", "10", "A\tC", "GT") "0/0\t0/1\t1/1\t0/0\n",
               "panel.vcf:1: begins with \"#CHROM?POS?ID?REF?ALT?QUAL?FILTER?INFO?F\": the first "
               "line of a VCF must be ##fileformat=VCFv4.2 or another version");
    refuse_vcf("##contig=<ID=1>\r\n" COLUMNS,
               "panel.vcf:1: begins with \"##contig=<ID=1>\": the first line of a VCF must be "
               "##fileformat=VCFv4.2 or another version");
}

static void test_faulty_vcf(void **state)
{
    (void)state;
    refuse_vcf(META "1\t10\n", "panel.vcf:3: \"1?10\": the header must end with a line #CHROM ...");
    refuse_vcf(META, "panel.vcf:3: the file ends before the line #CHROM ...");
    refuse_vcf(META "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n",
               "panel.vcf:3: no samples after the column FORMAT");
    refuse_vcf(META "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\ta\n",
               "panel.vcf:3: sample \"a\" occurs twice, first as sample 1");
    refuse_vcf(HEAD "1\t10\t.\tA\n",
               "panel.vcf:4: 4 columns: must be 9 and one for each of the 4 samples");
    refuse_vcf(HEAD SITE("1", "10", "A\tC", "GT") "0/0\t0/1\t1/1\n",
               "panel.vcf:4: 3 samples: the header has 4");
    refuse_vcf(HEAD SITE("1", "10", "A\tC", "GT") "0/0\t0/1\t1/1\t0/0\t0/0\n",
               "panel.vcf:4: more than 4 samples: the header has 4");
    refuse_vcf(
        HEAD SITE("1", "ten", "A\tC", "GT") "0/0\t0/1\t1/1\t0/0\n",
        "panel.vcf: no variant is left: 0 read, 0 monomorphic, 0 with too many missing "
        "calls, 0 rare; 0 sites outside data.region, 0 multi-allelic, 1 that cannot be used: "
        "\"1\" (POS is no whole number)");
}

/* Odd sites are dropped, odd calls are missing, and repeated markers are dropped; all are counted. */
static void test_odd_sites(void **state)
{
    struct data_spec spec = vcf_of(HEAD "1\t10\t." AC "0/0\t0/1\t1/1\t0/0\n"
                                        "1\tten\t." AC "0/0\t0/1\t1/1\t0/0\n"
                                        "1\t20\t.\tA\tC,\t.\t.\t.\tGT\t0/0\t0/1\t1/1\t0/0\n"
                                        "1\t30\t.\tA\tC\t.\t.\t.\tDP:DS\t1:0\t2:1\t3:0\t4:1\n"
                                        "1\t10\t." AC "0/0\t0/1\t1/1\t0/1\n"
                                        "1\t40\t." AC "0/0\t0/1\t1/2\t0/\n"
                                        "1\t50\t." AC ".\t.\t./.\t.\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_string_equal(text_of(&d), "1_10=0 1 2 0\n1_40=0 1 ? ?\n");
    assert_non_null(strstr(noted(&report, "odd sites"),
                           "3 sites dropped, which cannot be used: \"1\" (POS is no whole number), "
                           "\"1:20\" (an empty allele in ALT), \"1:30\" (no GT, but DS: [data] "
                           "dosage = DS reads both)"));
    assert_non_null(strstr(noted(&report, "malformed"),
                           "2 calls cannot be read and count as missing; the first is line 9, "
                           "sample \"c\": \"1/2\""));
    assert_non_null(strstr(noted(&report, "repeated"), "1 marker dropped"));
    assert_string_equal(noted(&report, "uncalled"), "1 marker without any call dropped");
    assert_int_equal(noted_number(&report, "genotypes", " monomorphic"), 0);
    dataset_release(&d);
}

/* The id is the identity of a marker without a place, and tells markers at one place apart. */
static void test_identity(void **state)
{
    static const char text[] = HEAD "0\t0\ta" AC "0/0\t0/1\t1/1\t0/0\n"
                                    "0\t0\tb" AC "0/1\t0/1\t1/1\t0/0\n"
                                    "chrUn\t7\tc" AC "0/0\t1/1\t1/1\t0/0\n"
                                    "0\t0\ta" AC "0/0\t0/0\t1/1\t0/0\n"
                                    "UN\t0\t." AC "1/1\t0/0\t0/0\t0/0\n"
                                    "UN\t0\t." AC "0/0\t0/0\t0/0\t1/1\n"
                                    "1\t5\tx" AC "0/0\t0/0\t0/1\t1/1\n"
                                    "1\t5\ty" AC "0/0\t0/1\t0/1\t1/1\n"
                                    "1\t5\t." AC "0/0\t0/1\t1/1\t1/1\n"
                                    "un\t9\tb" AC "0/0\t0/0\t0/1\t0/0\n";
    struct data_spec spec = vcf_of(text);
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_string_equal(text_of(&d), "a=0 1 2 0\nb=1 1 2 0\nc=0 2 2 0\nUN_0_A_C_5=2 0 0 0\n"
                                     "UN_0_A_C_6=0 0 0 2\n1_5_A_C_x=0 0 1 2\n1_5_A_C_y=0 1 1 2\n");
    assert_non_null(strstr(noted(&report, "repeated"), "3 markers dropped"));
    assert_non_null(strstr(noted(&report, "repeated"), "come before: \"a\", \"1_5\", \"b\""));
    dataset_release(&d);
}

static void test_faulty_dosages(void **state)
{
    struct data_spec spec = vcf_of(HEAD SITE("1", "10", "A\tC,G", "DS") "0,0\t1,x\t1,1\t2,1\n");

    (void)state;
    spec.filter.dosage = DATA_DOSAGE_DS;
    expect(&spec, "1_10_A_C=0 ? 1 2\n1_10_A_G=0 ? 1 1\n");
    spec.ploidy = 4;
    spec.filter.maf = 0.3; /* 1 of 4 on average */
    refuse_spec(&spec, "panel.vcf: no variant is left: 2 read, 0 monomorphic, 0 with too many "
                       "missing calls, 2 rare; 0 sites outside data.region, 0 multi-allelic");
}

/* Without the last `less` bytes. */
static const char *gzipped(const char *name, const char *text, size_t less)
{
    static char packed[1 << 16];
    const char *path = scratch_path(name);
    gzFile out = gzopen(path, "wb");
    FILE *in;
    size_t n;

    gzwrite(out, text, (unsigned)strlen(text));
    gzclose(out);
    in = fopen(path, "rb");
    n = fread(packed, 1, sizeof packed, in);
    fclose(in);
    return scratch_bytes(name, packed, n - less);
}

static void test_gzip(void **state)
{
    struct data_spec spec = spec_of(gzipped("panel.vcf.gz", FILTERED, 0));

    (void)state;
    expect(&spec, "1_10=0 0 0 1\n1_20=0 ? 2 1\n2_10=2 2 2 1\n2_20=0 2 0 1\n");
    for (size_t less = 1; less < 40; less++) {
        struct dataset d;
        struct data_report report;
        struct err err = {""};

        spec = spec_of(gzipped("panel.vcf.gz", FILTERED, less));
        if (data_load(&d, &spec, &report, &err) == 0)
            fail_msg("cut off by %zu bytes, it was read", less);
        if (!strstr(err.text, "cut off"))
            fail_msg("%s", err.text);
    }
}

static void test_bgzf(void **state)
{
    const char *path = scratch_path("panel.vcf.gz");
    BGZF *out = bgzf_open(path, "w");
    struct data_spec spec = spec_of(path);
    char bytes[4096];
    size_t n;
    FILE *file;

    (void)state;
    assert_int_equal(bgzf_write(out, FILTERED, strlen(FILTERED)), strlen(FILTERED));
    bgzf_close(out);
    expect(&spec, "1_10=0 0 0 1\n1_20=0 ? 2 1\n2_10=2 2 2 1\n2_20=0 2 0 1\n");
    file = fopen(path, "rb");
    n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    spec = spec_of(scratch_bytes("panel.vcf.gz", bytes, n - 28)); /* between two blocks */
    refuse_spec(&spec, "panel.vcf.gz: truncated: the end marker of a BGZF file is missing");
}

/* ---- BCF ---- */

#define DEFINED                                                \
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=X>\n" \
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n" \
    "##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"\">\n" COLUMNS

/* Without the last `less` bytes. */
static const char *bcf_of(const char *text, size_t less)
{
    static char bytes[1 << 16];
    const char *path = scratch_path("panel.bcf");
    htsFile *in = hts_open(scratch_text("from.vcf", text), "r");
    htsFile *out = hts_open(path, "wb");
    bcf_hdr_t *header;
    bcf1_t *record = bcf_init();
    FILE *file;
    size_t n;

    hts_set_log_level(HTS_LOG_OFF);
    header = bcf_hdr_read(in);
    assert_int_equal(bcf_hdr_write(out, header), 0);
    while (bcf_read(in, header, record) == 0)
        assert_int_equal(bcf_write(out, header, record), 0);
    bcf_destroy(record);
    bcf_hdr_destroy(header);
    hts_close(in);
    hts_close(out);
    file = fopen(path, "rb");
    n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return scratch_bytes("panel.bcf", bytes, n - less);
}

#define MIXED                                                                           \
    DEFINED SITE("1", "10", "A\tC,G", "GT:DS") "0/1:1,0\t1|2:1,1.5\t2/2:0,2\t.\n" SITE( \
        "1", "20", "A\tC",                                                              \
        "DS:GT") "0:0\t.:1\t2:.\t1:0\n" SITE("X", "5", "AT\tA",                         \
                                             "GT:DS") "0|1:1\t0/1/1:1\t1|.:2\t.:0\n"

/* Like bcftools -r: a site is in a region that its REF or END reaches. */
static void test_overlap(void **state)
{
    static const char text[] =
        META "##INFO=<ID=END,Number=1,Type=Integer,Description=\"\">\n##contig=<ID=1>\n"
             "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n" COLUMNS
             "1\t6\t.\tA\tAC\t.\t.\t.\tGT\t0/0\t0/0\t0/0\t0/1\n"
             "1\t7\t.\tACG\tA\t.\t.\t.\tGT\t0/0\t0/0\t0/0\t0/1\n"
             "1\t8\t.\tACG\tA\t.\t.\t.\tGT\t0/0\t0/0\t0/0\t0/1\n"
             "1\t9\t.\tA\t<DEL>\t.\t.\tX;END=10\tGT\t0/0\t0/0\t0/0\t0/1\n"
             "1\t11\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/0\t0/0\t0/1\n";
    struct data_spec spec[2] = {vcf_of(text), spec_of(bcf_of(text, 0))};

    (void)state;
    for (int i = 0; i < 2; i++) {
        spec[i].filter.region = "1:10";
        expect(&spec[i], "1_8=0 0 0 1\n1_9=0 0 0 1\n");
    }
}

static void test_bcf(void **state)
{
    struct data_spec text = vcf_of(MIXED), binary = spec_of(bcf_of(MIXED, 0));
    struct data_report report;
    struct dataset a, b;

    (void)state;
    for (int ds = 0; ds < 2; ds++) {
        text.filter.dosage = binary.filter.dosage = ds ? DATA_DOSAGE_DS : DATA_DOSAGE_GT;
        load(&a, &report, &text);
        load(&b, &report, &binary);
        assert_string_equal(text_of(&a), ds ? "1_10_A_C=1.5 1.5 0 1\n1_10_A_G=0 2.25 3 1.75\n"
                                              "1_20=0 3 2 3\nX_5=1.5 1 2 0\n"
                                            : "1_10_A_C=1.5 1.5 0 1\n1_10_A_G=0 1.5 3 1.5\n"
                                              "1_20=0 3 1 0\nX_5=1.5 2 1.75 1.75\n");
        assert_true(hash_equal(a.digest, b.digest));
        dataset_release(&a);
        dataset_release(&b);
    }
}

/* Masked sequence is in small letters, which equal capitals. Alleles that are not sequence keep
 * their case. */
static void test_case(void **state)
{
    struct data_spec spec[] = {
        vcf_of(HEAD SITE("1", "10", "a\tnCg,<del>", "GT") "0/0\t0/1\t1/1\t0/2\n"),
        spec_of(bcf_of(DEFINED SITE("1", "10", "a\tnCg,<del>", "GT") "0/0\t0/1\t1/1\t0/2\n", 0))};
    struct data_report report;
    struct dataset d;

    (void)state;
    for (int i = 0; i < 2; i++) {
        load(&d, &report, &spec[i]);
        assert_int_equal(d.n_features, 2);
        assert_string_equal(dataset_alleles(&d, 0), "1\t10\tA\tNCG");
        assert_string_equal(dataset_alleles(&d, 1), "1\t10\tA\t<del>");
        dataset_release(&d);
    }
}

static void test_faulty_bcf(void **state)
{
    struct data_spec spec = spec_of(bcf_of(MIXED, 28));

    (void)state;
    refuse_spec(&spec, "panel.bcf: truncated: the end marker of a BGZF file is missing");
    spec = spec_of(bcf_of(DEFINED SITE("1", "10", "A\tC", "DS") "0\t1\t2\t1\n" SITE(
                              "1", "20", "A\tC", "GT") "0/1\t1/2\t1\t0/0\n",
                          0));
    expect(&spec, "1_20=1 ? 2 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_genotypes),      cmocka_unit_test(test_dosages),
        cmocka_unit_test(test_multiallelic),   cmocka_unit_test(test_filters),
        cmocka_unit_test(test_nothing_left),   cmocka_unit_test(test_subset),
        cmocka_unit_test(test_overlap),        cmocka_unit_test(test_split_of_subset),
        cmocka_unit_test(test_many),           cmocka_unit_test(test_faulty_vcf),
        cmocka_unit_test(test_odd_sites),      cmocka_unit_test(test_identity),
        cmocka_unit_test(test_faulty_dosages), cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_bgzf),           cmocka_unit_test(test_bcf),
        cmocka_unit_test(test_faulty_bcf),     cmocka_unit_test(test_case),
        cmocka_unit_test(test_nearly_vcf),     cmocka_unit_test(test_kinship),
    };

    return cmocka_run_group_tests_name("variants", tests, scratch_make, scratch_remove);
}
