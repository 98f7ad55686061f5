/* SPDX-License-Identifier: BSD-3-Clause */
/* Learning curves of one configuration, the chosen one if it has any (a note says if it has none): the
 * mean and the range over its trials. */
#include <math.h>
#include <stdlib.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { CURVES = 64, POINTS = 160 };

#define HEIGHT 110.0
#define GAP 14.0

/* Where a member of struct sweep_curve lies. */
enum line { TRAIN_LOSS, VAL_LOSS, VAL_VALUE, LINES };

struct curves {
    struct canvas *canvas;
    const struct sweep_curve *list[CURVES];
    int32_t n;
    int32_t last;           /* epoch */
    int32_t epochs[POINTS]; /* [n_points] where the mean is drawn */
    int32_t n_points;
    double mean[LINES][POINTS], low[LINES][POINTS], high[LINES][POINTS];
    struct axis_scale x;
};

struct curve_panel {
    enum line lines[2];
    int n;
    const char *name;
    double left, right;
    struct axis_scale y;
};

static const double *values_of(const struct sweep_curve *curve, enum line line)
{
    return line == TRAIN_LOSS ? curve->train_loss
           : line == VAL_LOSS ? curve->val_loss
                              : curve->val_value;
}

/* Between the points that were kept; NaN: the training had ended. */
static double value_at(const struct sweep_curve *curve, enum line line, int32_t epoch)
{
    const double *values = values_of(curve, line);

    for (int32_t i = 0; i < curve->n; i++) {
        if (curve->epoch[i] == epoch)
            return values[i];
        if (curve->epoch[i] > epoch && i) {
            double share =
                (double)(epoch - curve->epoch[i - 1]) / (curve->epoch[i] - curve->epoch[i - 1]);

            return values[i - 1] + share * (values[i] - values[i - 1]);
        }
    }
    return NAN;
}

/* The mean ends when half of the trials have ended: fewer trials would change it. */
static void average(struct curves *c, enum line line, int32_t point)
{
    struct value_range range = value_range_empty();
    double sum = 0;
    int32_t n = 0;

    for (int32_t i = 0; i < c->n; i++) {
        double value = value_at(c->list[i], line, c->epochs[point]);

        if (!isfinite(value))
            continue;
        value_range_add(&range, value);
        sum += value;
        n++;
    }
    c->mean[line][point] = 2 * n > c->n ? sum / n : NAN;
    c->low[line][point] = 2 * n > c->n ? range.low : NAN;
    c->high[line][point] = 2 * n > c->n ? range.high : NAN;
}

/* The chosen configuration; if it has no curve, the first one that has. 0: none. */
static int64_t choose(const struct sweep_data *data)
{
    int64_t first = 0;

    for (int32_t i = 0; i < data->n_curves; i++)
        if (data->curves[i].n > 1) {
            if (data->curves[i].config == data->chosen)
                return data->chosen;
            first = first ? first : data->curves[i].config;
        }
    return first;
}

static void collect(struct curves *c, const struct sweep_data *data)
{
    int64_t config = choose(data);

    for (int32_t i = 0; i < data->n_curves && c->n < CURVES; i++)
        if (data->curves[i].config == config && data->curves[i].n > 1) {
            const struct sweep_curve *curve = &data->curves[i];

            c->list[c->n++] = curve;
            if (curve->epoch[curve->n - 1] > c->last)
                c->last = curve->epoch[curve->n - 1];
        }
    c->n_points = c->last < POINTS ? c->last : POINTS;
    for (int32_t i = 0; i < c->n_points; i++) {
        c->epochs[i] =
            1 + (int32_t)((int64_t)i * (c->last - 1) / (c->n_points > 1 ? c->n_points - 1 : 1));
        for (int line = 0; line < LINES; line++)
            average(c, (enum line)line, i);
    }
}

/* ---- drawing ---- */

static double limited(const struct axis_scale *scale, double value)
{
    return fmax(fmin(scale->from, scale->to),
                fmin(scale_at(scale, value), fmax(scale->from, scale->to)));
}

