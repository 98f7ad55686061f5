/* SPDX-License-Identifier: BSD-3-Clause */
/* Files for a unit test, in a folder under $TMPDIR: group tests with
 * cmocka_run_group_tests_name(..., scratch_make, scratch_remove). */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char scratch_folder[128];

static int scratch_make(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(scratch_folder, sizeof scratch_folder, "%s/espalier-test-XXXXXX",
             base ? base : "/tmp");
    return mkdtemp(scratch_folder) ? 0 : -1;
}

static int scratch_remove_one(const char *path, const struct stat *status, int kind,
                              struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

static int scratch_remove(void **state)
{
    (void)state;
    return nftw(scratch_folder, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* At most 8 paths are valid at a time. */
static inline const char *scratch_path(const char *name)
{
    static char path[8][256];
    static int next;
    char *out = path[next++ % 8];

    snprintf(out, sizeof path[0], "%s/%s", scratch_folder, name);
    return out;
}

static inline const char *scratch_bytes(const char *name, const void *bytes, size_t n)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
        abort();
    return path;
}

static inline const char *scratch_text(const char *name, const char *text)
{
    return scratch_bytes(name, text, strlen(text));
}

#endif
