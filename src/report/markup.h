/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for papers and web pages: Markdown (GitHub's pipes, Pandoc's caption) and LaTeX (a table
 * environment with the rules of booktabs). Texts are escaped, so that every name appears as it
 * is. */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stdint.h>

#include "base/buf.h"
#include "report/layout.h"

enum markup_kind { MARKUP_MARKDOWN, MARKUP_LATEX, N_MARKUP };

/* Append a text on one line. The sign of a number in it is a minus (U+2212), not a hyphen. */
void markup_text(struct buf *out, enum markup_kind kind, const char *text);

/* Append a number as printf() writes it: "-0.12", "1e-05". */
void markup_number(struct buf *out, enum markup_kind kind, const char *number);

/* Append a table. caption: plain text, or NULL. columns: names are escaped; widths are those of source
 * that people can read; texts are aligned to the left, numbers to the right. cells: n_rows * n_cols escaped texts, each with its
 * NUL, row by row. */
void markup_table(struct buf *out, enum markup_kind kind, const char *caption,
                  const struct layout_column *columns, int32_t n_cols, const char *cells,
                  int64_t n_rows);

#endif
