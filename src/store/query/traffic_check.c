/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "sched/traffic.h"
#include "store/db.h"
#include "store/query/query.h"

/* More than any run counts: 30 years, and a petabyte. Sums over the ranks stay exact enough. */
#define LONGEST_S 1e9
#define LARGEST 1000000000000000

static int refuse(struct store *store, const struct result_table *row, const char *column,
                  const char *found, const char *wanted, struct err *err)
{
    return err_set(err,
                   "%s: a row of the table 'traffic' (session %lld, rank %lld) has %s in the "
                   "column '%s': must be %s; the file is damaged, or another program changed it",
                   store->path, (long long)result_table_integer(row, 0, "session"),
                   (long long)result_table_integer(row, 0, "rank"), found, column, wanted);
}

static int check_count(struct store *store, const struct result_table *row, const char *column,
                       int64_t limit, const char *wanted, struct err *err)
{
    int64_t value = result_table_integer(row, 0, column);
    char found[32];

    if (value >= 0 && value <= limit)
        return 0;
    snprintf(found, sizeof found, "%lld", (long long)value);
    return refuse(store, row, column, found, wanted, err);
}

static int check_row(void *arg, const struct result_table *row, struct err *err)
{
    struct store *store = arg;
    const char *activity = result_table_text(row, 0, "activity");
    double seconds = result_table_real(row, 0, "seconds");
    int64_t ranks = result_table_integer(row, 0, "ranks");
    char found[32];

    if (result_table_find(row, 0, "ranks")->type == CELL_NULL)
        return refuse(store, row, "session_id", "no session", "a session of this file", err);
    if (check_count(store, row, "rank", ranks - 1, "a rank of the session", err))
        return -1;
    if (traffic_find_cell(activity, -1) < 0)
        return refuse(store, row, "activity", "an unknown name", "an activity", err);
    if (traffic_find_cell(activity, result_table_integer(row, 0, "size")) < 0) {
        snprintf(found, sizeof found, "%lld", (long long)result_table_integer(row, 0, "size"));
        return refuse(store, row, "size", found, "a size of this activity", err);
    }
    if (check_count(store, row, "calls", LARGEST, "from 0 to 1e15", err) ||
        check_count(store, row, "bytes", LARGEST, "from 0 to 1e15", err))
        return -1;
    if (seconds >= 0 && seconds <= LONGEST_S)
        return 0;
    snprintf(found, sizeof found, "%.6g", seconds);
    return refuse(store, row, "seconds", found, "from 0 to 1e9", err);
}

int query_check_traffic(struct store *store, int64_t session_id, struct err *err)
{
    return query_each(store, QUERY_TRAFFIC, session_id, check_row, store, err);
}
