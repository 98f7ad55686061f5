/* SPDX-License-Identifier: BSD-3-Clause */
/* One value for every setting: what a trial is told. */
#ifndef GRID_SETTINGS_H
#define GRID_SETTINGS_H

#include "base/hash.h"
#include "data/core/dataset.h"
#include "grid/param.h"

/* Version of the canonical text; changes whenever equal settings could give other numbers. */
#define KEY_VERSION "espalier-key-2"

struct settings {
    union value v[P_COUNT]; /* texts are borrowed from the sweep, which outlives it */
};

void settings_defaults(struct settings *s);
/* The values of settings that a stored sweep lacks (param_before). */
void settings_before(struct settings *s);

/* Whether samples are graphs, which are pooled: the format says so. */
bool settings_pool(const struct settings *s);

/* Whether the model type of s has such a setting: the `models` column of the table. */
bool settings_has(const struct settings *s, enum param_id id);
/* The name of a choice of model.type. */
const char *settings_type_name(union value type);
/* Give settings that the type lacks one value, whatever was asked for: param_before(), and
 * graph.build none, which is what they are trained with. Equal models then have equal keys.
 * Idempotent. */
void settings_trim(struct settings *s);

/* Replace every `auto` by what it means for this format and task. Idempotent. -1 and err where
 * the objective is not a metric of the task, naming those that are. */
int settings_resolve(struct settings *s, enum task task, struct err *err);

/* Which version of its type of model these settings train, from 1. A later version gives other
 * numbers for the same settings, so it is part of the key: PARAM_REVISION_TABLE
 * (doc/decisions/0039). KEY_VERSION would change the keys of every type. */
int32_t settings_revision(const struct settings *s);
/* What was computed before the revision and what is now, as a line of store_differences(). Only
 * where the revision is not the first. */
void settings_put_revision(struct buf *out, const struct settings *s);

/* The canonical text of everything that can change a trial's numbers, "section.key=value" lines in
 * table order after the version and the data digest, and `revision` where it is not the first.
 * swept[id] marks axes (for SWEPT settings). Without replicate and fold it identifies a
 * configuration, with both a trial (pass -1 to leave out). */
void settings_canonical(struct buf *out, const struct settings *s, const bool swept[P_COUNT],
                        struct hash digest, int32_t replicate, int32_t fold);

/* hash of that text */
struct hash settings_key(const struct settings *s, const bool swept[P_COUNT], struct hash digest,
                         int32_t replicate, int32_t fold, struct buf *scratch);
/* Whether `key` is the one that an earlier revision of the type of model gave to these settings. */
bool settings_made_before(const struct settings *s, const bool swept[P_COUNT], struct hash digest,
                          int32_t replicate, int32_t fold, struct hash key, struct buf *scratch);

/* All settings that are AXIS, IDENTITY or SWEPT, and that the type of model has, as one JSON
 * object:
 * {"hidden_size": 64, ...}, keys in table order, bare names (the table has no two alike). COUNT
 * full is the string "full". */
void settings_json(struct buf *out, const struct settings *s);
/* The same for a kept model, whose bytes follow from the key: without a setting that the versions
 * before it, which trained the same model, did not know. */
void settings_json_kept(struct buf *out, const struct settings *s);

/* The same texts for many points of one sweep in turn: a value is formatted only where it differs
 * from that of the point before. */
struct setting_text {
    union value value;
    bool is_set;
    struct buf line;   /* of the canonical text */
    struct buf member; /* of the JSON */
};

struct settings_texts {
    bool swept[P_COUNT];
    struct hash digest;
    struct setting_text of[P_COUNT];
    struct buf canonical; /* of the point; its first config_bytes identify the configuration */
    struct buf json;      /* what settings_json() gives for the point */
    size_t config_bytes;
    int64_t n_formatted; /* values, so far */
};

/* Pair with settings_texts_release(). swept: copied. */
void settings_texts_init(struct settings_texts *texts, const bool swept[P_COUNT],
                         struct hash digest);
void settings_texts_release(struct settings_texts *texts);
/* The point to speak of from now on, resolved. */
void settings_texts_set(struct settings_texts *texts, const struct settings *s);
/* The same hash as settings_key() of the point. */
struct hash settings_texts_key(struct settings_texts *texts, int32_t replicate, int32_t fold);

#endif
