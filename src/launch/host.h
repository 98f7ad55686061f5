/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that this process runs on: its processors, whether they are enough for all who want
 * them, and the other `espalier run` processes there. */
#ifndef LAUNCH_HOST_H
#define LAUNCH_HOST_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Both fill text[size] and return it; "unknown" where the system does not say. */
char *host_cpu(char *text, size_t size); /* model name of the processor */
char *host_name(char *text, size_t size);

/* Processors this process may run on. Messages call them "cores": what the system counts as
 * processors, of which a core may have two. */
int host_cores(void);

/* A set of processors as in /proc: "0-3,8"; "none" for the empty set, which stands for "not
 * known". */
void host_cpus_format(struct buf *out, const cpu_set_t *cpus);

/* Empties the set where the text is none of these. */
void host_cpus_parse(cpu_set_t *cpus, const char *text);

/* Who wants a processor for each of its threads, one of a set. */
struct host_demand {
    cpu_set_t cpus;
    int32_t threads;
};

/* How many of all threads go without, if as many as possible have a processor of their own: a
 * maximum matching, by augmenting paths (Kuhn 1955). Demands with an empty set do not count. */
int32_t host_cpus_short(const struct host_demand *demands, int32_t n);

enum { HOST_RUNS_MAX = 1024 };

/* Another `espalier run`, of anybody, as far as /proc shows it. */
struct host_run {
    int32_t pid;
    cpu_set_t cpus; /* that it may run on; empty where that is not shown */
};

/* All but this process, and but those that only wait for ranks they have started (run -n). Fills
 * out [HOST_RUNS_MAX] and returns how many there are in it. */
int32_t host_find_runs(struct host_run *out);

#endif
