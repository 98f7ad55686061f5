/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/figure/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TICK 2.5     /* length */
#define UPWARDS 60.0 /* longest label that is turned */

const struct stroke PLOT_AXIS = {{INK_CURRENT, 0.65}, 0.5, PEN_SOLID};
const struct stroke PLOT_GRID = {{INK_CURRENT, 0.15}, 0.4, PEN_SOLID};

/* Centres capitals and digits, which are 0.72 of the size high. */
static void put(struct canvas *canvas, double x, double y, struct lettering lettering,
                const char *text)
{
    double shift = 0.36 * lettering.size;

    if (lettering.is_upwards)
        canvas_text(canvas, x + shift, y, &lettering, text);
    else
        canvas_text(canvas, x, y + shift, &lettering, text);
}

void plot_text(struct canvas *canvas, double x, double y, enum anchor anchor, const char *text)
{
    put(canvas, x, y, (struct lettering){PLOT_SIZE, INK_TEXT, anchor, false, false}, text);
}

void plot_bold(struct canvas *canvas, double x, double y, enum anchor anchor, const char *text)
{
    put(canvas, x, y, (struct lettering){PLOT_SIZE, INK_TEXT, anchor, true, false}, text);
}

void plot_note(struct canvas *canvas, double x, double y, enum anchor anchor, const char *text)
{
    put(canvas, x, y, (struct lettering){PLOT_SMALL, INK_MUTED, anchor, false, false}, text);
}

void plot_notef(struct canvas *canvas, double x, double y, enum anchor anchor, const char *format,
                ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    plot_note(canvas, x, y, anchor, text);
}

void plot_cut(struct canvas *canvas, double x, double y, enum anchor anchor, double width,
              const char *text)
{
    struct buf cut = {0};

    plot_text(canvas, x, y, anchor, text_fit(&cut, text, PLOT_SIZE, width));
    buf_release(&cut);
}

double plot_paragraph(struct canvas *canvas, double x, double y, double width, const char *text)
{
    const double line = 1.25 * PLOT_SMALL;
    struct buf words = {0};
    double height = 0;

    while (*text) {
        size_t n = 0;

        while (text[n]) {
            size_t next = n + strspn(text + n, " ");

            next += strcspn(text + next, " ");
            buf_clear(&words);
            buf_add(&words, text, next);
            if (n && text_points(buf_text(&words), PLOT_SMALL) > width)
                break;
            n = next;
        }
        buf_clear(&words);
        buf_add(&words, text, n);
        if (canvas)
            plot_note(canvas, x, y + height + line / 2, ANCHOR_START, buf_text(&words));
        height += line;
        text += n + strspn(text + n, " ");
    }
    buf_release(&words);
    return height;
}

/* ---- axes ---- */

void plot_x_axis(struct canvas *canvas, const struct axis_scale *scale, double y, const char *name)
{
    double behind = -INFINITY;
    struct buf label = {0};

    canvas_line(canvas, scale->from, y, scale->to, y, &PLOT_AXIS);
    for (int i = 0; i < scale->n_ticks; i++) {
        double x = scale_at(scale, scale->ticks[i]);
        double half;

        buf_clear(&label);
        scale_label(&label, scale, scale->ticks[i]);
        half = text_points(buf_text(&label), PLOT_SIZE) / 2;
        canvas_line(canvas, x, y, x, y + TICK, &PLOT_AXIS);
        x = fmin(x, canvas->width - 1 - half); /* the last label stays on the page */
        if (x - half < behind)
            continue;
        plot_text(canvas, x, y + TICK + 5.5, ANCHOR_MIDDLE, buf_text(&label));
        behind = x + half + 4;
    }
    plot_cut(canvas, (scale->from + scale->to) / 2, y + TICK + 15, ANCHOR_MIDDLE,
             fabs(scale->to - scale->from) + 30, name);
    buf_release(&label);
}

static double widest_tick(const struct axis_scale *scale)
{
    struct buf label = {0};
    double widest = 0;

    for (int i = 0; i < scale->n_ticks; i++) {
        buf_clear(&label);
        scale_label(&label, scale, scale->ticks[i]);
        widest = fmax(widest, text_points(buf_text(&label), PLOT_SIZE));
    }
    buf_release(&label);
    return widest;
}

double plot_y_room(const struct axis_scale *scale, const char *name)
{
    return widest_tick(scale) + TICK + 2.5 + (name ? PLOT_SIZE + 4 : 0);
}

/* side: -1 for ticks to the left, 1 to the right. */
static void vertical_axis(struct canvas *canvas, const struct axis_scale *scale, double x, int side)
{
    struct buf label = {0};

    canvas_line(canvas, x, scale->from, x, scale->to, &PLOT_AXIS);
    for (int i = 0; i < scale->n_ticks; i++) {
        double y = scale_at(scale, scale->ticks[i]);

        buf_clear(&label);
        scale_label(&label, scale, scale->ticks[i]);
        canvas_line(canvas, x + side * TICK, y, x, y, &PLOT_AXIS);
        plot_text(canvas, x + side * (TICK + 2), y, side < 0 ? ANCHOR_END : ANCHOR_START,
                  buf_text(&label));
    }
    buf_release(&label);
}

