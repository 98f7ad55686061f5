/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/dataset.h"
#include "program/folder.h"
#include "sched/traffic.h"
#include "store/db.h"
#include "store/query/query.h"
#include "trial/result.h"

/* More than any run counts: 30 years, and a petabyte. Sums over the ranks stay exact enough. */
#define LONGEST_S 1e9
#define LARGEST 1000000000000000
#define LONGEST_LOG (1 << 16)

static void describe(char *out, size_t size, const struct cell *cell)
{
    if (cell->type == CELL_INTEGER)
        snprintf(out, size, "%lld", (long long)cell->i);
    else if (cell->type == CELL_REAL)
        snprintf(out, size, "%.6g", cell->f);
    else if (cell->type == CELL_TEXT)
        snprintf(out, size, "'%.40s'", cell->s);
    else
        snprintf(out, size, "NULL");
}

/* place: of the row in its table. */
static int refuse(struct err *fault, const char *place, const struct result_table *row,
                  const char *column, const char *wanted)
{
    char found[64];

    describe(found, sizeof found, result_table_find(row, 0, column));
    return err_set(fault, "%s: %s = %s: must be %s", place, column, found, wanted);
}

static bool is_within(const struct result_table *row, const char *column, double low, double high)
{
    double value = result_table_real(row, 0, column); /* NaN for a text or NULL */

    return value >= low && value <= high;
}

static bool is_null(const struct result_table *row, const char *column)
{
    return result_table_find(row, 0, column)->type == CELL_NULL;
}

static int check_traffic(const struct result_table *row, struct err *fault)
{
    const char *activity = result_table_text(row, 0, "activity");
    double ranks = result_table_real(row, 0, "ranks");
    char place[80];

    snprintf(place, sizeof place, "session %lld, rank %lld",
             (long long)result_table_integer(row, 0, "session"),
             (long long)result_table_integer(row, 0, "rank"));
    if (is_null(row, "ranks"))
        return refuse(fault, place, row, "session", "a session of this file");
    if (!is_within(row, "rank", 0, ranks - 1))
        return refuse(fault, place, row, "rank", "a rank of the session");
    if (traffic_find_cell(activity, -1) < 0)
        return refuse(fault, place, row, "activity", "an activity");
    if (traffic_find_cell(activity, result_table_integer(row, 0, "size")) < 0)
        return refuse(fault, place, row, "size", "a size of this activity");
    if (!is_within(row, "calls", 0, LARGEST))
        return refuse(fault, place, row, "calls", "from 0 to 1e15");
    if (!is_within(row, "bytes", 0, LARGEST))
        return refuse(fault, place, row, "bytes", "from 0 to 1e15");
    if (!is_within(row, "seconds", 0, LONGEST_S))
        return refuse(fault, place, row, "seconds", "from 0 to 1e9");
    return 0;
}

static int check_outcome(struct err *fault, const char *place, const struct result_table *row,
                         const char *column)
{
    bool is_class = !strcmp(result_table_text(row, 0, "task"), task_name(TASK_CLASSIFICATION));

    if (is_class && result_table_find(row, 0, column)->type != CELL_TEXT)
        return refuse(fault, place, row, column, "the name of a class");
    if (!is_class && !isfinite(result_table_real(row, 0, column)))
        return refuse(fault, place, row, column, "a number");
    return 0;
}

static int check_prediction(const struct result_table *row, struct err *fault)
{
    char place[80];

    snprintf(place, sizeof place, "t%lld, sample %lld",
             (long long)result_table_integer(row, 0, "trial"),
             (long long)result_table_integer(row, 0, "sample"));
    if (strcmp(result_table_text(row, 0, "state"), "done") != 0)
        return refuse(fault, place, row, "state", "done, as of each trial with predictions");
    if (!is_within(row, "sample", 0, result_table_real(row, 0, "samples") - 1))
        return refuse(fault, place, row, "sample", "a sample of the sweep");
    if (check_outcome(fault, place, row, "observed") ||
        check_outcome(fault, place, row, "predicted"))
        return -1;
    if (!is_null(row, "probabilities") && !result_table_integer(row, 0, "are_probabilities"))
        return refuse(fault, place, row, "probabilities",
                      "a JSON object of numbers from 0 to 1 with the sum 1");
    if (!is_null(row, "scores") && !result_table_integer(row, 0, "are_scores"))
        return refuse(fault, place, row, "scores", "a JSON object of numbers");
    return 0;
}

/* next: the number of facts before it in its topic. */
static int check_fact(const struct result_table *row, struct err *fault)
{
    const struct cell *value = result_table_find(row, 0, "value");
    char place[96];

    snprintf(place, sizeof place, "sweep %lld, topic %.40s, fact %lld",
             (long long)result_table_integer(row, 0, "sweep"), result_table_text(row, 0, "topic"),
             (long long)result_table_integer(row, 0, "ordinal"));
    if (is_null(row, "is_known"))
        return refuse(fault, place, row, "sweep", "a sweep of this file");
    if (result_table_integer(row, 0, "ordinal") != result_table_integer(row, 0, "next"))
        return refuse(fault, place, row, "ordinal", "the number after that of the fact before it");
    if (value->type == CELL_REAL && !isfinite(value->f))
        return refuse(fault, place, row, "value", "finite");
    if (result_table_integer(row, 0, "is_count") && !(value->type == CELL_INTEGER && value->i >= 0))
        return refuse(fault, place, row, "value", "a number of samples, nodes or markers");
    return 0;
}

