/* SPDX-License-Identifier: BSD-3-Clause */
#include "events.h"

#include <assert.h>
#include <stdlib.h>

void events_push(struct events *events, struct event event)
{
    int32_t at = events->n++;

    if (events->n > events->capacity) {
        events->capacity = 2 * events->n;
        events->heap = realloc(events->heap, (size_t)events->capacity * sizeof *events->heap);
        assert(events->heap);
    }
    for (; at && events->heap[(at - 1) / 2].at_s > event.at_s; at = (at - 1) / 2)
        events->heap[at] = events->heap[(at - 1) / 2];
    events->heap[at] = event;
}

struct event events_pop(struct events *events)
{
    struct event first = events->heap[0], last = events->heap[--events->n];
    int32_t at = 0;

    for (;;) {
        int32_t child = 2 * at + 1;

        if (child + 1 < events->n && events->heap[child + 1].at_s < events->heap[child].at_s)
            child++;
        if (child >= events->n || events->heap[child].at_s >= last.at_s)
            break;
        events->heap[at] = events->heap[child];
        at = child;
    }
    events->heap[at] = last;
    return first;
}

void events_release(struct events *events)
{
    free(events->heap);
}
