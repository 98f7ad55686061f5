#include "data/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "data/block.h"

/* dataset_open() trusts nothing: a block may come from another process or a damaged file. First
 * the header, then that every section has the size the header implies and lies inside the block,
 * then the digest, then the values. */

const char *task_name(enum task task)
{
    return task == TASK_CLASSIFICATION ? "classification" : "regression";
}

const char *part_name(enum part part)
{
    static const char *const name[] = {"none", "train", "val", "test"};

    return name[part];
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

bool dataset_is_labelled(const struct dataset *d, int32_t sample)
{
    return d->task == TASK_CLASSIFICATION ? d->label[sample] >= 0 : !isnan(d->target[sample]);
}

void dataset_release(struct dataset *d)
{
    if (!d)
        return;
    if (d->owns_block)
        free((void *)d->block);
    memset(d, 0, sizeof *d);
}

/* ---- layout ---- */

void block_set_sizes(struct block_header *h)
{
    uint64_t n = (uint64_t)h->n_samples;
    uint64_t edges = (uint64_t)h->n_edges;
    uint64_t nnz = (uint64_t)h->nnz;
    uint64_t features = (uint64_t)h->n_features;

    h->section[BLOCK_FEATURES].bytes = h->form == BLOCK_FLOATS ? n * features * sizeof(float) : 0;
    h->section[BLOCK_DOSAGE].bytes = h->form == BLOCK_DOSAGES ? n * features : 0;
    h->section[BLOCK_FILL].bytes = h->form == BLOCK_DOSAGES ? features * sizeof(float) : 0;
    h->section[BLOCK_ROW_START].bytes = h->form == BLOCK_SPARSE ? (n + 1) * sizeof(int64_t) : 0;
    h->section[BLOCK_COL].bytes = nnz * sizeof(int32_t);
    h->section[BLOCK_VAL].bytes = nnz * sizeof(float);
    h->section[BLOCK_TARGET].bytes = h->task == TASK_REGRESSION ? n * sizeof(float) : 0;
    h->section[BLOCK_LABEL].bytes = h->task == TASK_CLASSIFICATION ? n * sizeof(int32_t) : 0;
    h->section[BLOCK_EDGE_SOURCE].bytes = edges * sizeof(int32_t);
    h->section[BLOCK_EDGE_TARGET].bytes = edges * sizeof(int32_t);
    h->section[BLOCK_EDGE_WEIGHT].bytes = edges * sizeof(float);
    h->section[BLOCK_PART].bytes = h->has_part ? n : 0;
    h->section[BLOCK_ID_START].bytes = (n + 1) * sizeof(uint32_t);
    h->section[BLOCK_FEATURE_START].bytes = (features + 1) * sizeof(uint32_t);
    h->section[BLOCK_CLASS_START].bytes = ((uint64_t)h->n_classes + 1) * sizeof(uint32_t);
}

struct hash block_digest(const void *block, size_t bytes)
{
    size_t skip = offsetof(struct block_header, block_bytes);

    return hash_bytes((const char *)block + skip, bytes - skip);
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
    if (h->block_bytes != bytes)
        return err_set(err, "data block: %zu bytes: its header says %llu", bytes,
                       (unsigned long long)h->block_bytes);
    if (h->n_samples < 1 || h->n_features < 1 || h->n_classes < 0 || h->n_edges < 0 || h->nnz < 0)
        return err_set(err, "data block: counts out of range (%d samples, %d features)",
                       h->n_samples, h->n_features);
    if (h->task > TASK_CLASSIFICATION || (h->task == TASK_REGRESSION) != (h->n_classes == 0))
        return err_set(err, "data block: task %u with %d classes", h->task, h->n_classes);
    if (h->form > BLOCK_SPARSE || h->has_part > 1 || (h->form != BLOCK_SPARSE && h->nnz))
        return err_set(err, "data block: flags out of range");
    /* So that no size computed from them overflows. */
    if ((uint64_t)h->n_edges > bytes || (uint64_t)h->nnz > bytes)
        return err_set(err, "data block: more edges or entries than bytes");
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
        if (offset % BLOCK_ALIGNMENT || offset < sizeof *h || offset > h->block_bytes ||
            size > h->block_bytes - offset)
            return err_set(err, "data block: section %d lies outside", i);
    }
    return 0;
}

/* ---- view ---- */

static const void *section(const void *block, enum block_section i)
{
    const struct block_header *h = block;

    return h->section[i].bytes ? (const char *)block + h->section[i].offset : NULL;
}

