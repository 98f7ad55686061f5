/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions with outcome 'running', and whether they are alive, checked when a database is opened.
 *
 * A writer that checks has the lock, which decides if nothing else can. A reader looks at the lock
 * first: its holder is alive. In a copy, or in a file that others were merged into, 'running'
 * refers to another file. */
#ifndef STORE_SESSION_CHECK_H
#define STORE_SESSION_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct store;

enum session_life {
    SESSION_LIFE_ENDED, /* its outcome is recorded */
    SESSION_LIFE_RUNNING,
    SESSION_LIFE_GONE,
    SESSION_LIFE_ELSEWHERE /* the file is a copy or was merged; the session ran in another file */
};

/* Return a session's state when the database was opened. Queries (store/query.h) show one that does
 * not run as 'lost', its open attempts as lost and their trials as pending. why: the evidence; ""
 * for ENDED and ELSEWHERE; owned by the store. */
enum session_life session_check_life(const char **why, const struct store *store,
                                     int64_t session_id);

/* The rest is internal to src/store. */

struct session_check {
    int64_t session_id;
    enum session_life life; /* never ENDED */
    bool is_assumed;        /* GONE only because it does not hold the lock */
    char who[256];          /* "pid 4711 on node1, slurm 77, since 2026-11-21 10:00:00 UTC" */
    char why[160];          /* the evidence; "" for ELSEWHERE */
    char command[256];      /* truncated */
};

/* Fill store->checks. version: schema of the file, which may be older. */
int session_check_all(struct store *store, uint32_t version, struct err *err);

/* -1 and err if a session is alive; err names the writer and the remedy. */
int session_check_refuse(const struct store *store, struct err *err);

/* Create temporary views for a reader over session, attempt and trial: dead sessions and their open
 * attempts are 'lost', their trials pending. */
int session_check_hide(struct store *store, uint32_t version, struct err *err);

/* Return the inode of the database file; 0 if unknown. */
int64_t session_check_inode(const struct store *store);

#endif
