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

/* The files are unknown if this version cannot read the settings, or refuses the overrides. */
int inputs_add_database(struct inputs *in, const char *db, struct store *store,
                        const struct text_list *set, struct err *err)
{
    const char *slash = strrchr(db, '/');
    struct result_table table;

    in->db = db;
    buf_add(&in->paths, db, strlen(db) + 1);
    if (query_table(&table, store, QUERY_FILES, 0, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++) {
        const char *ini = result_table_text(&table, r, "ini");
        const char *file = result_table_text(&table, r, "file");

        buf_add(&in->paths, file, strlen(file) + 1);
        /* A recorded path is relative to the working directory of its run, which may have been the
         * folder of the database. */
        if (slash && *file != '/') {
            buf_add(&in->paths, db, (size_t)(slash - db) + 1);
            buf_add(&in->paths, file, strlen(file) + 1);
        }
        for (int is_set = 0; is_set < (set && set->n ? 2 : 1); is_set++) {
            struct errlist faults = {0};
            struct sweep sweep;

            if (!sweep_parse(&sweep, db, ini, is_set ? set->text : NULL, is_set ? set->n : 0,
                             &faults))
                inputs_add_settings(in, sweep.fixed.v);
            sweep_release(&sweep);
            errlist_release(&faults);
        }
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

/* True if path has a name that a run may give to a file beside the database, whether it exists
 * or not (store/database_file.h). real: of the database. */
static bool is_side_name(const char *real, const char *path)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal", ".lock", ".saved"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *of = strrchr(real, '/') + 1;
    size_t n = strlen(of);
    struct buf folder = {0}, home = {0};
    bool is = false;

    buf_add(&folder, path, (size_t)(name - path));
    buf_puts(&folder, ".");
    buf_add(&home, real, (size_t)(of - real));
    for (size_t i = 0; !strncmp(name, of, n) && i < sizeof endings / sizeof *endings; i++)
        is = is ||
             (!strcmp(name + n, endings[i]) && outfile_is_same(buf_text(&folder), buf_text(&home)));
    buf_release(&folder);
    buf_release(&home);
    return is;
}

int inputs_check_folder(const struct inputs *in, const char *path, struct err *err)
{
    const char *at = buf_text(&in->paths), *end = at + in->paths.size;
    char *real;
    int rc = 0;

    if (!*path)
        return err_set(err, "the name of the file to write is empty");
    if (buf_failed(&in->paths))
        return err_nomem(err, "names of files", in->paths.size);
    for (; at < end; at += strlen(at) + 1)
        if (outfile_is_same(path, at))
            return err_set(err, "%s: is the input %s: will not be overwritten", path, at);
    real = in->db ? realpath(in->db, NULL) : NULL;
    if (real && is_side_name(real, path))
        rc = err_set(err,
                     "%s: a run on %s uses this name for a file of its own: choose another name",
                     path, in->db);
    free(real);
    return rc;
}

int inputs_check(const struct inputs *in, const char *path, struct err *err)
{
    struct stat status;
    bool exists = *path && stat(path, &status) == 0;
    char head[16];
    FILE *file;
    size_t n;

    if (exists && S_ISDIR(status.st_mode))
        return err_set(err, "%s: is a folder: must be a file to write", path);
    if (inputs_check_folder(in, path, err))
        return -1;
    file = exists && S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
    n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (n >= results[i].n && !memcmp(head, results[i].bytes, results[i].n))
            return err_set(err, "%s: %s: will not be overwritten", path, results[i].what);
    if (!in->is_forced && lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        return err_set(err, "%s: exists already; --force replaces it", path);
    return 0;
}
