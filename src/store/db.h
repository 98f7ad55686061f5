/* What the files of the store share: the connection, its statements, and short forms of SQLite's
 * calls. Internal to src/store. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "store/lock.h"
#include "store/result_table.h"
#include "store/rule.h"
#include "store/store.h"

/* The SQL that writes and looks up, one row each: prepared once per connection (db_bind). */

/* clang-format off */
#define STATEMENT_TABLE(X) \
    X(BEGIN, "BEGIN IMMEDIATE") \
    X(COMMIT, "COMMIT") \
    X(ROLLBACK, "ROLLBACK") \
    \
    X(SWEEP_FIND, \
      "SELECT sweep_id, ini, data_digest FROM sweep WHERE name = ?1") \
    X(SWEEP_INSERT, \
      "INSERT INTO sweep (name, objective, direction, task, file, ini, data_digest, samples," \
      " features, classes, planned, created, updated, parts)" \
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13)") \
    X(SWEEP_UPDATE, \
      "UPDATE sweep SET file = ?2, ini = ?3, planned = ?4, updated = ?5, parts = ?6" \
      " WHERE sweep_id = ?1") \
    /* NAME#1, or the next number that is free; there are no more than sweeps. */ \
    X(SWEEP_PAST_NAME, \
      "WITH RECURSIVE past (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM past" \
      " WHERE n <= (SELECT count(*) FROM sweep))" \
      " SELECT ?1 || '#' || n FROM past" \
      " WHERE ?1 || '#' || n NOT IN (SELECT name FROM sweep) ORDER BY n LIMIT 1") \
    X(SWEEP_RENAME, "UPDATE sweep SET name = ?2 WHERE name = ?1") \
    \
    X(AXIS_NAMES, "SELECT name FROM axis WHERE sweep_id = ?1") \
    X(AXIS_INSERT, \
      "INSERT INTO axis (sweep_id, ordinal, name)" \
      " SELECT ?1, 1 + coalesce(max(ordinal), 0), ?2 FROM axis WHERE sweep_id = ?1" \
      " ON CONFLICT DO NOTHING") \
    /* A setting that is no axis of the file, but is not what the configurations had so far. */ \
    X(AXIS_CHANGED, \
      "INSERT INTO axis (sweep_id, ordinal, name)" \
      " SELECT ?1, (SELECT coalesce(max(ordinal), 0) FROM axis WHERE sweep_id = ?1)" \
      " + row_number() OVER (ORDER BY new.id), new.key" \
      " FROM json_each(?2) AS new, json_each(" \
      "(SELECT params FROM config WHERE config_id =" \
      " (SELECT min(config_id) FROM config WHERE sweep_id = ?1))) AS old" \
      " WHERE new.key = old.key AND new.value IS NOT old.value ON CONFLICT DO NOTHING") \
    X(AXIS_LEVELS, /* configs: ids whose values are all that the sweep has, as JSON; NULL: all of it */ \
      "UPDATE axis SET levels = (SELECT json_group_array(level) FROM" \
      " (SELECT DISTINCT params ->> axis.name AS level FROM config WHERE iif(?2 IS NULL," \
      " sweep_id = ?1, config_id IN (SELECT value FROM json_each(?2)))" \
      " AND level IS NOT NULL ORDER BY level)) WHERE sweep_id = ?1") \
    \
    X(CONFIGS_OF, "SELECT config_id, key FROM config WHERE sweep_id = ?1") \
    /* _AS: with a number, where that is free. */ \
    X(CONFIG_INSERT, \
      "INSERT INTO config (sweep_id, ordinal, key, params, flops) VALUES (?1, ?2, ?3, ?4, ?5)") \
    X(CONFIG_INSERT_AS, \
      "INSERT INTO config (sweep_id, ordinal, key, params, flops, config_id)" \
      " VALUES (?1, ?2, ?3, ?4, ?5, (SELECT ?6 WHERE NOT EXISTS" \
      " (SELECT 1 FROM config WHERE config_id = ?6)))") \
    /* Of a sweep, in the order of the table. All trials are of the only sweep: SQLite then need not look \
       each up. ?1: the sweep. */ \
    X(TRIALS_OF, \
      "SELECT config_id, " STATEMENT_TRIAL_COLUMNS " FROM trial" \
      " WHERE ?1 IS NOT NULL AND (SELECT count(*) FROM sweep) = 1" \
      " UNION ALL SELECT config_id, " STATEMENT_TRIAL_COLUMNS \
      " FROM config CROSS JOIN trial USING (config_id)" \
      " WHERE sweep_id = ?1 AND (SELECT count(*) FROM sweep) > 1") \
    /* What another program has deleted, without that which belongs to it. */ \
    X(SWEEP_GONE, \
      "SELECT min(sweep_id) FROM (SELECT DISTINCT sweep_id FROM config)" \
      " WHERE sweep_id NOT IN (SELECT sweep_id FROM sweep)") \
    X(CONFIG_GONE, \
      "SELECT min(config_id) FROM (SELECT DISTINCT config_id FROM trial)" \
      " WHERE config_id NOT IN (SELECT config_id FROM config)") \
    X(TRIAL_LAST, "SELECT max(trial_id) FROM trial") \
    X(TRIAL_INSERT, \
      "INSERT INTO trial (trial_id, config_id, replicate, fold, key) VALUES (?, ?, ?, ?, ?)") \
    X(TRIAL_INSERT_16, /* as many at once take two thirds of the time */ \
      "INSERT INTO trial (trial_id, config_id, replicate, fold, key) VALUES" \
      " (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)," \
      " (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)," \
      " (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)," \
      " (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)") \
    X(TRIAL_INSERT_AS, \
      "INSERT INTO trial (config_id, replicate, fold, key, trial_id)" \
      " VALUES (?1, ?2, ?3, ?4, (SELECT ?5 WHERE NOT EXISTS" \
      " (SELECT 1 FROM trial WHERE trial_id = ?5)))") \
    /* A result settles what was before it; one that was stopped or lost says nothing. */ \
    X(TRIAL_ENDED, /* so: 'crashed', 'lost' */ \
      "SELECT count(*) FROM attempt WHERE trial_id = ?1 AND outcome = ?2 AND attempt_id >" \
      " (SELECT coalesce(max(attempt_id), 0) FROM attempt WHERE trial_id = ?1" \
      " AND outcome IN ('done', 'diverged', 'failed'))") \
    \
    X(SESSION_INSERT, \
      "INSERT INTO session (command, version, host, pid, ranks, cpu, mpi, blas, blas_kernel," \
      " started, realm, born, job, inode)" \
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)") \
    /* What a session's own process was said to run, unless that is known. */ \
    X(SESSION_RECALL, \
      "INSERT INTO attempt (trial_id, session_id, rank, host, pid, started, outcome)" \
      " SELECT trial_id, session_id, 0, host, pid, ?3, 'running' FROM session, trial" \
      " WHERE session_id = ?1 AND trial_id = ?2 AND state IN ('pending', 'running')" \
      " AND NOT EXISTS (SELECT 1 FROM attempt AS open WHERE open.trial_id = ?2" \
      " AND open.session_id = ?1 AND open.rank = 0 AND open.outcome = 'running')") \
    X(SESSION_LOST, "UPDATE session SET outcome = 'lost' WHERE session_id = ?1") \
    X(SESSION_END, "UPDATE session SET finished = ?2, outcome = ?3 WHERE session_id = ?1") \
    /* What a session has open when it ends. In this order. */ \
    X(SESSION_TRIALS_RETURN, \
      "UPDATE trial SET state = 'pending' WHERE state = 'running' AND trial_id IN" \
      " (SELECT trial_id FROM attempt WHERE outcome = 'running'" STATEMENT_WITHOUT_RESULT \
      " AND session_id IS nullif(?1, 0))") \
    X(SESSION_ATTEMPTS_END, \
      "UPDATE attempt SET finished = ?2, outcome = ?3 WHERE outcome = 'running'" \
      STATEMENT_WITHOUT_RESULT " AND session_id IS nullif(?1, 0)") \
    \
    X(RESULT_UPDATE, \
      "UPDATE trial SET state = ?2, value = ?3, epochs_run = ?4, best_epoch = ?5, seconds = ?6," \
      " predicted = ?7, flops = ?8, peak_bytes = ?9, error = ?10, attempts = attempts + ?11" \
      " WHERE trial_id = ?1") \
    X(ATTEMPT_COUNT, "UPDATE trial SET attempts = attempts + ?2 WHERE trial_id = ?1") \
    X(TRIAL_RUNS, \
      "UPDATE trial SET state = 'running', error = NULL, attempts = attempts + 1" \
      " WHERE trial_id = ?1") \
    X(TRIAL_HAS_RESULT, /* of a session */ \
      "SELECT 1 FROM attempt WHERE trial_id = ?1 AND session_id IS nullif(?2, 0)" \
      " AND outcome IN ('done', 'diverged', 'failed')") \
    /* Unless it has a result, or another rank runs it. */ \
    X(TRIAL_RETURNS, \
      "UPDATE trial SET state = 'pending' WHERE trial_id = ?1 AND state = 'running'" \
      " AND NOT EXISTS (SELECT 1 FROM attempt WHERE trial_id = ?1 AND outcome = 'running')") \
    /* Not as RETURNING of the two above: that makes and drops a table for every result, with page \
       faults as soon as the heap is trimmed in between (3 times slower, measured). */ \
    X(ATTEMPTS, "SELECT attempts FROM trial WHERE trial_id = ?1") \
    X(ATTEMPT_INSERT, \
      "INSERT INTO attempt (trial_id, session_id, rank, host, pid, started, finished, outcome," \
      " error) VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7, ?8, ?9)") \
    /* The open attempt of a trial by a rank; 0: only others have one; -1: nobody. */ \
    X(ATTEMPT_OPEN, \
      "SELECT coalesce(max(iif(rank = ?2, attempt_id, 0)), -1) FROM attempt" \
      " WHERE trial_id = ?1 AND outcome = 'running'" STATEMENT_WITHOUT_RESULT) \
    X(ATTEMPT_CLOSE, \
      "UPDATE attempt SET host = ?2, pid = ?3, started = coalesce(?4, started), finished = ?5," \
      " outcome = ?6, error = ?7 WHERE attempt_id = ?1") \
    X(ATTEMPTS_STOP, /* all that are open of a trial: it has its result from another rank */ \
      "UPDATE attempt SET finished = ?2, outcome = 'stopped'" \
      " WHERE trial_id = ?1 AND outcome = 'running'" STATEMENT_WITHOUT_RESULT) \
    X(CHECKPOINT_PUT, "INSERT OR REPLACE INTO checkpoint VALUES (?1, ?2, ?3, ?4, ?5)") \
    X(CHECKPOINT_FIND, \
      "SELECT epoch, remaining, seconds, state FROM checkpoint WHERE trial_id = ?1") \
    X(CHECKPOINT_DELETE, "DELETE FROM checkpoint WHERE trial_id = ?1") \
    X(MODEL_PUT, "INSERT OR REPLACE INTO model VALUES (?1, '', zeroblob(0))") \
    X(MODEL_FILL, "UPDATE model SET hash = ?2, safetensors = ?3 WHERE trial_id = ?1") \
    X(MODEL_DROP, /* all of a sweep */ \
      "DELETE FROM model WHERE trial_id IN (SELECT trial_id FROM model CROSS JOIN trial" \
      " USING (trial_id) CROSS JOIN config USING (config_id) WHERE sweep_id = ?1)") \
    X(MODEL_DELETE, "DELETE FROM model WHERE trial_id = ?1") \
    X(MODELS_OF, /* a sweep; columns are known to model.c */ \
      "SELECT hash, safetensors, trial_id FROM model CROSS JOIN trial USING (trial_id)" \
      " CROSS JOIN config USING (config_id) CROSS JOIN sweep USING (sweep_id) WHERE name = ?1") \
    X(MODEL_FIND, "SELECT hash, safetensors FROM model WHERE trial_id = ?1") \
    /* Places are those of the leaderboard (views.c), and like there the first of equals is better. \
       While more is to come (?3 = 0), what no other is before both in place and in cost may yet be \
       chosen: whatever beats it in both will be within the standard error wherever it is. */ \
    X(MODEL_PRUNE, \
      "WITH " RULE_CHOSEN "," \
      /* In this order it costs what there is of models; in another a look at every trial. */ \
      " has AS MATERIALIZED (SELECT DISTINCT config_id FROM model CROSS JOIN trial" \
      " USING (trial_id) CROSS JOIN config USING (config_id) WHERE sweep_id = ?1)," \
      " over AS MATERIALIZED (SELECT config_id FROM has WHERE (SELECT" \
      " count(*) >= ?2 AND count(*) FILTER (WHERE state IN ('pending', 'running')) = 0" \
      " FROM trial WHERE trial.config_id = has.config_id))," \
      " scored AS (SELECT config_id, count(value) AS trials, avg(value) * (SELECT" \
      " iif(direction = 'max', -1, 1) FROM sweep WHERE sweep_id = ?1) AS worse," \
      " config.flops AS flops, avg(seconds) AS seconds" \
      " FROM over JOIN config USING (config_id) JOIN trial USING (config_id)" \
      " WHERE state = 'done' GROUP BY config_id HAVING count(value) > 0)," \
      " ranked AS (SELECT *, row_number() OVER (ORDER BY trials DESC, worse, config_id) AS place" \
      " FROM scored)," \
      " costed AS (SELECT config_id, place, row_number() OVER (ORDER BY " RULE_COST ", place)" \
      " AS cost FROM ranked)," \
      " stays AS MATERIALIZED (SELECT config_id FROM (SELECT *, min(cost) OVER (ORDER BY place)" \
      " AS least FROM costed) WHERE place = 1 OR iif(?3, config_id IN (SELECT config FROM chosen)," \
      " ?2 > 1 AND cost = least))" \
      "DELETE FROM model WHERE trial_id IN (SELECT trial_id FROM over JOIN trial USING (config_id)" \
      " WHERE config_id NOT IN (SELECT config_id FROM stays))") \
    X(METRIC_DELETE, "DELETE FROM metric WHERE trial_id = ?1") \
    X(CURVE_DELETE, "DELETE FROM curve WHERE trial_id = ?1") \
    X(TIMING_DELETE, "DELETE FROM timing WHERE trial_id = ?1") \
    X(METRIC_INSERT, "INSERT INTO metric VALUES (?1, ?2, ?3, ?4)") \
    X(CURVE_INSERT, "INSERT INTO curve VALUES (?1, ?2, ?3, ?4, ?5, ?6)") \
    X(TIMING_INSERT, "INSERT INTO timing VALUES (?1, ?2, ?3)")

