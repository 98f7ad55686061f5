/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes in a launch and their remedies, for `doctor` and `run`. Pure functions of what the ranks
 * have seen (rank_info.h). Rank 0 gathers that before it parses anything: only then does every rank take
 * part, so that no early exit leaves others waiting. */
#ifndef LAUNCH_CHECKS_H
#define LAUNCH_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/rank_info.h"

struct checks_job {
    int32_t threads;    /* most that one trial uses */
    bool is_part;       /* --shard: independent tasks are intended */
    bool starts_ranks;  /* run -n: its ranks make their own checks */
    double share_bytes; /* of the data, a lower bound; 0: unknown */

    const char *db;
    const char *filesystem; /* of the database */
    bool is_network;        /* other nodes may access the same file */
};

enum { FINDINGS_MAX = 16, FINDING_TEXT = 400 };

struct finding {
    bool is_refused;
    char what[FINDING_TEXT];
    char fix[FINDING_TEXT];
};

struct findings {
    struct finding list[FINDINGS_MAX];
    int32_t n;
};

/* info: [n] in rank order. A finding of several hosts is reported once. */
int checks_find(struct findings *findings, const struct rank_info *info, int32_t n,
                const struct checks_job *job, struct err *err);

/* List the ranks of the machine whose first rank is `first`, in rank order. Returns their number; 0:
 * an earlier rank is on that machine. */
int32_t checks_list_machine(int32_t *ranks, const struct rank_info *info, int32_t n, int32_t first);

/* Add a finding from elsewhere; is_refused: it stops `run`. Drops it if the list is full. */
void checks_add(struct findings *findings, bool is_refused, const char *fix, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

#endif
