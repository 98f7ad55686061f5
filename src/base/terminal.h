/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal that a person reads: its width, its characters, and whether to use colour. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>

/* AUTO: colour on a terminal, unless NO_COLOR is set and not empty (no-color.org), or TERM is unset,
 * empty or "dumb". */
enum terminal_color { TERMINAL_COLOR_AUTO, TERMINAL_COLOR_ALWAYS, TERMINAL_COLOR_NEVER };

/* Set once at start-up by cli/, before threads exist. Default TERMINAL_COLOR_AUTO. */
void terminal_set_color(enum terminal_color color);
bool terminal_has_color(int fd);

/* PLAIN ends every other style. */
enum terminal_style {
    TERMINAL_PLAIN,
    TERMINAL_HEADING,
    TERMINAL_NAME,
    TERMINAL_ERROR,
    TERMINAL_WARNING
};

/* The bytes that switch the style on; "" where fd has no colour. escape_terminal() replaces these
 * bytes, so a caller first makes its text harmless and then adds them. Static text. */
const char *terminal_style(int fd, enum terminal_style style);

/* Columns of the terminal: what it reports, else COLUMNS, else 80. Where fd is no terminal, COLUMNS
 * or 80. */
int terminal_width(int fd);

/* True if the locale of the environment (LC_ALL, LC_CTYPE, LANG) uses UTF-8. */
bool terminal_is_utf8(void);

#endif
