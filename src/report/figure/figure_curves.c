/* SPDX-License-Identifier: BSD-3-Clause */
/* Learning curves of one configuration, the chosen one if it has any (a note says if it has none): the
 * mean and the range over its trials. A panel for each quantity, such as loss or accuracy, with a
 * line for each part of the data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { CURVES = 64, POINTS = 160, PANELS = 6 };

#define HEIGHT 110.0
#define GAP 14.0

/* Values of struct sweep_curve. */
enum { TRAIN_LOSS, VAL_LOSS, VAL_VALUE, MORE, LINES = MORE + SWEEP_CURVE_NAMES };

/* Parts of the data. Names that begin with none of them are of the first one. */
enum { VAL, TRAIN, STOP, PARTS };
static const char *const beginnings[PARTS] = {"val_", "train_", "stop_"};

static struct stroke pen_of(int part)
{
    const struct stroke pens[PARTS] = {
        [VAL] = {INK_BLUE, 1, PEN_SOLID},
        [TRAIN] = {INK_VERMILLION, 1, PEN_DASHED},
        [STOP] = {INK_GREEN, 1, PEN_SOLID},
    };

    return pens[part];
}

struct line {
    const char *name;     /* as reported */
    const char *quantity; /* what is behind the beginning of the name */
    int part;
    bool is_drawn;
    double mean[POINTS], low[POINTS], high[POINTS];
};

struct curves {
    struct canvas *canvas;
    const struct sweep_curve *list[CURVES];
    int32_t n;
    int32_t first, last;    /* epochs */
    int32_t epochs[POINTS]; /* [n_points] where the mean is drawn */
    int32_t n_points;
    struct line lines[LINES];
    struct axis_scale x;
};

struct curve_panel {
    int lines[LINES]; /* [n] the most important one last */
    int n;
    const char *name;
    double left, right, top;
    struct axis_scale y;
};

static const double *values_of(const struct sweep_curve *curve, int line)
{
    return line == TRAIN_LOSS  ? curve->train_loss
           : line == VAL_LOSS  ? curve->val_loss
           : line == VAL_VALUE ? curve->val_value
                               : curve->more[line - MORE];
}

