/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "store/database_file.h"
#include "store/db.h"
#include "store/store.h"
#include "store/trial_files.h"

int store_commit(struct store *store, struct err *err)
{
    if (sqlite3_get_autocommit(store->db))
        return 0;
    FAULT("store: before a commit");
    if (database_file_check_size(store, err) || model_write_held(store, err) ||
        (store->has_new_metrics && views_update(store, err)) ||
        db_do(store, STATEMENT_COMMIT, err, ""))
        return -1;
    store->has_new_metrics = false;
    if (!store->has_reserve)
        database_file_reserve(store->path);
    store->has_reserve = true;
    FAULT("store: a commit was made");
    trial_files_remove_old(store);
    return database_file_check_place(store, err) || database_file_note_size(store, err) ? -1 : 0;
}

int store_settle(struct store *store, struct err *err)
{
    /* Check first: once the log is gone it could be applied to any file that comes to this path. */
    bool has_moved = database_file_check_place(store, err) != 0;
    int rc;

    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_reset(store->statements[i]);
    sqlite3_busy_timeout(store->db, 0);
    FAULT("store: before the log is folded in");
    rc = sqlite3_exec(store->db, "PRAGMA journal_mode = delete", NULL, NULL, NULL);
    FAULT("store: the log is folded in");
    store->log_bytes = 0;
    if (has_moved)
        return -1;
    return rc == SQLITE_OK || (rc & 0xff) == SQLITE_BUSY ? 0 : db_fail(store, err);
}

/* ---- free pages ---- */

#define LEAST_BYTES (1 << 20)
#define LEAST_SHARE 0.25
/* This bounds the silence of writing pages back, which cannot be interrupted, to less than a
 * minute. */
#define MOST_BYTES ((int64_t)1 << 30)
/* steps of SQLite (some hundred rows) between two calls of go_on */
#define STEPS_A_CALL 1000

struct size {
    int64_t file_bytes, free_bytes;
};

struct patience {
    bool (*go_on)(void *arg);
    void *arg;
};

static int measure(struct store *store, struct size *size)
{
    int64_t page_bytes, pages, free_pages;

    if (db_integer(&page_bytes, store, "PRAGMA page_size", NULL, "") ||
        db_integer(&pages, store, "PRAGMA page_count", NULL, "") ||
        db_integer(&free_pages, store, "PRAGMA freelist_count", NULL, ""))
        return -1;
    size->file_bytes = pages * page_bytes;
    size->free_bytes = free_pages * page_bytes;
    return 0;
}

static bool is_shared(struct store *store)
{
    sqlite3_stmt *row = db_query(store, "PRAGMA journal_mode", NULL, "");
    bool is_shared = db_step(store, row, NULL) != 1 ||
                     strcmp((const char *)sqlite3_column_text(row, 0), "delete") != 0;

    sqlite3_finalize(row);
    return is_shared;
}

/* See https://sqlite.org/tempfiles.html, 5. */
static const char *temporary_folder(void)
{
    const char *folder = getenv("SQLITE_TMPDIR");

    if (!folder || !*folder)
        folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/var/tmp";
}

/* A nonzero result interrupts the statement. */
static int is_over(void *arg)
{
    const struct patience *patience = arg;

    return !patience->go_on(patience->arg);
}

int64_t store_compact(struct store *store, bool (*go_on)(void *arg), void *arg)
{
    struct patience patience = {go_on, arg};
    struct size before, after;
    int attached, rc;

    if (measure(store, &before) || before.free_bytes <= LEAST_BYTES ||
        (double)before.free_bytes <= LEAST_SHARE * (double)before.file_bytes ||
        before.file_bytes - before.free_bytes > MOST_BYTES || is_shared(store))
        return 0;
    /* The file and the temporary folder may be on one disk. */
    if (!(database_file_room(store->path) > 2.0 * (double)before.file_bytes) ||
        !(database_file_room(temporary_folder()) > 2.0 * (double)before.file_bytes))
        return 0;
    attached = sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 1);
    sqlite3_progress_handler(store->db, STEPS_A_CALL, is_over, &patience);
    rc = sqlite3_exec(store->db, "VACUUM", NULL, NULL, NULL);
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, attached);
    return rc == SQLITE_OK && !measure(store, &after) ? before.file_bytes - after.file_bytes : 0;
}
