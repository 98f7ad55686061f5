/* Chatter on stderr, one line a call, prefixed "espalier: " and tamed (escape_terminal()). Never
 * results, never errors that stop the program (those travel up in struct err). */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/err.h"

enum log_level { LOG_QUIET, LOG_WARN, LOG_INFO };

/* Set once at start-up by cli/, before threads exist. Default LOG_INFO. */
void log_set_level(enum log_level level);

void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An error, whatever the level. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print "espalier: TEXT", whatever the level, and return status. For an error that ends the
 * process. */
int log_fail(const struct err *err, int status);

#endif
