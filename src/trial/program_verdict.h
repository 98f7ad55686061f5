/* SPDX-License-Identifier: BSD-3-Clause */
/* Judges the end of a program: a pure function of facts. */
#ifndef TRIAL_PROGRAM_VERDICT_H
#define TRIAL_PROGRAM_VERDICT_H

#include "program/spawner.h"

#define PROGRAM_EXIT_RESUME 75

enum verdict_kind {
    VERDICT_RESULT, /* the trial has the result that the program reported */
    VERDICT_FAILED,
    VERDICT_AGAIN,  /* start the program again: it exited with 75 ... */
    VERDICT_KILLED, /* ... or someone killed it */
    VERDICT_BACK,   /* the trial stays pending */
    VERDICT_APART,  /* likewise, since the whole gang must start again */
    VERDICT_FULL,   /* likewise, and this rank can run no others: the disk is full */
    VERDICT_WAIT    /* ask again soon: the caller may be about to want the trial back */
};

struct program_facts {
    struct spawner_end end;
    const char *words;   /* the last that it printed, or its error message; "": nothing */
    const char *useless; /* after exit status 0: why there is no result; "": there is one */
    bool is_lost;        /* the spawner is */
    bool is_shell;       /* ran the program */
    bool is_stopped;     /* the caller wanted the trial back while the program ran */
    bool is_late;        /* it ran longer than trial_timeout_s */
    bool is_continued;   /* earlier attempts count for that */
    double trial_timeout_s, stop_grace_s;
    bool is_disk_full; /* of its files */
    int32_t n_kills, crash_limit;
    bool has_checkpoint;
    bool has_progress;  /* since the last exit with 75 */
    int32_t n_idle;     /* exits with 75 without, before this one */
    int32_t n_restarts; /* exits with 75; of a gang, attempts */
    int32_t rank, size; /* in its gang; alone: 0 and 1 */
    int first_status;   /* exit status of rank 0, if it has ended with 0 or 75; else -1 */
    bool is_wanted;     /* the caller wants the trial back since the program has ended */
    double waited_s;    /* since then */
};

struct program_verdict {
    enum verdict_kind kind;
    struct err reason; /* of FAILED and APART */
    int32_t n_idle;    /* after this end */
};

struct program_verdict program_verdict(const struct program_facts *facts);

#endif
