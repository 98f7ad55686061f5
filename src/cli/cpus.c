#include "cli/cpus.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cpus_format(struct buf *out, const cpu_set_t *cpus)
{
    bool is_first = true;

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        int first = cpu;

        if (!CPU_ISSET(cpu, cpus))
            continue;
        while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, cpus))
            cpu++;
        buf_printf(out, is_first ? "%d" : ",%d", first);
        if (cpu > first)
            buf_printf(out, "-%d", cpu);
        is_first = false;
    }
    if (is_first)
        buf_puts(out, "none");
}

void cpus_parse(cpu_set_t *cpus, const char *text)
{
    const char *at = text;

    CPU_ZERO(cpus);
    for (;;) {
        char *end;
        long first = strtol(at, &end, 10), last = first;

        if (end == at || first < 0)
            break;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
            CPU_SET((int)cpu, cpus);
        if (*end != ',')
            return;
        at = end + 1;
    }
    CPU_ZERO(cpus);
}

struct matching {
    const struct cpu_demand *demands;
    int32_t owner[CPU_SETSIZE]; /* a demand; -1: nobody's */
    cpu_set_t tried;            /* on this augmenting path */
};

static bool find_cpu(struct matching *m, int32_t demand)
{
    const cpu_set_t *cpus = &m->demands[demand].cpus;

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, cpus) || CPU_ISSET(cpu, &m->tried))
            continue;
        CPU_SET(cpu, &m->tried);
        if (m->owner[cpu] < 0 || find_cpu(m, m->owner[cpu])) {
            m->owner[cpu] = demand;
            return true;
        }
    }
    return false;
}

/* A thread that finds none never will, and neither will others of the same set: what makes the
 * search short where hundreds of ranks share a machine. */
int32_t cpus_short(const struct cpu_demand *demands, int32_t n)
{
    struct matching m = {.demands = demands};
    const cpu_set_t *full = NULL;
    int32_t missing = 0;

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        m.owner[cpu] = -1;
    for (int32_t i = 0; i < n; i++) {
        int32_t left = CPU_COUNT(&demands[i].cpus) ? demands[i].threads : 0;

        while (left > 0 && !(full && CPU_EQUAL(full, &demands[i].cpus))) {
            CPU_ZERO(&m.tried);
            if (find_cpu(&m, i))
                left--;
            else
                full = &demands[i].cpus;
        }
        missing += left;
    }
    return missing;
}
