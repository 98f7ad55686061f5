/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands for a shell: the shell that runs them, and the program that they begin with. */
#ifndef PROGRAM_SHELL_PROGRAM_H
#define PROGRAM_SHELL_PROGRAM_H

#include "program/template.h"

/* Return the path of bash on this system; NULL: it has none. */
const char *shell_program_bash(void);

/* Append the words in front of the text of a shell template, each with its NUL, and count them; then maybe
 * the beginning of the text.
 *
 * A pipe fails if one of its programs does (pipefail): otherwise a program that crashes in front of
 * `| sed` would be a success. Without bash, /bin/sh must have pipefail, or it refuses a text with a pipe. A
 * sign | counts as one unless it is quoted or part of ||. */
void shell_program_put(struct buf *out, size_t *n, const struct template *t, const char *bash);

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
