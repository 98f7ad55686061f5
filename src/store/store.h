/* SPDX-License-Identifier: BSD-3-Clause */
/* The results database: one writer, many readers. Only src/store uses sqlite3.h. Schema:
 * db/schema.sql, embedded in the program. Nothing is durable before store_commit(). */
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
#include "sched/traffic.h"
#include "search/proposer.h"
#include "store/result_table.h"
#include "trial/result.h"

struct store;

/* Columns of the view `trials` for metrics that programs reported; SQLite allows 2000 in all. */
#define STORE_REPORTED_COLUMNS 200
/* Pages of the writer that SQLite keeps, at most. */
#define STORE_CACHE_KIB 65536
#define STORE_CACHE_BYTES (1024.0 * STORE_CACHE_KIB)

/* Open for writing; creates the file if needed. Takes the advisory lock PATH.lock. Checks all of a
 * file up to 16 MiB; of a larger one, the tables from which a sweep is resumed.
 *
 * Checks for up to a few seconds whether the processes of 'running' sessions still exist
 * (doc/decisions/0016). Attempts of dead ones become 'lost', their trials pending.
 *
 * -1 and err: such a session is alive; the file is not a database, not ours, newer than this
 * program, damaged, locked or read-only; the disk is full; another process holds the file for 10 s.
 * A refused file stays as it was, except that SQLite first repairs it from a killed run's
 * journal. */
int store_open(struct store **store, const char *path, struct err *err);

/* Open for reading; never creates a file. Dead sessions read as released. Blocks the writer only
 * with a rollback journal, for one query at most. Works in a directory without write permission. */
int store_open_reader(struct store **store, const char *path, struct err *err);

const char *store_path(const struct store *store);

/* Between the two calls a reader sees one state of the file, whatever is committed. With a rollback
 * journal the writer waits for the end. */
int store_begin_look(struct store *store, struct err *err);
void store_end_look(struct store *store);

/* A line for each session whose trials store_open() released, or that it assumed dead without
 * evidence. */
const struct errlist *store_released(const struct store *store);

/* Let a writer wait up to patience_s for other processes (an open transaction; with a rollback
 * journal also a reader). Meanwhile `wait`, which must not use the store, is called about 20 times
 * a second with the holder ("pid 4711 (sqlite3)", or ""); false gives up. */
void store_be_patient(struct store *store, double patience_s,
                      bool (*wait)(void *arg, double waited_s, const char *holder), void *arg);

/* True if a call failed because the disk or a quota is full. */
bool store_was_full(const struct store *store);

/* Fold the log into the file. Everything must be committed. A reader that prevents it is no error.
 * -1 and err: the disk refuses the data; the log then stays beside the file, and both belong
 * together. */
int store_settle(struct store *store, struct err *err);

/* Return free pages to the disk after store_settle(), if they are more than 1 MiB and a quarter of
 * the file. Returns the bytes saved; 0 if it failed, a reader has the file open, the disk has no
 * room for a second copy, or more than 1 GiB is in use (too slow). Calls go_on, which must not use
 * the store, many times a second; false stops the work. */
int64_t store_compact(struct store *store, bool (*go_on)(void *arg), void *arg);

/* Roll back uncommitted changes and close. A writer leaves one file without a log, unless a
 * reader or the disk prevents it. */
void store_close(struct store *store);

/* Close, and remove the file if store_open() created it. */
void store_abandon(struct store *store);

/* Stored trials of a plan. Arrays are [n_trials], except the last. */
struct store_trials {
    /* in: trials of this run's part (all after init). Others are not stored or looked up, and read
     * as 0, pending, NaN. */
    bool *ours;
    int64_t *ids;    /* 0: not stored */
    uint8_t *states; /* enum trial_state */
    double *values;  /* objective; NaN: missing, as below */
    double *seconds; /* of the last attempt */
    double *predicted;
    double *left;     /* share left to run after its checkpoint, or 1 */
    int32_t *crashes; /* crashes of its rank since its last result; 0 for a finished trial */
    int32_t *lost;    /* likewise, attempts cut off when their run was killed */
    int32_t *stopped; /* likewise, runs that stopped it before its end */
    float *stopped_s; /* its longest attempt in these, in seconds */
    /* ranks of done trials, 0: one; made by store_register() and store_find(); NULL: all ran on one */
    int32_t *ranks;
    /* [n_configs] made likewise; 0: not stored, or no trial is ours. */
    int64_t *config_ids;
};

int store_trials_init(struct store_trials *trials, int64_t n_trials, struct err *err);
void store_trials_release(struct store_trials *trials);

/* Return the number in the plan of the trial with this id; -1: none. */
int64_t store_trials_find(const struct store_trials *trials, int64_t n_trials, int64_t id);

/* Compare a plan with the stored sweep of its name (doc/decisions/0014). Adds a line to `out` for
 * each
 *
 * - fixed setting that can change numbers and has another value ("train.epochs: 3 -> 5");
 * - change of the data ("the data differ: FILE (digest a -> b)").
 *
 * No lines if the plan continues the sweep, or no sweep has this name. Axes, replicates and `where`
 * may change. */
