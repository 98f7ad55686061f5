/* SPDX-License-Identifier: BSD-3-Clause */
/* The future events of a simulation: a binary heap ordered by time. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdint.h>

struct event {
    double at_s;
    int32_t worker;
    int32_t n;
    int64_t trial;
    int kind; /* defined by the simulation */
};

struct events {
    struct event *heap; /* [n] */
    int32_t n, capacity;
};

void events_push(struct events *events, struct event event);
struct event events_pop(struct events *events); /* the earliest; the heap must not be empty */
void events_release(struct events *events);

#endif
