#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

/* The number in a file; INFINITY where there is none ("max", or no such file). */
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

/* The least limit of a group and those above it, up to the root. */
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
