#include "store/sqlite_error.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/process.h"

/* ---- texts ---- */

static const struct {
    int code; /* SQLITE_IOERR_... */
    const char *doing;
} doings[] = {
    {SQLITE_IOERR_READ, "read"},
    {SQLITE_IOERR_SHORT_READ, "read to its end"},
    {SQLITE_IOERR_WRITE, "write"},
    {SQLITE_IOERR_FSYNC, "flush to disk (fsync)"},
    {SQLITE_IOERR_DIR_FSYNC, "flush its directory to disk (fsync)"},
    {SQLITE_IOERR_TRUNCATE, "truncate"},
    {SQLITE_IOERR_FSTAT, "stat"},
    {SQLITE_IOERR_LOCK, "lock"},
    {SQLITE_IOERR_RDLOCK, "lock"},
    {SQLITE_IOERR_UNLOCK, "unlock"},
    {SQLITE_IOERR_CHECKRESERVEDLOCK, "look at locks"},
    {SQLITE_IOERR_DELETE, "delete the journal"},
    {SQLITE_IOERR_CLOSE, "close"},
    {SQLITE_IOERR_SHMOPEN, "open the shared memory (-shm)"},
    {SQLITE_IOERR_SHMSIZE, "enlarge the shared memory (-shm)"},
    {SQLITE_IOERR_SHMMAP, "map the shared memory (-shm)"},
    {SQLITE_IOERR_SHMLOCK, "lock the shared memory (-shm)"},
};

static const char *doing(int code)
{
    for (size_t i = 0; i < sizeof doings / sizeof *doings; i++)
        if (doings[i].code == code)
            return doings[i].doing;
    return "reach the file";
}

/* What the system said about the journal or the file. SQLite hands errno on from statements, but
 * not from a commit; its files remember theirs. */
static int last_errno(const struct store *store)
{
    static const int pointers[] = {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER};
    int number = sqlite3_system_errno(store->db);

    for (size_t i = 0; !number && i < sizeof pointers / sizeof *pointers; i++) {
        sqlite3_file *file = NULL;

        sqlite3_file_control(store->db, "main", pointers[i], &file);
        if (file && file->pMethods)
            file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    }
    return number;
}

static const char *reason(const struct store *store, const char *otherwise)
{
    int number = last_errno(store);

    return number ? strerror(number) : otherwise;
}

static void describe_busy(char *out, size_t size, struct store *store)
{
    char holder[FAULT_HOLDER];

    fault_holder(holder, store);
    snprintf(out, size,
             "%s keeps it from being written (a transaction left open in 'sqlite3', a query that "
             "does not end): end that%s",
             *holder ? holder : "another process, or a lock service that does not answer,",
             *holder ? "" : "; 'fuser' on its host tells which it is");
}

static void describe_damage(char *out, size_t size, const struct store *store, const char *what)
{
    struct buf word = {0};

    snprintf(out, size,
             "damaged (%s); go on with a copy from before, or with what 'sqlite3 %s .recover | "
             "sqlite3 NEW.db' can read (the shell of Debian 12 cannot): --db NEW.db runs what is "
             "missing",
             what, escape_shell(&word, store->path));
    buf_release(&word);
}

int fault_damage(struct store *store, const char *what, struct err *err)
{
    char text[sizeof((struct err *)0)->text];

    describe_damage(text, sizeof text, store, what);
    return err_set(err, "%s: %s", store->path, text);
}

void fault_describe(char *out, size_t size, struct store *store)
{
    int code = sqlite3_extended_errcode(store->db);

    switch (code & 0xff) {
    case SQLITE_FULL:
        snprintf(out, size, "%s",
                 store->is_writer
                     ? "the disk or a quota is full: make room (df, quota)"
                     : "no room for temporary files: SQLITE_TMPDIR names another folder");
        return;
    case SQLITE_IOERR:
        snprintf(out, size, "cannot %s: %s", doing(code), reason(store, "input/output error"));
        return;
    case SQLITE_CANTOPEN:
        snprintf(out, size, "cannot open it or its journal: %s",
                 reason(store, sqlite3_errmsg(store->db)));
        return;
    case SQLITE_BUSY:
        describe_busy(out, size, store);
        return;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        describe_damage(out, size, store, sqlite3_errmsg(store->db));
        return;
    default:
        snprintf(out, size, "%s", sqlite3_errmsg(store->db));
    }
}

/* ---- where it is ---- */

/* VACUUM attaches the copy: nothing else may attach (db_distrust). */
static int save(struct store *store, const char *copy)
{
    sqlite3_stmt *statement = NULL;
    struct buf name = {0};
    int rc;

    /* "./": a name that begins with "file:" is no URI. */
    buf_printf(&name, "%s%s", *copy == '/' ? "" : "./", copy);
    rc = buf_failed(&name) ? SQLITE_NOMEM
                           : sqlite3_prepare_v2(store->db, "VACUUM INTO ?1", -1, &statement, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(statement, 1, buf_text(&name), -1, SQLITE_STATIC);
    sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 1);
    if (rc == SQLITE_OK && sqlite3_step(statement) != SQLITE_DONE)
        rc = SQLITE_ERROR;
    sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_finalize(statement);
    buf_release(&name);
    return rc;
}

