/* SPDX-License-Identifier: BSD-3-Clause */
/* Shell completion: the candidates for the last word of a command line.
 *
 * The scripts of `espalier completion` ask `espalier __complete WORD...`, so bash, zsh and fish
 * offer the same. The answer is one line that says how to insert a candidate, then a line
 * "CANDIDATE<tab>DESCRIPTION" for each. */
#ifndef CLI_COMMAND_COMPLETE_H
#define CLI_COMMAND_COMPLETE_H

#include "base/buf.h"

/* Append the answer. words: [n], n > 0, what stands behind the program's name; the last one, which
 * may be empty, is to be completed. Reads folders, and the database of the line for sweeps and
 * columns; writes nothing, and whatever cannot be read gives no candidates. */
void complete(struct buf *out, const char *const *words, int n);

/* The script that sets up completion; NULL: the shell is none of bash, zsh and fish. Static text. */
const char *complete_script(const char *shell);
#define COMPLETE_SHELLS "bash|zsh|fish"

#endif
