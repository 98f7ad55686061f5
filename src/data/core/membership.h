/* SPDX-License-Identifier: BSD-3-Clause */
/* Which part a sample is in and which group, where tables say so.
 *
 * A split file is a table of an id and a part (train | val | test | stop | none; samples that it
 * does not list are in none), of an id and a group, or of all three. With two columns the second is
 * the part unless it has the group's name; with more, the part's column is named `part`, and those
 * that are neither are not read. */
#ifndef DATA_CORE_MEMBERSHIP_H
#define DATA_CORE_MEMBERSHIP_H

#include "data/core/target.h"
#include "data/text/names.h"

struct membership {
    uint8_t *part;            /* [n] enum part; NULL: no table gives parts */
    int32_t *group;           /* [n] -1: none; NULL: no groups are asked for */
    const char **group_names; /* [n_groups] sorted as classes are */
    int32_t n_groups;
    struct target_cells cells; /* own the names that come from the split file */
};

/* Of the samples `ids`, which come from the file `source`.
 *   groups  in  cells of the column spec->group in another table, which the split file's goes
 *               before; borrowed, must outlive m. NULL, or its column NULL: there is no such
 *   target  in  a sample with a value must have a group
 *   all     in  the samples of the file, where ids are fewer (data.subset); else NULL
 * Pair with membership_release(), also after a failure. -1 and err: an unknown id, one twice, an
 * unknown part, a group that is in no table, a sample with a value and no group. */
int membership_read(struct membership *m, const struct data_spec *spec, const struct names *ids,
                    const char *source, const struct names *all, const struct target_cells *groups,
                    const struct target *target, struct err *err);
void membership_release(struct membership *m);                         /* takes a zeroed one */
void membership_into(struct draft *draft, const struct membership *m); /* lends the arrays */

#endif
