/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of new samples in one input, separated by lines of "%%". The data that the models were
 * trained on never change. The input starts with two bytes and a line end:
 *   1  kind: t TUDataset folder (edges, indicator, node labels, node attributes), s table of
 *      molecules, m SMILES file, l listed features of nodes, d full table of them
 *      (features, edges), c table of fixed effects
 *   2  1: skip invalid molecules */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/fixed_columns.h"
#include "data/format.h"
#include "data/graph/known_graphs.h"
#include "data/graph/molecule.h"
#include "data/graph/new_nodes.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define N_FILES 4
#define HEAD 3

struct kind {
    char letter;
    const struct data_format *format;
    const char *text[6];
    struct data_spec spec;
    struct dataset data;
};

static struct kind kinds[] = {
    {.letter = 't',
     .format = &tu_format,
     .text = {"1, 2\n2, 1\n3, 4\n4, 3\n", "1\n1\n2\n2\n", "5, 1\n6, 1\n5, 2\n-7, 1\n",
              "1, 2\n3, 4\n0.5, 6\n7, 8\n", "1\n2\n"}},
    {.letter = 's', .format = &smiles_format, .text = {"smiles,y,id\nCCO,1,a\nc1ccccc1N,2,b\n"}},
    {.letter = 'm', .format = &smiles_format, .text = {"smiles,y,id\nCCO,1,a\nc1ccccc1N,2,b\n"}},
    {.letter = 'l',
     .format = &graph_format,
     .text = {"node,y\na,1\nb,2\nc,1\n", "node,feature,value\na,f,1\nb,g,2\nc,f,3\n",
              "from,to,w\na,b,1\nb,c,2\n"}},
    {.letter = 'd',
     .format = &graph_format,
     .text = {"node,y\na,1\nb,2\nc,1\n", "node,f,g\na,1,2\nb,0,3\nc,4,0.5\n",
              "from,to,w\na,b,1\nb,c,2\n"}},
    {.letter = 'c',
     .format = &genotype_format,
     .text = {"id,m1,m2\na,0,1\nb,1,2\nc,2,0\nd,1,1\n",
              "id,y,lat,site\na,1,5,x\nb,2,6.5,y\nc,3,,x\nd,4,-2,z\n"}},
};

static const char *const smi_name[] = {"m.smi"};
static const char *const tu_name[] = {"T_A.txt", "T_graph_indicator.txt", "T_node_labels.txt",
                                      "T_node_attributes.txt", "T_graph_labels.txt"};

static void load(struct kind *k)
{
    struct memfile file[5] = {0};
    struct data_report report;
    char folder[32] = "";
    struct err err;
    int n = 0;

    for (; n < 5 && k->text[n]; n++)
        memfile_open(&file[n], (const uint8_t *)k->text[n], strlen(k->text[n]));
    if (k->format == &tu_format)
        memfiles_folder(folder, file, tu_name, n);
    k->spec = (struct data_spec){
        .format = k->format, .trait = k->format == &tu_format ? "" : "y", .folder = folder};
    k->spec.molecules = k->spec.genotypes = file[0].path;
    k->spec.labels = file[0].path;
    k->spec.features = k->spec.phenotypes = file[1].path;
    k->spec.edges = file[2].path;
    k->spec.fixed = k->format == &genotype_format ? "lat, site" : "";
    k->spec.id = k->format == &smiles_format ? "id" : "";
    if (data_load(&k->data, &k->spec, &report, &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    if (k->format == &tu_format)
        memfiles_remove(folder, tu_name, n);
    for (int i = 0; i < n; i++)
        memfile_close(&file[i]);
}

static void read_graphs(const struct kind *k, const char *path)
{
    uint8_t *part = calloc((size_t)k->data.n_samples + 1, 1), found[2];
    struct known_graphs known = {0};
    struct new_graphs new;
    struct dataset d;
    struct err err;

    if (new_graphs_open(&new, &k->data, &k->spec, path, &err) == 0 && part &&
        known_graphs_init(&known, &k->data, part, &err) == 0)
        while (new_graphs_next(&d, &new, 2, &err) > 0) {
            if (d.n_features != k->data.n_features)
                abort();
            known_graphs_find(found, &known, &d, &err);
            dataset_release(&d);
        }
    known_graphs_release(&known);
    free(part);
    new_graphs_close(&new);
}

static void read_smi(const struct kind *k, const struct memfile *file)
{
    char folder[32], path[64];

    memfiles_folder(folder, file, smi_name, 1);
    snprintf(path, sizeof path, "%s/%s", folder, smi_name[0]);
    read_graphs(k, path);
    memfiles_remove(folder, smi_name, 1);
}

static void read_nodes(const struct kind *k, const struct memfile *file, int n_files)
{
    struct new_nodes new;
    struct err err;

    if (new_nodes_read(&new, &k->data, file[0].path, n_files > 1 ? file[1].path : NULL, &err) ==
        0) {
        struct mat x;
        int64_t *start = malloc(((size_t) new.n + 1) * sizeof *start);
        struct attached edges = {.start = start};

        if (!start || mat_init(&x, new.n, k->data.n_features, &err) != 0)
            abort();
        new_nodes_take(&x, &edges, &new, 0);
        mat_release(&x);
        free(start);
    }
    new_nodes_release(&new);
}

static void read_fixed(const struct kind *k, const char *path)
{
    static const int32_t sample[] = {1, 0};
    struct fixed_report report;
    struct data_spec spec = k->spec;
    struct names ids = {0};
    struct joined_ids source = {.ids = &ids, .path = "new"};
    double *x;
    struct err err;

    spec.phenotypes = path;
    spec.like = &k->data;
    if (names_add(&ids, "p", 1, &err) < 0 || names_add(&ids, "q", 2, &err) < 0)
        abort();
    fixed_columns_read_new(&x, &report, &spec, &source, sample, 2, &err);
    free(x);
    names_release(&ids);
}

static void read_files(struct kind *k, const struct memfile *file, int n_files)
{
    char folder[32] = "";

    if (k->letter == 'm')
        read_smi(k, file);
    else if (k->format == &graph_format)
        read_nodes(k, file, n_files);
    else if (k->format == &genotype_format)
        read_fixed(k, file[0].path);
    else if (k->format == &tu_format) {
        memfiles_folder(folder, file, tu_name, n_files);
        read_graphs(k, folder);
        memfiles_remove(folder, tu_name, n_files);
    } else
        read_graphs(k, file[0].path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct memfile file[N_FILES] = {0};
    struct kind *k = kinds;
    int n_files;

    while (k < kinds + sizeof kinds / sizeof *kinds && (!n || k->letter != bytes[0]))
        k++;
    if (n < HEAD || k == kinds + sizeof kinds / sizeof *kinds ||
        (k->format == &smiles_format && !molecule_is_readable()))
        return 0;
    if (!k->data.block)
        load(k);
    k->spec.skip_invalid = bytes[1] == '1';
    n_files = memfiles_open(file, N_FILES, bytes + HEAD, n - HEAD);
    read_files(k, file, n_files);
    for (int i = 0; i < n_files; i++)
        memfile_close(&file[i]);
    return 0;
}