/* clang-format on */

enum statement {
#define STATEMENT_ENUM(id, sql) STATEMENT_##id,
    STATEMENT_TABLE(STATEMENT_ENUM)
#undef STATEMENT_ENUM
        STATEMENT_COUNT
};

#define DB_APPLICATION_ID 0x4553504cu /* "ESPL"; db/schema.sql sets the same */
#define DB_SCHEMA_VERSION 3u          /* likewise; migrate.c leads from older ones to it */

struct store {
    sqlite3 *db;
    char *path;       /* owned; as given, for messages */
    struct lock lock; /* held by a writer */
    bool is_writer;
    bool is_new;         /* made by this store_open() */
    int64_t session_id;  /* 0: none begun */
    struct asked *asked; /* [n_asked] owned; asked.h */
    size_t n_asked;
    struct errlist released;                   /* store_released() */
    struct buf saved;                          /* the copy that fault_check_place() has made */
    struct buf models;                         /* of this transaction: id, size, bytes of each */
    sqlite3_stmt *statements[STATEMENT_COUNT]; /* prepared on first use */

    /* Of a writer, while another process holds the database (store_be_patient). */
    double patience_s, waiting_since_s;
    bool (*wait)(void *arg, double waited_s, const char *holder);
    void *wait_arg;
    int held[2];                   /* descriptors of fault_holder(); 0: none */
    int64_t file_bytes, log_bytes; /* of fault_note_size() */
    bool is_cut_off;               /* somebody has shortened one of them */
};

