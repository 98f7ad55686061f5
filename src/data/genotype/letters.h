/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls written as text: two alleles of one letter each, alone or with / | or : between them, or one
 * letter for both (IUPAC). HapMap files and tables of letters have them. */
#ifndef DATA_GENOTYPE_LETTERS_H
#define DATA_GENOTYPE_LETTERS_H

#include <stdbool.h>

/* True if programs write this for a missing call, in any case: empty, N, -, ., ? or X, once or twice
 * and with or without a separator; 00, NA, NaN, NC, NoCall. */
bool letters_is_missing(const char *call);

/* Split a call into its two alleles, in capitals: AG, A/G and R are A and G, + and - for 0. Returns
 * false if the text has another form. */
bool letters_read(char letter[2], const char *call);

#endif
