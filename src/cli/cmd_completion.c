/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/nearest.h"
#include "cli/command/complete.h"
#include "cli/print/cli.h"

static int completion(struct call *call)
{
    const char *shell = call->operands[0], *script = complete_script(shell);
    struct nearest nearest = {.wrong = shell};
    char hint[NEAREST_HINT];
    struct err err;

    if (script) {
        fputs(script, stdout);
        return EXIT_OK;
    }
    nearest_offer_list(&nearest, COMPLETE_SHELLS);
    err_set(&err, "completion %s: must be one of %s%s", shell, COMPLETE_SHELLS,
            nearest_hint(hint, "'", nearest.best, "'", ""));
    return cli_fail_usage(&err);
}

const struct command command_completion = {
    .name = "completion",
    .group = GROUP_HELP,
    .operands = "bash|zsh|fish",
    .min_operands = 1,
    .max_operands = 1,
    .operand_kind = VALUE_SHELL,
    .summary = "Print the script that completes espalier in a shell.",
    .about = "Completes commands, options, their values, files, settings, and the sweeps and "
             "columns of a database. 'make install' puts the scripts below PREFIX/share. Shells "
             "look there if PREFIX is /usr or "
             "/usr/local; for another one see 'Install' in the manual.",
    .examples = {{"source <(espalier completion bash)",
                  "Complete espalier in this bash; add it to ~/.bashrc."},
                 {"source <(espalier completion zsh)",
                  "The same for zsh, in ~/.zshrc after autoload -U compinit; compinit."},
                 {"espalier completion fish > ~/.config/fish/completions/espalier.fish",
                  "Install completion for fish."}},
    .run = completion,
};

/* Each press of a key waits for the answer. */
enum { PATIENCE_S = 5 };

static int run_complete(struct call *call)
{
    struct buf out = {0};

    log_set_level(LOG_QUIET);
    alarm(PATIENCE_S);
    if (!freopen("/dev/null", "w", stderr))
        return EXIT_ERROR;
    complete(&out, call->operands, call->n_operands);
    return cli_answer(&out);
}

const struct command command_complete = {
    .name = "__complete",
    .group = GROUP_HIDDEN,
    .operands = "WORD...",
    .min_operands = 1,
    .max_operands = INT_MAX,
    .takes_words = true,
    .summary = "Print the candidates for the last word of a command line.",
    .run = run_complete,
};
