/* SPDX-License-Identifier: BSD-3-Clause */
/* Doubly linked lists of numbered items. An item is in at most one list at a time; the links of all
 * items are in one array, so moving one allocates nothing. Pure; all functions except list_check()
 * are O(1). */
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

/* Check links and length; -1 and err. */
int list_check(const struct list *list, const struct link *links, struct err *err);

#endif
