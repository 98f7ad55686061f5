/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line and the environment of a trial that another program runs. */
#ifndef TRIAL_PROGRAM_COMMAND_H
#define TRIAL_PROGRAM_COMMAND_H

#include "grid/plan.h"
#include "program/template.h"
#include "trial/result.h"

/* The templates of a sweep. */
struct program_command {
    struct template command, env;
    struct template_words inherited; /* of the environment of this process */
};

/* The templates are valid: requirements_check() has parsed them. -1: out of memory. Pair with
 * program_command_release(), also after a failure. */
int program_command_init(struct program_command *c, const struct sweep *sweep, struct err *err);
void program_command_release(struct program_command *c);

/* Values for the places of one trial. */
struct program_trial {
    const struct settings *settings;
    struct plan_trial where;
    int64_t id; /* as in t345 */
    struct hash key;
    const char *dir, *results, *checkpoint; /* paths */
    const char *gpus;                       /* "0,1"; NULL: left alone */
    const char *gpu_variables;              /* "NAME=value" words, each with its NUL, and "" */
    const char *modules;                    /* folder of the helpers for Python and R; NULL: none */
    const struct trial_gang *gang;          /* NULL: alone */
    int32_t attempt;                        /* from 1 on */
    int32_t rung;                           /* struct trial_watch */
};

/* Pair both with template_words_release(). -1: out of memory. */
int program_command_argv(struct template_words *out, const struct program_command *c,
                         const struct program_trial *trial, struct err *err);
int program_command_env(struct template_words *out, const struct program_command *c,
                        const struct program_trial *trial, struct err *err);

/* True if the program is told by {until} how many epochs to train. */
bool program_command_has_until(const struct program_command *c);

/* Only the words NAME=value by which its values reach the program: [program] env, and ESPALIER_PARAM_name
 * with values = environment. */
int program_command_values(struct template_words *out, const struct program_command *c,
                           const struct program_trial *trial, struct err *err);

#endif
