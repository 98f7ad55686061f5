/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes below a process, from /proc. A list is a snapshot: processes start and end while it
 * is made. Lack of memory leaves some out. Hidden processes of other users are not found. */
#ifndef PROGRAM_DESCENDANTS_H
#define PROGRAM_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A zeroed struct is an empty list. */
struct descendants {
    pid_t *of; /* [n] owned */
    size_t n, capacity;
    /* Compare the parents of all processes, for kernels that do not list the children of a thread
     * (CONFIG_PROC_CHILDREN). */
    bool by_parent;
};

void descendants_release(struct descendants *d);

/* True if this kernel lists the children of a thread. */
bool descendants_have_lists(void);

/* Replace the list by the children of a process, including zombies. */
void descendants_children(struct descendants *d, pid_t root);

/* Replace the list by all processes below a process, parents before their children. */
void descendants_all(struct descendants *d, pid_t root);

/* Memory of the listed processes. The sum of their resident sets counts shared pages more than
 * once. If it is over limit_bytes, each process counts its share of them instead (PSS), as far as
 * it can be read. */
int64_t descendants_bytes(const struct descendants *d, int64_t limit_bytes);

#endif