int store_differences(struct store *store, const struct plan *plan, const struct dataset *data,
                      struct errlist *out, struct err *err);

/* The digest of the data of the stored sweep of this name. 1: found; 0: none; -1 and err. */
int store_find_digest(struct hash *out, struct store *store, const char *name, struct err *err);

/* Free a sweep's name: rename it to NAME#1 or the next free number, returned in `renamed`. Durable
 * at once. */
int store_supersede(struct store *store, const char *name, struct buf *renamed, struct err *err);

/* Register the plan of a sweep (sweep, axes, configurations, trials) in one transaction, and fill trials. Rows
 * with the same keys stay. A part of a plan (trials->ours) adds only the configurations it needs,
 * with the numbers of the whole plan if free. work: [n_configs], or NULL. -1 and err also if
 * store_differences() finds any. */
int store_register(struct store *store, const struct plan *plan, const struct dataset *data,
                   const struct gcn_cost *work, struct store_trials *trials, struct err *err);

/* The largest number of a trial in the file; 0: none. New ones get those that follow. */
int store_last_trial(int64_t *id, struct store *store, struct err *err);

/* Fill trials for a reader: writes nothing. */
int store_find(struct store *store, const struct plan *plan, const struct dataset *data,
               struct store_trials *trials, struct err *err);

/* A run. The store adds its process, batch job and the file's inode. */
struct store_session {
    const char *command;
    const char *version; /* of espalier */
    const char *mpi, *blas, *blas_kernel, *cpu, *host;
    int32_t ranks;
    int32_t pid;
};
int store_begin_session(struct store *store, const struct store_session *session, struct err *err);

/* Replace a rank's counters in this session. Part of the transaction. */
int store_put_traffic(struct store *store, int32_t rank, const char *host,
                      const struct traffic *traffic, struct err *err);

/* Open attempts become 'stopped', their trials pending. Durable at once. */
int store_end_session(struct store *store, const char *outcome, struct err *err);

/* The outcome of a session that stops because input files of its program changed. */
#define STORE_INPUTS_CHANGED "inputs changed"

/* Drop what has not been committed, then store_end_session(). */
int store_cut_session(struct store *store, const char *outcome, struct err *err);

/* The process that runs a trial, or leads the ranks that do. */
struct store_place {
    int32_t rank;
    const char *host;
    int32_t pid;
    /* All these ranks; NULL: one rank runs the trial. An open attempt has had its members stored. */
    const struct trial_member *members; /* [n_members] */
    int32_t n_members;
};

/* Add an open attempt and set the trial to 'running'. started: Unix seconds. Does nothing if this
 * rank's attempt is open, or if the trial has a result of this session. */
int store_attempt_begin(struct store *store, int64_t trial_id, const struct store_place *place,
                        double started, struct err *err);

/* Note beside the lock that this process begins a trial. If it kills the writer before a commit,
 * the next store_open() records the attempt as 'lost'. Takes a microsecond. Any thread, after
 * store_begin_session(). */
void store_note_running(struct store *store, int64_t trial_id);

/* Record a trial lost with its rank as 'crashed'. The trial becomes pending, unless it has a result
 * or another rank runs it. */
int store_attempt_crashed(struct store *store, int64_t trial_id, const struct store_place *place,
                          const char *reason, struct err *err);

/* End the rank's open attempt, if any, as 'stopped': the trial went back unfinished. */
int store_attempt_stopped(struct store *store, int64_t trial_id, const struct store_place *place,
                          struct err *err);

/* Record a result: attempt, metrics, curve, timing, and what a program reports. Replaces earlier
 * values; skips NaNs and phases without time. Ends the rank's open attempt; those of other ranks
 * become 'stopped'. The first such call opens a transaction, which store_commit() ends. State
 * PENDING records the attempt, and what a program reported in it. */
int store_result(struct store *store, int64_t trial_id, const struct trial_result *result,
                 struct err *err);
int store_commit(struct store *store, struct err *err);

/* Replace what is stored of the curve and the metrics of a trial with an open attempt, until its
 * result. Part of the transaction. */
int store_report(struct store *store, int64_t trial_id, const struct trial_result *so_far,
                 struct err *err);

/* By a decision of the search. Part of the transaction, like the next ones. */
int store_set_state(struct store *store, int64_t trial_id, enum trial_state state, struct err *err);

/* The score of a trial at a rung, from 1: its value at the best epoch up to `until`, NaN if it has none. 1: found
 * in the table `rung`, or made of the curve and added there; -INFINITY: it failed or diverged before (state).
 * by_loss: the best epoch has the smallest loss, else the best value. is_max: larger values are better. 0: the
 * trial has not come so far. */
struct store_rung {
    int64_t trial_id;
    int32_t rung;
    int64_t until;
    enum trial_state state;
    bool by_loss, is_max;
};
int store_rung_score(double *value, struct store *store, const struct store_rung *rung,
                     struct err *err);
