#include "data/newcovariates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/phenotype.h"
#include "data/table.h"

/* A column of the table and its features, which are [first, first + n) of the covariates. */
struct column {
    const struct target_cells *cells;
    int32_t first, n;
    bool is_number;
};

struct coding {
    const struct dataset *data;
    struct mat *out;
    struct newcovariates_report *report;
    const int32_t *sample;
    float *mean; /* [F - K] of the data */
};

/* ---- the data's ---- */

static int find_means(struct coding *c, struct err *err)
{
    const struct dataset *d = c->data;
    int32_t width = d->n_features - d->n_markers;

    c->mean = malloc((size_t)width * sizeof *c->mean);
    if (!c->mean)
        return err_nomem(err, "covariates", (size_t)width * sizeof *c->mean);
    for (int32_t j = 0; j < width; j++) {
        double sum = 0;

        for (int32_t i = 0; i < d->n_samples; i++)
            sum += (double)d->covariates[(int64_t)i * width + j];
        c->mean[j] = (float)(sum / d->n_samples);
    }
    return 0;
}

/* The word in "COLUMN=WORD"; NULL: it is a feature of another column. */
static const char *word_of(const char *feature, const char *column)
{
    size_t n = strlen(column);

    return !strncmp(feature, column, n) && feature[n] == '=' ? feature + n + 1 : NULL;
}

static const char *name_of(const struct coding *c, int32_t j)
{
    return dataset_feature_name(c->data, c->data->n_markers + j);
}

/* Features of a column, of which the first is known. */
static struct column find_features(const struct coding *c, const struct target_cells *cells,
                                   int32_t first)
{
    struct column column = {.cells = cells, .first = first};

    if (first < c->out->n_cols && !strcmp(name_of(c, first), cells->column)) {
        column.is_number = true;
        column.n = 1;
        return column;
    }
    while (first + column.n < c->out->n_cols &&
           word_of(name_of(c, first + column.n), cells->column))
        column.n++;
    return column;
}

/* ---- cells ---- */

static int take_number(float *out, const struct target_cells *cells, int32_t i, struct err *err)
{
    const struct table at = {.path = cells->path, .line = cells->line[i]};
    double v;

    if (!table_parse_number(&v, cells->text[i]))
        return table_fault(
            err, &at, "column \"%.80s\" = \"%.80s\": must be a number, as in the training data",
            cells->column, cells->text[i]);
    *out = (float)v;
    return 0;
}

static void count_unknown(struct newcovariates_report *r, const struct target_cells *cells,
                          int32_t i)
{
    if (r->n_unknown++)
        return;
    snprintf(r->column, sizeof r->column, "%s", cells->column);
    snprintf(r->word, sizeof r->word, "%s", cells->text[i]);
    r->line = cells->line[i];
}

/* out [column->n] holds means. */
static void take_word(float *out, struct coding *c, const struct column *column, int32_t i)
{
    const struct target_cells *cells = column->cells;
    int32_t found = 0;

    while (found < column->n &&
           strcmp(word_of(name_of(c, column->first + found), cells->column), cells->text[i]) != 0)
        found++;
    if (found == column->n) {
        count_unknown(c->report, cells, i);
        return;
    }
    for (int32_t j = 0; j < column->n; j++)
        out[j] = j == found;
}

static int take_column(struct coding *c, const struct column *column, struct err *err)
{
    const struct target_cells *cells = column->cells;

    for (int32_t row = 0; row < c->out->n_rows; row++) {
        float *out = mat_row(c->out, row) + column->first;
        int32_t i = c->sample[row];

        memcpy(out, c->mean + column->first, (size_t)column->n * sizeof *out);
        if (!cells->text[i])
            c->report->n_missing += cells->line[i] > 0;
        else if (!column->is_number)
            take_word(out, c, column, i);
        else if (take_number(out, cells, i, err))
            return -1;
    }
    return 0;
}

static int take_columns(struct coding *c, const struct phenotype *p, struct err *err)
{
    int32_t first = 0;

    for (int32_t k = 0; k < p->n_covariates; k++) {
        struct column column = find_features(c, &p->covariate[k], first);

        first += column.n;
        if (take_column(c, &column, err))
            return -1;
    }
    if (first != c->out->n_cols)
        return err_set(err, "the covariates of the data are not those of data.covariates");
    for (int32_t row = 0; row < c->out->n_rows; row++)
        c->report->n_absent += p->covariate[0].line[c->sample[row]] == 0;
    return 0;
}

int newcovariates_read(struct mat *out, struct newcovariates_report *report,
                       const struct dataset *data, const struct data_spec *spec,
                       const struct names *ids, const int32_t *sample, int32_t n,
                       const char *source, struct err *err)
{
    struct coding c = {.data = data, .out = out, .report = report, .sample = sample};
    struct data_spec new = *spec;
    struct data_report unused = {0};
    struct joined_ids from = {.ids = ids, .path = source};
    struct phenotype p = {0};
    int rc = -1;

    *report = (struct newcovariates_report){0};
    new.like = data;
    if (mat_init(out, n, data->n_features - data->n_markers, err) == 0 &&
        find_means(&c, err) == 0 && phenotype_read(&p, &from, &new, &unused, err) == 0)
        rc = take_columns(&c, &p, err);
    phenotype_release(&p);
    free(c.mean);
    return rc;
}
