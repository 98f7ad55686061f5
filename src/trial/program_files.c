/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "program/beneath.h"
#include "program/folder.h"

static int add_file(struct trial_result *r, const char *folder, const char *name)
{
    struct buf path = {0};
    struct stat info;
    int rc = -1;

    buf_printf(&path, "%s/%s", folder, name);
    r->files[r->n_files] = strdup(name);
    if (r->files[r->n_files] && !buf_failed(&path) && !beneath_stat(buf_text(&path), &info)) {
        r->files_bytes[r->n_files++] = info.st_size;
        rc = 0;
    }
    buf_release(&path);
    return rc;
}

static void note_missing(struct log_tail *log, const char *name)
{
    char text[160];

    snprintf(text, sizeof text, "espalier: keep_files: the program did not write %.80s\n", name);
    log_tail_add(log, text, strlen(text));
}

static int keep_file(struct trial_result *r, struct log_tail *log, const char *to, const char *from,
                     const char *name, struct err *err)
{
    int missing = folder_take_file(to, from, name, err);

    if (missing < 0)
        return -1;
    if (missing)
        note_missing(log, name);
    return !missing && add_file(r, to, name) ? err_set(err, "%s: cannot be kept", name) : 0;
}

int program_files_keep(struct trial_result *r, struct log_tail *log, const char *to,
                       const char *from, const char *list, struct err *err)
{
    struct names names = {0};
    int rc = names_split(&names, list, "keep_files", err);
    size_t n = (size_t)names.n;

    if (!rc) {
        r->files = calloc(n + 1, sizeof *r->files);
        r->files_bytes = calloc(n + 1, sizeof *r->files_bytes);
        if (!r->files || !r->files_bytes)
            rc = err_nomem(err, "kept files", n * sizeof *r->files);
    }
    for (int32_t i = 0; !rc && i < names.n; i++)
        rc = keep_file(r, log, to, from, names.text[i], err);
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

static bool has_file(const struct trial_result *r, const char *name)
{
    for (int32_t i = 0; i < r->n_files; i++)
        if (!strcmp(r->files[i], name))
            return true;
    return false;
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
