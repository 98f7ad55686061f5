/* SPDX-License-Identifier: BSD-3-Clause */
/* The advisory lock of the one writer: the file PATH.lock, locked while the writer lives.
 *
 * The kernel drops this open-file-description lock (fcntl(2), F_OFD_SETLK) with its process, so a
 * killed run never leaves a database locked; the next run takes its file over. Its lines:
 *
 *   host pid start
 *   job                "slurm job 77", or "-"
 *   command line
 *   born realm         start and realm of struct process, to check whether the holder is alive
 *   note               lock_note(), for the next holder
 *
 * Other users may write to the folder, so the file is not trusted:
 *
 *   a symbolic link, a pipe, ...   is refused, never followed, never waited for
 *   a second name (hard link)      is refused
 *   unreadable, of another user    is reported
 *   its permissions                are those of the database */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct lock {
    char *path; /* NULL while not held */
    int fd;
    int64_t note_at;
    char left[80]; /* last note of a killed holder, or "" */
};

struct lock_holder {
    char host[65];
    int64_t pid;       /* 0: unknown */
    int64_t born;      /* start of struct process; 0: unknown */
    char realm[64];    /* of struct process; "": unknown */
    double since;      /* Unix seconds */
    char job[64];      /* "slurm job 77", or "" */
    char command[256]; /* truncated; "": unknown */
};

/* Take the lock. -1 and err: another process holds it, the file cannot be created, or the database
 * has a second name, under which neither the journal nor the lock would be found
 * (https://sqlite.org/howtocorrupt.html, 2.4). Symbolic links are followed. lock_release() removes
 * the file. */
int lock_take(struct lock *lock, const char *path, struct err *err);
void lock_release(struct lock *lock);

/* Replace the note, one line, for the next holder if this one is killed. Takes a microsecond and is
 * not flushed: it outlives the process but not the machine. Any thread; failures are ignored. */
void lock_note(const struct lock *lock, const char *text);

/* Fail like lock_take(), but take nothing. For use before expensive work. */
int lock_check(const char *path, struct err *err);

bool lock_is_held(const char *path, struct lock_holder *holder);

#endif
