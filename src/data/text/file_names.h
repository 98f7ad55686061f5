/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of files: how they end, and which files are read where a setting or an option names
 * one. PLINK's come in threes, and a TUDataset is a folder. */
#ifndef DATA_TEXT_FILE_NAMES_H
#define DATA_TEXT_FILE_NAMES_H

#include <stdbool.h>

#include "base/buf.h"

/* What a TUDataset is known by, behind its name. */
#define FILE_NAMES_TU_INDICATOR "_graph_indicator.txt"

/* Whether a path ends so, with a name before it. */
bool file_names_end_in(const char *path, const char *ending);
/* The same in any letters: .SMI is .smi. */
bool file_names_end_like(const char *path, const char *ending);

/* How PLINK 1 names the files of a data set: .bed, .bim, .fam. */
enum { FILE_NAMES_PLINK = 3 };
extern const char *const file_names_plink[FILE_NAMES_PLINK];

/* The length of what the names of a PLINK data set have in common; path is one of them, or that. */
size_t file_names_plink_stem(const char *path);

/* Append the names of the files that are there, each with a NUL behind it; they are not read. */
void file_names_of(struct buf *out, const char *path);

#endif
