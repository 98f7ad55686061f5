/* SPDX-License-Identifier: BSD-3-Clause */
/* report/sweep: everything that a page shows of one sweep, read from the store once, and
 * pure statistics on it. May include store and everything below; nothing here writes.
 *
 * Numbers without a value are NaN, indices without one -1. Arrays and texts live until
 * sweep_data_release(), which frees `memory`, the tables and the settings. Texts come from the database: they are
 * untrusted, and may hold any bytes but NUL. Times are Unix seconds. */
#ifndef REPORT_SWEEP_SWEEP_DATA_H
#define REPORT_SWEEP_SWEEP_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "data/core/dataset.h"
#include "grid/sweep.h"
#include "search/allocator.h"
#include "search/proposer.h"
#include "search/search.h"
#include "store/query/query.h"

/* Configurations whose curves are read, the best ones; the chosen one may be another. */
enum { SWEEP_CURVE_CONFIGS = 20 };
/* Names in the curves of programs that are read, apart from the losses and the objective. Those of
 * test scores are not. */
enum { SWEEP_CURVE_NAMES = 8 };
/* Attempts that are read: all that did not end as `done`, then the longest. */
enum { SWEEP_ATTEMPTS = 20000 };

struct sweep_axis {
    const char *name;   /* key of the setting */
    const char *unit;   /* "" for none */
    int32_t n;          /* levels that occur in configurations */
    double *number;     /* [n] ascending, words (NaN) last */
    const char **label; /* [n] as people write the level: "0.001", "full" */
    bool is_numeric;    /* no level is a word */
    bool is_log;        /* numeric, positive, and spread at ratios rather than steps */
};

/* One row of the leaderboard. */
struct sweep_config {
    int64_t id;
    int32_t place;
    int32_t n; /* trials with a value of the objective */
    double mean, sd, se;
    double diff, low,
        high; /* difference to the best on the same folds; its corrected 95 % interval */
    double seconds, flops; /* of one trial */
    double epochs;         /* mean of its done trials; NaN: it trains in none */
    int within;            /* 1: within one standard error of the best; 0: not; -1: unknown */
    bool is_complete;      /* as many trials as any configuration */
    int32_t type;          /* index into types */
    int32_t
        rung; /* at which the search stopped it, so it has no mean and no place; 0: it did not */
};

struct sweep_slot {
    int32_t replicate, fold;
    const char *group; /* the only group of its validation part; NULL: unknown, or several */
};

/* Exact analysis of variance of the means over a complete grid; see statistics.h. */
struct sweep_effect {
    int32_t axis, with; /* indices into axes; with: -1 for a main effect */
    int32_t df;
    double share; /* of the total sum of squares */
};

struct sweep_effects {
    bool is_complete; /* each combination of levels has one complete configuration */
    const char *why;  /* a sentence without a full stop; "" if complete */
    double total;     /* sum of squares around the grand mean */
    double residual;  /* share that main effects and pairs leave */
    int32_t n;
    struct sweep_effect *of; /* [n] main effects, then pairs, each by falling share */
};

/* Over the complete configurations with a level. */
struct sweep_marginal {
    int32_t n;        /* configurations */
    double mean;      /* of their means */
    double low, high; /* comparison interval */
    double best;      /* mean of the best of them */
};

/* Points of the training curve of one trial; thinned if long, with the first, best and last one. */
struct sweep_curve {
    int64_t config, trial;
    int32_t replicate, fold;
    int32_t best; /* epoch that was chosen; 0: none */
    bool is_stop; /* val_loss and val_value are of the stop part, which chose the epoch */
    int32_t n;
    int32_t *epoch;                            /* [n] ascending */
    double *train_loss, *val_loss, *val_value; /* [n] each; val_value: the objective */
    double *more[SWEEP_CURVE_NAMES];           /* [n] each, by sweep_data.curve_names; or NULL */
};

/* A score of predictions. */
struct sweep_score {
    const char *metric;
    int32_t class;   /* of which it is; -1: of all */
    double together; /* of all predictions */
    double mean, sd; /* of the scores of the folds that have one */
    int32_t folds;
};

