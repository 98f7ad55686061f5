/* SPDX-License-Identifier: BSD-3-Clause */
/* Start a program from a small process with one thread. */
#ifndef PROGRAM_EXEC_H
#define PROGRAM_EXEC_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct exec_program {
    char *const *words;     /* ends with NULL */
    char *const *variables; /* the environment, ends with NULL; its PATH finds the program */
    const char *folder;     /* working directory; "": unchanged */
    int output, error;      /* descriptors, over STDERR_FILENO */
};

struct exec_failure {
    int code; /* errno; 0: none */
    bool is_folder;
};

/* Start a program as leader of a new session, with default signals. It gets SIGKILL when this
 * process dies. It inherits standard input and descriptors without FD_CLOEXEC. No page tables are
 * copied: this process sleeps until the program is executed.
 *
 *   failure  out  why there is no program; in shared memory, since some tools copy the memory of a
 *                 process at vfork()
 *
 * Returns the pid, also after a failure, when the process has ended with a meaningless status. -1:
 * no process could be made. */
pid_t exec_start(const struct exec_program *program, struct exec_failure *failure);

/* Ignore the signals that launchers and terminals send to whole jobs. Programs do not inherit
 * this. */
void exec_ignore_signals(void);

/* Check before the start, as far as files tell, whether the program and the interpreter of a script
 * exist and can be executed. -1 and err, as from exec_explain(). */
int exec_check(const struct exec_program *program, struct err *err);

/* Explain a failure: "cannot start 'x.py': ...". Always -1. */
int exec_explain(const struct exec_program *program, const struct exec_failure *failure,
                 struct err *err);

#endif
