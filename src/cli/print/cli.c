/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/outfile.h"
#include "cli/print/inputs.h"
#include "store/query/query.h"

int cli_fail(const struct err *err)
{
    log_error("%s", err->text);
    return EXIT_ERROR;
}

int cli_fail_usage(const struct err *err)
{
    log_error("%s", err->text);
    return EXIT_USAGE;
}

int cli_fail_command(const char *name)
{
    struct nearest nearest = {.wrong = name};
    char hint[NEAREST_HINT];
    struct err err;

    for (const struct command *const *c = commands; *c; c++)
        if ((*c)->group != GROUP_HIDDEN)
            nearest_offer(&nearest, (*c)->name);
    if (*name == '-')
        err_set(&err,
                "'%s' must stand after the command; only -q, -v and --color may stand before it",
                name);
    else
        err_set(&err, "'%s' is not a command%s", name,
                nearest_hint(hint, "'", nearest.best, "'", "; 'espalier help' lists the commands"));
    return cli_fail_usage(&err);
}

int cli_fail_all(struct errlist *faults)
{
    int status = faults->is_usage ? EXIT_USAGE : EXIT_ERROR;

    for (size_t i = 0; i < faults->n; i++)
        log_error("%s", faults->text[i]);
    if (!faults->n)
        log_error("out of memory");
    errlist_release(faults);
    return status;
}

static int write_out(const struct buf *text, struct err *err)
{
    if (buf_failed(text))
        return err_nomem(err, "answer", text->size);
    if ((text->size && fwrite(text->data, text->size, 1, stdout) != 1) || fflush(stdout))
        return err_set(err, "cannot write: %s", outfile_reason(errno));
    return 0;
}

int cli_print(struct buf *text, enum cli_text kind, struct err *err)
{
    bool is_escaped = kind == CLI_PLAIN || (kind == CLI_DATA && isatty(STDOUT_FILENO));

    if (is_escaped && text->size && !buf_failed(text))
        text->size = escape_terminal(text->data, true);
    return write_out(text, err);
}

int cli_save(const char *path, const struct buf *text, const struct inputs *inputs, struct err *err)
{
    if (!strcmp(path, "-"))
        return write_out(text, err);
    if (inputs_check(inputs, path, err))
        return -1;
    if (buf_failed(text))
        return err_nomem(err, path, text->size);
    return outfile_save(path, OUTFILE_REPLACE, text->data, text->size, err);
}

int cli_answer(struct buf *text)
{
    struct err err;
    int rc = cli_print(text, CLI_STYLED, &err);

    buf_release(text);
    return rc ? cli_fail(&err) : EXIT_OK;
}

void cli_log_database(const char *db)
{
    char *real = log_get_level() == LOG_VERBOSE ? realpath(db, NULL) : NULL;
    struct stat st;

    if (real && !stat(real, &st))
        log_verbose("database: %s, %.1f MB", real, (double)st.st_size * 1e-6);
    else
        log_verbose("database: %s, which does not exist yet", db);
    free(real);
}

int cli_note_incomplete(struct store *store, const char *only, struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, QUERY_INCOMPLETE, 0, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++) {
        const char *sweep = result_table_text(&table, r, "sweep");

        if (!only || !strcmp(only, sweep))
            log_info("%s: this file has %lld of the %lld trials of the grid; the others belong to "
                     "shards that have not been merged into it",
                     sweep, (long long)result_table_integer(&table, r, "trials"),
                     (long long)result_table_integer(&table, r, "planned"));
    }
    result_table_release(&table);
    return 0;
}

void cli_note_sweeps(const struct common_options *common, const struct query_sweep *sweep)
{
    if (!common->sweep && sweep->n_sweeps > 1)
        log_info("sweep '%s', the last of %lld in %s; --sweep chooses another", sweep->name,
                 (long long)sweep->n_sweeps, common->db);
}

int cli_note_unfinished(struct store *store, int64_t sweep_id, const char *name, struct err *err)
{
    struct result_table table;
    long long n;

    if (cli_note_incomplete(store, name, err) ||
        query_table(&table, store, QUERY_PROGRESS, sweep_id, err))
        return -1;
    n = table.n_rows ? result_table_integer(&table, 0, "unfinished") : 0;
    if (n)
        log_warn("%s: %lld of %lld trials are done, %lld %s left: the leaderboard may change", name,
                 (long long)result_table_integer(&table, 0, "done"),
                 (long long)result_table_integer(&table, 0, "trials"), n, n == 1 ? "is" : "are");
    result_table_release(&table);
    return 0;
}
