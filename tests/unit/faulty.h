/* SPDX-License-Identifier: BSD-3-Clause */
/* A disk that fails when it is told to: an SQLite VFS over the usual one, and a statfs() that names
 * any filesystem. One for the process; writes get half done, syncs are not passed on. */
#ifndef FAULTY_H
#define FAULTY_H

#include <stdbool.h>

enum faulty_call {
    FAULTY_ANY, /* each of those below */
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
    enum faulty_call call; /* this one */
    int at;                /* the at-th of them, from 1; 0: never */
    bool for_good;         /* and all after it */
    bool is_full;          /* a write says that the disk is full */
    bool kills;            /* the process instead */
    int seen;              /* out */
    int failed;            /* out */
};

/* Use it from now on for what SQLite opens; each call begins anew. Pass a zeroed one to stop. */
void faulty_set(struct faulty *faulty);

/* The filesystem type that statfs() reports; 0: the true one. */
extern long faulty_magic;

#endif
