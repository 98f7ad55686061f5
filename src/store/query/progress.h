/* SPDX-License-Identifier: BSD-3-Clause */
/* How a sweep is doing: counts, the last session, its ranks and rate, the time left. `status`,
 * `watch`, `run` and pages print these facts and these words. Lists of trials and of reasons are
 * queries: RUNNING, CHECKPOINTS, FAILURES, BROKEN and SESSIONS.
 *
 * A gang's trials and crashes count for its first rank, and its seconds for all of its ranks. Which
 * member of a gang died is unknown. */
#ifndef STORE_QUERY_PROGRESS_H
#define STORE_QUERY_PROGRESS_H

#include "base/duration.h"
#include "sched/makespan.h"
#include "store/query/query.h"
#include "store/query/search_progress.h"
#include "store/session_check.h"

struct progress_counts {
    int64_t trials, done, diverged, failed, running, pending; /* in this file */
    int64_t
        planned; /* of the whole grid, at least `trials`; the others belong to other shards. With a
                      * search: `trials` */
    int64_t held, stopped;
};

enum { PROGRESS_BINS = 60, PROGRESS_MOST_RANKS = 100000 };

enum progress_work {
    PROGRESS_IDLE,
    PROGRESS_RUNS, /* or ran one a moment ago: a commit does not record short ones as running */
    PROGRESS_LOST
};

struct progress_rank {
    enum progress_work work;
    int64_t attempt, trial; /* the newest; attempt 0: none */
    char host[65];
    int64_t n, diverged, failed; /* results */
    double busy_s;               /* in attempts that have ended */
    bool has_ended;              /* one of them */
};

/* The last session. Texts are borrowed from `row`. */
struct progress_session {
    struct result_table row; /* owned: of QUERY_SESSION */
    int64_t id;              /* 0: none, and the rest is zero */
    enum session_life life;
    bool is_running;
    const char *outcome, *command, *job; /* the present outcome; job: "slurm 77", or "" */
    char why[160];                       /* how it is known that it does not run, or "" */
    double seconds;   /* from its start to its end or last result, or until now if it is running */
    double elapsed_s; /* from its start to its end or last result; NaN: neither, or no time */
    int64_t results;
    double rate;                 /* results per elapsed second; NaN: unknown */
    int64_t bins[PROGRESS_BINS]; /* results in equal parts of `seconds` */
    struct progress_rank *ranks; /* [n_ranks] owned */
    int32_t n_ranks;
};

struct progress {
    struct query_sweep sweep;
    bool is_last; /* it ran last; else `session` is empty */
    struct progress_counts counts;
    struct search_progress search;
    struct progress_session session;
    double left_s; /* expected until all trials are finished; NaN: unknown */
};

/* Read the progress of a sweep; name NULL: the one that ran last. Pair with progress_release(),
 * whatever the result. -1 and err. */
int progress_read(struct progress *progress, struct store *store, const char *name,
                  struct err *err);
void progress_release(struct progress *progress);

/* QUERY_SWEEPS; without the columns held and stopped if no sweep has such trials. */
int progress_sweeps(struct result_table *out, struct store *store, struct err *err);

/* The same in parts, also search_progress_read(). progress_left() reads nothing unless the session is running and has results. */
int progress_count(struct progress_counts *counts, struct store *store,
                   const struct query_sweep *sweep, struct err *err);
int progress_read_session(struct progress_session *session, struct store *store, struct err *err);
void progress_release_session(struct progress_session *session);
int progress_left(double *left_s, struct store *store, int64_t sweep_id,
                  const struct progress_counts *counts, const struct progress_session *session,
                  const struct search_progress *search, struct err *err);

/* How well a session used its ranks. */
struct query_efficiency {
    int64_t session, ranks, trials;
    double elapsed_s;      /* from the first start to the last end of a trial */
    double total_s;        /* in trials, over all ranks: a gang has all its ranks until it ends */
    double longest_s;      /* of a trial */
    struct makespan bound; /* no schedule of these trials on as many equal ranks is faster */
    double busy;           /* total_s / (ranks elapsed_s), at most 1 */
    double above;          /* elapsed_s / bound - 1; NaN: all trials took no time */
};

/* Return the efficiency of a session (0: the last one), or with -1 of each, in order. None for a session
 * without results or whose trials all failed, nor as in QUERY_EFFICIENCY. The caller frees *out. */
int query_efficiency(struct query_efficiency **out, int64_t *n, struct store *store,
                     int64_t session_id, struct err *err);

/* ---- words ---- */

/* 100 only when nothing is left. */
int progress_percent(int64_t n, int64_t all);

enum { PROGRESS_RATE = 32, PROGRESS_LEFT = DURATION_TEXT + 16 };

/* "3.2/s", "12/min", "0.5/h"; "" for NaN. like_per_s: in the unit of that rate. */
char *progress_rate(char out[PROGRESS_RATE], double per_s, double like_per_s);

/* "about 9 min 40 s left"; "" if it is unknown, or the running trials take longer than expected. */
char *progress_left_words(char out[PROGRESS_LEFT], double left_s);

/* Append a sentence: "ranks were busy 97.1 % of the time; the trials took 1.9 % longer than the 11 s of
 * all trials spread evenly over 2 ranks". Nothing if the trials took no time. */
void progress_efficiency(struct buf *out, const struct query_efficiency *e);

#endif
