/* The readers of genotype files, for data/genotype/variants_open alone. */
#ifndef DATA_GENOTYPE_READERS_H
#define DATA_GENOTYPE_READERS_H

#include "data/genotype/variants.h"

extern const struct variants_reader vcf_reader, bcf_reader, plink_reader, hapmap_reader;

/* For a path of a file that PLINK writes and espalier does not read (.pgen, .ped ...): the command
 * that makes a .bed of it; else NULL. */
const char *plink_other_files(const char *path);

#endif
