/* SPDX-License-Identifier: BSD-3-Clause */
/* cli: the commands of the program.
 *
 * A command is one file, cmd_NAME.c, with one function and a row in commands[] (main.c); it parses
 * its line, calls what is below, prints the answer, and returns the exit status. Only this folder
 * prints errors and answers, and ends the program. May include everything else.
 *
 * This file: what the commands share: their table, option parsing, printing, exit status. */
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

struct command {
    const char *name;
    const char *arguments; /* "GRID.ini" */
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the program's name */
    int min_operands, max_operands;
};

extern const struct command commands[]; /* ends with a NULL name */

enum option_type { OPTION_FLAG, OPTION_INT, OPTION_DURATION, OPTION_TEXT, OPTION_LIST };

/* Values land in the struct the caller points into; what stands there before parsing is the
 * default that --help prints. */
struct option_row {
    char letter;           /* 0: long form only */
    const char *name;      /* long form, without -- */
    const char *argument;  /* "FILE"; NULL for a flag */
    enum option_type type; /* FLAG: bool; INT: long; DURATION: double, seconds, NaN for none;
                              TEXT: const char *; LIST: text_list */
    void *value;
    long min, max;       /* of INT, and of DURATION in seconds */
    const char *choices; /* of TEXT: "a|b|c", or NULL for any text */
    const char *help;
};

/* The words of a command line that are no options. */
struct operands {
    char **at; /* [n] borrowed */
    int n;     /* as many as the command takes */
};

/* Parse the line of a command. `options` ends with a NULL name. -1: the command ends with *status:
 * --help was printed (EXIT_OK), or the line is wrong and why was printed (EXIT_USAGE). */
int cli_parse(int *status, struct operands *operands, const char *command,
              const struct option_row *options, int argc, char **argv);

/* Print what is wrong on stderr. Returns the exit status of the program: EXIT_ERROR, or EXIT_USAGE
 * where the command line or the sweep file is at fault. */
int cli_fail(const struct err *err);
int cli_fail_usage(const struct err *err);

/* Print several lines, and release them. Returns the one or the other. */
int cli_fail_all(struct errlist *faults);

/* A text on stdout for people: printf(), made harmless to terminals (escape_terminal(), line feeds
 * stay).
 */
void cli_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same on stderr. */
void cli_warnf(const char *format, ...) __attribute__((format(printf, 1, 2)));

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

/* A command that reads a database: open it, let answer() fill the text, and end as cli_answer(). */
struct store;
int cli_query(const char *db, const char *format,
              int (*answer)(struct buf *out, struct store *store, const void *arg, struct err *err),
              const void *arg);

/* Say on stderr of which sweeps (only: this one, or NULL for all) a database holds a part: one
 * shard, or some of them merged. To whoever asks it, it looks like a whole one. -1 and err. */
int cli_note_incomplete(struct store *store, const char *only, struct err *err);

const struct command *command_find(const char *name);

int cmd_run(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_params(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_best(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif
