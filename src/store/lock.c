#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/batch.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fault.h"
#include "store/living.h"

#define HOLDER_BYTES 1024 /* of the lock file that are read */

/* Of the file itself where the path is a link: two names of a database are one lock. */
static char *lock_path(const char *path)
{
    char *real = realpath(path, NULL);
    char *name;

    if (asprintf(&name, "%s.lock", real ? real : path) < 0)
        name = NULL;
    free(real);
    return name;
}

static int lock_operation(int fd, int operation, struct flock *lock)
{
    *lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, operation, lock);
}

static void copy_line(char *out, size_t size, const char *line)
{
    snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
}

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
        copy_line(holder->job, sizeof holder->job, job);
    command = line_after(job);
    copy_line(holder->command, sizeof holder->command, command);
    if (sscanf(line_after(command), "%lld %63[^\n]", &born, holder->realm) == 2)
        holder->born = born;
}

/* The fifth line. */
static void read_note(int fd, char *note, size_t size)
{
    char text[HOLDER_BYTES] = "";
    const char *line = text;

    if (pread(fd, text, sizeof text - 1, 0) < 0)
        return;
    for (int i = 0; i < 4; i++)
        line = line_after(line);
    copy_line(note, size, line);
}

/* What to do about a holder. A lock may outlive its process on a server that has not heard of the
 * end. */
static void put_advice(char *out, size_t size, const struct lock_holder *holder, const char *path)
{
    struct process process = {.pid = holder->pid, .start = holder->born};
    struct living_answer answer;

    strcpy(process.host, holder->host);
    strcpy(process.realm, holder->realm);
    living_ask(&answer, &process, holder->job);
    if (answer.living == LIVING_ALIVE)
        snprintf(out, size,
                 "wait for it ('espalier status' tells how far it is), stop it, or give "
                 "this run another --db");
    else if (answer.living == LIVING_GONE)
        snprintf(out, size, "but %s: try again in a moment; where its lock stays, remove %s.lock",
                 answer.why, path);
    else
        snprintf(
            out, size,
            "wait for it or give this run another --db; %s: where %.64s is down or has no such "
            "process, remove %s.lock",
            answer.why, holder->host, path);
}

static int refuse(int fd, const char *path, struct err *err)
{
    struct lock_holder holder;
    char since[32] = "unknown", advice[512];
    struct tm tm;
    time_t t;

    read_holder(fd, &holder);
    t = (time_t)holder.since;
    if (t && gmtime_r(&t, &tm))
        strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &tm);
    put_advice(advice, sizeof advice, &holder, path);
    return err_set(err, "%s: another run is writing to it: pid %lld on %s%s%s, since %s%s%s; %s",
                   path, (long long)holder.pid, holder.host, *holder.job ? ", " : "", holder.job,
                   since, *holder.command ? ": " : "", holder.command, advice);
}

static int check_one_name(const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) && !lstat(path, &st) && S_ISLNK(st.st_mode))
        return err_set(err,
                       "%s: a link to a file that is not there; give the name of the file itself, "
                       "or remove the link",
                       path);
    if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_nlink < 2)
        return 0;
    return err_set(
        err,
        "%s: the file has %lu names (hard links), so that two runs could write to it and "
        "a crash could not be repaired; keep one name ('find -samefile' lists them), or "
        "go on with a copy",
        path, (unsigned long)st.st_nlink);
}

/* The holder before us may have removed the file between our open() and our lock: then what we
 * hold is a lock on nothing that others can see. */
static bool is_current(int fd, const char *name)
{
    struct stat ours, there;

    return !fstat(fd, &ours) && !stat(name, &there) && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

/* 1 taken, 0 try again, -1 and err. */
static int try_take(struct lock *lock, const char *name, const char *path, struct err *err)
{
    struct flock flock;
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    int rc = 1;

    if (fd < 0)
        return err_set(err, "%s: cannot make %s: %s", path, name, strerror(errno));
    FAULT("store: a lock file is there");
    if (!lock_operation(fd, F_OFD_SETLK, &flock)) {
        rc = is_current(fd, name);
    } else if (errno == EAGAIN || errno == EACCES) {
        rc = refuse(fd, path, err);
    } else {
        rc = err_set(err, "%s: cannot lock %s: %s; choose a filesystem that has locks", path, name,
                     strerror(errno));
    }
    lock->fd = fd;
    if (rc != 1)
        close(fd);
    return rc;
}

/* "slurm job 77"; "-" outside a batch system. */
static void put_job(struct buf *out)
{
    struct batch_job job;

    batch_job_here(&job);
    if (job.system == BATCH_NONE)
        buf_puts(out, "-");
    else
        buf_printf(out, "%s job %s", batch_system_name(job.system), job.id);
}

/* Of this process, in one line. */
static void put_command(struct buf *out)
{
    char text[sizeof((struct lock_holder *)0)->command];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);

    if (fd >= 0)
        close(fd);
    while (n > 0 && !text[n - 1])
        n--;
    for (ssize_t i = 0; i < n; i++)
        buf_putc(out, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
}

static void write_holder(struct lock *lock)
{
    struct buf text = {0};
    struct process self;

    process_self(&self);
    buf_printf(&text, "%s %lld %.3f\n", self.host, (long long)self.pid, clock_unix());
    put_job(&text);
    buf_puts(&text, "\n");
    put_command(&text);
    buf_printf(&text, "\n%lld %s\n", (long long)self.start, self.realm);
    /* Only a message depends on it: a full disk shows itself in the database. */
    if (ftruncate(lock->fd, 0) || pwrite(lock->fd, buf_text(&text), text.size, 0) < 0)
        errno = 0;
    lock->note_at = (int64_t)text.size;
    buf_release(&text);
}

void lock_note(const struct lock *lock, const char *text)
{
    char line[sizeof lock->left + 1];
    int n = snprintf(line, sizeof line, "%s\n", text);

    /* What may be left of a longer one comes after the newline. */
    if (pwrite(lock->fd, line, (size_t)n, (off_t)lock->note_at) < 0)
        errno = 0;
}

int lock_take(struct lock *lock, const char *path, struct err *err)
{
    char *name = lock_path(path);
    int rc;

    if (!name)
        return err_nomem(err, "lock", PATH_MAX);
    if (check_one_name(path, err)) {
        free(name);
        return -1;
    }
    do
        rc = try_take(lock, name, path, err);
    while (rc == 0);
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

int lock_check(const char *path, struct err *err)
{
    char *name = lock_path(path);
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    struct flock flock;
    int rc = check_one_name(path, err);

    if (!rc && fd >= 0 && !lock_operation(fd, F_OFD_GETLK, &flock) && flock.l_type != F_UNLCK)
        rc = refuse(fd, path, err);
    if (fd >= 0)
        close(fd);
    free(name);
    return rc;
}

bool lock_is_held(const char *path, struct lock_holder *holder)
{
    char *name = lock_path(path);
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    struct flock flock;
    bool held = fd >= 0 && !lock_operation(fd, F_OFD_GETLK, &flock) && flock.l_type != F_UNLCK;

    if (held)
        read_holder(fd, holder);
    if (fd >= 0)
        close(fd);
    free(name);
    return held;
}
