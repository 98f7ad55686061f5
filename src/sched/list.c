/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/list.h"

void list_init(struct list *list)
{
    *list = (struct list){.first = LIST_END, .last = LIST_END};
}

static void insert(struct list *list, struct link *links, int64_t item, struct link between)
{
    links[item] = between;
    *(between.previous == LIST_END ? &list->first : &links[between.previous].next) = item;
    *(between.next == LIST_END ? &list->last : &links[between.next].previous) = item;
    list->n++;
}

void list_prepend(struct list *list, struct link *links, int64_t item)
{
    insert(list, links, item, (struct link){.previous = LIST_END, .next = list->first});
}

void list_append(struct list *list, struct link *links, int64_t item)
{
    insert(list, links, item, (struct link){.previous = list->last, .next = LIST_END});
}

void list_remove(struct list *list, struct link *links, int64_t item)
{
    struct link old = links[item];

    *(old.previous == LIST_END ? &list->first : &links[old.previous].next) = old.next;
    *(old.next == LIST_END ? &list->last : &links[old.next].previous) = old.previous;
    list->n--;
}

int list_check(const struct list *list, const struct link *links, struct err *err)
{
    int64_t previous = LIST_END, n = 0;

    for (int64_t at = list->first; at != LIST_END; at = links[at].next) {
        if (links[at].previous != previous || n++ == list->n)
            return err_set(err, "list is broken at %ld", (long)at);
        previous = at;
    }
    if (n != list->n || list->last != previous)
        return err_set(err, "list of %ld has %ld", (long)list->n, (long)n);
    return 0;
}
