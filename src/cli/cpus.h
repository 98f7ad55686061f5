/* Sets of processors, and whether they are enough. "Cores" in what people read: what the system
 * counts as processors, of which a core may have two. */
#ifndef CLI_CPUS_H
#define CLI_CPUS_H

#include <sched.h>
#include <stdint.h>

#include "base/buf.h"

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

#endif
