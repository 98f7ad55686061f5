/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts things for a message, and names the first three: `"a", "b", "c" ...`. */
#ifndef DATA_TEXT_EXAMPLES_H
#define DATA_TEXT_EXAMPLES_H

#include <stdint.h>

/* Zero-initialise to begin. */
struct examples {
    int64_t n;
    char text[800];
};

/* between: the examples, such as ", ". */
void examples_add(struct examples *e, const char *between, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
