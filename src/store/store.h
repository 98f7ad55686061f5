/* SPDX-License-Identifier: BSD-3-Clause */
/* The results database: one writer, many readers. Only src/store uses sqlite3.h.
 *
 * Schema: db/schema.sql, embedded in the program. Nothing is durable before store_commit(). */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "data/core/dataset.h"
#include "gcn/cost.h"
#include "grid/plan.h"
#include "trial/result.h"

struct store;

/* Open for writing: create where there is nothing, and take the advisory lock PATH.lock that names
 * host and pid. Checks the file: all of it up to 16 MiB, of a larger one what a sweep is resumed
 * from. Sessions that read 'running' are asked after: by pid and start of the process, on other
 * hosts by their batch job (some seconds at most). What those that are gone have left open is
 * released: its attempts are 'lost', its trials pending again. -1 and err: one of them lives; not a
 * database, not ours, newer than this program, damaged, locked (by whom), read-only, disk full,
 * held by another process for 10 s. Whatever is refused is left byte for byte as it was; what a
 * killed run left in a journal is repaired first, though. */
int store_open(struct store **store, const char *path, struct err *err);

/* Open for reading; what sessions that are gone have open reads as if it was released. Never blocks
 * the writer (with a rollback journal: for longer than one query), never creates. Works in a
 * directory where nobody may write. */
int store_open_reader(struct store **store, const char *path, struct err *err);

/* A line for each session whose trials store_open() has released, or that it has taken for gone
 * since nobody could be asked. Owned by the store. */
const struct errlist *store_released(const struct store *store);

/* From now on a writer waits up to patience_s for other processes (a transaction left open, with a
 * rollback journal also a reader). Meanwhile `wait` is called some 20 times a second, in the
 * caller's thread, with the seconds waited so far and who it is ("pid 4711 (sqlite3)"; "" where
 * that is not known); false ends the patience. It must not use the store. */
void store_be_patient(struct store *store, double patience_s,
                      bool (*wait)(void *arg, double waited_s, const char *holder), void *arg);

/* Fold the log into the file, so that it stands alone; that a reader is in the way is no error.
 * -1 and err: the disk does not take it. Nothing is lost then: the log stays beside the file, which
 * is to be read with it. Nothing may be uncommitted. */
int store_settle(struct store *store, struct err *err);

/* After store_settle(): give free pages back to the disk where they are more than a MiB and more
 * than a quarter of the file. Does nothing while a reader has the file open, where the disk has no
 * room for a second copy, or where more than a GiB is in use: that would take too long. Returns the
 * bytes that the file is smaller by; 0 also for a failure, which leaves the file as it was. go_on
 * is called many times a second; false breaks off. It must not use the store. */
int64_t store_compact(struct store *store, bool (*go_on)(void *arg), void *arg);

/* Rolls back what was not committed; takes NULL. A writer leaves one file without a log beside it,
 * unless a reader or the disk is in the way. */
void store_close(struct store *store);

/* Close without a commit, and remove the file if store_open() has made it. */
void store_abandon(struct store *store);

/* The trials of a plan as the database has them: arrays [n_trials], but for the last. */
struct store_trials {
    bool *ours;          /* set by the caller: a trial of this run's part (all, after init). Only
                            those are registered and looked up; the others read 0, pending, NaN */
    int64_t *ids;        /* as in the views and in `show`; 0: the database has no such trial */
    uint8_t *states;     /* enum trial_state */
    double *values;      /* the objective; NaN where there is none, as below */
    double *seconds;     /* of the last attempt */
    double *predicted;   /* what had been expected of it */
    double *left;        /* share of a trial that is not in its checkpoint; 1: it has none */
    int32_t *crashes;    /* attempts that took their rank down since the trial's last result (done,
                            diverged, failed); 0 for a trial that is finished */
    int32_t *lost;       /* likewise, attempts under way when their run was killed */
    int64_t *config_ids; /* [n_configs] of the plan, made by store_register() and store_find(); 0:
                            the database has no such configuration, or no trial of it is ours */
};

/* -1 and err when memory is short. Release takes a zeroed one. */
int store_trials_init(struct store_trials *trials, int64_t n_trials, struct err *err);
void store_trials_release(struct store_trials *trials);

/* Whether a plan goes on with the sweep of its name. Adds to `out` a line for each fixed setting of
 * the sweep that can change numbers and is another now ("train.epochs: 3 -> 5"), and for the data
 * where they are others ("the data are others: FILE (digest a -> b)"), and for a type of model of
 * the plan whose configurations there an earlier revision computed (settings_revision()); none
 * where the plan goes on with it, or nothing of that name is there. What is an axis, in the
 * database or in the plan, may take any value; replicates and `where` may change
 * (doc/decisions/0014). */
int store_differences(struct store *store, const struct plan *plan, const struct dataset *data,
                      struct errlist *out, struct err *err);

/* Make a sweep one of the past: `name` becomes NAME#1 (or the next number that is free, given back
 * in `renamed`), and so free for another. Durable at once. */
int store_supersede(struct store *store, const char *name, struct buf *renamed, struct err *err);

/* Register a plan: its sweep, axes, configurations and trials, in one transaction; what is there
 * already (same keys) stays. A part of a plan (trials->ours) gets the numbers that the whole would
 * give, where they are free, and only the configurations that it needs. Fills trials, so that
 * finished keys can be skipped. swept and settings come from plan; work: [n_configs], NULL: not
 * known. -1 and err also where store_differences() has any, naming the first. */
