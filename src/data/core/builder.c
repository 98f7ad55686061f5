/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/builder.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/block.h"

static const char *name_of(const char *const *names, int32_t i)
{
    return names ? names[i] : "";
}

static uint64_t text_bytes(const char *const *names, int32_t n)
{
    uint64_t bytes = 0;

    for (int32_t i = 0; i < n; i++)
        bytes += strlen(name_of(names, i)) + 1;
    return bytes;
}

static int plan_block(struct block_header *h, const struct draft *draft, struct err *err)
{
    uint64_t at = sizeof *h;
    uint64_t alleles = draft->alleles ? text_bytes(draft->alleles, draft->n_features) : 0;
    uint64_t ids = draft->marker_ids ? text_bytes(draft->marker_ids, draft->n_features) : 0;

    *h = (struct block_header){
        .magic = BLOCK_MAGIC,
        .version = BLOCK_VERSION,
        .ploidy = (uint8_t)draft->ploidy,
        .base = (int8_t)draft->base,
        .byte_order = BLOCK_BYTE_ORDER,
        .n_edges = draft->n_edges,
        .nnz = draft->sparse ? csr_nnz(draft->sparse) : 0,
        .n_samples = draft->n_samples,
        .n_nodes = draft->n_nodes ? draft->n_nodes : draft->n_samples,
        .n_features = draft->n_features,
        .same_features = draft->n_features,
        .n_fixed = draft->n_fixed,
        .n_classes = draft->n_classes,
        .task = !draft->n_samples ? TASK_NONE
                : draft->label    ? TASK_CLASSIFICATION
                                  : TASK_REGRESSION,
        .form = draft->sparse                           ? BLOCK_SPARSE
                : draft->dosage || draft->writes_dosage ? BLOCK_DOSAGES
                                                        : BLOCK_FLOATS,
        .has_part = draft->part != NULL,
        .has_graphs = draft->graph_start != NULL,
        .n_groups = draft->group ? draft->n_groups : 0,
        .allele_bytes = (uint32_t)alleles,
        .marker_id_bytes = (uint32_t)ids,
    };
    block_set_sizes(h);
    h->section[BLOCK_ID_TEXT].bytes = text_bytes(draft->ids, draft->n_samples);
    h->section[BLOCK_FEATURE_TEXT].bytes = text_bytes(draft->feature_names, draft->n_features);
    h->section[BLOCK_CLASS_TEXT].bytes = text_bytes(draft->class_names, draft->n_classes);
    h->section[BLOCK_GROUP_TEXT].bytes = text_bytes(draft->group_names, h->n_groups);
    for (int i = BLOCK_ID_TEXT; i < BLOCK_N_SECTIONS; i++)
        if (h->section[i].bytes > UINT32_MAX)
            return err_set(err, "names of samples or features take %llu bytes: at most %u",
                           (unsigned long long)h->section[i].bytes, UINT32_MAX);
    if (alleles > UINT32_MAX || ids > UINT32_MAX)
        return err_set(err, "alleles or marker ids take over %u bytes", UINT32_MAX);
    for (int i = 0; i < BLOCK_N_SECTIONS; i++) {
        at = block_align(at);
        h->section[i].offset = at;
        at += h->section[i].bytes;
    }
    h->data_bytes = block_align(at);
    if (h->n_fixed)
        h->data_bytes =
            block_align(block_fixed(h).text + text_bytes(draft->fixed_names, h->n_fixed));
    return 0;
}

/* Bytes between aligned sections stay zero, for the digest. */
static void put(char *block, enum block_section section, const void *from)
{
    const struct block_header *h = (const struct block_header *)(const void *)block;

    if (h->section[section].bytes)
        memcpy(block + h->section[section].offset, from, h->section[section].bytes);
}

static void put_names(char *block, uint64_t text, uint64_t start, const char *const *names,
                      int32_t n)
{
    uint32_t *starts = (uint32_t *)(void *)(block + start);
    uint32_t at = 0;

    for (int32_t i = 0; i < n; i++) {
        size_t size = strlen(name_of(names, i)) + 1;

        starts[i] = at;
        memcpy(block + text + at, name_of(names, i), size);
        at += (uint32_t)size;
    }
    starts[n] = at;
}

#define CHUNK 512 /* columns whose sums fit the first cache */

