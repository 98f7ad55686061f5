/* Files of genotypes that are no tables. The first byte of an input says which: v for one file
 * (VCF, BCF, HapMap, packed or not), p for a .bed, .bim and .fam, apart by lines of "%%"; the
 * second is a digit of bits: 1 DS, 2 multi-allelic sites skipped, 4 phenotyped samples alone; then
 * a line end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/load.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define MARK "%%\n"
#define PHENO "id,y\na,1\nb,2\nc,3.5\nd,4\n"

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

/* PLINK's files are known by their names. */
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct data_spec spec = {.format = DATA_GENOTYPE};
    struct memfile file = {.fd = -1}, pheno;
    struct data_report report;
    struct dataset d;
    struct err err;
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
    /* What is loaded was checked by dataset_open(). */
    if (data_load(&d, &spec, &report, &err) == 0)
        dataset_release(&d);
    if (file.fd >= 0)
        memfile_close(&file);
    memfile_close(&pheno);
    return 0;
}
