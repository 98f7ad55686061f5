/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with a launch, and what mends it: for `doctor`, and for `run` before it reads any
 * data. A pure function of what the ranks have seen (rank_info.h). */
#ifndef LAUNCH_CHECKS_H
#define LAUNCH_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/rank_info.h"

/* What is to be run. */
struct checks_job {
    int32_t threads;    /* the most that one trial uses */
    bool is_part;       /* --shard: tasks that know nothing of each other are meant to be */
    bool starts_ranks;  /* run -n: the ranks that it starts look for themselves */
    double share_bytes; /* of the data, at least; 0: not known */

    const char *db;
    const char *filesystem; /* that it is on */
    bool is_network;        /* other nodes may see the same file */
    bool is_wal;            /* the file is there, and has a write-ahead log */
};

enum { FINDINGS_MAX = 16, FINDING_TEXT = 400 };

struct finding {
    bool is_refused; /* `run` does not begin */
    char what[FINDING_TEXT];
    char fix[FINDING_TEXT];
};

struct findings {
    struct finding list[FINDINGS_MAX]; /* [n] */
    int32_t n;
};

/* info: [n] in rank order. A finding that several hosts have is reported once, with the first of
 * them. -1 and err when memory is short. */
int checks_find(struct findings *findings, const struct rank_info *info, int32_t n,
                const struct checks_job *job, struct err *err);

/* One that was found elsewhere. What is too much is left out. */
void checks_add(struct findings *findings, const char *fix, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
