/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal that a person reads. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>

/* AUTO: colour on a terminal, unless NO_COLOR is set and not empty (no-color.org), or TERM is
 * unset, empty or "dumb". */
enum terminal_color { TERMINAL_COLOR_AUTO, TERMINAL_COLOR_ALWAYS, TERMINAL_COLOR_NEVER };

/* Set once at start-up, before threads exist. */
void terminal_set_color(enum terminal_color color);
bool terminal_has_color(int fd);

/* True if fd is a terminal that moves its cursor: TERM is set and not "dumb". */
bool terminal_has_sequences(int fd);

/* PLAIN ends every other style. */
enum terminal_style {
    TERMINAL_PLAIN,
    TERMINAL_HEADING,
    TERMINAL_NAME,
    TERMINAL_ERROR,
    TERMINAL_WARNING
};

/* The bytes that switch the style on; "" where fd has no colour. escape_terminal() replaces them,
 * so add them afterwards. Static text. */
const char *terminal_style(int fd, enum terminal_style style);

/* Columns: from the terminal, else COLUMNS, else 80. */
int terminal_width(int fd);

/* Lines: from the terminal, else LINES, else 24. */
int terminal_height(int fd);

/* True if the locale of the environment (LC_ALL, LC_CTYPE, LANG) uses UTF-8. */
bool terminal_is_utf8(void);

#endif
