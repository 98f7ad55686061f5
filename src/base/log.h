/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress and warnings on stderr, one line a call, with the prefix "espalier: ", cleaned by
 * escape_terminal(). Not for results, nor for errors that stop the program (base/err.h). */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_QUIET, LOG_WARN, LOG_INFO };

/* cli/ sets the level at start-up, before threads exist. Default LOG_INFO. */
void log_set_level(enum log_level level);

void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
