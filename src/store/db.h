/* What the files of the store share: the connection, its statements, and short forms of SQLite's
 * calls. Internal to src/store. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "store/lock.h"
#include "store/statement.h"
#include "store/store.h"

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
    int held[2]; /* descriptors of fault_holder(); 0: none */
};

extern const char db_schema_sql[]; /* db/schema.sql, generated at build time */

/* "PATH: what failed, why, and what to do" (store/fault.h). Always -1. */
int db_fail(struct store *store, struct err *err);
int db_exec(struct store *store, const char *sql, struct err *err);

/* Open a transaction, unless one is: store_commit() ends it. */
int db_begin(struct store *store, struct err *err);

/* A statement of its own, to be finalized. NULL and err when it cannot be prepared. */
sqlite3_stmt *db_prepare(struct store *store, const char *sql, struct err *err);

/* A statement of the table, reset, with its parameters bound from the arguments, one for each
 * letter of `types`: i int64_t, n int, d double (NaN is NULL), s const char * (NULL is NULL;
 * borrowed until the next use), b const void * and size_t (likewise). NULL and err when it cannot
 * be prepared. */
sqlite3_stmt *db_bind(struct store *store, enum statement id, struct err *err, const char *types,
                      ...);
/* 1: a row is there, 0: no more (the statement is reset then), -1 and err. */
int db_step(struct store *store, sqlite3_stmt *statement, struct err *err);
/* Run a bound statement to its end; takes the NULL of a failed db_bind(). */
int db_finish(struct store *store, sqlite3_stmt *statement, struct err *err);
/* The first column of the only row, as an integer; `missing` where there is no row. */
int db_integer(struct store *store, sqlite3_stmt *statement, int64_t missing, int64_t *out,
               struct err *err);

/* A sweep file as `sweep.ini` holds it. Pair with sweep_release(). */
int stored_sweep_parse(struct sweep *sweep, struct store *store, const char *ini, struct err *err);

/* What user_version says. (The file's header may be behind a log that a killed run left.) -1 and
 * err: it cannot be read, or is newer than this program. */
int migrate_version(struct store *store, uint32_t *version, struct err *err);
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
/* The leaderboard in the words of this program to a reader, whoever has written the file. */
int views_for_reading(struct store *store, struct err *err);

#endif
