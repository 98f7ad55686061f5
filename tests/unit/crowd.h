/* SPDX-License-Identifier: BSD-3-Clause */
/* A gang whose ranks are processes of a test, on one host or on several that are all this one. */
#ifndef TESTS_UNIT_CROWD_H
#define TESTS_UNIT_CROWD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "gang/gang.h"

enum { CROWD_MOST = 8 };

/* A rank leaves this behind, in memory shared with the test. */
struct crowd_report {
    enum gang_trouble trouble; /* GANG_FINE: none */
    char why[512];
    double ended_s;   /* clock_system */
    char wrong[200];  /* a check of act() that failed; "": none */
    int status;       /* of the process (wait()) */
    bool has_begun;   /* act() was called */
    int64_t progress; /* act() counts here */
};

struct crowd {
    int32_t size, n_hosts, n_workers;
    double meet_s, silent_s;
    /* Changes what a rank brings to the meeting. NULL: nothing. */
    void (*dress)(struct gang_place *place, struct gang_options *options);
    void (*act)(const struct crowd *crowd, struct gang_member *gang, struct crowd_report *report);
    /* In the test, beside the ranks. NULL: nothing. */
    void (*meddle)(const struct crowd *crowd, const pid_t *pids);
    size_t count;                 /* for act() */
    int32_t port;                 /* free; set by crowd_run() */
    struct crowd_report *reports; /* [CROWD_MOST] set by crowd_run(), valid until the next one */
};

/* Host of a rank; hosts are named "node0", "node1" ... */
int32_t crowd_host(const struct crowd *crowd, int32_t rank);
void crowd_place(struct gang_place *place, const struct crowd *crowd, int32_t rank);

/* Run all ranks to their ends. Fails the test if one of them leaves an open descriptor or memory of
 * the gang, or if the host still has a meeting point. */
void crowd_run(struct crowd *crowd);

/* For act(): note a difference; the first counts. */
void crowd_check(struct crowd_report *report, bool is_right, const char *what);

#endif
