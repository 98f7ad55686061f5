/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/inputs.h"

#include <stdio.h>
#include <stdlib.h>
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

void inputs_add_settings(struct inputs *in, const union value v[P_MAX])
{
    for (int id = 0; id < P_COUNT; id++)
        if (param_table[id].type == PARAM_PATH)
            inputs_add(in, v[id].s);
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
        inputs_add_settings(in, sweep.fixed.v);
    sweep_release(&sweep);
    errlist_release(&faults);
}

int inputs_add_database(struct inputs *in, const char *db, struct store *store,
                        const struct text_list *set, struct err *err)
{
    struct result_table table;

    in->db = db;
    add_file(in, db);
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

/* True if both files, which need not exist, are in one folder. The names have a slash. */
static bool is_beside(const char *a, const char *b)
{
    char *folders[] = {strndup(a, (size_t)(strrchr(a, '/') + 1 - a)),
                       strndup(b, (size_t)(strrchr(b, '/') + 1 - b))};
    bool is = folders[0] && folders[1] && outfile_is_same(folders[0], folders[1]);

    free(folders[0]);
    free(folders[1]);
    return is;
}

/* Names of the files beside a database, whether they exist now or not (store/database_file.h). */
static bool is_side_name(const char *db, const char *path)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal", ".lock", ".saved"};
    const char *name = strrchr(path, '/') + 1, *of = strrchr(db, '/') + 1;
    size_t n = strlen(of);

    if (strncmp(name, of, n) != 0)
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(name + n, endings[i]))
            return is_beside(path, db);
    return false;
}

static int check_side(const struct inputs *in, const char *path, struct err *err)
{
    char *real = in->db ? realpath(in->db, NULL) : NULL, *full = NULL;
    int rc = 0;

    if (!real)
        return 0;
    if (asprintf(&full, "%s%s", strchr(path, '/') ? "" : "./", path) < 0)
        rc = err_nomem(err, path, strlen(path));
    else if (is_side_name(real, full))
        rc = err_set(err,
                     "%s: a run on %s uses this name for a file of its own: choose another name",
                     path, in->db);
    free(full);
    free(real);
    return rc;
}

int inputs_check_folder(const struct inputs *in, const char *path, struct err *err)
{
    const char *at = buf_text(&in->paths), *end = at + in->paths.size;

    if (!*path)
        return err_set(err, "the name of the file to write is empty");
    if (buf_failed(&in->paths))
        return err_nomem(err, "names of files", in->paths.size);
    for (; at < end; at += strlen(at) + 1)
        if (outfile_is_same(path, at))
            return err_set(err, "%s: is the input %s: will not be overwritten", path, at);
    return check_side(in, path, err);
}

int inputs_check(const struct inputs *in, const char *path, struct err *err)
{
    const char *what;
    struct stat status;

    if (*path && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return err_set(err, "%s: is a folder: must be a file to write", path);
    if (inputs_check_folder(in, path, err))
        return -1;
    what = find_results(path);
    if (what)
        return err_set(err, "%s: %s: will not be overwritten", path, what);
    if (!in->is_forced && lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        return err_set(err, "%s: exists already; --force replaces it", path);
    return 0;
}
