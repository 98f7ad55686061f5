/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions that read 'running', and whether they do: what is found when a database is opened.
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

enum session_life {
    SESSION_LIFE_ENDED, /* it has said how */
    SESSION_LIFE_RUNNING,
    SESSION_LIFE_GONE,
    SESSION_LIFE_ELSEWHERE /* the file is a copy, or was merged: it ran in another one */
};

/* What a session did when the database was opened. To the queries (store/query.h) one that does not
 * run is 'lost', what it had open is lost, and its trials are pending. why: how that is known; ""
 * for ENDED and ELSEWHERE. Owned by the store. */
enum session_life session_check_life(const char **why, const struct store *store,
                                     int64_t session_id);

/* The rest is internal to src/store. */

struct session_check {
    int64_t session_id;
    enum session_life life; /* not ENDED */
    bool is_assumed;        /* GONE: only since it does not hold the lock */
    char who[256];          /* "pid 4711 on node1, slurm 77, since 2026-11-21 10:00:00 UTC" */
    char why[160];          /* how that is known; "" for ELSEWHERE */
    char command[256];      /* cut where it is longer */
};

/* Fill store->checks. version: of the schema, which may be an older one. */
int session_check_all(struct store *store, uint32_t version, struct err *err);

/* -1 and err where one lives: says who writes, and what to do. */
int session_check_refuse(const struct store *store, struct err *err);

/* For a reader: temporary views in place of session, attempt and trial, in which those that
 * are gone are 'lost', and what they had open is lost, its trials pending. */
int session_check_hide(struct store *store, uint32_t version, struct err *err);

/* The inode of the database file; 0 where it cannot be told. */
int64_t session_check_inode(const struct store *store);

#endif
