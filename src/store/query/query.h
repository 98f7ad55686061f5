/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of the database that return tables, for readers and writers. */
#ifndef STORE_QUERY_QUERY_H
#define STORE_QUERY_QUERY_H

#include <stdint.h>

#include "base/buf.h"
#include "store/query/queries.h"
#include "store/result_table.h"
#include "store/store.h"

struct query_sweep {
    int64_t sweep_id;
    char name[256];
    char objective[64];
    bool is_program;  /* its task is 'none' */
    bool maximize;    /* the objective */
    int64_t n_sweeps; /* in the file */
    int64_t planned;  /* trials of the whole grid; 0: unknown */
    bool has_search;  /* it has decisions of a search */
};

/* Find a sweep by name; NULL: the one that ran last. -1 and err, which lists the names. */
int query_sweep(struct query_sweep *sweep, struct store *store, const char *name, struct err *err);

struct query_filter {
    const char *where; /* SQL over the names of query_columns(); NULL: all rows */
    int64_t limit;     /* -1: all */
    /* Columns that fit a screen: no diff_se, pairs and flops, no val_r2 if `mean` is the same, and
     * within_se as '*'. */
    bool is_brief;
};

/* Configurations that cannot be told apart from the best, whatever the filter's limit. */
struct query_alike {
    int64_t n_scored;   /* with a mean, including the best */
    int64_t n_compared; /* others with an interval of the difference to the best */
    int64_t n_alike;    /* others whose 95 % interval contains 0 */
    int64_t one_se;     /* what QUERY_RULE_1SE chooses; 0: nothing, or the filter has a limit */
};

/* Return leaderboard rows by place: place, config, the axes of this sweep, reached (with a search only), trials, mean, val_r2,
 * sd, se, diff, diff_se, diff_low, diff_high, pairs, within_se, flops, seconds. val_r2 (regression
 * only) is the mean validation R2 of done trials. diff_low and diff_high bound the 95 % interval of
 * diff, by Student's t with pairs - 1 degrees of freedom; NULL for fewer than two pairs. alike:
 * out, or NULL. Pair with result_table_release(). */
int query_leaderboard(struct result_table *out, struct query_alike *alike, struct store *store,
                      const struct query_sweep *sweep, const struct query_filter *filter,
                      struct err *err);

/* Compute diff of all later queries on this store against this configuration, not the best one. For
 * a store opened for reading. -1 and err. */
int query_compare_with(struct store *store, int64_t config_id, struct err *err);

/* Rank by this metric (val_loss, or as a program reported it), and not by the objective; for a store
 * opened for reading. Its direction follows from its name, or is that of the sweep; both are set in
 * `sweep`. -1 and err: no trial has it, or it is of the test part. */
int query_rank_by(struct query_sweep *sweep, struct store *store, const char *metric,
                  struct err *err);

/* Check that query_filter.where is SQL over the columns of the leaderboard and the metrics. Computes nothing. -1
 * and err: it is not, or the file cannot be read. */
int query_check_where(struct store *store, const struct query_sweep *sweep, const char *where,
                      struct err *err);

/* The rules that choose one configuration. */
enum query_rule {
    QUERY_RULE_BEST, /* the first */
    QUERY_RULE_1SE,  /* the cheapest (fewest flops, seconds if unknown, then place) within one
                      * standard error of the first, the first's own, that lost no more trials.
                      * Source: Breiman, Friedman, Olshen & Stone 1984, section 3.4.3. */
    QUERY_N_RULES
};

/* The rule of "best" or "1se"; another name is an assertion. */
enum query_rule query_rule_parse(const char *name);

/* The choice in words, such as "the best". */
const char *query_rule_words(enum query_rule rule);

/* Return the row that the rule chooses among those that satisfy filter->where; filter->limit does
 * not count. -1 and err: there is none. */
int query_choose(struct result_table *out, struct query_alike *alike, struct store *store,
                 const struct query_sweep *sweep, enum query_rule rule,
                 const struct query_filter *filter, struct err *err);

/* Append the names that query_filter.where may use, each with its NUL. */
int query_columns(struct buf *out, struct store *store, struct err *err);

/* Pass rows of the view `trials` to `row` one by one, for a sweep or, with NULL, all. Each is a
 * table of one row, borrowed for the call; the first call has only the names. */
int query_trials(struct store *store, const struct query_sweep *sweep,
                 void (*row)(void *arg, const struct result_table *row), void *arg,
                 struct err *err);

/* The queries of queries.h. */
enum query {
#define QUERY_ENUM(id, types, sql) QUERY_##id,
    QUERY_TABLE(QUERY_ENUM)
#undef QUERY_ENUM
        QUERY_COUNT
};

int query_table(struct result_table *out, struct store *store, enum query query, int64_t id,
                struct err *err);

/* Pass the rows of a query to `row` one by one, each as a table of one row, borrowed for the call.
 * -1 and err: the query failed, or `row` returned -1. */
int query_each(struct store *store, enum query query, int64_t id,
               int (*row)(void *arg, const struct result_table *row, struct err *err), void *arg,
               struct err *err);

/* Return all rows of a statement, and finalize it. types_of: as in QUERY_TABLE. Internal to
 * src/store/query. */
struct sqlite3_stmt;
int query_collect(struct result_table *out, struct store *store, struct sqlite3_stmt *row,
                  const char *types_of, struct err *err);

/* Return a trial's training curve: epoch, train_loss, val_loss, val_value and seconds. For a program:
 * epoch, the objective by its name, train_loss, val_loss, a column for each other name that it
 * reported (at most 50), and seconds, which are NULL if unknown. */
int query_trial_curve(struct result_table *out, struct store *store, int64_t trial_id,
                      struct err *err);

/* Append the log of a trial: the last of `total` bytes that a program printed. 0: it has none. -1
 * and err. */
int query_log(struct buf *out, int64_t *total, struct store *store, int64_t trial_id,
              struct err *err);

/* Rows of a table that no run writes. */
struct query_table_check {
    const char *table;
    int64_t n_rows, n_damaged;
    struct err first; /* "t5, sample 3: predicted = 'x': must be a number" */
};

/* Check the rows of the tables prediction, traffic, data_fact, log, file, curve_metric and member.
 * Reads all of them. */
enum { QUERY_CHECKED_TABLES = 7 };
int query_check_tables(struct query_table_check out[QUERY_CHECKED_TABLES], struct store *store,
                       struct err *err);

/* Check the counters of a session in the table traffic. -1 and err, which names the first damaged
 * row. */
int query_check_traffic(struct store *store, int64_t session_id, struct err *err);

/* Write a sweep file that trains exactly one configuration, with the same keys. */
int query_ini(struct buf *out, struct store *store, int64_t config_id, struct err *err);

/* Write a sweep file of a whole sweep without its [grid]: all settings, also those equal to their
 * defaults. */
int query_sweep_ini(struct buf *out, struct store *store, int64_t sweep_id, struct err *err);

/* "12", or with its letter "c12". False: invalid. */
bool query_parse_id(int64_t *id, const char *text, char letter);

#endif
