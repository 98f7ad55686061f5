/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages on stderr, one line a call, made safe by escape_terminal(). */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/terminal.h"

enum log_level { LOG_QUIET, LOG_WARN, LOG_INFO, LOG_VERBOSE };

/* Set the most detailed level that is printed, at first LOG_INFO, before threads exist. Returns the
 * old level. */
enum log_level log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* The width of the terminal that shows stderr, for a process that writes to it through a pipe. cli/
 * sets it before threads exist. Default 0: lines in pipes are not wrapped. */
void log_set_width(int columns);

void log_print(enum log_level level, enum terminal_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* log_error: an error that ends the program, for cli/. log_always: a line that the level does not
 * suppress. */
#define log_error(...) log_print(LOG_QUIET, TERMINAL_ERROR, __VA_ARGS__)
#define log_always(...) log_print(LOG_QUIET, TERMINAL_PLAIN, __VA_ARGS__)

/* log_info: what a user should know about this run. log_verbose: details that -v asks for. */
#define log_warn(...) log_print(LOG_WARN, TERMINAL_WARNING, __VA_ARGS__)
#define log_info(...) log_print(LOG_INFO, TERMINAL_PLAIN, __VA_ARGS__)
#define log_verbose(...) log_print(LOG_VERBOSE, TERMINAL_PLAIN, __VA_ARGS__)

#endif
