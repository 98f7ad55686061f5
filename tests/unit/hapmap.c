/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/recode.h"
#include "loading.h"
#include "scratch.h"
#include "unit.h"

#define COLUMNS \
    "rs#\talleles\tchrom\tpos\tstrand\tassembly#\tcenter\tprotLSID\tassayLSID\tpanelLSID\tQCcode"
#define HEAD COLUMNS "\ta\tb\tc\td\n"
#define REST "\t+\tNA\tNA\tNA\tNA\tNA\tNA\t"
#define PHENO "id,y\na,1\nb,2\nc,3.5\nd,4\n"

static struct data_spec hapmap_of(const char *text)
{
    return (struct data_spec){.format = &genotype_format,
                              .genotypes = scratch_text("panel.hmp.txt", text),
                              .phenotypes = scratch_text("pheno.csv", PHENO)};
}

static void expect(const char *text, int32_t n_markers, const int8_t *wanted)
{
    struct data_spec spec = hapmap_of(text);
    struct data_report report;
    struct dataset d;
    struct err err = {""};

    if (data_load(&d, &spec, &report, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(d.n_features, n_markers);
    assert_memory_equal(d.dosage, wanted, 4 * (size_t)n_markers);
    assert_string_equal(dataset_feature_name(&d, 0), "1_10");
    assert_string_equal(dataset_alleles(&d, 0), "1\t10\tA\tC");
    dataset_release(&d);
}

static void test_calls(void **state)
{
    static const int8_t two_letters[] = {0, 2, 1, 1, 2, 0, -128, 0};
    static const int8_t one_letter[] = {0, 1, 1, 0, 2, 2, -128, 0};

    (void)state;
    expect(HEAD "m1\tA/C\t1\t10" REST "AA\tCA\tCC\tNN\nm2\t-/+\t2\t5" REST "++\t-+\t--\t--\n", 2,
           two_letters);
    expect(COLUMNS "\ta\tb\tc\td\r\nm1\ta/C\t1\t10" REST "A\tM\tc\tN\r\nm2\tG/T\t2\t5" REST
                   "K\tG\tT\tG\r\n",
           2, one_letter);
}

static void test_three_alleles(void **state)
{
    static const int8_t wanted[] = {0, 0, 1, 1, 2, 0, 0, 2};

    (void)state;
    struct data_spec spec = hapmap_of(HEAD "m1\tA/C/G\t1\t10" REST "AA\tCG\tCC\tGG\n"
                                           "m2\tA\t1\t20" REST "AA\tAA\tAA\tAA\n");
    struct data_report report;
    struct dataset d;

    assert_int_equal(data_load(&d, &spec, &report, NULL), 0);
    assert_memory_equal(d.dosage, wanted, sizeof wanted);
    assert_string_equal(dataset_feature_name(&d, 1), "1_10_A_G");
    assert_int_equal(noted_number(&report, "genotypes", " monomorphic"), 1);
    dataset_release(&d);
}

/* ---- alleles that the file does not name ---- */

/* The alleles are the letters of the calls in alphabetical order. A partly missing call adds
 * none. */
static void test_seen_alleles(void **state)
{
    static const int8_t wanted[] = {2, 2, 0, 1, 0, 0, 0, 1, 1, -128, -128, -128};
    static const char *const unknown[] = {"NA", "", "N"};
    char text[1000];

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 HEAD "m1\t%s\t1\t10" REST "CC\tCA\tAA\tNN\nm2\t%s\t2\t5" REST "G\tA\tK\tN\n"
                      "m3\t%s\t3\t5" REST "CC\tNN\tNN\tTN\nm4\t%s\t4\t5" REST "N\tN\tN\tN\n",
                 unknown[i], unknown[i], unknown[i], unknown[i]);
        expect(text, 3, wanted);
    }
}

#define TRAINED                                                                           \
    HEAD "m1\tA/C\t1\t10" REST "AA\tCA\tCC\tNN\nm2\tG/A\t1\t20" REST "GG\tGA\tAA\tGG\n"   \
         "m3\tA/C/G\t1\t30" REST "AA\tCG\tCC\tGG\nm4\tC/T\t1\t40" REST "CC\tCT\tTT\tCC\n" \
         "m5\tA/T\t1\t50" REST "AA\tAT\tTT\tAA\nm6\tC/G\t1\t60" REST "CC\tCG\tGG\tCC\n"   \
         "m7\tA/C\t1\t70" REST "AA\tAC\tCC\tAA\n"
