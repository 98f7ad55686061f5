/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether trials belong to one sweep (store_differences()). Here: configurations that an earlier
 * revision of their type of model computed (settings_revision()). They have other keys and other
 * numbers than today's of the same settings, and must not be ranked beside them. Internal to
 * src/store. */
#ifndef STORE_SWEEP_IDENTITY_H
#define STORE_SWEEP_IDENTITY_H

#include "store/store.h"

/* The tables that are read. */
enum sweep_identity_tables {
    SWEEP_IDENTITY_MAIN, /* of the database */
    SWEEP_IDENTITY_INPUT /* of an input that is being merged */
};

/* What a sweep has of one type of model. Its configurations are of one revision, since this is what
 * lets them in: the first one tells. */
enum sweep_revision { SWEEP_REVISION_NONE, SWEEP_REVISION_BEFORE, SWEEP_REVISION_NOW };

/* For the sweep `name` and the type of model in s, whose other settings do not matter. -1 and err:
 * the database cannot be read, or its settings are unknown. */
int sweep_identity_revision(enum sweep_revision *found, struct store *store,
                            enum sweep_identity_tables tables, const char *name,
                            const struct settings *s, struct err *err);

#endif
