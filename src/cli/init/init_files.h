/* SPDX-License-Identifier: BSD-3-Clause */
/* The roles of the files given to `init`: each becomes a path setting of [data] or [split].
 *
 * The kind of a file (data/recognize.h) gives the role. The role of a table follows from its
 * columns (data/core/profile.h) and the other files: beside genotypes it has the phenotypes, beside
 * edges the labels or the features. */
#ifndef CLI_INIT_INIT_FILES_H
#define CLI_INIT_INIT_FILES_H

#include "data/core/profile.h"
#include "data/format.h"
#include "data/recognize.h"
#include "grid/param.h"

struct init_file {
    const char *path; /* borrowed */
    enum data_kind kind;
    const struct variants_kind *variants; /* of genotypes, or NULL */
    struct profile profile;               /* of a table */
    enum param_id role; /* P_GENOTYPES, P_PHENOTYPES ...; P_COUNT: not known yet */
    int32_t column;     /* of the SMILES in P_MOLECULES, of the part in P_SPLIT_FILE */
};

struct init_files {
    struct init_file *file; /* [n] owned */
    int32_t n;
    const struct data_format *format;
};

/* Pair with init_files_release(), also after a failure. -1 and err: the kind of a file is unknown,
 * a file was given twice or has no role or that of another, or a role of the format is missing. */
int init_files_read(struct init_files *out, const char *const *paths, int32_t n, struct err *err);
void init_files_release(struct init_files *files);

/* The column whose words are all parts, training among them; -1: none. */
int32_t init_files_part_column(const struct profile *profile);

/* NULL: none. */
struct init_file *init_files_find(const struct init_files *files, enum param_id role);

#endif
