#ifndef STORE_SWEEP_IDENTITY_H
#define STORE_SWEEP_IDENTITY_H

#include "store/store.h"

/* Configurations that an earlier revision of their type of model computed (settings_revision()).
 * They have other keys and other numbers than today's of the same settings, and must not be ranked
 * beside them. Internal to src/store. */

/* The tables that are read. */
enum revision_tables {
    REVISION_MAIN, /* of the database */
    REVISION_INPUT /* of an input that is being merged */
};

/* What a sweep has of one type of model. Its configurations are of one revision, since this is what
 * lets them in: the first one tells. */
enum revision_found { REVISION_NONE, REVISION_BEFORE, REVISION_NOW };

/* For the sweep `name` and the type of model in s, whose other settings do not matter. -1 and err:
 * the database cannot be read, or its settings are unknown. */
int revision_find(enum revision_found *found, struct store *store, enum revision_tables tables,
                  const char *name, const struct settings *s, struct err *err);

#endif
