/* SPDX-License-Identifier: BSD-3-Clause */
/* What went wrong, for the person who must fix it.
 *
 * A function that can meet a fault of the user or of the machine takes `struct err *` as its last
 * argument, writes one line there and returns -1. Callers add context on the way up; only cli/
 * prints. A text is one line, harmless to terminals whatever it quotes (escape_terminal()). Texts
 * are lower case, name the place (file:line, key, id), say what was found and what is allowed, and
 * have no full stop. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err {
    char text[1024];
};

/* Write a message. Always returns -1, so that `return err_set(err, ...)` reads well.
 * A NULL err is allowed and keeps nothing. Too long a text is cut. */
int err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of a place in a file that was read: "PATH:PLACENUMBER: message". */
int err_vset_at(struct err *err, const char *path, const char *place, int64_t number,
                const char *format, va_list args) __attribute__((format(printf, 5, 0)));

/* Put "context: " before the message that is there. Always returns -1. */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shorthand for "out of memory (WHAT, BYTES bytes)". Always returns -1. */
int err_nomem(struct err *err, const char *what, size_t bytes);

/* The -1 in the open, so that compilers and analysers see that what follows a failure is not
 * reached. */
static inline int err_minus_one(void)
{
    return -1;
}
#define err_set(...) (err_set(__VA_ARGS__), err_minus_one())
#define err_wrap(...) (err_wrap(__VA_ARGS__), err_minus_one())
#define err_nomem(...) (err_nomem(__VA_ARGS__), err_minus_one())

/* A list of messages, for inputs whose faults are all reported at once.
 * Zero-initialise; errlist_release() takes a zeroed list too. */
struct errlist {
    char **text; /* [n] owned */
    size_t n;
    size_t n_lost; /* messages that did not fit in memory */
    size_t most;   /* messages that are kept; 0: all */
    size_t n_more; /* messages beyond that: only counted */
    bool is_usage; /* the command line or the sweep file is at fault: an exit status of its own */
};

void errlist_add(struct errlist *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void errlist_release(struct errlist *list);

/* Append the message of err, which is a fault of the machine or of the data, or one of usage: of the
 * command line or the sweep file. Both always return -1. */
int errlist_add_err(struct errlist *list, const struct err *err);
int errlist_add_usage(struct errlist *list, const struct err *err);

/* Keep at most n messages more, and count the others: a file of a million lines may have a fault in
 * each. */
void errlist_limit(struct errlist *list, size_t n);
bool errlist_is_full(const struct errlist *list);

#endif
