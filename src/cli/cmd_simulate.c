/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/outfile.h"
#include "cli/print/cli.h"
#include "data/format.h"
#include "data/genotype/simulate.h"
#include "data/graph/graph.h"
#include "grid/param.h"

/* Settings of [data] for simulated data, as in the parameter table. */
struct simulate_options {
    struct common_options common;
    union value samples, markers, populations, fst, causal, heritability, seed;
    long unphenotyped;    /* samples without a value, evenly spaced */
    bool has_populations; /* in a column of the phenotypes */
};

/* ---- the files ---- */

/* Each put_() function writes one file of it. */
struct simulated_data {
    const struct dataset *data;
    const struct simulate_options *o;
    struct csr graph; /* k nearest neighbours */
    struct mat row;   /* (1, markers) */
};

static void put_genotypes(FILE *file, struct simulated_data *s)
{
    const struct dataset *d = s->data;

    fputs("id", file);
    for (int32_t j = 0; j < d->n_features; j++)
        fprintf(file, ",%s", dataset_feature_name(d, j));
    fputc('\n', file);
    for (int32_t i = 0; i < d->n_samples; i++) {
        dataset_decode(&s->row, d, i, 0);
        fputs(dataset_id(d, i), file);
        for (int32_t j = 0; j < d->n_features; j++)
            fprintf(file, ",%g", (double)s->row.v[j]);
        fputc('\n', file);
    }
}

/* Markers have the names of the table, CHROM_POS. */
static void put_vcf(FILE *file, struct simulated_data *s)
{
    const struct dataset *d = s->data;

    fputs("##fileformat=VCFv4.2\n"
          "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n",
          file);
    for (int chromosome = 1; chromosome <= SIMULATE_CHROMOSOMES; chromosome++)
        fprintf(file, "##contig=<ID=%d>\n", chromosome);
    fputs("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT", file);
    for (int32_t i = 0; i < d->n_samples; i++)
        fprintf(file, "\t%s", dataset_id(d, i));
    for (int32_t j = 0; j < d->n_features; j++) {
        fprintf(file, "\n%d\t%d\t.\tA\tG\t.\tPASS\t.\tGT", simulate_chromosome(j, d->n_features),
                j + 1);
        for (int32_t i = 0; i < d->n_samples; i++)
            fputs(d->dosage[(int64_t)i * d->n_features + j] ? "\t1/1" : "\t0/0", file);
    }
    fputc('\n', file);
}

/* Sample i descends from population i modulo their number (data/genotype/simulate). */
static void put_phenotypes(FILE *file, struct simulated_data *s)
{
    const struct dataset *d = s->data;
    int64_t n = d->n_samples, m = s->o->unphenotyped;

    fputs(s->o->has_populations ? "id,trait,population\n" : "id,trait\n", file);
    for (int32_t i = 0; i < n; i++) {
        bool is_missing = (i + 1) * m / n > i * m / n;

        fprintf(file, "%s,", dataset_id(d, i));
        if (!is_missing)
            fprintf(file, "%.9g", (double)d->target[i]);
        if (s->o->has_populations)
            fprintf(file, ",p%d", i % (int32_t)s->o->populations.i + 1);
        fputc('\n', file);
    }
}

static void put_edges(FILE *file, struct simulated_data *s)
{
    const struct csr *a = &s->graph;

    fputs("source,target\n", file);
    for (int32_t i = 0; i < a->n_rows; i++)
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            if (a->col[e] > i)
                fprintf(file, "%s,%s\n", dataset_id(s->data, i), dataset_id(s->data, a->col[e]));
}

static void put_sweep(FILE *file, struct simulated_data *s)
{
    (void)s;
    fputs("; A first sweep over the simulated panel in this folder.\n"
          "[sweep]\nname = simulated\nfolds = 5\n\n"
          "[data]\nformat = genotype\ngenotypes = genotypes.csv\nphenotypes = phenotypes.csv\n"
          "trait = trait\n\n"
          "[graph]\nbuild = knn\nk = 10\n\n"
          "[grid]\nhidden_size = 16, 64\nlearning_rate = 0.001, 0.01\ndropout = 0.2, 0.5\n",
          file);
}

static const struct {
    const char *name;
    void (*put)(FILE *file, struct simulated_data *s);
} files[] = {
    {"genotypes.csv", put_genotypes},   {"genotypes.vcf", put_vcf},
    {"phenotypes.csv", put_phenotypes}, {"edges.csv", put_edges},
    {"sweep.ini", put_sweep},
};
#define N_FILES (sizeof files / sizeof *files)

/* All files are written before the first one gets its name, so a full disk leaves none. */
static int write_files(struct simulated_data *s, const char *directory, struct err *err)
{
    struct outfile out[N_FILES] = {{0}};
    int rc = 0;

    for (size_t i = 0; !rc && i < N_FILES; i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", directory, files[i].name);
        rc = outfile_open(&out[i], path, OUTFILE_NEW, err);
        if (!rc)
            files[i].put(out[i].file, s);
        errno = 0;
        if (!rc && (fflush(out[i].file) || ferror(out[i].file)))
            rc = err_set(err, "%s: cannot write: %s", path, outfile_reason(errno));
    }
    for (size_t i = 0; !rc && i < N_FILES; i++)
        rc = outfile_commit(&out[i], err);
    for (size_t i = 0; i < N_FILES; i++)
        outfile_discard(&out[i]);
    return rc;
}

