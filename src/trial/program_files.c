/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "program/beneath.h"
#include "program/folder.h"

/* A trial whose files are kept, and the folders. */
struct keeping {
    struct trial_result *r;
    const char *to, *from;
};

static int add_file(struct keeping *k, const char *name, int64_t bytes, struct err *err)
{
    struct trial_result *r = k->r;
    size_t n = (size_t)r->n_files + 1;
    char **files = realloc(r->files, n * sizeof *files);
    int64_t *sizes = realloc(r->files_bytes, n * sizeof *sizes);

    r->files = files ? files : r->files;
    r->files_bytes = sizes ? sizes : r->files_bytes;
    if (!files || !sizes || !(files[n - 1] = strdup(name)))
        return err_nomem(err, "kept files", n);
    sizes[n - 1] = bytes;
    r->n_files++;
    return 0;
}

static int keep(struct keeping *k, const char *name, struct err *err);

/* Links and other things in a folder are not kept. */
static int keep_folder(struct keeping *k, const char *path, const char *name, struct err *err)
{
    DIR *folder = beneath_list(path);
    const struct dirent *entry;
    int rc = 0;

    while (!rc && folder && (entry = readdir(folder))) {
        struct buf inner = {0};

        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        buf_printf(&inner, "%s/%s", name, entry->d_name);
        rc = buf_failed(&inner) ? err_nomem(err, "kept files", inner.size)
                                : keep(k, buf_text(&inner), err);
        buf_release(&inner);
    }
    if (folder)
        closedir(folder);
    return rc;
}

static int keep(struct keeping *k, const char *name, struct err *err)
{
    struct buf path = {0};
    struct stat info;
    int rc = 0;

    buf_printf(&path, "%s/%s", k->from, name);
    if (buf_failed(&path))
        rc = err_nomem(err, "kept files", path.size);
    else if (!beneath_stat(buf_text(&path), &info) && S_ISDIR(info.st_mode))
        rc = keep_folder(k, buf_text(&path), name, err);
    else if (!(rc = folder_take_file(k->to, k->from, name, err)))
        rc = add_file(k, name, info.st_size, err);
    buf_release(&path);
    return rc < 0 ? -1 : 0;
}

/* A file of this name, or in a folder of it. */
static bool has_file(const struct trial_result *r, const char *name)
{
    size_t n = strlen(name);

    for (int32_t i = 0; i < r->n_files; i++)
        if (!strncmp(r->files[i], name, n) && (!r->files[i][n] || r->files[i][n] == '/'))
            return true;
    return false;
}

int program_files_keep(struct trial_result *r, struct log_tail *log, const char *to,
                       const char *from, const char *list, struct err *err)
{
    struct keeping k = {r, to, from};
    struct names names = {0};
    int rc = names_split(&names, list, "keep_files", err);

    for (int32_t i = 0; !rc && i < names.n; i++) {
        rc = keep(&k, names.text[i], err);
        if (!rc && !has_file(r, names.text[i])) {
            char text[160];

            snprintf(text, sizeof text, "espalier: keep_files: the program did not write %.80s\n",
                     names.text[i]);
            log_tail_add(log, text, strlen(text));
        }
    }
    names_release(&names);
    return rc;
}

int program_files_missing_init(struct program_files_missing *m, const char *list, struct err *err)
{
    *m = (struct program_files_missing){0};
    if (names_split(&m->names, list, "keep_files", err))
        return -1;
    m->trials = calloc((size_t)m->names.n + 1, sizeof *m->trials);
    m->example = calloc((size_t)m->names.n + 1, sizeof *m->example);
    return m->trials && m->example ? 0 : err_nomem(err, "keep_files", (size_t)m->names.n);
}

void program_files_missing_release(struct program_files_missing *m)
{
    names_release(&m->names);
    free(m->trials);
    free(m->example);
}

void program_files_missing_note(struct program_files_missing *m, const struct trial_result *r,
                                int64_t number)
{
    if (r->state != TRIAL_DONE)
        return;
    for (int32_t i = 0; i < m->names.n; i++)
        if (!has_file(r, m->names.text[i]) && (!m->trials[i]++ || number < m->example[i]))
            m->example[i] = number;
}
