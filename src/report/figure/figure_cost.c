/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost: the score against the seconds and the floating-point operations of a trial. */
#include <math.h>
#include <stddef.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

#define TOP 8.0 /* room for marks */
#define HEIGHT 130.0
#define GAP 14.0

struct cost_panel {
    struct canvas *canvas;
    const struct sweep_data *data;
    size_t cost; /* offset in struct sweep_config */
    const char *name;
    const int32_t *front; /* [n_front] */
    int32_t n_front;
    struct axis_scale x, y;
};

static double cost_of(const struct cost_panel *p, int32_t i)
{
    return *(const double *)((const char *)&p->data->configs[i] + p->cost);
}

/* Outliers lie at the end of the axis. */
static double score_y(const struct cost_panel *p, int32_t i)
{
    double y = scale_at(&p->y, p->data->configs[i].mean);

    return fmax(p->y.to, fmin(y, p->y.from));
}

static bool is_shown(const struct cost_panel *p, int32_t i)
{
    return isfinite(p->data->configs[i].mean) && cost_of(p, i) > 0;
}

static void draw_points(const struct cost_panel *p)
{
    bool is_many = p->data->n_scored > 500;
    const struct stroke dots = {ink_alpha(INK_BLUE, is_many ? 0.35 : 0.75), is_many ? 1.8 : 3,
                                PEN_ROUND};
    bool has_any = false;

    for (int32_t i = 0; i < p->data->n_scored; i++)
        if (is_shown(p, i)) {
            double x = scale_at(&p->x, cost_of(p, i));

            canvas_move(p->canvas, x, score_y(p, i));
            canvas_to(p->canvas, x, score_y(p, i));
            has_any = true;
        }
    if (has_any)
        canvas_paint(p->canvas, INK_NONE, &dots);
}

/* Steps from the cheapest to the best. */
static void draw_front(const struct cost_panel *p)
{
    const struct stroke line = {INK_TEXT, 0.8, PEN_SOLID};
    bool is_begun = false;
    double y = 0;

    for (int32_t i = 0; i < p->n_front; i++) {
        double x = scale_at(&p->x, cost_of(p, p->front[i]));

        if (!is_shown(p, p->front[i]))
            continue;
        if (is_begun)
            canvas_to(p->canvas, x, y);
        y = score_y(p, p->front[i]);
        (is_begun ? canvas_to : canvas_move)(p->canvas, x, y);
        is_begun = true;
    }
    if (is_begun)
        canvas_paint(p->canvas, INK_NONE, &line);
}

static void draw_choice(const struct cost_panel *p, int64_t id, enum mark mark, struct ink ink)
{
    const struct stroke pen = {ink, 1.2, PEN_SOLID};
    int32_t i = sweep_data_find(p->data, id);

    if (i >= 0 && is_shown(p, i))
        canvas_mark(p->canvas, mark, scale_at(&p->x, cost_of(p, i)), score_y(p, i), 3.5, INK_NONE,
                    &pen);
}

/* False: no configuration has this cost. */
static bool plan(struct cost_panel *p)
{
    struct value_range costs = value_range_empty(), scores = figure_scores(p->data);

    for (int32_t i = 0; i < p->data->n_scored; i++)
        if (is_shown(p, i))
            value_range_add(&costs, cost_of(p, i));
    scale_init(&p->x, &costs, 5, true, 0, 1);
    scale_init(&p->y, &scores, 6, false, TOP + HEIGHT, TOP);
    return !costs.is_empty;
}

static void draw_panel(struct cost_panel *p, double left, double right)
{
    p->x.from = left + plot_y_room(&p->y, p->data->objective);
    p->x.to = right;
    plot_y_grid(p->canvas, &p->y, p->x.from, p->x.to);
    plot_y_axis(p->canvas, &p->y, p->x.from, p->data->objective);
    plot_x_axis(p->canvas, &p->x, TOP + HEIGHT, p->name);
    draw_points(p);
    draw_front(p);
    draw_choice(p, p->data->best, MARK_DIAMOND, INK_VERMILLION);
    draw_choice(p, p->data->one_se, MARK_SQUARE, INK_GREEN);
}

/* Configurations that lie at the end of the axis. */
static int count_outliers(const struct sweep_data *data)
{
    struct value_range scores = figure_scores(data);
    int n = 0;

    for (int32_t i = 0; i < data->n_scored; i++)
        n += data->configs[i].mean < scores.low || data->configs[i].mean > scores.high;
    return n;
}

/* Two or three lines in a narrow figure. */
static void draw_keys(struct canvas *canvas, const struct sweep_data *data, double y,
                      bool is_narrow)
{
    const struct stroke front = {INK_TEXT, 0.8, PEN_SOLID};
    const struct stroke best = {INK_VERMILLION, 1.2, PEN_SOLID};
    const struct stroke one_se = {INK_GREEN, 1.2, PEN_SOLID};
    double x = PLOT_EDGE;

    x = plot_key(canvas, x, y, MARK_CIRCLE, ink_alpha(INK_BLUE, 0.75), NULL, "configuration");
    x = plot_key(canvas, x, y, MARK_DIAMOND, INK_NONE, &best, "best");
    if (data->one_se)
        x = plot_key(canvas, x, y, MARK_SQUARE, INK_NONE, &one_se, "choice of 1se");
    plot_line_key(canvas, is_narrow ? PLOT_EDGE : x, is_narrow ? y + 9 : y, &front,
                  "Pareto front: no other is cheaper and better");
    if (count_outliers(data))
        plot_notef(canvas, PLOT_EDGE, y + (is_narrow ? 18 : 9), ANCHOR_START,
                   "%d far from the others: drawn at the end of the axis", count_outliers(data));
}

bool figure_cost(struct canvas *canvas, const struct sweep_data *data)
{
    struct cost_panel panels[2] = {
        {.cost = offsetof(struct sweep_config, seconds), .name = "Seconds of a trial"},
        {.cost = offsetof(struct sweep_config, flops),
         .name = "Floating-point operations of a trial"},
    };
    bool has[2], is_narrow;
    double width, at = PLOT_EDGE;

    for (int i = 0; i < 2; i++) {
        panels[i].canvas = canvas;
        panels[i].data = data;
        panels[i].front = i ? data->pareto_flops : data->pareto_seconds;
        panels[i].n_front = i ? data->n_pareto_flops : data->n_pareto_seconds;
        has[i] = plan(&panels[i]);
    }
    is_narrow = !has[0] || !has[1];
    width = is_narrow ? CANVAS_COLUMN : CANVAS_PAGE;
    if (data->n_scored < 2 || (!has[0] && !has[1]))
        return false;
    canvas_begin(canvas, width,
                 TOP + HEIGHT + PLOT_X_ROOM + (is_narrow ? 24 : 14) +
                     (count_outliers(data) ? 9 : 0),
                 "Objective against the cost of a trial");
    for (int i = 0; i < 2; i++)
        if (has[i]) {
            double room = is_narrow ? width - 2 * PLOT_EDGE : (width - 2 * PLOT_EDGE - GAP) / 2;

            draw_panel(&panels[i], at, at + room - 6);
            at += room + GAP;
        }
    draw_keys(canvas, data, TOP + HEIGHT + PLOT_X_ROOM + 6, is_narrow);
    return true;
}
