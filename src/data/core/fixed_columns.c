/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/fixed_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/words.h"
#include "data/core/data_spec.h"
#include "data/core/phenotype.h"
#include "data/text/equality.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* Levels that a description names. */
#define MOST_DESCRIBED 8

static int fault(struct err *err, const struct target_cells *cells, int32_t i, const char *why)
{
    struct table at = {.path = cells->path, .line = cells->line[i]};

    return table_fault(err, &at, "data.fixed: column \"%.80s\" = \"%.80s\": %s", cells->column,
                       cells->text[i], why);
}

/* ---- new samples ---- */

struct new_fixed {
    const struct dataset *data;
    double *out; /* (n, q) */
    struct fixed_report *report;
    const int32_t *sample;
    int32_t n;
};

/* Columns [first, first + n) of the data set belong to this factor. */
static int take_words(struct new_fixed *c, const struct target_cells *cells, int32_t first,
                      int32_t n, struct err *err)
{
    const struct dataset *d = c->data;
    struct fixed_report *r = c->report;
    const char **level = malloc((size_t)n * sizeof *level);
    size_t skip = strlen(cells->column) + 1;

    if (!level)
        return err_nomem(err, "levels", (size_t)n * sizeof *level);
    for (int32_t j = 0; j < n; j++) {
        level[j] = dataset_fixed_name(d, first + j);
        level[j] += strlen(level[j]) >= skip ? skip : 0;
    }
    for (int32_t i = 0; i < c->n; i++) {
        const char *text = cells->text[c->sample[i]];
        int32_t found = text ? equality_pick(level, n, -1, text) : -1;

        if (found >= 0)
            c->out[(int64_t)i * d->n_fixed + first + found] = 1;
        else if (text && !r->n_unknown++) {
            snprintf(r->column, sizeof r->column, "%s", cells->column);
            snprintf(r->word, sizeof r->word, "%s", text);
            r->line = cells->line[c->sample[i]];
        }
    }
    free(level);
    return 0;
}

static int take_numbers(struct new_fixed *c, const struct target_cells *cells, int32_t first,
                        struct err *err)
{
    const struct dataset *d = c->data;
    double mean = 0;

    for (int32_t i = 0; i < d->n_samples; i++)
        mean += d->fixed[(int64_t)i * d->n_fixed + first] / d->n_samples;
    for (int32_t i = 0; i < c->n; i++) {
        double *out = &c->out[(int64_t)i * d->n_fixed + first];
        const char *text = cells->text[c->sample[i]];

        *out = mean;
        if (text && !table_parse_number(out, text))
            return fault(err, cells, c->sample[i], "must be a number, as in the training data");
    }
    return 0;
}

int fixed_columns_read_new(double **out, struct fixed_report *report, const struct data_spec *spec,
                           const struct joined_ids *source, const int32_t *sample, int32_t n,
                           struct err *err)
{
    const struct dataset *d = spec->like;
    size_t size = (size_t)n * (size_t)d->n_fixed;
    struct new_fixed new = {.data = d, .report = report, .sample = sample, .n = n};
    struct phenotype_report unused = {0};
    struct phenotype p = {0};
    int32_t first = 0;
    int rc;

    *report = (struct fixed_report){0};
    new.out = *out = calloc(size + 1, sizeof **out);
    if (!*out)
        return err_nomem(err, "fixed effects", size * sizeof **out);
    rc = phenotype_read(&p, source, spec, &unused, err);
    /* the data set has the columns in the order of the setting */
    for (int32_t k = 0; !rc && k < p.n_fixed; k++) {
        const struct target_cells *cells = &p.fixed[k];
        int32_t width = 1, factor = first < d->n_fixed ? d->fixed_factor[first] : -1;

        while (factor >= 0 && first + width < d->n_fixed &&
               d->fixed_factor[first + width] == factor)
            width++;
        if (first >= d->n_fixed)
            rc = err_set(err, "the fixed effects of the training data differ from data.fixed");
        else
            rc = factor >= 0 ? take_words(&new, cells, first, width, err)
                             : take_numbers(&new, cells, first, err);
        for (int32_t i = 0; i < n; i++)
            report->n_missing += !cells->text[sample[i]] && cells->line[sample[i]] > 0;
        first += width;
    }
    for (int32_t i = 0; !rc && i < n; i++)
        report->n_absent += p.fixed[0].line[sample[i]] == 0;
    phenotype_release(&p);
    return rc ? -1 : 0;
}

/* ---- training data ---- */

/* v is column-major until all columns are known. */

/* Takes ownership of name. factor: -1 for a number. */
static double *add_column(struct fixed_columns *c, size_t n, char *name, int32_t factor,
                          struct err *err)
{
    size_t q = (size_t)c->n + 1;
    double *v = realloc(c->v, q * n * sizeof *v);
    char **names = realloc(c->name, q * sizeof *names);
    int32_t *factors = realloc(c->factor, q * sizeof *factors);

    c->v = v ? v : c->v;
    c->name = names ? names : c->name;
    c->factor = factors ? factors : c->factor;
    if (!name || !v || !names || !factors) {
        free(name);
        err_nomem(err, "fixed effects", n * sizeof *c->v);
        return NULL;
    }
    c->name[c->n] = name;
    c->factor[c->n] = factor;
    return c->v + (size_t)c->n++ * n;
}

