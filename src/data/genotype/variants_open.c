/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/variants_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/genotype/readers.h"
#include "data/text/file_names.h"
#include "data/text/stream.h"

static bool is_plink(const char *path)
{
    char bed[4096];
    struct stat status;

    if (file_names_plink_stem(path) < strlen(path) || plink_other_files(path))
        return true;
    return stat(path, &status) && (size_t)snprintf(bed, sizeof bed, "%s.bed", path) < sizeof bed &&
           !stat(bed, &status);
}

enum variants_kind variants_detect(const char *path)
{
    static const struct {
        const char *magic;
        enum variants_kind kind;
    } kinds[] = {
        {"##", VARIANTS_VCF},    {"#CHROM\t", VARIANTS_VCF},   {STREAM_MARK "##", VARIANTS_VCF},
        {"BCF\2", VARIANTS_BCF}, {"\x6c\x1b", VARIANTS_PLINK},
    };
    char head[64];
    size_t n;

    if (is_plink(path))
        return VARIANTS_PLINK;
    if (hapmap_is_header(path))
        return VARIANTS_HAPMAP;
    n = stream_peek(head, sizeof head, path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (n >= strlen(kinds[i].magic) && !memcmp(head, kinds[i].magic, strlen(kinds[i].magic)))
            return kinds[i].kind;
    return VARIANTS_NONE;
}

static int select_all(struct variants *v, struct err *err)
{
    v->slot = malloc((size_t)v->ids.n * sizeof *v->slot);
    if (!v->slot)
        return err_nomem(err, "samples", (size_t)v->ids.n * sizeof *v->slot);
    for (int32_t i = 0; i < v->ids.n; i++)
        v->slot[i] = i;
    v->n = v->ids.n;
    return 0;
}

static int open_kind(struct variants *v, enum variants_kind kind, const char *path,
                     enum data_dosage dosage, struct err *err)
{
    static const struct variants_reader *const readers[] = {
        [VARIANTS_VCF] = &vcf_reader,
        [VARIANTS_BCF] = &bcf_reader,
        [VARIANTS_PLINK] = &plink_reader,
        [VARIANTS_HAPMAP] = &hapmap_reader,
    };

    *v = (struct variants){.path = path, .dosage = dosage, .reader = readers[kind]};
    if (v->reader->open(v, err))
        return -1;
    if (v->ids.n == 0)
        return err_set(err, "%s: no samples", path);
    return 0;
}

bool variants_is_diploid(enum variants_kind kind)
{
    return kind == VARIANTS_PLINK || kind == VARIANTS_HAPMAP;
}

int variants_open(struct variants *v, enum variants_kind kind, const char *path,
                  const struct variants_calls *calls, struct err *err)
{
    if (open_kind(v, kind, path, calls->dosage, err))
        return -1;
    v->ploidy = variants_is_diploid(kind) ? 2 : calls->ploidy;
    return select_all(v, err);
}

/* Ids stay where they are, since others borrow them, and so does v, which readers point to. */
int variants_restart(struct variants *v, enum variants_kind kind, struct err *err)
{
    struct variants old = *v;
    int rc;

    v->ids = (struct names){0};
    v->slot = NULL;
    variants_close(v);
    rc = open_kind(v, kind, old.path, old.dosage, err);
    if (!rc && v->ids.n != old.ids.n)
        rc = err_set(err, "%s: changed while it was read", old.path);
    names_release(&v->ids);
    v->ids = old.ids;
    v->slot = old.slot;
    v->n = old.n;
    v->ploidy = v->found_ploidy = old.found_ploidy;
    return rc;
}
