/* SPDX-License-Identifier: BSD-3-Clause */
#include "sites.h"

#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <htslib/vcf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"

static uint32_t step, drawn;

void draw_from(uint32_t seed)
{
    step = seed;
    drawn = 0;
}

uint32_t draw(uint32_t n)
{
    struct rng rng;

    rng_init(&rng, hash_text("sites"), RNG_SIMULATE);
    return (uint32_t)(n * rng_uniform(&rng, step, drawn++));
}

struct letters *sites_add(struct sites *sites, const char *chrom, int pos, const char *allele,
                          int ploidy)
{
    struct letters *s = &sites->site[sites->n++];

    *s = (struct letters){.chrom = chrom, .pos = pos};
    strcpy(s->allele, allele);
    for (int i = 0; i < SITES_SAMPLES; i++) {
        int n = draw(8) == 0 ? 0 : ploidy ? ploidy : 1 + (int)draw(SITES_PLOIDY);

        for (int k = 0; k < n; k++)
            s->call[i][k] = allele[draw((uint32_t)strlen(allele))];
    }
    return s;
}

int sites_count(const char *call, char allele)
{
    int n = 0;

    for (; *call; call++)
        n += *call == allele;
    return n;
}

const char *sites_spell(char allele)
{
    static const char *const text[] = {
        ['A'] = "A", ['C'] = "C", ['G'] = "G", ['T'] = "T", ['I'] = "ACGT"};

    return text[(unsigned char)allele];
}

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "wb");

    if (!file)
        abort();
    return file;
}

/* ---- VCF ---- */

static void put_gt(FILE *file, const struct letters *s, const char *call)
{
    static const char *const none[] = {"./.", ".", "0/.", "./0"};

    if (!*call)
        fputs(none[draw(4)], file);
    for (int k = 0; call[k]; k++)
        fprintf(file, "%s%d",
                k == 0    ? ""
                : draw(2) ? "|"
                          : "/",
                (int)(strchr(s->allele, call[k]) - s->allele));
}

void sites_vcf(const char *path, const struct sites *sites)
{
    FILE *file = create(path);

    fputs("##fileformat=VCFv4.2\n"
          "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Depth\">\n"
          "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n",
          file);
    for (int j = 0; j < sites->n; j++)
        if (j == 0 || strcmp(sites->site[j].chrom, sites->site[j - 1].chrom) != 0)
            fprintf(file, "##contig=<ID=%s>\n", sites->site[j].chrom);
    fputs("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT", file);
    for (int i = 0; i < SITES_SAMPLES; i++)
        fprintf(file, "\ts%d", i);
    for (int j = 0; j < sites->n; j++) {
        const struct letters *s = &sites->site[j];
        bool has_depth = draw(2);

        fprintf(file, "\n%s\t%d\t.\t%s\t", s->chrom, s->pos, sites_spell(s->allele[0]));
        for (int k = 1; s->allele[k]; k++)
            fprintf(file, "%s%s", k > 1 ? "," : "", sites_spell(s->allele[k]));
        fprintf(file, "%s\t.\t.\t.\t%s", s->allele[1] ? "" : ".", has_depth ? "DP:GT" : "GT");
        for (int i = 0; i < SITES_SAMPLES; i++) {
            fputs(has_depth ? "\t7:" : "\t", file);
            put_gt(file, s, s->call[i]);
        }
    }
    fputc('\n', file);
    fclose(file);
}

void sites_bgzf(const char *path, const struct sites *sites)
{
    BGZF *out;
    FILE *file;
    char bytes[300];
    size_t n;

    sites_vcf(path, sites);
    file = fopen(path, "rb");
    unlink(path);
    out = bgzf_open(path, "w");
    if (!file || !out)
        abort();
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0) /* one block each, so lines span blocks */
        if (bgzf_write(out, bytes, n) != (ssize_t)n || bgzf_flush(out) != 0)
            abort();
    fclose(file);
    bgzf_close(out);
}

void sites_bcf(const char *path, const struct sites *sites)
{
    char text[300];
    htsFile *in, *out;
    bcf_hdr_t *header;
    bcf1_t *record = bcf_init();

    snprintf(text, sizeof text, "%s.vcf", path);
    sites_vcf(text, sites);
    hts_set_log_level(HTS_LOG_OFF);
    in = hts_open(text, "r");
    out = hts_open(path, "wb");
    header = bcf_hdr_read(in);
    if (bcf_hdr_write(out, header) != 0)
        abort();
    while (bcf_read(in, header, record) == 0)
        if (bcf_write(out, header, record) != 0)
            abort();
    bcf_destroy(record);
    bcf_hdr_destroy(header);
    hts_close(in);
    hts_close(out);
}

