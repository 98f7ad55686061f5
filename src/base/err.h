/* SPDX-License-Identifier: BSD-3-Clause */
/* Error messages for the person who must fix the fault.
 *
 * A function that can meet a fault of the user or the machine takes `struct err *` as its last
 * argument, writes one line there and returns -1. Callers add context; only cli/ prints. In
 * tensor/, gcn/ and trial/, the only error is lack of memory, unless a header gives others.
 *
 * A message is lower case without a full stop, and safe for terminals (escape_terminal()). It names
 * the place (file:line, key, id), what was found and what is allowed. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err {
    char text[1024];
};

/* Write a message, cut to fit. Always -1, for `return err_set(err, ...)`. err may be NULL. */
int err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Like err_set(), for a place in an input file: "PATH:PLACENUMBER: message". */
int err_vset_at(struct err *err, const char *path, const char *place, int64_t number,
                const char *format, va_list args) __attribute__((format(printf, 5, 0)));

/* Put "context: " before the message. Always -1. */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write "out of memory (WHAT, BYTES bytes)". Always -1. */
int err_nomem(struct err *err, const char *what, size_t bytes);

/* True for the errno of a full disk or a full quota. */
bool err_is_disk_full(int code);

/* Shows the -1 to compilers and analysers. */
static inline int err_minus_one(void)
{
    return -1;
}
#define err_set(...) (err_set(__VA_ARGS__), err_minus_one())
#define err_wrap(...) (err_wrap(__VA_ARGS__), err_minus_one())
#define err_nomem(...) (err_nomem(__VA_ARGS__), err_minus_one())

/* Faults that are reported together. A zeroed list is empty. */
struct errlist {
    char **text; /* [n]; array and texts owned */
    size_t n;
    size_t n_lost; /* for lack of memory */
    size_t most;   /* limit of n; 0: none */
    size_t n_more; /* over the limit */
    bool is_usage; /* the command line or the sweep file is at fault: EXIT_USAGE */
};

void errlist_add(struct errlist *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void errlist_release(struct errlist *list);
bool errlist_has(const struct errlist *list, const char *text);

/* Append the message of err; errlist_add_usage() sets is_usage. Always -1. */
int errlist_add_err(struct errlist *list, const struct err *err);
int errlist_add_usage(struct errlist *list, const struct err *err);

/* Keep at most n more messages and count the rest. */
void errlist_limit(struct errlist *list, size_t n);
bool errlist_is_full(const struct errlist *list);

#endif