/* Out-of-fold predictions of one configuration. */
struct sweep_predictions {
    int64_t config; /* 0: there are none */
    int32_t n_classes;
    const char **classes; /* [n_classes] in the order of the data; none for regression */
    int32_t n_groups;
    const char **groups; /* [n_groups] */
    int32_t n;
    const char **id;     /* [n] of the sample */
    int32_t *group;      /* [n] index into groups, or -1 */
    int32_t *replicate;  /* [n] those of a fold of a replicate follow each other */
    int32_t *fold;       /* [n] */
    double *observed;    /* [n] number, or index into classes */
    double *predicted;   /* [n] likewise */
    double *score;       /* (n, n_classes); NULL: there are none */
    bool is_probability; /* whether the scores are; else they only rank samples */
    int32_t n_parts;     /* folds of replicates, each with a model of its own */
    bool is_one_part;    /* all of them predict the same samples */
    int32_t n_scores;
    struct sweep_score *scores; /* [n_scores] */
};

struct sweep_test {
    const char *metric;
    int32_t n; /* trials */
    double mean, sd;
};

struct sweep_rank {
    int64_t session;
    int32_t rank;
    const char *host;
};

/* A row of table decision, or a configuration that ran to its end. */
struct sweep_decision {
    int64_t config;
    int32_t step, rung;
    enum search_action action; /* SEARCH_ACTION_COUNT: the end, in the last step */
    double value, threshold;
    double cost_s; /* core-seconds of all attempts until it had come so far */
};

/* How a sweep was searched. */
struct sweep_searched {
    const struct settings *settings;   /* NULL: by no decisions */
    const struct allocator *allocator; /* NULL as well */
    const struct proposer *proposer;   /* NULL: the settings are unknown */
    bool is_listed;    /* its configurations are the points of the grid in its file, */
    bool is_grid;      /* and none was stopped: levels can be compared */
    int32_t n_stopped; /* configurations */
    int32_t n;
    struct sweep_decision *decisions; /* [n] by step */
};

enum sweep_outcome {
    SWEEP_DONE,
    SWEEP_HELD, /* at a rung of the search */
    SWEEP_DIVERGED,
    SWEEP_FAILED,
    SWEEP_STOPPED,
    SWEEP_CRASHED, /* with its rank */
    SWEEP_LOST,    /* with its run */
    SWEEP_RUNNING,
    SWEEP_N_OUTCOMES
};
extern const char *const sweep_outcome_names[SWEEP_N_OUTCOMES];

struct sweep_attempt {
    int64_t trial, config;
    int32_t rank;      /* index into ranks */
    double start, end; /* seconds since t0; end: NaN if unknown */
    enum sweep_outcome outcome;
};

/* A row of the table data_fact. A shown fact about a part is two rows: its smallest and its largest
 * size. */
struct sweep_fact {
    const char *topic, *name;
    const char *label; /* the name as people say it; NULL: not to be shown */
    double number;     /* NaN for a text */
    const char *text;  /* what to show for a text, and for a range; "": the number */
};

/* The topic of a fact as people say it; itself if it has no such words. */
const char *sweep_fact_topic(const char *topic);

enum { SWEEP_REASONS = 20 }; /* of failures that are shown */

struct type_settings {
    struct sweep sweep; /* owner of the texts */
    struct settings of;
};

struct sweep_data {
    /* The sweep. */
    int64_t sweep_id;
    const char *database; /* path */
    const char *name, *objective;
    const char *metric; /* the objective without "val_" */
    bool maximize;
    enum task task;
    bool is_classification;
    bool has_given_parts;      /* by a split file or a column */
    const char *file, *digest; /* path of the sweep file; digest of the data */
    /* A sweep file with all settings, whose [grid] has the levels that occur; or the stored text,
     * if this program cannot read it. */
    const char *ini;
    int32_t n_file_configs; /* that the file gives; -1: unknown */
    int64_t samples, features, classes;
    int32_t replicates, folds; /* that occur in trials; folds: 1 without cross-validation */
    /* Trials in the file, and by state. planned: of the whole grid, of which the file may have only
     * some shards. */
    int64_t trials, planned, done, failed, diverged, running, pending, held, stopped;
    double created, updated;
    double share; /* n_val / n_train, for corrected intervals (doc/decisions/0030) */

    /* The choice: ids of configurations; 0: none. */
    int64_t best, one_se;
    int32_t rule;   /* enum query_rule that the user asked for; -1: none */
    int64_t chosen; /* by the rule; without one the best */
    struct query_alike alike;
    struct result_table leaderboard; /* query_leaderboard(): a row for each of configs */