/* Between the points that were kept; NaN: the training had ended. */
static double value_at(const struct sweep_curve *curve, int line, int32_t epoch)
{
    const double *values = values_of(curve, line);

    for (int32_t i = 0; values && i < curve->n; i++) {
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
static void average(struct curves *c, int number, int32_t point)
{
    struct line *line = &c->lines[number];
    struct value_range range = value_range_empty();
    double sum = 0;
    int32_t n = 0;

    for (int32_t i = 0; i < c->n; i++) {
        double value = value_at(c->list[i], number, c->epochs[point]);

        if (!isfinite(value))
            continue;
        value_range_add(&range, value);
        sum += value;
        n++;
    }
    line->mean[point] = 2 * n > c->n ? sum / n : NAN;
    line->low[point] = 2 * n > c->n ? range.low : NAN;
    line->high[point] = 2 * n > c->n ? range.high : NAN;
    line->is_drawn |= 2 * n > c->n;
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

static void name_line(struct line *line, const char *name)
{
    line->name = line->quantity = name;
    for (int part = 0; part < PARTS; part++) {
        size_t n = strlen(beginnings[part]);

        if (strncmp(name, beginnings[part], n) != 0 || !name[n])
            continue;
        line->part = part;
        line->quantity = name + n;
    }
}

static void collect(struct curves *c, const struct sweep_data *data)
{
    int64_t config = choose(data);
    int32_t span;

    for (int32_t i = 0; i < data->n_curves && c->n < CURVES; i++)
        if (data->curves[i].config == config && data->curves[i].n > 1) {
            const struct sweep_curve *curve = &data->curves[i];

            c->first = c->n && c->first < curve->epoch[0] ? c->first : curve->epoch[0];
            c->list[c->n++] = curve;
            if (curve->epoch[curve->n - 1] > c->last)
                c->last = curve->epoch[curve->n - 1];
        }
    name_line(&c->lines[TRAIN_LOSS], "train_loss");
    name_line(&c->lines[VAL_LOSS], "val_loss");
    name_line(&c->lines[VAL_VALUE], data->objective);
    for (int32_t i = 0; i < data->n_curve_names; i++)
        name_line(&c->lines[MORE + i], data->curve_names[i]);
    span = c->last - c->first;
    c->n_points = span < POINTS ? span + 1 : POINTS;
    for (int32_t i = 0; i < c->n_points; i++) {
        c->epochs[i] =
            c->first + (int32_t)((int64_t)i * span / (c->n_points > 1 ? c->n_points - 1 : 1));
        for (int line = 0; line < MORE + data->n_curve_names; line++)
            average(c, line, i);
    }
}

/* ---- drawing ---- */

static double limited(const struct axis_scale *scale, double value)
{
    return fmax(fmin(scale->from, scale->to),
                fmin(scale_at(scale, value), fmax(scale->from, scale->to)));
}

static void draw_band(const struct curves *c, const struct curve_panel *panel,
                      const struct line *line, const struct axis_scale *x)
{
    int32_t n = 0;

    for (int32_t i = 0; i < c->n_points; i++)
        if (isfinite(line->mean[i]))
            (n++ ? canvas_to : canvas_move)(c->canvas, scale_at(x, c->epochs[i]),
                                            limited(&panel->y, line->high[i]));
    for (int32_t i = c->n_points - 1; i >= 0; i--)
        if (isfinite(line->mean[i]))
            canvas_to(c->canvas, scale_at(x, c->epochs[i]), limited(&panel->y, line->low[i]));
    if (n) {
        canvas_close(c->canvas);
        canvas_paint(c->canvas, ink_alpha(pen_of(line->part).ink, 0.18), NULL);
    }
}

static void draw_mean(const struct curves *c, const struct curve_panel *panel,
                      const struct line *line, const struct axis_scale *x)
{
    const struct stroke pen = pen_of(line->part);
    int32_t n = 0;

    for (int32_t i = 0; i < c->n_points; i++)
        if (isfinite(line->mean[i]))
            (n++ ? canvas_to : canvas_move)(c->canvas, scale_at(x, c->epochs[i]),
                                            limited(&panel->y, line->mean[i]));
    if (n)
        canvas_paint(c->canvas, INK_NONE, &pen);
}

/* A mark on the curve of each trial, at its best epoch. */
static void draw_best(const struct curves *c, const struct curve_panel *panel, int line,
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
    struct axis_scale x = c->x;

    x.from = panel->left;
    x.to = panel->right;
    plot_y_grid(c->canvas, &panel->y, panel->left, panel->right);
    plot_y_axis(c->canvas, &panel->y, panel->left, panel->name);
    plot_x_axis(c->canvas, &x, panel->top + HEIGHT, "Epoch");
    for (int i = 0; i < panel->n; i++)
        draw_band(c, panel, &c->lines[panel->lines[i]], &x);
    for (int i = 0; i < panel->n; i++)
        draw_mean(c, panel, &c->lines[panel->lines[i]], &x);
    draw_best(c, panel, panel->lines[panel->n - 1], &x);
}

/* Lines of one quantity share a panel. The objective, or else the validation part, is the last. */
static void add_lines(struct curve_panel *panel, const struct curves *c, const char *quantity)
{
    static const int parts[PARTS] = {STOP, TRAIN, VAL};

    for (int part = 0; part < PARTS; part++)
        for (int line = LINES - 1; line >= 0; line--)
            if (line != VAL_VALUE && c->lines[line].is_drawn &&
                c->lines[line].part == parts[part] && !strcmp(c->lines[line].quantity, quantity))
                panel->lines[panel->n++] = line;
    if (c->lines[VAL_VALUE].is_drawn && !strcmp(c->lines[VAL_VALUE].quantity, quantity))
        panel->lines[panel->n++] = VAL_VALUE;
}

/* Losses of the first epochs may be huge: a log scale then. */
static void scale_panel(struct curve_panel *panel, const struct curves *c)
{
    struct value_range range = value_range_empty();
    bool is_loss = !strcmp(c->lines[panel->lines[0]].quantity, "loss");

    for (int i = 0; i < panel->n; i++)
        for (int32_t point = 0; point < c->n_points; point++) {
            value_range_add(&range, c->lines[panel->lines[i]].low[point]);
            value_range_add(&range, c->lines[panel->lines[i]].high[point]);
        }
    scale_init(&panel->y, &range, 5, is_loss && range.low > 0 && range.high > 30 * range.low,
               panel->top + HEIGHT, panel->top);
    panel->left += plot_y_room(&panel->y, panel->name);
}

static bool has_panel(const struct curve_panel *panels, int n, const struct curves *c,
                      const char *quantity)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(c->lines[panels[i].lines[0]].quantity, quantity))
            return true;
    return false;
}

/* Two in a row: the loss, the objective, and what else a program reported. Returns their number. */
static int plan_panels(struct curve_panel panels[PANELS], const struct curves *c)
{
    int n = 0;

    for (int line = 0; line < LINES && n < PANELS; line++) {
        struct curve_panel *panel = &panels[n];
        const struct line *of = &c->lines[line];
        bool is_right = n % 2;

        if (!of->is_drawn || has_panel(panels, n, c, of->quantity))
            continue;
        *panel = (struct curve_panel){.left = is_right ? CANVAS_PAGE / 2 : PLOT_EDGE,
                                      .right = is_right ? CANVAS_PAGE - PLOT_EDGE - 8
                                                        : CANVAS_PAGE / 2 - GAP,
                                      .top = PLOT_EDGE + n / 2 * (HEIGHT + PLOT_X_ROOM + GAP)};
        add_lines(panel, c, of->quantity);
        panel->name = !strcmp(of->quantity, "loss") ? "Loss"
                      : panel->n > 1                ? of->quantity
                                                    : of->name;
        n++;
    }
    return n;
}

static bool has_part(const struct curves *c, int part)
{
    for (int line = 0; line < LINES; line++)
        if (c->lines[line].is_drawn && c->lines[line].part == part)
            return true;
    return false;
}

/* The names of a program need not begin with a part. */
static bool has_other_names(const struct curves *c)
{
    for (int line = 0; line < LINES; line++)
        if (c->lines[line].is_drawn && c->lines[line].quantity == c->lines[line].name)
            return true;
    return false;
}

static void draw_keys(const struct curves *c, bool of_program, double x, double y)
{
    const struct stroke best = {INK_TEXT, 0.5, PEN_SOLID};
    const char *words[PARTS] = {"validation, mean", "training, mean", "stop part, mean"};

    if (c->list[0]->is_stop)
        words[VAL] = words[STOP];
    if (of_program && has_other_names(c))
        words[VAL] = "mean";
    for (int part = 0; part < PARTS; part++) {
        const struct stroke pen = pen_of(part);

        if (has_part(c, part))
            x = plot_line_key(c->canvas, x, y, &pen, words[part]);
    }
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

/* False: the curves have no values. */
static bool draw(struct curves *c, const struct sweep_data *data)
{
    struct curve_panel panels[PANELS];
    int n = plan_panels(panels, c);
    double keys = PLOT_EDGE + (n + 1) / 2 * (HEIGHT + PLOT_X_ROOM + GAP) - GAP + 6;
    struct buf note = {0}, name = {0};

    if (!n)
        return false;
    for (int i = 0; i < n; i++) {
        if (panels[i].lines[0] == VAL_VALUE && c->list[0]->is_stop) {
            buf_printf(&name, "stop_%s", data->metric);
            panels[i].name = buf_text(&name);
        }
        scale_panel(&panels[i], c);
    }
    put_note(&note, data, c->list[0]);
    canvas_begin(c->canvas, CANVAS_PAGE,
                 keys + 10 +
                     plot_paragraph(NULL, 0, 0, CANVAS_PAGE - 2 * PLOT_EDGE, buf_text(&note)),
                 "Learning curves of a configuration");
    for (int i = 0; i < n; i++)
        draw_panel(c, &panels[i]);
    draw_keys(c, data->task == TASK_NONE, panels[0].left, keys);
    plot_paragraph(c->canvas, PLOT_EDGE, keys + 7, CANVAS_PAGE - 2 * PLOT_EDGE, buf_text(&note));
    c->canvas->failed |= buf_failed(&note) || buf_failed(&name);
    buf_release(&note);
    buf_release(&name);
    return true;
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
        is_drawn = draw(c, data);
    }
    free(c);
    return is_drawn;
}
