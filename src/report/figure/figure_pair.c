/* SPDX-License-Identifier: BSD-3-Clause */
/* Two axes: the heat map of the two settings that explain most of the variance. */
#include <math.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { LEVELS = 40 };

#define CELL 44.0 /* largest width of a cell */
#define ROW 16.0  /* largest height */

struct pair {
    struct canvas *canvas;
    const struct sweep_data *data;
    const struct sweep_axis *x, *y;
    int32_t axis_x, axis_y;
    double sum[LEVELS][LEVELS]; /* of means; row: level of y */
    int32_t n[LEVELS][LEVELS];
    struct value_range range;
    int decimals;
    double left, top, width, height;             /* of the map; of a cell */
    const char *const *names_x, *const *names_y; /* of the levels */
    struct arena memory;
};

static const int32_t *levels_of(const struct pair *p, int32_t config)
{
    return p->data->level + (size_t)config * (size_t)p->data->n_axes;
}

bool figure_pair_axes(int32_t pair[2], const struct sweep_data *data)
{
    return figure_axes(pair, 2, data) == 2;
}

/* A map of more levels has cells that nobody can tell apart. */
static bool choose(struct pair *p)
{
    int32_t pair[2];

    if (!figure_pair_axes(pair, p->data) || p->data->axes[pair[0]].n > LEVELS ||
        p->data->axes[pair[1]].n > LEVELS)
        return false;
    p->axis_x = pair[0];
    p->axis_y = pair[1];
    p->x = &p->data->axes[p->axis_x];
    p->y = &p->data->axes[p->axis_y];
    return true;
}

static bool add_up(struct pair *p)
{
    p->range = value_range_empty();
    for (int32_t i = 0; i < p->data->n_scored; i++) {
        int32_t x = levels_of(p, i)[p->axis_x];
        int32_t y = levels_of(p, i)[p->axis_y];

        if (x < 0 || y < 0 || !p->data->configs[i].is_complete ||
            !isfinite(p->data->configs[i].mean))
            continue;
        p->sum[y][x] += p->data->configs[i].mean;
        p->n[y][x]++;
    }
    for (int32_t y = 0; y < p->y->n; y++)
        for (int32_t x = 0; x < p->x->n; x++)
            if (p->n[y][x])
                value_range_add(&p->range, p->sum[y][x] / p->n[y][x]);
    p->decimals = plot_decimals(p->range.high - p->range.low);
    return !p->range.is_empty;
}

static void draw_cell(const struct pair *p, int32_t column, int32_t row)
{
    double x = p->left + column * p->width;
    double y = p->top + (p->y->n - 1 - row) * p->height;
    double value = p->n[row][column] ? p->sum[row][column] / p->n[row][column] : NAN;
    double room = p->range.high - p->range.low;
    struct ink ink = ink_viridis(room > 0 ? (value - p->range.low) / room : 0.5);
    struct lettering lettering = {PLOT_SMALL, ink_on(ink), ANCHOR_MIDDLE, false, false};
    struct buf text = {0};

    if (isnan(value)) {
        plot_note(p->canvas, x + p->width / 2, y + p->height / 2, ANCHOR_MIDDLE,
                  p->width > 4 ? "\xc3\x97" : "");
        return;
    }
    canvas_rect(p->canvas, x, y, p->width - 0.5, p->height - 0.5, ink, NULL);
    plot_put_fixed(&text, value, p->decimals);
    if (text_points(buf_text(&text), PLOT_SMALL) < p->width - 3 && p->height > PLOT_SMALL)
        canvas_text(p->canvas, x + p->width / 2, y + p->height / 2 + 0.34 * PLOT_SMALL, &lettering,
                    buf_text(&text));
    buf_release(&text);
}

static void draw_y_labels(const struct pair *p)
{
    int32_t every = (int32_t)ceil((PLOT_SIZE + 1) / p->height);

    for (int32_t i = 0; i < p->y->n; i += every)
        plot_cut(p->canvas, p->left - 4, p->top + (p->y->n - 0.5 - i) * p->height, ANCHOR_END,
                 p->left - PLOT_EDGE - PLOT_SIZE - 6, p->names_y[i]);
}

/* Frame the cell of the best configuration. */
static void draw_best(const struct pair *p)
{
    const struct stroke frame = {INK_VERMILLION, 1.4, PEN_SOLID};
    int32_t x = levels_of(p, 0)[p->axis_x];
    int32_t y = levels_of(p, 0)[p->axis_y];

    if (x >= 0 && y >= 0)
        canvas_rect(p->canvas, p->left + x * p->width - 0.25,
                    p->top + (p->y->n - 1 - y) * p->height - 0.25, p->width, p->height, INK_NONE,
                    &frame);
}

