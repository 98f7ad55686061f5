/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of this process: its processors, and other `espalier run` processes. */
#ifndef LAUNCH_HOST_H
#define LAUNCH_HOST_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/process.h"

/* Both fill text[size] and return it; "unknown" if the system does not tell. */
char *host_cpu(char *text, size_t size); /* model name */
char *host_name(char *text, size_t size);

/* The processors that this process may run on. Messages call them "cores", although a core may have
 * two processors. */
int host_cores(void);

/* Append "0-3,8", as in /proc; "none" for the empty set, which means "unknown". */
void host_cpus_format(struct buf *out, const cpu_set_t *cpus);

enum { HOST_RUNS_MAX = 64 };

/* Another `espalier run`, of any user. */
struct host_run {
    int32_t pid;
    char user[USER_NAME]; /* name, or number if it has none */
    cpu_set_t cpus;       /* empty: unknown */
};

/* True if execvp(3) would find the program in PATH. */
bool host_has_program(const char *name);

/* Find other runs, except those that only wait for ranks that they started (run -n). Fills
 * out[HOST_RUNS_MAX] and returns their number; more are ignored. */
int32_t host_find_runs(struct host_run *out);

#endif
