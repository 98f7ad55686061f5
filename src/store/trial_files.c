/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/trial_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "data/text/file_names.h"
#include "program/attempt_file.h"
#include "program/beneath.h"
#include "program/folder.h"
#include "program/log_file.h"
#include "program/report.h"
#include "store/database_file.h"
#include "store/db.h"

/* After the name of the database. */
#define FILES BENEATH_FILES

/* Uses of a trial's folder, added up by sql_needed. */
enum { HAS_FILES = 1, IS_UNFINISHED = 2, MAY_RUN_AGAIN = 4 };
static const char sql_needed[] =
    "SELECT EXISTS (SELECT 1 FROM file WHERE trial_id = ?1) + ifnull((SELECT CASE"
    " WHEN state IN ('pending', 'running') THEN 6 WHEN state = 'failed' THEN 4 END"
    " FROM trial WHERE trial_id = ?1), 0)";

static void put_all(struct buf *out, const char *db)
{
    buf_printf(out, "%s" FILES, db);
}

void trial_files_put_absolute(struct buf *out, const char *db)
{
    file_names_put_absolute(out, db);
    buf_puts(out, FILES);
}

void trial_files_put_folder(struct buf *out, const char *db, int64_t trial_id)
{
    buf_printf(out, "%s" FILES "/t%lld", db, (long long)trial_id);
}

int trial_files_remove(const char *db, int64_t trial_id, struct err *err)
{
    struct buf path = {0};
    int rc;

    trial_files_put_folder(&path, db, trial_id);
    rc =
        buf_failed(&path) ? err_nomem(err, "path", path.size) : folder_remove(buf_text(&path), err);
    buf_release(&path);
    return rc;
}

void trial_files_remove_dropped(struct store *store)
{
    struct cursor in = {.data = store->dropped.data, .size = store->dropped.size};
    struct err ignored;

    while (in.at < in.size)
        (void)!trial_files_remove(store->path, cursor_i64(&in), &ignored);
    buf_clear(&store->dropped);
}

/* Part of a checkpoint would not be one: it goes away at once, then file by file. */
static void remove_checkpoint(const char *folder)
{
    struct buf now = {0}, old = {0};
    struct err ignored;

    buf_printf(&now, "%s/" FOLDER_CHECKPOINT, folder);
    buf_printf(&old, "%s/" FOLDER_SCRATCH "old", folder);
    if (!buf_failed(&now) && !buf_failed(&old) &&
        !beneath_rename(buf_text(&now), FOLDER_SCRATCH "old")) {
        FAULT("store: a program's checkpoint is dropped");
        (void)!folder_remove(buf_text(&old), &ignored);
    }
    buf_release(&now);
    buf_release(&old);
}

/* Members of gangs left theirs. */
static void remove_logs(const char *db, int64_t trial_id)
{
    struct buf folder = {0};
    struct log_file file;

    trial_files_put_folder(&folder, db, trial_id);
    file = log_file_begin(buf_text(&folder), 0, 0);
    if (!buf_failed(&folder))
        log_file_remove(&file);
    buf_release(&folder);
}

static void remove_progress(const char *db, int64_t trial_id)
{
    struct buf folder = {0}, curve = {0};

    trial_files_put_folder(&folder, db, trial_id);
    buf_printf(&curve, "%s/" FOLDER_CURVE, buf_text(&folder));
    if (!buf_failed(&folder) && !buf_failed(&curve)) {
        remove_checkpoint(buf_text(&folder));
        beneath_unlink(buf_text(&curve));
        attempt_file_remove(buf_text(&folder));
        beneath_rmdir(buf_text(&folder)); /* fails if files are kept */
    }
    buf_release(&folder);
    buf_release(&curve);
}

void trial_files_remove_checkpoints(struct store *store)
{
    struct cursor in = {.data = store->ended.data, .size = store->ended.size};

    while (in.at < in.size) {
        int64_t trial_id = cursor_i64(&in);

        remove_logs(store->path, trial_id);
        remove_progress(store->path, trial_id);
    }
    buf_clear(&store->ended);
}

int trial_files_take(const char *to_db, int64_t to_id, const char *from_db, int64_t from_id,
                     const char *name, struct err *err)
{
    struct buf to = {0}, from = {0};
    int rc;

    put_all(&to, to_db);
    (void)!beneath_mkdir(buf_text(&to)); /* a failure shows when its folder is made */
    buf_clear(&to);
    trial_files_put_folder(&to, to_db, to_id);
    trial_files_put_folder(&from, from_db, from_id);
    rc = buf_failed(&to) || buf_failed(&from)
             ? err_nomem(err, "path", to.size + from.size)
             : folder_take_file(buf_text(&to), buf_text(&from), name, err);
    buf_release(&to);
    buf_release(&from);
    return rc;
}

/* ---- leftovers ---- */

/* The number of a trial's folder; 0: it is something else. */
static int64_t parse_folder(const char *name)
{
    bool is_one = name[0] == 't' && name[1] >= '1' && name[1] <= '9' && strlen(name) < 20;
    char *end;
    long long id;

    if (!is_one)
        return 0;
    id = strtoll(name + 1, &end, 10);
    return *end ? 0 : id;
}

static bool has_checkpoint(const char *db, int64_t trial_id)
{
    struct buf path = {0};
    bool has;

    trial_files_put_folder(&path, db, trial_id);
    buf_puts(&path, "/" FOLDER_CHECKPOINT);
    has = !buf_failed(&path) && folder_has_files(buf_text(&path));
    buf_release(&path);
    return has;
}