enum { N_MARKERS = 8, N_NEW = 3 };
static const char *const new_call[][N_NEW] = {
    {"AA", "AC", "CC"}, {"GG", "AG", "AA"}, {"CC", "CG", "AA"}, {"CC", "AC", "TT"},
    {"TT", "TT", "NN"}, {"AA", "AG", "GG"}, {"GG", "GT", "GG"}};

static struct recode_report recode(float x[N_NEW][N_MARKERS], const struct data_spec *spec,
                                   int first, int end)
{
    static const int32_t sample[] = {0, 1, 2};
    struct recode_report report;
    struct data_report loaded;
    char text[2000] = COLUMNS;
    struct err err = {""};
    struct dataset d;
    struct recode r;
    struct mat mat;

    for (int i = first; i < end; i++)
        sprintf(text + strlen(text), "\tp%d", i);
    for (int j = 0; j < 7; j++) {
        sprintf(text + strlen(text), "\nm%d\tNA\t1\t%d\t+\tNA\tNA\tNA\tNA\tNA\tNA", j, 10 + 10 * j);
        for (int i = first; i < end; i++)
            sprintf(text + strlen(text), "\t%s", new_call[j][i]);
    }
    if (data_load(&d, spec, &loaded, &err) != 0 ||
        recode_open(&r, &d, scratch_text("new.hmp.txt", text), DATA_DOSAGE_GT, NULL, &err) != 0)
        fail_msg("%s", err.text);
    mat = mat_view(&x[first][0], end - first, d.n_features);
    if (recode_read(&mat, &report, &r, sample, end - first, &err) != 0)
        fail_msg("%s", err.text);
    recode_close(&r);
    dataset_release(&d);
    return report;
}

/* Letters decide which allele is counted. In the new file, the alleles of m2 are in the other order
 * and m5 has only one. A call of m4 and two of m6 have a letter that the data lack. m7 has no
 * letter of the data. */
static void test_seen_in_new_samples(void **state)
{
    static const float wanted[N_NEW][N_MARKERS] = {{0, 0, 2, 0, 0, 2, 0.75F, 0.75F},
                                                   {1, 1, 1, 1, 0.75F, 2, 0.75F, 0.75F},
                                                   {2, 2, 0, 0, 2, 0.75F, 2, 0.75F}};
    struct data_spec spec = hapmap_of(TRAINED);
    struct recode_report report;
    float x[N_NEW][N_MARKERS], alone[N_NEW][N_MARKERS];

    (void)state;
    report = recode(x, &spec, 0, N_NEW);
    assert_memory_equal(x, wanted, sizeof wanted);
    assert_int_equal(report.n_found, 7);
    assert_int_equal(report.n_other, 1);
    assert_int_equal(report.n_missing, 4);
    for (int i = 0; i < N_NEW; i++)
        recode(alone, &spec, i, i + 1);
    assert_memory_equal(alone, wanted, sizeof wanted);
}

/* Nobody knows which allele a table counts. */
static void test_seen_by_name(void **state)
{
    struct data_spec spec = hapmap_of(TRAINED);
    float x[N_NEW][N_MARKERS];

    (void)state;
    spec.genotypes = scratch_text("panel.csv", "id,1_10,1_50\na,0,1\nb,1,2\nc,2,0\nd,0,0\n");
    assert_int_equal(recode(x, &spec, 0, N_NEW).n_found, 0);
}

/* ---- alleles that the calls contradict ---- */

/* As in the example files of TASSEL and GAPIT. If the calls have two letters, these are the
 * alleles, and the column is ignored. A site with one letter, three or none is dropped. */
