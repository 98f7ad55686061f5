/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded by tests: changes what the machine reports.
 *   TEST_CLOCK_AHEAD   seconds to add to the clock
 *   TEST_FILESYSTEM    f_type of every filesystem, as in linux/magic.h */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t)
{
    const char *ahead = getenv("TEST_CLOCK_AHEAD");
    int rc = (int)syscall(SYS_clock_gettime, id, t);

    if (!rc && ahead && id == CLOCK_REALTIME)
        t->tv_sec += atol(ahead);
    return rc;
}

int statfs(const char *path, struct statfs *fs)
{
    const char *type = getenv("TEST_FILESYSTEM");
    int rc = (int)syscall(SYS_statfs, path, fs);

    if (!rc && type)
        fs->f_type = strtol(type, NULL, 0);
    return rc;
}