static int write_panel(const char *directory, const struct simulate_options *o, struct err *err)
{
    struct data_spec data = {.format = &simulated_format,
                             .simulate = {.samples = (int32_t)o->samples.i,
                                          .markers = (int32_t)o->markers.i,
                                          .populations = (int32_t)o->populations.i,
                                          .fst = o->fst.f,
                                          .causal = (int32_t)o->causal.i,
                                          .heritability = o->heritability.f,
                                          .seed = o->seed.i}};
    struct graph_spec spec = {.build = GRAPH_KNN, .metric = GRAPH_COSINE, .k = 10};
    struct data_report report;
    struct dataset d = {0};
    struct simulated_data s = {.data = &d, .o = o};
    struct buf line = {0}, word = {0};
    int rc;

    if (mkdir(directory, 0777) && errno != EEXIST)
        return err_set(err, "%s: %s", directory, strerror(errno));
    if (data_load(&d, &data, &report, err))
        return -1;
    if (spec.k >= d.n_samples)
        spec.k = d.n_samples - 1;
    rc = graph_build(&s.graph, &d, &spec, err);
    if (!rc) {
        rc = mat_init(&s.row, 1, d.n_features, err) || write_files(&s, directory, err) ? -1 : 0;
        mat_release(&s.row);
        csr_release(&s.graph);
    }
    if (!rc) {
        buf_printf(&line, "%s: %d samples, %d markers; next: espalier run %s/sweep.ini\n",
                   directory, d.n_samples, d.n_features, escape_shell(&word, directory));
        rc = cli_print(&line, CLI_PLAIN, err);
    }
    buf_release(&line);
    buf_release(&word);
    dataset_release(&d);
    return rc;
}

static int simulate(struct call *call)
{
    const struct simulate_options *o = call->options;
    int samples = (int)o->samples.i;
    struct err err;

    if (o->unphenotyped > samples - 3) {
        err_set(&err,
                "--unphenotyped %ld: must be at most %d, so that 3 of the %d samples have a trait",
                o->unphenotyped, samples - 3, samples);
        return cli_fail_usage(&err);
    }
    return write_panel(call->operands[0], o, &err) ? cli_fail(&err) : EXIT_OK;
}

static const struct option_row options[] = {
    {0, "samples", "N", OPTION_SETTING, .into = offsetof(struct simulate_options, samples),
     .help = "Simulate N samples.", .param = P_SAMPLES},
    {0, "markers", "N", OPTION_SETTING, .into = offsetof(struct simulate_options, markers),
     .help = "Simulate N markers.", .param = P_MARKERS},
    {0, "populations", "N", OPTION_SETTING, .into = offsetof(struct simulate_options, populations),
     .help = "Draw the samples from N subpopulations.", .param = P_POPULATIONS},
    {0, "fst", "X", OPTION_SETTING, .into = offsetof(struct simulate_options, fst),
     .help = "Set the fixation index, by which the subpopulations differ.", .param = P_FST},
    {0, "causal", "N", OPTION_SETTING, .into = offsetof(struct simulate_options, causal),
     .help = "Let N markers affect the trait.", .param = P_CAUSAL},
    {0, "heritability", "X", OPTION_SETTING,
     .into = offsetof(struct simulate_options, heritability),
     .help = "Set the share of the trait's variance that is genetic.", .param = P_HERITABILITY},
    {0, "unphenotyped", "N", OPTION_INT, .into = offsetof(struct simulate_options, unphenotyped),
     .help = "Leave the trait of N samples out of phenotypes.csv.", .default_text = "0", .min = 0,
     .max = INT32_MAX},
    {0, "with-populations", NULL, OPTION_FLAG,
     .into = offsetof(struct simulate_options, has_populations),
     .help = "Add the column population to phenotypes.csv."},
    {0, "seed", "N", OPTION_SETTING, .into = offsetof(struct simulate_options, seed),
     .help = "Draw another panel.", .param = P_SIMULATION_SEED},
    {0},
};

const struct command command_simulate = {
    .name = "simulate",
    .group = GROUP_PREPARE,
    .operands = "DIRECTORY",
    .min_operands = 1,
    .max_operands = 1,
    .operand_kind = VALUE_DIRECTORY,
    .summary = "Write a simulated panel and a sweep file for it.",
    .about = "Writes genotypes.csv, the same genotypes as genotypes.vcf, phenotypes.csv, "
             "edges.csv and sweep.ini. The same options always give "
             "the same panel. Existing files are not overwritten.",
    .examples = {{"espalier simulate panel",
                  "Write a panel and a sweep file into the folder panel."},
                 {"espalier simulate big --samples 2000 --markers 10000", "Write a larger panel."},
                 {"espalier simulate panel --unphenotyped 60",
                  "Write a panel with 60 samples to predict."}},
    .see = "run",
    .options = options,
    .options_size = sizeof(struct simulate_options),
    .multiplies = true,
    .run = simulate,
};
