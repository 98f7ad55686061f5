#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/shell.h"
#include "cli/cli.h"
#include "data/graph.h"
#include "data/load.h"
#include "grid/param.h"

/* The options are the settings of [data] that a simulated panel has: table and command agree. */
static const enum param_id simulated[] = {P_SAMPLES, P_MARKERS,      P_POPULATIONS,    P_FST,
                                          P_CAUSAL,  P_HERITABILITY, P_SIMULATION_SEED};
#define N_SIMULATED (sizeof simulated / sizeof *simulated)

static int read_values(struct simulate_spec *spec, const char *const *texts, struct err *err)
{
    union value v[N_SIMULATED];

    for (size_t i = 0; i < N_SIMULATED; i++)
        if (param_parse(&v[i], simulated[i], texts[i], err))
            return -1;
    *spec = (struct simulate_spec){
        .samples = (int32_t)v[0].i,
        .markers = (int32_t)v[1].i,
        .populations = (int32_t)v[2].i,
        .fst = v[3].f,
        .causal = (int32_t)v[4].i,
        .heritability = v[5].f,
        .seed = v[6].i,
    };
    return 0;
}

/* Open DIRECTORY/NAME for writing, new files only. */
static FILE *create(const char *directory, const char *name, struct err *err)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "wx");
    if (!file)
        err_set(err, "%s: %s", path, strerror(errno));
    return file;
}

static int finish(FILE *file, const char *directory, const char *name, struct err *err)
{
    int bad = ferror(file);

    if (fclose(file) || bad)
        return err_set(err, "%s/%s: %s", directory, name, strerror(errno));
    return 0;
}

static int write_genotypes(const struct dataset *d, const char *directory, struct err *err)
{
    struct mat row;
    FILE *file;

    if (mat_init(&row, 1, d->n_features, err))
        return -1;
    file = create(directory, "genotypes.csv", err);
    if (!file) {
        mat_release(&row);
        return -1;
    }
    fputs("id", file);
    for (int32_t j = 0; j < d->n_features; j++)
        fprintf(file, ",%s", dataset_feature_name(d, j));
    fputc('\n', file);
    for (int32_t i = 0; i < d->n_samples; i++) {
        dataset_decode(&row, d, i, 0);
        fputs(dataset_id(d, i), file);
        for (int32_t j = 0; j < d->n_features; j++)
            fprintf(file, ",%g", (double)row.v[j]);
        fputc('\n', file);
    }
    mat_release(&row);
    return finish(file, directory, "genotypes.csv", err);
}

static int write_phenotypes(const struct dataset *d, const char *directory, struct err *err)
{
    FILE *file = create(directory, "phenotypes.csv", err);

    if (!file)
        return -1;
    fputs("id,trait\n", file);
    for (int32_t i = 0; i < d->n_samples; i++)
        fprintf(file, "%s,%.9g\n", dataset_id(d, i), (double)d->target[i]);
    return finish(file, directory, "phenotypes.csv", err);
}

static int write_edges(const struct dataset *d, const char *directory, struct err *err)
{
    struct graph_spec spec = {.build = GRAPH_KNN, .metric = GRAPH_COSINE, .k = 10};
    struct csr a;
    FILE *file;

    if (spec.k >= d->n_samples)
        spec.k = d->n_samples - 1;
    if (graph_build(&a, d, &spec, err))
        return -1;
    file = create(directory, "edges.csv", err);
    if (file) {
        fputs("source,target\n", file);
        for (int32_t i = 0; i < a.n_rows; i++)
            for (int64_t e = a.row_start[i]; e < a.row_start[i + 1]; e++)
                if (a.col[e] > i)
                    fprintf(file, "%s,%s\n", dataset_id(d, i), dataset_id(d, a.col[e]));
    }
    csr_release(&a);
    return file ? finish(file, directory, "edges.csv", err) : -1;
}

static int write_sweep(const char *directory, struct err *err)
{
    FILE *file = create(directory, "sweep.ini", err);

    if (!file)
        return -1;
    fputs("; A first sweep over the simulated panel beside this file.\n"
          "[sweep]\nname = simulated\nfolds = 5\n\n"
          "[data]\nformat = genotype\ngenotypes = genotypes.csv\nphenotypes = phenotypes.csv\n"
          "trait = trait\n\n"
          "[graph]\nbuild = knn\nk = 10\n\n"
          "[grid]\nhidden_size = 16, 64\nlearning_rate = 0.001, 0.01\ndropout = 0.2, 0.5\n",
          file);
    return finish(file, directory, "sweep.ini", err);
}

static int simulate(const char *directory, const struct simulate_spec *spec, struct err *err)
{
    struct data_spec data = {.format = DATA_SIMULATED, .simulate = *spec};
    struct data_report report;
    struct dataset d = {0};
    struct buf word = {0};
    int rc;

    if (mkdir(directory, 0777) && errno != EEXIST)
        return err_set(err, "%s: %s", directory, strerror(errno));
    rc = data_load(&d, &data, &report, err);
    if (!rc && (write_genotypes(&d, directory, err) || write_phenotypes(&d, directory, err) ||
                write_edges(&d, directory, err) || write_sweep(directory, err)))
        rc = -1;
    if (!rc)
        printf("%s: %d samples, %d markers; next: espalier run %s/sweep.ini\n", directory,
               d.n_samples, d.n_features, shell_path(&word, directory));
    buf_release(&word);
    dataset_release(&d);
    return rc;
}

int cmd_simulate(int argc, char **argv)
{
    const char *texts[N_SIMULATED];
    struct option_row rows[N_SIMULATED + 1] = {{0}};
    char names[N_SIMULATED][32];
    struct simulate_spec spec;
    struct err err;
    int first, status;

    for (size_t i = 0; i < N_SIMULATED; i++) {
        const struct param *p = &param_table[simulated[i]];

        texts[i] = p->default_text;
        snprintf(names[i], sizeof names[i], "%s",
                 simulated[i] == P_SIMULATION_SEED ? "seed" : p->key);
        rows[i] = (struct option_row){
            0, names[i], "X", OPTION_TEXT, &texts[i], 0, 0, NULL, p->help + strlen("simulated: ")};
    }
    status = cli_parse(command_find("simulate"), rows, argc, argv, 1, 1, &first);
    if (status != CLI_GO_ON)
        return status;
    if (read_values(&spec, texts, &err))
        return cli_fail(&err, EXIT_USAGE);
    if (simulate(argv[first], &spec, &err))
        return cli_fail(&err, EXIT_ERROR);
    return EXIT_OK;
}
