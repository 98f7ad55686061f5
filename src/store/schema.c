/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "store/db.h"

/* ---- versions ---- */

/* SQL from version i to i + 1. A changed table is created anew: renaming would rewrite references
 * in people's own views and tables. */
static const char *const steps[SCHEMA_VERSION] = {
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
    [3] = "CREATE TABLE prediction (trial_id INTEGER NOT NULL REFERENCES trial,"
          " sample INTEGER NOT NULL, id TEXT NOT NULL, sample_group TEXT, observed ANY NOT NULL,"
          " predicted ANY NOT NULL, probabilities TEXT, scores TEXT,"
          " PRIMARY KEY (trial_id, sample))"
          " STRICT, WITHOUT ROWID;"
          "CREATE TABLE traffic (session_id INTEGER NOT NULL REFERENCES session,"
          " rank INTEGER NOT NULL, host TEXT NOT NULL, activity TEXT NOT NULL,"
          " size INTEGER NOT NULL, calls INTEGER NOT NULL, bytes INTEGER NOT NULL,"
          " seconds REAL NOT NULL, PRIMARY KEY (session_id, rank, activity, size))"
          " STRICT, WITHOUT ROWID;"
          "CREATE TABLE data_fact (sweep_id INTEGER NOT NULL REFERENCES sweep,"
          " topic TEXT NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, value ANY,"
          " PRIMARY KEY (sweep_id, topic, ordinal)) STRICT, WITHOUT ROWID;"
          "PRAGMA user_version = 4",
    [4] = "CREATE TEMP TABLE sweep_4 AS SELECT * FROM sweep; DROP TABLE sweep;"
          "CREATE TABLE sweep (sweep_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
          " objective TEXT NOT NULL,"
          " direction TEXT NOT NULL CHECK (direction IN ('max', 'min')),"
          " task TEXT NOT NULL CHECK (task IN ('regression', 'classification') OR task = 'none'),"
          " file TEXT NOT NULL, ini TEXT NOT NULL, data_digest TEXT NOT NULL,"
          " samples INTEGER NOT NULL, features INTEGER NOT NULL, classes INTEGER NOT NULL,"
          " planned INTEGER, parts TEXT CHECK (parts IN ('drawn', 'given')),"
          " created REAL NOT NULL, updated REAL NOT NULL) STRICT;"
          "INSERT INTO sweep SELECT sweep_id, name, objective, direction, task, file, ini,"
          " data_digest, samples, features, classes, planned, parts, created, updated"
          " FROM temp.sweep_4; DROP TABLE temp.sweep_4;"
          "CREATE TEMP TABLE metric_4 AS SELECT * FROM metric; DROP TABLE metric;"
          "CREATE TABLE metric (trial_id INTEGER NOT NULL REFERENCES trial,"
          " split TEXT NOT NULL CHECK (split IN ('train', 'val') OR split IN ('test', 'stop')"
          " OR split = ''),"
          " name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (trial_id, split, name))"
          " STRICT, WITHOUT ROWID;"
          "INSERT INTO metric SELECT * FROM temp.metric_4; DROP TABLE temp.metric_4;"
          "CREATE TABLE curve_metric (trial_id INTEGER NOT NULL REFERENCES trial,"
          " epoch INTEGER NOT NULL, name TEXT NOT NULL, value REAL NOT NULL,"
          " PRIMARY KEY (trial_id, epoch, name)) STRICT, WITHOUT ROWID;"
          "CREATE TABLE log (trial_id INTEGER PRIMARY KEY REFERENCES trial, bytes INTEGER NOT NULL,"
          " tail BLOB NOT NULL) STRICT;"
          "CREATE TABLE file (trial_id INTEGER NOT NULL REFERENCES trial, name TEXT NOT NULL,"
          " bytes INTEGER NOT NULL, PRIMARY KEY (trial_id, name)) STRICT, WITHOUT ROWID;"
          "CREATE TABLE member (attempt_id INTEGER NOT NULL REFERENCES attempt,"
          " rank INTEGER NOT NULL, host TEXT NOT NULL, PRIMARY KEY (attempt_id, rank))"
          " STRICT, WITHOUT ROWID;"
          "PRAGMA user_version = 5",
};

