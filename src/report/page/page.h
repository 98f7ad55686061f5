/* SPDX-License-Identifier: BSD-3-Clause */
/* report/page: one HTML file about a sweep, readable offline and without a script.
 *
 *   page.c     the document: head, panels, data for the script, scripts
 *   panel_*.c  what each panel shows without a script, and the data that only its chart needs
 *   script/    the interactive charts; script/basics.js explains their rules
 *   page.css   the style of the page
 *
 * The content security policy allows only the embedded scripts and style sheet, by their SHA-256,
 * and no network. Names from the database are escaped (escape_html(), escape_json_html()). */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "base/buf.h"
#include "base/err.h"
#include "report/sweep/sweep_data.h"

struct page {
    const struct sweep_data *data;
    const char *title;              /* NULL: the name of the sweep */
    const struct errlist *warnings; /* sentences, the most important first */
    const char *version;            /* of espalier */
    double made;                    /* Unix seconds */
};

/* Append advice that follows from what the page shows, and that which runs gave of the plan. */
void page_advise(struct errlist *warnings, const struct sweep_data *data);

/* Append the whole document. Check buf_failed(out) at the end. */
void page_put(struct buf *out, const struct page *page);

#endif
