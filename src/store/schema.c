/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"

/* ---- versions ---- */

/* A changed table is created anew: renaming would rewrite references in people's own views and tables. */
/* The columns of trial and attempt stay. */
static const char from_5[] =
    "CREATE TEMP TABLE trial_5 AS SELECT * FROM main.trial; DROP TABLE trial;"
    "CREATE TEMP TABLE attempt_5 AS SELECT * FROM main.attempt; DROP TABLE attempt;\n"
    "CREATE TABLE trial (\n"
    "    trial_id   INTEGER PRIMARY KEY,\n"
    "    config_id  INTEGER NOT NULL REFERENCES config,\n"
    "    replicate  INTEGER NOT NULL,\n"
    "    fold       INTEGER NOT NULL,\n"
    "    key        TEXT NOT NULL,\n"
    "    state      TEXT NOT NULL DEFAULT 'pending'\n"
    "               CHECK (state IN ('done', 'diverged') OR state IN ('pending', 'running') OR "
    "state = 'failed'\n"
    "               OR state IN ('held', 'stopped')),\n"
    "    value      REAL,\n"
    "    epochs_run INTEGER,\n"
    "    best_epoch INTEGER,\n"
    "    seconds    REAL,\n"
    "    predicted  REAL,\n"
    "    flops      REAL,\n"
    "    peak_bytes INTEGER,\n"
    "    attempts   INTEGER NOT NULL DEFAULT 0,\n"
    "    error      TEXT,\n"
    "    UNIQUE (config_id, replicate, fold)\n"
    ") STRICT;\n"
    "CREATE TABLE attempt (\n"
    "    attempt_id INTEGER PRIMARY KEY,\n"
    "    trial_id   INTEGER NOT NULL REFERENCES trial,\n"
    "    session_id INTEGER REFERENCES session,\n"
    "    rank       INTEGER NOT NULL,\n"
    "    host       TEXT NOT NULL,\n"
    "    pid        INTEGER NOT NULL,\n"
    "    started    REAL NOT NULL,\n"
    "    finished   REAL CHECK (finished IS NOT NULL OR outcome IN ('running', 'lost')),\n"
    "    outcome    TEXT NOT NULL CHECK (outcome IN ('done', 'diverged') OR outcome IN ('running', "
    "'stopped')\n"
    "               OR outcome IN ('failed', 'crashed') OR outcome IN ('lost', 'held')),\n"
    "    error      TEXT\n"
    ") STRICT;\n"
    "CREATE TABLE rung (\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial,\n"
    "    rung     INTEGER NOT NULL,\n"
    "    value    REAL,\n"
    "    PRIMARY KEY (trial_id, rung)\n"
    ") STRICT, WITHOUT ROWID;\n"
    "CREATE TABLE decision (\n"
    "    sweep_id  INTEGER NOT NULL REFERENCES sweep,\n"
    "    step      INTEGER NOT NULL,\n"
    "    config_id INTEGER NOT NULL REFERENCES config,\n"
    "    action    TEXT NOT NULL CHECK (action IN ('propose', 'keep') OR action = 'stop'),\n"
    "    rung      INTEGER,\n"
    "    value     REAL,\n"
    "    threshold REAL,\n"
    "    PRIMARY KEY (sweep_id, step, config_id)\n"
    ") STRICT, WITHOUT ROWID;\n"
    "CREATE INDEX attempt_of_trial ON attempt (trial_id);"
    "CREATE INDEX attempt_without_result ON attempt (outcome, trial_id)\n"
    "    WHERE outcome NOT IN ('done', 'diverged') AND outcome <> 'failed';"
    "INSERT INTO trial SELECT * FROM temp.trial_5; DROP TABLE temp.trial_5;"
    "INSERT INTO attempt SELECT * FROM temp.attempt_5; DROP TABLE temp.attempt_5;"
    "PRAGMA user_version = 6";
static const struct schema_step steps[] = {
    {from_5, "CREATE TEMP VIEW rung AS SELECT 0 AS trial_id, 0 AS rung, 0.0 AS value WHERE 0;"
             "CREATE TEMP VIEW decision AS SELECT 0 AS sweep_id, 0 AS step, 0 AS config_id,"
             " '' AS action, 0 AS rung, 0.0 AS value, 0.0 AS threshold WHERE 0"},
};

const struct schema_history schema_history = {
    .oldest = 5, .newest = SCHEMA_VERSION, .sql = schema_sql, .steps = steps};

