/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/figure/canvas.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/text_width.h"

/* ---- inks ---- */

const struct ink INK_NONE = {0, 0};
const struct ink INK_TEXT = {INK_CURRENT, 1};
const struct ink INK_MUTED = {INK_CURRENT, 0.65};
const struct ink INK_GRID = {INK_CURRENT, 0.15};
const struct ink INK_FAINT = {INK_CURRENT, 0.06};
const struct ink INK_WHITE = {0xffffff, 1};
const struct ink INK_BLACK = {0x000000, 1};
const struct ink INK_BLUE = {0x0072b2, 1};
const struct ink INK_VERMILLION = {0xd55e00, 1};
const struct ink INK_GREEN = {0x009e73, 1};
const struct ink INK_ORANGE = {0xe69f00, 1};
const struct ink INK_SKY = {0x56b4e9, 1};
const struct ink INK_PURPLE = {0xcc79a7, 1};

struct ink ink_series(int64_t n)
{
    const struct ink *const list[] = {&INK_BLUE,   &INK_VERMILLION, &INK_GREEN,
                                      &INK_PURPLE, &INK_ORANGE,     &INK_SKY};

    return *list[n % (int64_t)(sizeof list / sizeof *list)];
}

struct ink ink_alpha(struct ink ink, double alpha)
{
    ink.alpha = alpha;
    return ink;
}

static int32_t blend(int32_t a, int32_t b, double share)
{
    int32_t out = 0;

    for (int shift = 0; shift < 24; shift += 8) {
        double from = a >> shift & 0xff;
        double to = b >> shift & 0xff;

        out |= (int32_t)lround(from + share * (to - from)) << shift;
    }
    return out;
}

struct ink ink_viridis(double share)
{
    static const int32_t points[] = {0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d,
                                     0x2c728e, 0x26828e, 0x21918c, 0x1fa088, 0x28ae80, 0x3fbc73,
                                     0x5ec962, 0x84d44b, 0xaddc30, 0xd8e219, 0xfde725};
    const int last = sizeof points / sizeof *points - 1;
    double at = (share > 0 ? fmin(share, 1) : 0) * last;
    int below = at < last ? (int)at : last - 1;

    return (struct ink){blend(points[below], points[below + 1], at - below), 1};
}

/* Source: relative luminance, WCAG 2.1. Both colours have the same contrast at 0.179. */
struct ink ink_on(struct ink ink)
{
    const double weights[] = {0.0722, 0.7152, 0.2126};
    double luminance = 0;

