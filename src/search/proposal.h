/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows as a proposer makes them: each trains another model than those before it, and `where` keeps it. For the files
 * propose_NAME.c. */
#ifndef SEARCH_PROPOSAL_H
#define SEARCH_PROPOSAL_H

#include "base/rng.h"
#include "search/proposer.h"
#include "search/space.h"

/* Grids up to this size are made as a whole, which tells when all of their points are proposed. */
enum { PROPOSAL_SMALL_GRID = 100000 };

struct proposal {
    const struct proposing *of; /* borrowed */
    struct grid_rows *rows;     /* borrowed: where rows are added */
    int32_t capacity;           /* rows for which rows->v has room */
    struct space space;
    struct names seen; /* the models of the rows, each with its line in a table */
    int64_t line;      /* of the next row */
    union value row[P_MAX];
    struct arena texts; /* of `row` */
};

/* Continue `rows`, which may be empty. capacity: as above; 0: rows->v is empty, and grows. Pair with proposal_end().
 * -1 and err: memory is short. */
int proposal_begin(struct proposal *proposal, struct grid_rows *rows, int32_t capacity,
                   const struct proposing *of, struct err *err);
void proposal_end(struct proposal *proposal);

/* Add a row, unless `where` drops it (*is_kept false) or an earlier row trains its model. Conditions of axes are
 * decided. *number out: of the row that trains the model, from 0. -1 and err. */
int proposal_add(int32_t *number, bool *is_kept, struct proposal *proposal, const union value *row,
                 struct err *err);
/* Likewise for the row at u [n_axes], each in [0, 1). */
int proposal_add_point(struct proposal *proposal, const double *u, struct err *err);
/* Likewise for a row of a grid, which was decided. */
int proposal_take(int32_t *number, struct proposal *proposal, const union value *row,
                  struct err *err);
/* Do not propose these. */
int proposal_exclude(struct proposal *proposal, const struct grid_rows *rows, struct err *err);

/* Add the file's `start`, if it has one. -1 and err, with the line: it is faulty, or `where` drops it. */
int proposal_start(struct proposal *proposal, struct err *err);

/* A sequence of points: u [n_axes], each in [0, 1), of an index from 0. */
typedef void proposal_sequence(double *u, int32_t n_axes, uint32_t index, const struct rng *rng);

/* Add the rows of a sequence until there are n (< 0: all points of the grid), all points of a small grid are there, or
 * 100,000 points in a row added none. -1 and err. */
int proposal_draw(struct proposal *proposal, int32_t n, proposal_sequence *at, struct err *err);

/* first() of a proposer that has such a sequence. */
int proposal_sequence_rows(struct grid_rows *out, const struct proposing *of, int32_t n,
                           proposal_sequence *at, struct err *err);

/* The random numbers of the sweep's search. */
struct rng proposal_rng(const struct proposing *of);

/* How many configurations there can be: the points of a small grid that `where` keeps and that train other models; else at most
 * INT64_MAX. -1 and err. */
int proposal_count(int64_t *n, const struct proposing *of, struct err *err);

/* True if all axes are lists, with at most PROPOSAL_SMALL_GRID points. */
bool proposal_is_small_grid(const struct proposing *of);

#endif
