/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the ids of a table with those of samples, by data/text/equality.h. */
#ifndef DATA_CORE_ID_JOIN_H
#define DATA_CORE_ID_JOIN_H

#include "data/core/data_report.h"
#include "data/text/equality.h"
#include "data/text/table.h"

/* The caller sets the first four; the rest is zero. Pair with id_join_release(). */
struct id_join {
    const struct names *ids; /* of the samples; borrowed */
    const char *path;        /* of the table; borrowed */
    int32_t col, n_cols;     /* its columns of ids */
    struct names asked;      /* these ids; read when one of them has no equal bytes */
    int32_t *found;          /* [asked.n] */
    struct equality_count count;
};

/* Find the sample of an id of the table; *out is -1 without one. -1 and err without memory. */
int id_join_find(int32_t *out, struct id_join *join, const char *id, struct err *err);
void id_join_release(struct id_join *join);

/* Report the ids that joined though they are written in another way. path: that of the table. */
void id_join_report(struct data_report *report, const struct equality_count *count,
                    const char *path);

#endif