/* Forget that a trial failed or diverged at a rung: it runs again. */
int store_forget_rungs(struct store *store, int64_t trial_id, struct err *err);

struct store_decision {
    int64_t config_id;
    int32_t step;
    const char *action;      /* "propose", "keep", "stop" */
    int32_t rung;            /* 0: none */
    double value, threshold; /* not finite: none */
};
/* Add decisions; with `replaces` in place of those that the sweep with this configuration has. */
int store_put_decisions(struct store *store, const struct store_decision *decisions, int64_t n,
                        bool replaces, struct err *err);

/* Replace a trial's checkpoint, kept until its result. Part of the transaction. */
int store_checkpoint(struct store *store, int64_t trial_id,
                     const struct trial_checkpoint *checkpoint, struct err *err);

/* 1: found; *out views `state`, whose old contents are dropped, and lacks the number in the plan.
 * 0: none. */
int store_checkpoint_find(struct trial_checkpoint *out, struct buf *state, struct store *store,
                          int64_t trial_id, struct err *err);

/* Replace a trial's model file (trial/kept.h), as store_result() does. Part of the transaction. */
int store_put_model(struct store *store, int64_t trial_id, const void *model, size_t bytes,
                    struct err *err);

/* 1: appended to `out`; 0: none. -1 and err also if its bytes differ from those stored. */
int store_find_model(struct buf *out, struct store *store, int64_t trial_id, struct err *err);

/* Drop models, and rows of kept files, for `keep = best`. Only configurations with at least `each` trials (replicates x
 * folds) in the file and none left to run count. The best of them and the choice of --rule 1se keep
 * what they have.
 *
 * is_whole: no trial of the sweep is left to run, so the choice is final; otherwise configurations
 * that may yet be chosen keep theirs. n: models dropped, or NULL. Part of the transaction. Cost: a
 * look at configurations with models; with is_whole, a leaderboard. */
int store_prune_models(struct store *store, const char *sweep, int64_t each, bool is_whole,
                       int64_t *n, struct err *err);

/* Drop damaged models, with a line in notes for each. Part of the transaction. Reads all models. */
int store_drop_damaged(struct store *store, const char *sweep, struct errlist *notes,
                       struct err *err);

/* Drop all models of a sweep, their predictions, and rows of kept files (`keep = none`). n:
 * models. */
int store_drop_models(struct store *store, const char *sweep, int64_t *n, struct err *err);

/* Remove the folders of trials (store/trial_files.h) that have no kept files and are not unfinished,
 * or failed, with a checkpoint. Call before trials run. store_commit() removes folders whose rows
 * were dropped above. -1 and err, which names a folder that cannot be removed. */
int store_remove_leftovers(struct store *store, struct err *err);

/* The output of a trial's model for a sample of the trial's validation part. */
struct store_prediction {
    int32_t sample;
    const char *id;
    const char *group;                  /* NULL: the data have none */
    struct cell observed, predicted;    /* names of classes, or numbers */
    const char *probabilities, *scores; /* JSON objects of the classes, or NULL */
};

/* Add a row. Part of the transaction. */
int store_put_prediction(struct store *store, int64_t trial_id, const struct store_prediction *row,
                         struct err *err);

/* Drop the predictions of configurations that neither rule chooses. Part of the transaction. Cost:
 * a leaderboard, if the sweep has predictions. */
int store_prune_predictions(struct store *store, const char *sweep, struct err *err);

/* A `where` expression over the axes, compiled once, in memory. Each swept setting is a column,
 * bare (hidden_size) or qualified (model.hidden_size), and so is each fixed one that the file or
 * --set gives and that may be an axis. Choices are text, and so is `full`, which
 * SQL orders after any number and treats as 0 in arithmetic. Only one expression is allowed: no
 * second statement, no table, nothing that may differ on another rank (time, random()). Use as
 * struct predicate with store_predicate_keep, for points of the same sweep. err names the
 * expression behind `label`, "where =" or "if", which is borrowed. An axis without a value is NULL. */
struct store_predicate;
int store_predicate_open(struct store_predicate **out, const char *label, const char *expression,
                         const struct sweep *sweep, const struct settings *fixed, struct err *err);
void store_predicate_close(struct store_predicate *predicate);
int store_predicate_keep(void *predicate, const struct sweep *sweep, const struct settings *point,
                         struct err *err);

/* Input of a proposer of the sweep, with `where` and the conditions of axes. sweep and fixed are borrowed. Pair with
 * store_proposing_close(). -1 and err: an expression is faulty. */
struct store_proposing;
int store_proposing_open(struct store_proposing **out, const struct sweep *sweep,
                         const struct settings *fixed, struct err *err);
const struct proposing *store_proposing_of(const struct store_proposing *proposing);
void store_proposing_close(struct store_proposing *proposing);

/* The plan of the rows that proposer_rows() makes under `where` and the conditions of axes. Pair with plan_release(). */
int store_plan(struct plan *plan, const struct sweep *sweep, const struct settings *fixed,
               struct err *err);

#endif
