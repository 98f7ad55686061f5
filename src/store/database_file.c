#include "store/database_file.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/err.h"
#include "store/store.h"

/* Numbers from linux/magic.h and the sources of the filesystems that are not in the kernel. The
 * write-ahead log needs memory shared by all processes that have the file open, which no two
 * nodes have: https://sqlite.org/wal.html, "disadvantages". */
static const struct filesystem table[] = {
    {0x00006969, "nfs", true},       {0x0bd00bd0, "lustre", true}, {0x47504653, "gpfs", true},
    {0x19830326, "beegfs", true},    {0xff534d42, "cifs", true},   {0xfe534d42, "smb2", true},
    {0x0000517b, "smb", true},       {0x65735546, "fuse", true},   {0x00c36400, "ceph", true},
    {0x5346414f, "afs", true},       {0x01021997, "9p", true},     {0x20030528, "orangefs", true},
    {0xaad7aaea, "panfs", true},     {0x01161970, "gfs2", true},   {0x7461636f, "ocfs2", true},
    {0x786f4256, "vboxsf", true},    {0x0000ef53, "ext4", false},  {0x58465342, "xfs", false},
    {0x9123683e, "btrfs", false},    {0x01021994, "tmpfs", false}, {0x858458f6, "ramfs", false},
    {0x794c7630, "overlay", false},  {0x2fc12fc1, "zfs", false},   {0xf2f52010, "f2fs", false},
    {0xca451a4e, "bcachefs", false},
};

static const struct filesystem unknown = {0, "unknown", true};

const struct filesystem *filesystem_find(uint32_t magic)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].magic == magic)
            return &table[i];
    return &unknown;
}

const struct filesystem *filesystem_of(const char *path)
{
    struct statfs fs;
    char *copy;
    int rc = statfs(path, &fs);

    if (rc) {
        copy = strdup(path);
        rc = copy ? statfs(dirname(copy), &fs) : -1;
        free(copy);
    }
    return rc ? &unknown : filesystem_find((uint32_t)fs.f_type);
}

const char *store_journal_mode(const char *path, const char **filesystem)
{
    const struct filesystem *fs = filesystem_of(path);

    if (filesystem)
        *filesystem = fs->name;
    return fs->is_shared ? "delete" : "wal";
}

/* Byte 19 of the header (https://sqlite.org/fileformat2.html, 1.3.3): 2 is the write-ahead log. */
bool store_has_wal(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char header[20] = "";
    ssize_t n = fd < 0 ? 0 : pread(fd, header, sizeof header, 0);

    if (fd >= 0)
        close(fd);
    return n == sizeof header && !memcmp(header, "SQLite format 3", 16) && header[19] == 2;
}

const char *database_file_owner(char out[DATABASE_FILE_OWNER], const char *before, uid_t owner)
{
    const struct passwd *user = owner == geteuid() ? NULL : getpwuid(owner);

    *out = '\0';
    if (user)
        snprintf(out, DATABASE_FILE_OWNER, "%suser %s", before, user->pw_name);
    else if (owner != geteuid())
        snprintf(out, DATABASE_FILE_OWNER, "%suser %lu", before, (unsigned long)owner);
    return out;
}

int database_file_check_kind(const struct stat *st, const char *name, const char *path,
                             struct err *err)
{
    const char *what = S_ISLNK(st->st_mode)   ? "a symbolic link"
                       : S_ISDIR(st->st_mode) ? "a folder"
                       : S_ISREG(st->st_mode) ? "a file with several names (hard links)"
                                              : "a pipe, a device or a socket";
    char owner[DATABASE_FILE_OWNER];

    if (S_ISREG(st->st_mode) && st->st_nlink < 2)
        return 0;
    return err_set(err, "%s: %s is %s%s, where a run keeps a file of its own; remove it", path,
                   name, what, database_file_owner(owner, " of ", st->st_uid));
}

int database_file_check(const char *path, bool is_writer, struct err *err)
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
                     : database_file_check_kind(&st, name, path, err);
            free(name);
        }
    }
    free(real);
    return rc;
}