/* The same for a reader of version i: temporary views hide tables of the same name. */
static const char *const reader_views[SCHEMA_VERSION] = {
    [1] = "CREATE TEMP VIEW trial AS SELECT *, NULL AS predicted FROM main.trial",
    [2] = "CREATE TEMP VIEW session AS SELECT *, NULL AS realm, NULL AS born, NULL AS job,"
          " NULL AS inode FROM main.session;"
          "CREATE TEMP VIEW sweep AS SELECT *, NULL AS planned, NULL AS parts FROM main.sweep;"
          "CREATE TEMP VIEW checkpoint AS SELECT 0 AS trial_id, 0 AS epoch, 0.0 AS remaining,"
          " 0.0 AS seconds, NULL AS state WHERE 0;"
          "CREATE TEMP VIEW model AS SELECT 0 AS trial_id, '' AS hash, NULL AS safetensors WHERE 0",
    [3] = "CREATE TEMP VIEW prediction AS SELECT 0 AS trial_id, 0 AS sample, '' AS id,"
          " NULL AS sample_group, 0 AS observed, 0 AS predicted, NULL AS probabilities,"
          " NULL AS scores WHERE 0;"
          "CREATE TEMP VIEW traffic AS SELECT 0 AS session_id, 0 AS rank, '' AS host,"
          " '' AS activity, 0 AS size, 0 AS calls, 0 AS bytes, 0.0 AS seconds WHERE 0;"
          "CREATE TEMP VIEW data_fact AS SELECT 0 AS sweep_id, '' AS topic, 0 AS ordinal,"
          " '' AS name, NULL AS value WHERE 0",
    [4] = "CREATE TEMP VIEW curve_metric AS SELECT 0 AS trial_id, 0 AS epoch, '' AS name,"
          " 0.0 AS value WHERE 0;"
          "CREATE TEMP VIEW log AS SELECT 0 AS trial_id, 0 AS bytes, NULL AS tail WHERE 0;"
          "CREATE TEMP VIEW file AS SELECT 0 AS trial_id, '' AS name, 0 AS bytes WHERE 0;"
          "CREATE TEMP VIEW member AS SELECT 0 AS attempt_id, 0 AS rank, '' AS host WHERE 0",
};

int schema_version(struct store *store, uint32_t *version, struct err *err)
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
    if (!found) /* left by a run that was killed while it created the file */
        return err_set(err, "%s: its creation was interrupted; run 'espalier run' again",
                       store->path);
    if (found < 1 || found > SCHEMA_VERSION)
        return err_set(err, "%s: has schema %lld; this espalier supports 1 to %u", store->path,
                       (long long)found, SCHEMA_VERSION);
    *version = (uint32_t)found;
    return 0;
}

int schema_make(sqlite3 *db, uint32_t from, uint32_t to)
{
    int rc = sqlite3_exec(db, schema_sql[from], NULL, NULL, NULL);

    for (uint32_t version = from; rc == SQLITE_OK && version < to; version++)
        rc = sqlite3_exec(db, steps[version], NULL, NULL, NULL);
    return rc;
}

int schema_migrate(struct store *store, uint32_t from, struct err *err)
{
    int rc;

    if (from == SCHEMA_VERSION)
        return 0;
    /* Otherwise dropping a table deletes rows that refer to it. This has no effect inside a
     * transaction. */
    if (db_exec(store, "PRAGMA foreign_keys = off", err))
        return -1;
    rc = db_exec(store, "BEGIN EXCLUSIVE", err);
    for (uint32_t version = from; !rc && version < SCHEMA_VERSION; version++)
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
    return err_wrap(err, "cannot migrate schema %u to %u", from, SCHEMA_VERSION);
}

int schema_migrate_for_reading(struct store *store, uint32_t from, struct err *err)
{
    for (uint32_t version = from; version < SCHEMA_VERSION; version++)
        if (db_exec(store, reader_views[version], err))
            return -1;
    return 0;
}

/* ---- check that a file has our tables ----
 *
 * Create the objects again in memory, from every schema that the file may have begun with, and
 * compare them as text without comments and white space. */

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
    *schema = (struct schema){0};
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static const char *skip_space(const char *p)
{
    for (;;) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (p[0] == '-' && p[1] == '-') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");

            p = end ? end + 2 : p + strlen(p);
        } else {
            return p;
        }
    }
}

static const char *skip_quoted(const char *p)
{
    char end = *p == '[' ? ']' : *p;

    for (p++; *p && *p != end; p++)
        ;
    return *p ? p + 1 : p; /* a doubled quote begins another text, which does no harm */
}

/* ALTER TABLE and .recover quote the table name. */
static const char *put_table_name(struct buf *out, const char *p)
{
    static const char head[] = "CREATE TABLE ";
    const char *end;

    if (strncmp(p, head, sizeof head - 1) != 0)
        return p;
    buf_puts(out, head);
    p += sizeof head - 1;
    if (*p != '"')
        return p;
    end = skip_quoted(p);
    for (p++; p < end - 1; p++)
        buf_putc(out, *p);
    return end;
}

static bool joins(char c)
{
    return is_word(c) || (c && strchr("'\"`[]", c));
}

/* Keep white space only where two words or texts would become one. */
static char *normalise(const char *sql)
{
    struct buf out = {0};
    const char *p = put_table_name(&out, sql);

    for (const char *next = skip_space(p); *next; next = skip_space(p)) {
        if (next != p && out.size && joins(out.data[out.size - 1]) && joins(*next))
            buf_putc(&out, ' ');
        p = strchr("'\"`[", *next) ? skip_quoted(next) : next + 1;
        buf_add(&out, next, (size_t)(p - next));
    }
    p = buf_failed(&out) ? NULL : buf_text(&out);
    sql = p ? strdup(p) : NULL;
    buf_release(&out);
    return (char *)(uintptr_t)sql;
}

static char *copy(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return strdup(text ? text : "");
}

