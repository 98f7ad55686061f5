/* SPDX-License-Identifier: BSD-3-Clause */
/* The forest plot: a row for each of the first configurations, with the difference to the best on the
 * same folds, its corrected interval, and the folds. */
#include <math.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { ROWS = 30, COLUMNS = 12 };

#define ROW 10.5    /* height of a row */
#define COLUMN 58.0 /* widest column of settings */
#define IDS 46.0
#define MEANS 38.0
#define NUMBERS 92.0 /* the difference and its interval */
#define LEAST 150.0  /* width of the plot */
#define GAP 8.0

struct forest {
    struct canvas *canvas;
    const struct sweep_data *data;
    int32_t n, n_columns, n_axes;
    int32_t axes[COLUMNS];  /* settings, of which the first n_columns have a column */
    double at[COLUMNS + 1]; /* left ends of the columns; right end of the last */
    struct axis_scale x;
    double top;                         /* of the first row */
    const char *const *levels[COLUMNS]; /* names, for each of the axes */
    struct arena memory;
    int decimals;
};

/* The difference to the best, which is the first, on one fold; NaN: unknown. */
static double fold_difference(const struct sweep_data *data, int32_t slot, int32_t config)
{
    const double *row = data->value + (size_t)slot * (size_t)data->n_configs;

    return row[config] - row[0];
}

static double column_width(const struct sweep_axis *axis, const char *const *levels)
{
    double width = text_points(axis->name, PLOT_SIZE);

    for (int32_t i = 0; i < axis->n && width < COLUMN; i++)
        width = fmax(width, text_points(levels[i], PLOT_SIZE));
    return fmin(width, COLUMN) + GAP;
}

static void plan_columns(struct forest *f)
{
    double room = CANVAS_PAGE - 2 * PLOT_EDGE - IDS - MEANS - NUMBERS - LEAST;

    f->n_axes = figure_axes(f->axes, COLUMNS, f->data);
    f->at[0] = PLOT_EDGE + IDS + GAP;
    while (f->n_columns < f->n_axes) {
        const struct sweep_axis *axis = &f->data->axes[f->axes[f->n_columns]];
        double width;

        f->levels[f->n_columns] = figure_levels(&f->memory, axis);
        width = column_width(axis, f->levels[f->n_columns]);
        if (f->at[f->n_columns] + width > PLOT_EDGE + IDS + room)
            break;
        f->at[f->n_columns + 1] = f->at[f->n_columns] + width;
        f->n_columns++;
    }
}

/* "-0.012 [-0.034, 0.010]" */
static void put_interval(struct buf *out, const struct sweep_config *config, int decimals)
{
    buf_clear(out);
    plot_put_fixed(out, config->diff, decimals);
    if (!isfinite(config->low) || !isfinite(config->high))
        return;
    buf_puts(out, " [");
    plot_put_fixed(out, config->low, decimals);
    buf_puts(out, ", ");
    plot_put_fixed(out, config->high, decimals);
    buf_putc(out, ']');
}

/* Two digits of a typical interval, if their column has room. */
static void plan_decimals(struct forest *f, double half)
{
    struct buf text = {0};

    f->decimals = plot_decimals(half / 3);
    for (int32_t i = 1; i < f->n && f->decimals > 2; i++) {
        put_interval(&text, &f->data->configs[i], f->decimals);
        if (text_points(buf_text(&text), PLOT_SIZE) > NUMBERS - 6) {
            f->decimals--;
            i = 0;
        }
    }
    buf_release(&text);
}

/* Far ends of intervals and single folds may not squeeze the differences: they count up to the
 * width of all differences beyond them, or three times the median half interval. */
static void plan_scale(struct forest *f)
{
    struct value_range means = value_range_empty(), all;
    double half[ROWS], room = 0;
    int32_t n = 0;

    for (int32_t i = 0; i < f->n; i++) {
        const struct sweep_config *config = &f->data->configs[i];
        double width = (config->high - config->low) / 2;
        int32_t at = n;

        value_range_add(&means, config->diff);
        for (; isfinite(width) && at > 0 && half[at - 1] > width; at--)
            half[at] = half[at - 1];
        if (isfinite(width)) {
            half[at] = width;
            n++;
        }
    }
    value_range_add(&means, 0);
    room = fmax(means.high - means.low, n ? 3 * half[n / 2] : 0);
    all = means;
    for (int32_t i = 0; i < f->n; i++) {
        value_range_add(&all, fmax(f->data->configs[i].low, means.low - room));
        value_range_add(&all, fmin(f->data->configs[i].high, means.high + room));
        for (int32_t slot = 0; slot < f->data->n_slots; slot++) {
            double d = fold_difference(f->data, slot, i);

            value_range_add(&all,
                            isnan(d) ? d : fmax(means.low - room, fmin(d, means.high + room)));
        }
    }
    plan_decimals(f, n ? half[n / 2] : all.high - all.low);
    scale_init(&f->x, &all, 6, false, f->at[f->n_columns] + GAP,
               CANVAS_PAGE - PLOT_EDGE - NUMBERS - MEANS);
}

