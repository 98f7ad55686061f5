/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions with outcome 'running', checked when a database is opened. If nothing else can tell, the
 * lock decides. In a copy, or after a merge, 'running' refers to another file. */
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
    SESSION_LIFE_ELSEWHERE /* the file is a copy or was merged */
};

/* Return a session's state when the database was opened. Queries show its outcome by
 * session_check_outcome(), the open attempts of a dead one as 'lost', and their trials as pending.
 * why: the evidence, or ""; owned by the store. */
enum session_life session_check_life(const char **why, const struct store *store,
                                     int64_t session_id);

/* Return "lost", "cut off", or the recorded outcome, by the present state of its session. */
const char *session_check_outcome(enum session_life life, const char *recorded);

/* Internal to src/store: */

struct session_check {
    int64_t session_id;
    enum session_life life; /* never ENDED */
    bool is_assumed;        /* GONE only because it does not hold the lock */
    char who[256];          /* "pid 4711 on node1, slurm 77, since 2026-11-21 10:00:00 UTC" */
    char why[160];          /* as of session_check_life() */
    char command[256];      /* truncated */
};

/* Fill store->checks. */
int session_check_all(struct store *store, struct err *err);

/* -1 and err if a session is alive. */
int session_check_refuse(const struct store *store, struct err *err);

/* Create the temporary views by which a reader's queries show this. */
int session_check_hide(struct store *store, struct err *err);

/* The inode of the database file; 0: unknown. */
int64_t session_check_inode(const struct store *store);

#endif
