/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/covariates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "data/core/data_spec.h"
#include "data/core/phenotype.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* Its features are [first, first + n). */
struct column {
    const struct target_cells *cells;
    int32_t first, n;
    bool is_number;
};

struct coding {
    const struct dataset *data;
    struct mat *out;
    struct covariates_report *report;
    const int32_t *sample;
    float *mean; /* [F - K] of the data */
};

/* ---- new samples: columns ---- */

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

static const char *word_of(const char *feature, const char *column)
{
    size_t n = strlen(column);

    return !strncmp(feature, column, n) && feature[n] == '=' ? feature + n + 1 : NULL;
}

static const char *name_of(const struct coding *c, int32_t j)
{
    return dataset_feature_name(c->data, c->data->n_markers + j);
}

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

/* ---- new samples: cells ---- */

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

static void count_unknown(struct covariates_report *r, const struct target_cells *cells, int32_t i)
{
    if (r->n_unknown++)
        return;
    snprintf(r->column, sizeof r->column, "%s", cells->column);
    snprintf(r->word, sizeof r->word, "%s", cells->text[i]);
    r->line = cells->line[i];
}

/* out [column->n] contains the means on entry. */
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
        return err_set(err, "the covariates of the training data differ from data.covariates");
    for (int32_t row = 0; row < c->out->n_rows; row++)
        c->report->n_absent += p->covariate[0].line[c->sample[row]] == 0;
    return 0;
}

int covariates_read_new(struct mat *out, struct covariates_report *report,
                        const struct dataset *data, const struct data_spec *spec,
                        const struct names *ids, const int32_t *sample, int32_t n,
                        const char *source, struct err *err)
{
    struct coding c = {.data = data, .out = out, .report = report, .sample = sample};
    struct data_spec new = *spec;
    struct phenotype_report unused = {0};
    struct joined_ids from = {.ids = ids, .path = source};
    struct phenotype p = {0};
    int rc;

    *report = (struct covariates_report){0};
    new.like = data;
    rc = mat_init(out, n, data->n_features - data->n_markers, err) || find_means(&c, err) ||
         phenotype_read(&p, &from, &new, &unused, err) || take_columns(&c, &p, err);
    phenotype_release(&p);
    free(c.mean);
    return rc ? -1 : 0;
}

/* ---- training data ---- */

/* v is column-major until all columns are known; NaN means missing until impute(). */

static int fault(struct err *err, const struct target_cells *cells, int32_t i, const char *why)
{
    struct table at = {.path = cells->path, .line = cells->line[i]};

    return table_fault(err, &at, "data.covariates: column \"%.80s\" = \"%.80s\": %s", cells->column,
                       cells->text[i], why);
}

static float *add_column(struct covariates *c, size_t n, char *name, struct err *err)
{
    if (name && c->n == c->capacity) {
        int32_t capacity = c->capacity ? 2 * c->capacity : 8;
        float *v = realloc(c->v, (size_t)capacity * n * sizeof *v);
        char **names = realloc(c->name, (size_t)capacity * sizeof *names);

        if (v)
            c->v = v;
        if (names)
            c->name = names;
        if (v && names)
            c->capacity = capacity;
    }
    if (!name || c->n == c->capacity) {
        free(name);
        err_nomem(err, "covariates", n * sizeof *c->v);
        return NULL;
    }
    c->name[c->n] = name;
    return c->v + (size_t)c->n++ * n;
}

static void impute(float *v, int32_t n)
{
    double sum = 0;
    int32_t n_present = 0;

    for (int32_t i = 0; i < n; i++)
        if (!isnan(v[i])) {
            sum += (double)v[i];
            n_present++;
        }
    for (int32_t i = 0; i < n; i++)
        if (isnan(v[i]))
            v[i] = (float)(sum / n_present);
}

static int add_numbers(struct covariates *c, const struct target_cells *cells, struct err *err)
{
    float *v = add_column(c, (size_t)cells->n, strdup(cells->column), err);
    float low = INFINITY, high = -INFINITY;

    if (!v)
        return -1;
    for (int32_t i = 0; i < cells->n; i++) {
        double number = NAN;

        if (cells->text[i])
            table_parse_number(&number, cells->text[i]);
        v[i] = (float)number;
        low = fminf(low, v[i]);
        high = fmaxf(high, v[i]);
    }
    if (low == high)
        return err_set(err,
                       "%s: data.covariates: column \"%.80s\": every value is %g; it does not "
                       "distinguish samples",
                       cells->path, cells->column, (double)low);
    impute(v, cells->n);
    return 0;
}

static int add_word(struct covariates *c, const struct target_cells *cells,
                    const struct target *words, int32_t k, struct err *err)
{
    struct buf name = {0};
    float *v;

    buf_printf(&name, "%s=%s", cells->column, words->class_names[k]);
    v = add_column(c, (size_t)cells->n, buf_failed(&name) ? NULL : strdup(buf_text(&name)), err);
    buf_release(&name);
    if (!v)
        return -1;
    for (int32_t i = 0; i < cells->n; i++)
        v[i] = words->label[i] < 0 ? NAN : (float)(words->label[i] == k);
    impute(v, cells->n);
    return 0;
}