/* The SQL that makes the tables of each schema from 1 on (db/schema*.sql, generated at build time).
 */
extern const char *const db_schema_sql[DB_SCHEMA_VERSION + 1];

/* A database is untrusted input. Before any other SQL: nothing can be attached, no trigger and no
 * view of the file runs, its expressions call harmless functions only, and pages are checked as
 * they are read. */
int db_distrust(struct store *store, struct err *err);

/* Compare the file's schema with what this program makes as `version`, also by migration. -1 and
 * err, which names the object: a table or index of ours is missing or differs, a trigger or a
 * foreign index stands on one, or a name hides a function of SQLite. Other objects that people
 * added are tolerated; nothing reads them. Costs a few milliseconds, whatever the file's size. */
int schema_check(struct store *store, uint32_t version, struct err *err);

/* "PATH: what failed, why, and what to do" (store/sqlite_error.h). Always -1. */
int db_fail(struct store *store, struct err *err);

/* Constant text only, of one or more statements. Use db_run() for text that is put together. */
int db_exec(struct store *store, const char *sql, struct err *err);

/* Exactly one statement, run to its end. */
int db_run(struct store *store, const struct buf *sql, struct err *err);

/* Append an identifier or a string literal of SQL, quoted. */
void db_put_name(struct buf *sql, const char *name);
void db_put_text(struct buf *sql, const char *text);

