/* SPDX-License-Identifier: BSD-3-Clause */
/* The first sweep that `init` proposes: facts about the data become settings, each with its reason.
 * Pure: no files, no clock. The user is expected to edit the proposal. */
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
    double rarest;          /* share of the rarest class among the labelled samples */
    int32_t n_groups;       /* 0: no column looks like one */
    bool is_sparse;         /* features */
    bool has_edges;         /* between samples */
    bool is_dosages;        /* features of genotypes: all from 0 to 2 */
    bool has_wide_features; /* some node features are larger than one-hot columns */
    bool has_split;         /* a file defines the parts */
    bool has_val;           /* that file has a validation part */
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
    int32_t least;                                     /* the smallest useful number; 0: any */
    char comment[PROPOSAL_COMMENT_BYTES];
};

struct proposal {
    struct proposal_setting setting[PROPOSAL_SETTINGS]; /* [n] in the order of writing */
    int32_t n;
    int32_t n_dealt; /* labelled samples outside the test part; 0: a file defines the parts */
    bool uses_group; /* there are enough groups to make folds of them */
};

void propose(struct proposal *out, const struct init_facts *facts);

/* Return the setting; NULL if it is not proposed. */
const struct proposal_setting *proposal_find(const struct proposal *p, enum param_id id);

/* True if the axis has the value, as param_format() writes it, or if id is not an axis. */
bool proposal_has_value(const struct proposal *p, enum param_id id, const char *value);

/* Make the sweep one step cheaper: remove the least important value, replicate, fold or half of the
 * epochs. Model types stay. False: nothing is left to remove. */
bool proposal_shrink(struct proposal *p);

/* Return the trials of each configuration: replicates x folds. */
int64_t proposal_repeats(const struct proposal *p);

/* ---- the text of the sweep file ---- */

/* Settings that name files and columns, in the order of writing. Zero-initialise to begin. */
struct init_lines {
    struct init_line {
        enum param_id id;
        bool is_off; /* written as a comment, which the user can activate */
        char *value, *comment;
    } * line; /* [n] owned */
    int32_t n;
};

/* Add a line. -1 and err: memory is short, or the value cannot stand in a sweep file; `what` names
 * it in the message. A line that is off is then left out without an error. */
int init_lines_add(struct init_lines *lines, enum param_id id, const char *value,
                   const char *comment, const char *what, struct err *err);
int init_lines_add_off(struct init_lines *lines, enum param_id id, const char *value,
                       const char *comment, struct err *err);
void init_lines_remove(struct init_lines *lines, enum param_id id);
void init_lines_release(struct init_lines *lines); /* takes a zeroed one */

/* Append the path of a file relative to the folder of the sweep file `output`. "-" is in the working
 * directory. -1 and err: memory is short. */
int init_path(struct buf *out, const char *output, const char *path, struct err *err);

/* Append the sweep file. proposal: NULL for the lines alone. title: the first lines, without their
 * semicolons. */
void init_write(struct buf *out, const char *title, const struct init_lines *lines,
                const struct proposal *proposal);

#endif
