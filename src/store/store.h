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

/* Open a database for writing, or create it. Takes the advisory lock PATH.lock, which names host
 * and pid.
 *
 * Checks the file: up to 16 MiB all of it, above that the tables from which a sweep is resumed.
 * Checks whether the processes of sessions with outcome 'running' still exist: by pid and start
 * time, or on other hosts by their batch job (a few seconds at most). The open attempts of a dead
 * session become 'lost' and its trials pending.
 *
 * -1 and err if one of these sessions is alive, or if the file is not a database, belongs to
 * another program, was made by a newer espalier, is damaged, locked (err names the holder) or
 * read-only, if the disk is full, or if another process holds the database for 10 s. A refused file
 * stays byte for byte as it was, except that SQLite first repairs it from the journal of a killed
 * run. */
int store_open(struct store **store, const char *path, struct err *err);

/* Open a database for reading. Open attempts of dead sessions read as if they had been released.
 * Never creates a file, and works in a directory without write permission. Never blocks the writer,
 * except for the duration of one query with a rollback journal. */
int store_open_reader(struct store **store, const char *path, struct err *err);

/* Return a line for each session whose trials store_open() released, or that it assumed dead
 * because nothing could confirm its state. Owned by the store. */
const struct errlist *store_released(const struct store *store);

/* Make a writer wait up to patience_s for other processes from now on (an open transaction; with a
 * rollback journal also a reader). Meanwhile the caller's thread calls `wait` about 20 times a
 * second with the seconds waited so far and the holder ("pid 4711 (sqlite3)"; "" if unknown).
 * `wait` returns false to give up. It must not use the store. */
void store_be_patient(struct store *store, double patience_s,
                      bool (*wait)(void *arg, double waited_s, const char *holder), void *arg);

/* Fold the log into the file, so that the file is complete without it. All changes must have been
 * committed. A reader that blocks this is no error. -1 and err: the disk does not accept the data.
 * Nothing is lost then: the log stays beside the file, and both belong together. */
int store_settle(struct store *store, struct err *err);

/* Return free pages to the disk after store_settle(), if they are more than 1 MiB and more than a
 * quarter of the file. Does nothing while a reader has the file open, if the disk has no room for a
 * second copy, or if more than 1 GiB is in use, which would take too long. Returns the number of
 * bytes saved; 0 also after a failure, which leaves the file as it was. Calls go_on many times a
 * second; false stops the work. go_on must not use the store. */
int64_t store_compact(struct store *store, bool (*go_on)(void *arg), void *arg);

/* Roll back uncommitted changes and close; takes NULL. A writer leaves one file without a log,
 * unless a reader or the disk prevents it. */
void store_close(struct store *store);

/* Close without a commit, and remove the file if this store_open() created it. */
void store_abandon(struct store *store);

/* The trials of a plan as stored in the database. All arrays are [n_trials], except the last. */
struct store_trials {
    bool *ours;          /* in, set by the caller: trials of this run's part (all after init). The
                          * others are not registered or looked up, and read as 0, pending, NaN */
    int64_t *ids;        /* numbers of the views and of `show`; 0: not in the database */
    uint8_t *states;     /* enum trial_state */
    double *values;      /* the objective; NaN if there is none, as in the arrays below */
    double *seconds;     /* seconds of the last attempt */
    double *predicted;   /* seconds predicted for it */
    double *left;        /* share of the trial left to run after its checkpoint; 1: no checkpoint */
    int32_t *crashes;    /* attempts that crashed their rank since the trial's last result (done,
                          * diverged, failed); 0 for a finished trial */
    int32_t *lost;       /* likewise, attempts under way when their run was killed */
    int64_t *config_ids; /* [n_configs] of the plan, allocated by store_register() and store_find();
                          * 0: no such configuration in the database, or none of its trials is
                          * ours */
};

/* -1 and err if memory runs out. store_trials_release() takes a zeroed struct. */
int store_trials_init(struct store_trials *trials, int64_t n_trials, struct err *err);
void store_trials_release(struct store_trials *trials);

/* Compare a plan with the stored sweep of its name. Adds a line to `out` for each difference that
 * makes it another sweep:
 *
 * - a fixed setting that can change numbers has another value ("train.epochs: 3 -> 5");
 * - the data differ ("the data differ: FILE (digest a -> b)");
 * - an earlier revision computed the stored configurations of one of the plan's model types
 *   (settings_revision()).
 *
 * Adds nothing if the plan continues the sweep, or if the database has no sweep of this name. An
 * axis of the database or the plan may take any value; replicates and `where` may change
 * (doc/decisions/0014). */
int store_differences(struct store *store, const struct plan *plan, const struct dataset *data,
                      struct errlist *out, struct err *err);

/* Rename a sweep to free its name for another one: NAME becomes NAME#1 or the next free number,
 * returned in `renamed`. Durable at once. */
int store_supersede(struct store *store, const char *name, struct buf *renamed, struct err *err);

/* Register a plan (its sweep, axes, configurations and trials) in one transaction. Existing rows
 * with the same keys stay. A part of a plan (trials->ours) registers only the configurations that
 * it needs, under the numbers that the whole plan would assign, if these are free. Fills trials, so
 * that the caller can skip finished keys. swept and settings come from plan. work: [n_configs];
 * NULL: unknown. -1 and err also if store_differences() finds any; err names the first. */
