/* SPDX-License-Identifier: BSD-3-Clause */
/* A few samples in letters, and files of every kind that say the same of them. */
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
    char allele[5];                             /* REF, then those of ALT */
    char call[SITES_SAMPLES][SITES_PLOIDY + 1]; /* "": missing */
};

struct sites {
    struct letters site[SITES_MOST];
    int n;
};

/* The next of a row of numbers, in [0, n); where the row begins. */
uint32_t draw(uint32_t n);
void draw_from(uint32_t seed);

/* Append a site; its calls are of random alleles of its own, some missing. ploidy 0: each call its
 * own, 1 to SITES_PLOIDY. */
struct letters *sites_add(struct sites *sites, const char *chrom, int pos, const char *allele,
                          int ploidy);

const char *sites_spell(char allele);
int sites_count(const char *call, char allele);

/* Write them to path. PLINK and HapMap: two alleles a call; PLINK: two alleles a site at most. */
void sites_vcf(const char *path, const struct sites *sites);
void sites_bgzf(const char *path, const struct sites *sites);
void sites_bcf(const char *path, const struct sites *sites);
void sites_plink(const char *path, const struct sites *sites); /* .bed; also .bim and .fam */
void sites_hapmap(const char *path, const struct sites *sites);
/* Columns CHROM_POS, or with is_long CHROM_POS_REF_ALT; each site once. */
void sites_table(const char *path, const struct sites *sites, const _Bool *is_long);

#endif
