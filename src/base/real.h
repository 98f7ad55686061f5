/* Decimal numbers as text. */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include "base/buf.h"

/* A finite decimal number and nothing else; -1 if it is not one. */
int real_parse(double *out, const char *text);
/* The shortest decimal that reads back the same. */
void real_format(struct buf *out, double value);

#endif
