/* SPDX-License-Identifier: BSD-3-Clause */
/* Doubly linked lists of numbered items. An item is in at most one list; one array holds all links.
 * Pure; all but list_check() are O(1). */
#ifndef SCHED_LIST_H
#define SCHED_LIST_H

#include <stdint.h>

#include "base/err.h"

enum { LIST_END = -1 };

struct link {
    int64_t previous, next; /* LIST_END at the ends; undefined outside lists */
};

struct list {
    int64_t first, last; /* LIST_END: empty */
    int64_t n;
};

void list_init(struct list *list);
void list_prepend(struct list *list, struct link *links, int64_t item);
void list_append(struct list *list, struct link *links, int64_t item);
void list_remove(struct list *list, struct link *links, int64_t item);

int list_check(const struct list *list, const struct link *links, struct err *err);

#endif
