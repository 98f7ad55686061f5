/* SPDX-License-Identifier: BSD-3-Clause */
#include "loading.h"
#include "unit.h"

/* Five samples, three variants. Counts of A1: 2 1 0 ? 2, 0 0 1 2 0, ? 0 0 0 1. */
#define FAM                                                             \
    "f a 0 0 1 1.5\nf b 0 0 2 2\nf\tc\t0\t0\t1\t-9\r\nf d 0 0 1 NA\n\n" \
    "f e 0 0 1 0\n"
#define BIM "1\trs1\t0\t10\tC\tA\n1 rs2 0 20 G T\nX\trs3\t0\t5\tA\tG"

static const uint8_t bed[] = {0x6c, 0x1b, 1, 0x78, 0x00, 0x2f, 0x03, 0xfd, 0x02};

static struct data_spec write_set(const uint8_t *bytes, size_t n, const char *bim, const char *fam)
{
    struct data_spec spec = {.format = &genotype_format};

    scratch_text("set.bim", bim);
    scratch_text("set.fam", fam);
    spec.genotypes = scratch_bytes("set.bed", bytes, n);
    return spec;
}

static void check(const struct data_spec *spec)
{
    static const int8_t wanted[] = {2, 0, -128, 1, 0, 0, 0, 1, 0, -128, 2, 0, 2, 0, 1};
    struct data_report report;
    struct dataset d;
    struct err err = {""};

    if (data_load(&d, spec, &report, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(d.n_samples, 5);
    assert_int_equal(d.n_features, 3);
    assert_memory_equal(d.dosage, wanted, sizeof wanted);
    assert_string_equal(dataset_feature_name(&d, 2), "X_5");
    assert_string_equal(dataset_alleles(&d, 0), "1\t10\tA\tC");
    assert_string_equal(dataset_id(&d, 4), "e");
    assert_int_equal(report.n_missing, 2);
    dataset_release(&d);
}

static void test_a_set(void **state)
{
    struct data_spec spec = write_set(bed, sizeof bed, BIM, FAM);

    (void)state;
    check(&spec);
    /* small letters are masked sequence, 0 is an unknown allele */
    spec =
        write_set(bed, sizeof bed, "1\trs1\t0\t10\tc\ta\n1 rs2 0 20 0 0\nX\trs3\t0\t5\tA\tG", FAM);
    check(&spec);
    spec.genotypes = scratch_path("set"); /* the common prefix of the three files */
    check(&spec);
}

static void test_phenotypes(void **state)
{
    struct data_spec spec = write_set(bed, sizeof bed, BIM, FAM);
    struct data_report report;
    struct dataset d;
    struct err err = {""};

    (void)state;
    assert_int_equal(data_load(&d, &spec, &report, &err), 0);
    assert_false(*noted(&report, "case control"));
    assert_int_equal(report.n_joined, 3); /* 0 is a number if others are not 1 and 2 */
    assert_true(d.target[0] == 1.5F && d.target[2] != d.target[2] && d.target[4] == 0);
    dataset_release(&d);
    spec = write_set(bed, sizeof bed, BIM,
                     "f a 0 0 1 1\nf b 0 0 2 2\nf c 0 0 1 -9\nf d 0 0 1 0\nf e 0 0 1 2\n");
    spec.subset = DATA_SUBSET_PHENOTYPED;
    assert_int_equal(data_load(&d, &spec, &report, &err), 0);
    assert_true(*noted(&report, "case control"));
    assert_int_equal(d.n_classes, 2);
    assert_string_equal(dataset_class_name(&d, d.label[2]), "2");
    dataset_release(&d);
    spec.task = DATA_TASK_REGRESSION;
    assert_int_equal(data_load(&d, &spec, &report, &err), 0);
    assert_true(d.n_classes == 0 && d.target[2] == 0); /* an ordinary number */
    assert_false(*noted(&report, "case control"));
    assert_int_equal(report.n_joined, 4);
    dataset_release(&d);
    spec.task = DATA_TASK_AUTO;
    assert_int_equal(data_load(&d, &spec, &report, &err), 0);
    assert_int_equal(report.n_joined, 3);
    assert_int_equal(d.n_samples, 3);
    assert_int_equal(d.n_features, 2); /* variant 2 is 0 in these three */
    assert_int_equal(d.dosage[4], 2);
    dataset_release(&d);
    spec.phenotypes = scratch_text("pheno.csv", "id,y\ne,5\na,1\nc,2\n");
    assert_int_equal(data_load(&d, &spec, &report, &err), 0);
    assert_string_equal(dataset_id(&d, 0), "e");
    assert_true(d.target[1] == 1);
    dataset_release(&d);
}

/* A line that names no site drops its variant, not the file. PLINK skips negative positions. */
static void test_odd_lines(void **state)
{
    static const char bim[] = "1\trs1\t0\t1.0\tC\tA\n1 rs2 0 20 g G\nX rs3 0 5 A G\n";
    struct data_spec spec = write_set(bed, sizeof bed, bim, FAM);
    struct data_report report;
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_features, 1);
    assert_memory_equal(d.dosage, ((const int8_t[]){DOSAGE_MISSING, 0, 0, 0, 1}), 5);
    assert_non_null(
        strstr(noted(&report, "odd sites"),
               "2 sites dropped, which cannot be used: \"rs1\" (the position is no whole "
               "number, 0 or more), \"rs2\" (both alleles are equal)"));
    dataset_release(&d);
    spec = write_set(bed, sizeof bed, "1 rs1 0 -10 C A\n1 rs2 0 20 G T\nX rs3 0 5 A G\n", FAM);
    load(&d, &report, &spec);
    assert_int_equal(d.n_features, 2);
    dataset_release(&d);
}

static void test_faulty(void **state)
{
    static const uint8_t wrong[] = {0x6c, 0x1c, 1, 0, 0, 0, 0, 0, 0};
    static const char nul[] = "1\trs1\t0\t10\tC\tA\0 T\n1 rs2 0 20 G T\n2 r 0 2 A G\n";
    struct data_spec spec = write_set(wrong, sizeof wrong, BIM, FAM);

    (void)state;
    refuse_spec(&spec, "set.bed: begins with the bytes 6c 1c 01: a PLINK 1 .bed begins with 6c 1b "
                       "01");
    spec = write_set(bed, sizeof bed, "1\trs1\t0\t10\tC\tA\n1 rs2 0 20 G T\n", FAM);
    refuse_spec(&spec, "set.bed: 3 variants of 5 samples (set.fam): set.bim has 2 lines");
    spec = write_set(bed, sizeof bed - 1, BIM, FAM);
    refuse_spec(&spec,
                "set.bed: 8 bytes: must be 9 for the 5 samples of set.fam and the 3 variants of "
                "set.bim; is it truncated?");
    spec = write_set((const uint8_t[]){0x6c, 0x1b, 0, 0x1c}, 4, BIM, FAM);
    refuse_spec(&spec, "set.bed: is ordered by samples, as before 2009: plink --bfile NAME "
                       "--make-bed orders it by variants");
    spec = write_set(bed, sizeof bed, "1\trs1\t0\t10\tC\tA\n1 rs2 0 20 G\nX\trs3\t0\t5\tA\tG", FAM);
    refuse_spec(&spec,
                "set.bim:2: 5 columns: must be 6 (chromosome, id, centimorgans, position, two "
                "alleles)");
    scratch_bytes("set.bim", nul, sizeof nul - 1);
    refuse_spec(&spec, "set.bim:1: a NUL byte: this is not text (save UTF-16 as UTF-8)");
    spec = write_set(bed, sizeof bed, BIM, FAM);
    scratch_bytes("set.fam", "f a 0 0 1 1\nf b 0 0 2 2\0 9\n", 28);
    refuse_spec(&spec, "set.fam:2: a NUL byte: this is not text (save UTF-16 as UTF-8)");
    spec = write_set(bed, sizeof bed, BIM, "f a 0 0 1 1.5\nf b 0 0 2\n");
    refuse_spec(&spec,
                "set.fam:2: 5 columns: must be 6 (family, sample, father, mother, sex, phenotype)");
    spec = write_set(bed, sizeof bed, BIM, "f a 0 0 1 1.5\nf b 0 0 2 1\ng a 0 0 2 3\n");
    refuse_spec(&spec,
                "set.fam:3: sample \"a\" occurs twice, first on line 1 (ids are those of column "
                "2)");
    spec = write_set(bed, sizeof bed, BIM, "");
    refuse_spec(&spec, "set.fam: no samples");
    spec.genotypes = scratch_path("set.pgen");
    refuse_spec(&spec, "set.pgen: this kind of PLINK file is not read: convert it to .bed, .bim "
                       "and .fam with plink2 "
                       "--pfile NAME --make-bed");
    spec.phenotypes = scratch_text("y.csv", "id,y\nx,1\n");
    spec.genotypes = scratch_text("raw.txt", "FID IID PAT MAT SEX PHENOTYPE m_A\nf x 0 0 0 -9 1\n");
    refuse_spec(&spec, "raw.txt:1: six columns before the markers, as written by PLINK --recode A: "
                       "use plink --make-bed, or remove all six columns except IID");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_set),
        cmocka_unit_test(test_phenotypes),
        cmocka_unit_test(test_odd_lines),
        cmocka_unit_test(test_faulty),
    };

    return cmocka_run_group_tests_name("plink", tests, scratch_make, scratch_remove);
}
