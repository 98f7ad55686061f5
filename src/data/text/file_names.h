/* SPDX-License-Identifier: BSD-3-Clause */
/* Endings of file names, the files that a path stands for (PLINK has three, a TUDataset is a folder),
 * and its absolute form. */
#ifndef DATA_TEXT_FILE_NAMES_H
#define DATA_TEXT_FILE_NAMES_H

#include <stdbool.h>

#include "base/buf.h"

#define FILE_NAMES_TU_INDICATOR "_graph_indicator.txt"

/* True if a path ends so, with a name before the ending. */
bool file_names_end_in(const char *path, const char *ending);
/* The same, ignoring case: .SMI matches .smi. */
bool file_names_end_like(const char *path, const char *ending);

/* .bed, .bim, .fam */
enum { FILE_NAMES_PLINK = 3 };
extern const char *const file_names_plink[FILE_NAMES_PLINK];

/* Returns the length of the common part of a data set's names; path is a name or that part. */
size_t file_names_plink_stem(const char *path);

/* Append the names of existing files that path stands for, each with a NUL. */
void file_names_of(struct buf *out, const char *path);

/* Append an absolute path to the same file; "" stays empty. */
void file_names_put_absolute(struct buf *out, const char *path);

#endif
