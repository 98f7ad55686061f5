/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameter table as data, and values of its types. */
#ifndef GRID_PARAM_H
#define GRID_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "grid/param_table.h"

enum param_type {
    PARAM_INT,
    PARAM_REAL,
    PARAM_CHOICE,
    PARAM_TEXT,
    PARAM_PATH,
    PARAM_DURATION,
    PARAM_COUNT,
    PARAM_REDUCTION,
    PARAM_FOLDS
};

enum param_flag {
    PARAM_AXIS = 1,
    PARAM_IDENTITY = 2,
    PARAM_SWEPT = 4,
    PARAM_OPEN_MIN = 8,
    PARAM_OPEN_MAX = 16,
    PARAM_LATER = 32,
    PARAM_MAIN = 64,
    PARAM_REQUIRED = 128
};

enum param_id {
#define PARAM_ENUM(id, ...) P_##id,
    PARAM_TABLE(PARAM_ENUM)
#undef PARAM_ENUM
        P_COUNT
};

/* Where trial/spec.c copies a value to. */
enum param_struct {
    PARAM_NOWHERE,
    PARAM_data_spec,
    PARAM_split_spec,
    PARAM_graph_spec,
    PARAM_gcn_inputs_spec,
    PARAM_gcn_spec,
    PARAM_ridge_spec
};

struct param_target {
    enum param_struct into;
    size_t offset, size; /* of the member */
    int less;            /* is subtracted first */
};

struct param {
    const char *section;
    const char *key;
    enum param_type type;
    double min, max;
    const char *choices; /* "a|b|c" */
    const char *default_text;
    const char *unit;
    int flags;
    const char *models; /* "gcn|mlp" */
    struct param_target target;
    const char *help;
};

extern const struct param param_table[P_COUNT];

#define FOLDS_GROUPS (-1) /* until the data have said how many those are */

/* INT uses i; CHOICE uses i as the index of the choice; COUNT uses i, 0 meaning full; REDUCTION
 * uses i as gcn/reducer.h does; FOLDS uses i, FOLDS_GROUPS meaning groups; REAL and DURATION
 * (seconds) use f; TEXT and PATH use s (borrowed, never NULL). */
union value {
    int64_t i;
    double f;
    const char *s;
};

/* P_COUNT where there is none. section NULL: by the bare key (the table has no two alike). */
enum param_id param_find(const char *section, const char *key);

/* "key" or "section.key", as users write axes and --set. */
enum param_id param_find_name(const char *name);
bool param_is_section(const char *section);

/* "Did you mean": how close a wrong word is to a right one. */
#define PARAM_FAR 1000
/* 0: equal (case aside); 1: `wrong` begins `right`, or is its initials (lr for learning_rate);
 * else the edit distance (optimal string alignment, Damerau 1964, doi:10.1145/363958.363994),
 * PARAM_FAR where that is more than a third of the letters. */
int param_distance(const char *wrong, const char *right);

/* The nearest setting as "[section] key", for "did you mean"; NULL if none is close. Settings of
 * `section` (may be NULL) come first among equally close ones. */
const char *param_suggest(const char *section, const char *key);

/* The nearest section, or NULL. */
const char *param_suggest_section(const char *section);

/* Parse one value and check its range. TEXT and PATH borrow text. err says what is allowed:
 * "dropout = 1.2: must be in [0, 1)". */
int param_parse(union value *out, enum param_id id, const char *text, struct err *err);

/* The same without "key = value: " in err, where the caller names the place. */
int param_read(union value *out, enum param_id id, const char *text, struct err *err);

/* Whether a word is one of the words of a list, "a|b|c". */
bool param_is_among(const char *list, const char *word);

/* Whether a setting does nothing because of another one alone: PARAM_BESIDE_TABLE. v: all values. */
bool param_is_idle(enum param_id id, const union value v[P_COUNT]);

/* The default of the table. */
union value param_default(enum param_id id);

/* What trials did before the setting existed, or had its present default. */
union value param_before(enum param_id id);

/* Equal values of a setting. */
bool param_equal(enum param_id id, union value a, union value b);

/* The index of a choice; the name must be one of the setting's. */
int64_t param_choice(enum param_id id, const char *name);

/* Canonical text: the shortest decimal that reads back the same, choice names, full, pca:20, 90s.
 */
void param_format(struct buf *out, enum param_id id, union value value);

/* What is allowed, for help and messages: "integer in [1, 8]", "relu | tanh", ... */
void param_allowed(struct buf *out, enum param_id id);

#endif
