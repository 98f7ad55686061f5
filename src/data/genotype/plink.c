/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/buf.h"
#include "data/core/phenotype.h"
#include "data/genotype/markers.h"
#include "data/genotype/variants.h"
#include "data/text/file_names.h"
#include "data/text/stream.h"
#include "data/text/textline.h"

/* .fam has a line for each sample, .bim one for each variant, .bed two bits for each genotype. The
 * bits are passed on unchanged if all samples are selected in their order. */

enum { MAGIC_BYTES = 3, BUFFER_BYTES = 1 << 20 };

struct plink {
    struct buf bed_path, bim_path, fam_path;
    FILE *bed;
    struct textline line;
    int64_t number;      /* of the .bim, from 1 */
    int64_t n_variants;  /* in the .bed */
    int64_t record_size; /* of a variant */
    uint8_t *packed;     /* [markers_packed_bytes()] */
    const char *allele;  /* target of site.alt */
    char **phenotype;    /* [ids.n] of the .fam, owned */
    size_t capacity;
    int8_t *dosage; /* scratch, [ids.n] */
    bool takes_all;
};

#define REFUSE(path, number, err, ...) variants_fault(err, buf_text(path), "", number, __VA_ARGS__)

static int cannot(const char *what, const struct buf *path, struct err *err)
{
    return err_set(err, "%s: cannot %s: %s", buf_text(path), what, strerror(errno));
}

#define WANTED "a file of PLINK's"

/* Returns the number of fields. */
static int cut_fields(char **field, int n, char *line)
{
    int found = 0;

    for (char *save, *f = strtok_r(line, " \t\r\n", &save); f;
         f = strtok_r(NULL, " \t\r\n", &save), found++)
        if (found < n)
            field[found] = f;
    return found;
}

/* ---- .fam ---- */

static int read_fam(struct variants *v, struct err *err)
{
    struct plink *p = v->state;
    char *field[6], **phenotype;
    int32_t known;
    int status;

    while ((status = textline_next(&p->line, err)) > 0) {
        int n = cut_fields(field, 6, p->line.text.data);

        if (n == 0)
            continue;
        if (n != 6)
            return REFUSE(&p->fam_path, p->line.number, err,
                          "%d columns: must be 6 (family, sample, father, mother, sex, phenotype)",
                          n);
        known = names_find(&v->ids, field[1]);
        if (known >= 0)
            return REFUSE(
                &p->fam_path, p->line.number, err,
                "sample \"%.80s\" occurs twice, first on line %lld (ids are those of column 2)",
                field[1], (long long)names_line(&v->ids, known));
        if (array_extend(&p->phenotype, &p->capacity, (size_t)v->ids.n, sizeof *p->phenotype,
                         "samples", err))
            return -1;
        phenotype = &p->phenotype[v->ids.n];
        *phenotype = NULL;
        if (names_add(&v->ids, field[1], p->line.number, err) < 0)
            return -1;
        *phenotype = strdup(field[5]);
        if (!*phenotype)
            return err_nomem(err, "phenotypes", strlen(field[5]));
    }
    if (status < 0)
        return -1;
    return v->ids.n ? 0 : err_set(err, "%s: no samples", buf_text(&p->fam_path));
}

/* Column 6 of the .fam. -9 and NA are missing. Unless task is regression, a column of only 0, 1, 2 and
 * -9 is case-control, and 0 is missing too. */
static int plink_phenotypes(struct target_cells *cells, const struct variants *v,
                            const struct names *ids, enum data_task task,
                            struct phenotype_report *report, struct err *err)
{
    const struct plink *p = v->state;
    bool is_coded = task != DATA_TASK_REGRESSION;

    for (int32_t i = 0; i < v->ids.n; i++) {
        const char *text = p->phenotype[i];

        is_coded = is_coded && ((strlen(text) == 1 && strchr("012", *text)) || !strcmp(text, "-9"));
    }
    report->is_case_control = is_coded;
    report->n_valued = report->n_joined = 0;
    if (target_cells_init(cells, ids->n, buf_text(&p->fam_path), "phenotype", err))
        return -1;
    for (int32_t i = 0; i < ids->n; i++) {
        int32_t sample = names_find(&v->ids, ids->text[i]);
        const char *text = p->phenotype[sample];

        if (!strcmp(text, "-9") || (is_coded && !strcmp(text, "0")))
            text = "";
        if (target_cells_set(cells, i, text, names_line(&v->ids, sample), err))
            return -1;
        report->n_valued += cells->text[i] != NULL;
        report->n_joined += cells->text[i] != NULL;
    }
    return 0;
}

/* ---- .bed ---- */