int32_t trial_files_epoch(const char *db, int64_t trial_id)
{
    struct buf path = {0};
    int32_t epoch;

    trial_files_put_folder(&path, db, trial_id);
    buf_puts(&path, "/" FOLDER_CURVE);
    epoch = buf_failed(&path) ? -1 : program_report_last_epoch(buf_text(&path));
    buf_release(&path);
    return epoch;
}

double trial_files_seconds(const char *db, int64_t trial_id)
{
    struct buf path = {0};
    double seconds;

    trial_files_put_folder(&path, db, trial_id);
    seconds = buf_failed(&path) ? 0 : attempt_file_read(buf_text(&path)).seconds;
    buf_release(&path);
    return seconds;
}

double trial_files_saved(const char *db, int64_t trial_id)
{
    struct buf path = {0};
    double saved = 0;

    trial_files_put_folder(&path, db, trial_id);
    buf_puts(&path, "/" FOLDER_CHECKPOINT);
    if (!buf_failed(&path) && folder_has_files(buf_text(&path)))
        saved = folder_newest(buf_text(&path));
    buf_release(&path);
    return saved;
}

void trial_files_put_checkpoints(struct buf *out, const char *db)
{
    struct buf path = {0};
    DIR *folder;

    buf_printf(&path, "%s" FILES, db);
    folder = buf_failed(&path) ? NULL : beneath_list(buf_text(&path));
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        int64_t id = parse_folder(entry->d_name);

        if (id && has_checkpoint(db, id))
            buf_put_i64(out, id);
    }
    if (folder)
        closedir(folder);
    buf_release(&path);
}

static bool has_log(const char *db, int64_t trial_id)
{
    struct buf path = {0};
    bool has;

    trial_files_put_folder(&path, db, trial_id);
    has = !buf_failed(&path) && log_file_exists(buf_text(&path));
    buf_release(&path);
    return has;
}

/* Attempts of killed ranks left them. */
static int remove_scratch(const char *db, int64_t trial_id, struct err *err)
{
    struct buf path = {0};
    int rc;

    trial_files_put_folder(&path, db, trial_id);
    rc = buf_failed(&path) ? err_nomem(err, "path", path.size)
                           : folder_remove_some(buf_text(&path), FOLDER_SCRATCH, err);
    buf_release(&path);
    return rc;
}

/* row: of sql_needed */
static int find_needed(struct store *store, sqlite3_stmt *row, int64_t trial_id, int64_t *needed,
                       struct err *err)
{
    sqlite3_reset(row);
    sqlite3_bind_int64(row, 1, trial_id);
    return db_integer(store, row, 0, needed, err);
}

static int remove_unless_needed(struct store *store, int64_t trial_id, int64_t needed,
                                struct err *err)
{
    bool goes_on = needed & MAY_RUN_AGAIN && has_checkpoint(store->path, trial_id);

    if (!goes_on && !(needed & HAS_FILES) &&
        !(needed & IS_UNFINISHED && has_log(store->path, trial_id)))
        return trial_files_remove(store->path, trial_id, err);
    if (!(needed & IS_UNFINISHED))
        remove_logs(store->path, trial_id);
    /* The next attempt reads the results that a killed one left beside its checkpoint. */
    if (goes_on)
        return 0;
    remove_progress(store->path, trial_id);
    return remove_scratch(store->path, trial_id, err);
}

void trial_files_remove_gangs(struct store *store)
{
    struct cursor in = {.data = store->gangs.data, .size = store->gangs.size};
    struct err ignored;
    sqlite3_stmt *row = NULL;
    struct buf path = {0};

    if (store->gangs.size && !database_file_check_place(store, &ignored))
        row = db_prepare(store, sql_needed, &ignored);
    while (row && in.at < in.size) {
        int64_t trial_id = cursor_i64(&in), needed;
        bool drops_checkpoint = cursor_u32(&in);

        if (find_needed(store, row, trial_id, &needed, &ignored) || needed & IS_UNFINISHED)
            continue;
        /* Also one that was saved since, although a failed trial may run again. */
        if (drops_checkpoint)
            needed &= ~MAY_RUN_AGAIN;
        (void)!remove_unless_needed(store, trial_id, needed, &ignored);
    }
    put_all(&path, store->path);
    if (row && !buf_failed(&path))
        beneath_rmdir(buf_text(&path)); /* fails if files are kept */
    buf_release(&path);
    sqlite3_finalize(row);
    buf_clear(&store->gangs);
}

static int remove_leftover(struct store *store, sqlite3_stmt *row, const char *name,
                           struct err *err)
{
    int64_t trial_id, needed;

    trial_id = parse_folder(name);
    if (!trial_id)
        return 0;
    return find_needed(store, row, trial_id, &needed, err) ||
                   remove_unless_needed(store, trial_id, needed, err)
               ? -1
               : 0;
}

int store_remove_leftovers(struct store *store, struct err *err)
{
    sqlite3_stmt *row = NULL;
    struct buf path = {0};
    DIR *folder = NULL;
    int rc = 0;

    put_all(&path, store->path);
    if (buf_failed(&path))
        rc = err_nomem(err, "path", path.size);
    else
        folder = beneath_list(buf_text(&path));
    if (folder)
        row = db_prepare(store, sql_needed, err);
    if (folder && !row)
        rc = -1;
    for (struct dirent *entry; !rc && folder && (entry = readdir(folder));)
        rc = remove_leftover(store, row, entry->d_name, err);
    sqlite3_finalize(row);
    if (folder)
        closedir(folder);
    buf_release(&path);
    return rc;
}
