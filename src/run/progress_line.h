/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a run on stderr: a line that is redrawn on a terminal, plain lines elsewhere. */
#ifndef RUN_PROGRESS_LINE_H
#define RUN_PROGRESS_LINE_H

#include "sched/master.h"
#include "store/query/search_progress.h"

enum progress_mode { PROGRESS_NONE, PROGRESS_PLAIN, PROGRESS_LIVE };

/* "auto" (live if stderr is a terminal), "live", "plain", "none". */
enum progress_mode progress_mode(const char *name);

struct progress_line {
    enum progress_mode mode;
    struct query_sweep sweep;
    struct search_progress search; /* owned: when the best was looked for */
    double search_s;               /* of the run, when that was */
    int64_t full;                  /* trials of a configuration */
    bool is_shard;                 /* which need not have all trials of any configuration */
    int64_t best_id;               /* among configurations with all trials; 0: none */
    double best_mean;
    double best_s; /* when to look for the best again, and when to print again: since the start */
    double next_s;
    bool is_open;
};

/* Print the line if it is time for one. It never wraps. */
void progress_line_show(struct progress_line *p, struct store *store,
                        const struct master_progress *now);
void progress_line_finish(struct progress_line *p);
void progress_line_release(struct progress_line *p);

#endif
