/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/duplicates.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/colouring.h"

struct row {
    struct hash hash;
    int32_t sample;
    int32_t first; /* sample with an equal hash */
};

/* ---- sets ---- */

static int compare_hashes(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->hash.high != b->hash.high)
        return a->hash.high < b->hash.high ? -1 : 1;
    if (a->hash.low != b->hash.low)
        return a->hash.low < b->hash.low ? -1 : 1;
    return (a->sample > b->sample) - (a->sample < b->sample);
}

static int compare_sets(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->sample > b->sample) - (a->sample < b->sample);
}

int duplicates_find(struct duplicates *out, const struct dataset *d, struct err *err)
{
    size_t n = (size_t)d->n_samples, n_features = (size_t)d->n_features;
    struct row *rows = malloc(n * sizeof *rows);
    struct colouring colours = {0};
    int32_t at = 0;
    int rc = d->graph_start ? colouring_init(&colours, d, err) : 0;

    memset(out, 0, sizeof *out);
    if (!rc && !rows)
        rc = err_nomem(err, "duplicates", n * sizeof *rows);
    for (size_t i = 0; !rc && i < n; i++) {
        rows[i] = (struct row){.sample = (int32_t)i, .first = (int32_t)i};
        if (d->graph_start)
            rows[i].hash.low = colouring_graph(&colours, (int32_t)i);
        else if (d->dosage)
            rows[i].hash = hash_bytes(d->dosage + i * n_features, n_features);
        else
            rows[i].hash = hash_bytes(d->features.v + i * n_features, n_features * sizeof(float));
    }
    if (!rc) {
        qsort(rows, n, sizeof *rows, compare_hashes);
        for (size_t k = 1; k < n; k++)
            if (hash_equal(rows[k - 1].hash, rows[k].hash)) {
                out->n_members += rows[k - 1].first == rows[k - 1].sample ? 2 : 1;
                rows[k].first = rows[k - 1].first;
            }
        qsort(rows, n, sizeof *rows, compare_sets);
        out->member = calloc((size_t)out->n_members + 1, sizeof *out->member);
        out->start = calloc((size_t)out->n_members / 2 + 1, sizeof *out->start);
        if (!out->member || !out->start)
            rc = err_nomem(err, "duplicates", n * sizeof *out->member);
    }
    for (size_t k = 0; !rc && k < n; k++) {
        bool is_first = rows[k].first == rows[k].sample;

        if (is_first && (k + 1 == n || rows[k + 1].first != rows[k].first))
            continue;
        if (is_first)
            out->start[out->n_sets++] = at;
        out->member[at++] = rows[k].sample;
        out->start[out->n_sets] = at;
    }
    if (rc)
        duplicates_release(out);
    colouring_release(&colours);
    free(rows);
    return rc;
}

void duplicates_release(struct duplicates *dup)
{
    if (!dup)
        return;
    free(dup->member);
    free(dup->start);
    memset(dup, 0, sizeof *dup);
}

bool duplicates_straddles(const struct duplicates *dup, int32_t set, const int32_t *side)
{
    int32_t first = -1;

    for (int32_t k = dup->start[set]; k < dup->start[set + 1]; k++) {
        int32_t here = side[dup->member[k]];

        if (here < 0)
            continue;
        if (first >= 0 && here != first)
            return true;
        first = here;
    }
    return false;
}

static bool disagrees(const struct duplicates *dup, const struct dataset *d, int32_t set)
{
    int32_t first = -1;

    for (int32_t k = dup->start[set]; k < dup->start[set + 1]; k++) {
        int32_t i = dup->member[k];

        if (!dataset_is_labelled(d, i))
            continue;
        if (first >= 0 &&
            (d->label ? d->label[i] != d->label[first] : !(d->target[i] == d->target[first])))
            return true;
        first = first < 0 ? i : first;
    }
    return false;
}

int32_t duplicates_disagreeing(const struct duplicates *dup, const struct dataset *d)
{
    int32_t n = 0;

    for (int32_t set = 0; set < dup->n_sets; set++)
        n += disagrees(dup, d, set);
    return n;
}
