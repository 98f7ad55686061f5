/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/variants.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void variants_close(struct variants *v)
{
    if (!v)
        return;
    if (v->state)
        v->reader->close(v);
    names_release(&v->ids);
    free(v->slot);
    memset(v, 0, sizeof *v);
}

int variants_fail_open(const struct variants *v, struct err *err)
{
    /* what htslib sets for a format that it does not know */
    bool is_unknown = errno == ENOEXEC || errno == 0;

    return err_set(err, "%s: cannot open: %s", v->path,
                   is_unknown ? "neither VCF nor BCF" : strerror(errno));
}

int variants_add_id(struct variants *v, const char *id, int64_t line, struct err *err)
{
    int32_t known = names_find(&v->ids, id);

    if (!*id)
        return err_set(err, "%s:%lld: the id of sample %d is empty", v->path, (long long)line,
                       v->ids.n + 1);
    if (known >= 0)
        return err_set(err, "%s:%lld: sample \"%.80s\" occurs twice, first as sample %d", v->path,
                       (long long)line, id, known + 1);
    return names_add(&v->ids, id, line, err) < 0 ? -1 : 0;
}

void variants_select(struct variants *v, const int32_t *sample, int32_t n)
{
    for (int32_t i = 0; i < v->ids.n; i++)
        v->slot[i] = -1;
    for (int32_t i = 0; i < n; i++)
        v->slot[sample[i]] = i;
    v->n = n;
}

int variants_next(struct variants *v, struct site *site, struct err *err)
{
    return v->reader->next(v, site, err);
}

int variants_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    *calls = (struct calls){0};
    return v->reader->read(v, alt, calls, err);
}

void variants_note_contradicted(struct variants_contradicted *c, const struct site *site,
                                bool is_dropped)
{
    int64_t n = c->n_taken + c->n_dropped;

    if (n < DATA_EXAMPLES)
        snprintf(c->first[n], sizeof c->first[n], "%s", site->id);
    c->n_dropped += is_dropped;
    c->n_taken += !is_dropped;
}

void variants_put_contradicted(struct buf *out, const struct variants_contradicted *c)
{
    int64_t n = c->n_taken + c->n_dropped;

    for (int64_t i = 0; i < n && i < DATA_EXAMPLES; i++)
        buf_printf(out, "%s\"%s\"", i ? ", " : "", c->first[i]);
}

/* ---- for the readers ---- */

void variants_capitalise(char *allele)
{
    if (allele[strspn(allele, "ACGTNacgtn")])
        return;
    for (; *allele; allele++)
        *allele &= ~0x20;
}

int variants_scratch_init(struct variants_scratch *s, int32_t n, struct err *err)
{
    s->dosage = malloc((size_t)n);
    s->value = malloc((size_t)n * sizeof *s->value);
    if (!s->dosage || !s->value)
        return err_nomem(err, "genotypes of a variant", (size_t)n * (1 + sizeof *s->value));
    return 0;
}

void variants_scratch_release(struct variants_scratch *s)
{
    free(s->dosage);
    free(s->value);
    memset(s, 0, sizeof *s);
}

void variants_scratch_values(struct calls *calls, struct variants_scratch *s, int32_t n)
{
    calls->value = s->value;
    for (int32_t i = 0; i < n; i++) {
        float v = s->value[i];

        if (isnan(v))
            s->dosage[i] = DOSAGE_MISSING;
        else if (fabsf(v) <= DOSAGE_MAX && v == (float)(int)v)
            s->dosage[i] = (int8_t)v;
        else
            return;
    }
    calls->value = NULL;
    calls->dosage = s->dosage;
}

int variants_fault(struct err *err, const char *path, const char *place, int64_t number,
                   const char *format, ...)
{
    va_list args;

    va_start(args, format);
    err_vset_at(err, path, place, number, format, args);
    va_end(args);
    return -1;
}
