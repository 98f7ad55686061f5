/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"

/* ---- versions ---- */

/* A changed table is created anew: renaming would rewrite references in people's own views and tables. */
const struct schema_history schema_history = {
    .oldest = SCHEMA_VERSION, .newest = SCHEMA_VERSION, .sql = schema_sql, .steps = NULL};

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

int schema_make(sqlite3 *db, const struct schema_history *history, uint32_t from, uint32_t to)
{
    int rc = sqlite3_exec(db, history->sql[from - history->oldest], NULL, NULL, NULL);

    for (uint32_t version = from; rc == SQLITE_OK && version < to; version++)
        rc = sqlite3_exec(db, step(history, version)->change, NULL, NULL, NULL);
    return rc;
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

static int make(struct schema *schema, const struct schema_history *history, uint32_t from,
                uint32_t to, struct err *err)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    int rc = sqlite3_open(":memory:", &db), step = SQLITE_ROW;

    if (rc == SQLITE_OK)
        rc = schema_make(db, history, from, to);
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

struct schema_comparison {
    const char *path;
    struct schema file;
    const struct schema_history *history;
    struct schema made[SCHEMA_VERSIONS]; /* by the schema that the file began with */
    uint32_t version;
};

static struct schema *made(struct schema_comparison *c, uint32_t from)
{
    return &c->made[from - c->history->oldest];
}

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
static bool is_ours(struct schema_comparison *c, const char *name)
{
    return is_view_of_ours(name) || find(made(c, c->version), name);
}

static bool is_same(const struct object *a, const struct object *b)
{
    return a && !strcmp(a->type, b->type) && !strcmp(a->name, b->name) &&
           !strcmp(a->table, b->table) && !strcmp(a->sql, b->sql);
}

/* Try the newest schema first, since each takes milliseconds to make. */
static int find_as_made(bool *found, struct schema_comparison *c, const struct object *o,
                        struct err *err)
{
    *found = false;
    for (uint32_t from = c->version; from >= c->history->oldest && !*found; from--) {
        struct schema *from_there = made(c, from);

        if (!from_there->n && make(from_there, c->history, from, c->version, err))
            return -1;
        *found = is_same(find(from_there, o->name), o);
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

static int refuse(const struct schema_comparison *c, const struct object *o, const char *why,
                  struct err *err)
{
    return err_set(err,
                   "%s: %s '%s' %s: another program changed the file, so espalier does not read "
                   "it; undo the change, or use an older copy",
                   c->path, o->type, o->name, why);
}

static int check_ours(struct schema_comparison *c, const struct object *o, struct err *err)
{
    bool is_as_made;

    if (find_as_made(&is_as_made, c, o, err))
        return -1;
    return is_as_made ? 0 : refuse(c, o, "differs from what espalier creates", err);
}

static int check_object(struct schema_comparison *c, const struct object *o, struct err *err)
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

static int check_missing(struct schema_comparison *c, struct err *err)
{
    const struct schema *wanted = made(c, c->version);

    for (size_t i = 0; i < wanted->n; i++)
        if (*wanted->objects[i].sql && !find(&c->file, wanted->objects[i].name))
            return refuse(c, &wanted->objects[i], "is missing", err);
    return 0;
}

int schema_check(struct store *store, const struct schema_history *history, uint32_t version,
                 struct err *err)
{
    struct schema_comparison c = {.path = store->path, .history = history, .version = version};
    int rc = read_file(&c.file, store, err);

    if (!rc)
        rc = make(made(&c, version), history, version, version, err);
    for (size_t i = 0; !rc && i < c.file.n; i++)
        rc = check_object(&c, &c.file.objects[i], err);
    if (!rc)
        rc = check_missing(&c, err);
    schema_release(&c.file);
    for (uint32_t from = history->oldest; from <= version; from++)
        schema_release(made(&c, from));
    return rc;
}
