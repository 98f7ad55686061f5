/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are embedded in each page, made into page_assets.c at build time. */
#ifndef REPORT_PAGE_PAGE_ASSETS_H
#define REPORT_PAGE_PAGE_ASSETS_H

#include <stddef.h>

struct page_asset {
    const unsigned char *bytes;
    size_t n;           /* 0: built without it */
    const char *sha256; /* 64 hexadecimal digits, and 00 */
};

extern const struct page_asset page_css, page_js, page_d3, page_d3_licence;

#endif