static double limited(const struct forest *f, double value)
{
    return fmax(f->x.from, fmin(scale_at(&f->x, value), f->x.to));
}

static void draw_header(const struct forest *f)
{
    double y = f->top - ROW / 2 - 1;

    plot_bold(f->canvas, PLOT_EDGE, y, ANCHOR_START, "Configuration");
    for (int32_t i = 0; i < f->n_columns; i++)
        plot_cut(f->canvas, f->at[i], y, ANCHOR_START, f->at[i + 1] - f->at[i] - GAP + 2,
                 f->data->axes[f->axes[i]].name);
    plot_text(f->canvas, CANVAS_PAGE - PLOT_EDGE - NUMBERS, y, ANCHOR_END, "Mean");
    plot_text(f->canvas, CANVAS_PAGE - PLOT_EDGE, y, ANCHOR_END, "Difference [95 %]");
    canvas_line(f->canvas, PLOT_EDGE, f->top, CANVAS_PAGE - PLOT_EDGE, f->top, &PLOT_AXIS);
}

static void draw_texts(const struct forest *f, int32_t i, double y)
{
    const struct sweep_config *config = &f->data->configs[i];
    const int32_t *level = f->data->level + (size_t)i * (size_t)f->data->n_axes;
    struct buf text = {0};

    buf_printf(&text, "c%lld", (long long)config->id);
    plot_text(f->canvas, PLOT_EDGE, y, ANCHOR_START, buf_text(&text));
    if (config->id == f->data->best || config->id == f->data->one_se)
        plot_note(f->canvas, PLOT_EDGE + text_points(buf_text(&text), PLOT_SIZE) + 4, y,
                  ANCHOR_START, config->id == f->data->best ? "best" : "1se");
    for (int32_t c = 0; c < f->n_columns; c++) {
        int32_t axis = f->axes[c];

        plot_cut(f->canvas, f->at[c], y, ANCHOR_START, f->at[c + 1] - f->at[c] - GAP + 1,
                 level[axis] < 0 ? "\xe2\x80\x93" : f->levels[c][level[axis]]);
    }
    buf_clear(&text);
    plot_put_fixed(&text, config->mean, f->decimals);
    plot_text(f->canvas, CANVAS_PAGE - PLOT_EDGE - NUMBERS, y, ANCHOR_END, buf_text(&text));
    put_interval(&text, config, f->decimals);
    if (i)
        plot_cut(f->canvas, CANVAS_PAGE - PLOT_EDGE, y, ANCHOR_END, NUMBERS - 6, buf_text(&text));
    buf_release(&text);
}

/* An end beyond the axis is an arrow. */
static void draw_interval(const struct forest *f, const struct sweep_config *config, double y)
{
    const struct stroke pen = {INK_BLUE, 1.1, PEN_SOLID};
    const double ends[2] = {config->low, config->high};

    if (!isfinite(config->low) || !isfinite(config->high))
        return;
    canvas_line(f->canvas, limited(f, config->low), y, limited(f, config->high), y, &pen);
    for (int i = 0; i < 2; i++) {
        double x = limited(f, ends[i]);
        double back = i ? -3 : 3;

        if (fabs(x - scale_at(&f->x, ends[i])) < 0.01)
            continue;
        canvas_move(f->canvas, x + back, y - 2);
        canvas_to(f->canvas, x, y);
        canvas_to(f->canvas, x + back, y + 2);
        canvas_paint(f->canvas, INK_NONE, &pen);
    }
}

static void draw_row(const struct forest *f, int32_t i, double y)
{
    const struct sweep_config *config = &f->data->configs[i];
    const struct stroke ring = {INK_TEXT, 0.6, PEN_SOLID};
    const struct stroke dots = {{INK_CURRENT, 0.4}, 1.9, PEN_ROUND};
    const struct stroke hollow = {i ? INK_BLUE : INK_VERMILLION, 0.8, PEN_SOLID};
    bool has_dots = false;

    draw_texts(f, i, y);
    for (int32_t slot = 0; i && slot < f->data->n_slots; slot++) {
        double d = fold_difference(f->data, slot, i);

        if (!isfinite(d))
            continue;
        canvas_move(f->canvas, limited(f, d), y + 3);
        canvas_to(f->canvas, limited(f, d), y + 3);
        has_dots = true;
    }
    if (has_dots)
        canvas_paint(f->canvas, INK_NONE, &dots);
    draw_interval(f, config, y);
    if (!isfinite(config->diff))
        return;
    canvas_mark(f->canvas, i ? MARK_SQUARE : MARK_DIAMOND, limited(f, config->diff), y, 2,
                !config->is_complete ? INK_WHITE
                : i                  ? INK_BLUE
                                     : INK_VERMILLION,
                config->is_complete ? NULL : &hollow);
    if (config->within == 1)
        canvas_mark(f->canvas, MARK_CIRCLE, limited(f, config->diff), y, 4, INK_NONE, &ring);
}

