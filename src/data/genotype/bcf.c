/* SPDX-License-Identifier: BSD-3-Clause */
#include <htslib/vcf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/genotype/readers.h"

struct bcf {
    htsFile *file;
    bcf_hdr_t *header;
    bcf1_t *record;
    int64_t number; /* from 1 */
    int32_t *gt;    /* allocated by htslib */
    int n_gt;
    float *ds;
    int n_ds;
    struct variants_scratch scratch;
};

#define REFUSE(v, err, ...) \
    variants_fault(err, (v)->path, " record ", ((struct bcf *)(v)->state)->number, __VA_ARGS__)

static int bcf_next(struct variants *v, struct site *site, struct err *err)
{
    struct bcf *b = v->state;
    int status = bcf_read(b->file, b->header, b->record);

    b->number++;
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
    return 1;
}

/* Returns DOSAGE_MISSING if one of the n_each values is missing, -1 for an unknown allele. A
 * special value ends shorter calls. */
static int count_alleles(const int32_t *gt, int n_each, int32_t allele, int32_t n_alts,
                         int64_t *n_alleles)
{
    int count = 0, n = 0;

    for (; n < n_each && gt[n] != bcf_int32_vector_end; n++) {
        if (gt[n] == bcf_int32_missing || bcf_gt_is_missing(gt[n]))
            return DOSAGE_MISSING;
        if (gt[n] < 0 || bcf_gt_allele(gt[n]) > n_alts)
            return -1;
        count += bcf_gt_allele(gt[n]) == allele;
    }
    *n_alleles += n;
    return n ? count : DOSAGE_MISSING;
}

/* For a field of another type, htslib's next call would end the process. */
static bool has_numbers(struct bcf *b, const char *key)
{
    const bcf_fmt_t *field = bcf_get_fmt(b->header, b->record, key);

    return field && (field->type == BCF_BT_INT8 || field->type == BCF_BT_INT16 ||
                     field->type == BCF_BT_INT32 || field->type == BCF_BT_FLOAT);
}

static int read_gt(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    struct bcf *b = v->state;
    int n = has_numbers(b, "GT") ? bcf_get_genotypes(b->header, b->record, &b->gt, &b->n_gt) : 0;
    int n_each = n > 0 ? n / v->ids.n : 0;
    int32_t n_alts = (int32_t)b->record->n_allele - 1;

    if (n_each < 1 || n_each > DOSAGE_MAX)
        return REFUSE(v, err, "no GT");
    for (int32_t i = 0; i < v->ids.n; i++) {
        int count;

        if (v->slot[i] < 0)
            continue;
        count =
            count_alleles(b->gt + (int64_t)i * n_each, n_each, alt + 1, n_alts, &calls->n_alleles);
        if (count == -1)
            return REFUSE(v, err,
                          "sample \"%.80s\": GT has an allele that the record lacks: it has %d "
                          "in ALT",
                          v->ids.text[i], n_alts);
        b->scratch.dosage[v->slot[i]] = (int8_t)count;
    }
    calls->dosage = b->scratch.dosage;
    return 0;
}

static int read_ds(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    struct bcf *b = v->state;
    int n = has_numbers(b, "DS")
                ? bcf_get_format_float(b->header, b->record, "DS", &b->ds, &b->n_ds)
                : 0;
    int n_each = n > 0 ? n / v->ids.n : 0;

    if (n_each < 1)
        return REFUSE(v, err, "no DS of numbers: data.dosage = DS needs it");
    for (int32_t i = 0; i < v->ids.n; i++) {
        const float *ds = b->ds + (int64_t)i * n_each;
        float *value = &b->scratch.value[v->slot[i] < 0 ? 0 : v->slot[i]];

        if (v->slot[i] < 0)
            continue;
        *value = NAN;
        if (bcf_float_is_missing(ds[0]) || bcf_float_is_vector_end(ds[0]))
            continue;
        if (alt >= n_each || bcf_float_is_vector_end(ds[alt]) ||
            (!bcf_float_is_missing(ds[alt]) && !(ds[alt] >= 0 && ds[alt] <= DOSAGE_MAX)))
            return REFUSE(
                v, err,
                "sample \"%.80s\": DS must be a number in [0, %d] for each allele in ALT, "
                "or missing",
                v->ids.text[i], DOSAGE_MAX);
        if (!bcf_float_is_missing(ds[alt]))
            *value = ds[alt];
    }
    variants_scratch_values(calls, &b->scratch, v->n);
    return 0;
}

static int bcf_read_calls(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    return v->dosage == DATA_DOSAGE_DS ? read_ds(v, alt, calls, err) : read_gt(v, alt, calls, err);
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
    free(b->ds);
    variants_scratch_release(&b->scratch);
    free(b);
}

static int bcf_open_file(struct variants *v, struct err *err)
{
    struct bcf *b = calloc(1, sizeof *b);

    if (!b)
        return err_nomem(err, v->path, sizeof *b);
    v->state = b;
    hts_set_log_level(HTS_LOG_OFF); /* espalier reports errors itself */
    errno = 0;
    b->file = hts_open(v->path, "r");
    if (!b->file)
        return variants_fail_open(v, err);
    if (b->file->format.compression == bgzf && !hts_check_EOF(b->file))
        return err_set(err, "%s: truncated: the end marker of a BGZF file is missing", v->path);
    b->header = bcf_hdr_read(b->file);
    b->record = bcf_init();
    if (!b->header || !b->record)
        return err_set(err, "%s: the header is truncated or not that of a BCF file", v->path);
    for (int32_t i = 0; i < bcf_hdr_nsamples(b->header); i++)
        if (variants_add_id(v, b->header->samples[i], 1, err))
            return -1;
    return variants_scratch_init(&b->scratch, v->ids.n ? v->ids.n : 1, err);
}

const struct variants_reader bcf_reader = {bcf_open_file, bcf_next, bcf_read_calls, bcf_close_file};
