/* SPDX-License-Identifier: BSD-3-Clause */
/* A connection to a database. Internal to src/store. */
#ifndef STORE_CONNECTION_H
#define STORE_CONNECTION_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/lock.h"
#include "store/sql.h"

#define STATEMENT_TRIAL_COLUMNS                                                  "replicate, fold, trial_id, state, value, seconds, predicted, attempts,"     " iif(state IN ('pending', 'running') OR state = 'held', coalesce((SELECT remaining"           " FROM checkpoint AS c WHERE c.trial_id = trial.trial_id AND remaining >= 0" \
    " AND remaining < 1), 1.0), 1.0) AS remaining"

/* clang-format off */

/* Drop rows of the table `kept` for `keep = best`. Places are those of the leaderboard (views.c). While
 * trials are left to run (?3 = 0), keep each configuration that no other beats in both place and
 * cost. A beaten one is never chosen: the other is within the standard error whenever it is. */
#define STATEMENT_PRUNE(kept) \
    "WITH " SQL_CHOSEN "," \
      /* This join order visits kept rows only; others visit every trial. */ \
      " has AS MATERIALIZED (SELECT DISTINCT config_id FROM " kept " CROSS JOIN trial" \
      " USING (trial_id) CROSS JOIN config USING (config_id) WHERE sweep_id = ?1)," \
      " over AS MATERIALIZED (SELECT config_id FROM has WHERE (SELECT" \
      " count(*) >= ?2 AND count(*) FILTER (WHERE " SQL_UNFINISHED ") = 0" \
      " FROM trial WHERE trial.config_id = has.config_id))," \
      " scored AS (SELECT config_id, count(value) AS trials, avg(value) * (SELECT" \
      " iif(direction = 'max', -1, 1) FROM sweep WHERE sweep_id = ?1) AS worse," \
      " config.flops AS flops, avg(seconds) AS seconds" \
      " FROM over JOIN config USING (config_id) JOIN trial USING (config_id)" \
      " WHERE state = 'done' GROUP BY config_id HAVING count(value) > 0)," \
      " ranked AS (SELECT *, row_number() OVER (ORDER BY trials DESC, worse, config_id) AS place" \
      " FROM scored)," \
      " costed AS (SELECT config_id, place, row_number() OVER (ORDER BY " SQL_COST ", place)" \
      " AS cost FROM ranked)," \
      " stays AS MATERIALIZED (SELECT config_id FROM (SELECT *, min(cost) OVER (ORDER BY place)" \
      " AS least FROM costed) WHERE place = 1 OR iif(?3, config_id IN (SELECT config FROM chosen)," \
      " ?2 > 1 AND cost = least))" \
    "DELETE FROM " kept " WHERE trial_id IN (SELECT trial_id FROM over JOIN trial" \
    " USING (config_id) WHERE config_id NOT IN (SELECT config_id FROM stays))"

#define STATEMENT_DROP(kept) \
    "DELETE FROM " kept " WHERE trial_id IN (SELECT trial_id FROM " kept " CROSS JOIN trial" \
    " USING (trial_id) CROSS JOIN config USING (config_id) WHERE sweep_id = ?1)"