static void draw_band(const struct curves *c, const struct curve_panel *panel, enum line line,
                      const struct axis_scale *x, struct ink ink)
{
    int32_t n = 0;

    for (int32_t i = 0; i < c->n_points; i++)
        if (isfinite(c->mean[line][i]))
            (n++ ? canvas_to : canvas_move)(c->canvas, scale_at(x, c->epochs[i]),
                                            limited(&panel->y, c->high[line][i]));
    for (int32_t i = c->n_points - 1; i >= 0; i--)
        if (isfinite(c->mean[line][i]))
            canvas_to(c->canvas, scale_at(x, c->epochs[i]), limited(&panel->y, c->low[line][i]));
    if (n) {
        canvas_close(c->canvas);
        canvas_paint(c->canvas, ink_alpha(ink, 0.18), NULL);
    }
}

static void draw_mean(const struct curves *c, const struct curve_panel *panel, enum line line,
                      const struct axis_scale *x, const struct stroke *pen)
{
    int32_t n = 0;

    for (int32_t i = 0; i < c->n_points; i++)
        if (isfinite(c->mean[line][i]))
            (n++ ? canvas_to : canvas_move)(c->canvas, scale_at(x, c->epochs[i]),
                                            limited(&panel->y, c->mean[line][i]));
    if (n)
        canvas_paint(c->canvas, INK_NONE, pen);
}

/* A mark on the curve of each trial, at its best epoch. */
static void draw_best(const struct curves *c, const struct curve_panel *panel, enum line line,
                      const struct axis_scale *x)
{
    const struct stroke pen = {INK_TEXT, 0.5, PEN_SOLID};

    for (int32_t i = 0; i < c->n; i++) {
        double value = value_at(c->list[i], line, c->list[i]->best);

        if (isfinite(value))
            canvas_mark(c->canvas, MARK_DIAMOND, scale_at(x, c->list[i]->best),
                        limited(&panel->y, value), 2, INK_NONE, &pen);
    }
}

static void draw_panel(const struct curves *c, const struct curve_panel *panel)
{
    const struct stroke pens[LINES] = {
        {INK_VERMILLION, 1, PEN_DASHED}, {INK_BLUE, 1, PEN_SOLID}, {INK_BLUE, 1, PEN_SOLID}};
    struct axis_scale x = c->x;

    x.from = panel->left;
    x.to = panel->right;
    plot_y_grid(c->canvas, &panel->y, panel->left, panel->right);
    plot_y_axis(c->canvas, &panel->y, panel->left, panel->name);
    plot_x_axis(c->canvas, &x, PLOT_EDGE + HEIGHT, "Epoch");
    for (int i = 0; i < panel->n; i++)
        draw_band(c, panel, panel->lines[i], &x, pens[panel->lines[i]].ink);
    for (int i = 0; i < panel->n; i++)
        draw_mean(c, panel, panel->lines[i], &x, &pens[panel->lines[i]]);
    draw_best(c, panel, panel->lines[panel->n - 1], &x);
}

/* Losses of the first epochs may be huge: a log scale then. False: no values. */
static bool plan_panel(struct curve_panel *panel, const struct curves *c)
{
    struct value_range range = value_range_empty();

    for (int line = 0; line < panel->n; line++)
        for (int32_t i = 0; i < c->n_points; i++) {
            value_range_add(&range, c->low[panel->lines[line]][i]);
            value_range_add(&range, c->high[panel->lines[line]][i]);
        }
    scale_init(&panel->y, &range, 5,
               panel->lines[0] == TRAIN_LOSS && range.low > 0 && range.high > 30 * range.low,
               PLOT_EDGE + HEIGHT, PLOT_EDGE);
    panel->left += plot_y_room(&panel->y, panel->name);
    return !range.is_empty;
}