    int32_t n_axes, n_configs, n_types, n_slots;
    struct sweep_axis *axes;      /* [n_axes] in file order */
    struct sweep_config *configs; /* [n_configs] by place; those without a score last */
    int32_t *by_id;               /* [n_configs] indices by id */
    int32_t *level;               /* (n_configs, n_axes) index, or -1: the setting does not apply */
    const char **types;           /* [n_types] model types */
    struct type_settings
        *settings; /* [n_types] fixed settings, as the first configuration of the type has them; use
                    * sweep_data_settings() */
    struct sweep_slot *slots; /* [n_slots] by replicate and fold */
    double *value;            /* (n_slots, n_configs) objective of each trial */
    int32_t n_scored;         /* configurations with a mean: the first ones */

    struct sweep_searched search;

    struct sweep_effects effects;
    struct sweep_marginal **marginal; /* [n_axes][levels] */
    /* [n_varied] axes with several levels: by falling share of the variance where it is known, else by the
     * number of configurations that have them, then as in the sweep file. */
    int32_t *axis_order;
    int32_t n_varied;
    int32_t *pareto_seconds; /* [n_pareto_seconds] places - 1, cheapest first */
    int32_t *pareto_flops;   /* [n_pareto_flops] likewise */
    int32_t n_pareto_seconds, n_pareto_flops;

    int32_t n_curves;
    struct sweep_curve *curves; /* [n_curves] by place of the configuration, then trial */
    int32_t n_curve_names;      /* that a program reported with an epoch */
    const char *curve_names[SWEEP_CURVE_NAMES];
    int64_t n_curves_left_out;            /* scored configurations whose curves were not read */
    int32_t n_done, n_models;             /* done trials of `chosen`, and those with a model */
    bool has_epochs, has_stop;            /* whether it has epochs, and a stop part chose them */
    struct sweep_predictions predictions; /* of `chosen` */
    int32_t n_tests;
    struct sweep_test *tests; /* [n_tests] of `chosen`; none without a rule */

    int32_t n_ranks, n_attempts, n_facts, n_shown_facts;
    struct result_table sessions;   /* QUERY_SWEEP_SESSIONS; busy: of struct query_efficiency */
    struct result_table failures;   /* QUERY_FAILURES of this sweep */
    struct sweep_rank *ranks;       /* [n_ranks] by session, rank and host */
    struct sweep_attempt *attempts; /* [n_attempts] by start */
    int64_t n_attempts_left_out;
    double t0;                      /* start of the first attempt */
    struct sweep_fact *facts;       /* [n_facts] as stored: by topic, in order */
    struct sweep_fact *shown_facts; /* [n_shown_facts] likewise */

    struct arena memory;
};

/* Read a sweep. rule: enum query_rule, which also reads the test scores of its choice; -1: none.
 * Pair with sweep_data_release(), also after a failure. -1 and err: the file cannot be read, the
 * sweep has no configuration, or there is no choice by the rule. */
int sweep_data_read(struct sweep_data *data, struct store *store, const struct query_sweep *sweep,
                    int rule, struct err *err);
void sweep_data_release(struct sweep_data *data);

/* Return the index of a configuration; -1: none. */
int32_t sweep_data_find(const struct sweep_data *data, int64_t config);

/* All settings of a model type, of which those of axes are one example. NULL: the database has none
 * that this program can read. */
const struct settings *sweep_data_settings(const struct sweep_data *data, int32_t type);
/* "fold", or without cross-validation "trial": what has a model and predictions of its own. */
const char *sweep_part_word(const struct sweep_data *data);
/* The first score by a metric; NULL: there is none, or it has no value. */
const struct sweep_score *sweep_find_score(const struct sweep_predictions *p, const char *metric);

/* Append the levels of a configuration, such as "hidden_size 64, dropout 0.2". */
void sweep_data_put_levels(struct buf *out, const struct sweep_data *data, int32_t config);

/* ---- for the files that read ---- */

/* n zeroed items from data->memory. NULL and err: out of memory. */
void *sweep_take(struct sweep_data *data, size_t n, size_t size, struct err *err);
/* A copy of a text in data->memory. NULL and err: out of memory. */
const char *sweep_copy(struct sweep_data *data, const char *text, struct err *err);
/* The same of a cell by column name. */
const char *sweep_copy_cell(struct sweep_data *data, const struct result_table *table, int64_t row,
                            const char *column, struct err *err);

/* Pass the rows of a query to `take`. */
int sweep_read_table(struct sweep_data *data, struct store *store, enum query query, int64_t id,
                     int (*take)(struct sweep_data *data, const struct result_table *rows,
                                 struct err *err),
                     struct err *err);

#endif
