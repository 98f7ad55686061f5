/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts text cells to the target: numbers or classes. */
#ifndef DATA_CORE_TARGET_H
#define DATA_CORE_TARGET_H

#include "data/core/builder.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/text/equality.h"

struct target_cells {
    const char *path; /* borrowed, for messages */
    char *column;     /* name, owned */
    char **text;      /* [n] owned; NULL: missing */
    int64_t *line;    /* [n] */
    int32_t n;
    int32_t capacity;
};

/* n may be 0. Pair with target_cells_release(). */
int target_cells_init(struct target_cells *cells, int32_t n, const char *path, const char *column,
                      struct err *err);
void target_cells_release(struct target_cells *cells);

/* Keep a copy of cell i, in [0, n]; i = n appends. "Missing" stays absent. */
int target_cells_set(struct target_cells *cells, int32_t i, const char *cell, int64_t line,
                     struct err *err);

/* The cells that are present: numbers, and words, some of them bounds (">10"). */
struct target_facts {
    int32_t n_present, n_numbers, n_whole, n_bounds;
    int32_t word, bound; /* first of each; -1: none */
};
struct target_facts target_examine(const struct target_cells *cells);

/* Arrays are owned; NULL where the task does not use them. */
struct target {
    float *value;                  /* [n] regression, NaN where missing */
    int32_t *label;                /* [n] classification, -1 where missing */
    const char **class_names;      /* [n_classes] sorted by number if all are numbers, else by byte;
                                 array owned, texts owned by the cells; of several spellings of
                                 a word the most frequent, of a number the shortest */
    int32_t n_classes;             /* 0: regression */
    struct equality_count spelled; /* values that differ from their class in case */
};

/* Convert cells. Task auto:
 *   only words            classes
 *   only whole numbers    classes if whole_are_classes, else numbers
 *   only numbers          numbers
 *   words and numbers     an error, like many classes of which most have one member
 * Pair with target_release(). -1 and err if no cell is present, a cell does not fit the task, or
 * all are equal. */
int target_make(struct target *out, const struct target_cells *cells, enum data_task task,
                bool whole_are_classes, struct err *err);

/* Make each text that differs by data/text/equality.h a class, possibly one or none. Pair with target_release(). */
int target_classes(struct target *out, const struct target_cells *cells, struct err *err);

/* Make n missing numbers. Pair with target_release(). */
int target_absent(struct target *out, int32_t n, struct err *err);
void target_release(struct target *target);
/* what: "classes" or "groups" */
void target_report_spelled(struct data_report *report, const struct equality_count *spelled,
                           const char *what);
void target_into(struct draft *draft, const struct target *target); /* lends the arrays */

/* Replace decimal commas (100,92) by points if most present cells are whole numbers or have such a
 * comma, no number has a point, and the separator is not a comma. Words stay. -1 and err if commas or
 * points may separate thousands: every comma is followed by three digits (1,234), or 1.066 is beside
 * 979 and nothing else. */
int target_read_decimal(struct target_cells *cells, char separator, struct err *err);

#endif
