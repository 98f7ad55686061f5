/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory shared by processes of one host; one writes it, the others read it.
 *
 *     writer                              readers
 *     segment_create() an empty file
 *                                         segment_join() by its path
 *     segment_unlink()
 *     segment_reserve()
 *     segment_map()                       segment_map()
 *     writes, then segment_seal()         read
 *     segment_release()                   segment_release()
 *
 * The caller ensures this order. The file is in a memory folder (/dev/shm) and empty while it has a
 * name, so a killed process leaves no memory behind. segment_reserve() takes all pages at once;
 * otherwise a small folder would end in SIGBUS. */
#ifndef BASE_SEGMENT_H
#define BASE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SEGMENT_PATH_SIZE 256

struct segment {
    /* [n], page-aligned; NULL before segment_map(). A reader that writes gets SIGSEGV. */
    void *bytes;
    size_t n;
    char path[SEGMENT_PATH_SIZE];
    int fd; /* valid while is_open */
    bool is_open;
    bool is_writer;
};

/* -1 and err: s may then be released. */
int segment_create(struct segment *s, const char *folder, struct err *err);
int segment_join(struct segment *s, const char *path, struct err *err);
void segment_unlink(const struct segment *s);
/* n > 0. The error reports the free space. */
int segment_reserve(const struct segment *s, size_t n, struct err *err);
int segment_map(struct segment *s, size_t n, struct err *err);
/* Make the writer's view read-only. */
void segment_seal(const struct segment *s);
void segment_release(struct segment *s);

#endif
