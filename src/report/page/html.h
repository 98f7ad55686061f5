/* SPDX-License-Identifier: BSD-3-Clause */
/* HTML text and tables, written into a buffer. Everything that is not a tag is escaped. */
#ifndef REPORT_PAGE_HTML_H
#define REPORT_PAGE_HTML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Append formatted text, escaped. */
void html_printf(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append <TAG>formatted text</TAG>. */
void html_element(struct buf *out, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Rows of a table on a page; it reports how many were left out. */
enum { HTML_ROWS = 200 };

/* A folded table. Rows beyond HTML_ROWS are counted, and their cells ignored. */
struct html_table {
    struct buf *out; /* borrowed */
    int64_t n_rows;
};

/* Around long tables that paper does without: printed, a sentence stands in their place. */
void html_long_begin(struct buf *out);
void html_long_end(struct buf *out);

/* Begin a table in <details>. summary: what it lists. heads: as for html_table_heads(). Then add more
 * heads, rows and their cells from left to right. */
void html_table_begin(struct html_table *table, struct buf *out, const char *summary,
                      const char *heads);
void html_table_head(struct html_table *table, const char *name, bool is_number);
/* Several heads: "config|#place" is that of a text and that of a number. */
void html_table_heads(struct html_table *table, const char *heads);
void html_table_end(struct html_table *table);

/* config: the id of the configuration that the row is about, which is its first cell, "c12"; 0:
 * none. */
void html_row(struct html_table *table, int64_t config);
/* Append cells, one for each directive: %s a text; %d and %lld; %g four significant digits, empty
 * for NaN. */
void html_cells(struct html_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
