/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command/command.h"

#include <string.h>

#include "grid/param.h"

const struct command *const *commands;

static const struct option_row common_db[] = {
    {0, "db", "FILE", OPTION_TEXT, VALUE_DATABASE, offsetof(struct common_options, db),
     .help = "Use the database FILE.", .shown = "$ESPALIER_DB, or results.db"},
    {0},
};

static const struct option_row common_format[] = {
    {0, "format", "FORMAT", OPTION_TEXT, .into = offsetof(struct common_options, format),
     .help = "Print the answer as a table, csv or json.", .choices = "table|csv|json",
     .default_text = "table"},
    {0},
};

static const struct option_row common_wide[] = {
    {0, "wide", NULL, OPTION_FLAG, .into = offsetof(struct common_options, is_wide),
     .help = "Print all columns, even if they are wider than the terminal."},
    {0},
};

/* The parser finds --help by its name. */
static const struct option_row common_all[] = {
    {'q', "quiet", NULL, OPTION_FLAG, .into = offsetof(struct common_options, is_quiet),
     .help = "Print only warnings and errors beside the answer."},
    {'v', "verbose", NULL, OPTION_FLAG, .into = offsetof(struct common_options, is_verbose),
     .help = "Print more messages: which files are read, and how long each step takes."},
    {0, "color", "WHEN", OPTION_TEXT, .into = offsetof(struct common_options, color),
     .help = "Use colour: auto, always or never. auto uses it on a terminal, unless NO_COLOR is "
             "set.",
     .choices = "auto|always|never", .default_text = "auto"},
    {'h', "help", NULL, OPTION_FLAG, .help = "Print this help."},
    {0},
};

static const struct option_row no_options[] = {{0}};

const struct option_row *command_option(const struct command *command, int n)
{
    const struct option_row *sets[] = {
        command->options ? command->options : no_options,
        command->common & COMMON_FORMAT ? common_format : no_options,
        command->common & COMMON_WIDE ? common_wide : no_options,
        command->common & COMMON_DB ? common_db : no_options,
        common_all,
    };

    for (size_t s = 0; !command->takes_words && s < sizeof sets / sizeof *sets; s++)
        for (const struct option_row *o = sets[s]; o->name; o++)
            if (n-- == 0)
                return o;
    return NULL;
}

bool command_owns(const struct command *command, const struct option_row *option)
{
    for (const struct option_row *o = command->options; o && o->name; o++)
        if (o == option)
            return true;
    return false;
}

const struct option_row *command_find_option(const struct command *command, const char *name)
{
    const struct option_row *o;

    for (int i = 0; (o = command_option(command, i)); i++)
        if (!strcmp(o->name, name))
            return o;
    return NULL;
}

const struct command *command_find(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (!strcmp((*c)->name, name))
            return *c;
    return NULL;
}

const char *command_group_title(enum command_group group)
{
    static const char *const titles[] = {
        [GROUP_PREPARE] = "Prepare a sweep",
        [GROUP_RUN] = "Run a sweep",
        [GROUP_RESULTS] = "Use the results",
        [GROUP_HELP] = "Find help",
        [GROUP_HIDDEN] = "",
    };

    return titles[group];
}

void option_put_help(struct buf *out, const struct option_row *option)
{
    const char *choice = option->choices;

    buf_puts(out, option->help);
    if (!choice || !option->argument || strcmp(option->argument, "NAME") != 0)
        return;
    buf_puts(out, " NAME is ");
    while (*choice) {
        size_t n = strcspn(choice, "|");
        const char *next = choice + n + (choice[n] == '|');

        buf_add(out, choice, n);
        buf_puts(out, !*next ? "." : strchr(next, '|') ? ", " : " or ");
        choice = next;
    }
}

const char *option_default(const struct option_row *option)
{
    if (option->shown)
        return option->shown;
    return option->type == OPTION_SETTING ? param_table[option->param].default_text
                                          : option->default_text;
}
