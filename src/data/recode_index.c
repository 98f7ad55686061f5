#include "data/recode_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Marker number j under a text, or under one that no file has where that is taken or empty: so that
 * numbers are those of the data. */
static int index_marker(struct names *names, const char *text, int32_t j, struct err *err)
{
    char none[32];

    snprintf(none, sizeof none, "\n%d", j);
    if (!*text || names_find(names, text) >= 0)
        text = none;
    return names_add(names, text, 1, err) < 0 ? -1 : 0;
}

/* How much of CHROM_POS is CHROM; 0: the name is none of those. */
static size_t chrom_length(const char *name)
{
    const char *last = strrchr(name, '_');

    return last && last[1] && !last[1 + strspn(last + 1, "0123456789")] ? (size_t)(last - name) : 0;
}

/* Ids that several markers have match none of them. */
static int index_ids(struct recode *r, struct err *err)
{
    for (int32_t j = 0; r->data->const_marker_ids && j < r->data->n_markers; j++) {
        const char *id = dataset_marker_id(r->data, j);
        int32_t known = *id ? names_find(&r->ids, id) : -1;

        r->marker[j].has_own_id = *id && known < 0;
        if (known >= 0)
            r->marker[known].has_own_id = false;
        if (index_marker(&r->ids, id, j, err))
            return -1;
    }
    return 0;
}

static int index_markers(struct recode *r, struct err *err)
{
    for (int32_t j = 0; j < r->data->n_markers; j++) {
        const char *alleles = dataset_alleles(r->data, j);
        const char *name = dataset_feature_name(r->data, j);
        size_t n = *alleles ? strcspn(alleles, "\t") : chrom_length(name);

        if (index_marker(&r->sites, alleles, j, err) || index_marker(&r->names, name, j, err) ||
            (n && chroms_add(&r->chroms, *alleles ? alleles : name, n, err)))
            return -1;
    }
    return 0;
}

/* Means of features that are not held as dosages, whose missing ones are the means already. */
static int find_means(struct recode *r, struct err *err)
{
    const struct dataset *d = r->data;
    struct mat row;
    double *sum;

    if (mat_init(&row, 1, d->n_markers, err))
        return -1;
    sum = calloc((size_t)d->n_markers, sizeof *sum);
    for (int32_t i = 0; sum && i < d->n_samples; i++) {
        dataset_decode(&row, d, i, 0);
        for (int32_t j = 0; j < d->n_markers; j++)
            sum[j] += (double)row.v[j];
    }
    for (int32_t j = 0; sum && j < d->n_markers; j++)
        r->fill[j] = (float)(sum[j] / d->n_samples);
    mat_release(&row);
    free(sum);
    return sum ? 0 : err_nomem(err, "means", (size_t)d->n_markers * sizeof *sum);
}

static int find_fill(struct recode *r, struct err *err)
{
    size_t n = (size_t)r->data->n_markers;

    r->fill = malloc(n * sizeof *r->fill);
    if (!r->fill)
        return err_nomem(err, "means", n * sizeof *r->fill);
    if (!r->data->fill)
        return find_means(r, err);
    memcpy(r->fill, r->data->fill, n * sizeof *r->fill);
    return 0;
}

int recode_index(struct recode *r, struct err *err)
{
    size_t n = (size_t)r->data->n_markers;

    r->marker = calloc(n, sizeof *r->marker);
    if (!r->marker)
        return err_nomem(err, "markers", n * sizeof *r->marker);
    return index_markers(r, err) || index_ids(r, err) || find_fill(r, err) ? -1 : 0;
}