static bool is_edge(const struct pair *p, int32_t axis)
{
    int32_t level = levels_of(p, 0)[axis];
    int32_t n = p->data->axes[axis].n;

    return p->data->axes[axis].is_numeric && n > 2 && (level == 0 || level == n - 1);
}

/* False: a setting of the map does not apply to it. */
static bool has_best(const struct pair *p)
{
    return levels_of(p, 0)[p->axis_x] >= 0 && levels_of(p, 0)[p->axis_y] >= 0;
}

static bool has_empty(const struct pair *p)
{
    for (int32_t y = 0; y < p->y->n; y++)
        for (int32_t x = 0; x < p->x->n; x++)
            if (!p->n[y][x])
                return true;
    return false;
}

static void put_note(struct buf *out, const struct pair *p)
{
    bool x = is_edge(p, p->axis_x), y = is_edge(p, p->axis_y);

    buf_puts(out, "Each cell: mean of its complete configurations.");
    if (has_empty(p))
        buf_puts(out, " \xc3\x97: none.");
    if (!has_best(p)) {
        buf_printf(out, " The best configuration, c%lld, has no %s.", (long long)p->data->best,
                   levels_of(p, 0)[p->axis_x] < 0 ? p->x->name : p->y->name);
        return;
    }
    buf_printf(out, " Frame: the best configuration, c%lld", (long long)p->data->best);
    if (x || y)
        buf_printf(out, ", which lies at the edge of %s%s%s", x ? p->x->name : "",
                   x && y ? " and " : "", y ? p->y->name : "");
    buf_putc(out, '.');
}

static double widest_label(const struct pair *p)
{
    double widest = 0;

    for (int32_t i = 0; i < p->y->n; i++)
        widest = fmax(widest, text_points(p->names_y[i], PLOT_SIZE));
    return widest;
}

static void draw(struct pair *p)
{
    const struct lettering upwards = {PLOT_SIZE, INK_TEXT, ANCHOR_MIDDLE, false, true};
    const double width = CANVAS_COLUMN;
    double at[LEVELS], bottom;
    struct plot_labels labels;
    struct buf text = {0};

    p->names_x = figure_levels(&p->memory, p->x);
    p->names_y = figure_levels(&p->memory, p->y);
    p->left = PLOT_EDGE + PLOT_SIZE + 8 + fmin(widest_label(p), 60);
    p->top = PLOT_EDGE + 26;
    p->width = fmin((width - p->left - PLOT_EDGE) / p->x->n, CELL);
    p->height = fmax(fmin(200.0 / p->y->n, ROW), 4);
    for (int32_t i = 0; i < p->x->n; i++)
        at[i] = p->left + (i + 0.5) * p->width;
    plot_labels_init(&labels, p->names_x, at, p->x->n, p->x->is_numeric);
    bottom = p->top + p->y->n * p->height + labels.height;
    put_note(&text, p);
    canvas_begin(p->canvas, width,
                 bottom + 16 + plot_paragraph(NULL, 0, 0, width - 2 * PLOT_EDGE, buf_text(&text)),
                 "Objective for each pair of values of two settings");
    plot_colour_bar(p->canvas, p->left, PLOT_EDGE + 8, p->range.low, p->range.high,
                    p->data->objective);
    for (int32_t y = 0; y < p->y->n; y++)
        for (int32_t x = 0; x < p->x->n; x++)
            draw_cell(p, x, y);
    draw_best(p);
    draw_y_labels(p);
    plot_labels_draw(&labels, p->canvas, bottom - labels.height - 2);
    plot_cut(p->canvas, p->left + p->x->n * p->width / 2, bottom + 6, ANCHOR_MIDDLE,
             width - p->left, p->x->name);
    plot_paragraph(p->canvas, PLOT_EDGE, bottom + 13, width - 2 * PLOT_EDGE, buf_text(&text));
    canvas_text(p->canvas, PLOT_EDGE + PLOT_SIZE, p->top + p->y->n * p->height / 2, &upwards,
                text_fit(&text, p->y->name, PLOT_SIZE, fmax(p->y->n * p->height + 30, 60)));
    buf_release(&text);
}

bool figure_pair(struct canvas *canvas, const struct sweep_data *data)
{
    struct pair p = {.canvas = canvas, .data = data};

    if (!data->n_scored || !choose(&p) || !add_up(&p))
        return false;
    draw(&p);
    arena_release(&p.memory);
    return true;
}
