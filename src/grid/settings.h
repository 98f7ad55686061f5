/* One value for every setting: what a trial is told. */
#ifndef GRID_SETTINGS_H
#define GRID_SETTINGS_H

#include "base/hash.h"
#include "data/dataset.h"
#include "grid/param.h"

/* Version of the canonical text; changes whenever equal settings could give other numbers. */
#define KEY_VERSION "espalier-key-2"

struct settings {
    union value v[P_COUNT]; /* texts are borrowed from the sweep, which outlives it */
};

void settings_defaults(struct settings *s);

/* Whether samples are graphs, which are pooled: the format says so. */
bool settings_pool(const struct settings *s);

/* Whether the type of model in s has such a setting. An mlp has no graph, ridge
 * neither graph, layers, epochs nor a part that stops them, and lambda is of ridge alone. noop has
 * all of them: the size of its grid is what it is there for. */
bool settings_has(const struct settings *s, enum param_id id);
/* Give those that it has not one value whatever was asked for: the default, and graph.build none,
 * which is what they are trained with. Equal models have equal keys so. Idempotent. */
void settings_trim(struct settings *s);

/* Replace every `auto` by what it means for this format and task. Idempotent. -1 and err where
 * the objective is not a metric of the task, naming those that are. */
int settings_resolve(struct settings *s, enum task task, struct err *err);

/* The canonical text of everything that can change a trial's numbers, "section.key=value" lines in
 * table order after the version and the data digest. swept[id] marks axes (for SWEPT settings).
 * Without replicate and fold it identifies a configuration, with both a trial (pass -1 to leave
 * out). */
void settings_canonical(struct buf *out, const struct settings *s, const bool swept[P_COUNT],
                        struct hash digest, int32_t replicate, int32_t fold);

/* hash of that text */
struct hash settings_key(const struct settings *s, const bool swept[P_COUNT], struct hash digest,
                         int32_t replicate, int32_t fold, struct buf *scratch);

/* All settings that are AXIS, IDENTITY or SWEPT, and that the type of model has, as one JSON
 * object:
 * {"hidden_size": 64, ...}, keys in table order, bare names (the table has no two alike). COUNT
 * full is the string "full". */
void settings_json(struct buf *out, const struct settings *s);

#endif
