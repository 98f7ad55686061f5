/* SPDX-License-Identifier: BSD-3-Clause */
/* The warnings that a statistician would give about a sweep. advice_*() are pure functions from
 * facts to texts; job_warnings gathers the facts of a plan, advice_find() those of a finished
 * sweep. */
#ifndef RUN_ADVICE_H
#define RUN_ADVICE_H

#include "grid/param.h"
#include "store/query/query.h"

/* Samples of the parts of one kind, over replicates and folds. Zero-initialise one. */
struct advice_parts {
    int32_t n;       /* parts with samples */
    int32_t n_small; /* fewer than ADVICE_FEW samples, although more are possible */
    int32_t n_tiny;  /* too small for a correlation */
    int32_t least;
};

#define ADVICE_FEW 30

/* most: the samples that such a part can have. Without a remedy there is no advice. */
void advice_count_part(struct advice_parts *parts, int32_t n_samples, int32_t most);

/* Those of a validation and of a stop part, of n samples outside the test part, or for training. */
int32_t advice_most_val(int32_t n);
int32_t advice_most_stop(int32_t n);

struct advice_objective {
    const char *name;
    bool is_correlation; /* undefined, or 1 and -1, for one or two samples */
    bool has_folds;      /* folds set the size of the validation parts */
};

void advice_small_parts(struct errlist *out, const struct advice_parts *val,
                        const struct advice_parts *stop, const struct advice_objective *objective);

/* The same from the smallest sizes that the database knows; 0: unknown, or no such part. */
struct advice_least {
    int32_t train, val, stop, test;
};
void advice_least_parts(struct errlist *out, const struct advice_least *least);

/* Models without epochs compete with models whose epoch the validation part chose. */
void advice_mixed_types(struct errlist *out);

/* All replicates are validated on the same samples. has_ridge: some models draw no random
 * numbers. */
void advice_repeated(struct errlist *out, bool has_ridge);

/* The best configuration against the fixed effects alone. low, high: 95 % interval of the paired
 * difference, NaN if unknown. best == baseline: nothing beats them. */
void advice_baseline(struct errlist *out, int64_t best, int64_t baseline, double low, double high);

/* Features beside fixed effects, without the model of these alone. type: its name. */
void advice_no_baseline(struct errlist *out, const char *type);

struct advice_axis {
    const char *name;
    int id;               /* P_COUNT: a free name */
    const double *levels; /* [n] ascending, borrowed */
    int32_t n;
    bool has_full; /* `full` is a value, larger than any number */
    double chosen;
};

/* Warn if the chosen value is the smallest or largest of at least three, and suggest the next two,
 * at the axis's own spacing, if the setting allows them. */
void advice_axis(struct errlist *out, const struct advice_axis *axis, int64_t config);

/* r2: NaN if there is none. has_groups: whole groups are validated. */
void advice_r2(struct errlist *out, int64_t config, double r2, const char *objective,
               bool has_groups);

/* n of n_done trials have no value of the objective. */
void advice_undefined(struct errlist *out, const char *objective, int64_t n, int64_t n_done);

/* All trials of each configuration of a program have the same score. */
void advice_copies(struct errlist *out);

/* is_restricted: the configurations that --where selects are compared with the best of all.
 * lacks_seed: the command of a program does not use the seed. */
void advice_alike(struct errlist *out, const struct query_alike *alike, bool is_restricted,
                  bool lacks_seed);

/* How trials of a sweep ended without a score. */
struct advice_losses {
    int64_t failed, diverged;
    int64_t undefined; /* done, but without a value of the objective */
    int64_t left;      /* to run */
};

/* Append why no configuration has a score: a clause without a full stop. Nothing if no trial has
 * ended. */
void advice_put_losses(struct buf *out, const struct advice_losses *losses, const char *objective);

/* n_trials: of the best configuration. is_alone: there is no other. lacks_seed: as above. */
void advice_few_trials(struct errlist *out, int64_t n_trials, bool is_alone, bool lacks_seed);

/* Somebody sees test scores while n_left of n_trials trials are left. */
void advice_early_test(struct errlist *out, int64_t n_left, int64_t n_trials);

struct advice_choice {
    const struct result_table *row; /* its first row, with the columns of query_leaderboard() */
    const struct query_alike *alike;
    bool is_restricted; /* others were excluded, so the edges of axes say nothing */
    bool shows_test;    /* its test scores are shown */
};

/* While trials are missing, the advice is only about those that are done. */
int advice_find(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                const struct advice_choice *choice, struct err *err);

/* The same after advice_mixed_types(), advice_repeated() and advice_least_parts(), if they apply. */
int advice_find_all(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                    const struct advice_choice *choice, struct err *err);

void advice_print_best(struct store *store, const char *name);

/* Print and release. path: the file that they are about, or NULL. */
void advice_print(struct errlist *advice, const char *path);

#endif
