/* SPDX-License-Identifier: BSD-3-Clause */
/* The phenotype table, its rows joined with samples by id. */
#ifndef DATA_CORE_PHENOTYPE_H
#define DATA_CORE_PHENOTYPE_H

#include "data/core/data_report.h"
#include "data/core/id_join.h"
#include "data/core/membership.h"
#include "data/core/resemblance.h"
#include "data/core/target.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* One cell for each sample, absent if missing. */
struct phenotype {
    struct target_cells trait;
    struct target_cells *fixed; /* [n_fixed] columns of fixed effects */
    bool *is_factor;            /* [n_fixed] values are words, even digits */
    int32_t n_fixed;
    struct membership_cells cells; /* of split.part and split.group */
};

enum { PHENOTYPE_ID = 41 };

/* A number like -9 that may mean "missing". */
struct phenotype_suspect {
    double value;
    int32_t n; /* its cells */
    char column[81];
};

/* Observations about the table. The caller zeroes it. A second reading, of fewer samples, counts
 * anew but keeps `absent`, `unjoined`, `loose` and `suspects`. */
struct phenotype_report {
    int32_t n_valued;                       /* rows with a value */
    int32_t n_joined;                       /* of these, of a known sample */
    int32_t n_left;                         /* of these, of no sample; dropped */
    char left[DATA_EXAMPLES][PHENOTYPE_ID]; /* the first of these ids, cut */
    int32_t n_absent;                       /* samples without a row */
    char absent[DATA_EXAMPLES][PHENOTYPE_ID];
    struct equality_count loose;   /* ids that joined by number or without regard to case */
    struct equality_count columns; /* named in another spelling */
    bool is_foreign_id;            /* an id of `left` is not UTF-8 */
    char unjoined[600];            /* why rows did not join */
    struct phenotype_suspect suspects[DATA_EXAMPLES]; /* the trait, then the fixed effects */
    int32_t n_suspects;
    bool is_case_control; /* 1 and 2 of a .fam */
    const char *unset;    /* as in struct data_report */
};

/* Read the columns that spec names; if spec->like is set, only the fixed effects of new samples.
 *   p       out    pair with phenotype_release(), also after a failure; borrows spec->phenotypes
 *   source  in     the samples, at least one, and their file
 *   report  inout
 * -1 and err if the table is faulty or no id is in common. Part and group may be in the split
 * file instead. */
int phenotype_read(struct phenotype *p, const struct joined_ids *source,
                   const struct data_spec *spec, struct phenotype_report *report, struct err *err);
void phenotype_release(struct phenotype *p);

/* Strip factor(NAME) to NAME in place. */
char *phenotype_strip_factor(char *text, bool *is_factor);

#endif
