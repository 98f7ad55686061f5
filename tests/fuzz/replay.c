/* SPDX-License-Identifier: BSD-3-Clause */
/* Run NAME_fuzz.c over its corpus, $SRCDIR/tests/fuzz/NAME, in `make check`. A fault crashes the
 * program; with --enable-sanitize, every stray access is a fault. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The block has exactly the file's size, so that a read past the end is detected. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat st;
    uint8_t *data;

    if (!file || fstat(fileno(file), &st)) {
        perror(path);
        exit(1);
    }
    *size = (size_t)st.st_size;
    data = malloc(*size ? *size : 1);
    if (!data || fread(data, 1, *size, file) != *size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return data;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *source = getenv("SRCDIR");
    char folder[2048];
    struct dirent **entries;
    int n;

    (void)argc;
    snprintf(folder, sizeof folder, "%s/tests/fuzz/%s", source ? source : ".",
             slash ? slash + 1 : argv[0]);
    if (strstr(folder, "_fuzz"))
        *strstr(folder, "_fuzz") = '\0';
    n = scandir(folder, &entries, is_visible, alphasort);
    if (n <= 0) {
        fprintf(stderr, "%s: no corpus\n", folder);
        return 1;
    }
    printf("1..%d\n", n);
    for (int i = 0; i < n; i++) {
        char path[4096];
        size_t size;
        uint8_t *data;

        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        data = read_file(path, &size);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
        printf("ok %d - %s\n", i + 1, entries[i]->d_name);
        fflush(stdout);
        free(entries[i]);
    }
    free(entries);
    return 0;
}