/* Open a transaction, unless one is: store_commit() ends it. */
int db_begin(struct store *store, struct err *err);

/* A statement of its own, to be finalized. NULL and err when it cannot be prepared, or when more
 * than one statement is in sql. */
sqlite3_stmt *db_prepare(struct store *store, const char *sql, struct err *err);

/* A statement of the table, reset, with its parameters bound from the arguments, one for each
 * letter of `types`: i int64_t, n int, d double (NaN is NULL), s const char * (NULL is NULL;
 * borrowed until the next use), b const void * and size_t (likewise). NULL and err when it cannot
 * be prepared. */
sqlite3_stmt *db_bind(struct store *store, enum statement id, struct err *err, const char *types,
                      ...);

/* 1: a row is there, 0: no more (the statement is reset then), -1 and err. */
int db_step(struct store *store, sqlite3_stmt *statement, struct err *err);

/* Check the columns of a row from the first on, one letter each: i an integer, n one from 0 to
 * INT32_MAX, r a real number, s a text, t the name of a trial's state, b a blob, ? anything. An
 * upper-case letter also allows NULL. -1 and err, which names the column and what it holds. */
int db_check_row(struct store *store, sqlite3_stmt *row, const char *types, struct err *err);

/* The same, and read them into the arguments: i int64_t *, n int32_t *, r double * (NULL is NaN),
 * s const char ** (borrowed until the next step), t enum trial_state *. NULL is 0 or NULL
 * elsewhere. */
