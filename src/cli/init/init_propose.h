/* SPDX-License-Identifier: BSD-3-Clause */
/* The first sweep that `init` proposes for data: from facts about them to settings, each with the
 * reason. Pure: no files, no clock. What it proposes is a start to edit. */
#ifndef CLI_INIT_INIT_PROPOSE_H
#define CLI_INIT_INIT_PROPOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "data/format.h"
#include "grid/param.h"

struct init_facts {
    const struct data_format *format;
    bool is_classification;
    int32_t n_samples; /* in the data, with or without a value to predict */
    int32_t n_labelled;
    int32_t n_features;
    int32_t n_classes;
    double rarest;          /* share of the labelled samples that are of the rarest class */
    int32_t n_groups;       /* 0: no column looks like one */
    bool is_sparse;         /* features */
    bool has_edges;         /* between samples */
    bool is_dosages;        /* features of genotypes: all from 0 to 2 */
    bool has_wide_features; /* those of nodes differ in their spread */
    bool has_split;         /* a file says who is in which part */
    bool has_val;           /* of that file: the validation part too */
};

enum {
    PROPOSAL_VALUES = 8,
    PROPOSAL_VALUE_BYTES = 24,
    PROPOSAL_COMMENT_BYTES = 120,
    PROPOSAL_SETTINGS = 40
};

struct proposal_setting {
    enum param_id id;
    bool is_axis;
    int32_t n;                                         /* values; 1 unless an axis */
    char value[PROPOSAL_VALUES][PROPOSAL_VALUE_BYTES]; /* the ones to keep longest come first */
    int32_t least; /* of a number: no smaller one is of use; 0: any */
    char comment[PROPOSAL_COMMENT_BYTES];
};

struct proposal {
    struct proposal_setting setting[PROPOSAL_SETTINGS]; /* [n] in the order of writing */
    int32_t n;
    int32_t n_dealt; /* labelled samples outside the test part; 0: a file says who is where */
    bool uses_group; /* enough groups for folds of them */
};

void propose(struct proposal *out, const struct init_facts *facts);

/* The setting; NULL: it is not proposed. */
const struct proposal_setting *proposal_find(const struct proposal *p, enum param_id id);

/* Whether the value (as param_format() writes it) is one of an axis's; true where id is no axis. */
bool proposal_has_value(const struct proposal *p, enum param_id id, const char *value);

/* One step towards a cheaper sweep: a value, a replicate, epochs or folds less, the least important
 * first; model types stay. False: nothing is left to take away. */
bool proposal_shrink(struct proposal *p);

/* Trials of each configuration: replicates x folds. */
int64_t proposal_repeats(const struct proposal *p);

/* The text of the sweep file that `init` writes: a line and a comment for each setting. */

/* Settings that name things, in the order of writing. Zero-initialise to begin. */
struct init_lines {
    struct init_line {
        enum param_id id;
        bool is_off; /* written as a comment, for the reader to switch on */
        char *value, *comment;
    } * line; /* [n] owned */
    int32_t n;
};

/* -1 and err: memory is short, or the value cannot stand in a sweep file: `what` names it. A line
 * that is off is left out instead. */
int init_lines_add(struct init_lines *lines, enum param_id id, const char *value,
                   const char *comment, const char *what, struct err *err);
int init_lines_add_off(struct init_lines *lines, enum param_id id, const char *value,
                       const char *comment, struct err *err);
void init_lines_remove(struct init_lines *lines, enum param_id id);
void init_lines_release(struct init_lines *lines); /* takes a zeroed one */

/* The path of a file as the sweep file at `output` names it: relative to its folder. "-" is in the
 * working directory. -1 and err: memory is short. */
int init_path(struct buf *out, const char *output, const char *path, struct err *err);

/* Append the sweep file. proposal may be NULL: only the lines. title: the first lines, without
 * their semicolons. */
void init_write(struct buf *out, const char *title, const struct init_lines *lines,
                const struct proposal *proposal);

#endif