/* ---- PLINK ---- */

/* ALT is A1, REF is A2. Without ALT, A1 is 0. */
static int bed_code(const struct letters *s, const char *call)
{
    static const int code[] = {3, 2, 0};

    return *call ? code[s->allele[1] ? sites_count(call, s->allele[1]) : 0] : 1;
}

static void put_bed(FILE *bed, const struct letters *s)
{
    for (int i = 0; i < SITES_SAMPLES; i += 4) {
        int byte = 0;

        for (int k = 0; k < 4 && i + k < SITES_SAMPLES; k++)
            byte |= bed_code(s, s->call[i + k]) << 2 * k;
        fputc(byte, bed);
    }
}

void sites_plink(const char *path, const struct sites *sites)
{
    char other[300];
    FILE *bed = create(path), *bim, *fam;
    size_t n = strlen(path) - 3;

    snprintf(other, sizeof other, "%.*sbim", (int)n, path);
    bim = create(other);
    snprintf(other, sizeof other, "%.*sfam", (int)n, path);
    fam = create(other);
    for (int i = 0; i < SITES_SAMPLES; i++)
        fprintf(fam, "f s%d 0 0 0 %d.5\n", i, i);
    fputs("\x6c\x1b\x01", bed);
    for (int j = 0; j < sites->n; j++) {
        const struct letters *s = &sites->site[j];

        fprintf(bim, "%s\tv%d\t0\t%d\t%s\t%s\n", s->chrom, j, s->pos,
                s->allele[1] ? sites_spell(s->allele[1]) : "0", sites_spell(s->allele[0]));
        put_bed(bed, s);
    }
    fclose(bed);
    fclose(bim);
    fclose(fam);
}

/* ---- tables ---- */

/* Two letters, or one for both alleles. */
static void put_letters(FILE *file, const char *call)
{
    static const char *const iupac[] = {"RAG", "YCT", "SCG", "WAT", "KGT", "MAC"};
    const char *text = *call ? call : "NN";

    if (draw(2)) {
        fputs(text, file);
        return;
    }
    for (int i = 0; i < 6; i++)
        if ((text[0] == iupac[i][1] && text[1] == iupac[i][2]) ||
            (text[0] == iupac[i][2] && text[1] == iupac[i][1])) {
            fputc(iupac[i][0], file);
            return;
        }
    fputc(text[0], file);
}

void sites_hapmap(const char *path, const struct sites *sites)
{
    FILE *file = create(path);

    fputs("rs#\talleles\tchrom\tpos\tstrand\tassembly#\tcenter\tprotLSID\tassayLSID\tpanelLSID\t"
          "QCcode",
          file);
    for (int i = 0; i < SITES_SAMPLES; i++)
        fprintf(file, "\ts%d", i);
    for (int j = 0; j < sites->n; j++) {
        const struct letters *s = &sites->site[j];

        fprintf(file, "\nv%d\t%c", j, s->allele[0]);
        for (int k = 1; s->allele[k]; k++)
            fprintf(file, "/%c", s->allele[k]);
        fprintf(file, "\t%s\t%d\t+\tNA\tNA\tNA\tNA\tNA\tNA", s->chrom, s->pos);
        for (int i = 0; i < SITES_SAMPLES; i++) {
            fputc('\t', file);
            put_letters(file, s->call[i]);
        }
    }
    fputc('\n', file);
    fclose(file);
}

void sites_table(const char *path, const struct sites *sites, const bool *is_long)
{
    FILE *file = create(path);

    fputs("id", file);
    for (int j = 0; j < sites->n; j++) {
        const struct letters *s = &sites->site[j];

        fprintf(file, ",%s_%d", s->chrom, s->pos);
        if (is_long[j])
            fprintf(file, "_%s_%s", sites_spell(s->allele[0]), sites_spell(s->allele[1]));
    }
    for (int i = 0; i < SITES_SAMPLES; i++) {
        fprintf(file, "\ns%d", i);
        for (int j = 0; j < sites->n; j++) {
            const char *call = sites->site[j].call[i];

            if (*call)
                fprintf(file, ",%d", sites_count(call, sites->site[j].allele[1]));
            else
                fputs(",NA", file);
        }
    }
    fputc('\n', file);
    fclose(file);
}
