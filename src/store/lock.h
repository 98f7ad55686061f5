/* SPDX-License-Identifier: BSD-3-Clause */
/* The advisory lock of the one writer: the file PATH.lock, locked as long as the writer lives.
 *
 * The lock is an open-file-description lock (fcntl(2), F_OFD_SETLK): the kernel drops it with its
 * process, so that a killed run never leaves a database locked; a file that such a run leaves is
 * taken over, whatever host it names. It holds four lines for the message to the second writer:
 * "host pid start", the job ("slurm job 77", or "-"), the command line, and "born realm" (start and
 * realm of struct process), so that the holder can be asked after; then a line of the holder's for
 * whoever takes the lock over from it.
 *
 * The folder may be shared with other users, so the file is not trusted:
 *
 *   a symbolic link, a pipe, ...   is refused, never followed, never waited for
 *   a second name (hard link)      is refused
 *   left by another user           is replaced where the folder permits it and no run holds it
 *   under a shared (read) lock     likewise: no run takes such a lock
 *   its permissions                are those of the database, so that who may write to that can
 *                                  lock it */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct lock {
    char *path; /* owned; NULL while not held */
    int fd;
    int64_t note_at; /* in the file */
    char left[80];   /* the last note of a holder that was killed; "" where there is none */
};

struct lock_holder {
    char host[65];
    int64_t pid;       /* 0 where the file does not say */
    int64_t born;      /* likewise; start of struct process */
    char realm[64];    /* of struct process; "" where the file does not say */
    double since;      /* Unix seconds */
    char job[64];      /* "slurm job 77"; "" where there is none */
    char command[256]; /* cut where it is longer; "" where the file does not say */
};

/* -1 and err: held by another (says by whom, and what to do), the file cannot be made, or the
 * database has a second name: SQLite's journal goes by the name, so that what a crash leaves under
 * one could not be repaired under the other (https://sqlite.org/howtocorrupt.html, 2.4), and locks
 * by name would let two writers in. Symbolic links are followed. Pair with lock_release(), which
 * takes a zeroed lock and removes the file. */
int lock_take(struct lock *lock, const char *path, struct err *err);
void lock_release(struct lock *lock);

/* A line without its newline, in place of the one before, for the next holder if this one is
 * killed. Takes a microsecond, since nothing is flushed: it outlives the process, not the machine.
 * Any thread; that it cannot be written is no error. */
void lock_note(const struct lock *lock, const char *text);

/* Whether lock_take() would be refused for a holder or a second name, without taking anything: -1
 * and the same err. For what is dear to do before. */
int lock_check(const char *path, struct err *err);

/* Whether a writer is alive on the database at path; fills holder if so. */
bool lock_is_held(const char *path, struct lock_holder *holder);

#endif