/* NaN where a column has no present dosage. */
static void find_fill(float *fill, const int8_t *dosage, int32_t n_rows, int32_t n_cols)
{
    for (int32_t first = 0; first < n_cols; first += CHUNK) {
        int32_t width = n_cols - first < CHUNK ? n_cols - first : CHUNK;
        int64_t sum[CHUNK] = {0};
        int32_t n[CHUNK] = {0};

        for (int32_t i = 0; i < n_rows; i++) {
            const int8_t *row = dosage + (int64_t)i * n_cols + first;

            for (int32_t j = 0; j < width; j++) {
                bool is_present = row[j] != DOSAGE_MISSING;

                sum[j] += is_present ? row[j] : 0;
                n[j] += is_present;
            }
        }
        for (int32_t j = 0; j < width; j++)
            fill[first + j] = (float)((double)sum[j] / n[j]);
    }
}

static void put_texts(char *block, const struct draft *draft)
{
    const struct block_header *h = (const struct block_header *)(const void *)block;
    const struct {
        enum block_section text, start;
        const char *const *names;
        int32_t n;
    } lists[] = {
        {BLOCK_ID_TEXT, BLOCK_ID_START, draft->ids, draft->n_samples},
        {BLOCK_FEATURE_TEXT, BLOCK_FEATURE_START, draft->feature_names, draft->n_features},
        {BLOCK_CLASS_TEXT, BLOCK_CLASS_START, draft->class_names, draft->n_classes},
        {BLOCK_GROUP_TEXT, BLOCK_GROUP_START, draft->group_names, h->n_groups},
    };
    struct block_texts alleles = block_alleles(h), ids = block_marker_ids(h);

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        put_names(block, h->section[lists[i].text].offset, h->section[lists[i].start].offset,
                  lists[i].names, lists[i].n);
    if (draft->alleles)
        put_names(block, alleles.text, alleles.start, draft->alleles, draft->n_features);
    if (draft->marker_ids)
        put_names(block, ids.text, ids.start, draft->marker_ids, draft->n_features);
}

static void *place(char *block, enum block_section section)
{
    const struct block_header *h = (const struct block_header *)(const void *)block;

    return h->section[section].bytes ? block + h->section[section].offset : NULL;
}

static void fill_block(char *block, const struct draft *draft)
{
    const struct block_header *h = (const struct block_header *)(const void *)block;
    struct block_fixed at = block_fixed(h);
    size_t n = (size_t)h->n_samples, q = (size_t)h->n_fixed;

    if (draft->dosage) {
        put(block, BLOCK_DOSAGE, draft->dosage);
        find_fill(place(block, BLOCK_FILL), draft->dosage,
                  draft->n_nodes ? draft->n_nodes : draft->n_samples, draft->n_features);
    }
    if (draft->write)
        draft->write(draft->write_arg, place(block, BLOCK_DOSAGE), place(block, BLOCK_FILL),
                     place(block, BLOCK_FEATURES));
    if (draft->features)
        put(block, BLOCK_FEATURES, draft->features);
    if (draft->sparse) {
        put(block, BLOCK_ROW_START, draft->sparse->row_start);
        put(block, BLOCK_COL, draft->sparse->col);
        put(block, BLOCK_VAL, draft->sparse->val);
    }
    put(block, BLOCK_TARGET, draft->target);
    put(block, BLOCK_LABEL, draft->label);
    put(block, BLOCK_GRAPH_START, draft->graph_start);
    put(block, BLOCK_EDGE_SOURCE, draft->edge_source);
    put(block, BLOCK_EDGE_TARGET, draft->edge_target);
    put(block, BLOCK_EDGE_WEIGHT, draft->edge_weight);
    put(block, BLOCK_PART, draft->part);
    put(block, BLOCK_GROUP, draft->group);
    if (q) {
        memcpy(block + at.value, draft->fixed, n * q * sizeof *draft->fixed);
        memcpy(block + at.factor, draft->fixed_factor, q * sizeof *draft->fixed_factor);
        put_names(block, at.text, at.start, draft->fixed_names, h->n_fixed);
    }
    put_texts(block, draft);
}

int draft_build(struct dataset *out, const struct draft *draft, struct err *err)
{
    enum block_section section = draft->writes_dosage ? BLOCK_DOSAGE : BLOCK_FEATURES;
    struct block_header header;
    size_t bytes, from, to;
    char *block;

    memset(out, 0, sizeof *out);
    if (plan_block(&header, draft, err))
        return -1;
    bytes = block_whole_bytes(&header);
    block = aligned_alloc(BLOCK_ALIGNMENT, bytes);
    if (!block)
        return err_nomem(err, "data", bytes);
    /* Skip the section that draft->write fills: an untouched page takes no memory yet. */
    from = header.section[section].offset;
    to = from + (draft->write ? header.section[section].bytes : 0);
    memset(block, 0, from);
    memset(block + to, 0, bytes - to);
    memcpy(block, &header, sizeof header);
    fill_block(block, draft);
    block_sign(block);
    dataset_view(out, block);
    out->owns_block = true;
    return 0;
}
