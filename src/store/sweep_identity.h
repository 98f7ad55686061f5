/* SPDX-License-Identifier: BSD-3-Clause */
/* Find configurations that an earlier revision of their model type computed (settings_revision()).
 * They have other keys and numbers, and must not be ranked beside today's. Internal to
 * src/store. */
#ifndef STORE_SWEEP_IDENTITY_H
#define STORE_SWEEP_IDENTITY_H

#include "store/store.h"

enum sweep_identity_tables {
    SWEEP_IDENTITY_MAIN,
    SWEEP_IDENTITY_INPUT /* of an input that is being merged */
};

/* All of a sweep's configurations of one model type have the same revision, so the first shows
 * it. */
enum sweep_revision { SWEEP_REVISION_NONE, SWEEP_REVISION_BEFORE, SWEEP_REVISION_NOW };

/* s: gives the model type; its other settings do not count. */
int sweep_identity_revision(enum sweep_revision *found, struct store *store,
                            enum sweep_identity_tables tables, const char *name,
                            const struct settings *s, struct err *err);

#endif
