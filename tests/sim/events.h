/* SPDX-License-Identifier: BSD-3-Clause */
/* What will happen in a simulation: a binary heap by time. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdint.h>

struct event {
    double at_s;
    int32_t worker;
    int32_t n;     /* trials */
    int64_t trial; /* that it is about */
    int kind;      /* the simulation's own */
};

struct events {
    struct event *heap; /* [n] */
    int32_t n, capacity;
};

void events_push(struct events *events, struct event event);
struct event events_pop(struct events *events); /* the earliest; there must be one */
void events_release(struct events *events);

#endif
