/* SPDX-License-Identifier: BSD-3-Clause */
/* Shell completion. The scripts of `espalier completion` ask `espalier __complete WORD...`, so all
 * shells offer the same. The answer is one line that says how to insert a candidate, then a line
 * "CANDIDATE<tab>DESCRIPTION" for each. */
#ifndef CLI_COMMAND_COMPLETE_H
#define CLI_COMMAND_COMPLETE_H

#include "base/buf.h"

/* Append the answer. words: [n], n > 0, after the program's name; the last one, which may be empty,
 * is completed. Reads folders, and the database of the line. Files that cannot be read give no
 * candidates. */
void complete(struct buf *out, const char *const *words, int n);

/* The script of bash, zsh or fish; NULL: another shell. */
const char *complete_script(const char *shell);
#define COMPLETE_SHELLS "bash|zsh|fish"

#endif