static int check_words(const struct target_cells *cells, const struct target *words,
                       int32_t n_present, struct err *err)
{
    for (int32_t i = 0; i < cells->n; i++)
        if (cells->text[i] && escape_find_invalid(cells->text[i]))
            return fault(err, cells, i,
                         "is not UTF-8: save the table as UTF-8 (iconv -f CHARSET -t UTF-8)");
    if (words->n_classes == 1)
        return err_set(err,
                       "%s: data.covariates: column \"%.80s\": every value is \"%.80s\"; it does "
                       "not distinguish samples",
                       cells->path, cells->column, words->class_names[0]);
    if (words->n_classes == n_present)
        return err_set(err,
                       "%s: data.covariates: column \"%.80s\": no two samples share one of its "
                       "%d words, so a model cannot learn from them",
                       cells->path, cells->column, n_present);
    return 0;
}

static int add_words(struct covariates *c, const struct target_cells *cells, int32_t n_present,
                     struct err *err)
{
    struct target words;
    int rc;

    if (target_classes(&words, cells, err))
        return -1;
    rc = check_words(cells, &words, n_present, err);
    for (int32_t k = 0; !rc && k < words.n_classes; k++)
        rc = add_word(c, cells, &words, k, err);
    target_release(&words);
    return rc;
}

static int add_covariate(struct covariates *c, const struct target_cells *cells, bool is_factor,
                         struct err *err)
{
    int32_t n_present = 0, n_words = 0, a_word = 0;

    for (int32_t i = 0; i < cells->n; i++) {
        double v;

        if (!cells->text[i])
            continue;
        n_present++;
        if (!table_parse_number(&v, cells->text[i]) && n_words++ == 0)
            a_word = i;
    }
    c->n_columns++;
    c->n_missing += cells->n - n_present;
    if (n_present == 0)
        return err_set(err, "%s: data.covariates: column \"%.80s\": no sample has a value",
                       cells->path, cells->column);
    if (is_factor || n_words == n_present)
        return add_words(c, cells, n_present, err);
    if (n_words)
        return fault(err, cells, a_word,
                     "a word among numbers: correct it, name it in data.missing if it stands for a "
                     "missing value, or write factor(COLUMN) to make every value a word");
    return add_numbers(c, cells, err);
}

static int transpose(struct covariates *c, size_t n_rows, struct err *err)
{
    size_t n = (size_t)c->n;
    float *rows = malloc(n_rows * n * sizeof *rows);

    if (!rows)
        return err_nomem(err, "covariates", n_rows * n * sizeof *rows);
    for (size_t i = 0; i < n_rows; i++)
        for (size_t j = 0; j < n; j++)
            rows[i * n + j] = c->v[j * n_rows + i];
    free(c->v);
    c->v = rows;
    return 0;
}

int covariates_make(struct covariates *c, const struct phenotype *p, struct err *err)
{
    memset(c, 0, sizeof *c);
    for (int32_t k = 0; k < p->n_covariates; k++)
        if (add_covariate(c, &p->covariate[k], p->is_factor[k], err))
            return -1;
    return c->n ? transpose(c, (size_t)p->trait.n, err) : 0;
}

void covariates_release(struct covariates *c)
{
    if (!c)
        return;
    for (int32_t j = 0; j < c->n; j++)
        free(c->name[j]);
    free(c->name);
    free(c->v);
    free(c->all_names);
    free(c->all_alleles);
    free(c->all_ids);
    memset(c, 0, sizeof *c);
}

/* Markers come first. Missing texts are "". */
static const char **join(const char *const *markers, size_t n_markers, const struct covariates *c,
                         bool has_names)
{
    const char **all = malloc((n_markers + (size_t)c->n) * sizeof *all);

    for (size_t j = 0; all && j < n_markers; j++)
        all[j] = markers ? markers[j] : "";
    for (int32_t j = 0; all && j < c->n; j++)
        all[n_markers + (size_t)j] = has_names ? c->name[j] : "";
    return all;
}

int covariates_into(struct draft *draft, struct covariates *c, struct err *err)
{
    size_t n = (size_t)draft->n_features;

    if (c->n == 0)
        return 0;
    c->all_names = join(draft->feature_names, n, c, true);
    c->all_alleles = join(draft->alleles, n, c, false);
    c->all_ids = join(draft->marker_ids, n, c, false);
    if (!c->all_names || !c->all_alleles || !c->all_ids)
        return err_nomem(err, "names of features", (n + (size_t)c->n) * sizeof *c->all_names);
    draft->feature_names = c->all_names;
    if (draft->alleles)
        draft->alleles = c->all_alleles;
    if (draft->marker_ids)
        draft->marker_ids = c->all_ids;
    draft->n_markers = draft->n_features;
    draft->n_features += c->n;
    draft->covariates = c->v;
    return 0;
}
