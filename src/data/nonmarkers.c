#include "data/nonmarkers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/names.h"
#include "data/phenotype.h"
#include "data/reader.h"

/* Rows by which a column is judged to be one of words. */
#define ROWS_SEEN 200

struct search {
    const struct table *t;
    const struct data_spec *spec;
    struct names phenotypes; /* columns of that table, its ids among them */
    struct names named;      /* what spec names of them, and its ids */
    bool *is_words;          /* [n_cols] of t; only where has_markers */
    bool has_markers;        /* the table of phenotypes has nearly all columns of t */
};

static void release(struct search *s)
{
    names_release(&s->phenotypes);
    names_release(&s->named);
    free(s->is_words);
}

static bool has(const struct names *names, const char *text)
{
    return names_find(names, text) >= 0;
}

/* Once. */
static int add(struct names *names, const char *text, struct err *err)
{
    return !text || !*text || has(names, text) || names_add(names, text, 1, err) >= 0 ? 0 : -1;
}

static int add_covariates(struct search *s, struct err *err)
{
    struct names listed = {0};
    bool is_factor;
    int rc = names_split(&listed, s->spec->covariates, "data.covariates", err);

    for (int32_t k = 0; !rc && k < listed.n; k++) {
        char *copy = strdup(listed.text[k]);

        rc = copy ? add(&s->named, phenotype_strip_factor(copy, &is_factor), err)
                  : err_nomem(err, "covariates", strlen(listed.text[k]));
        free(copy);
    }
    names_release(&listed);
    return rc;
}

/* Reads the header of the phenotype table, which may be faulty: its reader reports that. */
static int read_header(struct search *s, struct err *err)
{
    struct table t;
    int32_t id;
    int rc = 0;

    if (table_open(&t, s->spec->phenotypes, NULL) != 0)
        return 0;
    id = reader_id_column(&t, s->spec->id, NULL);
    if (id >= 0)
        rc = add(&s->named, t.name[id], err);
    for (int32_t j = 0; !rc && j < t.n_cols; j++)
        rc = add(&s->phenotypes, t.name[j], err);
    table_close(&t);
    return rc;
}

static int find_names(struct search *s, struct err *err)
{
    return read_header(s, err) || add(&s->named, s->spec->trait, err) ||
                   add(&s->named, s->spec->group, err) || add_covariates(s, err)
               ? -1
               : 0;
}

/* ---- columns of words ---- */

static void count_row(const struct table *t, const struct names *missing, int32_t *words,
                      int32_t *numbers)
{
    double v;

    for (int32_t j = 1; j < t->n_cols; j++) {
        if (table_parse_number(&v, t->cell[j]))
            numbers[j]++;
        else if (!table_is_missing(t->cell[j]) && !reader_is_listed(missing, t->cell[j]))
            words[j]++;
    }
}

/* A column with a number in it is a marker, whatever else is wrong with it. */
static int find_words(struct search *s, struct err *err)
{
    size_t n = (size_t)s->t->n_cols;
    int32_t *words = calloc(n, sizeof *words), *numbers = calloc(n, sizeof *numbers);
    struct names missing = {0};
    struct table t = {0};
    int rc = 0;

    s->is_words = calloc(n, sizeof *s->is_words);
    if (!words || !numbers || !s->is_words)
        rc = err_nomem(err, "columns", n * sizeof *words);
    if (!rc)
        rc = names_split(&missing, s->spec->missing_genotype, "data.missing_genotype", err);
    if (!rc && table_open(&t, s->t->path, err) == 0) {
        for (int row = 0; row < ROWS_SEEN && table_next(&t, NULL) > 0; row++)
            count_row(&t, &missing, words, numbers);
        table_close(&t);
    }
    for (size_t j = 1; !rc && j < n; j++)
        s->is_words[j] = words[j] && !numbers[j];
    names_release(&missing);
    free(words);
    free(numbers);
    return rc;
}

/* ---- hiding ---- */

static int search(struct search *s, struct err *err)
{
    int32_t n_shared = 0;

    if (find_names(s, err))
        return -1;
    for (int32_t j = 1; j < s->t->n_cols; j++)
        n_shared += has(&s->phenotypes, s->t->name[j]);
    s->has_markers = 10 * (int64_t)n_shared > 9 * (int64_t)(s->t->n_cols - 1);
    return s->has_markers ? find_words(s, err) : 0;
}

static bool is_hidden(const struct search *s, int32_t col)
{
    const char *name = s->t->name[col];

    return has(&s->named, name) || (s->has_markers ? s->is_words[col] : has(&s->phenotypes, name));
}

static int hide(struct nonmarkers *n, struct table *t, const struct search *s,
                struct data_report *report, struct err *err)
{
    n->n_all = t->n_cols;
    n->shown = malloc((size_t)t->n_cols * sizeof *n->shown);
    if (!n->shown)
        return err_nomem(err, "columns", (size_t)t->n_cols * sizeof *n->shown);
    for (int32_t j = 0; j < t->n_cols; j++) {
        if (j == 0 || !is_hidden(s, j))
            n->shown[n->n_shown++] = j;
        else if (report->n_nonmarkers++ < DATA_NONMARKERS)
            snprintf(report->nonmarker[report->n_nonmarkers - 1], sizeof report->nonmarker[0], "%s",
                     t->name[j]);
    }
    if (n->n_shown == 1 && n->n_all > 1)
        return err_set(err, "%s: no column is a marker: %d of them are columns of %s", t->path,
                       report->n_nonmarkers, s->spec->phenotypes);
    for (int32_t k = 0; k < n->n_shown; k++)
        t->name[k] = t->name[n->shown[k]];
    t->n_cols = n->n_shown;
    return 0;
}

int nonmarkers_hide(struct nonmarkers *n, struct table *t, const struct data_spec *spec,
                    struct data_report *report, struct err *err)
{
    struct search s = {.t = t, .spec = spec};
    int rc;

    *n = (struct nonmarkers){0};
    if (!spec->phenotypes || !*spec->phenotypes)
        return 0;
    rc = search(&s, err);
    if (!rc)
        rc = hide(n, t, &s, report, err);
    release(&s);
    return rc;
}

void nonmarkers_release(struct nonmarkers *n)
{
    free(n->shown);
    *n = (struct nonmarkers){0};
}

int nonmarkers_next(struct table *t, const struct nonmarkers *n, struct err *err)
{
    int status;

    if (!n->shown || n->n_shown == n->n_all)
        return table_next(t, err);
    t->n_cols = n->n_all;
    status = table_next(t, err);
    t->n_cols = n->n_shown;
    for (int32_t k = 0; status > 0 && k < n->n_shown; k++)
        t->cell[k] = t->cell[n->shown[k]];
    return status;
}
