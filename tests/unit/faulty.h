/* SPDX-License-Identifier: BSD-3-Clause */
/* A disk that fails on request: an SQLite VFS over the default one, and a statfs() that reports any
 * filesystem. A failing write is half done; syncs are not passed on. */
#ifndef FAULTY_H
#define FAULTY_H

#include <stdbool.h>

enum faulty_call {
    FAULTY_ANY, /* each call below */
    FAULTY_OPEN,
    FAULTY_WRITE,
    FAULTY_SYNC,
    FAULTY_TRUNCATE,
    FAULTY_DELETE,
    FAULTY_LOCK,
    FAULTY_SHM_MAP,
    FAULTY_SHM_LOCK,
    FAULTY_CALLS
};

struct faulty {
    enum faulty_call call; /* the kind that fails */
    int at;                /* from 1; 0: never */
    bool for_good;         /* so do all later calls */
    bool is_full;          /* a failing write reports a full disk */
    bool kills;            /* kill the process instead */
    int seen;              /* out */
    int failed;            /* out */
};

/* Use `faulty` for all files that SQLite opens, and count from 1 again. Pass a zeroed one to
 * stop. */
void faulty_set(struct faulty *faulty);

/* The type that statfs() reports; 0: the real one. */
extern long faulty_magic;

#endif
