/* SPDX-License-Identifier: BSD-3-Clause */
/* The first sweep that `init` proposes: facts about the data become settings, each with its reason.
 * Pure. */
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
    int32_t n_samples; /* with or without a value to predict */
    int32_t n_labelled;
    int32_t n_features;
    int32_t n_classes;
    double rarest;                  /* share of the rarest class */
    int32_t n_rarest;               /* its samples */
    int32_t n_groups;               /* that must not be divided; 0: none */
    bool is_sparse;                 /* features */
    bool has_edges;                 /* between samples */
    bool is_dosages;                /* features are from 0 to 2 */
    bool has_wide_features;         /* some features of nodes are larger than one-hot columns */
    bool has_split;                 /* a table gives the parts */
    int32_t n_train, n_val, n_stop; /* their samples with a value */
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
    int32_t n_dealt; /* labelled samples outside the test part; and given parts */
    bool uses_group; /* there are enough groups for folds */
};

void propose(struct proposal *out, const struct init_facts *facts);

/* NULL: not proposed. */
const struct proposal_setting *proposal_find(const struct proposal *p, enum param_id id);

/* value: as param_format() writes it. True also if id is not an axis. */
bool proposal_has_value(const struct proposal *p, enum param_id id, const char *value);

/* Make the sweep one step cheaper: fewer values, replicates, folds or epochs, the least important
 * first. Model types stay. False: nothing is left to remove. */
bool proposal_shrink(struct proposal *p);

/* The trials of a configuration. */
int64_t proposal_repeats(const struct proposal *p);

/* ---- the text of the sweep file ---- */

/* Settings that name files and columns. Zero-initialise to begin. */
struct init_lines {
    struct init_line {
        enum param_id id;
        bool is_off; /* written as a comment */
        char *value, *comment;
    } * line; /* [n] owned */
    int32_t n;
};

/* -1 and err: memory is short, or the value cannot stand in a sweep file; `what` names it in the
 * message. A line that is off is then left out without an error. */
int init_lines_add(struct init_lines *lines, enum param_id id, const char *value,
                   const char *comment, const char *what, struct err *err);
int init_lines_add_off(struct init_lines *lines, enum param_id id, const char *value,
                       const char *comment, struct err *err);
void init_lines_release(struct init_lines *lines);

/* Append the path relative to the folder of the sweep file `output`. "-" is in the working
 * directory. -1 and err. */
int init_path(struct buf *out, const char *output, const char *path, struct err *err);

/* Append the sweep file. proposal: or NULL. title: the first lines, without their semicolons. */
void init_write(struct buf *out, const char *title, const struct init_lines *lines,
                const struct proposal *proposal);

#endif
