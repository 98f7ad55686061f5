/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <unistd.h>

#include "cli/command/help.h"
#include "cli/print/cli.h"

static int help(struct call *call)
{
    const char *topic = call->n_operands ? call->operands[0] : NULL;
    const char *format = call->common->format;
    const struct command *command = topic ? command_find(topic) : NULL;
    struct buf out = {0};

    if (strcmp(format, "text") != 0) {
        if (!help_put_reference(&out, topic ? topic : "commands",
                                strcmp(format, "man") ? HELP_MARKDOWN : HELP_MAN))
            return cli_fail_command(topic);
    } else if (command) {
        help_put_command(&out, command, STDOUT_FILENO);
    } else if (topic) {
        return cli_fail_command(topic);
    } else {
        help_put_commands(&out, STDOUT_FILENO);
    }
    return cli_answer(&out);
}

static const struct option_row options[] = {
    {0, "format", "FORMAT", OPTION_TEXT, .into = offsetof(struct common_options, format),
     .help = "Print a part of the manual: of a command, commands, common or settings.",
     .choices = "text|man|markdown", .default_text = "text", .is_hidden = true},
    {0},
};

const struct command command_help = {
    .name = "help",
    .group = GROUP_HELP,
    .operands = "[COMMAND]",
    .max_operands = 1,
    .operand_kind = VALUE_COMMAND,
    .summary = "List the commands, or show the help of one.",
    .examples = {{"espalier help", "List the commands."},
                 {"espalier help run", "Show the options and examples of run."}},
    .options = options,
    .run = help,
};
