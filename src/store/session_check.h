/* Sessions that read 'running', and whether they do: what is found when a database is opened.
 * Internal to src/store.
 *
 * A writer that asks holds the lock; where nobody who knows can be asked, that decides. A reader
 * looks at the lock first: whoever holds it lives. What a copy of a file, or a file that others
 * were merged into, says of running happens in another file. */
#ifndef STORE_SESSION_CHECK_H
#define STORE_SESSION_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct store;

enum asked_life { ASKED_LIVES, ASKED_GONE, ASKED_ELSEWHERE };

struct asked {
    int64_t session_id;
    enum asked_life life;
    bool is_assumed;   /* GONE: only since it does not hold the lock */
    char who[256];     /* "pid 4711 on node1, slurm 77, since 2026-11-21 10:00:00 UTC" */
    char why[160];     /* how that is known; "" for ELSEWHERE */
    char command[256]; /* cut where it is longer */
};

/* Fill store->asked. version: of the schema, which may be an older one. */
int asked_sessions(struct store *store, uint32_t version, struct err *err);

/* -1 and err where one lives: says who writes, and what to do. */
int asked_refuse(const struct store *store, struct err *err);

/* NULL: the session has said how it ended. */
const struct asked *asked_find(const struct store *store, int64_t session_id);

/* For a reader: temporary views in place of session, attempt and trial, in which those that
 * are gone are 'lost', and what they had open is lost, its trials pending. */
int asked_disguise(struct store *store, uint32_t version, struct err *err);

/* Of the database file; 0 where it cannot be told. */
int64_t asked_inode(const struct store *store);

#endif
