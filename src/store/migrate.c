#include "base/fault.h"
#include "store/db.h"

/* From version i to i + 1; NULL: there never was one. A table that is made anew is not renamed:
 * SQLite would rewrite what people's own views and tables say of it. */
static const char *const steps[DB_SCHEMA_VERSION] = {
    [1] = "ALTER TABLE trial ADD COLUMN predicted REAL; PRAGMA user_version = 2",
    [2] = "DROP VIEW IF EXISTS trials; DROP VIEW IF EXISTS leaderboard;"
          "ALTER TABLE session ADD COLUMN realm TEXT; ALTER TABLE session ADD COLUMN born INTEGER;"
          "ALTER TABLE sweep ADD COLUMN planned INTEGER;"
          "ALTER TABLE sweep ADD COLUMN parts TEXT CHECK (parts IN ('drawn', 'given'));"
          "ALTER TABLE session ADD COLUMN job TEXT; ALTER TABLE session ADD COLUMN inode INTEGER;"
          "CREATE TEMP TABLE attempt_2 AS SELECT * FROM attempt; DROP TABLE attempt;"
          "CREATE TABLE attempt (attempt_id INTEGER PRIMARY KEY,"
          " trial_id INTEGER NOT NULL REFERENCES trial, session_id INTEGER REFERENCES session,"
          " rank INTEGER NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,"
          " started REAL NOT NULL,"
          " finished REAL CHECK (finished IS NOT NULL OR outcome IN ('running', 'lost')),"
          " outcome TEXT NOT NULL CHECK (outcome IN ('done', 'diverged') OR outcome IN"
          " ('running', 'stopped') OR outcome IN ('failed', 'crashed') OR outcome = 'lost'),"
          " error TEXT) STRICT;"
          "INSERT INTO attempt SELECT * FROM temp.attempt_2; DROP TABLE temp.attempt_2;"
          "CREATE TEMP TABLE metric_2 AS SELECT * FROM metric; DROP TABLE metric;"
          "CREATE TABLE metric (trial_id INTEGER NOT NULL REFERENCES trial,"
          " split TEXT NOT NULL CHECK (split IN ('train', 'val') OR split IN ('test', 'stop')),"
          " name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (trial_id, split, name))"
          " STRICT, WITHOUT ROWID;"
          "INSERT INTO metric SELECT * FROM temp.metric_2; DROP TABLE temp.metric_2;"
          "CREATE INDEX attempt_of_trial ON attempt (trial_id);"
          "CREATE INDEX attempt_without_result ON attempt (outcome, trial_id)"
          " WHERE outcome NOT IN ('done', 'diverged') AND outcome <> 'failed';"
          "CREATE TABLE checkpoint (trial_id INTEGER PRIMARY KEY REFERENCES trial,"
          " epoch INTEGER NOT NULL, remaining REAL NOT NULL, seconds REAL NOT NULL,"
          " state BLOB NOT NULL) STRICT;"
          "CREATE TABLE model (trial_id INTEGER PRIMARY KEY REFERENCES trial,"
          " hash TEXT NOT NULL, safetensors BLOB NOT NULL) STRICT;"
          "PRAGMA user_version = 3",
};

/* The same to a reader of version i: temporary views go before tables of their names. */
static const char *const guises[DB_SCHEMA_VERSION] = {
    [1] = "CREATE TEMP VIEW trial AS SELECT *, NULL AS predicted FROM main.trial",
    [2] = "CREATE TEMP VIEW session AS SELECT *, NULL AS realm, NULL AS born, NULL AS job,"
          " NULL AS inode FROM main.session;"
          "CREATE TEMP VIEW sweep AS SELECT *, NULL AS planned, NULL AS parts FROM main.sweep;"
          "CREATE TEMP VIEW checkpoint AS SELECT 0 AS trial_id, 0 AS epoch, 0.0 AS remaining,"
          " 0.0 AS seconds, NULL AS state WHERE 0;"
          "CREATE TEMP VIEW model AS SELECT 0 AS trial_id, '' AS hash, NULL AS safetensors WHERE 0",
};

int migrate_version(struct store *store, uint32_t *version, struct err *err)
{
    sqlite3_stmt *row;
    int64_t found = 0;
    int rc;

    if (sqlite3_prepare_v2(store->db, "PRAGMA user_version", -1, &row, NULL) != SQLITE_OK)
        return db_fail(store, err);
    rc = db_integer(store, row, 0, &found, err);
    sqlite3_finalize(row);
    if (rc)
        return -1;
    if (!found) /* by a run that was killed while it made the file */
        return err_set(err, "%s: empty; run 'espalier run' first", store->path);
    if (found < 1 || found > DB_SCHEMA_VERSION)
        return err_set(err, "%s: has schema %lld, this espalier knows 1 to %u", store->path,
                       (long long)found, DB_SCHEMA_VERSION);
    *version = (uint32_t)found;
    return 0;
}

int migrate_make(sqlite3 *db, uint32_t from, uint32_t to)
{
    int rc = sqlite3_exec(db, db_schema_sql[from], NULL, NULL, NULL);

    for (uint32_t version = from; rc == SQLITE_OK && version < to; version++)
        rc = sqlite3_exec(db, steps[version], NULL, NULL, NULL);
    return rc;
}

int migrate(struct store *store, uint32_t from, struct err *err)
{
    int rc;

    if (from == DB_SCHEMA_VERSION)
        return 0;
    /* A table that is dropped takes no rows of others with it. Inside a transaction it says
     * nothing. */
    if (db_exec(store, "PRAGMA foreign_keys = off", err))
        return -1;
    rc = db_exec(store, "BEGIN EXCLUSIVE", err);
    for (uint32_t version = from; !rc && version < DB_SCHEMA_VERSION; version++)
        rc = db_exec(store, steps[version], err);
    FAULT("store: a schema is brought up in part");
    if (!rc)
        rc = views_update(store, err);
    FAULT("store: before a schema is brought up");
    if (!rc)
        rc = db_exec(store, "COMMIT", err);
    if (!rc)
        return db_exec(store, "PRAGMA foreign_keys = on", err);
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return err_wrap(err, "schema %u cannot be brought to %u", from, DB_SCHEMA_VERSION);
}

int migrate_for_reading(struct store *store, uint32_t from, struct err *err)
{
    for (uint32_t version = from; version < DB_SCHEMA_VERSION; version++)
        if (db_exec(store, guises[version], err))
            return -1;
    return 0;
}
