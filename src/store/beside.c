#include "store/beside.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *beside_owner(char out[BESIDE_OWNER], const char *before, uid_t owner)
{
    const struct passwd *user = owner == geteuid() ? NULL : getpwuid(owner);

    *out = '\0';
    if (user)
        snprintf(out, BESIDE_OWNER, "%suser %s", before, user->pw_name);
    else if (owner != geteuid())
        snprintf(out, BESIDE_OWNER, "%suser %lu", before, (unsigned long)owner);
    return out;
}

int beside_check_kind(const struct stat *st, const char *name, const char *path, struct err *err)
{
    const char *what = S_ISLNK(st->st_mode)   ? "a symbolic link"
                       : S_ISDIR(st->st_mode) ? "a folder"
                       : S_ISREG(st->st_mode) ? "a file with several names (hard links)"
                                              : "a pipe, a device or a socket";
    char owner[BESIDE_OWNER];

    if (S_ISREG(st->st_mode) && st->st_nlink < 2)
        return 0;
    return err_set(err, "%s: %s is %s%s, where a run keeps a file of its own; remove it", path,
                   name, what, beside_owner(owner, " of ", st->st_uid));
}

int beside_check(const char *path, bool is_writer, struct err *err)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal"};
    char *real = realpath(path, NULL);
    int rc = 0;

    for (size_t i = 0; !rc && i < sizeof endings / sizeof *endings; i++) {
        struct stat st;
        char *name;

        if (asprintf(&name, "%s%s", real ? real : path, endings[i]) < 0) {
            rc = err_nomem(err, path, PATH_MAX);
        } else {
            rc = lstat(name, &st) || (!is_writer && S_ISREG(st.st_mode))
                     ? 0
                     : beside_check_kind(&st, name, path, err);
            free(name);
        }
    }
    free(real);
    return rc;
}
