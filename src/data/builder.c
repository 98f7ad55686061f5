#include "data/builder.h"

#include <stdlib.h>
#include <string.h>

#include "data/block.h"

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

    *h = (struct block_header){
        .magic = BLOCK_MAGIC,
        .version = BLOCK_VERSION,
        .byte_order = BLOCK_BYTE_ORDER,
        .n_edges = draft->n_edges,
        .nnz = draft->sparse ? csr_nnz(draft->sparse) : 0,
        .n_samples = draft->n_samples,
        .n_features = draft->n_features,
        .n_classes = draft->n_classes,
        .task = draft->label ? TASK_CLASSIFICATION : TASK_REGRESSION,
        .form = draft->sparse   ? BLOCK_SPARSE
                : draft->dosage ? BLOCK_DOSAGES
                                : BLOCK_FLOATS,
        .has_part = draft->part != NULL,
    };
    block_set_sizes(h);
    h->section[BLOCK_ID_TEXT].bytes = text_bytes(draft->ids, draft->n_samples);
    h->section[BLOCK_FEATURE_TEXT].bytes = text_bytes(draft->feature_names, draft->n_features);
    h->section[BLOCK_CLASS_TEXT].bytes = text_bytes(draft->class_names, draft->n_classes);
    for (int i = BLOCK_ID_TEXT; i < BLOCK_N_SECTIONS; i++)
        if (h->section[i].bytes > UINT32_MAX)
            return err_set(err, "names of samples or features take %llu bytes: at most %u",
                           (unsigned long long)h->section[i].bytes, UINT32_MAX);
    for (int i = 0; i < BLOCK_N_SECTIONS; i++) {
        at = (at + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
        h->section[i].offset = at;
        at += h->section[i].bytes;
    }
    h->block_bytes = (at + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    return 0;
}

/* Sections are aligned; the bytes between them are zero, for the digest. */
static void put(char *block, enum block_section section, const void *from)
{
    const struct block_header *h = (const struct block_header *)(const void *)block;

    if (h->section[section].bytes)
        memcpy(block + h->section[section].offset, from, h->section[section].bytes);
}

static void put_names(char *block, enum block_section text, enum block_section start,
                      const char *const *names, int32_t n)
{
    const struct block_header *h = (const struct block_header *)(const void *)block;
    char *to = block + h->section[text].offset;
    uint32_t *starts = (uint32_t *)(void *)(block + h->section[start].offset);
    uint32_t at = 0;

    for (int32_t i = 0; i < n; i++) {
        size_t size = strlen(name_of(names, i)) + 1;

        starts[i] = at;
        memcpy(to + at, name_of(names, i), size);
        at += (uint32_t)size;
    }
    starts[n] = at;
}

#define CHUNK 512 /* columns; their sums fit the first cache */

/* fill[j] = mean of column j's present dosages, NaN without any. Whole numbers: the sums are
 * exact. */
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

static void put_dosage(char *block, const struct draft *draft)
{
    const struct block_header *h = (const struct block_header *)(const void *)block;

    put(block, BLOCK_DOSAGE, draft->dosage);
    find_fill((float *)(void *)(block + h->section[BLOCK_FILL].offset), draft->dosage,
              draft->n_samples, draft->n_features);
}

static void fill_block(char *block, const struct draft *draft)
{
    if (draft->dosage)
        put_dosage(block, draft);
    put(block, BLOCK_FEATURES, draft->features);
    if (draft->sparse) {
        put(block, BLOCK_ROW_START, draft->sparse->row_start);
        put(block, BLOCK_COL, draft->sparse->col);
        put(block, BLOCK_VAL, draft->sparse->val);
    }
    put(block, BLOCK_TARGET, draft->target);
    put(block, BLOCK_LABEL, draft->label);
    put(block, BLOCK_EDGE_SOURCE, draft->edge_source);
    put(block, BLOCK_EDGE_TARGET, draft->edge_target);
    put(block, BLOCK_EDGE_WEIGHT, draft->edge_weight);
    put(block, BLOCK_PART, draft->part);
    put_names(block, BLOCK_ID_TEXT, BLOCK_ID_START, draft->ids, draft->n_samples);
    put_names(block, BLOCK_FEATURE_TEXT, BLOCK_FEATURE_START, draft->feature_names,
              draft->n_features);
    put_names(block, BLOCK_CLASS_TEXT, BLOCK_CLASS_START, draft->class_names, draft->n_classes);
}

int draft_build(struct dataset *out, const struct draft *draft, struct err *err)
{
    struct block_header header;
    struct hash digest;
    char *block;

    memset(out, 0, sizeof *out);
    if (plan_block(&header, draft, err) != 0)
        return -1;
    block = aligned_alloc(BLOCK_ALIGNMENT, header.block_bytes);
    if (!block)
        return err_nomem(err, "data", header.block_bytes);
    memset(block, 0, header.block_bytes);
    memcpy(block, &header, sizeof header);
    fill_block(block, draft);
    digest = block_digest(block, header.block_bytes);
    ((struct block_header *)(void *)block)->digest_high = digest.high;
    ((struct block_header *)(void *)block)->digest_low = digest.low;
    if (dataset_open(out, block, header.block_bytes, err) != 0) {
        free(block);
        return -1;
    }
    out->owns_block = true;
    return 0;
}
