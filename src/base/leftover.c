/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/process.h"

/* More names stay without the protection. `report --figures` has the most, two for each figure. */
enum { NAMES = 64 };
static _Atomic(char *) names[NAMES];

/* ---- from signal handlers too: only functions of signal-safety(7), and getdents64(), which is a
 * mere system call ---- */

enum { DEEPEST = 16 };

/* Links are removed, not followed. */
static void remove_at(int folder, const char *name, int depth)
{
    _Alignas(struct dirent64) char entries[2048];
    ssize_t n;
    int fd;

    if (!unlinkat(folder, name, 0) || (errno != EISDIR && errno != EPERM) || depth > DEEPEST)
        return;
    fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    while (fd >= 0 && (n = getdents64(fd, entries, sizeof entries)) > 0)
        for (char *at = entries; at < entries + n;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)at;

            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                remove_at(fd, entry->d_name, depth + 1);
            at += entry->d_reclen;
        }
    if (fd >= 0)
        close(fd);
    unlinkat(folder, name, AT_REMOVEDIR);
}

void leftover_remove_all(void)
{
    for (int i = 0; i < NAMES; i++) {
        const char *name = atomic_load(&names[i]);

        if (name)
            remove_at(AT_FDCWD, name, 0);
    }
}

/* The signal is blocked until the handler returns, and then ends the process. */
static void leave(int number)
{
    leftover_remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- the names ---- */

static void protect(char *name)
{
    static const int numbers[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM,
                                  SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
    struct sigaction action = {.sa_handler = leave}, before;
    static bool is_installed;

    sigfillset(&action.sa_mask);
    for (size_t i = 0; !is_installed && i < sizeof numbers / sizeof *numbers; i++)
        if (!sigaction(numbers[i], NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    is_installed = true;
    for (int i = 0; i < NAMES; i++) {
        char *none = NULL;

        if (atomic_compare_exchange_strong(&names[i], &none, name))
            return;
    }
}

void leftover_forget(char *name)
{
    for (int i = 0; i < NAMES && name; i++) {
        char *same = name;

        if (atomic_compare_exchange_strong(&names[i], &same, NULL))
            break;
    }
    free(name);
}

void leftover_remove(char *name)
{
    if (name)
        remove_at(AT_FDCWD, name, 0);
    leftover_forget(name);
}

/* True for the name of a dead process of this realm, within which pids are comparable. */
static bool is_stale(const char *name, uint32_t realm)
{
    unsigned int its_realm, number;
    long long pid;
    int end = 0;

    return sscanf(name, ".espalier-%8x-%lld-%8x.tmp%n", &its_realm, &pid, &number, &end) == 3 &&
           end && !name[end] && its_realm == realm && pid > 1 && kill((pid_t)pid, 0) &&
           errno == ESRCH;
}

char *leftover_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    char *name = NULL, *parent = strndup(slash ? path : ".", slash ? (size_t)folder : 1);
    struct process self;
    unsigned int number;
    uint32_t realm;
    DIR *entries;

    process_self(&self);
    realm = *self.realm ? (uint32_t)hash_text(self.realm).low | 1 : 0; /* 0: unknown */
    entries = parent && realm ? opendir(parent) : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (is_stale(entry->d_name, realm))
            remove_at(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    free(parent);
    if (getrandom(&number, sizeof number, 0) != sizeof number ||
        asprintf(&name, "%.*s.espalier-%08x-%lld-%08x.tmp", folder, path, realm,
                 (long long)self.pid, number) < 0)
        return NULL;
    protect(name);
    return name;
}
