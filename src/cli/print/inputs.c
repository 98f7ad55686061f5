/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/inputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "data/text/file_names.h"
#include "grid/sweep.h"
#include "grid/sweep_file.h"
#include "store/query/query.h"

void inputs_release(struct inputs *in)
{
    if (in)
        buf_release(&in->paths);
}

static void add_file(struct inputs *in, const char *path)
{
    buf_add(&in->paths, path, strlen(path) + 1);
}

void inputs_add(struct inputs *in, const char *path)
{
    if (path && *path)
        file_names_of(&in->paths, path);
}

void inputs_add_settings(struct inputs *in, const struct settings *settings)
{
    for (int id = 0; id < P_COUNT; id++)
        if (param_table[id].type == PARAM_PATH)
            inputs_add(in, settings->v[id].s);
}

/* A recorded path is relative to the working directory of its run, which may have been the folder
 * of the database. */
static void add_beside(struct inputs *in, const char *db, const char *path)
{
    const char *slash = strrchr(db, '/');

    add_file(in, path);
    if (!slash || *path == '/')
        return;
    buf_add(&in->paths, db, (size_t)(slash - db) + 1);
    add_file(in, path);
}

/* The files are unknown if this version cannot read the settings, or refuses the overrides. */
static void add_sweep(struct inputs *in, const char *db, const char *ini,
                      const struct text_list *set)
{
    struct errlist faults = {0};
    struct sweep sweep;

    if (sweep_parse(&sweep, db, ini, set ? set->text : NULL, set ? set->n : 0, &faults) == 0)
        inputs_add_settings(in, &sweep.fixed);
    sweep_release(&sweep);
    errlist_release(&faults);
}

static void add_with(struct inputs *in, const char *db, const char *ending)
{
    buf_puts(&in->paths, db);
    add_file(in, ending);
}

int inputs_add_database(struct inputs *in, const char *db, struct store *store,
                        const struct text_list *set, struct err *err)
{
    struct result_table table;

    add_file(in, db);
    add_with(in, db, "-wal");
    add_with(in, db, "-shm");
    add_with(in, db, "-journal");
    if (query_table(&table, store, QUERY_FILES, 0, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++) {
        const char *ini = result_table_text(&table, r, "ini");

        add_beside(in, db, result_table_text(&table, r, "file"));
        add_sweep(in, db, ini, NULL);
        if (set && set->n)
            add_sweep(in, db, ini, set);
    }
    result_table_release(&table);
    return 0;
}

static int check_name(const char *path, struct err *err)
{
    struct stat status;

    if (!*path)
        return err_set(err, "the name of the file to write is empty");
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return err_set(err, "%s: is a folder: must be a file to write", path);
    return 0;
}

/* No command overwrites results. After a kill, the last commits may be only in the log, and the
 * data to roll back only in the journal.
 *
 * Source: sqlite.org/fileformat.html, sections 1.3.1, 3 and 4.1. */
static const struct {
    size_t n;
    const char *bytes, *what;
} results[] = {
    {16, "SQLite format 3", "is a database"},
    {4, "\x37\x7f\x06\x82", "is the log of a database"},
    {4, "\x37\x7f\x06\x83", "is the log of a database"},
    {8, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", "is the journal of a database"},
};

/* NULL: none. */
static const char *find_results(const char *path)
{
    char head[16];
    struct stat status;
    FILE *file;
    size_t n;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    file = fopen(path, "rbe");
    n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (n >= results[i].n && !memcmp(head, results[i].bytes, results[i].n))
            return results[i].what;
    return NULL;
}

int inputs_check(const struct inputs *in, const char *path, struct err *err)
{
    const char *at = buf_text(&in->paths), *end = at + in->paths.size, *what;

    if (check_name(path, err))
        return -1;
    if (buf_failed(&in->paths))
        return err_nomem(err, "names of files", in->paths.size);
    for (; at < end; at += strlen(at) + 1)
        if (outfile_is_same(path, at))
            return err_set(err, "%s: is the input %s: will not be overwritten", path, at);
    what = find_results(path);
    return what ? err_set(err, "%s: %s: will not be overwritten", path, what) : 0;
}

int inputs_check_new(const struct inputs *in, const char *path, bool is_forced, struct err *err)
{
    struct stat status;

    if (inputs_check(in, path, err))
        return -1;
    if (!is_forced && lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        return err_set(err, "%s: exists already; --force replaces it", path);
    return 0;
}