bool store_has_moved(struct store *store)
{
    int has_moved = 0;

    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    return has_moved != 0;
}

/* PATH.saved, or PATH.saved.2 and so on: what another run saved stays, and no link is followed. */
static void put_free_name(struct buf *out, const char *path)
{
    struct stat st;

    buf_printf(out, "%s.saved", path);
    for (int n = 2; !buf_failed(out) && !lstat(buf_text(out), &st); n++) {
        buf_clear(out);
        buf_printf(out, "%s.saved.%d", path, n);
    }
}

/* What cannot be saved leaves no beginning of a copy. */
static int save_free(struct store *store, struct err *err)
{
    struct buf *copy = &store->saved;

    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_reset(store->statements[i]);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    put_free_name(copy, store->path);
    if (!buf_failed(copy) && save(store, buf_text(copy)) == SQLITE_OK)
        return 0;
    err_set(err,
            "%s: was removed, moved or replaced while it was written, and what it held could "
            "not be saved as %s: %s; where it was moved with its folder it is whole there",
            store->path, buf_text(copy), sqlite3_errmsg(store->db));
    if (!buf_failed(copy))
        unlink(buf_text(copy));
    buf_release(copy);
    return -1;
}

int fault_check_place(struct store *store, struct err *err)
{
    if (!store_has_moved(store))
        return 0;
    if (!store->saved.size && save_free(store, err))
        return -1;
    return err_set(
        err,
        "%s: was removed, moved or replaced while it was written; all that was committed is in "
        "%s: give that its place, then the same command goes on",
        store->path, buf_text(&store->saved));
}

static int64_t size_of(const struct store *store, const char *ending)
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

bool store_is_cut_off(const struct store *store)
{
    return store->is_cut_off;
}

static int cut_off(struct store *store, const char *ending, int64_t before, struct err *err)
{
    if (store_has_moved(store))
        return fault_check_place(store, err);
    store->is_cut_off = true;
    return err_set(err,
                   "%s: %s%s was cut off or removed while it was written: %lld bytes are left of "
                   "%lld; what was there is lost",
                   store->path, store->path, ending, (long long)size_of(store, ending),
                   (long long)before);
}

/* out: a bool. */
static int note_answer(void *out, int n, char **text, char **names)
{
    (void)n;
    (void)names;
    *(bool *)out = text[0] && !strcmp(text[0], "ok");
    return 0;
}

/* Read from the disk: pages that are in memory would hide what is gone. */
static bool is_sound(struct store *store)
{
    bool is_ok = false;

    sqlite3_db_release_memory(store->db);
    sqlite3_exec(store->db, "PRAGMA quick_check(1)", note_answer, &is_ok, NULL);
    return is_ok;
}

int fault_note_size(struct store *store, struct err *err)
{
    int64_t log = size_of(store, "-wal"), before = store->log_bytes;
    int n_frames = -1, n_copied;

    /* Another process may empty the log: then SQLite knows of no frames in it. */
    if (log < before &&
        sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &n_frames,
                                  &n_copied) != SQLITE_BUSY &&
        n_frames && size_of(store, "-wal") < before)
        return cut_off(store, "-wal", before, err);
    /* VACUUM of another process makes the file smaller, too. */
    if (size_of(store, "") < store->file_bytes && !is_sound(store))
        return cut_off(store, "", store->file_bytes, err);
    store->log_bytes = log;
    store->file_bytes = size_of(store, "");
    return 0;
}

int fault_check_size(struct store *store, struct err *err)
{
    if (size_of(store, "") < store->file_bytes)
        return cut_off(store, "", store->file_bytes, err);
    if (size_of(store, "-wal") < store->log_bytes)
        return cut_off(store, "-wal", store->log_bytes, err);
    return 0;
}

/* ---- who holds it ---- */

/* Where SQLite locks, in the file itself and in the -shm of a log: sqlite3.c, PENDING_BYTE and
 * WAL_WRITE_LOCK; https://sqlite.org/walformat.html, 2.3. */
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

/* 0: nobody, or it cannot be told. */
static pid_t lock_owner(int fd, off_t from, off_t bytes)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = bytes};

    if (fd < 0 || fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK || lock.l_pid <= 0)
        return 0;
    return lock.l_pid;
}

void fault_holder(char out[FAULT_HOLDER], struct store *store)
{
    int log = open_kept(&store->held[1], store->path, "-shm");
    pid_t pid = log >= 0 ? lock_owner(log, LOG_WRITE_LOCK, 1)
                         : lock_owner(open_kept(&store->held[0], store->path, ""), FILE_LOCKS,
                                      FILE_LOCKS_BYTES);
    char name[32];

    *out = '\0';
    /* Of another host, its number says nothing here. */
    if (pid && *process_name(name, sizeof name, pid))
        snprintf(out, FAULT_HOLDER, "pid %ld (%s)", (long)pid, name);
}

void fault_release(struct store *store)
{
    for (size_t i = 0; i < sizeof store->held / sizeof *store->held; i++)
        if (store->held[i] > 0)
            close(store->held[i]);
}
