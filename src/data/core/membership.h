/* SPDX-License-Identifier: BSD-3-Clause */
/* The part and the group of each sample, as given in tables.
 *
 * A split file has the columns id and part, id and group, or all three. If there are two, the
 * second is the part unless it has the group's name. If there are more, the part's column is named
 * `part`, and others are ignored. The part is train | val | test | stop | none; samples not listed
 * are none. */
#ifndef DATA_CORE_MEMBERSHIP_H
#define DATA_CORE_MEMBERSHIP_H

#include "data/core/id_join.h"
#include "data/core/target.h"
#include "data/text/names.h"

struct membership {
    uint8_t *part;            /* [n] enum part; or NULL */
    int32_t *group;           /* [n] -1: unknown; NULL: split.group is not set */
    const char **group_names; /* [n_groups] sorted like classes */
    int32_t n_groups;
    struct target_cells cells;     /* group names of the split file */
    struct id_join join;           /* of the split file */
    struct equality_count spelled; /* names of groups that are equal but for case */
};

/* Find part and group of the samples `ids`.
 *   source  in  file of the ids, for messages
 *   all     in  all samples of that file, if ids are fewer (data.subset); or NULL
 *   groups  in  cells of column spec->group in another table; the split file has precedence.
 *               Borrowed, must outlive m. NULL, or its column NULL: none
 *   target  in  a sample with a value must have a group
 * Pair with membership_release(), also after a failure. */
int membership_read(struct membership *m, const struct data_spec *spec, const struct names *ids,
                    const char *source, const struct names *all, const struct target_cells *groups,
                    const struct target *target, struct err *err);
void membership_release(struct membership *m);
void membership_report(struct data_report *report, const struct membership *m);
void membership_into(struct draft *draft, const struct membership *m); /* lends the arrays */

#endif
