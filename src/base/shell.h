/* Words of commands that a person is to type. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/buf.h"

/* The name of a file as a word that a POSIX shell takes for it and a program for no option:
 * r.db, 'x;y.db', 'it'\''s.db', ./-r.db. out is cleared first and keeps the word, which is
 * returned; path itself where memory is short. */
const char *shell_path(struct buf *out, const char *path);

#endif