static int size_up(struct variants *v, int64_t n_lines, struct err *err)
{
    struct plink *p = v->state;
    int64_t n = v->ids.n, bytes;
    struct stat status;

    if (fstat(fileno(p->bed), &status))
        return cannot("read", &p->bed_path, err);
    bytes = (int64_t)status.st_size - MAGIC_BYTES;
    p->record_size = (n + 3) / 4;
    p->n_variants = n_lines;
    if (bytes == n_lines * p->record_size)
        return 0;
    if (bytes % p->record_size == 0)
        return err_set(err, "%s: %lld variants of %lld samples (%s): %s has %lld lines",
                       buf_text(&p->bed_path), (long long)(bytes / p->record_size), (long long)n,
                       buf_text(&p->fam_path), buf_text(&p->bim_path), (long long)n_lines);
    return err_set(err,
                   "%s: %lld bytes: must be %lld for the %lld samples of %s and the %lld variants "
                   "of %s; is it truncated?",
                   buf_text(&p->bed_path), (long long)bytes + MAGIC_BYTES,
                   (long long)(n_lines * p->record_size) + MAGIC_BYTES, (long long)n,
                   buf_text(&p->fam_path), (long long)n_lines, buf_text(&p->bim_path));
}

static int open_bim(struct plink *p, int64_t *n, struct err *err)
{
    const char *path = buf_text(&p->bim_path);

    struct stream bim;
    char *buffer = malloc(BUFFER_BYTES);
    char last = '\n';
    size_t size = 0;
    int rc;

    *n = 0;
    if (!buffer)
        return err_nomem(err, "a buffer", BUFFER_BYTES);
    if (stream_open(&bim, path, WANTED, err)) {
        free(buffer);
        return -1;
    }
    while (!(rc = stream_read(buffer, &size, &bim, BUFFER_BYTES, err)) && size > 0) {
        last = buffer[size - 1];
        for (const char *at = buffer; (at = memchr(at, '\n', size - (size_t)(at - buffer))); at++)
            ++*n;
    }
    *n += last != '\n';
    free(buffer);
    stream_close(&bim);
    return rc ? -1 : textline_open(&p->line, path, WANTED, err);
}

static int open_bed(struct variants *v, struct err *err)
{
    struct plink *p = v->state;
    uint8_t magic[MAGIC_BYTES] = {0};
    int64_t n_lines, n_packed = markers_packed_bytes(v->ids.n);

    if (stream_check(buf_text(&p->bed_path), WANTED, err))
        return -1;
    p->bed = fopen(buf_text(&p->bed_path), "rb");
    if (!p->bed)
        return cannot("open", &p->bed_path, err);
    setvbuf(p->bed, NULL, _IOFBF, BUFFER_BYTES);
    if (fread(magic, 1, MAGIC_BYTES, p->bed) != MAGIC_BYTES || magic[0] != 0x6c ||
        magic[1] != 0x1b || magic[2] > 1)
        return err_set(err,
                       "%s: begins with the bytes %02x %02x %02x: a PLINK 1 .bed begins with "
                       "6c 1b 01",
                       buf_text(&p->bed_path), magic[0], magic[1], magic[2]);
    if (magic[2] == 0)
        return err_set(err,
                       "%s: is ordered by samples, as before 2009: plink --bfile NAME --make-bed "
                       "orders it by variants",
                       buf_text(&p->bed_path));
    if (open_bim(p, &n_lines, err) || size_up(v, n_lines, err))
        return -1;
    p->packed = malloc((size_t)n_packed);
    p->dosage = malloc((size_t)v->ids.n);
    if (!p->packed || !p->dosage)
        return err_nomem(err, "genotypes of a variant", (size_t)n_packed);
    memset(p->packed, PACKED_PAD, (size_t)n_packed);
    return 0;
}

/* ---- variants ---- */

static int read_site(struct plink *p, struct site *site, struct err *err)
{
    char *field[6], *end;
    int n = cut_fields(field, 6, p->line.text.data);

    if (n != 6)
        return REFUSE(&p->bim_path, p->number, err,
                      "%d columns: must be 6 (chromosome, id, centimorgans, position, two alleles)",
                      n);
    variants_capitalise(field[4]);
    variants_capitalise(field[5]);
    p->allele = field[4];
    *site = (struct site){
        .id = field[1], .chrom = field[0], .ref = field[5], .alt = &p->allele, .n_alts = 1};
    /* Unknown alleles may be equal. */
    if (!strcmp(field[4], field[5]) && strcmp(field[4], "0") != 0 && strcmp(field[4], ".") != 0)
        site->odd = "both alleles are equal";
    errno = 0;
    site->pos = strtoll(field[3], &end, 10);
    if (errno || *end || site->pos < 0)
        site->odd = "the position is no whole number, 0 or more";
    return 0;
}

