/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/sorted.h"
#include "data/core/block.h"
#include "data/text/equality.h"

/* dataset_open() trusts nothing, because a block may come from another process or a damaged
 * file. */

static const char *const task_names[TASK_COUNT] = {
    [TASK_REGRESSION] = "regression",
    [TASK_CLASSIFICATION] = "classification",
    [TASK_NONE] = "none",
};

const char *task_name(enum task task)
{
    return task_names[task];
}

enum task task_parse(const char *name)
{
    enum task task = 0;

    while (task < TASK_COUNT && strcmp(task_names[task], name) != 0)
        task++;
    return task;
}

const char *part_name(enum part part)
{
    static const char *const name[] = {"none", "train", "val", "test", "stop"};

    return name[part];
}

enum part part_parse(const char *name)
{
    int p = PART_NONE;

    while (p < PART_COUNT && strcmp(name, part_name((enum part)p)) != 0)
        p++;
    return (enum part)p;
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

/* ---- header ---- */

static bool has_nodes(const struct block_header *h)
{
    if (h->has_graphs > 1)
        return false;
    return h->has_graphs ? h->n_nodes >= h->n_samples : h->n_nodes == h->n_samples;
}

/* Without samples there are at most names of features. */
static bool has_counts(const struct block_header *h)
{
    if (h->n_classes < 0 || h->n_edges < 0 || h->nnz < 0)
        return false;
    if (h->task == TASK_NONE)
        return h->n_samples == 0 && h->n_features >= 0 && !h->n_fixed;
    return h->n_samples > 0 && h->n_features > 0;
}

static bool has_classes(const struct block_header *h)
{
    return h->task <= TASK_NONE && (h->task == TASK_CLASSIFICATION) == (h->n_classes > 0);
}

static int check_header(const struct block_header *h, size_t bytes, struct err *err)
{
    if (memcmp(h->magic, BLOCK_MAGIC, sizeof h->magic) != 0)
        return err_set(err, "data block: does not begin with \"%s\"", BLOCK_MAGIC);
    if (h->byte_order != BLOCK_BYTE_ORDER)
        return err_set(err, "data block: written by a machine of another byte order");
    if (h->version != BLOCK_VERSION)
        return err_set(err, "data block: version %u: this program reads version %d", h->version,
                       BLOCK_VERSION);
    if (h->data_bytes < sizeof *h || h->data_bytes > bytes || h->data_bytes % BLOCK_ALIGNMENT ||
        h->allele_bytes > bytes || h->marker_id_bytes > bytes)
        return err_set(err,
                       "data block: %zu bytes: its header says %llu, %u of alleles and %u of "
                       "marker ids",
                       bytes, (unsigned long long)h->data_bytes, h->allele_bytes,
                       h->marker_id_bytes);
    if (!has_counts(h))
        return err_set(err, "data block: counts out of range (%d samples, %d features)",
                       h->n_samples, h->n_features);
    if (!has_classes(h))
        return err_set(err, "data block: task %u with %d classes", h->task, h->n_classes);
    if (h->form > BLOCK_SPARSE || h->has_part > 1 || (h->form != BLOCK_SPARSE && h->nnz))
        return err_set(err, "data block: flags out of range");
    if (h->n_groups < 0 || h->n_groups > h->n_samples)
        return err_set(err, "data block: %d groups of %d samples", h->n_groups, h->n_samples);
    if (!has_nodes(h))
        return err_set(err, "data block: %d samples with %d nodes", h->n_samples, h->n_nodes);
    /* No size computed below can overflow. */
    if ((uint64_t)h->n_edges > bytes || (uint64_t)h->nnz > bytes)
        return err_set(err, "data block: more edges or entries than bytes");
    if (h->n_fixed < 0 || (uint64_t)h->n_fixed * (uint64_t)h->n_samples > bytes)
        return err_set(err, "data block: %d columns of fixed effects", h->n_fixed);
    if (block_whole_bytes(h) != bytes)
        return err_set(err, "data block: %zu bytes: its header says %llu", bytes,
                       (unsigned long long)block_whole_bytes(h));
    return 0;
}

static int check_sections(const struct block_header *h, struct err *err)
{
    struct block_header wanted = *h;

    block_set_sizes(&wanted);
    for (int i = 0; i < BLOCK_N_SECTIONS; i++) {
        uint64_t offset = h->section[i].offset;
        uint64_t size = h->section[i].bytes;

        if (size != wanted.section[i].bytes)
            return err_set(err, "data block: section %d has %llu bytes: must be %llu", i,
                           (unsigned long long)size, (unsigned long long)wanted.section[i].bytes);
        if (offset % BLOCK_ALIGNMENT || offset < sizeof *h || offset > h->data_bytes ||
            size > h->data_bytes - offset)
            return err_set(err, "data block: section %d lies outside", i);
    }
    return 0;
}

/* After check_sections(). The last offset of a name is the size of the texts. */
static int check_fixed(const struct block_header *h, struct err *err)
{
    struct block_fixed at = block_fixed(h);
    uint32_t size;

    if (!h->n_fixed)
        return 0;
    if (at.text > h->data_bytes)
        return err_set(err, "data block: fixed effects lie outside");
    memcpy(&size, (const char *)h + at.start + (uint64_t)h->n_fixed * sizeof size, sizeof size);
    if (block_align(at.text + size) != h->data_bytes)
        return err_set(err, "data block: names of fixed effects have %u bytes", size);
    return 0;
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

static void point_at_fixed(struct dataset *d, const void *block)
{
    struct block_fixed at = block_fixed(block);
    const char *base = block;

    if (!d->n_fixed)
        return;
    d->fixed = (const double *)(const void *)(base + at.value);
    d->fixed_factor = (const int32_t *)(const void *)(base + at.factor);
    d->fixed_start = (const uint32_t *)(const void *)(base + at.start);
    d->const_fixed = base + at.text;
}

static void point_at_texts(const char **text, const uint32_t **start, const void *block,
                           struct block_texts at, uint32_t bytes)
{
    if (!bytes)
        return;
    *text = (const char *)block + at.text;
    *start = (const uint32_t *)(const void *)((const char *)block + at.start);
}

static void point_into(struct dataset *d, const void *block)
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
    point_at_fixed(d, block);
    point_at_texts(&d->const_alleles, &d->allele_start, block, block_alleles(h), h->allele_bytes);
    point_at_texts(&d->const_marker_ids, &d->marker_id_start, block, block_marker_ids(h),
                   h->marker_id_bytes);
}

static int64_t first_edge_of(const struct dataset *d, int64_t node)
{
    return sorted_below(d->edge_source, d->n_edges, node);
}

struct dataset_graph dataset_graph(const struct dataset *d, int32_t i)
{
    int64_t begin = d->graph_start[i], end = d->graph_start[i + 1];
    int64_t first = first_edge_of(d, begin);

