/* SPDX-License-Identifier: BSD-3-Clause */
/* What is predicted: from the text of cells to numbers or classes. */
#ifndef DATA_CORE_TARGET_H
#define DATA_CORE_TARGET_H

#include "data/core/builder.h"
#include "data/core/data_spec.h"

/* One cell a sample, as it was read; absent where a sample has none. */
struct target_cells {
    const char *path; /* borrowed, for messages */
    char *column;     /* its name, owned */
    char **text;      /* [n] owned; NULL: missing */
    int64_t *line;    /* [n] */
    int32_t n;
    int32_t capacity;
};

/* n absent cells, n may be 0. Pair with target_cells_release(). */
int target_cells_init(struct target_cells *cells, int32_t n, const char *path, const char *column,
                      struct err *err);
void target_cells_release(struct target_cells *cells); /* takes a zeroed one */

/* Keep a copy of cell i, in [0, n]; with i = n there is one more. A missing one is absent. -1 and
 * err when memory is short. */
int target_cells_set(struct target_cells *cells, int32_t i, const char *cell, int64_t line,
                     struct err *err);

/* What the cells say; each array owned, NULL where the task has none. */
struct target {
    float *value;             /* [n] regression, NaN where missing */
    int32_t *label;           /* [n] classification, -1 where missing */
    const char **class_names; /* [n_classes] sorted, by number if all are numbers, else by byte;
                                 the array is owned, the texts belong to the cells */
    int32_t n_classes;        /* 0: regression */
};

/* task auto: words alone are classes; whole numbers alone are classes where whole_are_classes,
 * numbers otherwise; other numbers alone are numbers; a mixture is refused, as are many classes of
 * one member each. Pair with target_release(). -1 and err: no cell present, a cell that the task
 * does not allow, all cells equal. */
int target_make(struct target *out, const struct target_cells *cells, enum data_task task,
                bool whole_are_classes, struct err *err);

/* Every text that is there is a class of its own; there may be one class or none. Pair with
 * target_release(). -1 and err when memory is short. */
int target_classes(struct target *out, const struct target_cells *cells, struct err *err);

/* Numbers, none of which is there. Pair with target_release(). -1 and err when memory is short. */
int target_absent(struct target *out, int32_t n, struct err *err);
void target_release(struct target *target);                         /* takes a zeroed one */
void target_into(struct draft *draft, const struct target *target); /* lends the arrays */

/* Numbers with a decimal comma, as spreadsheets of many countries write them (100,92). Put points
 * in the place of commas where every cell that is there is a number with a comma or a whole one,
 * never of a table with commas between its cells. A semicolon stands between cells where the comma
 * is the decimal one, a tab anywhere. -1 and err: tabs or blanks separate and three
 * digits follow every comma, so that 1,234 may be 1234; or a point sets thousands apart: 1.066
 * beside 979, and nothing else. */
int target_read_decimal(struct target_cells *cells, char separator, struct err *err);

#endif
