/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages on stderr, one line a call, made safe by escape_terminal(). */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_QUIET, LOG_WARN, LOG_INFO, LOG_VERBOSE };

/* Set the most detailed level that is printed, at first LOG_INFO, before threads exist. Returns the
 * old level. */
enum log_level log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* The width of the terminal that shows stderr, for a process that writes to it through a pipe. cli/
 * sets it before threads exist. Default 0: lines in pipes are not wrapped. */
void log_set_width(int columns);

/* log_error: an error that ends the program, for cli/. log_always: a line that the level does not
 * suppress. Both are printed at every level. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_always(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* log_info: what a user should know about this run. log_verbose: details that -v asks for. */
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
