#include "data/covariates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "data/table.h"

/* A column is a vector of numbers with NaN where missing, or a target of classes; each becomes
 * columns of v, which is column-major until all are known. */

static int fault(struct err *err, const struct target_cells *cells, int32_t i, const char *why)
{
    struct table at = {.path = cells->path, .line = cells->line[i]};

    return table_fault(err, &at, "data.covariates: column \"%.80s\" = \"%.80s\": %s", cells->column,
                       cells->text[i], why);
}

/* Room for one more column of n values; NULL and err when memory is short. */
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

/* The mean of what is there in place of NaN. */
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
                       "%s: data.covariates: column \"%.80s\": every value is %g, it tells no "
                       "samples apart",
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
        if (cells->text[i] && utf8_find_foreign(cells->text[i]))
            return fault(err, cells, i,
                         "is not UTF-8: save the table as UTF-8 (iconv -f CHARSET -t UTF-8)");
    if (words->n_classes == 1)
        return err_set(err,
                       "%s: data.covariates: column \"%.80s\": every value is \"%.80s\", it tells "
                       "no samples apart",
                       cells->path, cells->column, words->class_names[0]);
    if (words->n_classes == n_present)
        return err_set(err,
                       "%s: data.covariates: column \"%.80s\": no two samples have the same of its "
                       "%d words, nothing can be learnt of one for another",
                       cells->path, cells->column, n_present);
    return 0;
}

static int add_words(struct covariates *c, const struct target_cells *cells, int32_t n_present,
                     struct err *err)
{
    struct target words;
    int rc;

    if (target_classes(&words, cells, err) != 0)
        return -1;
    rc = check_words(cells, &words, n_present, err);
    for (int32_t k = 0; !rc && k < words.n_classes; k++)
        rc = add_word(c, cells, &words, k, err);
    target_release(&words);
    return rc;
}

static int add_covariate(struct covariates *c, const struct target_cells *cells, bool is_factor,
                         struct data_report *report, struct err *err)
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
    report->n_covariates++;
    report->n_covariate_missing += cells->n - n_present;
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

/* v becomes row-major. */
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

int covariates_make(struct covariates *c, const struct phenotype *p, struct data_report *report,
                    struct err *err)
{
    memset(c, 0, sizeof *c);
    for (int32_t k = 0; k < p->n_covariates; k++)
        if (add_covariate(c, &p->covariate[k], p->is_factor[k], report, err) != 0)
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

/* Texts of the markers, "" where they have none, then those of the covariates, "" likewise. */
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
