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

/* Open for writing; creates the file if needed. Takes the advisory lock PATH.lock, which names host
 * and pid. Checks the whole file up to 16 MiB; of a larger one, the tables from which a sweep is
 * resumed.
 *
 * Checks whether the processes of 'running' sessions still exist: by pid and start time, on other
 * hosts by batch job (a few seconds at most). Attempts of dead sessions become 'lost', their trials
 * pending.
 *
 * -1 and err: such a session is alive; the file is not a database, not ours, newer than this
 * program, damaged, locked (err names the holder) or read-only; the disk is full; another process
 * holds the file for 10 s. A refused file stays byte for byte as it was, except that SQLite first
 * repairs it from the journal of a killed run. */
int store_open(struct store **store, const char *path, struct err *err);

/* Open for reading; never creates a file. Attempts of dead sessions read as released. Blocks the
 * writer only with a rollback journal, for one query at most. Works in a directory without write
 * permission. */
int store_open_reader(struct store **store, const char *path, struct err *err);

/* Return the path of the file. Owned by the store. */
const char *store_path(const struct store *store);

/* Return a line for each session whose trials store_open() released, or that it assumed dead
 * because nothing could confirm its state. Owned by the store. */
const struct errlist *store_released(const struct store *store);

/* Let a writer wait up to patience_s for other processes (an open transaction; with a rollback
 * journal also a reader). Meanwhile the caller's thread calls `wait` about 20 times a second with
 * the seconds waited and the holder ("pid 4711 (sqlite3)"; "" if unknown); false gives up. It must
 * not use the store. */
void store_be_patient(struct store *store, double patience_s,
                      bool (*wait)(void *arg, double waited_s, const char *holder), void *arg);

/* Fold the log into the file. Everything must be committed. A reader that prevents it is no error.
 * -1 and err: the disk refuses the data. Nothing is lost then: the log stays beside the file, and
 * both belong together. */
int store_settle(struct store *store, struct err *err);

/* Return free pages to the disk after store_settle(), if they are more than 1 MiB and a quarter of
 * the file. Does nothing while a reader has the file open, if the disk has no room for a second
 * copy, or if more than 1 GiB is in use (too slow). Returns the bytes saved; 0 also after a
 * failure, which leaves the file as it was. Calls go_on many times a second; false stops the work.
 * go_on must not use the store. */
int64_t store_compact(struct store *store, bool (*go_on)(void *arg), void *arg);

/* Roll back uncommitted changes and close; takes NULL. A writer leaves one file without a log,
 * unless a reader or the disk prevents it. */
void store_close(struct store *store);

/* Close without a commit, and remove the file if store_open() created it. */
void store_abandon(struct store *store);

/* Stored trials of a plan. Arrays are [n_trials], except the last. */
struct store_trials {
    bool *ours;          /* in: trials of this run's part (all after init). The others are not
                          * registered or looked up, and read as 0, pending, NaN */
    int64_t *ids;        /* as in the views and `show`; 0: not stored */
    uint8_t *states;     /* enum trial_state */
    double *values;      /* objective; NaN if missing, as below */
    double *seconds;     /* seconds of the last attempt */
    double *predicted;   /* seconds predicted for it */
    double *left;        /* share left to run after its checkpoint; 1: no checkpoint */
    int32_t *crashes;    /* crashes of its rank since its last result (done, diverged, failed); 0
                          * for a finished trial */
    int32_t *lost;       /* likewise, attempts cut off when their run was killed */
    int64_t *config_ids; /* [n_configs] of the plan, made by store_register() and store_find(); 0:
                          * not stored, or no trial of it is ours */
};

/* store_trials_release() takes a zeroed struct. */
int store_trials_init(struct store_trials *trials, int64_t n_trials, struct err *err);
void store_trials_release(struct store_trials *trials);

/* Compare a plan with the stored sweep of its name. Adds a line to `out` for each
 *
 * - fixed setting that can change numbers and has another value ("train.epochs: 3 -> 5");
 * - change of the data ("the data differ: FILE (digest a -> b)");
 * - model type of the plan whose stored configurations come from an earlier revision
 *   (settings_revision()).
 *
 * No lines if the plan continues the sweep, or no sweep has this name. An axis on either side may
 * take any value; replicates and `where` may change (doc/decisions/0014). */
int store_differences(struct store *store, const struct plan *plan, const struct dataset *data,
                      struct errlist *out, struct err *err);

/* Rename a sweep to NAME#1 or the next free number, returned in `renamed`, so that its name is
 * free. Durable at once. */
int store_supersede(struct store *store, const char *name, struct buf *renamed, struct err *err);

/* Register a plan (sweep, axes, configurations, trials) in one transaction. Rows with the same keys
 * stay. A part of a plan (trials->ours) adds only the configurations it needs, with the numbers of
 * the whole plan if these are free. Fills trials, which show the keys already finished. work:
 * [n_configs]; NULL: unknown. -1 and err also if store_differences() finds any; err names the
 * first. */
