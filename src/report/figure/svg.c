/* SPDX-License-Identifier: BSD-3-Clause */
/* SVG 1.1 (W3C 2011). The width and height are in points; one unit of viewBox is a point. */
#include <math.h>
#include <stdlib.h>

#include "base/escape.h"
#include "report/figure/canvas.h"

/* Hundredths of a point, without trailing zeros. Not printf(): the locale may have a decimal
 * comma. */
static void put_number(struct buf *out, double value)
{
    int64_t hundredths = llround(value * 100);
    int64_t rest = llabs(hundredths) % 100;

    buf_puts(out, hundredths < 0 ? "-" : "");
    buf_put_decimal(out, llabs(hundredths) / 100);
    if (rest) {
        buf_putc(out, '.');
        buf_putc(out, (char)('0' + rest / 10));
        if (rest % 10)
            buf_putc(out, (char)('0' + rest % 10));
    }
}

static void put_attribute(struct buf *out, const char *name, double value)
{
    buf_printf(out, " %s=\"", name);
    put_number(out, value);
    buf_putc(out, '"');
}

/* The figure states the fill and the size of most of its elements once. */
#define USUAL_SIZE 7.0

/* what: "fill" or "stroke". */
static void put_ink(struct buf *out, const char *what, struct ink ink)
{
    if (ink.alpha <= 0)
        buf_printf(out, " %s=\"none\"", what);
    else if (ink.rgb == INK_CURRENT)
        buf_puts(out, *what == 'f' ? "" : " stroke=\"currentColor\"");
    else
        buf_printf(out, " %s=\"#%06x\"", what, (unsigned int)ink.rgb);
    if (ink.alpha > 0 && ink.alpha < 1)
        put_attribute(out, *what == 'f' ? "fill-opacity" : "stroke-opacity", ink.alpha);
}

/* A line of its own has the opacity of the whole, so that crossings are no darker. */
static void put_style(struct buf *out, struct ink fill, const struct stroke *pen)
{
    put_ink(out, "fill", fill);
    if (!pen)
        return;
    if (fill.alpha <= 0 && pen->ink.alpha < 1) {
        put_attribute(out, "opacity", pen->ink.alpha);
        put_ink(out, "stroke", ink_alpha(pen->ink, 1));
    } else {
        put_ink(out, "stroke", pen->ink);
    }
    put_attribute(out, "stroke-width", pen->width);
    if (pen->kind == PEN_DASHED)
        buf_puts(out, " stroke-dasharray=\"2.5 2\"");
    if (pen->kind == PEN_ROUND)
        buf_puts(out, " stroke-linecap=\"round\" stroke-linejoin=\"round\"");
}

static void begin(struct canvas *canvas, double width, double height, const char *title)
{
    struct buf *out = canvas->out;

    buf_puts(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    put_number(out, width);
    buf_puts(out, "pt\" height=\"");
    put_number(out, height);
    buf_puts(out, "pt\" viewBox=\"0 0 ");
    put_number(out, width);
    buf_putc(out, ' ');
    put_number(out, height);
    buf_puts(out, "\" role=\"img\" fill=\"currentColor\" font-size=\"7\" font-family=\"Helvetica, "
                  "Arial, 'Liberation Sans', sans-serif\">\n"
                  "<title>");
    escape_html(out, title);
    buf_puts(out, "</title>\n");
}

static void end(struct canvas *canvas)
{
    buf_puts(canvas->out, "</svg>\n");
}

static void put_point(struct canvas *canvas, char verb, double x, double y)
{
    canvas->at[0] = x;
    canvas->at[1] = y;
    buf_putc(&canvas->path, verb);
    put_number(&canvas->path, x);
    buf_putc(&canvas->path, ' ');
    put_number(&canvas->path, y);
}

static void move(struct canvas *canvas, double x, double y)
{
    put_point(canvas, 'M', x, y);
}

/* A dot is a line of no length with round ends. */
static void to(struct canvas *canvas, double x, double y)
{
    if (x == canvas->at[0] && y == canvas->at[1])
        buf_puts(&canvas->path, "h0");
    else
        put_point(canvas, 'L', x, y);
}

static void close_path(struct canvas *canvas)
{
    buf_putc(&canvas->path, 'z');
}

static void paint(struct canvas *canvas, struct ink fill, const struct stroke *pen)
{
    buf_puts(canvas->out, "<path d=\"");
    buf_add(canvas->out, buf_text(&canvas->path), canvas->path.size);
    buf_putc(canvas->out, '"');
    put_style(canvas->out, fill, pen);
    buf_puts(canvas->out, "/>\n");
    canvas->failed = canvas->failed || buf_failed(&canvas->path);
    buf_clear(&canvas->path);
}

static void rect(struct canvas *canvas, const double box[4], struct ink fill,
                 const struct stroke *pen)
{
    buf_puts(canvas->out, "<rect");
    put_attribute(canvas->out, "x", box[0]);
    put_attribute(canvas->out, "y", box[1]);
    put_attribute(canvas->out, "width", box[2]);
    put_attribute(canvas->out, "height", box[3]);
    put_style(canvas->out, fill, pen);
    buf_puts(canvas->out, "/>\n");
}

static void circle(struct canvas *canvas, const double at[3], struct ink fill,
                   const struct stroke *pen)
{
    buf_puts(canvas->out, "<circle");
    put_attribute(canvas->out, "cx", at[0]);
    put_attribute(canvas->out, "cy", at[1]);
    put_attribute(canvas->out, "r", at[2]);
    put_style(canvas->out, fill, pen);
    buf_puts(canvas->out, "/>\n");
}

static void put_text(struct canvas *canvas, double x, double y, const struct lettering *lettering,
                     const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    struct buf *out = canvas->out;

    buf_puts(out, "<text");
    if (lettering->is_upwards) {
        buf_puts(out, " transform=\"translate(");
        put_number(out, x);
        buf_putc(out, ' ');
        put_number(out, y);
        buf_puts(out, ") rotate(-90)\"");
    } else {
        put_attribute(out, "x", x);
        put_attribute(out, "y", y);
    }
    if (lettering->size != USUAL_SIZE)
        put_attribute(out, "font-size", lettering->size);
    buf_puts(out, lettering->is_bold ? " font-weight=\"bold\"" : "");
    buf_puts(out, anchors[lettering->anchor]);
    put_ink(out, "fill", lettering->ink);
    buf_putc(out, '>');
    escape_html(out, text);
    buf_puts(out, "</text>\n");
}

const struct canvas_format canvas_svg = {begin, move,   to,       close_path, paint,
                                         rect,  circle, put_text, end};
