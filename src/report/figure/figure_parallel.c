/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel coordinates: a line for each configuration from setting to setting to its score. The names
 * of the values stand in gaps of the lines. */
#include <math.h>

#include "base/words.h"
#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum {
    AXES = 8,
    TOP_LINES = 150, /* drawn of the top tenth */
    LINES = 200,     /* drawn of the others */
    NAMES = 12       /* values that have their names */
};

#define HEIGHT 150.0
#define TOP 20.0
#define SPREAD 5.0 /* of the lines of one value, best first */

struct parallel {
    struct canvas *canvas;
    const struct sweep_data *data;
    int32_t axes[AXES];
    int32_t n, n_all, n_top;
    double pitch;      /* from axis to axis */
    double half[AXES]; /* half the gap for names */
    const char *const *levels[AXES];
    struct arena memory;
    struct axis_scale score;
};

static double axis_x(const struct parallel *p, int32_t i)
{
    return PLOT_EDGE + p->pitch * (i + 0.5);
}

static void plan_axes(struct parallel *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        const struct sweep_axis *axis = &p->data->axes[p->axes[i]];
        double widest = 0;

        p->levels[i] = figure_levels(&p->memory, axis);
        for (int32_t level = 0; axis->n <= NAMES && level < axis->n; level++)
            widest = fmax(widest, text_points(p->levels[i][level], PLOT_SIZE));
        p->half[i] = fmin(widest + 4, 0.55 * p->pitch) / 2;
    }
}

/* Higher values are higher; a setting that does not apply is at the bottom. */
static double level_y(const struct parallel *p, int32_t axis, int32_t level)
{
    int32_t n = p->data->axes[axis].n;

    return TOP + HEIGHT * (level < 0 ? 1.09 : (n - 0.5 - level) / n);
}

static void add_line(const struct parallel *p, int32_t config)
{
    const int32_t *level = p->data->level + (size_t)config * (size_t)p->data->n_axes;
    double shift = SPREAD * ((double)config / p->data->n_scored - 0.5);
    double y = scale_at(&p->score, p->data->configs[config].mean);

    for (int32_t i = 0; i < p->n; i++) {
        double at = level_y(p, p->axes[i], level[p->axes[i]]) + shift;

        if (i)
            canvas_to(p->canvas, axis_x(p, i) - p->half[i], at);
        canvas_move(p->canvas, axis_x(p, i) + p->half[i], at);
    }
    canvas_to(p->canvas, axis_x(p, p->n), fmax(TOP, fmin(y, TOP + HEIGHT)));
}

/* At most `most` of the configurations from `first` on, evenly. */
static void draw_lines(const struct parallel *p, int32_t first, int32_t end, int32_t most,
                       const struct stroke *pen)
{
    int32_t n = end - first < most ? end - first : most;

    for (int32_t i = 0; i < n; i++)
        add_line(p, first + (int32_t)((int64_t)i * (end - first) / n));
    if (n > 0)
        canvas_paint(p->canvas, INK_NONE, pen);
}

static bool has_gap(const struct parallel *p, int32_t axis)
{
    for (int32_t i = 0; i < p->data->n_scored; i++)
        if (p->data->level[(size_t)i * (size_t)p->data->n_axes + (size_t)axis] < 0)
            return true;
    return false;
}

static void draw_axis(const struct parallel *p, int32_t i)
{
    const struct sweep_axis *axis = &p->data->axes[p->axes[i]];
    double x = axis_x(p, i);
    double behind = INFINITY;

    plot_cut(p->canvas, x, PLOT_EDGE + 5, ANCHOR_MIDDLE, p->pitch - 4, axis->name);
    if (has_gap(p, p->axes[i]))
        plot_text(p->canvas, x, level_y(p, p->axes[i], -1), ANCHOR_MIDDLE, "\xe2\x80\x93");
    for (int32_t level = 0; level < axis->n; level++) {
        double y = level_y(p, p->axes[i], level);

        if (axis->n > NAMES && level && level < axis->n - 1)
            continue;
        if (y > behind - PLOT_SIZE)
            continue;
        plot_cut(p->canvas, x, y, ANCHOR_MIDDLE, fmax(2 * p->half[i] - 2, 0.5 * p->pitch),
                 p->levels[i][level]);
        behind = y;
    }
}

static void put_note(struct buf *out, const struct parallel *p)
{
    int32_t others = p->data->n_scored - p->n_top;

    if (p->n_top > TOP_LINES || others > LINES)
        buf_printf(out, "%d of the top %d and %d of the other %d configurations are drawn. ",
                   p->n_top < TOP_LINES ? (int)p->n_top : TOP_LINES, (int)p->n_top,
                   others < LINES ? (int)others : LINES, (int)others);
    if (p->n < p->n_all)
        buf_printf(out, "Not shown: %d more setting%s. ", (int)(p->n_all - p->n),
                   plural(p->n_all - p->n));
}

static void draw(struct parallel *p)
{
    const struct stroke rest = {{INK_CURRENT, 0.15}, 0.8, PEN_SOLID};
    const struct stroke top = {ink_alpha(INK_BLUE, 0.8), 0.8, PEN_SOLID};
    const struct stroke best = {INK_VERMILLION, 1.4, PEN_SOLID};
    double y = TOP + HEIGHT * 1.12 + 8, x = PLOT_EDGE;
    struct buf note = {0};

    put_note(&note, p);
    canvas_begin(p->canvas, CANVAS_PAGE,
                 y + 8 + plot_paragraph(NULL, 0, 0, CANVAS_PAGE - 2 * PLOT_EDGE, buf_text(&note)),
                 "All settings and the objective of each configuration");
    draw_lines(p, p->n_top, p->data->n_scored, LINES, &rest);
    draw_lines(p, 1, p->n_top, TOP_LINES - 1, &top);
    draw_lines(p, 0, 1, 1, &best);
    for (int32_t i = 0; i < p->n; i++)
        draw_axis(p, i);
    plot_right_axis(p->canvas, &p->score, axis_x(p, p->n));
    plot_cut(p->canvas, axis_x(p, p->n), PLOT_EDGE + 5, ANCHOR_MIDDLE, p->pitch - 4,
             p->data->objective);
    x = plot_line_key(p->canvas, x, y, &best, "best");
    if (p->n_top > 1)
        x = plot_line_key(p->canvas, x, y, &top, "top 10 %");
    plot_line_key(p->canvas, x, y, &rest, "other configurations");
    plot_paragraph(p->canvas, PLOT_EDGE, y + 6, CANVAS_PAGE - 2 * PLOT_EDGE, buf_text(&note));
    buf_release(&note);
}

bool figure_parallel(struct canvas *canvas, const struct sweep_data *data)
{
    struct parallel p = {.canvas = canvas, .data = data};
    struct value_range range;

    p.n = figure_axes(p.axes, AXES, data);
    for (int32_t i = 0; i < data->n_axes; i++)
        p.n_all += data->axes[i].n > 1;
    if (!p.n || data->n_scored < 2)
        return false;
    p.n_top = (data->n_scored + 9) / 10;
    range = figure_scores(data);
    scale_init(&p.score, &range, 6, false, TOP + HEIGHT, TOP);
    /* Half a pitch is right of the last axis, or as much as its labels need. */
    p.pitch = fmin((CANVAS_PAGE - 2 * PLOT_EDGE) / (p.n + 1),
                   (CANVAS_PAGE - 2 * PLOT_EDGE - plot_y_room(&p.score, NULL)) / (p.n + 0.5));
    plan_axes(&p);
    draw(&p);
    arena_release(&p.memory);
    return true;
}
