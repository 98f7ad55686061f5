#include "cli/otherruns.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cpus.h"

/* Bytes of /proc/PID/NAME; always NUL-terminated. */
static size_t read_of(int32_t pid, const char *name, char *out, size_t size)
{
    char path[64];
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

/* The value of a line of /proc/PID/status; NULL where it has no such line. */
static const char *line_of(const char *status, const char *name)
{
    const char *at = strstr(status, name);

    return at ? at + strlen(name) : NULL;
}

static bool is_run(int32_t pid, const char *own_name)
{
    char text[4096];
    size_t n = read_of(pid, "comm", text, sizeof text), first;

    if (!n || strcmp(text, own_name) != 0)
        return false;
    n = read_of(pid, "cmdline", text, sizeof text);
    first = strlen(text) + 1;
    return first < n && !strcmp(text + first, "run");
}

static int32_t parent_of(int32_t pid)
{
    char status[4096];
    const char *value;

    read_of(pid, "status", status, sizeof status);
    value = line_of(status, "\nPPid:");
    return value ? atoi(value) : 0;
}

static void describe(struct otherrun *out, int32_t pid)
{
    char status[4096];
    const char *value;

    *out = (struct otherrun){.pid = pid};
    read_of(pid, "status", status, sizeof status);
    value = line_of(status, "\nCpus_allowed_list:\t");
    cpus_parse(&out->cpus, value ? value : "");
}

/* Whoever is above another run waits for it. mpirun, a daemon and shells may stand between. */
static int32_t drop_ancestors(struct otherrun *out, int32_t n, int32_t below)
{
    for (int32_t pid = parent_of(below), steps = 0; pid > 1 && steps < 32; steps++) {
        for (int32_t i = 0; i < n; i++)
            if (out[i].pid == pid)
                out[i] = out[--n];
        pid = parent_of(pid);
    }
    return n;
}

int32_t otherruns_find(struct otherrun *out)
{
    DIR *folder = opendir("/proc");
    int32_t n = 0, self = (int32_t)getpid();
    const struct dirent *entry;
    char own_name[64];

    if (!folder)
        return 0;
    read_of(self, "comm", own_name, sizeof own_name);
    while (n < OTHERRUNS_MAX && (entry = readdir(folder))) {
        int32_t pid = atoi(entry->d_name);

        if (pid > 0 && pid != self && is_run(pid, own_name))
            describe(&out[n++], pid);
    }
    closedir(folder);
    n = drop_ancestors(out, n, self);
    for (int32_t i = 0; i < n; i++) {
        int32_t kept = drop_ancestors(out, n, out[i].pid);

        /* The list has changed its order: begin again. */
        i = kept < n ? -1 : i;
        n = kept;
    }
    return n;
}
