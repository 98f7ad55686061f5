/* Texts for JSON. Source: RFC 8259. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

/* A text in quotes, escaped. Bytes that are no UTF-8 stay what they are. */
void json_text(struct buf *out, const char *text);

#endif
