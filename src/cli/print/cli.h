/* SPDX-License-Identifier: BSD-3-Clause */
/* cli/print: how commands print answers and errors, and write files. May include everything but the
 * commands.
 *
 * This file: printing and the exit status. */
#ifndef CLI_PRINT_CLI_H
#define CLI_PRINT_CLI_H

#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/exit_status.h"
#include "cli/command/command.h"
#include "cli/command/parse.h"

/* Print an error on stderr. Return the exit status: EXIT_ERROR, or EXIT_USAGE if the command line
 * or the sweep file is wrong. */
int cli_fail(const struct err *err);
int cli_fail_usage(const struct err *err);

/* Report that there is no such command, and the nearest one. Returns EXIT_USAGE. */
int cli_fail_command(const char *name);

/* Print several errors, one a line, and release the list. Returns EXIT_USAGE if the list says so,
 * or EXIT_ERROR. */
int cli_fail_all(struct errlist *faults);

enum cli_text {
    CLI_PLAIN,  /* for people: harmful characters are replaced */
    CLI_STYLED, /* for people, harmless already; may have colour (base/terminal.h) */
    CLI_DATA    /* bytes stay as they are, unless stdout is a terminal */
};

/* Print a finished text on stdout. -1 and err: memory was short while the text was made, or it
 * cannot be written. */
int cli_print(struct buf *text, enum cli_text kind, struct err *err);

/* Write a text to a file that inputs_check() allows, whole or not at all. The path "-" is
 * stdout. */
struct inputs;
int cli_save(const char *path, const struct buf *text, const struct inputs *inputs,
             struct err *err);

/* End a command: print the styled text, or the error of that, and release the text. Returns the
 * exit status. */
int cli_answer(struct buf *text);

/* With -v, print the full path and the size of the database. */
void cli_log_database(const char *db);

struct store;

/* Print a note for each sweep of which the database has only some shards. only: the name of one
 * sweep, or NULL for all. -1 and err. */
int cli_note_incomplete(struct store *store, const char *only, struct err *err);

/* The same for one sweep, and a warning if trials of it are left to run. */
int cli_note_unfinished(struct store *store, int64_t sweep_id, const char *name, struct err *err);

/* Say which sweep was taken, if the database has several and none was named. */
struct query_sweep;
void cli_note_sweeps(const struct common_options *common, const struct query_sweep *sweep);

#endif