int db_read(struct store *store, sqlite3_stmt *row, struct err *err, const char *types, ...);

/* The names of the columns, copied into out->names and out->n_cols. -1: out of memory. */
int db_column_names(struct result_table *out, sqlite3_stmt *row);

/* A column of a row as a cell. SQLite owns its text until the statement's next step. */
void db_view_cell(struct cell *cell, sqlite3_stmt *row, int column);

/* Run a bound statement to its end; takes the NULL of a failed db_bind(). */
int db_finish(struct store *store, sqlite3_stmt *statement, struct err *err);

/* The first column of the only row, as an integer; `missing` where there is no row. */
int db_integer(struct store *store, sqlite3_stmt *statement, int64_t missing, int64_t *out,
               struct err *err);

/* A sweep file as `sweep.ini` holds it. Pair with sweep_release(). */
int stored_sweep_parse(struct sweep *sweep, struct store *store, const char *ini, struct err *err);

/* Set varies[id] for each setting that a row of the statement names, whose first column is
 * axis.name, and step it to its end. -1 and err, also for a statement that is NULL. */
int stored_axes_mark(bool varies[P_COUNT], struct store *store, sqlite3_stmt *row, struct err *err);

/* Put the values of `config.params`, a JSON object, into settings. -1 and err also where a name or
 * a value is unknown: it comes from a newer program. */
int stored_params_overlay(struct settings *settings, struct store *store, const char *params,
                          struct err *err);

/* What user_version says. (The file's header may be behind a log that a killed run left.) -1 and
 * err: it cannot be read, or is newer than this program. */
int migrate_version(struct store *store, uint32_t *version, struct err *err);

/* Make the tables of schema `from`, brought to `to`, in an empty database. A code of SQLite. */
int migrate_make(sqlite3 *db, uint32_t from, uint32_t to);

/* Bring an older schema to DB_SCHEMA_VERSION, in one transaction. */
int migrate(struct store *store, uint32_t from, struct err *err);

/* Make an older schema look like today's to this connection, without writing. */
int migrate_for_reading(struct store *store, uint32_t from, struct err *err);

/* A writer begins, and none of store->asked lives: what they have left open is lost, its trials
 * pending again. */
int session_release(struct store *store, struct err *err);

/* The models that store_put_model() holds back, those that were dropped meanwhile left out. */
int models_write(struct store *store, struct err *err);

/* Add to ids, as i64, the last of the columns hash, safetensors, id where the file has not that
 * hash. The rows are read to their end. */
int models_damaged(struct buf *ids, struct store *store, sqlite3_stmt *row, struct err *err);

/* The views `trials` and `leaderboard`, made again where their columns have changed. Inside the
 * caller's transaction. Reads all metrics, to know of which parts they are. */
int views_update(struct store *store, struct err *err);

/* The same for new trials, which have no metrics yet; has_stop: they will be scored on a stop part.
 */
int views_expect(struct store *store, bool has_stop, struct err *err);

/* A SELECT of one configuration, ?1: its sweep_id, then the columns of the view `trials` that
 * depend on it alone: the settings, and last `sweep`. */
int views_put_config(struct buf *out, struct store *store, struct err *err);

/* The SELECT of the leaderboard. last > 0: with sd, se and pairs of the places up to this one
 * alone, which takes a fraction of the time. */
int views_put_leaderboard(struct buf *out, struct store *store, int64_t last, struct err *err);

/* The views of this program as temporary ones, which hide the file's: nothing here reads those. */
int views_for_reading(struct store *store, struct err *err);

#endif