static void draw_keys(const struct curves *c, const struct curve_panel *panel, double y)
{
    const struct stroke train = {INK_VERMILLION, 1, PEN_DASHED};
    const struct stroke val = {INK_BLUE, 1, PEN_SOLID};
    const struct stroke best = {INK_TEXT, 0.5, PEN_SOLID};
    double x = panel->left;

    x = plot_line_key(c->canvas, x, y, &val,
                      c->list[0]->is_stop ? "stop part, mean" : "validation, mean");
    x = plot_line_key(c->canvas, x, y, &train, "training, mean");
    if (c->n > 1) {
        canvas_rect(c->canvas, x, y - 3, 12, 6, ink_alpha(INK_BLUE, 0.18), NULL);
        plot_note(c->canvas, x + 15, y, ANCHOR_START, "smallest and largest trial");
        x += 25 + text_points("smallest and largest trial", PLOT_SMALL);
    }
    plot_key(c->canvas, x, y, MARK_DIAMOND, INK_NONE, &best, "best epoch of a trial");
    plot_notef(c->canvas, CANVAS_PAGE - PLOT_EDGE, y, ANCHOR_END, "c%lld, %d %s",
               (long long)c->list[0]->config, (int)c->n, c->n > 1 ? "trials" : "trial");
}

/* Whose the curves are: if not of the choice, and if not of the validation part. */
static void put_note(struct buf *out, const struct sweep_data *data,
                     const struct sweep_curve *curve)
{
    int32_t chosen = data->chosen ? sweep_data_find(data, data->chosen) : -1;
    int64_t config = curve->config;

    if (curve->is_stop)
        buf_puts(out, "The stop part chose the epoch: these values are not the scores on the "
                      "validation part. ");
    if (chosen < 0 || config == data->chosen)
        return;
    buf_printf(out,
               "The choice, c%lld (%s), has no learning curve: c%lld is the best configuration "
               "with one.",
               (long long)data->chosen,
               data->n_types ? data->types[data->configs[chosen].type] : "", (long long)config);
}

static void draw(struct curves *c, const struct sweep_data *data)
{
    double middle = CANVAS_PAGE / 2, keys = PLOT_EDGE + HEIGHT + PLOT_X_ROOM + 6;
    struct buf note = {0}, name = {0};
    struct curve_panel loss = {
        .lines = {TRAIN_LOSS, VAL_LOSS}, .n = 2, .name = "Loss", .left = PLOT_EDGE};
    struct curve_panel value = {
        .lines = {VAL_VALUE}, .n = 1, .name = data->objective, .left = middle};
    bool has_loss, has_value;

    if (c->list[0]->is_stop) {
        buf_printf(&name, "stop_%s", data->metric);
        value.name = buf_text(&name);
    }
    has_loss = plan_panel(&loss, c);
    has_value = plan_panel(&value, c);
    loss.right = middle - GAP;
    value.right = CANVAS_PAGE - PLOT_EDGE - 8;
    put_note(&note, data, c->list[0]);
    canvas_begin(c->canvas, CANVAS_PAGE,
                 keys + 10 +
                     plot_paragraph(NULL, 0, 0, CANVAS_PAGE - 2 * PLOT_EDGE, buf_text(&note)),
                 "Learning curves of a configuration");
    if (has_loss)
        draw_panel(c, &loss);
    if (has_value)
        draw_panel(c, &value);
    draw_keys(c, &loss, keys);
    plot_paragraph(c->canvas, PLOT_EDGE, keys + 7, CANVAS_PAGE - 2 * PLOT_EDGE, buf_text(&note));
    c->canvas->failed |= buf_failed(&note) || buf_failed(&name);
    buf_release(&note);
    buf_release(&name);
}

bool figure_curves(struct canvas *canvas, const struct sweep_data *data)
{
    struct curves *c = calloc(1, sizeof *c);
    struct value_range range = value_range_empty();
    bool is_drawn;

    if (!c) {
        canvas->failed = true;
        return false;
    }
    c->canvas = canvas;
    collect(c, data);
    is_drawn = c->n > 0 && c->last > 1;
    if (is_drawn) {
        value_range_add(&range, 0);
        value_range_add(&range, c->last);
        scale_init(&c->x, &range, 5, false, 0, 1);
        scale_crop(&c->x, 0, c->last);
        draw(c, data);
    }
    free(c);
    return is_drawn;
}
