/* SPDX-License-Identifier: BSD-3-Clause */
/* One axis at a time: a small plot for each setting, and the shares of the variance. */
#include <math.h>

#include "base/words.h"
#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { AXES = 12, IN_ROW = 3, BARS = 9 };

#define HEIGHT 74.0 /* of a plot's area */
#define TITLE 13.0
#define GAP 12.0  /* between plots */
#define CLOSE 5.0 /* numbers that would be closer get places of equal width */

struct axes_figure {
    struct canvas *canvas;
    const struct sweep_data *data;
    int32_t axes[AXES];
    int32_t n, n_all;
    struct axis_scale y;
    double left, width; /* of the first plot; of each */
    double *at[AXES];   /* [levels] points of the levels */
    struct plot_labels labels[AXES];
    double label_height;
    struct arena memory;
};

/* The points of the levels: numbers on a scale, or places of equal width. */
static void place_levels(double *at, const struct sweep_axis *axis, double left, double width)
{
    struct axis_scale scale = {.from = left + 0.08 * width, .to = left + 0.92 * width};
    bool is_close = !axis->is_numeric || axis->n < 2;

    if (!is_close) {
        scale.is_log = axis->is_log;
        scale.low = axis->number[0];
        scale.high = axis->number[axis->n - 1];
    }
    for (int32_t i = 0; !is_close && i < axis->n; i++) {
        at[i] = scale_at(&scale, axis->number[i]);
        is_close = !isfinite(at[i]) || (i && at[i] - at[i - 1] < CLOSE);
    }
    for (int32_t i = 0; is_close && i < axis->n; i++)
        at[i] = left + (i + 0.5) * width / axis->n;
}

static void plan_y(struct axes_figure *f)
{
    struct value_range range = value_range_empty(), ends;

    for (int32_t i = 0; i < f->n; i++)
        for (int32_t level = 0; level < f->data->axes[f->axes[i]].n; level++) {
            const struct sweep_marginal *m = &f->data->marginal[f->axes[i]][level];

            value_range_add(&range, m->mean);
            value_range_add(&range, m->best);
        }
    ends = range;
    for (int32_t i = 0; i < f->n; i++)
        for (int32_t level = 0; level < f->data->axes[f->axes[i]].n; level++) {
            const struct sweep_marginal *m = &f->data->marginal[f->axes[i]][level];
            double room = range.high - range.low;

            value_range_add(&ends, fmax(m->low, range.low - room));
            value_range_add(&ends, fmin(m->high, range.high + room));
        }
    scale_init(&f->y, &ends, 5, false, HEIGHT, 0);
}

static int plan(struct axes_figure *f)
{
    plan_y(f);
    f->left = PLOT_EDGE + plot_y_room(&f->y, f->data->objective);
    f->width = (CANVAS_PAGE - PLOT_EDGE - f->left - (IN_ROW - 1) * GAP) / IN_ROW;
    for (int32_t i = 0; i < f->n; i++) {
        const struct sweep_axis *axis = &f->data->axes[f->axes[i]];

        f->at[i] = arena_take(&f->memory, (size_t)axis->n, sizeof *f->at[i]);
        if (!f->at[i])
            return -1;
        place_levels(f->at[i], axis, f->left + (i % IN_ROW) * (f->width + GAP), f->width);
        plot_labels_init(&f->labels[i], figure_levels(&f->memory, axis), f->at[i], axis->n,
                         axis->is_numeric);
        f->label_height = fmax(f->label_height, f->labels[i].height);
    }
    return 0;
}

/* ---- drawing ---- */

/* Within the plot's area, whose top is at y. */
static double point_y(const struct axes_figure *f, double y, double value)
{
    return y + fmax(0, fmin(scale_at(&f->y, value), HEIGHT));
}

