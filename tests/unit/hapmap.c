#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/load.h"
#include "scratch.h"

#define COLUMNS \
    "rs#\talleles\tchrom\tpos\tstrand\tassembly#\tcenter\tprotLSID\tassayLSID\tpanelLSID\tQCcode"
#define HEAD COLUMNS "\ta\tb\tc\td\n"
#define REST "\t+\tNA\tNA\tNA\tNA\tNA\tNA\t"
#define PHENO "id,y\na,1\nb,2\nc,3.5\nd,4\n"

static struct data_spec hapmap_of(const char *text)
{
    return (struct data_spec){.format = DATA_GENOTYPE,
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
    assert_int_equal(report.n_monomorphic, 1);
    dataset_release(&d);
}

/* The load must fail with this text, folders left out. */
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
           "panel.hmp.txt:1: 11 columns: must be 11 (rs#, alleles, chrom, pos, ...) and one for "
           "each sample");
    refuse(COLUMNS "\ta\tb\ta\n", "panel.hmp.txt:1: sample \"a\" again: it is sample 1 already");
    refuse(HEAD "m1\tA/C\t1\t10" REST "AA\tCA\tCC\n",
           "panel.hmp.txt:2: 14 cells: the header has 15");
    refuse(HEAD "m1\tA/C\t1\tx" REST "AA\tCA\tCC\tNN\n",
           "panel.hmp.txt:2: pos = \"x\": must be a whole number");
    refuse(HEAD "m1\tA/X\t1\t10" REST "AA\tCA\tCC\tNN\n",
           "panel.hmp.txt:2: alleles = \"A/X\": must be different ones of A, C, G, T, + and -, "
           "apart by /");
    refuse(HEAD "m1\tA/C\t1\t10" REST "AA\tCA\tCT\tNN\n",
           "panel.hmp.txt:2: sample \"c\": call \"CT\": must be two of the alleles A/C, the IUPAC "
           "code of both, or N where missing");
    refuse(HEAD "m1\tA/C\t1\t10" REST "A\tM\tR\tN\n",
           "panel.hmp.txt:2: sample \"c\": call \"R\": must be two of the alleles A/C, the IUPAC "
           "code of both, or N where missing");
    refuse(HEAD "m1\tA\t1\t10" REST "AA\tNN\tAC\tNN\n",
           "panel.hmp.txt:2: sample \"c\": call \"AC\": must be two of the alleles A, the IUPAC "
           "code of both, or N where missing");
    refuse(HEAD "m1\tNA\t1\t10" REST "N\tN\tN\tA\n",
           "panel.hmp.txt:2: sample \"d\": call \"A\" where alleles = \"NA\" names none: must be "
           "N, missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_three_alleles),
        cmocka_unit_test(test_faulty),
    };

    return cmocka_run_group_tests_name("hapmap", tests, scratch_make, scratch_remove);
}