#define CONTRADICTED                                                                           \
    HEAD "PZB00859.1\tA/C\t1\t10" REST "AA\tCC\tAC\tNN\n"  /* correct */                       \
         "PZA01271.1\tA/C\t1\t20" REST "AA\tGG\tAG\tNN\n"  /* A and G */                       \
         "PZA03613.2\tG/T\t1\t30" REST "GG\tTT\tCC\tNN\n"  /* three letters */                 \
         "PZA03614.2\tA/T\t1\t40" REST "C\tY\tT\tN\n"      /* one-letter calls: C and T */     \
         "PZA00258.3\tA\t1\t50" REST "GG\tGG\tGG\tNN\n"    /* one letter, not the one named */ \
         "PZA02962.13\tA\t1\t60" REST "GG\tAA\tAG\tNN\n"   /* A and G */                       \
         "PZA02962.14\tA/G\t1\t70" REST "AA\t--\tGG\tA-\n" /* -- is no call */                 \
         "PZA00599.25\t+/-\t1\t80" REST "++\t--\t+-\tNN\n" /* -- is a call */

static void test_contradicted(void **state)
{
    static const int8_t wanted[] = {0, 0, 0, 2, 0, 0, 2,    2,    1,    0,    -128, 2,
                                    1, 1, 2, 1, 2, 1, -128, -128, -128, -128, -128, -128};
    static const char *const alleles[] = {"1\t10\tA\tC", "1\t20\tA\tG", "1\t40\tC\tT",
                                          "1\t60\tA\tG", "1\t70\tA\tG", "1\t80\t+\t-"};
    struct data_spec spec = hapmap_of(CONTRADICTED);
    const char *contradicted;
    struct data_report report;
    struct dataset d;
    struct err err = {""};

    (void)state;
    if (data_load(&d, &spec, &report, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(d.n_features, 6);
    assert_memory_equal(d.dosage, wanted, sizeof wanted);
    for (int32_t j = 0; j < d.n_features; j++)
        assert_string_equal(dataset_alleles(&d, j), alleles[j]);
    contradicted = noted(&report, "contradicted");
    assert_non_null(strstr(contradicted, "alleles taken from the calls: 3, dropped because their "
                                         "calls do not have two letters: 2"));
    assert_non_null(strstr(contradicted, "column alleles (\"PZA01271.1\", \""));
    assert_non_null(strstr(contradicted, ", \"PZA03614.2\" ...)"));
    assert_int_equal(report.n_features, 6);
    dataset_release(&d);
}

/* A partly missing call counts as missing and contradicts nothing. */
static void test_missing_in_part(void **state)
{
    static const int8_t wanted[] = {0, 2, -128, -128};
    struct data_spec spec = hapmap_of(HEAD "m1\tA/C\t1\t10" REST "AA\tCC\tTN\tNG\n");
    struct data_report report;
    struct dataset d;

    (void)state;
    assert_int_equal(data_load(&d, &spec, &report, NULL), 0);
    assert_memory_equal(d.dosage, wanted, sizeof wanted);
    assert_string_equal(noted(&report, "contradicted"), "");
    dataset_release(&d);
}

static void test_all_contradicted(void **state)
{
    struct data_spec spec = hapmap_of(HEAD "m1\tA/C\t1\t10" REST "AA\tCC\tGG\tNN\n");
    struct data_report report;
    struct dataset d;
    struct err err = {""};

    (void)state;
    assert_int_equal(data_load(&d, &spec, &report, &err), -1);
    assert_non_null(strstr(err.text, "0 multi-allelic, 1 with calls that contradict alleles"));
}

/* Calls decide, and letters match them with the training data, even at a site with three
 * letters. */
static void test_contradicted_in_new_samples(void **state)
{
    static const int32_t sample[] = {0, 1, 2};
    static const float wanted[] = {0, 2, 1, 1, 1, 1};
    struct data_spec spec = hapmap_of(
        HEAD "m1\tA/C\t1\t10" REST "AA\tCC\tAC\tNN\nm2\tA/C\t1\t20" REST "AA\tGG\tAG\tAG\n");
    struct recode_report report;
    struct data_report loaded;
    struct dataset d;
    struct recode r;
    struct mat x;
    float values[6];

    (void)state;
    assert_int_equal(data_load(&d, &spec, &loaded, NULL), 0);
    assert_int_equal(
        recode_open(&r, &d,
                    scratch_text("new.hmp.txt", COLUMNS "\tp\tq\tr\n"
                                                        "m1\tA/C\t1\t10" REST "AA\tCA\tTT\n"
                                                        "m2\tA/C\t1\t20" REST "GG\tCC\tAG\n"),
                    DATA_DOSAGE_GT, NULL, NULL),
        0);
    x = mat_view(values, 3, d.n_features);
    assert_int_equal(recode_read(&x, &report, &r, sample, 3, NULL), 0);
    assert_int_equal(report.n_found, 2);
    assert_int_equal(report.n_missing, 2);
    assert_int_equal(report.contradicted.n_taken, 2);
    assert_string_equal(report.contradicted.sites.text, "\"m1\", \"m2\"");
    assert_memory_equal(values, wanted, sizeof wanted);
    recode_close(&r);
    dataset_release(&d);
}

static void refuse(const char *text, const char *wanted)
{
    struct data_spec spec = hapmap_of(text);
    struct dataset d;
    struct data_report report;
    struct err err = {""};

    assert_int_equal(data_load(&d, &spec, &report, &err), -1);
    assert_string_equal(err.text + strlen(scratch_folder) + 1, wanted);
}

static void test_faulty(void **state)
{
    (void)state;
    refuse(COLUMNS "\nm1\tA/C\t1\t10" REST "\n",
           "panel.hmp.txt:1: 11 columns: must be those about the site (rs#, alleles, chrom, "
           "pos, ...) and one for each sample");
    refuse(COLUMNS "\ta\tb\ta\n", "panel.hmp.txt:1: sample \"a\" occurs twice, first as sample 1");
    refuse(HEAD "m1\tA/C\t1\t10" REST "AA\tCA\tCC\n",
           "panel.hmp.txt:2: 14 cells: the header has 15");
}

/* One odd site or call refuses nothing. R writes 1e+05, and an unknown position is no place. */
static void test_odd(void **state)
{
    static const int8_t wanted[] = {0, 0, 0, 2, 2, 1, 1, 1, -128, -128, -128, 2};
    struct data_spec spec = hapmap_of(
        HEAD "m0\tA/C\t1\tabc" REST "AA\tCA\tCC\tNN\nm1\tAT/A\t1\t10" REST
             "AA\tCA\tCC\tNN\nm2\tA/C\t1\t1e+05" REST "AA\tCC\tA/C\tAAC\nm3\tA/C\t\tNA" REST
             "AA\tCC\tAC\tQQ\nm4\tA/C\t1\t7" REST "A|A\tM\t??\tC:C\n");
    struct data_report report;
    struct dataset d;
    struct err err = {""};
    const char *names[] = {"1_100000", "m3", "1_7"};

    (void)state;
    if (data_load(&d, &spec, &report, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(d.n_features, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(dataset_feature_name(&d, i), names[i]);
    for (int i = 0; i < 12; i++)
        assert_int_equal(d.dosage[i], wanted[(i % 3) + 3 * (i / 3)]);
    dataset_release(&d);
}

/* The columns decide, not the first bytes. */
static void test_headers(void **state)
{
    static const char *const headers[] = {
        "RS#\talleles\tchrom\tpos\ta\tb\tc\td\n",
        "##TASSEL\n\"rs.\"\t\"alleles\"\t\"chrom\"\t\"pos\"\ta\tb\tc\td\n",
        "\xef\xbb\xbfSNP,Allele,Chromosome,Position,strand,a,b,c,d\n",
        "rs alleles chrom pos strand assembly. center a b c d\n",
    };
    static const char *const rows[] = {
        "m1\tA/C\t1\t10\tAA\tCA\tCC\tNN\n", "m1\tA/C\t1\t10\tAA\tCA\tCC\tNN\n",
        "m1,A/C,1,10,+,AA,CA,CC,NN\n", "m1 A/C 1 10 + NA NA AA CA CC NN\n"};
    static const int8_t wanted[] = {0, 1, 2, -128};
    char text[500];

    (void)state;
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s%s", headers[i], rows[i]);
        expect(text, 1, wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_three_alleles),
        cmocka_unit_test(test_seen_alleles),
        cmocka_unit_test(test_seen_in_new_samples),
        cmocka_unit_test(test_seen_by_name),
        cmocka_unit_test(test_contradicted),
        cmocka_unit_test(test_missing_in_part),
        cmocka_unit_test(test_all_contradicted),
        cmocka_unit_test(test_contradicted_in_new_samples),
        cmocka_unit_test(test_faulty),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_headers),
    };

    return cmocka_run_group_tests_name("hapmap", tests, scratch_make, scratch_remove);
}