static int plink_next(struct variants *v, struct site *site, struct err *err)
{
    struct plink *p = v->state;
    size_t size = (size_t)p->record_size;
    int status, n_last = v->ids.n % 4;

    if (p->number == 0) {
        p->takes_all = true;
        for (int32_t i = 0; i < v->ids.n; i++)
            p->takes_all = p->takes_all && v->slot[i] == i;
    }
    if (p->number == p->n_variants)
        return 0;
    p->number++;
    status = textline_next(&p->line, err);
    if (!status)
        return err_set(err, "%s: became shorter while it was read", buf_text(&p->bim_path));
    if (status < 0 || read_site(p, site, err))
        return -1;
    if (fread(p->packed, 1, size, p->bed) != size)
        return err_set(err, "%s: cannot read variant %lld: the file is cut off",
                       buf_text(&p->bed_path), (long long)p->number);
    /* The padding is 0 in the file and would be counted. */
    if (n_last)
        p->packed[size - 1] = (uint8_t)((p->packed[size - 1] & ((1 << 2 * n_last) - 1)) |
                                        (PACKED_PAD << 2 * n_last & 0xff));
    return 1;
}

static int plink_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    static const int8_t of_code[] = {
        [PACKED_ZERO] = 0, [PACKED_ONE] = 1, [PACKED_TWO] = 2, [PACKED_MISSING] = DOSAGE_MISSING};
    struct plink *p = v->state;

    (void)alt;
    (void)err;
    calls->packed = p->packed;
    if (p->takes_all)
        return 0;
    for (int32_t i = 0; i < v->ids.n; i++)
        if (v->slot[i] >= 0)
            p->dosage[v->slot[i]] = of_code[p->packed[i / 4] >> 2 * (i % 4) & 3];
    calls->packed = NULL;
    calls->dosage = p->dosage;
    return 0;
}

/* ---- files ---- */

static void plink_close(struct variants *v)
{
    struct plink *p = v->state;

    if (p->bed)
        fclose(p->bed);
    textline_close(&p->line);
    for (int32_t i = 0; i < v->ids.n; i++)
        free(p->phenotype[i]);
    free(p->phenotype);
    free(p->packed);
    free(p->dosage);
    buf_release(&p->bed_path);
    buf_release(&p->bim_path);
    buf_release(&p->fam_path);
    free(p);
}

/* The command that makes a .bed of a PLINK file that is not read (.pgen, .ped ...), or NULL. */
static const char *other_files(const char *path)
{
    static const char *const others[][2] = {
        {".pgen", "plink2 --pfile NAME --make-bed"},
        {".pvar", "plink2 --pfile NAME --make-bed"},
        {".psam", "plink2 --pfile NAME --make-bed"},
        {".ped", "plink --file NAME --make-bed"},
        {".map", "plink --file NAME --make-bed"},
        {".tped", "plink --tfile NAME --make-bed"},
        {".raw", "plink --make-bed instead of --recode A"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (file_names_end_in(path, others[i][0]))
            return others[i][1];
    return NULL;
}

/* An ending, a file NAME.bed, or the first bytes decide. Files that are not read count, too. */
static bool is_plink(const char *path, const char *head, size_t n)
{
    char bed[4096];
    struct stat status;

    if (file_names_plink_stem(path) < strlen(path) || other_files(path) ||
        variants_begins(head, n, "\x6c\x1b"))
        return true;
    return stat(path, &status) && (size_t)snprintf(bed, sizeof bed, "%s.bed", path) < sizeof bed &&
           !stat(bed, &status);
}

static int plink_open_file(struct variants *v, struct err *err)
{
    struct plink *p = calloc(1, sizeof *p);
    const char *remedy = other_files(v->path);
    size_t n = file_names_plink_stem(v->path);
    struct buf *paths[FILE_NAMES_PLINK];
    int rc;

    if (remedy) {
        free(p);
        return err_set(err,
                       "%s: this kind of PLINK file is not read: convert it to .bed, .bim and .fam "
                       "with %s",
                       v->path, remedy);
    }
    if (!p)
        return err_nomem(err, v->path, sizeof *p);
    v->state = p;
    paths[0] = &p->bed_path;
    paths[1] = &p->bim_path;
    paths[2] = &p->fam_path;
    for (int i = 0; i < FILE_NAMES_PLINK; i++) {
        buf_add(paths[i], v->path, n);
        buf_puts(paths[i], file_names_plink[i]);
        if (buf_failed(paths[i]))
            return err_nomem(err, "paths", n);
    }
    rc = textline_open(&p->line, buf_text(&p->fam_path), WANTED, err) || read_fam(v, err);
    textline_close(&p->line);
    return rc ? -1 : open_bed(v, err);
}

const struct variants_kind PLINK_variants = {
    .name = "PLINK",
    .is_diploid = true,
    .is_kind = is_plink,
    .open = plink_open_file,
    .next = plink_next,
    .read = plink_read,
    .close = plink_close,
    .phenotypes = plink_phenotypes,
};
