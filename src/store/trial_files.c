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

/* Uses of a trial's folder, added up by STATEMENT_FOLDER_NEEDED. */
enum { HAS_FILES = 1, IS_UNFINISHED = 2, MAY_RUN_AGAIN = 4 };

/* Return "DB.files", which the caller frees, or NULL. */
static char *all_path(const char *db)
{
    char *path;

    return asprintf(&path, "%s" FILES, db) < 0 ? NULL : path;
}

/* Likewise "DB.files/t345SUFFIX". */
static char *path_of(const char *db, int64_t trial_id, const char *suffix)
{
    char *path;

    return asprintf(&path, "%s" FILES "/t%lld%s", db, (long long)trial_id, suffix) < 0 ? NULL
                                                                                       : path;
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

/* Members of gangs left theirs. */
static void remove_logs(const char *db, int64_t trial_id)
{
    char *folder = path_of(db, trial_id, "");
    struct log_file file;

    if (folder) {
        file = log_file_begin(folder, 0, 0);
        log_file_remove(&file);
    }
    free(folder);
}

static void remove_progress(const char *db, int64_t trial_id)
{
    char *folder = path_of(db, trial_id, "");
    char *checkpoint = path_of(db, trial_id, "/" FOLDER_CHECKPOINT);
    char *old = path_of(db, trial_id, "/" FOLDER_SCRATCH "old");
    char *curve = path_of(db, trial_id, "/" FOLDER_CURVE);
    struct err ignored;

    if (folder && checkpoint && old && curve) {
        /* Part of a checkpoint would not be one: it goes away at once, then file by file. */
        if (!beneath_rename(checkpoint, FOLDER_SCRATCH "old")) {
            FAULT("store: a program's checkpoint is dropped");
            (void)!folder_remove(old, &ignored);
        }
        beneath_unlink(curve);
        attempt_file_remove(folder);
        beneath_rmdir(folder); /* fails if files are kept */
    }
    free(folder);
    free(checkpoint);
    free(old);
    free(curve);
}

void trial_files_remove_old(struct store *store)
{
    struct cursor in = {.data = store->ended.data, .size = store->ended.size};
    struct err ignored;

    while (in.at < in.size) {
        int64_t trial_id = cursor_i64(&in);

        remove_logs(store->path, trial_id);
        remove_progress(store->path, trial_id);
    }
    buf_clear(&store->ended);
    in = (struct cursor){.data = store->dropped.data, .size = store->dropped.size};
    while (in.at < in.size) {
        char *folder = path_of(store->path, cursor_i64(&in), "");

        if (folder)
            (void)!folder_remove(folder, &ignored);
        free(folder);
    }
    buf_clear(&store->dropped);
}

int trial_files_take(const char *to_db, int64_t to_id, const char *from_db, int64_t from_id,
                     const char *name, struct err *err)
{
    char *all = all_path(to_db), *to = path_of(to_db, to_id, "");
    char *from = path_of(from_db, from_id, "");
    int rc = -1;

    if (all && to && from) {
        (void)!beneath_mkdir(all); /* a failure shows when its folder is made */
        rc = folder_take_file(to, from, name, err);
    } else {
        err_nomem(err, "path", strlen(to_db));
    }
    free(all);
    free(to);
    free(from);
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
    char *path = path_of(db, trial_id, "/" FOLDER_CHECKPOINT);
    bool has = path && folder_has_files(path);

    free(path);
    return has;
}

int32_t trial_files_epoch(const char *db, int64_t trial_id)
{
    char *path = path_of(db, trial_id, "/" FOLDER_CURVE);
    int32_t epoch = path ? program_report_last_epoch(path) : -1;

    free(path);
    return epoch;
}

double trial_files_seconds(const char *db, int64_t trial_id)
{
    char *path = path_of(db, trial_id, "");
    double seconds = path ? attempt_file_read(path).seconds : 0;

    free(path);
    return seconds;
}

double trial_files_saved(const char *db, int64_t trial_id)
{
    char *path = path_of(db, trial_id, "/" FOLDER_CHECKPOINT);
    double saved = path && folder_has_files(path) ? folder_newest(path) : 0;

    free(path);
    return saved;
}

void trial_files_put_checkpoints(struct buf *out, const char *db)
{
    char *path = all_path(db);
    DIR *folder = path ? beneath_list(path) : NULL;

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        int64_t id = parse_folder(entry->d_name);

        if (id && has_checkpoint(db, id))
            buf_put_i64(out, id);
    }
    if (folder)
        closedir(folder);
    free(path);
}

static int remove_unless_needed(struct store *store, int64_t trial_id, int64_t needed,
                                struct err *err)
{
    bool goes_on = needed & MAY_RUN_AGAIN && has_checkpoint(store->path, trial_id);
    char *folder = path_of(store->path, trial_id, "");
    int rc = 0;

    if (!folder)
        return err_nomem(err, "path", strlen(store->path));
    if (!goes_on && !(needed & HAS_FILES) && !(needed & IS_UNFINISHED && log_file_exists(folder))) {
        rc = folder_remove(folder, err);
    } else {
        if (!(needed & IS_UNFINISHED))
            remove_logs(store->path, trial_id);
        /* The next attempt reads the results that a killed one left beside its checkpoint. */
        if (!goes_on) {
            remove_progress(store->path, trial_id);
            /* Attempts of killed ranks left it. */
            rc = folder_remove_some(folder, FOLDER_SCRATCH, err);
        }
    }
    free(folder);
    return rc;
}

void trial_files_remove_gangs(struct store *store)
{
    struct cursor in = {.data = store->gangs.data, .size = store->gangs.size};
    struct err ignored;
    char *path = NULL;

    if (!store->gangs.size || database_file_check_place(store, &ignored))
        return;
    while (in.at < in.size) {
        int64_t trial_id = cursor_i64(&in), needed;
        bool drops_checkpoint = cursor_u32(&in);

        if (db_ask(&needed, store, STATEMENT_FOLDER_NEEDED, &ignored, "i", trial_id) ||
            needed & IS_UNFINISHED)
            continue;
        /* Also one that was saved since, although a failed trial may run again. */
        if (drops_checkpoint)
            needed &= ~MAY_RUN_AGAIN;
        (void)!remove_unless_needed(store, trial_id, needed, &ignored);
    }
    path = all_path(store->path);
    if (path)
        beneath_rmdir(path); /* fails if files are kept */
    free(path);
}

int store_remove_leftovers(struct store *store, struct err *err)
{
    char *path = all_path(store->path);
    DIR *folder = path ? beneath_list(path) : NULL;
    int rc = path ? 0 : err_nomem(err, "path", strlen(store->path));

    for (struct dirent *entry; !rc && folder && (entry = readdir(folder));) {
        int64_t needed, trial_id = parse_folder(entry->d_name);

        if (trial_id && (db_ask(&needed, store, STATEMENT_FOLDER_NEEDED, err, "i", trial_id) ||
                         remove_unless_needed(store, trial_id, needed, err)))
            rc = -1;
    }
    if (folder)
        closedir(folder);
    free(path);
    return rc;
}
