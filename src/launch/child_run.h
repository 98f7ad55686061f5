/* SPDX-License-Identifier: BSD-3-Clause */
/* Another program as a child process. */
#ifndef LAUNCH_CHILD_RUN_H
#define LAUNCH_CHILD_RUN_H

#include "base/err.h"

/* This program, for the first word. */
#define CHILD_SELF "/proc/self/exe"

/* Run a command and wait for its end. words: the program, which is looked up in PATH, its arguments, and
 * NULL. The file `output` gets its standard output, in place of what it had, and `messages` its standard
 * error; both may be the same. Once stop_heed() is in force, a request to stop ends the child too, with all
 * its processes. status out: its exit status, 127 if there is no such program, or 128 + the signal that
 * ended it. -1 and err: it was not started. */
int child_run(int *status, const char *const *words, const char *output, const char *messages,
              struct err *err);

#endif