int store_register(struct store *store, const struct plan *plan, const struct dataset *data,
                   const struct gcn_cost *work, struct store_trials *trials, struct err *err);

/* Like store_register(), but for a reader: writes nothing. */
int store_find(struct store *store, const struct plan *plan, const struct dataset *data,
               struct store_trials *trials, struct err *err);

/* A run, recorded once. The store adds the identity of its process, the batch job and the file's
 * inode. */
struct store_session {
    const char *command; /* the command line */
    const char *version; /* version of espalier */
    const char *mpi, *blas, *blas_kernel, *cpu, *host;
    int32_t ranks;
    int32_t pid;
};
int store_begin_session(struct store *store, const struct store_session *session, struct err *err);

/* End the session. Open attempts become 'stopped', their trials pending. Durable at once. */
int store_end_session(struct store *store, const char *outcome, struct err *err);

/* The process that runs a trial. */
struct store_place {
    int32_t rank;
    const char *host;
    int32_t pid;
};

/* Add an open attempt ('running') and set the trial to 'running'. started: Unix seconds. Does
 * nothing if this rank's attempt is open, or if the trial has a result of this session. */
int store_attempt_begin(struct store *store, int64_t trial_id, const struct store_place *place,
                        double started, struct err *err);

/* Note beside the lock that this process begins a trial. If the trial kills the writer before a
 * commit, the next store_open() records the attempt as 'lost'. Takes a microsecond. Any thread,
 * after store_begin_session(). */
void store_note_running(struct store *store, int64_t trial_id);

/* Record a trial lost with its rank. The rank's open attempt, or a new one, becomes 'crashed'. The
 * trial becomes pending, unless it has a result or another rank runs it. */
int store_attempt_crashed(struct store *store, int64_t trial_id, const struct store_place *place,
                          const char *reason, struct err *err);

/* Record a result: attempt, metrics, curve, timing. Skips NaNs and phases without time; replaces
 * earlier values. Ends the rank's open attempt; those of other ranks become 'stopped'. The first
 * such call opens a transaction, which store_commit() ends. State PENDING records only the attempt
 * and gives the trial back. */
int store_result(struct store *store, int64_t trial_id, const struct trial_result *result,
                 struct err *err);
int store_commit(struct store *store, struct err *err);

/* Replace a trial's checkpoint, which is kept until the trial has a result. Part of the
 * transaction. */
int store_checkpoint(struct store *store, int64_t trial_id,
                     const struct trial_checkpoint *checkpoint, struct err *err);

/* Find a trial's checkpoint: 1 and *out, without its number in the plan, a view of `state` (whose
 * old contents are dropped); 0: none. */
int store_checkpoint_find(struct trial_checkpoint *out, struct buf *state, struct store *store,
                          int64_t trial_id, struct err *err);

/* Replace a trial's model file (trial/kept.h). Part of the transaction. store_result() does this
 * for its result's model. */
int store_put_model(struct store *store, int64_t trial_id, const void *model, size_t bytes,
                    struct err *err);

/* Append a trial's model to `out`: 1; 0: none. -1 and err also if its bytes differ from those
 * stored. */
int store_find_model(struct buf *out, struct store *store, int64_t trial_id, struct err *err);

/* Drop models for `keep = best`. It considers finished configurations only: at least `each` trials
 * (replicates x folds) in the file, none left to run; in a shard hardly any. Of these, the best
 * keeps its models, and so does the choice of --rule 1se.
 *
 * is_whole: no trial of the sweep is left to run, so the choice is final. Otherwise configurations
 * that may yet be chosen keep theirs. n: models dropped, or NULL. Part of the transaction. Cost: a
 * look at configurations with models; with is_whole, a leaderboard. */
int store_prune_models(struct store *store, const char *sweep, int64_t each, bool is_whole,
                       int64_t *n, struct err *err);

/* Drop the models that store_find_model() would refuse, with a line in notes for each. Part of the
 * transaction. Cost: reads all models. */
int store_drop_damaged(struct store *store, const char *sweep, struct errlist *notes,
                       struct err *err);

/* Drop all models of a sweep (`keep = none`). n as above. */
int store_drop_models(struct store *store, const char *sweep, int64_t *n, struct err *err);

/* Compile a `where` expression over the axes, once, in memory. Each swept setting is a column, bare
 * (hidden_size) or qualified (model.hidden_size). Numbers are numbers; choices are text. So is
 * `full`, which SQL orders after any number and treats as 0 in arithmetic. Allowed is one
 * expression: no second statement, no table, nothing that may differ on another rank (time,
 * random()). Use as struct predicate with store_predicate_keep, for points of the same sweep. err
 * names the expression. */
struct store_predicate;
int store_predicate_open(struct store_predicate **out, const char *expression,
                         const struct sweep *sweep, struct err *err);
void store_predicate_close(struct store_predicate *predicate);
int store_predicate_keep(void *predicate, const struct sweep *sweep, const struct settings *point,
                         struct err *err);

#endif