static void point_into(struct dataset *d, const void *block)
{
    const struct block_header *h = block;

    *d = (struct dataset){
        .block = block,
        .block_bytes = h->block_bytes,
        .digest = {.high = h->digest_high, .low = h->digest_low},
        .n_samples = h->n_samples,
        .n_features = h->n_features,
        .n_classes = h->n_classes,
        .task = (enum task)h->task,
        .is_sparse = h->form == BLOCK_SPARSE,
        .dosage = section(block, BLOCK_DOSAGE),
        .fill = section(block, BLOCK_FILL),
        .target = section(block, BLOCK_TARGET),
        .label = section(block, BLOCK_LABEL),
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
    };
    /* struct mat and struct csr have no read-only form; nobody writes to the features. */
    if (d->is_sparse)
        d->sparse_features = (struct csr){
            .row_start = (int64_t *)section(block, BLOCK_ROW_START),
            .col = (int32_t *)section(block, BLOCK_COL),
            .val = (float *)section(block, BLOCK_VAL),
            .n_rows = d->n_samples,
            .n_cols = d->n_features,
        };
    else if (!d->dosage)
        d->features =
            mat_view((float *)section(block, BLOCK_FEATURES), d->n_samples, d->n_features);
}

/* The choice is made on the bits: of `missing ? fill[j] : dosage[j]` gcc 12 makes a branch and no
 * vectors, and 0.9 values a nanosecond instead of 3. */
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
    for (int32_t i = 0; i < out->n_rows; i++)
        if (d->dosage)
            decode_row(mat_row(out, i), d->dosage + (int64_t)(row + i) * d->n_features + col,
                       d->fill + col, out->n_cols);
        else
            memcpy(mat_row(out, i), mat_row(&d->features, row + i) + col,
                   (size_t)out->n_cols * sizeof *out->v);
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
                    "samples", err) != 0 ||
        check_names(d->const_features, h->section[BLOCK_FEATURE_TEXT].bytes, d->feature_start,
                    d->n_features, "features", err) != 0)
        return -1;
    return check_names(d->const_classes, h->section[BLOCK_CLASS_TEXT].bytes, d->class_start,
                       d->n_classes, "classes", err);
}

static int check_features(const struct dataset *d, struct err *err)
{
    const struct csr *a = &d->sparse_features;
    const float *v = d->is_sparse ? a->val : d->dosage ? d->fill : d->features.v;
    int64_t n;

    /* csr_check() reads as far as the last offset says. */
    if (d->is_sparse && a->row_start[d->n_samples] != ((const struct block_header *)d->block)->nnz)
        return err_set(err, "data block: %lld entries: its header says otherwise",
                       (long long)a->row_start[d->n_samples]);
    if (d->is_sparse && !csr_check(a, err))
        return err_wrap(err, "data block: features");
    n = d->is_sparse ? csr_nnz(a) : d->dosage ? d->n_features : mat_size(&d->features);
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return err_set(err, "data block: a feature is not finite");
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
        if (d->part && d->part[i] > PART_TEST)
            return err_set(err, "data block: part %d of sample %d", d->part[i], i);
    }
    return 0;
}

static int check_edges(const struct dataset *d, struct err *err)
{
    for (int64_t e = 0; e < d->n_edges; e++) {
        int32_t a = d->edge_source[e], b = d->edge_target[e];

        if (a < 0 || a >= b || b >= d->n_samples)
            return err_set(err, "data block: edge %d to %d: must be ascending and in [0, %d)", a, b,
                           d->n_samples);
        if (e && (a < d->edge_source[e - 1] ||
                  (a == d->edge_source[e - 1] && b <= d->edge_target[e - 1])))
            return err_set(err, "data block: edges are not sorted");
        if (!(d->edge_weight[e] > 0) || isinf(d->edge_weight[e]))
            return err_set(err, "data block: weight %g of edge %d to %d: must be positive",
                           (double)d->edge_weight[e], a, b);
    }
    return 0;
}

int dataset_open(struct dataset *d, const void *block, size_t bytes, struct err *err)
{
    const struct block_header *h = block;

    memset(d, 0, sizeof *d);
    if ((uintptr_t)block % BLOCK_ALIGNMENT)
        return err_set(err, "data block: not aligned to %d bytes", BLOCK_ALIGNMENT);
    if (bytes < sizeof *h)
        return err_set(err, "data block: %zu bytes: shorter than its header", bytes);
    if (check_header(h, bytes, err) != 0 || check_sections(h, err) != 0)
        return -1;
    if (!hash_equal(block_digest(block, bytes), (struct hash){h->digest_high, h->digest_low}))
        return err_set(err, "data block: damaged, its digest does not match");
    point_into(d, block);
    if (check_all_names(d, err) == 0 && check_features(d, err) == 0 && check_targets(d, err) == 0 &&
        check_edges(d, err) == 0)
        return 0;
    memset(d, 0, sizeof *d);
    return -1;
}
