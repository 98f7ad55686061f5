/* SPDX-License-Identifier: BSD-3-Clause */
/* A command line, read by the rows of its command.
 *
 * Options and operands may stand in any order; "--" ends the options. A long option may be
 * shortened as long as one option alone begins so, its value may follow "=", and letters may share
 * a dash: -qn4. */
#ifndef CLI_COMMAND_PARSE_H
#define CLI_COMMAND_PARSE_H

#include "base/err.h"
#include "cli/command/command.h"

#define PARSE_DEFAULT_DB "results.db"

struct call {
    const struct command *command;
    void *options;                 /* the command's struct of options; owned */
    struct common_options *common; /* its first member */
    const char **operands;         /* [n] without the operand DB; owned array of borrowed texts */
    int n_operands;
    int argc; /* the line as typed, without the command: argv[0] is the program */
    char **argv;
};

enum parse_result {
    PARSE_OK,
    PARSE_HELP,  /* --help was asked for */
    PARSE_WRONG, /* err has the fault of the line */
    PARSE_FAILED /* memory is short */
};

/* Reads the line, without printing anything. common->db is set where the command has COMMON_DB: by
 * --db or the operand DB (an error if both are given and differ), else by $ESPALIER_DB, else
 * results.db. Pair with call_release(), whatever the result. */
enum parse_result call_parse(struct call *call, const struct command *command, int argc,
                             char **argv, struct err *err);
void call_release(struct call *call);

/* How many words at the beginning are options of every command, with their values: -q, -v, --color
 * WHEN, but not --help. They may stand before the command, too. */
int parse_count_common(const char *const *words, int n);

/* The option that a long form, which may be shortened, or a letter stands for. NULL: none, or
 * several. */
const struct option_row *parse_find_long(const struct command *command, const char *name);
const struct option_row *parse_find_letter(const struct command *command, char letter);

#endif