#define STATEMENT_TABLE(X) \
    X(BEGIN, "BEGIN IMMEDIATE") \
    X(COMMIT, "COMMIT") \
    X(SWEEP_FIND, \
      "SELECT sweep_id, ini, data_digest FROM sweep WHERE name = ?1") \
    X(SWEEP_INSERT, \
      "INSERT INTO sweep (name, objective, direction, task, file, ini, data_digest, samples," \
      " features, classes, planned, created, updated, parts)" \
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13)") \
    X(SWEEP_UPDATE, \
      "UPDATE sweep SET file = ?2, ini = ?3, planned = ?4, updated = ?5, parts = ?6" \
      " WHERE sweep_id = ?1") \
    /* NAME#1, or the next free number. */ \
    X(SWEEP_PAST_NAME, \
      "WITH RECURSIVE past (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM past" \
      " WHERE n <= (SELECT count(*) FROM sweep))" \
      " SELECT ?1 || '#' || n FROM past" \
      " WHERE ?1 || '#' || n NOT IN (SELECT name FROM sweep) ORDER BY n LIMIT 1") \
    X(SWEEP_RENAME, "UPDATE sweep SET name = ?2 WHERE name = ?1") \
    X(AXIS_NAMES, "SELECT name FROM axis WHERE sweep_id = ?1") \
    X(AXIS_INSERT, \
      "INSERT INTO axis (sweep_id, ordinal, name)" \
      " SELECT ?1, 1 + coalesce(max(ordinal), 0), ?2 FROM axis WHERE sweep_id = ?1" \
      " ON CONFLICT DO NOTHING") \
    /* Settings that are no axis of the file but differ from stored ones. */ \
    X(AXIS_CHANGED, \
      "INSERT INTO axis (sweep_id, ordinal, name)" \
      " SELECT ?1, (SELECT coalesce(max(ordinal), 0) FROM axis WHERE sweep_id = ?1)" \
      " + row_number() OVER (ORDER BY new.id), new.key" \
      " FROM json_each(?2) AS new, json_each(" \
      "(SELECT params FROM config WHERE config_id =" \
      " (SELECT min(config_id) FROM config WHERE sweep_id = ?1))) AS old" \
      " WHERE new.key = old.key AND new.value IS NOT old.value ON CONFLICT DO NOTHING") \
    X(AXIS_LEVELS, /* ?2: JSON ids of configs that have all values; NULL: all */ \
      "UPDATE axis SET levels = (SELECT json_group_array(level) FROM" \
      " (SELECT DISTINCT params ->> axis.name AS level FROM config WHERE iif(?2 IS NULL," \
      " sweep_id = ?1, config_id IN (SELECT value FROM json_each(?2)))" \
      " AND level IS NOT NULL ORDER BY level)) WHERE sweep_id = ?1") \
    X(CONFIGS_OF, "SELECT config_id, key FROM config WHERE sweep_id = ?1") \
    X(CONFIG_INSERT, /* with the number ?6, if it is free */ \
      "INSERT INTO config (sweep_id, ordinal, key, params, flops, config_id)" \
      " VALUES (?1, ?2, ?3, ?4, ?5, (SELECT ?6 WHERE NOT EXISTS" \
      " (SELECT 1 FROM config WHERE config_id = ?6)))") \
    /* Trials of the sweep ?1 in the order of the table. One sweep needs no lookups. */ \
    X(TRIALS_OF, \
      "SELECT config_id, " STATEMENT_TRIAL_COLUMNS " FROM trial" \
      " WHERE " SQL_ONE_SWEEP \
      " UNION ALL SELECT config_id, " STATEMENT_TRIAL_COLUMNS \
      " FROM config CROSS JOIN trial USING (config_id)" \
      " WHERE sweep_id = ?1 AND NOT " SQL_ONE_SWEEP) \
    /* Rows whose parent another program deleted. */ \
    X(ORPHANS, \
      "SELECT 'configurations of sweep ' || min(sweep_id) FROM (SELECT DISTINCT sweep_id FROM config)" \
      " WHERE sweep_id NOT IN (SELECT sweep_id FROM sweep) HAVING count(*) > 0 UNION ALL" \
      " SELECT 'trials of configuration ' || min(config_id) FROM (SELECT DISTINCT config_id FROM trial)" \
      " WHERE config_id NOT IN (SELECT config_id FROM config) HAVING count(*) > 0") \
    X(TRIAL_LAST, /* larger ones are not ours */ \
      "SELECT coalesce(max(trial_id), 0) FROM trial WHERE trial_id BETWEEN 1 AND 1000000000000000") \
    X(TRIAL_INSERT, \
      "INSERT INTO trial (trial_id, config_id, replicate, fold, key) VALUES (?, ?, ?, ?, ?)") \
    X(TRIAL_INSERT_16, /* 16 rows at once take two thirds of the time */ \
      "INSERT INTO trial (trial_id, config_id, replicate, fold, key) VALUES" \
      " (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)," \
      " (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)," \
      " (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)," \
      " (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)") \
    X(TRIAL_INSERT_AS, \
      "INSERT INTO trial (config_id, replicate, fold, key, trial_id)" \
      " VALUES (?1, ?2, ?3, ?4, (SELECT ?5 WHERE NOT EXISTS" \
      " (SELECT 1 FROM trial WHERE trial_id = ?5)))") \
    X(TRIAL_ENDED, /* attempts since the trial's last result, and the longest */ \
      "SELECT outcome, iif(outcome = 'stopped', count(DISTINCT session_id), count(*))," \
      " max(finished - started) FROM attempt WHERE trial_id = ?1" \
      " AND outcome IN ('crashed', 'lost', 'stopped') AND attempt_id >" \
      " (SELECT coalesce(max(attempt_id), 0) FROM attempt WHERE trial_id = ?1" \
      " AND outcome IN ('done', 'diverged', 'failed', 'held')) GROUP BY outcome") \
    X(MEMBERS_EXIST, "SELECT EXISTS (SELECT 1 FROM member)") \
    X(TRIAL_RANKS, /* of its result */ \
      "SELECT count(*) FROM member WHERE attempt_id = (SELECT max(attempt_id) FROM attempt" \
      " WHERE trial_id = ?1 AND outcome = 'done')") \
    X(SESSION_INSERT, \
      "INSERT INTO session (command, version, host, pid, ranks, cpu, mpi, blas, blas_kernel," \
      " started, realm, born, job, inode)" \
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)") \
    /* The attempt in a dead session's note, unless it already has a row. */ \
    X(SESSION_RECALL, \
      "INSERT INTO attempt (trial_id, session_id, rank, host, pid, started, outcome)" \
      " SELECT trial_id, session_id, 0, host, pid, ?3, 'running' FROM session, trial" \
      " WHERE session_id = ?1 AND trial_id = ?2 AND state IN ('pending', 'running')" \
      " AND NOT EXISTS (SELECT 1 FROM attempt AS old WHERE old.trial_id = ?2" \
      " AND old.session_id = ?1 AND old.rank = 0 AND coalesce(old.finished, 9e999) >= ?3)") \
    X(TRAFFIC_PUT, \
      "INSERT OR REPLACE INTO traffic (session_id, rank, host, activity, size, calls, bytes," \
      " seconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)") \
    X(SESSION_LOST, "UPDATE session SET outcome = 'lost' WHERE session_id = ?1") \
    X(SESSION_END, "UPDATE session SET finished = ?2, outcome = ?3 WHERE session_id = ?1") \
    /* End a session's open attempts. Run these two in this order. */ \
    X(SESSION_TRIALS_RETURN, \
      "UPDATE trial SET state = 'pending' WHERE state = 'running' AND trial_id IN" \
      " (SELECT trial_id FROM attempt WHERE outcome = 'running'" SQL_WITHOUT_RESULT \
      " AND session_id IS nullif(?1, 0))") \
    X(SESSION_ATTEMPTS_END, \
      "UPDATE attempt SET finished = ?2, outcome = ?3 WHERE outcome = 'running'" \
      SQL_WITHOUT_RESULT " AND session_id IS nullif(?1, 0)") \
    X(RESULT_UPDATE, \
      "UPDATE trial SET state = ?2, value = ?3, epochs_run = ?4, best_epoch = ?5, seconds = ?6," \
      " predicted = ?7, flops = ?8, peak_bytes = ?9, error = ?10, attempts = attempts + ?11" \
      " WHERE trial_id = ?1") \
    X(ATTEMPT_COUNT, "UPDATE trial SET attempts = attempts + ?2 WHERE trial_id = ?1") \
    X(TRIAL_RUNS, \
      "UPDATE trial SET state = 'running', error = NULL, attempts = attempts + 1" \
      " WHERE trial_id = ?1") \
    X(TRIAL_HAS_RESULT, \
      "SELECT 1 FROM attempt WHERE trial_id = ?1 AND session_id IS nullif(?2, 0)" \
      " AND outcome IN ('done', 'diverged', 'failed')") \
    /* Only if no other rank runs it. */ \
    X(TRIAL_RETURNS, \
      "UPDATE trial SET state = 'pending' WHERE trial_id = ?1 AND state = 'running'" \
      " AND NOT EXISTS (SELECT 1 FROM attempt WHERE trial_id = ?1 AND outcome = 'running')") \
    /* RETURNING above would make a table for every result (measured: 3 times slower). */ \
    X(ATTEMPTS, "SELECT attempts FROM trial WHERE trial_id = ?1") \
    X(ATTEMPT_INSERT, \
      "INSERT INTO attempt (trial_id, session_id, rank, host, pid, started, finished, outcome," \
      " error) VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7, ?8, ?9)") \
    X(MEMBER_INSERT, "INSERT INTO member VALUES (?1, ?2, ?3)") \
    /* The attempt of rank ?2; 0: only other ranks have one; -1: none. */ \
    X(ATTEMPT_OPEN, \
      "SELECT coalesce(max(iif(rank = ?2, attempt_id, 0)), -1) FROM attempt" \
      " WHERE trial_id = ?1 AND outcome = 'running'" SQL_WITHOUT_RESULT) \
    X(ATTEMPT_CLOSE, \
      "UPDATE attempt SET host = ?2, pid = ?3, started = coalesce(?4, started), finished = ?5," \
      " outcome = ?6, error = ?7 WHERE attempt_id = ?1") \
    X(ATTEMPTS_STOP, /* when another rank had a result */ \
      "UPDATE attempt SET finished = ?2, outcome = 'stopped'" \
      " WHERE trial_id = ?1 AND outcome = 'running'" SQL_WITHOUT_RESULT) \
    X(STATE_SET, "UPDATE trial SET state = ?2 WHERE trial_id = ?1") \
    X(RUNG_PUT, "INSERT OR REPLACE INTO rung VALUES (?1, ?2, ?3)") \
    X(RUNG_FIND, "SELECT value FROM rung WHERE trial_id = ?1 AND rung = ?2") \
    X(RUNGS_FORGET, "DELETE FROM rung WHERE trial_id = ?1 AND value IS NULL") \
    X(EPOCHS_RUN, "SELECT coalesce(epochs_run, 0) FROM trial WHERE trial_id = ?1") \
    X(CURVE_UNTIL, \
      "SELECT val_loss, val_value FROM curve WHERE trial_id = ?1" \
      " AND epoch <= ?2 - (SELECT min(epoch) = 0 FROM curve WHERE trial_id = ?1) ORDER BY epoch") \
    X(CONFIG_SWEEP, "SELECT sweep_id FROM config WHERE config_id = ?1") \
    X(DECISIONS_DELETE, "DELETE FROM decision WHERE sweep_id = ?1") \
    X(DECISION_PUT, \
      "INSERT INTO decision SELECT sweep_id, ?2, config_id, ?3, ?4, ?5, ?6 FROM config" \
      " WHERE config_id = ?1") \
    X(CHECKPOINT_PUT, "INSERT OR REPLACE INTO checkpoint VALUES (?1, ?2, ?3, ?4, ?5)") \
    X(CHECKPOINT_FIND, \
      "SELECT epoch, remaining, seconds, state FROM checkpoint WHERE trial_id = ?1") \
    X(CHECKPOINT_DELETE, "DELETE FROM checkpoint WHERE trial_id = ?1") \
    X(MODEL_PUT, "INSERT OR REPLACE INTO model VALUES (?1, '', zeroblob(0))") \
    X(MODEL_FILL, "UPDATE model SET hash = ?2, safetensors = ?3 WHERE trial_id = ?1") \
    X(MODEL_DROP, STATEMENT_DROP("model")) \
    X(MODEL_DELETE, "DELETE FROM model WHERE trial_id = ?1") \
    X(MODELS_OF, /* model.c relies on these columns */ \
      "SELECT hash, safetensors, trial_id FROM model CROSS JOIN trial USING (trial_id)" \
      " CROSS JOIN config USING (config_id) CROSS JOIN sweep USING (sweep_id) WHERE name = ?1") \
    X(MODEL_FIND, "SELECT hash, safetensors FROM model WHERE trial_id = ?1") \
    X(MODEL_PRUNE, STATEMENT_PRUNE("model")) \
    X(FILE_INSERT, "INSERT INTO file VALUES (?1, ?2, ?3)") \
    X(FILE_DELETE, "DELETE FROM file WHERE trial_id = ?1") \
    X(FILE_DROP, STATEMENT_DROP("file") " RETURNING trial_id") \
    X(FILE_PRUNE, STATEMENT_PRUNE("file") " RETURNING trial_id") \
    X(FOLDER_NEEDED, /* see trial_files.c */ \
      "SELECT EXISTS (SELECT 1 FROM file WHERE trial_id = ?1) + ifnull((SELECT CASE" \
      " WHEN state IN ('pending', 'running') OR state = 'held' THEN 6 WHEN state = 'failed' THEN 4 END" \
      " FROM trial WHERE trial_id = ?1), 0)") \
    X(PREDICTION_INSERT, "INSERT INTO prediction VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)") \
    X(PREDICTION_DROP, /* of the sweep ?1 */ \
      "WITH " SQL_PREDICTED " DELETE FROM prediction WHERE trial_id IN (SELECT trial_id" \
      " FROM predicted_trials CROSS JOIN trial USING (trial_id)" \
      " CROSS JOIN config USING (config_id) WHERE sweep_id = ?1)") \
    X(PREDICTION_PRUNE, \
      "WITH " SQL_CHOSEN ", " SQL_PREDICTED " DELETE FROM prediction WHERE trial_id IN" \
      " (SELECT trial_id FROM predicted_trials CROSS JOIN trial USING (trial_id)" \
      " CROSS JOIN config USING (config_id)" \
      " WHERE sweep_id = ?1 AND config_id NOT IN (SELECT config FROM chosen))") \
    X(FACT_INSERT, "INSERT INTO data_fact VALUES (?1, ?2, ?3, ?4, ?5)") \
    X(FACTS_DELETE, "DELETE FROM data_fact WHERE sweep_id = ?1") \
    X(METRIC_DELETE, "DELETE FROM metric WHERE trial_id = ?1") \
    X(CURVE_DELETE, "DELETE FROM curve WHERE trial_id = ?1") \
    X(TIMING_DELETE, "DELETE FROM timing WHERE trial_id = ?1") \
    X(CURVE_METRIC_DELETE, "DELETE FROM curve_metric WHERE trial_id = ?1") \
    X(LOG_DELETE, "DELETE FROM log WHERE trial_id = ?1") \
    X(METRIC_INSERT, "INSERT INTO metric VALUES (?1, ?2, ?3, ?4)") \
    X(CURVE_INSERT, "INSERT INTO curve VALUES (?1, ?2, ?3, ?4, ?5, ?6)") \
    X(CURVE_METRIC_INSERT, "INSERT INTO curve_metric VALUES (?1, ?2, ?3, ?4)") \
    X(LOG_INSERT, "INSERT INTO log VALUES (?1, ?2, ?3)") \
    X(TIMING_INSERT, "INSERT INTO timing VALUES (?1, ?2, ?3)")

