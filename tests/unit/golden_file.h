/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"
/* Words of a file of tests/golden. A missing or unexpected word fails the test. */
#ifndef TESTS_UNIT_GOLDEN_FILE_H
#define TESTS_UNIT_GOLDEN_FILE_H

/* name: without ".txt" */
static inline FILE *golden_file(const char *name)
{
    const char *root = getenv("SRCDIR");
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/tests/golden/%s.txt", root ? root : ".", name);
    file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    return file;
}

static inline void expect(FILE *file, const char *want)
{
    char word[32];

    assert_int_equal(fscanf(file, "%31s", word), 1);
    assert_string_equal(word, want);
}

static inline double read_number(FILE *file)
{
    double value;

    assert_int_equal(fscanf(file, "%lf", &value), 1);
    return value;
}

static inline int32_t read_int(FILE *file)
{
    return (int32_t)read_number(file);
}

/* choices: ends with NULL */
static inline int read_choice(FILE *file, const char *const *choices)
{
    char word[32];

    assert_int_equal(fscanf(file, "%31s", word), 1);
    for (int i = 0; choices[i]; i++)
        if (strcmp(word, choices[i]) == 0)
            return i;
    fail_msg("unknown word \"%s\"", word);
    return -1;
}

static inline void *take(size_t n, size_t size)
{
    void *memory = calloc(n + 1, size);

    assert_non_null(memory);
    return memory;
}

#endif
