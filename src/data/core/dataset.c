/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/sorted.h"
#include "data/core/block.h"
#include "data/text/equality.h"

static const char *const task_names[TASK_COUNT] = {
    [TASK_REGRESSION] = "regression",
    [TASK_CLASSIFICATION] = "classification",
    [TASK_NONE] = "none",
};

const char *task_name(enum task task)
{
    return task_names[task];
}

static int find_name(const char *const *names, int n, const char *name)
{
    int i = 0;

    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i;
}

enum task task_parse(const char *name)
{
    return (enum task)find_name(task_names, TASK_COUNT, name);
}

static const char *const part_names[] = {"none", "train", "val", "test", "stop"};

const char *part_name(enum part part)
{
    return part_names[part];
}

enum part part_parse(const char *name)
{
    return (enum part)find_name(part_names, PART_COUNT, name);
}

enum part part_of_word(const char *cell)
{
    static const char *const words[] = {"none",       "train", "training", "val",     "valid",
                                        "validation", "dev",   "test",     "testing", "stop"};
    static const enum part parts[] = {PART_NONE, PART_TRAIN, PART_TRAIN, PART_VAL,  PART_VAL,
                                      PART_VAL,  PART_VAL,   PART_TEST,  PART_TEST, PART_STOP};
    int32_t i = equality_pick(words, sizeof words / sizeof *words, -1, cell);

    return i < 0 ? PART_COUNT : parts[i];
}

const char *dataset_id(const struct dataset *d, int32_t sample)
{
    return d->const_ids + d->id_start[sample];
}

const char *dataset_feature_name(const struct dataset *d, int32_t feature)
{
    return d->const_features + d->feature_start[feature];
}

const char *dataset_class_name(const struct dataset *d, int32_t label)
{
    return d->const_classes + d->class_start[label];
}

const char *dataset_alleles(const struct dataset *d, int32_t feature)
{
    return d->const_alleles ? d->const_alleles + d->allele_start[feature] : "";
}

const char *dataset_marker_id(const struct dataset *d, int32_t feature)
{
    return d->const_marker_ids ? d->const_marker_ids + d->marker_id_start[feature] : "";
}

const char *dataset_fixed_name(const struct dataset *d, int32_t column)
{
    return d->const_fixed + d->fixed_start[column];
}

const double *dataset_fixed(const struct dataset *d, int32_t sample)
{
    return d->n_fixed ? d->fixed + (int64_t)sample * d->n_fixed : NULL;
}

const char *dataset_group_name(const struct dataset *d, int32_t group)
{
    return d->const_groups + d->group_start[group];
}

bool dataset_is_labelled(const struct dataset *d, int32_t sample)
{
    if (d->task == TASK_CLASSIFICATION)
        return d->label[sample] >= 0;
    return d->task == TASK_REGRESSION && !isnan(d->target[sample]);
}

int32_t dataset_count_labelled(const struct dataset *d)
{
    int32_t n = 0;

    for (int32_t i = 0; i < d->n_samples; i++)
        n += dataset_is_labelled(d, i);
    return n;
}

void dataset_release(struct dataset *d)
{
    if (!d)
        return;
    if (d->owns_block)
        free((void *)d->block);
    memset(d, 0, sizeof *d);
}

/* ---- view ---- */

static const void *section(const void *block, enum block_section i)
{
    const struct block_header *h = block;

    return h->section[i].bytes ? (const char *)block + h->section[i].offset : NULL;
}

/* struct mat and struct csr have no read-only form; nobody writes to the features. */
static void point_at_features(struct dataset *d, const void *block)
{
    d->dosage = section(block, BLOCK_DOSAGE);
    d->fill = section(block, BLOCK_FILL);
    if (d->is_sparse)
        d->sparse_features = (struct csr){
            .row_start = (int64_t *)section(block, BLOCK_ROW_START),
            .col = (int32_t *)section(block, BLOCK_COL),
            .val = (float *)section(block, BLOCK_VAL),
            .n_rows = d->n_nodes,
            .n_cols = d->n_features,
        };
    else if (!d->dosage)
        d->features = mat_view((float *)section(block, BLOCK_FEATURES), d->n_nodes, d->n_features);
}

static void point_at_texts(const char **text, const uint32_t **start, const void *block,
                           struct block_texts at, uint32_t bytes)
{
    if (!bytes)
        return;
    *text = (const char *)block + at.text;
    *start = (const uint32_t *)(const void *)((const char *)block + at.start);
}

