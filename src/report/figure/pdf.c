/* SPDX-License-Identifier: BSD-3-Clause */
/* PDF by cairo: vectors, and text in embedded fonts. */
#include "config.h"

#include <stdlib.h>

#include "report/figure/canvas.h"

#ifdef HAVE_CAIRO

#include <cairo-pdf.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"

static cairo_status_t append(void *arg, const unsigned char *bytes, unsigned int n)
{
    struct canvas *canvas = arg;

    buf_add(canvas->out, bytes, n);
    return buf_failed(canvas->out) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

/* cairo refuses text that is not UTF-8. Owned by the caller; NULL: memory was short. */
static char *clean_copy(const char *text)
{
    char *copy = strdup(text);
    const char *bad;

    if (!copy)
        return NULL;
    escape_terminal(copy, false);
    while ((bad = escape_find_invalid(copy)))
        copy[bad - copy] = '?';
    return copy;
}

static void begin(struct canvas *canvas, double width, double height, const char *title)
{
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(append, canvas, width, height);
    char *copy = clean_copy(title);

    if (copy)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, copy);
    free(copy);
    canvas->surface = cairo_create(surface);
    cairo_surface_destroy(surface); /* the context keeps it */
}

static void end(struct canvas *canvas)
{
    cairo_t *cairo = canvas->surface;
    cairo_surface_t *surface = cairo_get_target(cairo);

    cairo_show_page(cairo);
    cairo_surface_finish(surface);
    canvas->failed = canvas->failed || cairo_status(cairo) || cairo_surface_status(surface);
    cairo_destroy(cairo);
    canvas->surface = NULL;
}

static void move(struct canvas *canvas, double x, double y)
{
    cairo_move_to(canvas->surface, x, y);
}

static void to(struct canvas *canvas, double x, double y)
{
    cairo_line_to(canvas->surface, x, y);
}

static void close_path(struct canvas *canvas)
{
    cairo_close_path(canvas->surface);
}

/* The text colour is black here. Its tints are opaque greys, which every printer shows alike. */
static void set_ink(cairo_t *cairo, struct ink ink)
{
    if (ink.rgb == INK_CURRENT)
        cairo_set_source_rgb(cairo, 1 - ink.alpha, 1 - ink.alpha, 1 - ink.alpha);
    else
        cairo_set_source_rgba(cairo, (ink.rgb >> 16 & 0xff) / 255.0, (ink.rgb >> 8 & 0xff) / 255.0,
                              (ink.rgb & 0xff) / 255.0, ink.alpha);
}

static void paint(struct canvas *canvas, struct ink fill, const struct stroke *pen)
{
    cairo_t *cairo = canvas->surface;
    const double dashes[] = {2.5, 2};
    bool is_round = pen && pen->kind == PEN_ROUND;

    if (fill.alpha > 0) {
        set_ink(cairo, fill);
        cairo_fill_preserve(cairo);
    }
    if (pen) {
        set_ink(cairo, pen->ink);
        cairo_set_line_width(cairo, pen->width);
        cairo_set_line_cap(cairo, is_round ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
        cairo_set_line_join(cairo, is_round ? CAIRO_LINE_JOIN_ROUND : CAIRO_LINE_JOIN_MITER);
        cairo_set_dash(cairo, dashes, pen->kind == PEN_DASHED ? 2 : 0, 0);
        cairo_stroke_preserve(cairo);
    }
    cairo_new_path(cairo);
}

static void rect(struct canvas *canvas, const double box[4], struct ink fill,
                 const struct stroke *pen)
{
    cairo_rectangle(canvas->surface, box[0], box[1], box[2], box[3]);
    paint(canvas, fill, pen);
}

static void circle(struct canvas *canvas, const double at[3], struct ink fill,
                   const struct stroke *pen)
{
    cairo_new_path(canvas->surface);
    cairo_arc(canvas->surface, at[0], at[1], at[2], 0, 2 * M_PI);
    paint(canvas, fill, pen);
}

static void put_text(struct canvas *canvas, double x, double y, const struct lettering *lettering,
                     const char *text)
{
    cairo_t *cairo = canvas->surface;
    cairo_text_extents_t extents;
    char *copy = clean_copy(text);

    if (!copy) {
        canvas->failed = true;
        return;
    }
    cairo_save(cairo);
    cairo_select_font_face(cairo, "Helvetica", CAIRO_FONT_SLANT_NORMAL,
                           lettering->is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, lettering->size);
    cairo_text_extents(cairo, copy, &extents);
    set_ink(cairo, lettering->ink);
    cairo_translate(cairo, x, y);
    if (lettering->is_upwards)
        cairo_rotate(cairo, -M_PI / 2);
    cairo_move_to(cairo, -extents.x_advance * lettering->anchor / 2, 0);
    cairo_show_text(cairo, copy);
    cairo_restore(cairo);
    cairo_new_path(cairo);
    free(copy);
}

static const struct canvas_format format = {begin, move,   to,       close_path, paint,
                                            rect,  circle, put_text, end};
const struct canvas_format *const canvas_pdf = &format;

#else

const struct canvas_format *const canvas_pdf = NULL;

#endif
