/* SPDX-License-Identifier: BSD-3-Clause */
/* A surface for static figures: lines, areas, marks and text, written as SVG or PDF into a buffer.
 *
 * Lengths are points (1/72 inch); x grows to the right, y downwards. Coordinates that are not
 * finite are drawn at 0, and those beyond +-10^5 are limited to it. Texts may come from any
 * database: they are escaped.
 *
 *   SVG  Presentation attributes only, for pages whose content security policy forbids style
 *        attributes. INK_TEXT is currentColor, which suits light and dark pages.
 *   PDF  By cairo, with embedded fonts. configure may have left it out (canvas_has()).
 *
 * Layout is the same in both, since text_points() knows the widths of Helvetica, which Arial,
 * Liberation Sans and Nimbus Sans share. */
#ifndef REPORT_FIGURE_CANVAS_H
#define REPORT_FIGURE_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define CANVAS_COLUMN 240.94 /* 85 mm, a column of a journal */
#define CANVAS_PAGE 510.24   /* 180 mm, its page */

/* rgb: 0xRRGGBB, or INK_CURRENT for the colour of the surrounding text. */
struct ink {
    int32_t rgb;
    double alpha;
};
#define INK_CURRENT -1

/* Colours: Okabe & Ito 2008, "Color Universal Design". */
extern const struct ink INK_NONE, INK_TEXT, INK_MUTED, INK_GRID, INK_FAINT, INK_WHITE, INK_BLACK;
extern const struct ink INK_BLUE, INK_VERMILLION, INK_GREEN, INK_ORANGE, INK_SKY, INK_PURPLE;

/* The n-th colour of a list, in turn. */
struct ink ink_series(int64_t n);
/* The same colour with this opacity. */
struct ink ink_alpha(struct ink ink, double alpha);
/* share: 0 to 1, from dark blue to yellow. Source: viridis of matplotlib (van der Walt & Smith
 * 2015), at 17 points, linear between. */
struct ink ink_viridis(double share);
/* Black or white, whichever is readable on the ink. */
struct ink ink_on(struct ink ink);

struct stroke {
    struct ink ink;
    double width;
    enum { PEN_SOLID, PEN_DASHED, PEN_ROUND } kind; /* PEN_ROUND: round ends */
};

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct lettering {
    double size;
    struct ink ink;
    enum anchor anchor;
    bool is_bold;
    bool is_upwards; /* turned by 90 degrees, to be read from the right */
};

enum mark { MARK_CIRCLE, MARK_SQUARE, MARK_TRIANGLE, MARK_DIAMOND, MARK_CROSS, MARK_COUNT };

enum canvas_kind { CANVAS_SVG, CANVAS_PDF, CANVAS_KINDS };

struct canvas_format;
struct canvas {
    const struct canvas_format *format;
    struct buf *out; /* borrowed */
    struct buf path; /* owned: SVG's path so far */
    double at[2];    /* its last point */
    void *surface;   /* owned: cairo's context */
    double width;    /* since canvas_begin() */
    bool is_begun;
    bool failed; /* cairo failed, or memory was short */
};

/* The name, such as "svg", of a kind of file. */
const char *canvas_extension(enum canvas_kind kind);
/* False if the program was built without the kind. */
bool canvas_has(enum canvas_kind kind);

/* Prepare a canvas. The figure calls canvas_begin() when it knows its size. */
void canvas_init(struct canvas *canvas, enum canvas_kind kind, struct buf *out);
/* Complete the file; do nothing if it was not begun. -1: memory was short, or cairo failed. */
int canvas_end(struct canvas *canvas);
/* title: for people who cannot see the figure. */
void canvas_begin(struct canvas *canvas, double width, double height, const char *title);

/* A path of lines. Painting ends it. */
void canvas_move(struct canvas *canvas, double x, double y);
void canvas_to(struct canvas *canvas, double x, double y);
void canvas_close(struct canvas *canvas);
/* fill, pen: or INK_NONE, NULL. */
void canvas_paint(struct canvas *canvas, struct ink fill, const struct stroke *pen);

void canvas_rect(struct canvas *canvas, double x, double y, double width, double height,
                 struct ink fill, const struct stroke *pen);
void canvas_line(struct canvas *canvas, double x1, double y1, double x2, double y2,
                 const struct stroke *pen);
/* A mark around (x, y). radius: half its height. */
void canvas_mark(struct canvas *canvas, enum mark mark, double x, double y, double radius,
                 struct ink fill, const struct stroke *pen);
/* y: of the baseline. */
void canvas_text(struct canvas *canvas, double x, double y, const struct lettering *lettering,
                 const char *text);

/* Width of a text in Helvetica. Bold is up to 8 % wider. */
double text_points(const char *text, double size);
/* Return the text, or its beginning with an ellipsis if it is wider than `points`. out: room for
 * that. */
const char *text_fit(struct buf *out, const char *text, double size, double points);

/* ---- for svg.c and pdf.c ---- */

struct canvas_format {
    void (*begin)(struct canvas *canvas, double width, double height, const char *title);
    void (*move)(struct canvas *canvas, double x, double y);
    void (*to)(struct canvas *canvas, double x, double y);
    void (*close)(struct canvas *canvas);
    void (*paint)(struct canvas *canvas, struct ink fill, const struct stroke *pen);
    void (*rect)(struct canvas *canvas, const double box[4], struct ink fill,
                 const struct stroke *pen); /* x, y, width, height */
    void (*circle)(struct canvas *canvas, const double circle[3], struct ink fill,
                   const struct stroke *pen); /* x, y, radius */
    void (*text)(struct canvas *canvas, double x, double y, const struct lettering *lettering,
                 const char *text);
    void (*end)(struct canvas *canvas);
};

extern const struct canvas_format canvas_svg;
extern const struct canvas_format *const canvas_pdf; /* NULL: built without cairo */

#endif
