/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages on stderr, one line a call, that begin with "espalier: ". Control characters are
 * replaced (escape_terminal()). */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_QUIET, LOG_WARN, LOG_INFO, LOG_VERBOSE };

/* The most detailed messages that are printed, at first LOG_INFO. cli/ sets it before threads
 * exist. Returns the level before. */
enum log_level log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* log_info: for every user. log_verbose: details that -v asks for. */
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
