/* SPDX-License-Identifier: BSD-3-Clause */
/* Genotype files other than tables. They are loaded, and then read again as new samples of other
 * data. The input starts with two bytes and a line end:
 *   1  v: one file (VCF, BCF, HapMap, packed or not); p: .bed, .bim and .fam, separated by lines
 *      of "%%"
 *   2  a digit, the sum of 1 (use DS), 2 (skip multi-allelic sites), 4 (phenotyped samples only) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/core/builder.h"
#include "data/format.h"
#include "data/genotype/recode.h"
#include "memfile.h"
#include "sound.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define MARK "%%\n"
#define PHENO "id,y\na,1\nb,2\nc,3.5\nd,4\ns0,5\ns3,6\ns7,7\n"

static char folder[] = "/tmp/espalier-fuzz-XXXXXX";
static const char *const endings[] = {"bed", "bim", "fam"};

static void name_file(char *path, size_t size, int i)
{
    snprintf(path, size, "%s/set.%s", folder, endings[i]);
}

static void remove_folder(void)
{
    char path[64];

    for (int i = 0; i < 3; i++) {
        name_file(path, sizeof path, i);
        unlink(path);
    }
    rmdir(folder);
}

/* PLINK files are recognised by their names. */
static void write_set(const uint8_t *bytes, size_t n)
{
    static int is_made;
    char path[64];

    if (!is_made && (!mkdtemp(folder) || atexit(remove_folder)))
        abort();
    is_made = 1;
    for (int i = 0; i < 3; i++) {
        const uint8_t *end = i < 2 ? memmem(bytes, n, MARK, strlen(MARK)) : NULL;
        size_t size = end ? (size_t)(end - bytes) : n;
        FILE *file;

        name_file(path, sizeof path, i);
        file = fopen(path, "wb");
        if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
            abort();
        size += end ? strlen(MARK) : 0;
        bytes += size;
        n -= size;
    }
}

/* A message has one line and names a file. */
static void check_message(const struct err *err)
{
    for (const char *c = err->text; *c; c++)
        if ((unsigned char)*c < ' ') {
            fprintf(stderr, "control characters: %s\n", err->text);
            abort();
        }
    if (!strstr(err->text, "/proc/self/fd/") && !strstr(err->text, folder)) {
        fprintf(stderr, "no file is named: %s\n", err->text);
        abort();
    }
}

static void load(struct data_spec *spec)
{
    struct data_report report;
    struct dataset d;
    struct err err = {""};

    if (data_load(&d, spec, &report, &err) == 0) {
        check_sound(&d);
        dataset_release(&d);
    } else {
        check_message(&err);
    }
}

static void make_data(struct dataset *d)
{
    static const char *const ids[] = {"x", "y"};
    static const char *const names[] = {"1_10", "1_20_A_C", "2_7", "m", "1_30"};
    static const char *const alleles[] = {"1\t10\tA\tC", "1\t20\tA\tC", "2\t7\tAT\tG", "", ""};
    static const char *const marker_ids[] = {"rs1", "rs2", "", "rs2", "rs3"};
    static const float target[] = {1, 2};
    static const int8_t dosage[] = {0, 1, 2, 1, 0, 2, 0, 1, 1, 0};
    struct draft draft = {.n_samples = 2,
                          .n_features = 5,
                          .ids = ids,
                          .target = target,
                          .dosage = dosage,
                          .feature_names = names,
                          .alleles = alleles,
                          .marker_ids = marker_ids};
    struct err err;

    if (draft_build(d, &draft, &err) != 0)
        abort();
}

/* Read the last eight samples in reverse order, twice. */
static int read_samples(struct recode *r, struct err *err)
{
    int32_t sample[8], n = recode_ids(r)->n < 8 ? recode_ids(r)->n : 8;
    struct recode_report report;
    struct mat x;
    int status = mat_init(&x, n, r->data->n_features, err);

    for (int32_t i = 0; i < n; i++)
        sample[i] = recode_ids(r)->n - 1 - i;
    for (int again = 0; status == 0 && again < 2; again++) {
        status = recode_read(&x, &report, r, sample, n, err);
        for (int64_t i = 0; status == 0 && i < mat_size(&x); i++)
            if (!(x.v[i] == x.v[i])) /* a missing call is filled in */
                abort();
        if (status == 0 && report.n_found + report.n_other > r->data->n_features)
            abort();
    }
    mat_release(&x);
    return status;
}

static void recode(const struct data_spec *spec)
{
    struct recode r;
    struct dataset d;
    struct err err = {""};

    make_data(&d);
    if (recode_open(&r, &d, spec->genotypes, spec->filter.dosage, "-9", &err) != 0 ||
        read_samples(&r, &err) != 0)
        check_message(&err);
    recode_close(&r);
    dataset_release(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct data_spec spec = {.format = &genotype_format};
    struct memfile file = {.fd = -1}, pheno;
    char path[64];

    if (n < 3)
        return 0;
    memfile_open(&pheno, PHENO, strlen(PHENO));
    spec.filter.dosage = bytes[1] & 1 ? DATA_DOSAGE_DS : DATA_DOSAGE_GT;
    spec.filter.multiallelic = bytes[1] & 2 ? DATA_MULTIALLELIC_SKIP : DATA_MULTIALLELIC_SPLIT;
    spec.subset = bytes[1] & 4 ? DATA_SUBSET_PHENOTYPED : DATA_SUBSET_ALL;
    if (bytes[0] == 'p') {
        write_set(bytes + 3, n - 3);
        name_file(path, sizeof path, 0);
        spec.genotypes = path;
    } else {
        memfile_open(&file, bytes + 3, n - 3);
        spec.genotypes = file.path;
        spec.phenotypes = pheno.path;
    }
    load(&spec);
    recode(&spec);
    if (file.fd >= 0)
        memfile_close(&file);
    memfile_close(&pheno);
    return 0;
}
