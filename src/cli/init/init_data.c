/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/init/init_data.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/words.h"
#include "data/text/stream.h"

/* ---- lines ---- */

static const char *role_comment(const struct init_files *files, const struct init_file *file)
{
    return file->role == P_SPLIT_FILE
               ? "which sample trains, validates and tests"
               : data_format_setting(files->format, param_table[file->role].key)->comment;
}

static int add_paths(struct init_lines *lines, const struct init_files *files, const char *output,
                     struct err *err)
{
    int rc = 0;

    for (int32_t i = 0; i < files->n && rc == 0; i++) {
        const struct init_file *file = &files->file[i];
        struct buf path = {0};

        rc = init_path(&path, output, file->path, err);
        if (rc == 0)
            rc = init_lines_add(lines, file->role, buf_text(&path), role_comment(files, file),
                                "the path", err);
        buf_release(&path);
    }
    return rc;
}

static int add_column(struct init_lines *lines, enum param_id id, const struct profile *p,
                      int32_t column, const char *comment, struct err *err)
{
    return init_lines_add(lines, id, p->col[column].name, comment, "the column", err);
}

static int add_columns(struct init_lines *lines, const struct init_files *files,
                       const struct init_columns *c, struct err *err)
{
    if (c->number)
        return init_lines_add(lines, P_TRAIT, c->number, "number of the column to predict",
                              "the trait", err);
    if (!c->table || !data_format_setting(files->format, "trait"))
        return 0;
    if (c->writes_id && add_column(lines, P_ID, &c->joined, c->id, "column of the ids", err) != 0)
        return -1;
    if (c->table->role == P_MOLECULES &&
        add_column(lines, P_SMILES, &c->joined, c->table->column, "column of the molecules", err))
        return -1;
    return add_column(lines, P_TRAIT, &c->joined, c->trait, "column to predict", err);
}

static int add_dosage(struct init_lines *lines, const struct init_columns *c, struct err *err)
{
    if (!c->has_ds)
        return 0;
    return init_lines_add(lines, P_DOSAGE, "DS", "dosages of imputation; GT: called alleles", "",
                          err);
}

static int add_missing_genotype(struct init_lines *lines, const struct init_columns *c,
                                struct err *err)
{
    char text[32];

    if (!c->has_code)
        return 0;
    snprintf(text, sizeof text, "%g", c->code);
    return init_lines_add(lines, P_MISSING_GENOTYPE, text,
                          "unlike the dosages: stands for a missing call", "", err);
}

/* Samples without a value enlarge the graph. If fewer than this share have a value, the others cost
 * more than they help. */
#define FEW_PHENOTYPED 0.8

static int add_subset(struct init_lines *lines, const struct init_files *files,
                      const struct init_columns *c, struct err *err)
{
    bool is_few = c->table && (double)c->joined.col[c->trait].n < FEW_PHENOTYPED * c->ids.n;

    if (!data_format_setting(files->format, "subset") || !is_few ||
        init_files_find(files, P_SPLIT_FILE))
        return 0;
    return init_lines_add(lines, P_SUBSET, "phenotyped",
                          "only samples with a value; all: the others join the graph too", "", err);
}

static int add_task(struct init_lines *lines, const struct init_files *files,
                    const struct init_columns *c, struct err *err)
{
    enum data_task task = c->table ? init_columns_task(c, files->format) : DATA_TASK_AUTO;

    if (task == DATA_TASK_AUTO)
        return 0;
    return task == DATA_TASK_CLASSIFICATION
               ? init_lines_add(lines, P_TASK, "classification",
                                "the trait has few different values", "", err)
               : init_lines_add(lines, P_TASK, "regression", "the trait is an amount", "", err);
}

/* A split file of two columns needs no name. */
static int add_part(struct init_lines *lines, const struct init_files *files,
                    const struct init_columns *c, struct err *err)
{
    const struct init_file *split = init_files_find(files, P_SPLIT_FILE);
    const struct profile *p = split ? &split->profile : &c->joined;
    int32_t column = split ? split->column : c->part;

    if (column < 0 || (split && (p->n_cols == 2 || !strcmp(p->col[column].name, "part"))))
        return 0;
    return add_column(lines, P_PART, p, column, "which sample trains, validates and tests", err);
}

