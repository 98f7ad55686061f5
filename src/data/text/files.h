/* Which files are read where a setting or an option names one: PLINK's come in threes, and a
 * TUDataset is a folder. */
#ifndef DATA_TEXT_FILES_H
#define DATA_TEXT_FILES_H

#include "base/buf.h"

/* What a TUDataset is known by, behind its name. */
#define FILES_TU_INDICATOR "_graph_indicator.txt"

/* The length of what the names of a PLINK data set have in common; path is one of them, or that. */
size_t files_plink_stem(const char *path);

/* Append the names of the files that are there, each with a NUL behind it; they are not read. */
void files_of(struct buf *out, const char *path);

#endif
