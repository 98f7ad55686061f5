/* SPDX-License-Identifier: BSD-3-Clause */
#include "faulty.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <sqlite3.h>

long faulty_magic;

static struct faulty *plan;
static sqlite3_vfs *usual;

struct faulty_file {
    sqlite3_file base;
    sqlite3_file *real; /* of the VFS behind this one */
};

/* Replaces libc's statfs(), which it reaches through the system call. */
int statfs(const char *path, struct statfs *fs)
{
    int rc = (int)syscall(SYS_statfs, path, fs);

    if (!rc && faulty_magic)
        fs->f_type = (__fsword_t)faulty_magic;
    return rc;
}

static bool fails(enum faulty_call call)
{
    if (!plan->at || (plan->call != FAULTY_ANY && plan->call != call))
        return false;
    plan->seen++;
    if (plan->seen < plan->at || (plan->seen > plan->at && !plan->for_good))
        return false;
    plan->failed++;
    return true;
}

static int outcome(enum faulty_call call, int code)
{
    if (!fails(call))
        return SQLITE_OK;
    if (plan->kills)
        raise(SIGKILL);
    return code;
}

static sqlite3_file *real(sqlite3_file *file)
{
    return ((struct faulty_file *)file)->real;
}

static int close_file(sqlite3_file *file)
{
    return real(file)->pMethods->xClose(real(file));
}

static int read_file(sqlite3_file *file, void *bytes, int n, sqlite3_int64 at)
{
    return real(file)->pMethods->xRead(real(file), bytes, n, at);
}

static int write_file(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    if (!fails(FAULTY_WRITE))
        return real(file)->pMethods->xWrite(real(file), bytes, n, at);
    real(file)->pMethods->xWrite(real(file), bytes, n / 2, at);
    if (plan->kills)
        raise(SIGKILL);
    return plan->is_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
    int rc = outcome(FAULTY_TRUNCATE, SQLITE_IOERR_TRUNCATE);

    return rc ? rc : real(file)->pMethods->xTruncate(real(file), size);
}

static int sync_file(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    return outcome(FAULTY_SYNC, SQLITE_IOERR_FSYNC);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int lock(sqlite3_file *file, int level)
{
    int rc = outcome(FAULTY_LOCK, SQLITE_IOERR_LOCK);

    return rc ? rc : real(file)->pMethods->xLock(real(file), level);
}

static int unlock(sqlite3_file *file, int level)
{
    return real(file)->pMethods->xUnlock(real(file), level);
}

static int check_lock(sqlite3_file *file, int *out)
{
    return real(file)->pMethods->xCheckReservedLock(real(file), out);
}

static int control(sqlite3_file *file, int what, void *arg)
{
    return real(file)->pMethods->xFileControl(real(file), what, arg);
}

static int sector_size(sqlite3_file *file)
{
    return real(file)->pMethods->xSectorSize(real(file));
}

static int characteristics(sqlite3_file *file)
{
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    int rc = outcome(FAULTY_SHM_MAP, SQLITE_IOERR_SHMMAP);

    return rc ? rc : real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}

/* Only taking a lock may fail. */
static int shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    int rc = flags & SQLITE_SHM_LOCK ? outcome(FAULTY_SHM_LOCK, SQLITE_IOERR_SHMLOCK) : SQLITE_OK;

    return rc ? rc : real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}

static void shm_barrier(sqlite3_file *file)
{
    real(file)->pMethods->xShmBarrier(real(file));
}

static int shm_unmap(sqlite3_file *file, int deletes)
{
    return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = check_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    struct faulty_file *ours = (struct faulty_file *)file;
    int rc = outcome(FAULTY_OPEN, SQLITE_CANTOPEN);

    (void)vfs;
    ours->base.pMethods = NULL;
    ours->real = (sqlite3_file *)(ours + 1);
    if (!rc)
        rc = usual->xOpen(usual, name, ours->real, flags, out);
    if (!rc)
        ours->base.pMethods = &methods;
    return rc;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs)
{
    int rc = outcome(FAULTY_DELETE, SQLITE_IOERR_DELETE);

    (void)vfs;
    (void)syncs;
    return rc ? rc : usual->xDelete(usual, name, 0);
}

void faulty_set(struct faulty *faulty)
{
    static sqlite3_vfs vfs;

    plan = faulty;
    plan->seen = plan->failed = 0;
    if (usual)
        return;
    usual = sqlite3_vfs_find(NULL);
    vfs = *usual;
    vfs.pNext = NULL;
    vfs.zName = "faulty";
    vfs.szOsFile = (int)sizeof(struct faulty_file) + usual->szOsFile;
    vfs.xOpen = open_file;
    vfs.xDelete = delete_file;
    sqlite3_vfs_register(&vfs, 1);
}
