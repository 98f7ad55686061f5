#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The text of a small file of /proc, without its last newline; "" where there is none. */
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

/* State letter and start of a process; 0 where there is none. The name, in brackets, may hold
 * anything, so what follows it is found from the end. */
static char read_stat(int64_t pid, int64_t *start)
{
    char path[40], text[1024], state = '\0';
    long long ticks = 0;
    const char *rest;

    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    read_text(text, sizeof text, path);
    rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 1,
                        " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                        "%*d %lld",
                        &state, &ticks) != 2)
        return '\0';
    *start = ticks;
    return state;
}

void process_find(struct process *process, int64_t pid)
{
    memset(process, 0, sizeof *process);
    if (gethostname(process->host, sizeof process->host - 1) || !*process->host)
        strcpy(process->host, "unknown");
    own_realm(process->realm, sizeof process->realm);
    process->pid = pid;
    read_stat(pid, &process->start);
}

void process_self(struct process *self)
{
    process_find(self, getpid());
}

bool process_is_here(const struct process *process)
{
    struct process self;

    process_self(&self);
    return *process->realm && !strcmp(process->realm, self.realm) &&
           !strcmp(process->host, self.host);
}

bool process_is_alive(const struct process *process)
{
    int64_t start = 0;
    char state = read_stat(process->pid, &start);

    return state && !strchr("ZXx", state) && (!process->start || start == process->start);
}

enum process_state process_ask(const struct process *process)
{
    if (!process_is_here(process))
        return PROCESS_ELSEWHERE;
    if (process_is_alive(process))
        return PROCESS_ALIVE;
    /* /proc may hide the processes of other users (mount option hidepid), kill() does not. */
    if (kill((pid_t)process->pid, 0) && errno == EPERM)
        return PROCESS_ELSEWHERE;
    return PROCESS_GONE;
}
