/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of this process: its processors, whether they suffice, and other `espalier run`
 * processes. */
#ifndef LAUNCH_HOST_H
#define LAUNCH_HOST_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Both fill text[size] and return it; "unknown" if the system does not tell. */
char *host_cpu(char *text, size_t size); /* model name of the processor */
char *host_name(char *text, size_t size);

/* The number of processors that this process may run on. Messages call them "cores", although a core
 * may have two processors. */
int host_cores(void);

/* Append a set of processors as /proc writes it: "0-3,8"; "none" for the empty set, which means
 * "unknown". */
void host_cpus_format(struct buf *out, const cpu_set_t *cpus);

/* Parse such a text. Any other text gives the empty set. */
void host_cpus_parse(cpu_set_t *cpus, const char *text);

/* A process that wants one processor of a set for each of its threads. */
struct host_demand {
    cpu_set_t cpus;
    int32_t threads;
};

/* How many of all threads get no processor of their own at best: a maximum matching by augmenting
 * paths (Kuhn 1955). Demands with an empty set do not count. */
int32_t host_cpus_short(const struct host_demand *demands, int32_t n);

enum { HOST_RUNS_MAX = 1024 };

/* Another `espalier run`, of any user, as far as /proc shows it. */
struct host_run {
    int32_t pid;
    cpu_set_t cpus; /* where it may run; empty if unknown */
};

/* Find other runs that compute now, except those that only wait for ranks that they started (run -n).
 * Fills out [HOST_RUNS_MAX] and returns their number. */
int32_t host_find_runs(struct host_run *out);

#endif
