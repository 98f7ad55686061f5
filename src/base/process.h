/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes, their users and memory limits. A pid is reused, sometimes within minutes; a struct process
 * identifies a process for good. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Memory of this process now and at its peak, as the kernel counts it: with libraries and with
 * memory shared with other processes. 0: unknown. */
struct process_memory {
    double resident_bytes;
    double peak_bytes;
};

struct process_memory process_memory(void);

/* From now on, large freed pieces go back to the system at once. Otherwise glibc keeps up to 64 MB
 * of them for each thread once some piece of 32 MB was freed. */
void process_return_memory(void);

/* Return free pages between small pieces in use, too. Takes milliseconds. */
void process_trim_memory(void);

/* The machine's memory, or less if a control group (batch system, container) limits it. */
double memory_limit_bytes(void);

/* The smallest limit of control groups in bytes; INFINITY if there is none.
 *   self  the process's groups, one "ID:CONTROLLERS:/PATH" a line (/proc/self/cgroup)
 *   root  folder of the groups (/sys/fs/cgroup): version 2 there, version 1 in memory/
 * If a group is not visible below root, as in a container, the visible groups above it count. */
double memory_cgroup_limit(const char *self, const char *root);

struct process {
    char host[65];
    /* Boot id and pid namespace, within which pids are comparable; "": unknown. */
    char realm[64];
    int64_t pid;
    /* Clock ticks from boot to start (proc(5), stat, starttime); 0: unknown. */
    int64_t start;
};

enum process_state {
    PROCESS_GONE,  /* no such process, a zombie, or another has the pid */
    PROCESS_ALIVE, /* running, stopped or hanging */
    /* Another host, container or boot, or hidden processes of another user. */
    PROCESS_ELSEWHERE
};

/* Set by `run -n` for the ranks that it starts: the command as the user typed it. */
#define PROCESS_COMMAND "ESPALIER_COMMAND"

/* Copy the command line of this process, cut to fit, as one line: PROCESS_COMMAND, else the words of
 * the process. */
void process_command(char *out, size_t size);

void process_self(struct process *self);

/* Describe a live process of this pid namespace. */
void process_find(struct process *process, int64_t pid);

/* 0: no such process. */
int64_t process_parent(int64_t pid);

/* At most 15 bytes; "": no such process. */
char *process_name(char *out, size_t size, int64_t pid);

/* Give this process another name in ps: `name` (at most 15 bytes) replaces the program and the
 * subcommand in its command line, whose last bytes are cut if there is no room. For a child that was
 * forked without a new program, which a pattern such as 'espalier run' should not match. */
void process_rename(const char *name);

enum { USER_NAME = 65 };

/* Copy a user's name, or the number if it has none. Returns out. */
char *user_name(char out[USER_NAME], uid_t user);

/* True if both have one host and realm. */
bool process_is_beside(const struct process *process, const struct process *other);

/* Like process_is_beside() with this process, which each call looks up. */
bool process_is_here(const struct process *process);

/* For a process of this realm; takes some microseconds. */
bool process_is_alive(const struct process *process);

enum process_state process_ask(const struct process *process);

#endif
