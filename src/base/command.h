/* Another program's answer, waited for no longer than one is ready to. */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include "base/buf.h"

/* Run argv[0], looked up in PATH, with argv (ends with NULL; no shell), nothing on its standard
 * input, and append what it says on both outputs to out. Returns its exit status; -1: it is not
 * there, does not end within limit_s (it and its children are then killed), dies of a signal, or
 * says more than a megabyte. */
int command_read(struct buf *out, const char *const *argv, double limit_s);

#endif