int schema_version(struct store *store, uint32_t *version, struct err *err)
{
    int64_t found;

    if (db_integer(&found, store, "PRAGMA user_version", err, ""))
        return -1;
    if (!found) /* left by a run that was killed while it created the file */
        return err_set(err, "%s: its creation was interrupted; run 'espalier run' again",
                       store->path);
    if (found < (int64_t)schema_history.oldest)
        return err_set(
            err,
            "%s: made by an older espalier (schema %lld, this one supports %u): read it with that "
            "version, or run the sweep again into another --db",
            store->path, (long long)found, schema_history.oldest);
    if (found > (int64_t)schema_history.newest)
        return err_set(err,
                       "%s: made by a newer espalier (schema %lld, this one supports up to %u)",
                       store->path, (long long)found, schema_history.newest);
    *version = (uint32_t)found;
    return 0;
}

static const struct schema_step *step(const struct schema_history *history, uint32_t from)
{
    return &history->steps[from - history->oldest];
}

int schema_migrate(struct store *store, const struct schema_history *history, uint32_t from,
                   struct err *err)
{
    int rc;

    if (from == history->newest)
        return 0;
    /* Otherwise dropping a table deletes rows that refer to it. This has no effect inside a
     * transaction. */
    if (db_exec(store, "PRAGMA foreign_keys = off", err))
        return -1;
    rc = db_exec(store, "BEGIN EXCLUSIVE", err);
    for (uint32_t version = from; !rc && version < history->newest; version++)
        rc = db_exec(store, step(history, version)->change, err);
    if (!rc)
        rc = views_update(store, err);
    if (!rc)
        rc = db_exec(store, "COMMIT", err);
    if (!rc)
        return db_exec(store, "PRAGMA foreign_keys = on", err);
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return err_wrap(err, "cannot migrate schema %u to %u", from, history->newest);
}

int schema_migrate_for_reading(struct store *store, const struct schema_history *history,
                               uint32_t from, struct err *err)
{
    for (uint32_t version = from; version < history->newest; version++)
        if (db_exec(store, step(history, version)->views, err))
            return -1;
    return 0;
}

/* ---- check that a file has our tables ----
 *
 * Create the objects again in memory, from every schema that the file may have begun with, and
 * compare them as text without comments, white space and double quotes, which ALTER TABLE and
 * .recover add to names. */

struct object {
    char *type, *name, *table, *sql; /* sql: normalised, or "" */
};

struct schema {
    struct object *objects; /* [n] owned */
    size_t n;
};

static const char sql_objects[] = "SELECT type, name, tbl_name, sql FROM main.sqlite_schema";

static void schema_release(struct schema *schema)
{
    for (size_t i = 0; i < schema->n; i++) {
        struct object *o = &schema->objects[i];

        free(o->type);
        free(o->name);
        free(o->table);
        free(o->sql);
    }
    free(schema->objects);
}

static char *copy(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return strdup(text ? text : "");
}

static char *normalise(char *sql)
{
    char *to = sql;

    for (const char *p = sql; p && *p;) {
        const char *end = p[0] == '/' && p[1] == '*' ? strstr(p + 2, "*/") : NULL;

        if (end)
            p = end + 2;
        else if (p[0] == '-' && p[1] == '-')
            p += strcspn(p, "\n");
        else if (isspace((unsigned char)*p) || *p == '"')
            p++;
        else
            *to++ = *p++;
    }
    if (sql)
        *to = '\0';
    return sql;
}

static int add(struct schema *schema, sqlite3_stmt *row, struct err *err)
{
    struct object *grown = realloc(schema->objects, (schema->n + 1) * sizeof *grown), *o;

    if (!grown)
        return err_nomem(err, "schema", (schema->n + 1) * sizeof *grown);
    schema->objects = grown;
    o = &grown[schema->n++];
    *o = (struct object){copy(row, 0), copy(row, 1), copy(row, 2), normalise(copy(row, 3))};
    return o->type && o->name && o->table && o->sql ? 0 : err_nomem(err, "schema", sizeof *o);
}

