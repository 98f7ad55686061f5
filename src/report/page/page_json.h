/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that the script of a page reads.
 *
 * One JSON object, columnar: config.mean is an array with an entry for each configuration. Reals
 * have six significant digits; null stands where there is no value. No text can end the <script>
 * element around it. format: 1, and a larger number after an incompatible change. */
#ifndef REPORT_PAGE_PAGE_JSON_H
#define REPORT_PAGE_PAGE_JSON_H

#include "report/page/page.h"

void page_json_put(struct buf *out, const struct page *page);

#endif
