/* SPDX-License-Identifier: BSD-3-Clause */
/* The free names of a sweep with [program]: axes and values that no setting declares. They are numbered
 * from P_COUNT on in the order of their names, so that the order in the file does not change keys. */
#ifndef GRID_FREE_NAMES_H
#define GRID_FREE_NAMES_H

#include "grid/param.h"

enum {
    FREE_NAMES_MAX = P_MAX - P_COUNT,
    FREE_NAME_SIZE = 64 /* with its NUL */
};

struct free_names {
    int32_t n;
    char name[FREE_NAMES_MAX][FREE_NAME_SIZE];
    struct param row[FREE_NAMES_MAX]; /* row[i].key is name[i] */
};

/* Add a name, unless it is there; numbers given before change. -1 and err: it is not a name
 * (a letter or _, then also digits), means something else in a command, or is one too many. */
int free_names_add(struct free_names *names, const char *name, struct err *err);

/* P_MAX: no such name. names: NULL has none. */
int free_names_find(const struct free_names *names, const char *name);

/* True for a name that a command may use although no line of the sweep file gives it: seed, dir ... */
bool free_names_is_given(const char *name);

/* "trial|key|seed ..." */
const char *free_names_given(void);

/* Why no axis may have this name: "a column of the leaderboard ..." or "a word of SQL"; NULL: it may. */
const char *free_names_taken(const char *name);

#endif
