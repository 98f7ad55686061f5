/* SPDX-License-Identifier: BSD-3-Clause */
/* The part and the group of each sample, as given in tables.
 *
 * A split file has the columns id and part, id and group, or all three. The part's column is named
 * by split.part. Without this setting it is the second of two, unless that has the group's name, or
 * is named `part`. Other columns are ignored. Samples not listed are in no part.
 *
 * Columns that the split file lacks may be in the table with the trait. */
#ifndef DATA_CORE_MEMBERSHIP_H
#define DATA_CORE_MEMBERSHIP_H

#include "data/core/id_join.h"
#include "data/core/target.h"
#include "data/text/names.h"
#include "data/text/table.h"

struct data_report;

struct membership {
    uint8_t *part;            /* [n] enum part; or NULL */
    int32_t *group;           /* [n] -1: unknown; NULL: split.group is not set */
    const char **group_names; /* [n_groups] sorted like classes */
    int32_t n_groups;
    struct target_cells parts, groups; /* of the split file */
    struct id_join join;               /* of the split file */
    struct equality_count spelled;     /* names of groups that are equal but for case */
};

/* Cells of the columns split.part and split.group in the table with the trait, one for each sample.
 * part.column NULL: the setting is not set, or the table lacks the column, like group.column. */
struct membership_cells {
    struct target_cells part, group;
    int32_t part_col, group_col;
};
/* Find the columns, but not `id`, in a table of n samples (0: rows append them). -1 and err if there is
 * none, unless it may be in the split file. Pair with membership_cells_release() in any case. */
int membership_cells_find(struct membership_cells *cells, const struct table *t,
                          const struct data_spec *spec, int32_t id, int32_t n, struct err *err);
/* True for one of the columns. */
bool membership_cells_have(const struct membership_cells *cells, int32_t col);
/* Keep those of the current row for sample i. missing: as in reader_keep_cell() */
int membership_cells_read(struct membership_cells *cells, int32_t i, const struct table *t,
                          const struct names *missing, struct err *err);
void membership_cells_release(struct membership_cells *cells);

/* All borrowed. */
struct membership_source {
    const struct data_spec *spec;
    const struct names *ids;              /* the samples */
    const char *path;                     /* file of the ids, for messages */
    const struct names *all;              /* all samples of that file, if ids are fewer; or NULL */
    const struct membership_cells *cells; /* must outlive the membership; or NULL */
    const struct target *target;          /* a sample with a value must have a group */
    struct data_report *report;           /* counts samples without a part */
};

/* Pair with membership_release(), also after a failure. */
int membership_read(struct membership *m, const struct membership_source *source, struct err *err);
void membership_release(struct membership *m);
void membership_into(struct draft *draft, const struct membership *m); /* lends the arrays */

#endif