static void put_trial(char *place, size_t size, const struct result_table *row)
{
    snprintf(place, size, "t%lld", (long long)result_table_integer(row, 0, "trial"));
}

static int check_log(const struct result_table *row, struct err *fault)
{
    char place[80];

    put_trial(place, sizeof place, row);
    if (is_null(row, "state"))
        return refuse(fault, place, row, "trial", "a trial of this file");
    if (!is_within(row, "kept", 0, LONGEST_LOG))
        return refuse(fault, place, row, "kept", "from 0 to 65536 bytes");
    if (!is_within(row, "bytes", result_table_real(row, 0, "kept"), INT64_MAX))
        return refuse(fault, place, row, "bytes", "at least the bytes that are kept");
    return 0;
}

static int check_file(const struct result_table *row, struct err *fault)
{
    char place[80];

    put_trial(place, sizeof place, row);
    if (strcmp(result_table_text(row, 0, "state"), "done") != 0)
        return refuse(fault, place, row, "state", "done, as of each trial with kept files");
    if (!folder_contains(result_table_text(row, 0, "name")))
        return refuse(fault, place, row, "name", "the name of a file in the folder of the trial");
    if (!is_within(row, "bytes", 0, INT64_MAX))
        return refuse(fault, place, row, "bytes", "at least 0");
    return 0;
}

static int check_point(const struct result_table *row, struct err *fault)
{
    size_t length = strlen(result_table_text(row, 0, "name"));
    char place[80];

    snprintf(place, sizeof place, "t%lld, epoch %lld",
             (long long)result_table_integer(row, 0, "trial"),
             (long long)result_table_integer(row, 0, "epoch"));
    if (is_null(row, "state"))
        return refuse(fault, place, row, "trial", "a trial of this file");
    if (is_null(row, "has_epoch"))
        return refuse(fault, place, row, "epoch", "an epoch of the curve");
    if (!length || length >= PROGRAM_NAME)
        return refuse(fault, place, row, "name", "of 1 to 63 bytes");
    return 0;
}

static int check_member(const struct result_table *row, struct err *fault)
{
    char place[80];

    snprintf(place, sizeof place, "attempt %lld, rank %lld",
             (long long)result_table_integer(row, 0, "attempt"),
             (long long)result_table_integer(row, 0, "rank"));
    if (is_null(row, "leader"))
        return refuse(fault, place, row, "attempt", "an attempt of this file");
    if (!is_within(row, "rank", 0, result_table_real(row, 0, "ranks") - 1))
        return refuse(fault, place, row, "rank", "a rank of the session");
    if (!result_table_integer(row, 0, "is_led"))
        return refuse(fault, place, row, "leader", "a member of the attempt, too");
    return 0;
}

static const struct checked {
    const char *table;
    enum query rows;
    int (*check)(const struct result_table *row, struct err *fault);
} checked_tables[QUERY_CHECKED_TABLES] = {
    {"prediction", QUERY_PREDICTION_ROWS, check_prediction},
    {"traffic", QUERY_TRAFFIC_ROWS, check_traffic},
    {"data_fact", QUERY_FACT_ROWS, check_fact},
    {"log", QUERY_LOG_ROWS, check_log},
    {"file", QUERY_FILE_ROWS, check_file},
    {"curve_metric", QUERY_POINT_ROWS, check_point},
    {"member", QUERY_MEMBER_ROWS, check_member},
};

struct check_pass {
    const struct checked *of;
    struct query_table_check *to;
};

static int count_row(void *arg, const struct result_table *row, struct err *err)
{
    struct check_pass *pass = arg;
    struct err fault;

    (void)err;
    pass->to->n_rows++;
    if (pass->of->check(row, &fault) && !pass->to->n_damaged++)
        pass->to->first = fault;
    return 0;
}

int query_check_tables(struct query_table_check out[QUERY_CHECKED_TABLES], struct store *store,
                       struct err *err)
{
    for (int i = 0; i < QUERY_CHECKED_TABLES; i++) {
        struct check_pass pass = {&checked_tables[i], &out[i]};

        out[i] = (struct query_table_check){.table = checked_tables[i].table};
        if (query_each(store, checked_tables[i].rows, 0, count_row, &pass, err))
            return -1;
    }
    return 0;
}

static int check_counters(void *arg, const struct result_table *row, struct err *err)
{
    struct store *store = arg;
    struct err fault;

    if (!check_traffic(row, &fault))
        return 0;
    return err_set(err,
                   "%s: table 'traffic', %s; the file is damaged, or another program changed it",
                   store->path, fault.text);
}

int query_check_traffic(struct store *store, int64_t session_id, struct err *err)
{
    return query_each(store, QUERY_TRAFFIC_ROWS, session_id, check_counters, store, err);
}