void dataset_view(struct dataset *d, const void *block)
{
    const struct block_header *h = block;

    *d = (struct dataset){
        .block = block,
        .block_bytes = block_whole_bytes(h),
        .digest = {.high = h->digest_high, .low = h->digest_low},
        .n_samples = h->n_samples,
        .n_nodes = h->n_nodes,
        .n_features = h->n_features,
        .n_fixed = h->n_fixed,
        .n_classes = h->n_classes,
        .task = (enum task)h->task,
        .ploidy = h->ploidy,
        .base = h->base,
        .is_sparse = h->form == BLOCK_SPARSE,
        .target = section(block, BLOCK_TARGET),
        .label = section(block, BLOCK_LABEL),
        .graph_start = section(block, BLOCK_GRAPH_START),
        .n_edges = h->n_edges,
        .edge_source = section(block, BLOCK_EDGE_SOURCE),
        .edge_target = section(block, BLOCK_EDGE_TARGET),
        .edge_weight = section(block, BLOCK_EDGE_WEIGHT),
        .part = section(block, BLOCK_PART),
        .const_ids = section(block, BLOCK_ID_TEXT),
        .id_start = section(block, BLOCK_ID_START),
        .const_features = section(block, BLOCK_FEATURE_TEXT),
        .feature_start = section(block, BLOCK_FEATURE_START),
        .const_classes = section(block, BLOCK_CLASS_TEXT),
        .class_start = section(block, BLOCK_CLASS_START),
        .group = section(block, BLOCK_GROUP),
        .n_groups = h->n_groups,
        .const_groups = section(block, BLOCK_GROUP_TEXT),
        .group_start = section(block, BLOCK_GROUP_START),
    };
    point_at_features(d, block);
    if (d->n_fixed) {
        struct block_fixed at = block_fixed(h);
        const char *base = block;

        d->fixed = (const double *)(const void *)(base + at.value);
        d->fixed_factor = (const int32_t *)(const void *)(base + at.factor);
        d->fixed_start = (const uint32_t *)(const void *)(base + at.start);
        d->const_fixed = base + at.text;
    }
    point_at_texts(&d->const_alleles, &d->allele_start, block, block_alleles(h), h->allele_bytes);
    point_at_texts(&d->const_marker_ids, &d->marker_id_start, block, block_marker_ids(h),
                   h->marker_id_bytes);
}

struct dataset_graph dataset_graph(const struct dataset *d, int32_t i)
{
    int64_t begin = d->graph_start[i], end = d->graph_start[i + 1];
    int64_t first = sorted_below(d->edge_source, d->n_edges, begin);

    return (struct dataset_graph){
        .first_node = (int32_t)begin,
        .n_nodes = (int32_t)(end - begin),
        .n_edges = sorted_below(d->edge_source, d->n_edges, end) - first,
        .source = d->n_edges ? d->edge_source + first : NULL,
        .target = d->n_edges ? d->edge_target + first : NULL,
        .weight = d->n_edges ? d->edge_weight + first : NULL,
        .edge_base = (int32_t)begin,
    };
}

/* ---- features ---- */

/* Selects by bits: for `missing ? fill[j] : dosage[j]`, gcc 12 generates a branch and no vector
 * code, and 0.9 values a nanosecond instead of 3. */
CLONES static void decode_row(float *restrict out, const int8_t *restrict dosage,
                              const float *restrict fill, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        uint32_t is_missing = -(uint32_t)(dosage[j] == DOSAGE_MISSING);
        float number = (float)dosage[j];
        uint32_t bits, stand_in;

        memcpy(&bits, &number, sizeof bits);
        memcpy(&stand_in, &fill[j], sizeof stand_in);
        bits = (bits & ~is_missing) | (stand_in & is_missing);
        memcpy(&out[j], &bits, sizeof bits);
    }
}

void dataset_decode(struct mat *out, const struct dataset *d, int32_t row, int32_t col)
{
    for (int32_t i = 0; i < out->n_rows; i++) {
        int64_t first = (int64_t)(row + i) * d->n_features + col;

        if (d->dosage)
            decode_row(mat_row(out, i), d->dosage + first, d->fill + col, out->n_cols);
        else
            memcpy(mat_row(out, i), d->features.v + first, (size_t)out->n_cols * sizeof *out->v);
    }
}

int dataset_means(float *out, const struct dataset *d, struct err *err)
{
    int32_t n = d->n_features;
    double *sum = calloc((size_t)n, sizeof *sum);
    struct mat row = {0};

    if (!sum || mat_init(&row, 1, n, err)) {
        free(sum);
        return err_nomem(err, "means", (size_t)n * sizeof *sum);
    }
    for (int32_t i = 0; i < d->n_samples; i++) {
        dataset_decode(&row, d, i, 0);
        for (int32_t j = 0; j < n; j++)
            sum[j] += (double)row.v[j];
    }
    for (int32_t j = 0; j < n; j++)
        out[j] = (float)(sum[j] / d->n_samples);
    mat_release(&row);
    free(sum);
    return 0;
}

int dataset_open(struct dataset *d, const void *block, size_t bytes, struct err *err)
{
    const struct block_header *h = block;

    memset(d, 0, sizeof *d);
    if (bytes < sizeof *h || memcmp(h->magic, BLOCK_MAGIC, sizeof h->magic) != 0 ||
        h->version != BLOCK_VERSION || h->byte_order != BLOCK_BYTE_ORDER ||
        block_whole_bytes(h) != bytes || !block_is_signed(block))
        return err_set(err, "data block: %zu bytes that are damaged or of another version", bytes);
    dataset_view(d, block);
    return 0;
}
