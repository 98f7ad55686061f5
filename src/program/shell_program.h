/* SPDX-License-Identifier: BSD-3-Clause */
/* The program that a command for the shell begins with. */
#ifndef PROGRAM_SHELL_PROGRAM_H
#define PROGRAM_SHELL_PROGRAM_H

#include "program/template.h"

enum { SHELL_PROGRAM = 256 };

/* Write the first word of a shell template if the command certainly fails where no such program
 * exists. False if this is uncertain:
 *
 *   the word contains a place, a quote, $, = or another character of the shell
 *   it is a keyword or builtin of a usual /bin/sh, or a function that bash finds in `variables`,
 *   the environment
 *   the command goes on without it: ; | or & follows somewhere, or a new line */
bool shell_program_find(char out[SHELL_PROGRAM], const struct template *t, char *const *variables);

#endif