int store_register(struct store *store, const struct plan *plan, const struct dataset *data,
                   const struct gcn_cost *work, struct store_trials *trials, struct err *err);

/* The same without writing, for a reader. */
int store_find(struct store *store, const struct plan *plan, const struct dataset *data,
               struct store_trials *trials, struct err *err);

/* What a run was, recorded once; the store adds what tells its process from all others, the batch
 * job, and which file it writes. */
struct store_session {
    const char *command; /* the command line */
    const char *version; /* of espalier */
    const char *mpi, *blas, *blas_kernel, *cpu, *host;
    int32_t ranks;
    int32_t pid;
};
int store_begin_session(struct store *store, const struct store_session *session, struct err *err);

/* Attempts that are open still are 'stopped' then, and their trials pending. Durable at once. */
int store_end_session(struct store *store, const char *outcome, struct err *err);

/* Who runs a trial. */
struct store_place {
    int32_t rank;
    const char *host;
    int32_t pid;
};

/* A trial runs: an open attempt ('running'), and the trial is 'running'. started: Unix seconds.
 * Nothing where this rank's attempt is open already, or the trial has a result of this session. */
int store_attempt_begin(struct store *store, int64_t trial_id, const struct store_place *place,
                        double started, struct err *err);

/* This process begins to run a trial, which may take it down: kept beside the lock for a
 * microsecond's work, where the next store_open() finds it, so that a trial that kills the writer
 * before a commit is 'lost' too, not forgotten. Any thread, after store_begin_session(). */
void store_note_running(struct store *store, int64_t trial_id);

/* Its rank was lost with it: the open attempt of that rank ends as 'crashed' (one is made where
 * none is open), and the trial is pending again, unless it has a result or another rank runs it. */
int store_attempt_crashed(struct store *store, int64_t trial_id, const struct store_place *place,
                          const char *reason, struct err *err);

/* Record a result under trial_id: attempt, metrics, curve, timing; NaNs and phases without time are
 * left out. Replaces what an earlier attempt left. Ends the open attempt of the trial by that rank,
 * if there is one; those of other ranks end as 'stopped'. One transaction is open from the first of
 * these calls to store_commit(). A result with state PENDING records the attempt only, and gives
 * the trial back. */
int store_result(struct store *store, int64_t trial_id, const struct trial_result *result,
                 struct err *err);
int store_commit(struct store *store, struct err *err);

/* How far a trial has come, in place of an earlier checkpoint of it; kept until it has a result.
 * Part of the transaction as a result is. */
int store_checkpoint(struct store *store, int64_t trial_id,
                     const struct trial_checkpoint *checkpoint, struct err *err);

/* 1 and a trial's checkpoint (its number in the plan is left as it is), a view of `state`, whose
 * old contents are dropped; 0: it has none. -1 and err. */
int store_checkpoint_find(struct trial_checkpoint *out, struct buf *state, struct store *store,
                          int64_t trial_id, struct err *err);

/* A trial's model as a file (trial/kept.h), in place of what it has. Part of the transaction;
 * store_result() does it with its result's. */
int store_put_model(struct store *store, int64_t trial_id, const void *model, size_t bytes,
                    struct err *err);

/* 1 and a trial's model appended to `out`; 0: it has none. -1 and err, also where it is not what
 * was put, to the bit. */
int store_find_model(struct buf *out, struct store *store, int64_t trial_id, struct err *err);

/* Of the configurations of a sweep that are over, the best keeps its models, and the one that
 * --rule 1se chooses: `keep = best`. Over is one with `each` trials or more (replicates x folds) in
 * the file, none of which is to be run: of a shard that is hardly any. is_whole: nothing of the
 * sweep is to be run any more, so the choice is made; before, those that may yet be chosen keep
 * theirs. n, where it is not NULL: models that were dropped. Part of the transaction. Cost: to look
 * at configurations with models; is_whole: that of the leaderboard. */
int store_prune_models(struct store *store, const char *sweep, int64_t each, bool is_whole,
                       int64_t *n, struct err *err);

/* Drop the models of a sweep that store_find_model() would refuse, and add a line to notes for
 * each. Part of the transaction. Cost: reads all models. */
int store_drop_damaged(struct store *store, const char *sweep, struct errlist *notes,
                       struct err *err);

/* No trial of a sweep keeps its model: `keep = none`. n, -1 and err as above. */
int store_drop_models(struct store *store, const char *sweep, int64_t *n, struct err *err);

/* `where` over the axes: the expression sees each swept setting as a column, bare (hidden_size)
 * or qualified (model.hidden_size). Numbers are numbers; choices are text, and so is `full`, which
 * SQL holds for greater than any number and counts with as 0. Only an expression: no second
 * statement, no table, nothing that could be different on another rank (time, random()). Compiled
 * once, in memory; use as struct predicate with store_predicate_keep, for points of the same
 * sweep. err names the expression. */
struct store_predicate;
int store_predicate_open(struct store_predicate **out, const char *expression,
                         const struct sweep *sweep, struct err *err);
void store_predicate_close(struct store_predicate *predicate);
int store_predicate_keep(void *predicate, const struct sweep *sweep, const struct settings *point,
                         struct err *err);

#endif
