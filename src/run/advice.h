/* SPDX-License-Identifier: BSD-3-Clause */
/* All advice about a sweep. A rule is a row of the table in advice.c: the threshold of a fact, a
 * sentence and a remedy. advise() applies a rule to a fact; the functions below gather the facts.
 *
 * Each rule speaks once: `plan` and `run` print what follows from the plan, and `run` what follows
 * from its own course and from all scores; `best` prints what concerns the choice that it shows. The
 * panel of the report has all of them; `run` stores those of the plan for it. */
#ifndef RUN_ADVICE_H
#define RUN_ADVICE_H

#include "grid/param.h"
#include "run/job.h"
#include "store/query/query.h"

enum rule {
    /* of the data and the plan */
    RULE_CLASSES,     /* whole numbers that are used as classes */
    RULE_SINGLES,     /* classes with one member */
    RULE_SPREAD,      /* ratio of the standard deviations of unscaled features */
    RULE_TARGET,      /* features that are the target */
    RULE_TWINS,       /* sets of equal samples on both sides of a split */
    RULE_UNMET,       /* axes whose condition never holds */
    RULE_IDLE,        /* configurations that differ only in a setting without effect */
    RULE_NO_BASELINE, /* fixed effects without the model of these alone */
    RULE_TINY_PART,   /* samples of the smallest part for a correlation */
    RULE_SMALL_PART,  /* samples of the smallest part that a setting could make larger */
    RULE_MIXED_TYPES, /* models without epochs, beside those whose validation part chose them */
    RULE_REPEATED,    /* replicates on the same parts */
    /* of a program's command */
    RULE_SHELL_WORDS,   /* words that only a shell understands */
    RULE_SHELL_COMMENT, /* parts of a command for a shell that are a comment of the file */
    RULE_ENV,           /* likewise words of env, and commas behind them */
    RULE_ONE_TEXT,      /* values that look like lists, ranges or comments */
    RULE_SAME_REPEATS,  /* repeats that the command does not tell apart */
    /* of a run */
    RULE_IDLE_RANKS, /* ranks without work */
    RULE_MEMORY,     /* needed by a rank / allowed */
    RULE_KILLED,     /* trials whose program was killed */
    RULE_MISSING,    /* trials that did not write a file of keep_files */
    /* of all scores */
    RULE_UNDEFINED, /* trials without a value of the objective */
    /* of the choice */
    RULE_EARLY_TEST,     /* trials left while test scores are shown */
    RULE_NO_SCORE,       /* trials that ended, if none has a score */
    RULE_LOST,           /* trials that failed or diverged, if some have a score */
    RULE_R2,             /* R2 of the choice */
    RULE_ONLY_FIXED,     /* the choice has the fixed effects alone */
    RULE_LIKE_FIXED,     /* the choice does not beat them */
    RULE_HIDDEN,         /* configurations with a better mean of fewer trials */
    RULE_EDGE,           /* axes at whose end the choice lies */
    RULE_COPIES,         /* all repeats of a program are equal */
    RULE_ONE_TRIAL,      /* the only configuration has one trial */
    RULE_ONE_TRIAL_EACH, /* no two trials can be compared */
    RULE_TWO_TRIALS,     /* an interval with one degree of freedom */
    RULE_ALIKE,          /* configurations like the best one */
    /* of the page alone */
    RULE_LEFT,      /* trials to run */
    RULE_SHARDS,    /* trials of shards that are not in the file */
    RULE_FLATTERED, /* the validation part chose all epochs */
    RULES
};

/* Separates the words of a rule in `words`, which has one for each {} of the sentence and the
 * remedy. */
#define AND "\x1f"

/* Append the sentence and the remedy of the rule if the fact is beyond its threshold. */
void advise(struct errlist *out, enum rule rule, double fact, const char *words, ...)
    __attribute__((format(printf, 4, 5)));

/* Print and release. path: the file that the advice is about, or NULL. */
void advice_print(struct errlist *advice, const char *path);

/* Fewer samples of a part decide little; no program proposes such parts. */
#define ADVICE_FEW 30

/* Advice about the data and the plan of a job, which has a plan and its inputs; replaces
 * job->advice. Notes duplicates of samples in the job. advice_program() appends that about a
 * program's command. */
int advice_plan(struct job *job, struct err *err);
int advice_program(struct job *job, struct err *err);

/* Append whether a launch of n_ranks has ranks without work. n_left: [n_configs] trials to run. */
int advice_ranks(struct errlist *out, const struct job *job, const int64_t *n_left, int32_t n_ranks,
                 struct err *err);

/* Append what follows from the scores of all trials. */
int advice_scores(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                  struct err *err);

struct advice_choice {
    const struct result_table *row; /* its first row, with the columns of query_leaderboard() */
    const struct query_alike *alike;
    bool is_restricted; /* others were excluded, so the edges of axes say nothing */
    bool shows_test;    /* its test scores are shown */
};

/* Append what concerns a choice. While trials are left, only what is true of those that are done. */
int advice_choice(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                  const struct advice_choice *choice, struct err *err);

/* How trials of a sweep ended without a score. */
struct advice_losses {
    int64_t failed, diverged;
    int64_t undefined; /* done, but without a value of the objective */
    int64_t left;      /* to run */
};

/* Append why no configuration has a score: a clause without a full stop. Nothing if no trial has
 * ended. */
void advice_put_losses(struct buf *out, const struct advice_losses *losses, const char *objective);

struct advice_axis {
    const char *name;
    int id;               /* P_COUNT: a free name */
    const double *levels; /* [n] ascending, borrowed */
    int32_t n;
    bool has_full; /* `full` is a value, larger than any number */
    double chosen;
};

/* Apply RULE_EDGE if the chosen value is the smallest or largest of at least three: suggest the next
 * two, at the axis's own spacing, if the setting allows them. */
void advice_axis(struct errlist *out, const struct advice_axis *axis, int64_t config);

#endif
