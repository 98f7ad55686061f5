/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/database_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/process.h"
#include "program/folder.h"
#include "store/connection.h"

#define RESERVE_BYTES (512 << 10)

/* SQLite's write-ahead log needs memory that all readers share, so it is unsafe if other nodes may see
 * the file (https://sqlite.org/wal.html, "disadvantages"). Magic numbers (f_type of statfs(2)) from
 * linux/magic.h and the sources of filesystems outside the kernel. */
static const struct filesystem {
    uint32_t magic;
    const char *name;
    bool is_shared;
} table[] = {
    {0x00006969, "nfs", true},       {0x0bd00bd0, "lustre", true}, {0x47504653, "gpfs", true},
    {0x19830326, "beegfs", true},    {0xff534d42, "cifs", true},   {0xfe534d42, "smb2", true},
    {0x0000517b, "smb", true},       {0x65735546, "fuse", true},   {0x00c36400, "ceph", true},
    {0x5346414f, "afs", true},       {0x01021997, "9p", true},     {0x20030528, "orangefs", true},
    {0xaad7aaea, "panfs", true},     {0x01161970, "gfs2", true},   {0x7461636f, "ocfs2", true},
    {0x786f4256, "vboxsf", true},    {0x0000ef53, "ext4", false},  {0x58465342, "xfs", false},
    {0x9123683e, "btrfs", false},    {0x01021994, "tmpfs", false}, {0x858458f6, "ramfs", false},
    {0x794c7630, "overlay", false},  {0x2fc12fc1, "zfs", false},   {0xf2f52010, "f2fs", false},
    {0xca451a4e, "bcachefs", false},
};

const char *database_file_journal_mode(const char *path, const char **filesystem)
{
    struct filesystem found = {0, "unknown", true}; /* slower but safe */
    char *copy = strdup(path);
    struct statfs fs;

    if (!statfs(path, &fs) || (copy && !statfs(dirname(copy), &fs)))
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)
            if (table[i].magic == (uint32_t)fs.f_type)
                found = table[i];
    free(copy);
    if (filesystem)
        *filesystem = found.name;
    return found.is_shared ? "delete" : "wal";
}

int database_file_check_folder(const char *path, struct err *err)
{
    char *copy = strdup(path);
    const char *folder = copy ? dirname(copy) : "";
    int rc = 0;

    if (!copy)
        rc = err_nomem(err, "path", strlen(path));
    else if (access(folder, F_OK) && errno == ENOENT)
        rc = err_set(err,
                     "%s: cannot be created: the folder %s does not exist; create it (mkdir -p), "
                     "or give another --db",
                     path, folder);
    free(copy);
    return rc;
}

double database_file_room(const char *path)
{
    struct statvfs disk;

    return statvfs(path, &disk) ? (double)NAN : (double)disk.f_bavail * (double)disk.f_frsize;
}

bool database_file_is_full(const char *path)
{
    char *real = realpath(path, NULL);
    int fd = real ? open(dirname(real), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool is_full = fd >= 0 && folder_lacks_room(fd);

    if (fd >= 0)
        close(fd);
    free(real);
    return is_full;
}

void database_file_reserve(const char *path)
{
    char *log = database_file_beside(path, "-wal");
    int fd = log ? open(log, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;

    if (fd >= 0) {
        (void)!fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, RESERVE_BYTES);
        close(fd); /* SQLite locks other files than this one */
    }
    free(log);
}

const char *database_file_owner(char out[DATABASE_FILE_OWNER], const char *before, uid_t owner)
{
    char name[USER_NAME];

    *out = '\0';
    if (owner != geteuid())
        snprintf(out, DATABASE_FILE_OWNER, "%suser %s", before, user_name(name, owner));
    return out;
}

int database_file_check_kind(const struct stat *st, const char *name, const char *path,
                             struct err *err)
{
    const char *what = S_ISLNK(st->st_mode)   ? "a symbolic link"
                       : S_ISDIR(st->st_mode) ? "a folder"
                       : S_ISREG(st->st_mode) ? "a file with several names (hard links)"
                                              : "a pipe, a device or a socket";
    char owner[DATABASE_FILE_OWNER];

    if (S_ISREG(st->st_mode) && st->st_nlink < 2)
        return 0;
    return err_set(err, "%s: %s is %s%s, but a run needs a file of its own there; remove it", path,
                   name, what, database_file_owner(owner, " of ", st->st_uid));
}

char *database_file_beside(const char *path, const char *ending)
{
    char *real = realpath(path, NULL), *name;

    if (asprintf(&name, "%s%s", real ? real : path, ending) < 0)
        name = NULL;
    free(real);
    return name;
}

int database_file_check(const char *path, bool is_writer, struct err *err)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal"};
    int rc = 0;

    for (size_t i = 0; !rc && i < sizeof endings / sizeof *endings; i++) {
        char *name = database_file_beside(path, endings[i]);
        struct stat st;

        if (!name)
            rc = err_nomem(err, path, PATH_MAX);
        else if (!lstat(name, &st) && (is_writer || !S_ISREG(st.st_mode)))
            rc = database_file_check_kind(&st, name, path, err);
        free(name);
    }
    return rc;
}

/* ---- the path of the file ---- */

bool database_file_has_moved(struct store *store)
{
    int has_moved = 0;

    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    return has_moved != 0;
}

/* Save the contents as the first of PATH.saved, PATH.saved.2, ... that names nothing, not even a
 * link. */
