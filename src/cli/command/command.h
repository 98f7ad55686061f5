/* SPDX-License-Identifier: BSD-3-Clause */
/* cli/command: commands and options as table rows, and what is made from the rows.
 *
 * A command is one static row with a table of options. Parsing, help, suggestions, completion, the
 * man page and the manual are made from the rows. May include everything below cli. */
#ifndef CLI_COMMAND_COMMAND_H
#define CLI_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/text_list.h"

/* How shell completion completes the value of an option or an operand. */
enum value_kind {
    VALUE_TEXT, /* nothing to complete */
    VALUE_FILE,
    VALUE_GRID,     /* *.ini */
    VALUE_DATABASE, /* *.db */
    VALUE_DIRECTORY,
    VALUE_SETTING,   /* [section.]key=value, or grid.key=value,value */
    VALUE_CONDITION, /* SQL over the columns of the leaderboard */
    VALUE_SWEEP,
    VALUE_COMMAND,
    VALUE_PARAMETER, /* a section or a key */
    VALUE_SHELL
};

/* The member that an option writes. */
enum option_type {
    OPTION_FLAG,     /* bool */
    OPTION_INT,      /* long in [min, max]; 0 without a default */
    OPTION_DURATION, /* double, seconds in [min, max]; NaN without a default */
    OPTION_TEXT,     /* const char *, one of the choices; NULL without a default */
    OPTION_SETTING,  /* union value of the setting `param` */
    OPTION_LIST      /* struct text_list: `set` of the common options */
};

struct option_row {
    char letter;          /* 0: none */
    const char *name;     /* without -- */
    const char *argument; /* NULL for a flag */
    enum option_type type;
    enum value_kind kind;
    size_t into;              /* offset in the command's struct of options */
    const char *help;         /* an imperative, with a full stop */
    const char *default_text; /* NULL: none; of OPTION_INT, a number that may be out of range */
    const char *shown;        /* in help, in place of default_text; or NULL */
    const char *choices;      /* of TEXT: "a|b|c"; NULL: any text */
    long min, max;            /* of INT, and of DURATION in seconds */
    int param;                /* of SETTING: enum param_id */
    bool is_hidden;           /* from help and completion */
};

/* The first member of each command's struct of options. */
struct common_options {
    bool is_quiet, is_verbose;
    const char *color;
    const char *db;     /* never NULL with COMMON_DB */
    const char *format; /* "table", "csv", "json", or another choice of the command */
    bool is_wide;
    /* Values of the options below: NULL, empty or false in commands that lack them. */
    const char *section, *sweep;
    struct text_list set;
    bool is_forced;
};

/* The contents of rows that several commands have. names: the choices, "a|b|c". */
#define OPTION_SECTION(names)                                                            \
    0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct common_options, section), \
                                       .help = "Print only this part of the answer.",    \
                                       .choices = (names)
#define OPTION_SWEEP                                                                      \
    0, "sweep", "NAME", OPTION_TEXT, VALUE_SWEEP, offsetof(struct common_options, sweep), \
        .help = "Use the sweep NAME of the database.", .shown = "the last one run"
#define OPTION_SET(text)                                                                   \
    0, "set", "[S.]K=V", OPTION_LIST, VALUE_SETTING, offsetof(struct common_options, set), \
        .help = text " May be repeated."
#define SET_SWEEP "Override a setting of the sweep file, or with grid.K=V,V an axis."
#define SET_DATA "Override a setting, for example the path of training data that have moved."
#define OPTION_RULE(type)                                                                          \
    0, "rule", "RULE", OPTION_TEXT,                                                                \
        .into = offsetof(type, rule), .choices = "best|1se",                                       \
        .help = "Choose one configuration and show its test metrics. best chooses the first one, " \
                "1se the cheapest within one standard error of it."
#define OPTION_FORCE(text)                                                             \
    0, "force", NULL, OPTION_FLAG, .into = offsetof(struct common_options, is_forced), \
                                   .help = (text)

/* Options that several commands share. Every command has -h, -q, -v and --color. */
enum {
    COMMON_DB = 1,     /* --db */
    COMMON_FORMAT = 2, /* --format table|csv|json, unless the command has its own */
    COMMON_WIDE = 4    /* --wide */
};

/* The place of the operand DB, which means --db. */
enum db_operand { DB_NONE, DB_FIRST, DB_LAST };

enum command_group {
    GROUP_PREPARE,
    GROUP_RUN,
    GROUP_RESULTS,
    GROUP_HELP,
    GROUP_HIDDEN /* in no list */
};
enum { N_COMMAND_GROUPS = GROUP_HIDDEN };

struct example {
    const char *line;
    const char *what; /* one sentence */
};

struct call;
struct command {
    const char *name;
    enum command_group group;
    const char *operands; /* of the usage line: "[DB] ID" */
    int min_operands;     /* without the operand DB */
    int max_operands;     /* without the operand DB; INT_MAX: any number */
    enum db_operand db_operand;
    enum value_kind operand_kind;
    const char *summary;              /* one sentence, an imperative */
    const char *about;                /* paragraphs, or NULL */
    struct example examples[7];       /* ends with a NULL line */
    const char *see;                  /* "show, export" */
    const struct option_row *options; /* its own; ends with a NULL name; or NULL */
    unsigned common;                  /* COMMON_... */
    size_t options_size;              /* of its struct of options */
    bool takes_words;                 /* each word is an operand; there are no options */
    bool multiplies;                  /* may call BLAS, or says what it would do */
    int (*run)(struct call *call);    /* returns the exit status */
};

extern const struct command *const *commands; /* by group; ends with NULL; main() sets it */

/* NULL: none. */
const struct command *command_find(const char *name);
const char *command_group_title(enum command_group group);

/* The n-th option, the command's own before the shared ones; NULL after the last one. */
const struct option_row *command_option(const struct command *command, int n);
bool command_owns(const struct command *command, const struct option_row *option);
/* By its long name; NULL: none. */
const struct option_row *command_find_option(const struct command *command, const char *name);

/* Append the help of an option, with the choices of a name. */
void option_put_help(struct buf *out, const struct option_row *option);

/* As help shows it; NULL: none. */
const char *option_default(const struct option_row *option);

#endif