/* clang-format on */

enum statement {
#define STATEMENT_ENUM(id, sql) STATEMENT_##id,
    STATEMENT_TABLE(STATEMENT_ENUM)
#undef STATEMENT_ENUM
        STATEMENT_COUNT
};

struct store {
    sqlite3 *db;
    char *path;
    struct lock lock;
    bool is_writer;
    bool is_new;                  /* created by this store_open() */
    int64_t session_id;           /* 0: none has begun */
    int64_t reference;            /* query_compare_with(); 0: the best configuration */
    char objective[64];           /* query_rank_by(); "": that of each sweep */
    bool maximizes;               /* the former */
    struct session_check *checks; /* [n_checks] */
    size_t n_checks;
    struct errlist released;
    struct buf saved;   /* name of the copy by database_file_check_place() */
    struct buf models;  /* of this transaction: id, size, bytes of each */
    struct buf dropped; /* trials whose files were dropped: ids (int64_t) */
    struct buf ended;   /* trials whose checkpoints are no longer needed: likewise */
    struct buf gangs;   /* trials of several ranks since this file was opened: id (int64_t), and
                         * whether the checkpoint was dropped (uint32_t) */
    /* Metrics of programs, each as split and name with their NULs: those with a column in `trials`,
     * in its order, and those that this connection wrote. */
    struct buf reported, written;
    bool has_new_metrics; /* or decisions of a search: the views may lack a column */
    bool has_search;      /* the temporary view `leaderboard` has the column `reached` */
    bool has_reserve;     /* database_file_reserve() */
    sqlite3_stmt *statements[STATEMENT_COUNT];

    /* for store_be_patient() */
    double patience_s, waiting_since_s;
    bool (*wait)(void *arg, double waited_s, const char *holder);
    void *wait_arg;
    int held[2];                   /* descriptors of database_file_holder(); 0: none */
    int64_t file_bytes, log_bytes; /* as noted by database_file_note_size() */
    bool is_cut_off;               /* see database_file_is_cut_off() */
    bool is_full;                  /* a statement found no room on the disk or in a quota */
};

#endif
