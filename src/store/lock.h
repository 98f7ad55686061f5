/* SPDX-License-Identifier: BSD-3-Clause */
/* The advisory lock of the one writer: the file PATH.lock, locked while the writer lives.
 *
 * The lock is an open-file-description lock (fcntl(2), F_OFD_SETLK). The kernel drops it with its
 * process, so a killed run never leaves a database locked; the next run takes its file over,
 * whatever host the file names. Its lines:
 *
 *   host pid start     for the message to a second writer, like the next two
 *   job                "slurm job 77", or "-"
 *   command line
 *   born realm         start and realm of struct process, to check whether the holder is alive
 *   note               lock_note(), for the next holder
 *
 * Other users may write to the folder, so the file is not trusted:
 *
 *   a symbolic link, a pipe, ...   is refused, never followed, never waited for
 *   a second name (hard link)      is refused
 *   left by another user           is replaced if the folder permits it and no run holds it
 *   under a shared (read) lock     likewise: no run takes such a lock
 *   its permissions                are those of the database, so that anyone who may write to the
 *                                  database can lock it */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct lock {
    char *path; /* owned; NULL while not held */
    int fd;
    int64_t note_at; /* offset in the file */
    char left[80];   /* last note of a holder that was killed; "" if none */
};

struct lock_holder {
    char host[65];
    int64_t pid;       /* 0: not in the file */
    int64_t born;      /* likewise; start of struct process */
    char realm[64];    /* realm of struct process; "" if not in the file */
    double since;      /* Unix seconds */
    char job[64];      /* "slurm job 77"; "" if none */
    char command[256]; /* truncated; "" if not in the file */
};

/* Take the lock. -1 and err: another process holds it (err names it and the remedy), the file
 * cannot be created, or the database has a second name. SQLite's journal and this lock go by the
 * name: a crash under one name could not be repaired under the other
 * (https://sqlite.org/howtocorrupt.html, 2.4), and two writers could get in. Follows symbolic
 * links. Pair with lock_release(), which removes the file and takes a zeroed lock. */
int lock_take(struct lock *lock, const char *path, struct err *err);
void lock_release(struct lock *lock);

/* Replace the note, one line without newline, that the next holder reads if this one is killed.
 * Takes a microsecond: nothing is flushed, so it outlives the process but not the machine. Any
 * thread; failures are ignored. */
void lock_note(const struct lock *lock, const char *text);

/* Fail like lock_take() if there is a holder or a second name, but take nothing. For use before
 * expensive work. */
int lock_check(const char *path, struct err *err);

/* True if a live writer holds the database at path; fills holder. */
bool lock_is_held(const char *path, struct lock_holder *holder);

#endif