int store_register(struct store *store, const struct plan *plan, const struct dataset *data,
                   const struct gcn_cost *work, struct store_trials *trials, struct err *err);

/* Like store_register(), but for a reader: writes nothing. */
int store_find(struct store *store, const struct plan *plan, const struct dataset *data,
               struct store_trials *trials, struct err *err);

/* Description of a run, recorded once. The store adds the identity of the process, the batch job,
 * and the inode of the file. */
struct store_session {
    const char *command; /* the command line */
    const char *version; /* version of espalier */
    const char *mpi, *blas, *blas_kernel, *cpu, *host;
    int32_t ranks;
    int32_t pid;
};
int store_begin_session(struct store *store, const struct store_session *session, struct err *err);

/* End the session. Attempts still open become 'stopped' and their trials pending. Durable at
 * once. */
int store_end_session(struct store *store, const char *outcome, struct err *err);

/* The process that runs a trial. */
struct store_place {
    int32_t rank;
    const char *host;
    int32_t pid;
};

/* Record that a trial runs: add an open attempt ('running') and set the trial to 'running'.
 * started: Unix seconds. Does nothing if this rank's attempt is already open, or if the trial has a
 * result of this session. */
int store_attempt_begin(struct store *store, int64_t trial_id, const struct store_place *place,
                        double started, struct err *err);

/* Note beside the lock that this process begins a trial. If the trial kills the writer before a
 * commit, the next store_open() finds the note and records the attempt as 'lost'. Takes a
 * microsecond. Any thread, after store_begin_session(). */
void store_note_running(struct store *store, int64_t trial_id);

/* Record that a trial was lost with its rank. The rank's open attempt becomes 'crashed' (if none is
 * open, one is added). The trial becomes pending, unless it has a result or another rank runs
 * it. */
int store_attempt_crashed(struct store *store, int64_t trial_id, const struct store_place *place,
                          const char *reason, struct err *err);

/* Record a result under trial_id: attempt, metrics, curve, timing. Skips NaNs and phases without
 * time, and replaces the values of an earlier attempt. Ends the rank's open attempt of the trial,
 * if any; those of other ranks become 'stopped'. The first of these calls opens a transaction,
 * which store_commit() ends. A result with state PENDING records only the attempt and returns the
 * trial to pending. */
int store_result(struct store *store, int64_t trial_id, const struct trial_result *result,
                 struct err *err);
int store_commit(struct store *store, struct err *err);

/* Replace a trial's checkpoint. The database keeps it until the trial has a result. Part of the
 * transaction, like a result. */
int store_checkpoint(struct store *store, int64_t trial_id,
                     const struct trial_checkpoint *checkpoint, struct err *err);

/* 1: *out is the trial's checkpoint, without its number in the plan. It is a view of `state`, whose
 * old contents are dropped. 0: the trial has none. -1 and err. */
int store_checkpoint_find(struct trial_checkpoint *out, struct buf *state, struct store *store,
                          int64_t trial_id, struct err *err);

/* Replace a trial's model file (trial/kept.h). Part of the transaction. store_result() calls this
 * for the model of its result. */
int store_put_model(struct store *store, int64_t trial_id, const void *model, size_t bytes,
                    struct err *err);

/* 1: the trial's model was appended to `out`. 0: the trial has none. -1 and err, also if its bytes
 * differ from those stored. */
int store_find_model(struct buf *out, struct store *store, int64_t trial_id, struct err *err);

/* Drop the models that `keep = best` does not keep. Only configurations that are over count: those
 * with at least `each` trials (replicates x folds) in the file, none of them left to run. In a
 * shard hardly any is. The best of them keeps its models, and so does the one that --rule 1se
 * chooses.
 *
 * is_whole: no trial of the sweep is left to run, so the choice is final. Otherwise configurations
 * that may yet be chosen keep their models. n, unless NULL: number of models dropped. Part of the
 * transaction. Cost: a look at each configuration with models; with is_whole, one leaderboard. */
int store_prune_models(struct store *store, const char *sweep, int64_t each, bool is_whole,
                       int64_t *n, struct err *err);

/* Drop the models of a sweep that store_find_model() would refuse, and add a line to notes for
 * each. Part of the transaction. Cost: reads all models. */
int store_drop_damaged(struct store *store, const char *sweep, struct errlist *notes,
                       struct err *err);

/* Drop all models of a sweep (`keep = none`). n, -1 and err as above. */
int store_drop_models(struct store *store, const char *sweep, int64_t *n, struct err *err);

/* Compile a `where` expression over the axes, once, in memory. It sees each swept setting as a
 * column, bare (hidden_size) or qualified (model.hidden_size). Numbers are numbers; choices are
 * text. So is `full`, which SQL orders after any number and treats as 0 in arithmetic. Only an
 * expression is allowed: no second statement, no table, and nothing that could differ on another
 * rank (time, random()). Use it as struct predicate with store_predicate_keep, for points of the
 * same sweep. err names the expression. */
struct store_predicate;
int store_predicate_open(struct store_predicate **out, const char *expression,
                         const struct sweep *sweep, struct err *err);
void store_predicate_close(struct store_predicate *predicate);
int store_predicate_keep(void *predicate, const struct sweep *sweep, const struct settings *point,
                         struct err *err);

#endif
