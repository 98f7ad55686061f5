/* SPDX-License-Identifier: BSD-3-Clause */
/* One value for every setting. A sweep is given some that are `auto`; once the data are read, they are
 * resolved, and a trial does what they say. Only resolved settings have a key. */
#ifndef GRID_SETTINGS_H
#define GRID_SETTINGS_H

#include "base/hash.h"
#include "data/core/dataset.h"
#include "grid/free_names.h"
#include "grid/param.h"

/* Version of the canonical text. It changes whenever equal settings could give other numbers. */
#define KEY_VERSION "espalier-key-2"

/* As a sweep file gives them: values may be `auto`. */
struct given {
    union value v[P_MAX]; /* texts are borrowed from the sweep; NULL: a free name has no value */
    const struct free_names *names; /* of v[P_COUNT] and later ones, borrowed; NULL: none */
};

/* Resolved: the values of a configuration, without `auto`. */
struct settings {
    union value v[P_MAX];
    const struct free_names *names; /* both as above */
};

/* One more than the largest id that the settings have. */
int settings_end(const struct settings *s);
/* A setting or free name; P_MAX: none. A free name hides a setting of the same key. */
int settings_find(const struct free_names *names, const char *key);
/* The value that all trials have of a setting that is gone (PARAM_GONE_TABLE). NULL: none was. */
const char *settings_gone_value(const char *key);
/* The row of a setting or free name, with its key. */
const struct param *settings_row(const struct settings *s, int id);

void settings_defaults(struct given *given);
/* Set every setting to param_before(). */
void settings_before(struct given *given);

/* True if samples are graphs, which are pooled. */
bool settings_pool(const struct settings *s);

bool settings_has(const struct settings *s, enum param_id id);
/* id: no free name. */
bool settings_type_has(union value type, enum param_id id);
const char *settings_type_name(union value type);
/* Fix settings that the model type lacks at param_before(), graph.build at `none`: equal models
 * then have equal keys. Idempotent. */
void settings_trim(struct settings *s);

/* The epochs of a full trial (of a program: [search] max_epochs); 0: it has none. */
int64_t settings_epochs(const struct settings *s);
/* The epochs after which a trial waits at a rung of halving, from 1: epochs / eta^(rungs - rung), rounded down.
 * INT64_MAX for SETTINGS_LAST_RUNG, and for trials without epochs: they run to their end. */
enum { SETTINGS_LAST_RUNG = 0 };
int64_t settings_rung_epochs(const struct settings *s, int32_t rung);

/* Replace every `auto` by its meaning for this format and task. -1 and err: the objective is not a
 * metric for the task. */
int settings_resolve(struct settings *s, const struct given *given, enum task task,
                     struct err *err);
/* Take the values of a stored sweep, which were resolved before they were stored. */
void settings_stored(struct settings *out, const struct given *given);

/* The revision of the model type, from 1, is part of the key, so that a type that computes other numbers
 * gets new keys alone (PARAM_REVISION_TABLE). */
int32_t settings_revision(const struct settings *s);

/* Append everything that can change a trial's numbers: version, data digest, "section.key=value"
 * lines in table order, and `revision` unless it is 1. swept[id] marks axes (for SWEPT). Replicate
 * and fold -1 identify a configuration. */
void settings_canonical(struct buf *out, const struct settings *s, const bool swept[P_MAX],
                        struct hash digest, int32_t replicate, int32_t fold);

/* The hash of the canonical text. */
struct hash settings_key(const struct settings *s, const bool swept[P_MAX], struct hash digest,
                         int32_t replicate, int32_t fold, struct buf *scratch);
/* The seed of a trial's random numbers: settings_key() of the trial without axes that are SWEPT, and
 * with PAIRED settings that are param_before(). */
struct hash settings_seed(const struct settings *s, struct hash digest, int32_t replicate,
                          int32_t fold, struct buf *scratch);

/* Append the settings that are AXIS, IDENTITY or SWEPT and that the model type has, as one JSON
 * object in table order, then the free names: {"hidden_size": 64, ...}. COUNT full is the string
 * "full". */
void settings_json(struct buf *out, const struct settings *s);
/* Texts and paths are never in it. */
bool settings_json_has(enum param_id id);
/* Likewise for a kept model, whose bytes follow from the key: omits settings that earlier versions
 * did not have. */
void settings_json_kept(struct buf *out, const struct settings *s);

/* Texts of many points in turn, formatting only values that differ from the previous point's. */
struct setting_text {
    union value value;
    bool is_set;
    struct buf line;   /* in the canonical text */
    struct buf member; /* in the JSON */
};

struct settings_texts {
    bool swept[P_MAX];
    struct hash digest;
    struct setting_text of[P_MAX];
    struct buf canonical; /* the first config_bytes identify the configuration */
    struct buf json;      /* settings_json() */
    size_t config_bytes;
    int64_t n_formatted; /* so far */
};

/* Pair with settings_texts_release(). swept is copied. */
void settings_texts_init(struct settings_texts *texts, const bool swept[P_MAX], struct hash digest);
void settings_texts_release(struct settings_texts *texts);
void settings_texts_set(struct settings_texts *texts, const struct settings *s);
/* Equals settings_key() of the point. */
struct hash settings_texts_key(struct settings_texts *texts, int32_t replicate, int32_t fold);

/* max or min, as of a metric with which the name ends: val_macro_f1, dev_rmse, train_loss. NULL:
 * unknown. */
const char *settings_usual_direction(const char *objective);

#endif
