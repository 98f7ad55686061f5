/* Answers of the store as text: aligned for people, csv and json for programs. Writes into a
 * buffer; cli/ prints it. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "store/store.h"

/* Columns as wide as their widest cell (in characters of UTF-8, not bytes), numbers to the right
 * with five significant digits, NULL as "-". No rows: the header alone. */
void report_text(struct buf *out, const struct table *table);

/* The first row as a record: a line for each column, its name before it; NULL is left out. */
void report_record(struct buf *out, const struct table *table);

/* RFC 4180 with LF line ends: quotes only where they are needed, NULL as nothing, reals as the
 * shortest decimal that reads back the same. */
void report_csv(struct buf *out, const struct table *table);

/* An array of objects in column order, one a line. Reals that JSON cannot hold (NaN, inf) are null.
 * A text cell that is JSON already (params) is a string here too. Source: RFC 8259. */
void report_json(struct buf *out, const struct table *table);

/* How well a session used its ranks: the row of QUERY_EFFICIENCY as one line without a line end,
 * "ranks were busy 97.1 % of the time; 1.9 % above the lower bound of 11.2 s (total / 2 ranks)".
 * Nothing where there is no row, or no time was measured. */
void report_efficiency(struct buf *out, const struct table *table);

/* By name: "table", "csv", "json" (asserted). */
void report_format(struct buf *out, const struct table *table, const char *format);

#endif