static int save_free(struct store *store, struct err *err)
{
    struct buf *copy = &store->saved;
    struct stat st;
    char *sql;
    int rc;

    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_reset(store->statements[i]);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    buf_printf(copy, "%s.saved", store->path);
    for (int n = 2; !buf_failed(copy) && !lstat(buf_text(copy), &st); n++) {
        buf_clear(copy);
        buf_printf(copy, "%s.saved.%d", store->path, n);
    }
    /* VACUUM attaches the copy, which is forbidden otherwise. SQLite reads a name that begins with
     * "file:" as a URI. */
    sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 1);
    sql = sqlite3_mprintf("VACUUM INTO '%q%q'", *buf_text(copy) == '/' ? "" : "./", buf_text(copy));
    rc = buf_failed(copy) || !sql ? SQLITE_NOMEM : sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
    if (rc == SQLITE_OK)
        return 0;
    err_set(err,
            "%s: was removed, moved or replaced during the run, and its contents could not be "
            "saved as %s: %s; if its folder was moved, the file is complete there",
            store->path, buf_text(copy), sqlite3_errmsg(store->db));
    if (!buf_failed(copy))
        unlink(buf_text(copy));
    buf_release(copy);
    return -1;
}

int database_file_check_place(struct store *store, struct err *err)
{
    if (!database_file_has_moved(store))
        return 0;
    if (!store->saved.size && save_free(store, err))
        return -1;
    return err_set(
        err,
        "%s: was removed, moved or replaced during the run; all that was committed is in %s: move "
        "that file back into place, then repeat the command",
        store->path, buf_text(&store->saved));
}

int64_t database_file_size(const struct store *store, const char *ending)
{
    struct stat st;
    int64_t size = 0;
    char *name;

    if (asprintf(&name, "%s%s", store->path, ending) < 0)
        return INT64_MAX;
    if (!stat(name, &st))
        size = st.st_size;
    free(name);
    return size;
}

bool database_file_is_cut_off(const struct store *store)
{
    return store->is_cut_off;
}

static int cut_off(struct store *store, const char *ending, int64_t before, struct err *err)
{
    if (database_file_has_moved(store))
        return database_file_check_place(store, err);
    store->is_cut_off = true;
    return err_set(err,
                   "%s: %s%s was truncated or removed during the run: %lld of %lld bytes are left; "
                   "the rest is lost",
                   store->path, store->path, ending, (long long)database_file_size(store, ending),
                   (long long)before);
}

static int note_answer(void *out, int n, char **text, char **names)
{
    (void)n;
    (void)names;
    *(bool *)out = text[0] && !strcmp(text[0], "ok");
    return 0;
}

/* Pages in memory would hide missing ones. */
static bool is_sound(struct store *store)
{
    bool is_ok = false;

    sqlite3_db_release_memory(store->db);
    sqlite3_exec(store->db, "PRAGMA quick_check(1)", note_answer, &is_ok, NULL);
    return is_ok;
}

int database_file_note_size(struct store *store, struct err *err)
{
    int64_t log = database_file_size(store, "-wal"), before = store->log_bytes;
    int n_frames = -1, n_copied;

    /* SQLite reports no frames if another process emptied the log. */
    if (log < before &&
        sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &n_frames,
                                  &n_copied) != SQLITE_BUSY &&
        n_frames && database_file_size(store, "-wal") < before)
        return cut_off(store, "-wal", before, err);
    /* VACUUM by another process shrinks the file, too. */
    if (database_file_size(store, "") < store->file_bytes && !is_sound(store))
        return cut_off(store, "", store->file_bytes, err);
    store->log_bytes = log;
    store->file_bytes = database_file_size(store, "");
    return 0;
}

int database_file_check_size(struct store *store, struct err *err)
{
    if (database_file_size(store, "") < store->file_bytes)
        return cut_off(store, "", store->file_bytes, err);
    if (database_file_size(store, "-wal") < store->log_bytes)
        return cut_off(store, "-wal", store->log_bytes, err);
    return 0;
}

/* ---- who holds the database ---- */

/* From sqlite3.c, PENDING_BYTE and WAL_WRITE_LOCK; https://sqlite.org/walformat.html, 2.3. */
enum { FILE_LOCKS = 0x40000000, FILE_LOCKS_BYTES = 512, LOG_WRITE_LOCK = 120 };

static int open_kept(int *fd, const char *path, const char *suffix)
{
    char *name;

    if (*fd > 0)
        return *fd;
    if (asprintf(&name, "%s%s", path, suffix) < 0)
        return -1;
    *fd = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    free(name);
    return *fd;
}

/* 0: none, or unknown. */
static pid_t lock_owner(int fd, off_t from, off_t bytes)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = bytes};

    if (fd < 0 || fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK || lock.l_pid <= 0)
        return 0;
    return lock.l_pid;
}

void database_file_holder(char out[DATABASE_FILE_HOLDER], struct store *store)
{
    int log = open_kept(&store->held[1], store->path, "-shm");
    pid_t pid = log >= 0 ? lock_owner(log, LOG_WRITE_LOCK, 1)
                         : lock_owner(open_kept(&store->held[0], store->path, ""), FILE_LOCKS,
                                      FILE_LOCKS_BYTES);
    char name[32];

    *out = '\0';
    /* The pid may be that of another host. */
    if (pid && *process_name(name, sizeof name, pid))
        snprintf(out, DATABASE_FILE_HOLDER, "pid %ld (%s)", (long)pid, name);
}

void database_file_release(struct store *store)
{
    for (size_t i = 0; i < sizeof store->held / sizeof *store->held; i++)
        if (store->held[i] > 0)
            close(store->held[i]);
}
