/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "data/format.h"
#include "data/genotype/recode.h"
#include "scratch.h"
#include "unit.h"

/* Ids of markers (rs# of HapMap, ID of VCF, names of a .bim) match markers of another file when
 * nothing else does. */

#define PHENO "id,y\na,1\nb,2\nc,3.5\n"
#define VCF "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n"
#define GT "\t.\t.\t.\tGT\t"
#define HAPMAP                                                                        \
    "rs#\talleles\tchrom\tpos\tstrand\tassembly#\tcenter\tprotLSID\tassayLSID\tpanel" \
    "LSID\tQCcode\ta\tb\tc\n"
#define REST "\t+\tNA\tNA\tNA\tNA\tNA\tNA\t"
#define BIM "1 rs1 0 10 C A\n1 rs2 0 20 T G\n1 rs3 0 30 C A\n"
#define FAM "f a 0 0 1 1\nf b 0 0 2 2\nf c 0 0 1 3.5\n"

/* Samples a, b and c at three sites. All files count the same alleles. */
static const int8_t dosage[] = {0, 2, 1, 1, 0, 1, 2, 1, 0};
static const char vcf[] = VCF "1\t10\trs1\tA\tC" GT "0/0\t0/1\t1/1\n"
                              "1\t20\trs2\tG\tT" GT "1/1\t0/0\t0/1\n"
                              "1\t30\trs3\tA\tC" GT "0/1\t0/1\t0/0\n";
static const char hapmap[] = HAPMAP "rs1\tA/C\t1\t10" REST "AA\tAC\tCC\nrs2\tG/T\t1\t20" REST
                                    "TT\tGG\tGT\nrs3\tA/C\t1\t30" REST "AC\tAC\tAA\n";
static const uint8_t bed[] = {0x6c, 0x1b, 1, 0x0b, 0x2c, 0x3a};
static const char table[] = "id,rs1,rs2,rs3\na,0,2,1\nb,1,0,1\nc,2,1,0\n";

static const char *write_plink(void)
{
    scratch_text("set.bim", BIM);
    scratch_text("set.fam", FAM);
    return scratch_bytes("set.bed", bed, sizeof bed);
}

static void load(struct dataset *d, const char *path)
{
    struct data_spec spec = {.format = &genotype_format,
                             .genotypes = path,
                             .phenotypes = scratch_text("pheno.csv", PHENO)};
    struct data_report report;
    struct err err = {""};

    if (data_load(d, &spec, &report, &err) != 0)
        fail_msg("%s", err.text);
}

static struct recode_report recode(float *x, const struct dataset *d, const char *path)
{
    static const int32_t sample[] = {0, 1, 2};
    struct mat mat = mat_view(x, 3, d->n_features);
    struct recode_report report;
    struct err err = {""};
    struct recode r;

    for (int again = 0; again < 2; again++) {
        if (recode_open(&r, d, path, DATA_DOSAGE_GT, NULL, &err) != 0 ||
            recode_read(&mat, &report, &r, sample, 3, &err) != 0 ||
            recode_read(&mat, &report, &r, sample, 3, &err) != 0) /* reads from the beginning */
            fail_msg("%s", err.text);
        recode_close(&r);
    }
    return report;
}

static void expect(const float *x, const int8_t *wanted, int n)
{
    for (int i = 0; i < n; i++)
        assert_true(x[i] == (float)wanted[i]);
}

static void test_kept(void **state)
{
    const char *paths[] = {scratch_text("panel.vcf", vcf), scratch_text("panel.hmp.txt", hapmap),
                           write_plink()};
    struct hash digest[3];
    struct dataset d;

    (void)state;
    for (int i = 0; i < 3; i++) {
        load(&d, paths[i]);
        assert_memory_equal(d.dosage, dosage, sizeof dosage);
        assert_string_equal(dataset_feature_name(&d, 1), "1_20");
        assert_string_equal(dataset_marker_id(&d, 0), "rs1");
        assert_string_equal(dataset_marker_id(&d, 2), "rs3");
        digest[i] = d.digest;
        dataset_release(&d);
    }
    assert_true(hash_equal(digest[0], digest[1]) && hash_equal(digest[0], digest[2]));
    load(&d, scratch_text("panel.vcf", VCF "1\t10\t.\tA\tC" GT "0/0\t0/1\t1/1\n"
                                           "1\t20\t.\tG\tT" GT "1/1\t0/0\t0/1\n"
                                           "1\t30\t.\tA\tC" GT "0/1\t0/1\t0/0\n"));
    assert_true(hash_equal(digest[0], d.digest));
    assert_null(d.const_marker_ids);
    assert_string_equal(dataset_marker_id(&d, 0), "");
    dataset_release(&d);
}

