/* SPDX-License-Identifier: BSD-3-Clause */
#include <htslib/vcf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/genotype/variants.h"

struct bcf {
    htsFile *file;
    bcf_hdr_t *header;
    bcf1_t *record;
    int64_t number; /* from 1 */
    int32_t *gt;    /* allocated by htslib */
    int n_gt;
    float *field;
    int n_field;
    int n_gt_each, n_field_each; /* at this site; 0: none */
    bool is_filled;              /* the arrays are those of this site */
    struct variants_scratch scratch;
};

#define REFUSE(v, err, ...) \
    variants_fault(err, (v)->path, " record ", ((struct bcf *)(v)->state)->number, __VA_ARGS__)

/* For a field of another type, htslib's next call would end the process. */
static bool has_numbers(struct bcf *b, const char *key)
{
    const bcf_fmt_t *field = bcf_get_fmt(b->header, b->record, key);

    return field && (field->type == BCF_BT_INT8 || field->type == BCF_BT_INT16 ||
                     field->type == BCF_BT_INT32 || field->type == BCF_BT_FLOAT);
}

static int bcf_next(struct variants *v, struct site *site, struct err *err)
{
    struct bcf *b = v->state;
    int status = bcf_read(b->file, b->header, b->record);
    bool has[DATA_DOSAGE_HDS + 1];

    b->number++;
    b->is_filled = false;
    if (status == -1)
        return 0;
    if (status < -1 || b->record->errcode)
        return REFUSE(v, err, "cannot read: the file is damaged or cut off");
    if ((int32_t)b->record->n_sample != v->ids.n)
        return REFUSE(v, err, "%u samples: the header has %d", b->record->n_sample, v->ids.n);
    if (bcf_unpack(b->record, BCF_UN_STR) || b->record->n_allele < 1)
        return REFUSE(v, err, "no allele: the file is damaged");
    for (uint32_t i = 0; i < b->record->n_allele; i++)
        variants_capitalise(b->record->d.allele[i]);
    *site = (struct site){
        .id = b->record->d.id ? b->record->d.id : "",
        .chrom = bcf_seqname_safe(b->header, b->record),
        .pos = b->record->pos + 1,
        .end = b->record->pos + b->record->rlen,
        .ref = b->record->d.allele[0],
        .alt = (const char *const *)b->record->d.allele + 1,
        .n_alts = b->record->n_allele - 1,
    };
    if (!has_numbers(b, "GT") &&
        (v->dosage == DATA_DOSAGE_GT || !has_numbers(b, variants_field(v->dosage)))) {
        for (int d = 0; d <= DATA_DOSAGE_HDS; d++)
            has[d] = has_numbers(b, variants_field((enum data_dosage)d));
        site->odd = variants_no_gt(has);
    }
    return 1;
}

enum { MALFORMED = DOSAGE_MAX + 1 };

/* Returns DOSAGE_MISSING if one of the values is missing, MALFORMED for an unknown allele. A special
 * value ends shorter calls. */
static int count_alleles(const struct bcf *b, int32_t sample, int32_t allele, int *n_alleles)
{
    const int32_t *gt = b->gt + (int64_t)sample * b->n_gt_each;
    int32_t n_alts = (int32_t)b->record->n_allele - 1;
    int count = 0, n = 0;

    for (; n < b->n_gt_each && gt[n] != bcf_int32_vector_end; n++) {
        if (gt[n] == bcf_int32_missing || bcf_gt_is_missing(gt[n]))
            return DOSAGE_MISSING;
        if (gt[n] < 0 || bcf_gt_allele(gt[n]) > n_alts)
            return MALFORMED;
        count += bcf_gt_allele(gt[n]) == allele;
    }
    *n_alleles = n;
    return n ? count : DOSAGE_MISSING;
}

static void note_malformed(struct variants *v, int32_t sample, const char *what)
{
    variants_note_malformed(v, "record ", ((struct bcf *)v->state)->number, v->ids.text[sample],
                            what, (int)strlen(what));
}