static int add_numbers(struct fixed_columns *c, const struct target_cells *cells, int32_t n_present,
                       struct err *err)
{
    double *v = add_column(c, (size_t)cells->n, strdup(cells->column), -1, err);
    double low = INFINITY, high = -INFINITY, sum = 0;

    if (!v)
        return -1;
    for (int32_t i = 0; i < cells->n; i++) {
        v[i] = NAN;
        if (!cells->text[i] || !table_parse_number(&v[i], cells->text[i]))
            continue;
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
        sum += v[i];
    }
    if (low == high)
        return err_set(err,
                       "%s: data.fixed: column \"%.80s\": every value is %g; it does not "
                       "distinguish samples",
                       cells->path, cells->column, low);
    for (int32_t i = 0; i < cells->n; i++)
        if (isnan(v[i]))
            v[i] = sum / n_present;
    buf_printf(&c->described, "%s%.80s (a number)", c->described.size ? ", " : "", cells->column);
    return 0;
}

static int add_words(struct fixed_columns *c, const struct target_cells *cells, int32_t n_present,
                     struct err *err)
{
    struct target words;
    int rc = 0;

    for (int32_t i = 0; i < cells->n; i++)
        if (cells->text[i] && escape_find_invalid(cells->text[i]))
            return fault(err, cells, i,
                         "is not UTF-8: save the table as UTF-8 (iconv -f CHARSET -t UTF-8)");
    if (target_classes(&words, cells, err))
        return -1;
    if (words.n_classes == 1)
        rc = err_set(err,
                     "%s: data.fixed: column \"%.80s\": every value is \"%.80s\"; it does not "
                     "distinguish samples",
                     cells->path, cells->column, words.class_names[0]);
    else if (words.n_classes == n_present)
        rc = err_set(
            err,
            "%s: data.fixed: column \"%.80s\": no two samples share one of its %d words, so "
            "a model cannot learn from them",
            cells->path, cells->column, n_present);
    if (words.spelled.n)
        c->spelled = words.spelled;
    buf_printf(&c->described, "%s%.80s (", c->described.size ? ", " : "", cells->column);
    for (int32_t k = 0; !rc && k < words.n_classes; k++) {
        struct buf name = {0};
        int32_t n = 0;
        double *v;

        buf_printf(&name, "%s=%s", cells->column, words.class_names[k]);
        v = add_column(c, (size_t)cells->n, buf_failed(&name) ? NULL : strdup(buf_text(&name)),
                       c->n_factors, err);
        buf_release(&name);
        rc = v ? 0 : -1;
        for (int32_t i = 0; v && i < cells->n; i++)
            n += (v[i] = words.label[i] == k) != 0;
        if (k < MOST_DESCRIBED)
            buf_printf(&c->described, "%s%.40s %d", k ? ", " : "", words.class_names[k], n);
        else if (k == MOST_DESCRIBED)
            buf_printf(&c->described, ", ... %d levels", words.n_classes);
    }
    buf_puts(&c->described, ")");
    c->n_factors++;
    target_release(&words);
    return rc;
}

int fixed_columns_make(struct fixed_columns *c, const struct phenotype *p, struct err *err)
{
    size_t n_rows = (size_t)p->trait.n, n;
    double *rows;

    memset(c, 0, sizeof *c);
    for (int32_t k = 0; k < p->n_fixed; k++) {
        const struct target_cells *cells = &p->fixed[k];
        struct target_facts f = target_examine(cells);
        bool are_words = p->is_factor[k] || !f.n_numbers;

        c->n_missing += cells->n - f.n_present;
        if (f.n_present == 0)
            return err_set(err, "%s: data.fixed: column \"%.80s\": no sample has a value",
                           cells->path, cells->column);
        if (!are_words && f.word >= 0)
            return fault(err, cells, f.word,
                         "a word among numbers: correct it, name it in data.missing if it stands "
                         "for a missing value, or write factor(COLUMN) to make every value a word");
        if ((are_words ? add_words : add_numbers)(c, cells, f.n_present, err))
            return -1;
    }
    n = (size_t)c->n;
    if (!n)
        return 0;
    rows = malloc(n_rows * n * sizeof *rows);
    if (!rows)
        return err_nomem(err, "fixed effects", n_rows * n * sizeof *rows);
    for (size_t i = 0; i < n_rows; i++)
        for (size_t j = 0; j < n; j++)
            rows[i * n + j] = c->v[j * n_rows + i];
    free(c->v);
    c->v = rows;
    return 0;
}

void fixed_columns_release(struct fixed_columns *c)
{
    if (!c)
        return;
    for (int32_t j = 0; j < c->n; j++)
        free(c->name[j]);
    free(c->name);
    free(c->factor);
    free(c->v);
    buf_release(&c->described);
    memset(c, 0, sizeof *c);
}

void fixed_columns_into(struct draft *draft, const struct fixed_columns *c)
{
    draft->n_fixed = c->n;
    draft->fixed = c->v;
    draft->fixed_factor = c->factor;
    draft->fixed_names = (const char *const *)c->name;
}

void fixed_columns_note(struct data_report *report, const struct fixed_columns *c)
{
    if (!c->n)
        return;
    data_report_add(report, DATA_NOTE_FACT, "effects", "%s; %lld missing cell%s take%s the mean",
                    buf_text(&c->described), (long long)c->n_missing, plural(c->n_missing),
                    c->n_missing == 1 ? "s" : "");
    target_report_spelled(report, &c->spelled, "levels");
}
