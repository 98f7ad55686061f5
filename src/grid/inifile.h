/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of an INI text: sections, keys and values, each with its line. What they mean is
 * sweep.c's business. The only user of inih's ini.h.
 *
 * The syntax is inih's, which is that of Python's configparser: `key = value` or `key: value`;
 * `;` or `#` at the start of a line, or ` ;` behind a value, begins a comment; an indented line
 * continues the value above. What is more:
 *   - lines may be of any length (inih is built for 200 bytes),
 *   - every fault is reported with its line (inih knows the first),
 *   - text behind a section's ], control characters and an indented `key =` are faults. */
#ifndef GRID_INIFILE_H
#define GRID_INIFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct inifile_entry {
    char *section;    /* owned; "" before the first section */
    char *key;        /* owned; NULL: the line opens the section */
    struct buf value; /* trimmed; the parts of a continued value are joined by one blank */
    int line;         /* counted from 1; where the entry begins */
};

struct inifile {
    struct inifile_entry *entries; /* [n] owned, in file order */
    size_t n;
};

/* Read text, named path in messages. Faults are added to errors as "path:line: ..."; what could be
 * read is in `out` all the same, save the keys under a faulty [section. -1 if there was a fault.
 * Pair with inifile_release(). */
int inifile_parse(struct inifile *out, const char *path, const char *text, struct errlist *errors);
/* Whether the text is a table instead: its first line has cells, with commas, semicolons or tabs
 * between them. */
bool inifile_is_table(const char *text);
void inifile_release(struct inifile *file);

#endif
