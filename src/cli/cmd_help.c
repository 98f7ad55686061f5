/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/command/help.h"

static int help(struct call *call)
{
    const struct command *command = NULL;
    struct buf out = {0};
    struct err err;

    if (call->n_operands) {
        command = command_find(call->operands[0]);
        if (!command)
            return cli_fail_command(call->operands[0]);
    }
    if (command)
        help_put_command(&out, command, STDOUT_FILENO);
    else
        help_put_commands(&out, STDOUT_FILENO);
    return cli_answer(0, &out, CLI_STYLED, &err);
}

static const struct example examples[] = {
    {"espalier help", "List the commands."},
    {"espalier help run", "Show the options and examples of run."},
    {NULL, NULL},
};

const struct command command_help = {
    .name = "help",
    .group = GROUP_HELP,
    .operands = "[COMMAND]",
    .max_operands = 1,
    .operand_kind = VALUE_COMMAND,
    .summary = "List the commands, or show the help of one.",
    .examples = examples,
    .run = help,
};
