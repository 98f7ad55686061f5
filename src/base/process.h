/* SPDX-License-Identifier: BSD-3-Clause */
/* A process, told from all others for good: a pid is used again, sometimes within minutes. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much memory this process may use. */

/* Bytes: the machine's memory, or the least limit of the control groups that this process is in
 * (a batch system's, a container's), where that is less. */
double memory_limit_bytes(void);

/* The least limit of control groups in bytes; INFINITY where there is none.
 *   self  the process's groups, one "ID:CONTROLLERS:/PATH" a line (/proc/self/cgroup)
 *   root  where groups are folders (/sys/fs/cgroup): version 2 there, version 1 in memory/
 * A group that is not visible below root, as in a container, stands for those above it. */
double memory_cgroup_limit(const char *self, const char *root);

struct process {
    char host[65];
    char realm[64]; /* the boot of the machine and the pid namespace: within one realm pids mean the
                       same. "" where the system does not say: such a process is always elsewhere */
    int64_t pid;
    int64_t
        start; /* clock ticks from the boot to its start (proc(5), stat, starttime); 0: unknown */
};

enum process_state {
    PROCESS_GONE,     /* no such process, a zombie, or another that has the pid now */
    PROCESS_ALIVE,    /* also where it is stopped or hangs */
    PROCESS_ELSEWHERE /* of another host, container or boot, or of a user whose processes are
                         hidden: this one cannot know */
};

void process_self(struct process *self);

/* One of this host and pid namespace, that lives. */
void process_find(struct process *process, int64_t pid);

/* Of a pid of this namespace: its parent; 0 where there is no such process. */
int64_t process_parent(int64_t pid);

/* Its name as the kernel has it, at most 15 bytes; "" where there is no such process. */
char *process_name(char *out, size_t size, int64_t pid);

/* Whether the pids of both mean something to each other. */
bool process_is_beside(const struct process *process, const struct process *other);

/* Whether its pid means something here: reads who this process is; for many ask the one above. */
bool process_is_here(const struct process *process);

/* Of one that is here; some microseconds. */
bool process_is_alive(const struct process *process);

/* Both at once. */
enum process_state process_ask(const struct process *process);

#endif
