/* SPDX-License-Identifier: BSD-3-Clause */
/* Find configurations that an earlier revision of their model type computed (settings_revision()).
 * They have other keys and numbers than today's with the same settings, and must not be ranked
 * beside them. Used by store_differences() and merging. Internal to src/store. */
#ifndef STORE_SWEEP_IDENTITY_H
#define STORE_SWEEP_IDENTITY_H

#include "store/store.h"

/* The tables to read. */
enum sweep_identity_tables {
    SWEEP_IDENTITY_MAIN, /* of the database */
    SWEEP_IDENTITY_INPUT /* of an input that is being merged */
};

/* The revision of a sweep's configurations of one model type. All have the same one, since
 * sweep_identity_revision() admits no other; the first configuration shows it. */
enum sweep_revision { SWEEP_REVISION_NONE, SWEEP_REVISION_BEFORE, SWEEP_REVISION_NOW };

/* Find the revision for the sweep `name` and the model type in s, which may have any other
 * settings. -1 and err also for unknown settings in the database. */
int sweep_identity_revision(enum sweep_revision *found, struct store *store,
                            enum sweep_identity_tables tables, const char *name,
                            const struct settings *s, struct err *err);

#endif