static void draw_levels(const struct axes_figure *f, int32_t i, double y)
{
    const struct sweep_axis *axis = &f->data->axes[f->axes[i]];
    const struct sweep_marginal *levels = f->data->marginal[f->axes[i]];
    const struct stroke line = {ink_alpha(INK_BLUE, 0.5), 0.8, PEN_SOLID};
    const struct stroke bar = {INK_BLUE, 1, PEN_SOLID};
    const struct stroke best = {INK_VERMILLION, 0.8, PEN_SOLID};
    bool is_begun = false;

    for (int32_t level = 0; axis->is_numeric && level < axis->n; level++)
        if (isfinite(levels[level].mean)) {
            (is_begun ? canvas_to : canvas_move)(f->canvas, f->at[i][level],
                                                 point_y(f, y, levels[level].mean));
            is_begun = true;
        }
    if (is_begun)
        canvas_paint(f->canvas, INK_NONE, &line);
    for (int32_t level = 0; level < axis->n; level++) {
        double x = f->at[i][level];
        const struct sweep_marginal *m = &levels[level];

        if (isfinite(m->low) && isfinite(m->high))
            canvas_line(f->canvas, x, point_y(f, y, m->low), x, point_y(f, y, m->high), &bar);
        if (isfinite(m->best))
            canvas_mark(f->canvas, MARK_TRIANGLE, x, point_y(f, y, m->best), 1.7, INK_NONE, &best);
        if (isfinite(m->mean))
            canvas_mark(f->canvas, MARK_CIRCLE, x, point_y(f, y, m->mean), 1.8, INK_BLUE, NULL);
    }
}

/* y: top of its area. */
static void draw_plot(const struct axes_figure *f, int32_t i, double y)
{
    const struct sweep_axis *axis = &f->data->axes[f->axes[i]];
    double x = f->left + (i % IN_ROW) * (f->width + GAP);
    double share = figure_share(f->data, f->axes[i]);
    struct axis_scale scale = f->y;
    struct plot_labels labels = f->labels[i];
    struct buf title = {0};

    scale.from += y;
    scale.to += y;
    buf_puts(&title, axis->name);
    if (*axis->unit)
        buf_printf(&title, " (%s)", axis->unit);
    plot_y_grid(f->canvas, &scale, x, x + f->width);
    if (i % IN_ROW == 0)
        plot_y_axis(f->canvas, &scale, x, f->data->objective);
    canvas_line(f->canvas, x, y + HEIGHT, x + f->width, y + HEIGHT, &PLOT_AXIS);
    for (int32_t level = 0; level < axis->n; level++)
        canvas_line(f->canvas, f->at[i][level], y + HEIGHT, f->at[i][level], y + HEIGHT + 2,
                    &PLOT_AXIS);
    plot_cut(f->canvas, x, y - 7, ANCHOR_START, f->width - 28, buf_text(&title));
    if (isfinite(share))
        plot_notef(f->canvas, x + f->width, y - 7, ANCHOR_END, "%.*f %%", share < 0.0995 ? 1 : 0,
                   100 * share);
    draw_levels(f, i, y);
    plot_labels_draw(&labels, f->canvas, y + HEIGHT);
    buf_release(&title);
}

static void name_effect(struct buf *out, const struct sweep_data *data,
                        const struct sweep_effect *effect)
{
    buf_clear(out);
    buf_puts(out, data->axes[effect->axis].name);
    if (effect->with >= 0)
        buf_printf(out, " \xc3\x97 %s", data->axes[effect->with].name);
}

/* The largest terms of the analysis of variance, in falling order; n: in, room; out. */
static void largest_effects(const struct sweep_effect **list, int32_t *n,
                            const struct sweep_effects *effects)
{
    int32_t most = *n;

    *n = 0;
    for (int32_t i = 0; i < effects->n; i++) {
        const struct sweep_effect *effect = &effects->of[i];
        int32_t at = *n;

        while (at > 0 && effect->share > list[at - 1]->share)
            at--;
        if (at >= most)
            continue;
        *n += *n < most;
        for (int32_t k = *n - 1; k > at; k--)
            list[k] = list[k - 1];
        list[at] = effect;
    }
}

static void draw_bar(const struct axes_figure *f, double x, double y, double width, struct ink ink,
                     double share, const char *name)
{
    plot_cut(f->canvas, x - 4, y, ANCHOR_END, x - PLOT_EDGE - 6, name);
    canvas_rect(f->canvas, x, y - 3, fmax(0.4, width * fmax(0, fmin(share, 1))), 6, ink, NULL);
    plot_notef(f->canvas, x + width * fmax(0, fmin(share, 1)) + 4, y, ANCHOR_START, "%.1f %%",
               100 * share);
}