    return (struct dataset_graph){
        .first_node = (int32_t)begin,
        .n_nodes = (int32_t)(end - begin),
        .n_edges = first_edge_of(d, end) - first,
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

static void decode(float *out, const struct dataset *d, int32_t row, int32_t col, int32_t n)
{
    int64_t first = (int64_t)row * d->n_features + col;

    if (d->dosage)
        decode_row(out, d->dosage + first, d->fill + col, n);
    else
        memcpy(out, d->features.v + first, (size_t)n * sizeof *out);
}

void dataset_decode(struct mat *out, const struct dataset *d, int32_t row, int32_t col)
{
    for (int32_t i = 0; i < out->n_rows; i++)
        decode(mat_row(out, i), d, row + i, col, out->n_cols);
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

/* ---- values ---- */

static int check_names(const char *text, uint64_t bytes, const uint32_t *start, int32_t n,
                       const char *what, struct err *err)
{
    bool is_sound = start[0] == 0 && start[n] == bytes;

    for (int32_t i = 0; is_sound && i < n; i++)
        is_sound =
            start[i] < start[i + 1] && start[i + 1] <= bytes && text[start[i + 1] - 1] == '\0';
    return is_sound ? 0 : err_set(err, "data block: names of %s are broken", what);
}

static int check_all_names(const struct dataset *d, struct err *err)
{
    const struct block_header *h = d->block;

    if (check_names(d->const_ids, h->section[BLOCK_ID_TEXT].bytes, d->id_start, d->n_samples,
                    "samples", err) ||
        check_names(d->const_features, h->section[BLOCK_FEATURE_TEXT].bytes, d->feature_start,
                    d->n_features, "features", err))
        return -1;
    if (d->const_alleles && check_names(d->const_alleles, h->allele_bytes, d->allele_start,
                                        d->n_features, "alleles", err))
        return -1;
    if (d->const_marker_ids && check_names(d->const_marker_ids, h->marker_id_bytes,
                                           d->marker_id_start, d->n_features, "marker ids", err))
        return -1;
    if (d->n_fixed && check_names(d->const_fixed, d->fixed_start[d->n_fixed], d->fixed_start,
                                  d->n_fixed, "fixed effects", err))
        return -1;
    if (check_names(d->const_groups, h->section[BLOCK_GROUP_TEXT].bytes, d->group_start,
                    d->n_groups, "groups", err))
        return -1;
    return check_names(d->const_classes, h->section[BLOCK_CLASS_TEXT].bytes, d->class_start,
                       d->n_classes, "classes", err);
}

static int check_finite(const float *v, int64_t n, struct err *err)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return err_set(err, "data block: a feature is not finite");
    return 0;
}

static int check_sparse(const struct dataset *d, struct err *err)
{
    const struct csr *a = &d->sparse_features;

    /* csr_check() reads as many entries as the last offset gives. */
    if (a->row_start[d->n_nodes] != ((const struct block_header *)d->block)->nnz)
        return err_set(err, "data block: %lld entries: its header says otherwise",
                       (long long)a->row_start[d->n_nodes]);
    if (csr_check(a, err))
        return err_wrap(err, "data block: features");
    return check_finite(a->val, csr_nnz(a), err);
}

static int check_features(const struct dataset *d, struct err *err)
{
    for (int64_t i = 0; i < (int64_t)d->n_samples * d->n_fixed; i++)
        if (!isfinite(d->fixed[i]))
            return err_set(err, "data block: a fixed effect is not finite");
    for (int32_t j = 0; j < d->n_fixed; j++)
        if (d->fixed_factor[j] < -1 || d->fixed_factor[j] >= d->n_fixed)
            return err_set(err, "data block: factor %d", d->fixed_factor[j]);
    if (d->is_sparse)
        return check_sparse(d, err);
    return d->dosage ? check_finite(d->fill, d->n_features, err)
                     : check_finite(d->features.v, mat_size(&d->features), err);
}

static int check_graphs(const struct dataset *d, struct err *err)
{
    const int64_t *start = d->graph_start;

    if (!start)
        return 0;
    if (start[0] != 0 || start[d->n_samples] != d->n_nodes)
        return err_set(err, "data block: graphs do not cover all nodes");
    for (int32_t i = 0; i < d->n_samples; i++)
        if (start[i] >= start[i + 1])
            return err_set(err, "data block: graph %d has %lld nodes", i,
                           (long long)(start[i + 1] - start[i]));
    return 0;
}

static int check_targets(const struct dataset *d, struct err *err)
{
    for (int32_t i = 0; i < d->n_samples; i++) {
        if (d->target && isinf(d->target[i]))
            return err_set(err, "data block: the target of sample %d is infinite", i);
        if (d->label && (d->label[i] < -1 || d->label[i] >= d->n_classes))
            return err_set(err, "data block: label %d of sample %d: must be in [-1, %d)",
                           d->label[i], i, d->n_classes);
        if (d->part && d->part[i] >= PART_COUNT)
            return err_set(err, "data block: part %d of sample %d", d->part[i], i);
        if (d->group &&
            (d->group[i] < (dataset_is_labelled(d, i) ? 0 : -1) || d->group[i] >= d->n_groups))
            return err_set(err, "data block: group %d of sample %d", d->group[i], i);
    }
    return 0;
}

static int check_edges_in_graphs(const struct dataset *d, struct err *err)
{
    int32_t graph = 0;

    for (int64_t e = 0; d->graph_start && e < d->n_edges; e++) {
        while (d->edge_source[e] >= d->graph_start[graph + 1])
            graph++;
        if (d->edge_target[e] >= d->graph_start[graph + 1])
            return err_set(err, "data block: edge %d to %d leaves graph %d", d->edge_source[e],
                           d->edge_target[e], graph);
    }
    return 0;
}

static int check_edges(const struct dataset *d, struct err *err)
{
    for (int64_t e = 0; e < d->n_edges; e++) {
        int32_t a = d->edge_source[e], b = d->edge_target[e];

        if (a < 0 || a >= b || b >= d->n_nodes)
            return err_set(err, "data block: edge %d to %d: must be ascending and in [0, %d)", a, b,
                           d->n_nodes);
        if (e && (a < d->edge_source[e - 1] ||
                  (a == d->edge_source[e - 1] && b <= d->edge_target[e - 1])))
            return err_set(err, "data block: edges are not sorted");
        if (!(d->edge_weight[e] > 0) || isinf(d->edge_weight[e]))
            return err_set(err, "data block: weight %g of edge %d to %d: must be positive",
                           (double)d->edge_weight[e], a, b);
    }
    return check_edges_in_graphs(d, err);
}

int dataset_open(struct dataset *d, const void *block, size_t bytes, struct err *err)
{
    const struct block_header *h = block;

    memset(d, 0, sizeof *d);
    if ((uintptr_t)block % BLOCK_ALIGNMENT)
        return err_set(err, "data block: not aligned to %d bytes", BLOCK_ALIGNMENT);
    if (bytes < sizeof *h)
        return err_set(err, "data block: %zu bytes: shorter than its header", bytes);
    if (check_header(h, bytes, err) || check_sections(h, err) || check_fixed(h, err))
        return -1;
    if (!block_is_signed(block))
        return err_set(err, "data block: damaged, its digest does not match");
    point_into(d, block);
    if (!check_all_names(d, err) && !check_features(d, err) && !check_targets(d, err) &&
        !check_graphs(d, err) && !check_edges(d, err))
        return 0;
    memset(d, 0, sizeof *d);
    return -1;
}
