/* SPDX-License-Identifier: BSD-3-Clause */
/* Model types: the best configuration of each, paired fold by fold. */
#include <math.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { TYPES = 12 };

#define HEIGHT 140.0

struct types {
    struct canvas *canvas;
    const struct sweep_data *data;
    int32_t configs[TYPES]; /* the first of each type, best first */
    int32_t n;
    struct axis_scale y;
    double left, place;
};

static double value_of(const struct types *t, int32_t slot, int32_t i)
{
    return t->data->value[(size_t)slot * (size_t)t->data->n_configs + (size_t)t->configs[i]];
}

static void collect(struct types *t)
{
    for (int32_t i = 0; i < t->data->n_scored && t->n < TYPES; i++) {
        bool is_new = t->data->configs[i].type >= 0;

        for (int32_t k = 0; k < t->n; k++)
            is_new = is_new && t->data->configs[t->configs[k]].type != t->data->configs[i].type;
        if (is_new)
            t->configs[t->n++] = i;
    }
}

static double centre(const struct types *t, int32_t i)
{
    return t->left + (i + 0.5) * t->place;
}

/* One line a fold. Values of one type alone are dots. */
static void draw_folds(const struct types *t)
{
    const struct stroke line = {{INK_CURRENT, 0.3}, 0.6, PEN_SOLID};
    const struct stroke dots = {{INK_CURRENT, 0.5}, 2.4, PEN_ROUND};
    bool has_line = false, has_dot = false;

    for (int pass = 0; pass < 2; pass++) {
        for (int32_t slot = 0; slot < t->data->n_slots; slot++)
            for (int32_t i = 0; i < t->n; i++) {
                double value = value_of(t, slot, i);
                double before = i ? value_of(t, slot, i - 1) : NAN;

                if (!isfinite(value) || (!pass && !isfinite(before)))
                    continue;
                canvas_move(t->canvas, centre(t, pass ? i : i - 1),
                            scale_at(&t->y, pass ? value : before));
                canvas_to(t->canvas, centre(t, i), scale_at(&t->y, value));
                has_line = has_line || !pass;
                has_dot = has_dot || pass;
            }
        if (pass ? has_dot : has_line)
            canvas_paint(t->canvas, INK_NONE, pass ? &dots : &line);
    }
}

static void draw_means(const struct types *t)
{
    static const enum mark marks[] = {MARK_DIAMOND, MARK_SQUARE, MARK_TRIANGLE, MARK_CIRCLE};

    for (int32_t i = 0; i < t->n; i++) {
        const struct sweep_config *config = &t->data->configs[t->configs[i]];
        const struct stroke pen = {ink_series(i), 1.6, PEN_SOLID};
        double x = centre(t, i) + fmin(12, 0.25 * t->place), y = scale_at(&t->y, config->mean);
        struct buf text = {0};

        if (isfinite(config->se))
            canvas_line(t->canvas, x, scale_at(&t->y, config->mean - config->se), x,
                        scale_at(&t->y, config->mean + config->se), &pen);
        canvas_mark(t->canvas, marks[i % 4], x, y, 2.6, ink_series(i), NULL);
        buf_printf(&text, "c%lld: ", (long long)config->id);
        plot_put_fixed(&text, config->mean, plot_decimals((t->y.high - t->y.low) / 10));
        plot_cut(t->canvas, centre(t, i), PLOT_EDGE + HEIGHT + 8, ANCHOR_MIDDLE, t->place - 4,
                 t->data->types[config->type]);
        plot_note(t->canvas, centre(t, i), PLOT_EDGE + HEIGHT + 16, ANCHOR_MIDDLE, buf_text(&text));
        buf_release(&text);
    }
}

/* Means of different folds compare less well than lines. */
static bool is_uneven(const struct types *t)
{
    for (int32_t i = 0; i < t->n; i++)
        if (!t->data->configs[t->configs[i]].is_complete)
            return true;
    return false;
}

bool figure_types(struct canvas *canvas, const struct sweep_data *data)
{
    struct types t = {.canvas = canvas, .data = data};
    struct value_range range = value_range_empty();
    const double width = CANVAS_COLUMN;

    collect(&t);
    if (t.n < 2)
        return false;
    for (int32_t i = 0; i < t.n; i++) {
        value_range_add(&range, data->configs[t.configs[i]].mean);
        for (int32_t slot = 0; slot < data->n_slots; slot++)
            value_range_add(&range, value_of(&t, slot, i));
    }
    scale_init(&t.y, &range, 6, false, PLOT_EDGE + HEIGHT, PLOT_EDGE);
    t.left = PLOT_EDGE + plot_y_room(&t.y, data->objective);
    t.place = (width - PLOT_EDGE - t.left) / t.n;
    canvas_begin(canvas, width, PLOT_EDGE + HEIGHT + (is_uneven(&t) ? 43 : 34),
                 "Best configuration of each model type, fold by fold");
    plot_y_grid(canvas, &t.y, t.left, width - PLOT_EDGE);
    plot_y_axis(canvas, &t.y, t.left, data->objective);
    canvas_line(canvas, t.left, PLOT_EDGE + HEIGHT, width - PLOT_EDGE, PLOT_EDGE + HEIGHT,
                &PLOT_AXIS);
    draw_folds(&t);
    draw_means(&t);
    plot_note(canvas, t.left, PLOT_EDGE + HEIGHT + 27, ANCHOR_START,
              "A line joins the same fold. Marks: mean \xc2\xb1 one SE.");
    if (is_uneven(&t))
        plot_note(canvas, t.left, PLOT_EDGE + HEIGHT + 36, ANCHOR_START,
                  "Some folds have no score: compare by the lines.");
    return true;
}
