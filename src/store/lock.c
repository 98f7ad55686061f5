/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/batch.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fault.h"
#include "store/database_file.h"
#include "store/liveness.h"

#define HOLDER_BYTES 1024
#define TRIES 1000

static const char *line_after(const char *line)
{
    const char *newline = strchr(line, '\n');

    return newline ? newline + 1 : "";
}

static void read_holder(int fd, struct lock_holder *holder)
{
    char text[HOLDER_BYTES] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    const char *job, *command;
    long long pid = 0, born = 0;

    *holder = (struct lock_holder){.host = "unknown host"};
    if (n <= 0)
        return;
    text[n] = '\0';
    if (sscanf(text, "%64s %lld %lf", holder->host, &pid, &holder->since) == 3)
        holder->pid = pid;
    job = line_after(text);
    if (*job != '-')
        snprintf(holder->job, sizeof holder->job, "%.*s", (int)strcspn(job, "\n"), job);
    command = line_after(job);
    snprintf(holder->command, sizeof holder->command, "%.*s", (int)strcspn(command, "\n"), command);
    if (sscanf(line_after(command), "%lld %63[^\n]", &born, holder->realm) == 2)
        holder->born = born;
}

static void read_note(int fd, char *note, size_t size)
{
    char text[HOLDER_BYTES] = "";
    const char *line = text;

    if (pread(fd, text, sizeof text - 1, 0) < 0)
        return;
    for (int i = 0; i < 4; i++)
        line = line_after(line);
    snprintf(note, size, "%.*s", (int)strcspn(line, "\n"), line);
}

static int refuse(int fd, const char *path, struct err *err)
{
    struct lock_holder holder;
    struct process process;
    struct liveness_answer answer;
    char since[CLOCK_TEXT], advice[512], owner[DATABASE_FILE_OWNER] = "";
    struct stat st;

    read_holder(fd, &holder);
    if (!fstat(fd, &st))
        database_file_owner(owner, ", ", st.st_uid);
    process = (struct process){.pid = holder.pid, .start = holder.born};
    strcpy(process.host, holder.host);
    strcpy(process.realm, holder.realm);
    liveness_ask(&answer, &process, holder.job);
    /* A server that missed the end of a process may keep its lock. */
    if (answer.liveness == LIVENESS_ALIVE)
        snprintf(advice, sizeof advice,
                 "wait for it ('espalier status' shows its progress), stop it, or give "
                 "this run another --db");
    else if (answer.liveness == LIVENESS_GONE)
        snprintf(advice, sizeof advice,
                 "but %s: try again in a moment; if its lock remains, remove %s.lock", answer.why,
                 path);
    else
        snprintf(advice, sizeof advice,
                 "wait for it or give this run another --db; %s: if %.64s is down or has no such "
                 "process, remove %s.lock",
                 answer.why, holder.host, path);
    return err_set(err, "%s: another run is writing to it: pid %lld on %s%s%s%s, since %s%s%s; %s",
                   path, (long long)holder.pid, holder.host, owner, *holder.job ? ", " : "",
                   holder.job, clock_utc(since, (double)holder.since), *holder.command ? ": " : "",
                   holder.command, advice);
}

static int check_one_name(const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) && !lstat(path, &st) && S_ISLNK(st.st_mode))
        return err_set(
            err,
            "%s: a link to a file that does not exist; give the name of the file itself, "
            "or remove the link",
            path);
    if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_nlink < 2)
        return 0;
    return err_set(
        err,
        "%s: the file has %lu names (hard links): two runs could write to it, and a crash could "
        "not be repaired; keep one name ('find -samefile' lists them), or use a copy",
        path, (unsigned long)st.st_nlink);
}

/* ---- the lock file ---- */

/* flags: O_RDONLY, or O_RDWR, which also creates the file. -1 with errno, or with errno 0 and err:
 * it is not the file of a run. */
