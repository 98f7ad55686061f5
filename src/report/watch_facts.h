/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts of a sweep that `watch` shows (report/watch_frame.h). */
#ifndef REPORT_WATCH_FACTS_H
#define REPORT_WATCH_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

enum {
    WATCH_BINS = 60,
    WATCH_TOP = 5,
    WATCH_AXES = 12,
    WATCH_REASONS = 20,
    WATCH_MOST_RANKS = 100000
};

enum watch_work {
    WATCH_WAITS, /* has run no trial yet */
    WATCH_RUNS,
    WATCH_SHORT, /* runs trials that end before a commit records them as running */
    WATCH_IDLE,
    WATCH_LOST
};

struct watch_rank {
    enum watch_work work;
    int64_t trial, config; /* the last one */
    double seconds;        /* since the trial began */
    char host[65];
};

struct watch_config {
    int64_t config, trials;
    double mean, diff; /* of the objective; to the best */
    double low, high;  /* 95 % interval of diff; NaN: none */
};

struct watch_axis {
    char name[32];
    char values[WATCH_TOP][24]; /* of each configuration */
};

struct watch_reason {
    int64_t trials;
    char state[16]; /* "failed" or "diverged" */
    char reason[256];
};

struct watch_facts {
    char sweep[256], objective[64];
    int64_t trials, done, diverged, failed, running, pending;
    int64_t missing;       /* trials of the grid that belong to other shards */
    int64_t config_trials; /* of each configuration; 0: they differ, as in a shard */

    bool is_earlier; /* another sweep ran later; its session is not shown */
    /* The last session. */
    int64_t session; /* 0: none */
    bool is_running;
    bool is_elsewhere; /* the file is a copy or was merged */
    char outcome[32];  /* by session_check_outcome() */
    char why[160];     /* how it is known that it does not run, or "" */
    char job[64];      /* "slurm 77", or "" */
    char command[256];
    double seconds;           /* from its start to its end, or until now */
    int64_t ran;              /* results */
    double left_s;            /* expected until all trials are finished; NaN: unknown */
    double limit_s;           /* until the time limit; NaN: none. The caller sets it. */
    int64_t bins[WATCH_BINS]; /* results in equal parts of `seconds` */
    struct watch_rank *ranks; /* [n_ranks] owned */
    int32_t n_ranks;

    struct watch_config top[WATCH_TOP];
    int32_t n_top;
    struct watch_axis axes[WATCH_AXES]; /* in which they differ, or all of a single one */
    int32_t n_axes;
    int64_t top_done;         /* trials that were done when it was read */
    double top_s, top_cost_s; /* when by clock_system, and the processor time that it took */
    struct watch_reason reasons[WATCH_REASONS]; /* most frequent first */
    int32_t n_reasons;
};

/* Read the facts of a sweep at one moment; name NULL: the one that ran last. before: earlier facts, or NULL; the
 * best configurations are taken from there while reading them would use much of the time. Pair with
 * watch_facts_release(), whatever the result. -1 and err. */
int watch_facts_read(struct watch_facts *facts, struct store *store, const char *name,
                     const struct watch_facts *before, struct err *err);
void watch_facts_release(struct watch_facts *facts);

#endif
