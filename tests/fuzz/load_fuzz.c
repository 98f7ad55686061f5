/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a data set in one input, separated by lines of "%%". The input starts with two bytes
 * and a line end:
 *   1  format: g genotype (genotypes, phenotypes, split), p the same with fixed effects, codes and
 *      groups, n graph (labels, features, edges, split)
 *   2  task: 0 auto, 1 regression, 2 classification */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/format.h"
#include "memfile.h"
#include "sound.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define N_FILES 4

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct memfile file[N_FILES] = {0};
    struct data_spec spec = {0};
    struct data_unmatched unmatched = {0};
    struct data_report report;
    struct dataset d;
    struct err err;
    int n_files;

    if (n < 3)
        return 0;
    n_files = memfiles_open(file, N_FILES, bytes + 3, n - 3);
    spec.format = bytes[0] == 'g' || bytes[0] == 'p' ? &genotype_format : &graph_format;
    spec.task = bytes[1] == '1'   ? DATA_TASK_REGRESSION
                : bytes[1] == '2' ? DATA_TASK_CLASSIFICATION
                                  : DATA_TASK_AUTO;
    spec.trait = "y";
    spec.unmatched = &unmatched;
    if (bytes[0] == 'p') {
        spec.fixed = "c, factor(f)";
        spec.missing = "-9, x";
        spec.group = "g";
    }
    spec.genotypes = spec.labels = file[0].path;
    spec.phenotypes = spec.features = file[1].path;
    if (spec.format == &genotype_format) {
        spec.split = file[2].path;
    } else {
        spec.edges = file[2].path;
        spec.split = file[3].path;
    }
    if (data_load(&d, &spec, &report, &err) == 0) {
        check_sound(&d);
        dataset_release(&d);
    }
    data_unmatched_release(&unmatched);
    for (int i = 0; i < n_files; i++)
        memfile_close(&file[i]);
    return 0;
}
