/* Other `espalier run` processes on this host, of anybody, as far as /proc shows them. */
#ifndef CLI_OTHERRUNS_H
#define CLI_OTHERRUNS_H

#include <sched.h>
#include <stdint.h>

enum { OTHERRUNS_MAX = 1024 };

struct otherrun {
    int32_t pid;
    cpu_set_t cpus; /* that it may run on; empty where that is not shown */
};

/* All but this process, and but those that only wait for ranks they have started (run -n). Fills
 * out [OTHERRUNS_MAX] and returns how many there are in it. */
int32_t otherruns_find(struct otherrun *out);

#endif
