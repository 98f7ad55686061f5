/* SPDX-License-Identifier: BSD-3-Clause */
/* cli/command: commands and options as table rows, and what is made from the rows.
 *
 * A command is one static row in its own file, cli/cmd_NAME.c, with a static table of options.
 * commands[] (cli/commands.c) lists the rows. Parsing, help texts, suggestions, shell completion,
 * the man page and the manual are made from the rows, so none of them needs code in a command.
 *
 * This folder may include everything below cli. */
#ifndef CLI_COMMAND_COMMAND_H
#define CLI_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text_list.h"

/* The meaning of the value of an option or an operand. Shell completion reads it. */
enum value_kind {
    VALUE_TEXT,      /* nothing to complete */
    VALUE_FILE,      /* any file */
    VALUE_GRID,      /* a sweep file, *.ini */
    VALUE_DATABASE,  /* *.db */
    VALUE_DIRECTORY, /* a folder */
    VALUE_SETTING,   /* [section.]key=value, or grid.key=value,value */
    VALUE_CONDITION, /* SQL over the columns of the leaderboard */
    VALUE_SWEEP,     /* a sweep of the database */
    VALUE_COMMAND,   /* a command of espalier */
    VALUE_PARAMETER, /* a section or a key of a sweep file */
    VALUE_SHELL      /* bash, zsh or fish */
};

/* The member that an option writes, and how its text is read. */
enum option_type {
    OPTION_FLAG,     /* bool; the option takes no value */
    OPTION_INT,      /* long in [min, max]; 0 without a default */
    OPTION_DURATION, /* double, seconds in [min, max], with a unit; NaN without a default */
    OPTION_TEXT,     /* const char *, one of the choices if there are any; NULL without a default */
    OPTION_SETTING,  /* const char *, checked as the setting `param`, whose default it has */
    OPTION_LIST      /* struct text_list: the option may be repeated */
};

struct option_row {
    char letter;          /* 0: long form only */
    const char *name;     /* long form, without -- */
    const char *argument; /* "FILE"; NULL for a flag */
    enum option_type type;
    enum value_kind kind;
    size_t into;              /* offset of the member in the command's struct of options */
    const char *help;         /* an imperative, with a full stop */
    const char *default_text; /* as a user would type it; NULL: none */
    const char *shown;        /* what help prints in place of default_text; NULL: that */
    const char *choices;      /* of TEXT: "a|b|c"; NULL: any text */
    long min, max;            /* of INT, and of DURATION in seconds */
    int param;                /* of SETTING: enum param_id */
    bool is_hidden;           /* left out of help and completion */
};

/* The first member of every command's struct of options. */
struct common_options {
    bool is_quiet, is_verbose;
    const char *color;  /* "auto", "always" or "never" */
    const char *db;     /* never NULL with COMMON_DB */
    const char *format; /* "table", "csv", "json", or another choice of the command */
    bool is_wide;       /* print all columns */
};

/* Sets of options that several commands share. Every command has -h, -q, -v and --color. */
enum {
    COMMON_DB = 1,     /* --db */
    COMMON_FORMAT = 2, /* --format table|csv|json; a row `format` of the command replaces it */
    COMMON_WIDE = 4    /* --wide */
};

/* Where the operand DB stands, which has the same meaning as --db. */
enum db_operand {
    DB_NONE,
    DB_FIRST, /* [DB] before the others */
    DB_LAST   /* [DB] after them */
};

enum command_group {
    GROUP_PREPARE,
    GROUP_RUN,
    GROUP_RESULTS,
    GROUP_HELP,
    GROUP_HIDDEN /* in no list */
};
enum { N_COMMAND_GROUPS = GROUP_HIDDEN };

struct example {
    const char *line; /* what to type */
    const char *what; /* what it does, one sentence */
};

struct call;
struct command {
    const char *name;
    enum command_group group;
    const char *operands; /* as in the usage line: "[DB] ID" */
    int min_operands;     /* without the operand DB */
    int max_operands;     /* without the operand DB; INT_MAX: any number */
    enum db_operand db_operand;
    enum value_kind operand_kind;
    const char *summary; /* one sentence, an imperative */
    const char *about;   /* paragraphs, an empty line between; NULL: the summary says it */
    const struct example *examples;   /* ends with a NULL line */
    const char *see;                  /* related commands: "show, export" */
    const struct option_row *options; /* its own; ends with a NULL name. May be NULL */
    unsigned common;                  /* COMMON_... */
    size_t options_size; /* of its struct of options, which begins with struct common_options */
    bool takes_words;    /* every word after the command is an operand; there are no options */
    int (*run)(struct call *call); /* returns the exit status of the program */
};

extern const struct command *const commands[]; /* by group; ends with NULL */

/* NULL: there is none of this name. */
const struct command *command_find(const char *name);
/* The heading of a group. Static text. */
const char *command_group_title(enum command_group group);

/* The n-th option of a command, its own before the shared ones; NULL after the last one. */
const struct option_row *command_option(const struct command *command, int n);
bool command_owns(const struct command *command, const struct option_row *option);
/* By its long name; NULL: there is none. */
const struct option_row *command_find_option(const struct command *command, const char *name);

/* The default as help shows it; NULL: there is none. */
const char *option_default(const struct option_row *option);

#endif
