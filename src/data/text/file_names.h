/* SPDX-License-Identifier: BSD-3-Clause */
/* File names: their endings, and the files that a path in a setting or an option stands for. A
 * PLINK data set is three files, a TUDataset is a folder. */
#ifndef DATA_TEXT_FILE_NAMES_H
#define DATA_TEXT_FILE_NAMES_H

#include <stdbool.h>

#include "base/buf.h"

/* Ending of the file that every TUDataset has, after the name of the data set. */
#define FILE_NAMES_TU_INDICATOR "_graph_indicator.txt"

/* True if a path ends with `ending` and has a name before it. */
bool file_names_end_in(const char *path, const char *ending);
/* The same, ignoring case: .SMI matches .smi. */
bool file_names_end_like(const char *path, const char *ending);

/* The endings of the files of a PLINK 1 data set: .bed, .bim, .fam. */
enum { FILE_NAMES_PLINK = 3 };
extern const char *const file_names_plink[FILE_NAMES_PLINK];

/* Return the length of the common part of the names of a PLINK data set. path is one of the names,
 * or the common part itself. */
size_t file_names_plink_stem(const char *path);

/* Append the names of the existing files that path stands for, each followed by a NUL. Does not
 * read the files. */
void file_names_of(struct buf *out, const char *path);

#endif
