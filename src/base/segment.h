/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that several processes of one host share, written by one of them and read by the rest.
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
 * The caller sees to it that the steps come in this order, and that readers read after the writing.
 * The file lives in a folder that is memory (/dev/shm). It has a name only until everybody has it
 * open, while it is empty: whatever process is killed whenever, no memory stays behind. All pages
 * are taken at once in segment_reserve(): in a folder that is too small that is an error, where a
 * mapping that grows as it is written to would end in SIGBUS. */
#ifndef BASE_SEGMENT_H
#define BASE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SEGMENT_PATH_SIZE 256

struct segment {
    void *bytes; /* [n], page-aligned; NULL before segment_map(). Read-only for readers: writing
                    there is a fault */
    size_t n;
    char path[SEGMENT_PATH_SIZE];
    int fd; /* valid from create or join to map, while is_open */
    bool is_open;
    bool is_writer;
};

/* All: -1 and err, naming the folder or the file; s is then fit for release. */
int segment_create(struct segment *s, const char *folder, struct err *err);
int segment_join(struct segment *s, const char *path, struct err *err);
void segment_unlink(const struct segment *s);
/* n > 0. The error says how much room there is. */
int segment_reserve(const struct segment *s, size_t n, struct err *err);
int segment_map(struct segment *s, size_t n, struct err *err);
/* From now on nobody writes. */
void segment_seal(const struct segment *s);
void segment_release(struct segment *s); /* takes a zeroed one */

#endif
