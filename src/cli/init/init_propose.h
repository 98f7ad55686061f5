/* SPDX-License-Identifier: BSD-3-Clause */
/* The first sweep that `init` proposes: facts about the data become lines of a sweep file, each
 * with its reason. Pure. */
#ifndef CLI_INIT_INIT_PROPOSE_H
#define CLI_INIT_INIT_PROPOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "data/format.h"
#include "grid/param.h"
#include "grid/settings.h"

enum init_line_kind {
    INIT_SET,
    INIT_OFF,  /* written as a comment */
    INIT_AXIS, /* of [grid] */
    INIT_RANGE /* likewise, written as it is */
};

struct init_line {
    enum init_line_kind kind;
    enum param_id id;
    struct buf value; /* of an axis: with blanks between values, those to keep longest first */
    struct buf comment;
};

enum { INIT_LINES = 64 };

/* Zero-initialise to begin. */
struct init_lines {
    struct init_line line[INIT_LINES]; /* [n] in the order of writing */
    int32_t n;
    bool has_failed; /* err has the first failure */
    struct err err;
};

/* A value that cannot stand in a sweep file is a failure, unless the line is off and left out. */
void init_lines_add(struct init_lines *lines, enum init_line_kind kind, enum param_id id,
                    const char *value, const char *comment);
void init_lines_release(struct init_lines *lines);

/* NULL: no line has the setting. */
struct init_line *init_lines_find(struct init_lines *lines, enum param_id id);

/* value: as param_format() writes it. True also if id is not an axis. */
bool init_lines_has_value(struct init_lines *lines, enum param_id id, const char *value);

/* Append the path as seen from the folder of the sweep file `output`; "-" is in the working
 * directory. */
void init_path(struct buf *out, const char *output, const char *path);

/* Append the sections of the sweep file. */
void init_write(struct buf *out, const struct init_lines *lines);

/* ---- the proposal ---- */

struct init_facts {
    const struct data_format *format;
    bool is_classification;
    int32_t n_samples; /* with or without a value to predict */
    int32_t n_labelled;
    int32_t n_features;
    int32_t n_classes;
    int32_t n_rarest;               /* samples of the rarest class */
    int32_t n_groups;               /* whole groups are left out; 0: no groups */
    bool is_sparse;                 /* features */
    bool has_edges;                 /* between samples */
    bool is_dosages;                /* features are from 0 to 2 */
    bool has_split;                 /* a table gives the parts */
    int32_t n_train, n_val, n_stop; /* their samples with a value */
};

/* Parts of the data take whole groups, so a few groups are too few. */
bool propose_group(int32_t n_groups, bool has_split);

/* Add the settings that the data suggest. */
void propose(struct init_lines *lines, const struct init_facts *facts);

/* Make the sweep one step cheaper: fewer values, replicates, folds or epochs, the least important
 * first. Model types stay. False: nothing is left to remove. */
bool propose_smaller(struct init_lines *lines, const struct init_facts *facts);

/* The trials of a configuration. */
int64_t propose_repeats(struct init_lines *lines);

/* Seconds on one core. */
struct init_cost {
    int32_t n_configs; /* in: of the grid; */
    double full_s;     /* all of them in full; out: at most */
    double budget_s;   /* in */
    double expected_s; /* out */
};

/* Let the sweep cost no more than the budget, by the first of these that does:
 *
 *   the whole grid
 *   a grid of LEAST_SEARCHED or more with the allocator that is expected to take the smallest share
 *   LEAST_PROPOSED or more configurations that a model proposes, also from ranges
 *
 * False: none does, and the lines are as before. fixed: of any configuration, for the search. */
bool propose_search(struct init_lines *lines, const struct init_facts *facts,
                    const struct settings *fixed, struct init_cost *cost);

#endif
