/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a data set whose samples are graphs, in one input, separated by lines of "%%". The
 * input starts with three bytes and a line end:
 *   1  format: t TUDataset (edges, indicator, graph labels, node labels, node attributes),
 *      s SMILES (table, split)
 *   2  task: 0 auto, 1 regression, 2 classification
 *   3  1: skip invalid molecules */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/format.h"
#include "memfile.h"
#include "sound.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define N_FILES 5
#define HEAD 4

static const char *const tu_name[N_FILES] = {"T_A.txt", "T_graph_indicator.txt",
                                             "T_graph_labels.txt", "T_node_labels.txt",
                                             "T_node_attributes.txt"};

static void fill_spec(struct data_spec *spec, const struct memfile *file, const char *folder,
                      const uint8_t *head)
{
    spec->format = head[0] == 't' ? &tu_format : &smiles_format;
    spec->task = head[1] == '1'   ? DATA_TASK_REGRESSION
                 : head[1] == '2' ? DATA_TASK_CLASSIFICATION
                                  : DATA_TASK_AUTO;
    spec->skip_invalid = head[2] == '1';
    spec->folder = folder;
    spec->molecules = file[0].path;
    spec->labels = file[1].path;
    if (spec->format == &smiles_format) {
        spec->trait = "y";
        spec->split = file[1].path;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct memfile file[N_FILES] = {0};
    struct data_spec spec = {0};
    struct data_report report;
    struct dataset d;
    struct err err;
    char folder[32] = "";
    int n_files;

    if (n < HEAD)
        return 0;
    n_files = memfiles_open(file, N_FILES, bytes + HEAD, n - HEAD);
    if (bytes[0] == 't')
        memfiles_folder(folder, file, tu_name, n_files);
    fill_spec(&spec, file, folder, bytes);
    if (data_load(&d, &spec, &report, &err) == 0) {
        check_sound(&d);
        dataset_release(&d);
    }
    if (bytes[0] == 't')
        memfiles_remove(folder, tu_name, n_files);
    for (int i = 0; i < n_files; i++)
        memfile_close(&file[i]);
    return 0;
}