static bool take_gt(struct variants *v, int32_t sample, int32_t alt)
{
    struct bcf *b = v->state;
    int32_t slot = v->slot[sample];
    int n_alleles = 0, count = DOSAGE_MISSING;

    if (b->n_gt_each)
        count = count_alleles(b, sample, alt + 1, &n_alleles);
    if (count == MALFORMED) {
        note_malformed(v, sample, "GT");
        count = DOSAGE_MISSING;
    }
    return variants_take_count(v, &b->scratch, slot, count, n_alleles);
}

static void take_imputed(struct variants *v, int32_t sample, int32_t alt)
{
    struct bcf *b = v->state;
    const float *field = b->field + (int64_t)sample * b->n_field_each;
    float numbers[VARIANTS_FIELD], *value = &b->scratch.value[v->slot[sample]];
    int n = 0, n_alleles = 0;

    for (; n < b->n_field_each && n < VARIANTS_FIELD && !bcf_float_is_vector_end(field[n]); n++)
        numbers[n] = bcf_float_is_missing(field[n]) ? NAN : field[n];
    if (b->n_gt_each && count_alleles(b, sample, 0, &n_alleles) == MALFORMED)
        n_alleles = 0;
    *value =
        n ? variants_dosage(v, numbers, n, alt, (int32_t)b->record->n_allele - 1, n_alleles) : NAN;
    if (*value < 0) {
        note_malformed(v, sample, variants_field(v->dosage));
        *value = NAN;
    } else if (isnan(*value) && take_gt(v, sample, alt)) {
        variants_take_hard(v, &b->scratch, v->slot[sample]);
    }
}

static int bcf_read_calls(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    struct bcf *b = v->state;

    (void)err;
    if (!b->is_filled) {
        const char *key = variants_field(v->dosage);
        int n =
            has_numbers(b, "GT") ? bcf_get_genotypes(b->header, b->record, &b->gt, &b->n_gt) : 0;

        b->n_gt_each = n > 0 && n / v->ids.n <= DOSAGE_MAX ? n / v->ids.n : 0;
        n = v->dosage != DATA_DOSAGE_GT && has_numbers(b, key)
                ? bcf_get_format_float(b->header, b->record, key, &b->field, &b->n_field)
                : 0;
        b->n_field_each = n > 0 ? n / v->ids.n : 0;
        b->is_filled = true;
    }
    for (int32_t i = 0; i < v->ids.n; i++) {
        if (v->slot[i] >= 0 && b->n_field_each)
            take_imputed(v, i, alt);
        else if (v->slot[i] >= 0)
            take_gt(v, i, alt);
    }
    variants_scratch_calls(calls, &b->scratch, v, b->n_field_each > 0);
    return 0;
}

static void bcf_close_file(struct variants *v)
{
    struct bcf *b = v->state;

    if (b->record)
        bcf_destroy(b->record);
    if (b->header)
        bcf_hdr_destroy(b->header);
    if (b->file)
        hts_close(b->file);
    free(b->gt);
    free(b->field);
    variants_scratch_release(&b->scratch);
    free(b);
}

static bool is_bcf(const char *path, const char *head, size_t n)
{
    (void)path;
    return variants_begins(head, n, "BCF\2");
}

static int bcf_open_file(struct variants *v, struct err *err)
{
    struct bcf *b = calloc(1, sizeof *b);

    if (!b)
        return err_nomem(err, v->path, sizeof *b);
    v->state = b;
    b->file = variants_open_hts(v, err);
    if (!b->file)
        return -1;
    b->header = bcf_hdr_read(b->file);
    b->record = bcf_init();
    if (!b->header || !b->record)
        return err_set(err, "%s: the header is truncated or not that of a BCF file", v->path);
    v->has_ds = bcf_hdr_id2int(b->header, BCF_DT_ID, "DS") >= 0;
    for (int32_t i = 0; i < bcf_hdr_nsamples(b->header); i++)
        if (variants_add_id(v, b->header->samples[i], 1, err))
            return -1;
    return variants_scratch_init(&b->scratch, v->ids.n ? v->ids.n : 1, err);
}

const struct variants_kind BCF_variants = {
    .name = "BCF",
    .has_fields = true,
    .counts_ref = true,
    .is_kind = is_bcf,
    .open = bcf_open_file,
    .next = bcf_next,
    .read = bcf_read_calls,
    .close = bcf_close_file,
};
