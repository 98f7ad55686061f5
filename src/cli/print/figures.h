/* SPDX-License-Identifier: BSD-3-Clause */
/* The charts of a report page as files. The page draws them (report/page/script); a headless Chromium runs
 * its script, and rsvg-convert makes PDF of SVG. */
#ifndef CLI_PRINT_FIGURES_H
#define CLI_PRINT_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/outfile.h"

enum { FIGURES_MOST = 16 };

struct figure {
    char name[16];         /* of the panel */
    struct buf svg, pdf;   /* owned; pdf empty: there is no rsvg-convert */
    struct outfile out[2]; /* of each */
};

struct figures {
    int32_t n;
    struct figure of[FIGURES_MOST];
};

/* Draw the charts of a page. Takes seconds. -1 and err: there is no Chromium, or it failed; the message
 * says what to do. Pair with figures_release(), also after a failure. */
int figures_draw(struct figures *figures, const struct buf *page, struct err *err);

/* Write NAME.svg, and NAME.pdf where it is there, into a folder, which is made if it is missing. OUTFILE_NEW
 * refuses before it writes anything if one of the files exists. All are on the disk before the first one
 * gets its name, so a full disk leaves none. -1 and err: a file could not be written. */
int figures_save(struct figures *figures, const char *dir, enum outfile_mode mode, struct err *err);

void figures_release(struct figures *figures);

#endif