static void test_between_files(void **state)
{
    const char *paths[] = {scratch_text("panel.csv", table), scratch_text("panel.vcf", vcf),
                           scratch_text("panel.hmp.txt", hapmap), write_plink()};
    char path[4][256];
    float x[9];

    (void)state;
    for (int i = 0; i < 4; i++)
        strcpy(path[i], paths[i]); /* scratch.h keeps 8 */
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            struct recode_report report;
            struct dataset d;

            load(&d, path[i]);
            report = recode(x, &d, path[j]);
            expect(x, dosage, 9);
            assert_int_equal(report.n_found, 3);
            assert_int_equal(report.n_by_id, (i == 0) != (j == 0) ? 3 : 0);
            assert_int_equal(report.n_by_name, i == 0 || j == 0 ? 3 : 0);
            dataset_release(&d);
        }
}

/* Another assembly: positions differ, and the alleles must agree. */
static void test_alleles_must_agree(void **state)
{
    static const int8_t wanted[] = {2, 2, 1, 1, 0, 1, 0, 1, 1};
    struct recode_report report;
    struct dataset d;
    float x[9];

    (void)state;
    load(&d, scratch_text("panel.vcf", vcf));
    report = recode(x, &d,
                    scratch_text("new.vcf", VCF "1\t11\trs1\tC\tA" GT "0/0\t0/1\t1/1\n"
                                                "2\t20\trs2\tG\tT" GT "1/1\t0/0\t0/1\n"
                                                "1\t31\trs3\tA\tG" GT "0/1\t0/1\t0/0\n"));
    for (int i = 0; i < 3; i++)
        x[3 * i + 2] = roundf(x[3 * i + 2]); /* the mean */
    expect(x, wanted, 9);
    assert_int_equal(report.n_found, 2);
    assert_int_equal(report.n_by_id, 2);
    assert_int_equal(report.n_flipped, 1);
    assert_int_equal(report.n_other, 1);
    assert_int_equal(report.n_by_name, 0);
    dataset_release(&d);
}

/* The id '.', and ids that occur twice in the data or in the file, match nothing. */
static void test_no_ids(void **state)
{
    static const char *const data[] = {
        VCF "1\t10\t.\tA\tC" GT "0/0\t0/1\t1/1\n1\t20\t.\tG\tT" GT "1/1\t0/0\t0/1\n",
        VCF "1\t10\trs1\tA\tC" GT "0/0\t0/1\t1/1\n1\t20\trs1\tG\tT" GT "1/1\t0/0\t0/1\n",
        VCF "1\t10\trs1\tA\tC,G" GT "0/0\t0/1\t1/2\n"};
    static const char *const files[] = {
        VCF "2\t10\trs1\tA\tC" GT "0/0\t0/1\t./.\n2\t20\trs1\tA\tC" GT "1/1\t0/0\t0/1\n",
        VCF "2\t10\trs1\tA\tC,G" GT "0/0\t0/1\t1/2\n", VCF "2\t10\t.\tA\tC" GT "0/0\t0/1\t1/1\n"};
    struct recode_report report;
    struct dataset d;
    float x[9];

    (void)state;
    for (int i = 0; i < 3; i++) {
        load(&d, scratch_text("panel.vcf", data[i]));
        assert_int_equal(
            recode(x, &d, scratch_text("new.csv", "id,rs1,.\na,0,1\nb,1,1\nc,2,1\n")).n_found, 0);
        dataset_release(&d);
    }
    for (int i = 0; i < 3; i++) {
        load(&d, scratch_text("panel.csv", table));
        report = recode(x, &d, scratch_text("new.vcf", files[i]));
        assert_int_equal(report.n_found, 0);
        assert_int_equal(report.n_missing, 0);
        assert_true(x[0] == 1 && x[3] == 1); /* the mean */
        dataset_release(&d);
    }
}

/* The position of a site takes precedence over its id, in any order of lines. */
static void test_place_first(void **state)
{
    static const char *const files[] = {
        VCF "1\t10\trs9\tA\tC" GT "0/0\t0/1\t1/1\n1\t99\trs1\tA\tC" GT "1/1\t1/1\t./.\n",
        VCF "1\t99\trs1\tA\tC" GT "1/1\t1/1\t./.\n1\t10\trs9\tA\tC" GT "0/0\t0/1\t1/1\n"};
    struct recode_report report;
    struct dataset d;
    float x[9];

    (void)state;
    load(&d, scratch_text("panel.vcf", vcf));
    for (int i = 0; i < 2; i++) {
        report = recode(x, &d, scratch_text("new.vcf", files[i]));
        assert_true(x[0] == 0 && x[3] == 1 && x[6] == 2);
        assert_int_equal(report.n_found, 1);
        assert_int_equal(report.n_by_id, 0);
        assert_int_equal(report.n_missing, 0);
    }
    /* The name takes precedence in a table. */
    report = recode(x, &d, scratch_text("new.csv", "id,rs1,1_10\na,2,0\nb,2,1\nc,2,2\n"));
    assert_true(x[0] == 0 && x[3] == 1 && x[6] == 2);
    assert_int_equal(report.n_found, 1);
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_between_files),
        cmocka_unit_test(test_alleles_must_agree),
        cmocka_unit_test(test_no_ids),
        cmocka_unit_test(test_place_first),
    };

    return cmocka_run_group_tests_name("marker_ids", tests, scratch_make, scratch_remove);
}