static int open_file(const char *name, int flags, const char *path, struct err *err)
{
    const int always = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = open(name, flags | always);
    int error = errno;
    struct stat st;

    /* With fs.protected_regular, O_CREAT without O_EXCL fails on a file of another user. */
    if (fd < 0 && error == ENOENT && flags == O_RDWR) {
        fd = open(name, O_RDWR | O_CREAT | O_EXCL | always, 0644);
        /* Copy the database's permissions: anyone who may write to it may lock it. */
        if (fd >= 0 && !stat(path, &st) &&
            ((!geteuid() && fchown(fd, st.st_uid, st.st_gid)) || fchmod(fd, st.st_mode & 0666)))
            errno = 0; /* others cannot lock it then, and get a message */
        return fd;
    }
    if (fd < 0 ? lstat(name, &st) : fstat(fd, &st))
        error = error ? error : EIO;
    else if (database_file_check_kind(&st, name, path, err))
        error = 0;
    else if (fd >= 0)
        return fd;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

/* The previous holder may have removed the file between our open() and our lock. Others cannot see
 * a lock on a removed file. */
static bool is_current(int fd, const char *name)
{
    struct stat ours, there;

    return !fstat(fd, &ours) && !lstat(name, &there) && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

/* ---- taking the lock ---- */

/* 1: taken; 0: try again; -1 and err. */
static int try_take(struct lock *lock, const char *name, const char *path, struct err *err)
{
    struct flock flock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open_file(name, O_RDWR, path, err);
    int error = errno, rc;
    char owner[DATABASE_FILE_OWNER] = "";
    struct stat st;

    if (fd < 0 && error == EEXIST)
        return 0;
    if (fd < 0 && error == EACCES && !lstat(name, &st))
        return err_set(err,
                       "%s: cannot lock it: the lock file %s%s cannot be opened: %s; remove that "
                       "file, or ask its owner to remove it",
                       path, name, database_file_owner(owner, " of ", st.st_uid), strerror(error));
    if (fd < 0)
        return error
                   ? err_set(err,
                             "%s: cannot create %s: %s; create its folder or make it writable, or "
                             "give another --db",
                             path, name, strerror(error))
                   : -1;
    FAULT("store: a lock file is there");
    if (!fcntl(fd, F_OFD_SETLK, &flock))
        rc = is_current(fd, name);
    else if (errno == EAGAIN || errno == EACCES)
        rc = refuse(fd, path, err);
    else
        rc = err_set(err, "%s: cannot lock %s: %s; use a filesystem that supports locks", path,
                     name, strerror(errno));
    lock->fd = fd;
    if (rc != 1)
        close(fd);
    return rc;
}

/* ---- contents of the lock file ---- */

static void write_holder(struct lock *lock)
{
    struct buf text = {0};
    struct process self;
    struct batch_job job;
    char command[sizeof((struct lock_holder *)0)->command];

    process_self(&self);
    process_command(command, sizeof command);
    batch_job_here(&job);
    buf_printf(&text, "%s %lld %.3f\n", self.host, (long long)self.pid, clock_unix());
    if (job.system == BATCH_NONE)
        buf_puts(&text, "-");
    else
        buf_printf(&text, "%s job %s", batch_system_name(job.system), job.id);
    buf_printf(&text, "\n%s\n%lld %s\n", command, (long long)self.start, self.realm);
    /* Only messages need this text; a full disk shows in the database. */
    if (ftruncate(lock->fd, 0) || pwrite(lock->fd, buf_text(&text), text.size, 0) < 0)
        errno = 0;
    lock->note_at = (int64_t)text.size;
    buf_release(&text);
}

void lock_note(const struct lock *lock, const char *text)
{
    char line[sizeof lock->left + 1];
    int n = snprintf(line, sizeof line, "%s\n", text);

    /* An old, longer note leaves its end after the newline. */
    if (pwrite(lock->fd, line, (size_t)n, (off_t)lock->note_at) < 0)
        errno = 0;
}

int lock_take(struct lock *lock, const char *path, struct err *err)
{
    char *name = database_file_beside(path, ".lock");
    int rc = name ? check_one_name(path, err) : err_nomem(err, "lock", PATH_MAX);

    for (int i = 0; i < TRIES && rc == 0; i++)
        rc = try_take(lock, name, path, err);
    if (rc == 0)
        rc = err_set(err, "%s: cannot lock it: other processes keep locking or removing %s", path,
                     name);
    if (rc < 0) {
        free(name);
        return -1;
    }
    lock->path = name;
    FAULT("store: the lock is taken");
    read_note(lock->fd, lock->left, sizeof lock->left);
    write_holder(lock);
    FAULT("store: the lock says who has it");
    return 0;
}

void lock_release(struct lock *lock)
{
    if (!lock->path)
        return;
    FAULT("store: before the lock is given up");
    unlink(lock->path);
    FAULT("store: the lock file is gone");
    close(lock->fd);
    free(lock->path);
    lock->path = NULL;
}

/* Return a descriptor, or -1. *rc = -1 and err: the name belongs to something else. */
static int open_held(int *rc, const char *path, struct err *err)
{
    char *name = database_file_beside(path, ".lock");
    int fd = name ? open_file(name, O_RDONLY, path, err) : -1;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    *rc = name && fd < 0 && !errno ? -1 : 0;
    free(name);
    if (fd < 0 || (!fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type == F_WRLCK))
        return fd;
    close(fd);
    return -1;
}

int lock_check(const char *path, struct err *err)
{
    int rc, fd;

    if (check_one_name(path, err) || database_file_check_folder(path, err))
        return -1;
    fd = open_held(&rc, path, err);
    if (fd < 0)
        return rc;
    rc = refuse(fd, path, err);
    close(fd);
    return rc;
}

bool lock_is_held(const char *path, struct lock_holder *holder)
{
    int rc, fd = open_held(&rc, path, NULL);

    if (fd < 0)
        return false;
    read_holder(fd, holder);
    close(fd);
    return true;
}
