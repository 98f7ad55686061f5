/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/host.h"

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/process.h"

char *host_cpu(char *text, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];

    snprintf(text, size, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');

        if (!colon || strncmp(line, "model name", 10))
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (file)
        fclose(file);
    return text;
}

char *host_name(char *text, size_t size)
{
    if (gethostname(text, size))
        snprintf(text, size, "unknown");
    text[size - 1] = '\0';
    return text;
}

int host_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    return CPU_COUNT(&set);
}

/* ---- sets of processors ---- */

void host_cpus_format(struct buf *out, const cpu_set_t *cpus)
{
    bool is_first = true;

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        int first = cpu;

        if (!CPU_ISSET(cpu, cpus))
            continue;
        while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, cpus))
            cpu++;
        buf_printf(out, is_first ? "%d" : ",%d", first);
        if (cpu > first)
            buf_printf(out, "-%d", cpu);
        is_first = false;
    }
    if (is_first)
        buf_puts(out, "none");
}

/* ---- other runs ---- */

static size_t read_of(int32_t pid, const char *name, char *out, size_t size)
{
    char path[96];
    size_t n = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    file = fopen(path, "re");
    if (file) {
        n = fread(out, 1, size - 1, file);
        fclose(file);
    }
    out[n] = '\0';
    return n;
}

static bool is_run(int32_t pid, const char *own_name)
{
    char text[4096];
    size_t n, word;

    if (strcmp(process_name(text, sizeof text, pid), own_name) != 0)
        return false;
    n = read_of(pid, "cmdline", text, sizeof text);
    word = strlen(text) + 1;
    while (word < n && text[word] == '-') /* options before the command */
        word += strlen(text + word) + 1;
    return word < n && !strcmp(text + word, "run");
}

/* True if a thread of the process computes or waits for a disk now (proc(5), state). One that sleeps
 * or is stopped takes no core. */
static bool has_busy_thread(int32_t pid)
{
    char path[64], stat[512];
    const struct dirent *entry;
    bool is_found = false;
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    folder = opendir(path);
    while (!is_found && folder && (entry = readdir(folder))) {
        const char *state;

        snprintf(path, sizeof path, "task/%d/stat", atoi(entry->d_name));
        read_of(pid, path, stat, sizeof stat);
        state = strrchr(stat, ')');
        is_found = state && state[1] && strchr("RD", state[2]);
    }
    if (folder)
        closedir(folder);
    return is_found;
}

static void describe(struct host_run *out, int32_t pid)
{
    char path[64];
    struct stat info;

    *out = (struct host_run){.pid = pid, .user = "?"};
    snprintf(path, sizeof path, "/proc/%d", pid);
    if (!stat(path, &info))
        user_name(out->user, info.st_uid);
    if (sched_getaffinity(pid, sizeof out->cpus, &out->cpus))
        CPU_ZERO(&out->cpus);
}

bool host_has_program(const char *name)
{
    const char *folder = getenv("PATH");

    for (size_t n; folder && *folder; folder += n + (folder[n] != '\0')) {
        char path[PATH_MAX];

        n = strcspn(folder, ":");
        snprintf(path, sizeof path, "%.*s/%s", n ? (int)n : 1, n ? folder : ".", name);
        if (!access(path, X_OK))
            return true;
    }
    return false;
}

/* Ancestors of a run only wait for it. mpirun, a daemon and shells may be between. */
static int32_t drop_ancestors(struct host_run *out, int32_t n, int32_t below)
{
    for (int32_t pid = (int32_t)process_parent(below), steps = 0; pid > 1 && steps < 32; steps++) {
        for (int32_t i = 0; i < n; i++)
            if (out[i].pid == pid)
                out[i] = out[--n];
        pid = (int32_t)process_parent(pid);
    }
    return n;
}

int32_t host_find_runs(struct host_run *out)
{
    DIR *folder = opendir("/proc");
    int32_t n = 0, self = (int32_t)getpid();
    const struct dirent *entry;
    char own_name[64];

    if (!folder)
        return 0;
    process_name(own_name, sizeof own_name, self);
    while (n < HOST_RUNS_MAX && (entry = readdir(folder))) {
        int32_t pid = atoi(entry->d_name);

        /* a child is the keeper of programs, which has no name of its own yet */
        if (pid <= 0 || pid == self || !is_run(pid, own_name) || process_parent(pid) == self)
            continue;
        /* a thread that computes sleeps for moments, so one look is not enough */
        for (int look = 0; look < 5; look++) {
            if (has_busy_thread(pid)) {
                describe(&out[n++], pid);
                break;
            }
            clock_sleep(0.004);
        }
    }
    closedir(folder);
    n = drop_ancestors(out, n, self);
    for (int32_t i = 0; i < n; i++) {
        int32_t kept = drop_ancestors(out, n, out[i].pid);

        /* the order has changed */
        i = kept < n ? -1 : i;
        n = kept;
    }
    return n;
}
