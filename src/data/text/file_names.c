/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/file_names.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const file_names_plink[FILE_NAMES_PLINK] = {".bed", ".bim", ".fam"};

bool file_names_end_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    return n > m && !strcmp(path + n - m, ending);
}

bool file_names_end_like(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    return n > m && !strcasecmp(path + n - m, ending);
}

size_t file_names_plink_stem(const char *path)
{
    for (int i = 0; i < FILE_NAMES_PLINK; i++)
        if (file_names_end_in(path, file_names_plink[i]))
            return strlen(path) - strlen(file_names_plink[i]);
    return strlen(path);
}

static void add(struct buf *out, const char *path, size_t n, const char *rest)
{
    buf_add(out, path, n);
    buf_puts(out, rest);
    buf_putc(out, '\0');
}

static void add_members(struct buf *out, const char *folder, const char *like, size_t n)
{
    const struct dirent *entry;
    DIR *dir = opendir(folder);

    while (dir && (entry = readdir(dir)))
        if (!strncmp(entry->d_name, like, n)) {
            buf_puts(out, folder);
            add(out, "/", 1, entry->d_name);
        }
    if (dir)
        closedir(dir);
}

static void add_folder(struct buf *out, const char *folder)
{
    const struct dirent *entry;
    DIR *dir = opendir(folder);

    while (dir && (entry = readdir(dir)))
        if (file_names_end_in(entry->d_name, FILE_NAMES_TU_INDICATOR)) /* DS_graph_indicator.txt */
            add_members(out, folder, entry->d_name,
                        strlen(entry->d_name) - strlen(FILE_NAMES_TU_INDICATOR) + 1);
    if (dir)
        closedir(dir);
}

void file_names_of(struct buf *out, const char *path)
{
    size_t stem = file_names_plink_stem(path);
    struct stat status;

    if (stat(path, &status) || stem < strlen(path))
        for (int i = 0; i < FILE_NAMES_PLINK; i++)
            add(out, path, stem, file_names_plink[i]);
    else if (S_ISDIR(status.st_mode))
        add_folder(out, path);
    else
        add(out, path, strlen(path), "");
}

void file_names_put_absolute(struct buf *out, const char *path)
{
    char *here = *path && *path != '/' ? getcwd(NULL, 0) : NULL;

    if (here)
        buf_printf(out, "%s/", here);
    free(here);
    buf_puts(out, path);
}