/* Add the objects of a file that began with schema `from` and is now at `to`. */
static int make(struct schema *schema, const struct schema_history *history, uint32_t from,
                uint32_t to, struct err *err)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    int rc = sqlite3_open(":memory:", &db);

    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, history->sql[from - history->oldest], NULL, NULL, NULL);
    for (uint32_t version = from; rc == SQLITE_OK && version < to; version++)
        rc = sqlite3_exec(db, step(history, version)->change, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, sql_objects, -1, &row, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW)
        rc = add(schema, row, err) ? SQLITE_NOMEM : SQLITE_OK;
    if (rc != SQLITE_DONE)
        err_set(err, "schema %u: %s", from, sqlite3_errmsg(db));
    sqlite3_finalize(row);
    sqlite3_close(db);
    return rc == SQLITE_DONE ? 0 : -1;
}

struct schema_comparison {
    const char *path;
    struct schema file;
    /* by each schema that the file may have begun with, the newest first; all have the same names
     * once they are migrated to one version */
    struct schema made;
};

static const struct object *find(const struct schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->n; i++)
        if (!sqlite3_stricmp(schema->objects[i].name, name))
            return &schema->objects[i];
    return NULL;
}

static bool is_view_of_ours(const char *name)
{
    return !sqlite3_stricmp(name, "trials") || !sqlite3_stricmp(name, "leaderboard");
}

static bool is_ours(const struct schema_comparison *c, const char *name)
{
    return is_view_of_ours(name) || find(&c->made, name);
}

static bool is_as_made(const struct schema_comparison *c, const struct object *o)
{
    for (size_t i = 0; i < c->made.n; i++) {
        const struct object *m = &c->made.objects[i];

        if (!strcmp(m->type, o->type) && !strcmp(m->name, o->name) && !strcmp(m->table, o->table) &&
            !strcmp(m->sql, o->sql))
            return true;
    }
    return false;
}

/* SQLite prefers such a table to its own function. */
static bool hides_function(const char *name)
{
    return !sqlite3_stricmp(name, "json_each") || !sqlite3_stricmp(name, "json_tree") ||
           !sqlite3_strnicmp(name, "pragma_", 7);
}

/* SQLite makes these for UNIQUE, for ANALYZE and for AUTOINCREMENT of other tables. */
static bool is_internal(const struct object *o)
{
    return !sqlite3_stricmp(o->name, "sqlite_sequence") ||
           !sqlite3_strnicmp(o->name, "sqlite_stat", 11) ||
           (!sqlite3_strnicmp(o->name, "sqlite_autoindex_", 17) && !*o->sql);
}

/* Return why the object must not be there, or NULL. */
static const char *fault_of(const struct schema_comparison *c, const struct object *o)
{
    if (!sqlite3_strnicmp(o->name, "sqlite_", 7))
        return is_internal(o) ? NULL : "has a name that SQLite reserves";
    if (is_view_of_ours(o->name))
        return !strcmp(o->type, "view") ? NULL : "has the name of a view of espalier";
    if (is_ours(c, o->name) && strcmp(o->type, "trigger") != 0)
        return is_as_made(c, o) ? NULL : "differs from what espalier creates";
    if (strcmp(o->type, "table") != 0 && strcmp(o->type, "view") != 0 && is_ours(c, o->table))
        return "is defined on a table of espalier";
    return hides_function(o->name) ? "has the name of an SQLite function" : NULL;
}

static int refuse(const struct schema_comparison *c, const struct object *o, const char *why,
                  struct err *err)
{
    return err_set(err,
                   "%s: %s '%s' %s: another program changed the file, so espalier does not read "
                   "it; undo the change, or use an older copy",
                   c->path, o->type, o->name, why);
}

int schema_check(struct store *store, const struct schema_history *history, uint32_t version,
                 struct err *err)
{
    struct schema_comparison c = {.path = store->path};
    sqlite3_stmt *row = db_query(store, sql_objects, err, "");
    int rc = 0;

    while (db_next(&rc, store, row, err))
        rc = add(&c.file, row, err);
    sqlite3_finalize(row);
    for (uint32_t from = version; !rc && from >= history->oldest; from--)
        rc = make(&c.made, history, from, version, err);
    for (size_t i = 0; !rc && i < c.file.n; i++) {
        const char *fault = fault_of(&c, &c.file.objects[i]);

        if (fault)
            rc = refuse(&c, &c.file.objects[i], fault, err);
    }
    for (size_t i = 0; !rc && i < c.made.n; i++)
        if (*c.made.objects[i].sql && !find(&c.file, c.made.objects[i].name))
            rc = refuse(&c, &c.made.objects[i], "is missing", err);
    schema_release(&c.file);
    schema_release(&c.made);
    return rc;
}
