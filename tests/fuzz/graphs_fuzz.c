/* The files of a data set whose samples are graphs in one input, apart by lines of "%%". Its first
 * byte is the format: t TUDataset (edges, indicator, graph labels, node labels, node attributes), s
 * SMILES (table, split), i IDX (images, labels, split); the second the task, 0 auto, 1 regression,
 * 2 classification; the third 1 where invalid molecules are skipped; then a line end. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/load.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define N_FILES 5
#define MARK "%%\n"
#define HEAD 4

/* Returns how many files there are. */
static int open_files(struct memfile *file, const uint8_t *bytes, size_t n)
{
    int n_files = 0;

    while (n_files < N_FILES) {
        const uint8_t *end = memmem(bytes, n, MARK, strlen(MARK));
        size_t size = end && n_files < N_FILES - 1 ? (size_t)(end - bytes) : n;

        memfile_open(&file[n_files++], bytes, size);
        if (size == n)
            break;
        bytes += size + strlen(MARK);
        n -= size + strlen(MARK);
    }
    return n_files;
}

static const char *const tu_name[N_FILES] = {"T_A.txt", "T_graph_indicator.txt",
                                             "T_graph_labels.txt", "T_node_labels.txt",
                                             "T_node_attributes.txt"};

/* A folder, of links to the files. */
static void make_folder(char *folder, const struct memfile *file, int n_files)
{
    char path[64];

    strcpy(folder, "/tmp/graphs-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    for (int i = 0; i < n_files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, tu_name[i]);
        if (symlink(file[i].path, path) != 0)
            abort();
    }
}

static void remove_folder(const char *folder, int n_files)
{
    char path[64];

    for (int i = 0; i < n_files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, tu_name[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void fill_spec(struct data_spec *spec, const struct memfile *file, const char *folder,
                      const uint8_t *head)
{
    spec->format = head[0] == 't' ? DATA_TU : head[0] == 's' ? DATA_SMILES : DATA_IDX;
    spec->task = head[1] == '1'   ? DATA_TASK_REGRESSION
                 : head[1] == '2' ? DATA_TASK_CLASSIFICATION
                                  : DATA_TASK_AUTO;
    spec->skip_invalid = head[2] == '1';
    spec->folder = folder;
    spec->molecules = spec->images = file[0].path;
    spec->labels = file[1].path;
    if (spec->format == DATA_SMILES) {
        spec->trait = "y";
        spec->split = file[1].path;
    } else if (spec->format == DATA_IDX) {
        spec->split = file[2].path;
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
    n_files = open_files(file, bytes + HEAD, n - HEAD);
    if (bytes[0] == 't')
        make_folder(folder, file, n_files);
    fill_spec(&spec, file, folder, bytes);
    /* What is loaded was checked by dataset_open(). */
    if (data_load(&d, &spec, &report, &err) == 0)
        dataset_release(&d);
    if (bytes[0] == 't')
        remove_folder(folder, n_files);
    for (int i = 0; i < n_files; i++)
        memfile_close(&file[i]);
    return 0;
}
