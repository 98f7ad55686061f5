#include "data/text/files.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static const char *const plink[] = {".bed", ".bim", ".fam"};
enum { N_PLINK = sizeof plink / sizeof *plink };

size_t files_plink_stem(const char *path)
{
    size_t n = strlen(path);

    for (int i = 0; i < N_PLINK; i++)
        if (n > strlen(plink[i]) && !strcmp(path + n - strlen(plink[i]), plink[i]))
            return n - strlen(plink[i]);
    return n;
}

static void add(struct buf *out, const char *path, size_t n, const char *rest)
{
    buf_add(out, path, n);
    buf_puts(out, rest);
    buf_putc(out, '\0');
}

static void add_plink(struct buf *out, const char *path)
{
    size_t stem = files_plink_stem(path);

    for (int i = 0; i < N_PLINK; i++)
        add(out, path, stem, plink[i]);
}

/* The data set's name with '_' behind it, from that of a file: its length, or 0. */
static size_t tu_prefix(const char *name)
{
    size_t n = strlen(name), ending = strlen(FILES_TU_INDICATOR);

    return n > ending && !strcmp(name + n - ending, FILES_TU_INDICATOR) ? n - ending + 1 : 0;
}

/* All that begin as the indicator does. */
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
    size_t n;

    while (dir && (entry = readdir(dir))) {
        n = tu_prefix(entry->d_name);
        if (n)
            add_members(out, folder, entry->d_name, n);
    }
    if (dir)
        closedir(dir);
}

void files_of(struct buf *out, const char *path)
{
    bool is_one = files_plink_stem(path) < strlen(path);
    struct stat status;

    if (stat(path, &status) != 0 || is_one)
        add_plink(out, path);
    else if (S_ISDIR(status.st_mode))
        add_folder(out, path);
    else
        add(out, path, strlen(path), "");
}