int init_data_lines(struct init_lines *lines, const struct init_files *files,
                    const struct init_columns *columns, const char *output, struct err *err)
{
    int rc = init_lines_add(lines, P_FORMAT, files->format->name, "", "", err);
    if (rc != 0 || add_paths(lines, files, output, err) != 0 ||
        add_missing_genotype(lines, columns, err) || add_dosage(lines, columns, err) != 0 ||
        add_columns(lines, files, columns, err) != 0 || add_part(lines, files, columns, err) != 0)
        return -1;
    if (add_task(lines, files, columns, err) != 0)
        return -1;
    return add_subset(lines, files, columns, err);
}

static int add_group(struct init_lines *lines, const struct init_columns *c,
                     const struct proposal *proposal, struct err *err)
{
    const char *name = c->joined.col[c->group].name;

    if (proposal->uses_group)
        return init_lines_add(lines, P_GROUP, name,
                              "whole groups are left out; delete it for random folds", "the column",
                              err);
    return init_lines_add_off(lines, P_GROUP, name,
                              "switch on to leave whole groups out, which is harder", err);
}

static int add_missing(struct init_lines *lines, const struct data_report *r, struct err *err)
{
    char text[32];

    if (!r->n_suspect)
        return 0;
    snprintf(text, sizeof text, "%g", r->suspect);
    return init_lines_add_off(lines, P_MISSING, text,
                              "switch on if it stands for a missing value of the trait", err);
}

int init_data_finish(struct init_lines *lines, const struct init_files *files,
                     const struct init_columns *columns, const struct job *job,
                     const struct proposal *proposal, struct err *err)
{
    struct buf design = {0};
    int rc = 0;

    if (!columns->table && init_lines_add(lines, P_TASK, task_name(job->data.task), "", "", err))
        return -1;
    rc = add_missing(lines, &job->report, err);
    if (rc == 0 && columns->group >= 0)
        rc = add_group(lines, columns, proposal, err);
    init_columns_design(&design, columns, proposal->uses_group ? columns->group : -1);
    if (rc == 0 && design.size && data_format_setting(files->format, param_table[P_FIXED].key))
        rc = init_lines_add_off(lines, P_FIXED, buf_text(&design),
                                "factors of the design; switch on, and add fixed to type", err);
    buf_release(&design);
    return rc;
}

/* ---- facts ---- */

static int32_t count_rarest(const struct dataset *d, int32_t n_labelled)
{
    int32_t least = n_labelled;

    for (int32_t c = 0; c < d->n_classes; c++) {
        int32_t n = 0;

        for (int32_t i = 0; i < d->n_samples; i++)
            n += d->label[i] == c;
        least = n < least ? n : least;
    }
    return least;
}

/* Larger features are attributes or grey values, not one-hot columns. */
#define WIDE 2.0

static bool has_wide_features(const struct dataset *d)
{
    struct mat row;
    bool is_wide = false;
    struct err err;

    if (!d->graph_start || d->is_sparse || mat_init(&row, 1, d->n_features, &err) != 0)
        return false;
    for (int32_t i = 0; i < d->n_nodes && !is_wide; i++) {
        dataset_decode(&row, d, i, 0);
        for (int32_t j = 0; j < d->n_features; j++)
            is_wide = is_wide || fabsf(row.v[j]) > WIDE;
    }
    mat_release(&row);
    return is_wide;
}

/* With a value. */
static int32_t count_part(const struct dataset *d, enum part part)
{
    int32_t n = 0;

    for (int32_t i = 0; d->part && i < d->n_samples; i++)
        n += d->part[i] == part && dataset_is_labelled(d, i);
    return n;
}

void init_data_facts(struct init_facts *f, const struct init_files *files,
                     const struct init_columns *columns, const struct job *job)
{
    const struct dataset *d = &job->data;

    *f = (struct init_facts){.format = files->format,
                             .is_classification = d->task == TASK_CLASSIFICATION,
                             .n_samples = d->n_samples,
                             .n_features = d->n_features,
                             .n_classes = d->n_classes,
                             .is_sparse = d->is_sparse,
                             .is_dosages = job->report.low >= 0 && job->report.high <= 2,
                             .has_edges = d->n_edges > 0,
                             .has_split = d->part != NULL,
                             .n_train = count_part(d, PART_TRAIN),
                             .n_val = count_part(d, PART_VAL),
                             .n_stop = count_part(d, PART_STOP)};
    f->n_labelled = dataset_count_labelled(d);
    if (f->is_classification && f->n_labelled) {
        f->n_rarest = count_rarest(d, f->n_labelled);
        f->rarest = (double)f->n_rarest / f->n_labelled;
    }
    if (files->format->has_attributes)
        f->has_wide_features = has_wide_features(d);
    if (init_columns_sure_group(columns))
        f->n_groups = columns->joined.col[columns->group].seen.n;
}

