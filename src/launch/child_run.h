/* SPDX-License-Identifier: BSD-3-Clause */
/* `espalier run` as a child process, for commands that measure runs. */
#ifndef LAUNCH_CHILD_RUN_H
#define LAUNCH_CHILD_RUN_H

#include "base/err.h"

/* Run `espalier run ARGS...` and wait for its end. args: ends with NULL. The file `messages` gets its
 * output, in place of what it had. Once stop_heed() is in force, a request to stop ends the
 * child too, with all its ranks. status out: its exit status, or 128 + the signal that ended it. -1
 * and err: it was not started. */
int child_run(int *status, const char *const *args, const char *messages, struct err *err);

#endif
