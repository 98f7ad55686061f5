/* Texts for JSON. Source: RFC 8259. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

/* A text in quotes, escaped. Bytes that are no UTF-8 stay what they are. */
void json_text(struct buf *out, const char *text);

/* The same for output that may be shown on a terminal: whatever utf8_is_harmful() is escaped too.
 */
void json_shown(struct buf *out, const char *text);

#endif
