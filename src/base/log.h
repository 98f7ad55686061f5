/* SPDX-License-Identifier: BSD-3-Clause */
/* Chatter on stderr, one line a call, prefixed "espalier: " and tamed (escape_terminal()). Never
 * results, never errors that stop the program (those travel up in struct err). */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_QUIET, LOG_WARN, LOG_INFO };

/* Set once at start-up by cli/, before threads exist. Default LOG_INFO. */
void log_set_level(enum log_level level);

void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
