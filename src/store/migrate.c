#include "store/db.h"

/* From version i to i + 1; NULL: there never was one. */
static const char *const steps[DB_SCHEMA_VERSION] = {
    [1] = "ALTER TABLE trial ADD COLUMN predicted REAL; PRAGMA user_version = 2",
};

/* The same to a reader of version i: temporary views go before tables of their names. */
static const char *const guises[DB_SCHEMA_VERSION] = {
    [1] = "CREATE TEMP VIEW trial AS SELECT *, NULL AS predicted FROM main.trial",
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
    if (found < 1 || found > DB_SCHEMA_VERSION)
        return err_set(err, "%s: has schema %lld, this espalier knows 1 to %u", store->path,
                       (long long)found, DB_SCHEMA_VERSION);
    *version = (uint32_t)found;
    return 0;
}

int migrate(struct store *store, uint32_t from, struct err *err)
{
    int rc;

    if (from == DB_SCHEMA_VERSION)
        return 0;
    rc = db_exec(store, "BEGIN EXCLUSIVE", err);
    for (uint32_t version = from; !rc && version < DB_SCHEMA_VERSION; version++)
        rc = db_exec(store, steps[version], err);
    if (!rc)
        rc = views_update(store, err);
    if (!rc)
        rc = db_exec(store, "COMMIT", err);
    if (!rc)
        return 0;
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
