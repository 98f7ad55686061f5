/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <unistd.h>

#include "cli/command/help.h"
#include "cli/command/reference.h"
#include "cli/print/cli.h"

static int help(struct call *call)
{
    const char *topic = call->n_operands ? call->operands[0] : NULL;
    const char *format = call->common->format;
    const struct command *command = topic ? command_find(topic) : NULL;
    struct buf out = {0};

    if (strcmp(format, "text") != 0) {
        bool is_man = !strcmp(format, "man");

        if (!reference_put(&out, topic ? topic : "commands",
                           is_man ? REFERENCE_MAN : REFERENCE_MARKDOWN))
            return cli_fail_command(topic);
    } else if (topic && !command) {
        return cli_fail_command(topic);
    } else if (command) {
        help_put_command(&out, command, STDOUT_FILENO);
    } else {
        help_put_commands(&out, STDOUT_FILENO);
    }
    return cli_answer(&out);
}

static const struct example examples[] = {
    {"espalier help", "List the commands."},
    {"espalier help run", "Show the options and examples of run."},
    {NULL, NULL},
};

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
    .examples = examples,
    .options = options,
    .run = help,
};
