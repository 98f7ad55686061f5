/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

/* INFINITY: none ("max"), or no file. */
static double read_limit(const char *folder, const char *name)
{
    char path[MAX_PATH + 64];
    double limit = INFINITY;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "re");
    if (!file)
        return INFINITY;
    if (fscanf(file, "%lf", &limit) != 1)
        limit = INFINITY;
    fclose(file);
    return limit;
}

/* Smallest limit of a group and those above it. */
static double least_limit(const char *root, const char *group, const char *name)
{
    char folder[MAX_PATH];
    double least = INFINITY;

    if (snprintf(folder, sizeof folder, "%s%s", root, group) >= (int)sizeof folder)
        return INFINITY;
    for (;;) {
        char *slash;

        least = fmin(least, read_limit(folder, name));
        slash = strrchr(folder + strlen(root), '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

double memory_cgroup_limit(const char *self, const char *root)
{
    char line[MAX_PATH], version_1[MAX_PATH];
    double least = INFINITY;
    FILE *file = fopen(self, "re");

    snprintf(version_1, sizeof version_1, "%s/memory", root);
    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;

        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (controllers[1] == '\0')
            least = fmin(least, least_limit(root, group, "memory.max"));
        else if (strstr(controllers, "memory"))
            least = fmin(least, least_limit(version_1, group, "memory.limit_in_bytes"));
    }
    if (file)
        fclose(file);
    return least;
}

double memory_limit_bytes(void)
{
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

    return fmin(machine, memory_cgroup_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

/* getrusage() is of no use: it counts what the process was before exec(). */
struct process_memory process_memory(void)
{
    struct process_memory memory = {0};
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    double kb;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %lf", &kb) == 1)
            memory.resident_bytes = 1024 * kb;
        else if (sscanf(line, "VmHWM: %lf", &kb) == 1)
            memory.peak_bytes = 1024 * kb;
    if (file)
        fclose(file);
    return memory;
}

void process_return_memory(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 2 << 20);
#endif
}

void process_trim_memory(void)
{
#ifdef M_MMAP_THRESHOLD
    malloc_trim(0);
#endif
}

/* Without the last newline; "" if the file does not exist. */
static void read_text(char *out, size_t size, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);

    if (fd >= 0)
        close(fd);
    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

static void own_realm(char *out, size_t size)
{
    char boot[37], space[24];
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);

    read_text(boot, sizeof boot, "/proc/sys/kernel/random/boot_id");
    *out = '\0';
    if (n <= 0 || !*boot)
        return;
    space[n] = '\0';
    snprintf(out, size, "%s %s", boot, space);
}

struct stat_line {
    char state;
    long long parent, start;
};

/* state '\0': no such process. The name may contain any character, so parsing starts behind its
 * last bracket. */
static struct stat_line read_stat(int64_t pid)
{
    struct stat_line stat = {.state = '\0'};
    char path[40], text[1024];
    const char *rest;

    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    read_text(text, sizeof text, path);
    rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 1,
                        " %c %lld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                        "%*d %lld",
                        &stat.state, &stat.parent, &stat.start) != 3)
        return (struct stat_line){.state = '\0'};
    return stat;
}

void process_rename(const char *name)
{
    unsigned long begin = 0, end = 0;
    size_t size, n = strlen(name) + 1, rest;
    char text[1024], *at, *words, *after;

    prctl(PR_SET_NAME, name);
    /* the memory of the command line: proc(5), stat, arg_start and arg_end, fields 48 and 49 */
    read_text(text, sizeof text, "/proc/self/stat");
    at = strrchr(text, ')');
    for (int field = 3; at && field <= 48; field++)
        at = strchr(at + 1, ' ');
    if (!at || sscanf(at, " %lu %lu", &begin, &end) != 2 || !begin)
        return;
    size = end - begin;
    after = words = (char *)begin; // NOLINT(performance-no-int-to-ptr)
    for (int i = 0; i < 2 && after < words + size; i++)
        after += strnlen(after, (size_t)(words + size - after)) + 1;
    if (size < n || after > words + size)
        return;
    rest = (size_t)(words + size - after);
    rest = rest < size - n ? rest : size - n;
    memmove(words + n, after, rest);
    memcpy(words, name, n);
    memset(words + n + rest, 0, size - n - rest);
    words[size - 1] = '\0';
}

int64_t process_parent(int64_t pid)
{
    return read_stat(pid).parent;
}

char *process_name(char *out, size_t size, int64_t pid)
{
    char path[40];

    snprintf(path, sizeof path, "/proc/%lld/comm", (long long)pid);
    read_text(out, size, path);
    return out;
}

void process_command(char *out, size_t size)
{
    const char *typed = getenv(PROCESS_COMMAND);
    ssize_t n;
    int fd;

    if (typed) {
        n = snprintf(out, size, "%s", typed);
        n = n < (ssize_t)size ? n : (ssize_t)size - 1;
    } else {
        fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? 0 : read(fd, out, size - 1);
        if (fd >= 0)
            close(fd);
    }
    while (n > 0 && !out[n - 1])
        n--;
    for (ssize_t i = 0; i < n; i++)
        if ((unsigned char)out[i] < ' ')
            out[i] = ' ';
    out[n > 0 ? n : 0] = '\0';
}

void process_find(struct process *process, int64_t pid)
{
    memset(process, 0, sizeof *process);
    if (gethostname(process->host, sizeof process->host - 1) || !*process->host)
        strcpy(process->host, "unknown");
    own_realm(process->realm, sizeof process->realm);
    process->pid = pid;
    process->start = read_stat(pid).start;
}

void process_self(struct process *self)
{
    process_find(self, getpid());
}

char *user_name(char out[USER_NAME], uid_t user)
{
    const struct passwd *entry = getpwuid(user);

    if (entry)
        snprintf(out, USER_NAME, "%s", entry->pw_name);
    else
        snprintf(out, USER_NAME, "%lu", (unsigned long)user);
    return out;
}

bool process_is_beside(const struct process *process, const struct process *other)
{
    return *process->realm && !strcmp(process->realm, other->realm) &&
           !strcmp(process->host, other->host);
}

bool process_is_here(const struct process *process)
{
    struct process self;

    process_self(&self);
    return process_is_beside(process, &self);
}

bool process_is_alive(const struct process *process)
{
    struct stat_line stat = read_stat(process->pid);

    return stat.state && !strchr("ZXx", stat.state) &&
           (!process->start || stat.start == process->start);
}

enum process_state process_ask(const struct process *process)
{
    if (!process_is_here(process))
        return PROCESS_ELSEWHERE;
    if (process_is_alive(process))
        return PROCESS_ALIVE;
    /* /proc may hide processes of other users (mount option hidepid); kill() does not. One that
     * /proc shows is a zombie, or has got the pid since. */
    if (!read_stat(process->pid).state && kill((pid_t)process->pid, 0) && errno == EPERM)
        return PROCESS_ELSEWHERE;
    return PROCESS_GONE;
}
