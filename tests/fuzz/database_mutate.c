/* SPDX-License-Identifier: BSD-3-Clause */
/* Change values of a results database as an attacker might: no table constraint applies, and hashes
 * of changed data are computed again.
 * usage: database_mutate DATABASE SEED */
#include <math.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"

static struct rng rng;
static uint32_t n_drawn;

static uint32_t draw(uint32_t below)
{
    return (uint32_t)(rng_uniform(&rng, 0, n_drawn++) * below) % below;
}

static void check(sqlite3 *db, int is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static void execute(sqlite3 *db, const char *sql)
{
    check(db, sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

static sqlite3 *open_database(const char *path)
{
    sqlite3 *db;

    check(NULL, sqlite3_open(path, &db) == SQLITE_OK, path);
    sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
    execute(db, "PRAGMA ignore_check_constraints = on; PRAGMA synchronous = off");
    return db;
}

/* ---- values ---- */

static const char *const texts[] = {
    "",
    "x",
    "done",
    "running",
    "pending",
    "failed",
    "lost",
    "max",
    "classification",
    "val_accuracy",
    "test",
    "stop",
    "loss",
    "{}",
    "[]",
    "{\"hidden_size\":null}",
    "{\"hidden_size\":[1],\"folds\":\"groups\"}",
    "{\"epochs\":1e99,\"learning_rate\":\"nan\"}",
    "1",
    "-1",
    "nan",
    "hidden_size",
    "batch_size",
    "a' AS b FROM config; VACUUM INTO 'pwned'; --",
    "\"; DROP TABLE trial; --",
    "%s%n%s%n",
    "\x1b]52;c;cHduZWQ=\x07",
    "\xff\xfe",
    "slurm 77",
    "slurm --version",
    "lsf $(touch pwned)",
};

static const int64_t integers[] = {
    0, 1, 2, 3, -1, -3, 7, 1000, INT32_MAX, (int64_t)INT32_MAX + 1, INT32_MIN, INT64_MAX, INT64_MIN,
};

static const double reals[] = {0.0,   -0.0,   0.5,      -1.0,      1e-308,
                               1e308, -1e308, HUGE_VAL, -HUGE_VAL, 1e18};

static void bind_long_text(sqlite3_stmt *statement)
{
    static char text[200001];

    memset(text, "a\"'%\n"[draw(5)], sizeof text - 1);
    sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
}

static void bind_any(sqlite3_stmt *statement)
{
    switch (draw(6)) {
    case 0:
        sqlite3_bind_null(statement, 1);
        return;
    case 1:
        sqlite3_bind_int64(statement, 1, integers[draw(sizeof integers / sizeof *integers)]);
        return;
    case 2:
        sqlite3_bind_double(statement, 1, reals[draw(sizeof reals / sizeof *reals)]);
        return;
    case 3:
        sqlite3_bind_text(statement, 1, texts[draw(sizeof texts / sizeof *texts)], -1,
                          SQLITE_STATIC);
        return;
    case 4:
        sqlite3_bind_zeroblob(statement, 1, draw(2) ? 0 : 1000);
        return;
    default:
        bind_long_text(statement);
    }
}

/* Bind the old bytes with one byte changed, a piece removed, or a piece doubled. */
static void bind_changed(sqlite3_stmt *statement, const void *old, int n)
{
    static char bytes[1 << 20];
    int at = n ? (int)draw((uint32_t)n) : 0, more = n - at < 40 ? n - at : 40;

    if (n + more > (int)sizeof bytes || !n) {
        bind_any(statement);
        return;
    }
    memcpy(bytes, old, (size_t)n);
    switch (draw(3)) {
    case 0:
        bytes[at] = (char)draw(256);
        break;
    case 1:
        memmove(bytes + at, bytes + at + more, (size_t)(n - at - more));
        n -= more;
        break;
    default:
        memmove(bytes + at + more, bytes + at, (size_t)(n - at));
        n += more;
    }
    sqlite3_bind_text(statement, 1, bytes, n, SQLITE_STATIC);
}

/* ---- places ---- */

struct place {
    char table[64], first[64], column[64];
};

static void read_text(char out[64], sqlite3 *db, char *sql)
{
    sqlite3_stmt *row;

    check(db, sql && sqlite3_prepare_v2(db, sql, -1, &row, NULL) == SQLITE_OK, sql);
    check(db, sqlite3_step(row) == SQLITE_ROW, sql);
    snprintf(out, 64, "%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    sqlite3_free(sql);
}

static void draw_place(struct place *place, sqlite3 *db)
{
    static const char *const tables[] = {"sweep",   "axis",       "config", "trial",
                                         "metric",  "curve",      "timing", "session",
                                         "attempt", "checkpoint", "model"};
    char n[64];

    snprintf(place->table, sizeof place->table, "%s", tables[draw(sizeof tables / sizeof *tables)]);
    read_text(n, db, sqlite3_mprintf("SELECT count(*) FROM pragma_table_info(%Q)", place->table));
    read_text(place->first, db,
              sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q) LIMIT 1", place->table));
    read_text(place->column, db,
              sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q) LIMIT 1 OFFSET %u",
                              place->table, draw((uint32_t)atoi(n))));
}

static void change_value(sqlite3 *db)
{
    struct place p;
    sqlite3_stmt *old, *statement;
    char *find, *sql;

    draw_place(&p, db);
    find = sqlite3_mprintf("SELECT \"%w\" FROM \"%w\" ORDER BY 1 LIMIT 1 OFFSET %u", p.column,
                           p.table, draw(4));
    sql = draw(2) ? sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = ?1", p.table, p.column)
                  : sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = ?1 WHERE \"%w\" = (SELECT"
                                    " \"%w\" FROM \"%w\" LIMIT 1 OFFSET %u)",
                                    p.table, p.column, p.first, p.first, p.table, draw(4));
    check(db, sqlite3_prepare_v2(db, find, -1, &old, NULL) == SQLITE_OK, find);
    check(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, sql);
    if (sqlite3_step(old) == SQLITE_ROW && sqlite3_column_type(old, 0) >= SQLITE_TEXT && draw(2))
        bind_changed(statement, sqlite3_column_blob(old, 0), sqlite3_column_bytes(old, 0));
    else
        bind_any(statement);
    sqlite3_step(statement); /* a primary key may refuse it */
    sqlite3_finalize(old);
    sqlite3_finalize(statement);
    sqlite3_free(find);
    sqlite3_free(sql);
}

static void hash_model(sqlite3_context *context, int n, sqlite3_value **values)
{
    const void *bytes = sqlite3_value_blob(values[0]);
    char hex[HASH_HEX_SIZE];

    (void)n;
    hash_hex(hash_bytes(bytes ? bytes : "", (size_t)sqlite3_value_bytes(values[0])), hex);
    sqlite3_result_text(context, hex, -1, SQLITE_TRANSIENT);
}

/* Change a byte near the beginning, where the header is. */
static void change_model(sqlite3 *db)
{
    char *sql = sqlite3_mprintf("UPDATE model SET safetensors = CAST(substr(safetensors, 1, %u) ||"
                                " x'%02x' || substr(safetensors, %u) AS BLOB)",
                                draw(400), draw(256), draw(400));

    execute(db, sql);
    sqlite3_free(sql);
}

int main(int argc, char **argv)
{
    struct hash seed = {.high = 1};
    uint32_t n;
    sqlite3 *db;

    if (argc != 3)
        return 2;
    seed.low = strtoull(argv[2], NULL, 10);
    rng_init(&rng, seed, RNG_SIMULATE);
    db = open_database(argv[1]);
    execute(db, "CREATE TABLE kept AS SELECT name, sql FROM sqlite_schema WHERE type = 'table';"
                "UPDATE sqlite_master SET sql = replace(replace(replace(replace(sql, 'IS NOT NULL',"
                " '<> -1'), ' NOT NULL', ''), ' STRICT,', ''), ' STRICT', '')"
                " WHERE type = 'table' AND name <> 'kept'");
    sqlite3_close(db);

    db = open_database(argv[1]);
    sqlite3_create_function(db, "hash_model", 1, SQLITE_UTF8, NULL, hash_model, NULL, NULL);
    execute(db, "PRAGMA foreign_keys = off; BEGIN");
    if (!draw(4))
        change_model(db);
    n = 1 + draw(4);
    for (uint32_t i = 0; i < n; i++)
        change_value(db);
    if (draw(4))
        execute(db, "UPDATE model SET hash = hash_model(safetensors)");
    execute(db, "UPDATE sqlite_master SET sql = (SELECT k.sql FROM kept AS k"
                " WHERE k.name = sqlite_master.name) WHERE name IN (SELECT name FROM kept);"
                "DROP TABLE kept; COMMIT");
    sqlite3_close(db);
    return 0;
}