    for (int i = 0; i < 3; i++) {
        double c = (ink.rgb >> 8 * i & 0xff) / 255.0;

        luminance += weights[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return luminance > 0.179 ? INK_BLACK : INK_WHITE;
}

/* ---- texts ---- */

/* Advance widths of Helvetica in 1/1000 of the size, from blank to tilde.
 * Source: Adobe Core 14 AFM files, Helvetica.afm. */
static const int16_t advances[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584,
};

/* Return the bytes of the first character with its combining marks; its width in 1/1000. */
static size_t next_advance(int *advance, const char *text)
{
    unsigned char c = (unsigned char)*text;
    size_t n = text_prefix(text, 1);

    if (c >= ' ' && c <= '~')
        *advance = advances[c - ' '];
    else
        *advance = n ? 667 : 1000; /* a capital letter, or a wide East Asian character */
    if (!n)
        n = text_prefix(text, 2);
    return n ? n : 1;
}

double text_points(const char *text, double size)
{
    int64_t sum = 0;
    int advance;

    while (*text) {
        text += next_advance(&advance, text);
        sum += advance;
    }
    return size * (double)sum / 1000;
}

const char *text_fit(struct buf *out, const char *text, double size, double points)
{
    const char *at = text;
    double room = points * 1000 / size - 1000; /* less the ellipsis */
    int advance;

    if (text_points(text, size) <= points)
        return text;
    while (*at) {
        size_t n = next_advance(&advance, at);

        room -= advance;
        if (room < 0)
            break;
        at += n;
    }
    while (at > text && at[-1] == ' ')
        at--;
    buf_clear(out);
    buf_add(out, text, (size_t)(at - text));
    buf_puts(out, "\xe2\x80\xa6");
    return buf_text(out);
}

/* ---- drawing ---- */

static const struct canvas_format *format_of(enum canvas_kind kind)
{
    return kind == CANVAS_SVG ? &canvas_svg : canvas_pdf;
}

const char *canvas_extension(enum canvas_kind kind)
{
    return kind == CANVAS_SVG ? "svg" : "pdf";
}

bool canvas_has(enum canvas_kind kind)
{
    return format_of(kind) != NULL;
}

void canvas_init(struct canvas *canvas, enum canvas_kind kind, struct buf *out)
{
    *canvas = (struct canvas){.format = format_of(kind), .out = out};
    assert(canvas->format);
}

void canvas_begin(struct canvas *canvas, double width, double height, const char *title)
{
    canvas->is_begun = true;
    canvas->width = width;
    canvas->format->begin(canvas, width, height, title);
}

int canvas_end(struct canvas *canvas)
{
    bool failed;

    if (canvas->is_begun)
        canvas->format->end(canvas);
    failed = canvas->failed || buf_failed(&canvas->path) || buf_failed(canvas->out);
    buf_release(&canvas->path);
    return failed ? -1 : 0;
}

static double sane(double x)
{
    return isfinite(x) ? fmax(-1e5, fmin(x, 1e5)) : 0;
}

void canvas_move(struct canvas *canvas, double x, double y)
{
    canvas->format->move(canvas, sane(x), sane(y));
}

void canvas_to(struct canvas *canvas, double x, double y)
{
    canvas->format->to(canvas, sane(x), sane(y));
}

void canvas_close(struct canvas *canvas)
{
    canvas->format->close(canvas);
}

void canvas_paint(struct canvas *canvas, struct ink fill, const struct stroke *pen)
{
    canvas->format->paint(canvas, fill, pen);
}

void canvas_rect(struct canvas *canvas, double x, double y, double width, double height,
                 struct ink fill, const struct stroke *pen)
{
    const double box[4] = {sane(x), sane(y), fmax(sane(width), 0), fmax(sane(height), 0)};

    canvas->format->rect(canvas, box, fill, pen);
}

void canvas_line(struct canvas *canvas, double x1, double y1, double x2, double y2,
                 const struct stroke *pen)
{
    canvas_move(canvas, x1, y1);
    canvas_to(canvas, x2, y2);
    canvas_paint(canvas, INK_NONE, pen);
}

void canvas_text(struct canvas *canvas, double x, double y, const struct lettering *lettering,
                 const char *text)
{
    if (*text)
        canvas->format->text(canvas, sane(x), sane(y), lettering, text);
}

/* ---- marks ---- */

/* Corners of a mark of radius 1. Areas are close to that of the circle. */
static const struct {
    int n;
    double at[12][2];
} outlines[MARK_COUNT] = {
    [MARK_SQUARE] = {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
    [MARK_TRIANGLE] = {3, {{0, -1.3}, {1.2, 0.85}, {-1.2, 0.85}}},
    [MARK_DIAMOND] = {4, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}},
    [MARK_CROSS] = {12,
                    {{-0.35, -1.1},
                     {0.35, -1.1},
                     {0.35, -0.35},
                     {1.1, -0.35},
                     {1.1, 0.35},
                     {0.35, 0.35},
                     {0.35, 1.1},
                     {-0.35, 1.1},
                     {-0.35, 0.35},
                     {-1.1, 0.35},
                     {-1.1, -0.35},
                     {-0.35, -0.35}}},
};

void canvas_mark(struct canvas *canvas, enum mark mark, double x, double y, double radius,
                 struct ink fill, const struct stroke *pen)
{
    if (mark == MARK_CIRCLE) {
        const double circle[3] = {sane(x), sane(y), radius};

        canvas->format->circle(canvas, circle, fill, pen);
        return;
    }
    for (int i = 0; i < outlines[mark].n; i++) {
        const double *at = outlines[mark].at[i];

        (i ? canvas_to : canvas_move)(canvas, x + radius * at[0], y + radius * at[1]);
    }
    canvas_close(canvas);
    canvas_paint(canvas, fill, pen);
}
