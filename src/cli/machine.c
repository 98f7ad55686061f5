#include "cli/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

char *machine_cpu(char *text, size_t size)
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

char *machine_host(char *text, size_t size)
{
    if (gethostname(text, size))
        snprintf(text, size, "unknown");
    text[size - 1] = '\0';
    return text;
}
