/* How much memory this process may use. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

/* Bytes: the machine's memory, or the least limit of the control groups that this process is in
 * (a batch system's, a container's), where that is less. */
double memory_limit_bytes(void);

/* The least limit of control groups in bytes; INFINITY where there is none.
 *   self  the process's groups, one "ID:CONTROLLERS:/PATH" a line (/proc/self/cgroup)
 *   root  where groups are folders (/sys/fs/cgroup): version 2 there, version 1 in memory/
 * A group that is not visible below root, as in a container, stands for those above it. */
double memory_cgroup_limit(const char *self, const char *root);

#endif