static void draw_keys(const struct forest *f, double y)
{
    const struct stroke ring = {INK_TEXT, 0.6, PEN_SOLID};
    const struct stroke line = {INK_BLUE, 1.1, PEN_SOLID};
    const struct stroke hollow = {INK_BLUE, 0.8, PEN_SOLID};
    bool of_program = f->data->task == TASK_NONE; /* which may have no folds */
    bool is_corrected = f->data->share > 0 || !of_program;
    const char *one = of_program ? "one trial" : "one fold";
    double x = PLOT_EDGE;

    x = plot_key(f->canvas, x, y, MARK_DIAMOND, INK_VERMILLION, NULL, "best");
    x = plot_key(f->canvas, x, y, MARK_SQUARE, INK_BLUE, NULL,
                 of_program ? "mean difference to it" : "mean difference on the same folds");
    x = plot_line_key(f->canvas, x, y, &line,
                      is_corrected ? "95 % interval, corrected" : "95 % interval");
    x = plot_key(f->canvas, x, y, MARK_CIRCLE, INK_NONE, &ring, "within one SE of the best");
    x += 2;
    canvas_mark(f->canvas, MARK_CIRCLE, x + 3, y, 0.95, INK_MUTED, NULL);
    plot_note(f->canvas, x + 8, y, ANCHOR_START, one);
    for (int32_t i = 0; i < f->n; i++)
        if (!f->data->configs[i].is_complete) {
            plot_key(f->canvas, x + 18 + text_points(one, PLOT_SMALL), y, MARK_SQUARE, INK_WHITE,
                     &hollow, "only some trials have a score");
            break;
        }
}

static void put_left_out(struct buf *out, const struct forest *f)
{
    if (f->n < f->data->n_scored)
        buf_printf(out, "The first %d of %d configurations. ", (int)f->n, (int)f->data->n_scored);
    if (f->n_columns < f->n_axes) {
        buf_puts(out, "Settings without a column: ");
        for (int32_t i = f->n_columns; i < f->n_axes; i++)
            buf_printf(out, "%s%s", i > f->n_columns ? ", " : "", f->data->axes[f->axes[i]].name);
        buf_putc(out, '.');
    }
}

bool figure_forest(struct canvas *canvas, const struct sweep_data *data)
{
    struct forest f = {.canvas = canvas, .data = data, .top = PLOT_EDGE + ROW + 4};
    const struct stroke zero = {INK_MUTED, 0.5, PEN_DASHED};
    struct buf note = {0}, name = {0};
    double bottom, height;

    f.n = data->n_scored < ROWS ? data->n_scored : ROWS;
    if (!f.n)
        return false;
    plan_columns(&f);
    plan_scale(&f);
    put_left_out(&note, &f);
    bottom = f.top + 3 + f.n * ROW;
    height = plot_paragraph(NULL, 0, 0, CANVAS_PAGE - 2 * PLOT_EDGE, buf_text(&note));
    canvas_begin(canvas, CANVAS_PAGE, bottom + PLOT_X_ROOM + 16 + height,
                 "Difference of each configuration to the best, with intervals");
    for (int32_t i = 0; i < f.n; i += 2)
        canvas_rect(canvas, PLOT_EDGE, f.top + 2 + i * ROW, CANVAS_PAGE - 2 * PLOT_EDGE, ROW,
                    ink_alpha(INK_TEXT, 0.045), NULL);
    canvas_line(canvas, scale_at(&f.x, 0), f.top, scale_at(&f.x, 0), bottom, &zero);
    draw_header(&f);
    for (int32_t i = 0; i < f.n; i++)
        draw_row(&f, i, f.top + 2 + (i + 0.5) * ROW);
    buf_printf(&name, "Difference in %s to the best", data->objective);
    plot_x_axis(canvas, &f.x, bottom, buf_text(&name));
    draw_keys(&f, bottom + PLOT_X_ROOM + 7);
    plot_paragraph(canvas, PLOT_EDGE, bottom + PLOT_X_ROOM + 13, CANVAS_PAGE - 2 * PLOT_EDGE,
                   buf_text(&note));
    buf_release(&note);
    buf_release(&name);
    arena_release(&f.memory);
    return true;
}