/* Returns the height; canvas may be absent. y: top. */
static double draw_shares(const struct axes_figure *f, double y, bool is_drawn)
{
    const struct sweep_effects *effects = &f->data->effects;
    const struct sweep_effect *list[BARS];
    const double x = PLOT_EDGE + 150, width = CANVAS_PAGE - 2 * PLOT_EDGE - 190;
    int32_t n = BARS;
    struct buf name = {0};
    double shown = 0;

    if (!effects->is_complete)
        return 0;
    largest_effects(list, &n, effects);
    if (is_drawn)
        plot_text(f->canvas, PLOT_EDGE, y + 5, ANCHOR_START,
                  "Share of the variance between configurations");
    for (int32_t i = 0; i < n; i++) {
        name_effect(&name, f->data, list[i]);
        shown += list[i]->share;
        if (is_drawn)
            draw_bar(f, x, y + 18 + i * 9.5, width, INK_BLUE, list[i]->share, buf_text(&name));
    }
    if (is_drawn && effects->total > 0)
        draw_bar(f, x, y + 18 + n * 9.5, width, INK_MUTED, 1 - shown, "rest");
    buf_release(&name);
    return 18 + (n + 1) * 9.5;
}

static void draw_keys(const struct axes_figure *f, double y)
{
    const struct stroke bar = {INK_BLUE, 1, PEN_SOLID};
    const struct stroke best = {INK_VERMILLION, 0.8, PEN_SOLID};
    double x = f->left;

    x = plot_key(f->canvas, x, y, MARK_CIRCLE, INK_BLUE, NULL, "mean of the configurations");
    x = plot_line_key(f->canvas, x, y, &bar, "95 % comparison interval");
    plot_key(f->canvas, x, y, MARK_TRIANGLE, INK_NONE, &best, "best configuration");
}

static void put_left_out(struct buf *out, const struct axes_figure *f)
{
    if (f->n < f->n_all)
        buf_printf(out, "Not shown: %d more setting%s. ", (int)(f->n_all - f->n),
                   plural(f->n_all - f->n));
    if (!f->data->effects.is_complete)
        buf_printf(out, "Shares of the variance are not shown: %s.", f->data->effects.why);
}

static void draw(struct axes_figure *f)
{
    int32_t rows = (f->n + IN_ROW - 1) / IN_ROW;
    double row = TITLE + HEIGHT + f->label_height + 8;
    double keys = PLOT_EDGE + rows * row + 4;
    double shares = draw_shares(f, 0, false);
    struct buf note = {0};

    put_left_out(&note, f);
    canvas_begin(f->canvas, CANVAS_PAGE,
                 keys + 12 + shares +
                     plot_paragraph(NULL, 0, 0, CANVAS_PAGE - 2 * PLOT_EDGE, buf_text(&note)),
                 "Objective for each value of each setting");
    for (int32_t i = 0; i < f->n; i++)
        draw_plot(f, i, PLOT_EDGE + (i / IN_ROW) * row + TITLE);
    draw_keys(f, keys);
    draw_shares(f, keys + 10, true);
    plot_paragraph(f->canvas, PLOT_EDGE, keys + 8 + shares, CANVAS_PAGE - 2 * PLOT_EDGE,
                   buf_text(&note));
    buf_release(&note);
}

bool figure_axis(struct canvas *canvas, const struct sweep_data *data)
{
    struct axes_figure f = {.canvas = canvas, .data = data};
    bool is_drawn = false;

    f.n = figure_axes(f.axes, AXES, data);
    for (int32_t i = 0; i < data->n_axes; i++)
        f.n_all += data->axes[i].n > 1;
    if (f.n && data->n_scored && !plan(&f)) {
        draw(&f);
        is_drawn = true;
    } else if (f.n && data->n_scored) {
        canvas->failed = true;
    }
    arena_release(&f.memory);
    return is_drawn;
}
