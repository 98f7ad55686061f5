/* What kind of filesystem a path is on, and whether SQLite's write-ahead log is safe there. */
#ifndef STORE_FILESYSTEM_H
#define STORE_FILESYSTEM_H

#include <stdbool.h>
#include <stdint.h>

struct filesystem {
    uint32_t magic; /* f_type of statfs(2) */
    const char *name;
    bool is_shared; /* other nodes may see the same file: no shared memory between all readers */
};

/* The row of a magic number; an unknown one counts as shared, which is slower but always right. */
const struct filesystem *filesystem_find(uint32_t magic);

/* Of a path, or of its directory where the path does not exist yet. */
const struct filesystem *filesystem_of(const char *path);

#endif
