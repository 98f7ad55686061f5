/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"

#define FULL_BYTES 65536

bool disk_is_full(int folder)
{
    struct statvfs disk;
    bool is_full;
    int file;

    if (!fstatvfs(folder, &disk) && (double)disk.f_bavail * (double)disk.f_frsize < FULL_BYTES)
        return true;
    file = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        return err_is_disk_full(errno);
    is_full = fallocate(file, 0, 0, FULL_BYTES) && err_is_disk_full(errno);
    close(file);
    return is_full;
}
