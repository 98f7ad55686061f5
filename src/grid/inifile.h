/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser for INI text; only this module includes inih's ini.h.
 *
 * The syntax is that of inih and Python's configparser: `key = value` or `key: value`. A comment
 * begins with `;` or `#` at the start of a line, or with ` ;` after a value. An indented line
 * continues the value above. Beyond inih, this parser
 *
 * - accepts lines of any length (inih is built for 200 bytes),
 * - reports every fault with its line (inih knows only the first),
 * - refuses text after a section's `]`, control characters, and an indented `key =`. */
#ifndef GRID_INIFILE_H
#define GRID_INIFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct inifile_entry {
    char *section;    /* owned; "" before the first section */
    char *key;        /* owned; NULL: the line opens the section */
    struct buf value; /* trimmed; continuation lines are joined by one blank */
    int line;         /* first line, from 1 */
    char *comment;    /* owned; the first behind a part of the value, with its `;`; NULL: none */
    int comment_line;
};

struct inifile {
    struct inifile_entry *entries; /* [n] owned, in file order */
    size_t n;
};

/* Parse text, which messages call `path`. Adds each fault to errors as "path:line: ..." and returns
 * -1; `out` still receives all other entries, except those under a faulty [section]. Pair with
 * inifile_release(). */
int inifile_parse(struct inifile *out, const char *path, const char *text, struct errlist *errors);
/* True if commas, semicolons or tabs separate cells in the first line. */
bool inifile_is_table(const char *text);
void inifile_release(struct inifile *file);

#endif
