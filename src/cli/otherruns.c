#include "cli/otherruns.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
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

static bool is_run(int32_t pid, const char *own_name)
{
    char text[4096];
    size_t n, first;

    if (strcmp(process_name(text, sizeof text, pid), own_name) != 0)
        return false;
    n = read_of(pid, "cmdline", text, sizeof text);
    first = strlen(text) + 1;
    return first < n && !strcmp(text + first, "run");
}

static void describe(struct otherrun *out, int32_t pid)
{
    static const char name[] = "\nCpus_allowed_list:\t";
    char status[4096];
    const char *line;

    *out = (struct otherrun){.pid = pid};
    read_of(pid, "status", status, sizeof status);
    line = strstr(status, name);
    cpus_parse(&out->cpus, line ? line + strlen(name) : "");
}

/* Whoever is above another run waits for it. mpirun, a daemon and shells may stand between. */
static int32_t drop_ancestors(struct otherrun *out, int32_t n, int32_t below)
{
    for (int32_t pid = (int32_t)process_parent(below), steps = 0; pid > 1 && steps < 32; steps++) {
        for (int32_t i = 0; i < n; i++)
            if (out[i].pid == pid)
                out[i] = out[--n];
        pid = (int32_t)process_parent(pid);
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
    process_name(own_name, sizeof own_name, self);
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