void plot_right_axis(struct canvas *canvas, const struct axis_scale *scale, double x)
{
    vertical_axis(canvas, scale, x, 1);
}

void plot_y_axis(struct canvas *canvas, const struct axis_scale *scale, double x, const char *name)
{
    const struct lettering upwards = {PLOT_SIZE, INK_TEXT, ANCHOR_MIDDLE, false, true};
    struct buf label = {0};

    vertical_axis(canvas, scale, x, -1);
    if (name)
        put(canvas, x - plot_y_room(scale, name) + PLOT_SIZE / 2, (scale->from + scale->to) / 2,
            upwards, text_fit(&label, name, PLOT_SIZE, fabs(scale->to - scale->from) + 20));
    buf_release(&label);
}

void plot_y_grid(struct canvas *canvas, const struct axis_scale *scale, double left, double right)
{
    for (int i = 0; i < scale->n_ticks; i++) {
        double y = scale_at(scale, scale->ticks[i]);

        canvas_line(canvas, left, y, right, y, &PLOT_GRID);
    }
}

/* ---- labels ---- */

void plot_labels_init(struct plot_labels *labels, const char *const *text, const double *at,
                      int32_t n, bool may_skip)
{
    double widest = 0, place = INFINITY;

    *labels = (struct plot_labels){.text = text, .at = at, .n = n};
    for (int32_t i = 0; i < n; i++) {
        widest = fmax(widest, text_points(text[i], PLOT_SIZE));
        place = i ? fmin(place, at[i] - at[i - 1]) : place;
    }
    labels->is_upwards = !may_skip && widest > place - 3;
    labels->height = 4 + (labels->is_upwards ? fmin(widest, UPWARDS) : PLOT_SIZE);
}

void plot_labels_draw(const struct plot_labels *labels, struct canvas *canvas, double y)
{
    const struct lettering upwards = {PLOT_SIZE, INK_TEXT, ANCHOR_END, false, true};
    double behind = -INFINITY;
    struct buf cut = {0};

    for (int32_t i = 0; i < labels->n; i++) {
        double half =
            labels->is_upwards ? PLOT_SIZE / 2 : text_points(labels->text[i], PLOT_SIZE) / 2;

        if (labels->at[i] - half < behind)
            continue;
        if (labels->is_upwards)
            put(canvas, labels->at[i], y + 4, upwards,
                text_fit(&cut, labels->text[i], PLOT_SIZE, UPWARDS));
        else
            plot_text(canvas, labels->at[i], y + 4 + PLOT_SIZE / 2, ANCHOR_MIDDLE, labels->text[i]);
        behind = labels->at[i] + half + (labels->is_upwards ? 0.5 : 3);
    }
    buf_release(&cut);
}

/* ---- keys ---- */

double plot_key(struct canvas *canvas, double x, double y, enum mark mark, struct ink fill,
                const struct stroke *pen, const char *text)
{
    canvas_mark(canvas, mark, x + 3, y, 2.2, fill, pen);
    plot_note(canvas, x + 8, y, ANCHOR_START, text);
    return x + 8 + text_points(text, PLOT_SMALL) + 10;
}

double plot_line_key(struct canvas *canvas, double x, double y, const struct stroke *pen,
                     const char *text)
{
    canvas_line(canvas, x, y, x + 12, y, pen);
    plot_note(canvas, x + 15, y, ANCHOR_START, text);
    return x + 15 + text_points(text, PLOT_SMALL) + 10;
}

void plot_colour_bar(struct canvas *canvas, double x, double y, double low, double high,
                     const char *name)
{
    const int parts = 45;
    struct buf label = {0};
    int decimals = plot_decimals((high - low) / 4);

    for (int i = 0; i < parts; i++)
        canvas_rect(canvas, x + i * PLOT_BAR / parts, y,
                    PLOT_BAR / parts + (i + 1 < parts ? 0.3 : 0), 5, ink_viridis((i + 0.5) / parts),
                    NULL);
    plot_put_fixed(&label, low, decimals);
    plot_note(canvas, x, y + 9.5, ANCHOR_START, buf_text(&label));
    buf_clear(&label);
    plot_put_fixed(&label, high, decimals);
    plot_note(canvas, x + PLOT_BAR, y + 9.5, ANCHOR_END, buf_text(&label));
    buf_clear(&label);
    plot_note(canvas, x + PLOT_BAR / 2, y - 5, ANCHOR_MIDDLE, name);
    buf_release(&label);
}

/* ---- numbers ---- */

int plot_decimals(double spread)
{
    if (!isfinite(spread) || spread <= 0)
        return 3;
    return (int)fmax(0, fmin(6, 1 - floor(log10(spread))));
}

void plot_put_fixed(struct buf *out, double value, int decimals)
{
    char text[40];

    if (!isfinite(value))
        return;
    if (fabs(value) >= 1e7) {
        number_label(out, value, 3);
        return;
    }
    snprintf(text, sizeof text, "%.*f", decimals, value);
    if (*text == '-' && strspn(text, "-0.") == strlen(text))
        memmove(text, text + 1, strlen(text)); /* -0.000 */
    buf_puts(out, *text == '-' ? "\xe2\x88\x92" : "");
    buf_puts(out, text + (*text == '-'));
}
