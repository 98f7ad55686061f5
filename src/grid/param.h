/* SPDX-License-Identifier: BSD-3-Clause */
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
    PARAM_FOLDS,
    PARAM_METRIC,
    PARAM_VALUE
};

enum param_flag {
    PARAM_AXIS = 1,
    PARAM_IDENTITY = 2,
    PARAM_SWEPT = 4,
    PARAM_OPEN_MIN = 8,
    PARAM_OPEN_MAX = 16,
    PARAM_LATER = 32,
    PARAM_MAIN = 64,
    PARAM_REQUIRED = 128,
    PARAM_PAIRED = 256
};

enum param_id {
#define PARAM_ENUM(id, ...) P_##id,
    PARAM_TABLE(PARAM_ENUM)
#undef PARAM_ENUM
        P_COUNT,
    P_MAX = P_COUNT + 64 /* of a sweep: its free names come from P_COUNT on (grid/free_names.h) */
};

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
    int less;            /* subtracted from the value */
};

struct param {
    const char *section;
    const char *key;
    enum param_type type;
    double min, max;
    const char *choices; /* "a|b|c"; COUNT, FOLDS: the word for a number, or "" */
    const char *default_text;
    const char *unit;
    int flags;
    const char *models; /* "gcn|mlp" */
    struct param_target target;
    const char *help;
};

extern const struct param param_table[P_COUNT];

/* The row of a setting; of any free name, one row without a key. */
const struct param *param_row(enum param_id id);

#define FOLDS_GROUPS (-1) /* replaced once the data are known */

/* The type decides the member:
 *
 *   INT             i
 *   CHOICE          i, index of the choice
 *   COUNT           i, 0 for full
 *   REDUCTION       i, coded as in gcn/reducer.h
 *   FOLDS           i, FOLDS_GROUPS for groups
 *   REAL, DURATION  f, seconds
 *   TEXT, PATH, METRIC, VALUE  s, borrowed, never NULL */
union value {
    int64_t i;
    double f;
    const char *s;
};

/* By its key or an earlier one (PARAM_OLD_NAMES). P_COUNT: none. section NULL: all sections. */
enum param_id param_find(const char *section, const char *key);

/* The end of a message about a faulty value with ` #`, which other formats begin comments with; else
 * "". */
const char *param_comment_hint(const char *value);

/* name: "key" or "section.key". */
enum param_id param_find_name(const char *name);
bool param_is_section(const char *section);

/* The nearest setting as "[section] key", or NULL if none is close. Settings of `section` (may be
 * NULL) win ties. type: only settings that this model type has; NULL: all. */
const char *param_suggest(const char *section, const char *key, const char *type);

const char *param_suggest_section(const char *section);

/* Parse and check the range. TEXT and PATH borrow text. err: "dropout = 1.2: must be in [0, 1)". */
int param_parse(union value *out, enum param_id id, const char *text, struct err *err);

/* Like param_parse(), but err lacks "key = value: ". */
int param_read(union value *out, enum param_id id, const char *text, struct err *err);

/* True for values with member s. */
bool param_is_text(enum param_id id);

/* A name under which a program may report a number: a letter or _, then also digits . / -, at most
 * 63 bytes. */
enum { PARAM_METRIC_NAME = 64 };
bool param_is_metric_name(const char *name);

/* list: "a|b|c" */
bool param_is_among(const char *list, const char *word);

/* True if another setting makes this one irrelevant (PARAM_BESIDE_TABLE). v: all values. */
bool param_is_idle(enum param_id id, const union value v[P_COUNT]);

union value param_default(enum param_id id);

/* The value of trials from before the setting existed or its default changed. */
union value param_before(enum param_id id);

bool param_equal(enum param_id id, union value a, union value b);

/* `name` must be a choice of the setting. */
int64_t param_choice(enum param_id id, const char *name);

/* Append the canonical text: the shortest decimal that parses to the same value, a choice's name,
 * full, pca:20, 90s. */
void param_format(struct buf *out, enum param_id id, union value value);

/* Append the allowed values: "integer in [1, 8]", "relu | tanh", ... */
void param_allowed(struct buf *out, enum param_id id);

/* The same with the unit: "number in (0, 1e+06], GB". A duration names its own units. */
void param_allowed_in_unit(struct buf *out, enum param_id id);

#endif
