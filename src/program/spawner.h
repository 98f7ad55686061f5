/* SPDX-License-Identifier: BSD-3-Clause */
/* A small process of each rank that starts, watches and ends foreign programs.
 *
 * Forking inside an MPI process is unsafe on some networks, so the process is forked before MPI
 * begins. It is single-threaded, never touches what the rank computes with, and holds no descriptor
 * of the launch: mpirun and shells that wait for the end of a pipe do not wait for it. While it has
 * nothing to do, it sleeps in one blocking call.
 *
 *     rank ---- socket ---- spawner -- program -- whatever the program starts
 *        \_ keeper __________/
 *
 * A second process, the keeper, only waits for the spawner. If the spawner is killed, the keeper
 * kills everything below it, reports SPAWNER_LOST and starts a new spawner. If the keeper is killed, too,
 * nothing can start programs for this rank any more (is_lost).
 *
 * Example: a trial runs `python train.py`, which starts four loaders, one of them as a daemon. When the
 * trial's time is up, the rank asks, the spawner sends SIGTERM to the group, and after the grace SIGKILL
 * to all five. If the rank itself is killed, its end of the socket closes, and the same happens at once.
 *
 * Guarantees:
 *   - A program gets its own session and process group, default signal dispositions, an empty
 *     signal mask, /dev/null as standard input and no other descriptor than its outputs.
 *   - No process that a program started outlives its end, not even a daemon in a session of its
 *     own: orphans become children of the spawner. After the main process has ended by itself, the
 *     others have SPAWNER_LINGER_S to do the same. Then they get SIGKILL until there are none.
 *   - If the rank or the spawner dies, all processes of the program get SIGKILL. If spawner and
 *     keeper are killed at the same moment, only the main process is certain to die.
 *   - A process of another user (setuid) and one that hangs in the kernel (a lost network disk)
 *     cannot be killed. The end of the program is reported when they have ended.
 *
 * One program at a time. spawner_start() must be called in the main thread, before MPI and before
 * large memory is allocated. All other calls must come from one thread, which may be another. */
#ifndef PROGRAM_SPAWNER_H
#define PROGRAM_SPAWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define SPAWNER_LINGER_S 0.2

/* Seconds between two measurements of memory. A program can allocate more in between. */
#define SPAWNER_SAMPLE_S 0.25

/* A zeroed struct has not been started. */
struct spawner {
    pid_t keeper; /* 0: not started */
    int fd;       /* for poll(2): readable (POLLIN) when spawner_take() may have a report */
    bool is_running;
    bool is_lost;   /* keeper and spawner were killed: this rank can start no more programs */
    int64_t serial; /* of the latest program */
};

struct spawner_program {
    const char *const *words;     /* program and arguments, ends with NULL; found in PATH of ... */
    const char *const *variables; /* ... the complete environment, ends with NULL */
    const char *folder;           /* working directory; NULL: that of the launch */
    int output, error;    /* descriptors for standard output and standard error; may be equal */
    int64_t memory_bytes; /* limit for all processes of the program together; 0: none */
};

enum spawner_how {
    SPAWNER_EXITED,      /* status: exit status of the main process */
    SPAWNER_SIGNALLED,   /* status: the signal that ended the main process */
    SPAWNER_NOT_STARTED, /* status: errno; nothing else is set (spawner_lacks_resources()) */
    SPAWNER_OVER_MEMORY, /* killed for it; status as for SPAWNER_SIGNALLED */
    SPAWNER_LOST         /* the spawner was killed, and so were the program and all that it started;
                          * nothing else is set. The program is not at fault. */
};

struct spawner_end {
    enum spawner_how how;
    int status;
    double cpu_s;         /* user and system time of all processes of the program */
    int64_t peak_bytes;   /* largest resident set of one process; at least that of the spawner */
    int64_t memory_bytes; /* SPAWNER_OVER_MEMORY: what all processes together used */
    struct err why;       /* for the last three kinds; otherwise "" */
};

/* Fork keeper and spawner. Errors: no descriptors, processes or memory. */
int spawner_start(struct spawner *s, struct err *err);

/* Ask to start a program; spawner_take() reports its end, even if it cannot be started. No program
 * may run. Borrows everything until it returns; the caller then closes its copies of the write ends
 * of pipes. Errors: no descriptors, too many bytes, or the spawner cannot be restarted
 * (is_lost). */
int spawner_run(struct spawner *s, const struct spawner_program *program, struct err *err);

/* Send a signal, and then SIGCONT, to the process group of the program; nothing without a program.
 * For SIGKILL use spawner_kill(). */
void spawner_signal(struct spawner *s, int number);

/* SIGKILL for all processes of the program; nothing without a program. */
void spawner_kill(struct spawner *s);

/* For a spawner that does not report the end after spawner_kill(), perhaps because it was stopped:
 * kill it, so that the keeper reports SPAWNER_LOST; with the keeper, too, is_lost follows. */
void spawner_force(struct spawner *s, bool with_keeper);

/* Return true, once for each program, when it and all that it started have ended. Never blocks. A
 * pipe may still contain output then, but no process of the program can write to it. */
bool spawner_take(struct spawner_end *end, struct spawner *s);

/* True if a program could not be started because this rank has no processes, descriptors or memory
 * left, which is no fault of the program. */
bool spawner_lacks_resources(const struct spawner_end *end);

/* Kill what still runs, end spawner and keeper, and wait for them, at most 5 seconds; then kill
 * them. */
void spawner_stop(struct spawner *s);

#endif
