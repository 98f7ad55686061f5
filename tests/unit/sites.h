/* SPDX-License-Identifier: BSD-3-Clause */
/* A few samples as letters, and files of every kind with the same calls. */
#ifndef TESTS_SITES_H
#define TESTS_SITES_H

#include <stddef.h>
#include <stdint.h>

#define SITES_SAMPLES 11 /* s0, s1 ... */
#define SITES_MOST 160
#define SITES_PLOIDY 4

/* Alleles are letters: A, C, G, T, and I for an insertion of three bases. */
struct letters {
    const char *chrom;
    int pos;
    char allele[5];                             /* REF, then ALT */
    char call[SITES_SAMPLES][SITES_PLOIDY + 1]; /* "" if missing */
};

struct sites {
    struct letters site[SITES_MOST];
    int n;
};

/* draw() returns the next number of a sequence, in [0, n); draw_from() starts a sequence. */
uint32_t draw(uint32_t n);
void draw_from(uint32_t seed);

/* Calls are random, some missing. ploidy 0: each call has its own, 1 to SITES_PLOIDY. */
struct letters *sites_add(struct sites *sites, const char *chrom, int pos, const char *allele,
                          int ploidy);

const char *sites_spell(char allele);
int sites_count(const char *call, char allele);

/* PLINK and HapMap need two alleles a call; PLINK also at most two a site. */
void sites_vcf(const char *path, const struct sites *sites);
void sites_bgzf(const char *path, const struct sites *sites);
void sites_bcf(const char *path, const struct sites *sites);
void sites_plink(const char *path, const struct sites *sites); /* .bed; also .bim and .fam */
void sites_hapmap(const char *path, const struct sites *sites);
/* Columns are named CHROM_POS, or CHROM_POS_REF_ALT if is_long; each site once. */
void sites_table(const char *path, const struct sites *sites, const _Bool *is_long);

#endif