static int add(struct schema *schema, sqlite3_stmt *row, struct err *err)
{
    struct object *grown = realloc(schema->objects, (schema->n + 1) * sizeof *grown), *o;
    const char *sql = (const char *)sqlite3_column_text(row, 3);

    if (!grown)
        return err_nomem(err, "schema", (schema->n + 1) * sizeof *grown);
    schema->objects = grown;
    o = &grown[schema->n++];
    *o = (struct object){copy(row, 0), copy(row, 1), copy(row, 2), normalise(sql ? sql : "")};
    return o->type && o->name && o->table && o->sql ? 0 : err_nomem(err, "schema", sizeof *o);
}

static int read_file(struct schema *schema, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_objects, err);
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        rc = add(schema, row, err) ? -1 : 1;
    sqlite3_finalize(row);
    return rc;
}

static int make(struct schema *schema, uint32_t from, uint32_t to, struct err *err)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    int rc = sqlite3_open(":memory:", &db), step = SQLITE_ROW;

    if (rc == SQLITE_OK)
        rc = schema_make(db, from, to);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, sql_objects, -1, &row, NULL);
    rc = rc == SQLITE_OK ? 0 : err_set(err, "schema %u: %s", from, sqlite3_errmsg(db));
    while (!rc && (step = sqlite3_step(row)) == SQLITE_ROW)
        rc = add(schema, row, err);
    if (!rc && step != SQLITE_DONE)
        rc = err_set(err, "schema %u: %s", from, sqlite3_errmsg(db));
    sqlite3_finalize(row);
    sqlite3_close(db);
    return rc;
}

struct comparison {
    const char *path;
    struct schema file;
    struct schema made[SCHEMA_VERSION + 1]; /* by the schema that the file began with */
    uint32_t version;
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

/* All schemas migrated to one version have the same names. */
static bool is_ours(const struct comparison *c, const char *name)
{
    return is_view_of_ours(name) || find(&c->made[c->version], name);
}

static bool is_same(const struct object *made, const struct object *o)
{
    return made && !strcmp(made->type, o->type) && !strcmp(made->name, o->name) &&
           !strcmp(made->table, o->table) && !strcmp(made->sql, o->sql);
}

/* Try the newest schema first, since each takes milliseconds to make. */
static int find_as_made(bool *found, struct comparison *c, const struct object *o, struct err *err)
{
    *found = false;
    for (uint32_t from = c->version; from >= 1 && !*found; from--) {
        if (!c->made[from].n && make(&c->made[from], from, c->version, err))
            return -1;
        *found = is_same(find(&c->made[from], o->name), o);
    }
    return 0;
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
    static const char *const names[] = {"sqlite_sequence", "sqlite_stat1", "sqlite_stat3",
                                        "sqlite_stat4"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!sqlite3_stricmp(o->name, names[i]))
            return true;
    return !sqlite3_strnicmp(o->name, "sqlite_autoindex_", 17) && !*o->sql;
}

static int refuse(const struct comparison *c, const struct object *o, const char *why,
                  struct err *err)
{
    return err_set(err,
                   "%s: %s '%s' %s: another program changed the file, so espalier does not read "
                   "it; undo the change, or use an older copy",
                   c->path, o->type, o->name, why);
}

static int check_ours(struct comparison *c, const struct object *o, struct err *err)
{
    bool is_as_made;

    if (find_as_made(&is_as_made, c, o, err))
        return -1;
    return is_as_made ? 0 : refuse(c, o, "differs from what espalier creates", err);
}

static int check_object(struct comparison *c, const struct object *o, struct err *err)
{
    if (!sqlite3_strnicmp(o->name, "sqlite_", 7))
        return is_internal(o) ? 0 : refuse(c, o, "has a name that SQLite reserves", err);
    if (is_view_of_ours(o->name))
        return !strcmp(o->type, "view") ? 0
                                        : refuse(c, o, "has the name of a view of espalier", err);
    if (is_ours(c, o->name) && strcmp(o->type, "trigger") != 0)
        return check_ours(c, o, err);
    if (strcmp(o->type, "table") != 0 && strcmp(o->type, "view") != 0 && is_ours(c, o->table))
        return refuse(c, o, "is defined on a table of espalier", err);
    return hides_function(o->name) ? refuse(c, o, "has the name of an SQLite function", err) : 0;
}

static int check_missing(const struct comparison *c, struct err *err)
{
    const struct schema *made = &c->made[c->version];

    for (size_t i = 0; i < made->n; i++)
        if (*made->objects[i].sql && !find(&c->file, made->objects[i].name))
            return refuse(c, &made->objects[i], "is missing", err);
    return 0;
}

int schema_check(struct store *store, uint32_t version, struct err *err)
{
    struct comparison c = {.path = store->path, .version = version};
    int rc = read_file(&c.file, store, err);

    if (!rc)
        rc = make(&c.made[version], version, version, err);
    for (size_t i = 0; !rc && i < c.file.n; i++)
        rc = check_object(&c, &c.file.objects[i], err);
    if (!rc)
        rc = check_missing(&c, err);
    schema_release(&c.file);
    for (uint32_t from = 1; from <= version; from++)
        schema_release(&c.made[from]);
    return rc;
}
