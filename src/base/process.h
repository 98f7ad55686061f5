/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes and their memory limits. A struct process identifies a process for good; a pid alone is
 * reused, sometimes within minutes. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that this process may use: the machine's memory, or less if a control group limits it (set
 * by a batch system or container). */
double memory_limit_bytes(void);

/* The smallest limit of control groups in bytes; INFINITY if there is none.
 *   self  the process's groups, one "ID:CONTROLLERS:/PATH" a line (/proc/self/cgroup)
 *   root  folder of the groups (/sys/fs/cgroup): version 2 there, version 1 in memory/
 * For a group that is not visible below root, as in a container, the visible groups above it
 * count. */
double memory_cgroup_limit(const char *self, const char *root);

struct process {
    char host[65];
    /* Boot id and pid namespace, within which pids are comparable. "": unknown, always
     * elsewhere. */
    char realm[64];
    int64_t pid;
    /* Clock ticks from boot to the process's start (proc(5), stat, starttime); 0: unknown. */
    int64_t start;
};

enum process_state {
    PROCESS_GONE,  /* no such process, a zombie, or the pid belongs to another process */
    PROCESS_ALIVE, /* running, stopped or hanging */
    /* Unknown: another host, container or boot, or hidden processes of another user. */
    PROCESS_ELSEWHERE
};

/* Set by `run -n` for the ranks that it starts: the command as the user typed it. */
#define PROCESS_COMMAND "ESPALIER_COMMAND"

/* Copy the command line of this process, cut to fit, as one line: PROCESS_COMMAND, else the words of
 * the process. */
void process_command(char *out, size_t size);

void process_self(struct process *self);

/* Describe a live process of this host and pid namespace. */
void process_find(struct process *process, int64_t pid);

/* Parent of a pid of this namespace; 0: no such process. */
int64_t process_parent(int64_t pid);

/* The kernel's name of a process, at most 15 bytes; "": no such process. */
char *process_name(char *out, size_t size, int64_t pid);

/* True if both have one host and realm, so that their pids are comparable. */
bool process_is_beside(const struct process *process, const struct process *other);

/* True if the process is of this host and realm. Each call looks up this process; for many, use
 * process_is_beside(). */
bool process_is_here(const struct process *process);

/* True if a process of this realm is alive; takes some microseconds. */
bool process_is_alive(const struct process *process);

/* Combine process_is_here() and process_is_alive(). */
enum process_state process_ask(const struct process *process);

#endif