/* ---- report ---- */

__attribute__((format(printf, 3, 4))) static void say(struct buf *out, const char *what,
                                                      const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    escape_terminal(line, false);
    buf_printf(out, "%-11s %s\n", what, line);
}

static void report_file(struct buf *out, const struct init_file *file)
{
    const char *what = file->role == P_SPLIT_FILE ? "split" : param_table[file->role].key;

    if (file->kind == KIND_TABLE)
        say(out, what, "%s: table, %lld rows x %d columns", file->path,
            (long long)file->profile.n_rows, file->profile.n_cols);
    else
        say(out, what, "%s: %s", file->path, file->variants ? file->variants->name : "TUDataset");
}

static void report_columns(struct buf *out, const struct init_columns *c)
{
    struct buf list = {0};

    if (c->id >= 0)
        say(out, "ids", "column \"%s\"", c->joined.col[c->id].name);
    else
        say(out, "ids", "row numbers: no column has a different name in each row");
    init_columns_list(&list, c, "; ");
    if (list.size && c->table->role != P_LABELS)
        say(out, "traits", "%s", buf_text(&list));
    buf_release(&list);
}

static void report_task(struct buf *out, const struct init_columns *c, const struct dataset *d,
                        int32_t n)
{
    if (d->n_classes)
        say(out, "task", "classification of %s%s%s: %d samples with a value, %d classes",
            c->table ? "\"" : "", c->table ? c->joined.col[c->trait].name : "graphs",
            c->table ? "\"" : "", n, d->n_classes);
    else
        say(out, "task", "regression of %s%s%s: %d samples with a value", c->table ? "\"" : "",
            c->table ? c->joined.col[c->trait].name : "a number", c->table ? "\"" : "", n);
}

/* More than two whole numbers may also be amounts. */
static void report_numbered(struct buf *out, const struct init_columns *c, const struct dataset *d)
{
    const struct profile_column *col = c->table ? &c->joined.col[c->trait] : NULL;

    if (col && d->n_classes > 2 && profile_is_numeric(col))
        say(out, "classes",
            "the whole numbers of \"%s\" are used as classes; if they are amounts, set task = "
            "regression",
            col->name);
}

static void report_rest(struct buf *out, const struct init_files *files,
                        const struct init_columns *c, const struct job *job)
{
    bool is_left_out = job->sweep.fixed.v[P_SUBSET].i == DATA_SUBSET_PHENOTYPED;
    int32_t n = c->ids.n - job->report.n_joined;

    if (n > 0 && is_left_out)
        say(out, "left out",
            "%d sample%s without a value (subset = phenotyped): later, espalier predict "
            "--genotypes %s predicts them",
            n, plural(n), init_files_find(files, P_GENOTYPES)->path);
    else if (n > 0)
        say(out, "to predict",
            "%d sample%s without a value, which join the graph: later, espalier predict predicts "
            "them",
            n, plural(n));
}

void init_data_report(struct buf *out, const struct init_files *files, const struct init_columns *c,
                      const struct job *job)
{
    const struct dataset *d = &job->data;
    const struct data_report *r = &job->report;

    for (int32_t i = 0; i < files->n; i++)
        report_file(out, &files->file[i]);
    if (c->table)
        report_columns(out, c);
    if (c->table && files->format->has_genotypes) {
        say(out, "joined", "%d of %d genotyped samples have a value; %d values have no genotype",
            r->n_joined, c->ids.n, r->n_unjoined);
        report_rest(out, files, c, job);
    }
    if (r->n_skipped)
        say(out, "skipped", "%d molecule%s that cannot be parsed", r->n_skipped,
            r->n_skipped == 1 ? "" : "s");
    report_task(out, c, d, dataset_count_labelled(d));
    report_numbered(out, c, d);
    say(out, "data", "%d samples, %d features%s", d->n_samples, d->n_features,
        d->graph_start ? " of each node"
        : d->is_sparse ? ", sparse"
                       : "");
    if (c->group >= 0)
        say(out, "groups", "column \"%s\", %d groups: %s", c->joined.col[c->group].name,
            c->joined.col[c->group].seen.n,
            *job->sweep.fixed.v[P_GROUP].s
                ? "whole groups are left out, which is harder than random folds; delete [split] "
                  "group for random folds"
                : "not used; switch on [split] group to leave whole groups out");
}
