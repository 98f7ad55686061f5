/* SPDX-License-Identifier: BSD-3-Clause */
/* cli: the commands of the program.
 *
 * A command is one file, cmd_NAME.c, with a row `command_NAME` (cli/command/command.h) that
 * commands[] lists (commands.c). Its function gets a parsed line, calls the layers below, prints
 * the answer, and returns the exit status. Only this folder prints errors and answers, and ends the
 * program. May include everything else.
 *
 * This file: what the commands share: printing and the exit status. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/exit_status.h"
#include "base/text_list.h"
#include "cli/command/command.h"
#include "cli/command/parse.h"

/* Print what is wrong on stderr. Returns the exit status of the program: EXIT_ERROR, or EXIT_USAGE
 * where the command line or the sweep file is at fault. */
int cli_fail(const struct err *err);
int cli_fail_usage(const struct err *err);

/* Report that there is no such command, with the nearest one. Returns EXIT_USAGE. */
int cli_fail_command(const char *name);

/* Print several lines, and release them. Returns the one or the other. */
int cli_fail_all(struct errlist *faults);

/* A text on stdout for people: printf(), made harmless to terminals (escape_terminal(), line feeds
 * stay).
 */
void cli_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same on stderr. */
void cli_warnf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The format of a text that is harmless already and may have colour (base/terminal.h). */
#define CLI_STYLED "styled"

/* Print a finished text on stdout. format: "csv" and "json" are data, whose bytes stay unless they
 * go to a terminal; any other, and NULL, is for people, and is made harmless to terminals. -1 and
 * err: memory was short while it was made, or the disk or the pipe does not take it. */
int cli_print(struct buf *text, const char *format, struct err *err);

/* Write a finished text into the file at path (base/outfile.h: whole or not at all), which may be
 * there already but must not be one of the inputs (inputs_check); on stdout, as data, where the
 * path is "-". */
struct inputs;
int cli_save(const char *path, const struct buf *text, const struct inputs *inputs,
             struct err *err);

/* The end of a command that answers: print the text (cli_print()) if rc is 0, release it, and
 * return the exit status; what is wrong (rc, or the printing) has then been printed. */
int cli_answer(int rc, struct buf *text, const char *format, struct err *err);

/* For -v: where the database lies, and how large it is. */
void cli_log_database(const char *db);

struct store;

/* Say on stderr of which sweeps (only: this one, or NULL for all) a database holds a part: one
 * shard, or some of them merged. To whoever asks it, it looks like a whole one. -1 and err. */
int cli_note_incomplete(struct store *store, const char *only, struct err *err);

extern const struct command command_best;
extern const struct command command_complete;
extern const struct command command_completion;
extern const struct command command_doctor;
extern const struct command command_export;
extern const struct command command_help;
extern const struct command command_init;
extern const struct command command_inspect;
extern const struct command command_merge;
extern const struct command command_params;
extern const struct command command_plan;
extern const struct command command_predict;
extern const struct command command_run;
extern const struct command command_show;
extern const struct command command_simulate;
extern const struct command command_status;
extern const struct command command_verify;

#endif
