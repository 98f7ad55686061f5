/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the real program (LD_PRELOAD): a failing disk, another filesystem or clock.
 *
 *   FAULT_FILE=PART   files whose path ends with PART; required by the next three
 *   FAULT_CALL=NAME   the call that fails: write (and pwrite), sync, truncate, lock
 *   FAULT_AT=N        fail from the N-th such call in a process, counted from 1
 *   FAULT_ERRNO=N     with this errno; default EIO
 *   FAULT_ONCE=1      only the N-th call
 *   FAULT_MAGIC=N     statfs() reports this type for every path
 *   FAULT_CLOCK=N     each reading of the clock sets it back by N seconds
 *   FAULT_NO_SYNC=1   fsync() and fdatasync() do nothing and return at once
 *   FAULT_SYNC_LOG=F  append to F, at exit, the number of these calls and the seconds spent in them */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 0) : otherwise;
}

static int is_ours(int fd)
{
    const char *part = getenv("FAULT_FILE");
    char link[32], path[4096];
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = part ? readlink(link, path, sizeof path) : -1;
    return n >= (ssize_t)strlen(part ? part : "") &&
           !memcmp(path + n - strlen(part), part, strlen(part));
}

/* Return nonzero and set errno if this call is to fail. Only one thread writes the database. */
static int fails(const char *call, int fd)
{
    static long count;
    const char *wanted = getenv("FAULT_CALL");
    long at = number("FAULT_AT", 1);

    if (!wanted || strcmp(wanted, call) != 0 || !is_ours(fd))
        return 0;
    count++;
    if (count < at || (count > at && getenv("FAULT_ONCE")))
        return 0;
    errno = (int)number("FAULT_ERRNO", EIO);
    return 1;
}

/* The next definition of the calling function. */
#define NEXT(type, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, __func__))

ssize_t write(int fd, const void *bytes, size_t n)
{
    return fails("write", fd) ? -1 : NEXT(ssize_t, int, const void *, size_t)(fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    return fails("write", fd) ? -1
                              : NEXT(ssize_t, int, const void *, size_t, off_t)(fd, bytes, n, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
    return fails("write", fd) ? -1
                              : NEXT(ssize_t, int, const void *, size_t, off64_t)(fd, bytes, n, at);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    static long n_readings;
    int rc = NEXT(int, clockid_t, struct timespec *)(id, t);

    if (id == CLOCK_REALTIME)
        t->tv_sec -= number("FAULT_CLOCK", 0) * n_readings++;
    return rc;
}

static double sync_s;
static long n_syncs;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int timed_sync(int (*sync)(int), int fd)
{
    double began_s = now();
    int rc;

    if (fails("sync", fd))
        return -1;
    rc = getenv("FAULT_NO_SYNC") ? 0 : sync(fd);
    sync_s += now() - began_s;
    n_syncs++;
    return rc;
}

int fsync(int fd)
{
    return timed_sync(NEXT(int, int), fd);
}

int fdatasync(int fd)
{
    return timed_sync(NEXT(int, int), fd);
}

__attribute__((destructor)) static void tell(void)
{
    const char *name = getenv("FAULT_SYNC_LOG");
    FILE *file = name && n_syncs ? fopen(name, "a") : NULL;

    if (file) {
        fprintf(file, "%.6f %ld\n", sync_s, n_syncs);
        fclose(file);
    }
}

int ftruncate(int fd, off_t size)
{
    return fails("truncate", fd) ? -1 : NEXT(int, int, off_t)(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return fails("truncate", fd) ? -1 : NEXT(int, int, off64_t)(fd, size);
}

static int is_lock(int operation)
{
    return operation == F_SETLK || operation == F_SETLKW || operation == F_OFD_SETLK;
}

#define FCNTL(name)                                               \
    int name(int fd, int operation, ...)                          \
    {                                                             \
        va_list args;                                             \
        void *argument;                                           \
                                                                  \
        va_start(args, operation);                                \
        argument = va_arg(args, void *);                          \
        va_end(args);                                             \
        if (is_lock(operation) && fails("lock", fd))              \
            return -1;                                            \
        return NEXT(int, int, int, ...)(fd, operation, argument); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

int statfs(const char *path, struct statfs *fs)
{
    int rc = NEXT(int, const char *, struct statfs *)(path, fs);

    if (!rc && getenv("FAULT_MAGIC"))
        fs->f_type = (__fsword_t)number("FAULT_MAGIC", 0);
    return rc;
}
