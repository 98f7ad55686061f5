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

#include "base/clock.h"

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

static void read_holder(int fd, struct lock_holder *holder)
{
    char line[160] = "";
    ssize_t n = pread(fd, line, sizeof line - 1, 0);
    long long pid = 0;

    *holder = (struct lock_holder){.host = "unknown host"};
    if (n <= 0)
        return;
    line[n] = '\0';
    if (sscanf(line, "%64s %lld %lf", holder->host, &pid, &holder->since) == 3)
        holder->pid = pid;
}

static int refuse(int fd, const char *path, struct err *err)
{
    struct lock_holder holder;
    char since[32] = "unknown";
    struct tm tm;
    time_t t;

    read_holder(fd, &holder);
    t = (time_t)holder.since;
    if (t && gmtime_r(&t, &tm))
        strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &tm);
    return err_set(err, "%s: another run is writing to it: pid %lld on %s, since %s", path,
                   (long long)holder.pid, holder.host, since);
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

static void write_holder(int fd)
{
    char host[65] = "";
    char line[160];
    int n;

    gethostname(host, sizeof host - 1);
    n = snprintf(line, sizeof line, "%s %ld %.3f\n", *host ? host : "unknown", (long)getpid(),
                 clock_unix());
    /* Only a message depends on it: a full disk shows itself in the database. */
    if (ftruncate(fd, 0) || pwrite(fd, line, (size_t)n, 0) != n)
        return;
}

int lock_take(struct lock *lock, const char *path, struct err *err)
{
    char *name = lock_path(path);
    int rc;

    if (!name)
        return err_nomem(err, "lock", PATH_MAX);
    do
        rc = try_take(lock, name, path, err);
    while (rc == 0);
    if (rc < 0) {
        free(name);
        return -1;
    }
    lock->path = name;
    write_holder(lock->fd);
    return 0;
}

void lock_release(struct lock *lock)
{
    if (!lock->path)
        return;
    unlink(lock->path);
    close(lock->fd);
    free(lock->path);
    lock->path = NULL;
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
