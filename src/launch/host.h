/* Other `espalier run` processes on this host, of anybody, as far as /proc shows them. */
#ifndef LAUNCH_HOST_H
#define LAUNCH_HOST_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The machine this process runs on, for records and for `doctor`. */

/* Both fill text[size] and return it; "unknown" where the system does not say. */
char *host_cpu(char *text, size_t size); /* model name of the processor */
char *host_name(char *text, size_t size);

/* Sets of processors, and whether they are enough. "Cores" in what people read: what the system
 * counts as processors, of which a core may have two. */

/* As in /proc: "0-3,8"; "none" for the empty set, which stands for "not known". */
void cpus_format(struct buf *out, const cpu_set_t *cpus);

/* Empties the set where the text is none of these. */
void cpus_parse(cpu_set_t *cpus, const char *text);

/* Who wants a processor for each of its threads, one of a set. */
struct cpu_demand {
    cpu_set_t cpus;
    int32_t threads;
};

/* How many of all threads go without, if as many as possible have a processor of their own: a
 * maximum matching, by augmenting paths (Kuhn 1955). Demands with an empty set do not count. */
int32_t cpus_short(const struct cpu_demand *demands, int32_t n);

enum { OTHERRUNS_MAX = 1024 };

struct otherrun {
    int32_t pid;
    cpu_set_t cpus; /* that it may run on; empty where that is not shown */
};

/* All but this process, and but those that only wait for ranks they have started (run -n). Fills
 * out [OTHERRUNS_MAX] and returns how many there are in it. */
int32_t otherruns_find(struct otherrun *out);

#endif
