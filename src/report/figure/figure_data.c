/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the data: a small bar chart or histogram for each topic that counts something. */
#include <math.h>
#include <string.h>

#include "base/real.h"
#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { CHARTS = 9, BARS = 24, FEW = 8, IN_ROW = 3 };

#define BAR 8.5
#define TITLE 13.0
#define GAP 14.0
#define HISTOGRAM 90.0 /* height without title and axis */

struct topic {
    const char *topic, *title;
    const char *things, *values; /* axes of a histogram; NULL: names are no numbers */
    double middle;               /* of a bar, in bars from its number; a bin has its lower end */
};

struct chart {
    const struct topic *about;
    bool is_histogram;
    const struct sweep_fact *facts; /* [n] */
    int32_t n;
    double largest, sum, names; /* names: width of the widest */
};

struct data_figure {
    struct canvas *canvas;
    struct chart charts[CHARTS];
    int32_t n;
    double width; /* of a chart */
};

/* NULL: the topic is no list of counts. */
static const struct topic *topic_of(const char *topic)
{
    static const struct topic topics[] = {
        {"class", "Samples of each class", NULL, NULL, 0},
        {"target_bin", "Samples by observed value", "Samples", "Observed value", 0.5},
        {"degree", "Nodes by number of neighbours", "Nodes", "Neighbours", 0},
        {"group", "Samples of each group", NULL, NULL, 0},
        {"marker", "Markers", NULL, NULL, 0},
        {"part", "Samples of each part", NULL, NULL, 0}};

    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (!strcmp(topics[i].topic, topic))
            return &topics[i];
    return NULL;
}

/* Many bars, whose names are numbers that ascend in equal steps. */
static bool is_histogram(const struct chart *chart)
{
    double first, second, number;

    if (!chart->about || !chart->about->values || chart->n <= FEW ||
        real_parse(&first, chart->facts[0].label) || real_parse(&second, chart->facts[1].label) ||
        !(second > first))
        return false;
    for (int32_t i = 2; i < chart->n; i++)
        if (real_parse(&number, chart->facts[i].label) ||
            fabs(number - first - i * (second - first)) > 0.1 * (second - first))
            return false;
    return true;
}

static void measure(struct chart *chart, double width)
{
    for (int32_t i = 0; i < chart->n; i++) {
        double number = chart->facts[i].number;

        chart->sum += number > 0 && isfinite(number) ? number : 0;
        chart->largest = isfinite(number) ? fmax(chart->largest, number) : chart->largest;
        if (i < BARS)
            chart->names = fmax(chart->names, text_points(chart->facts[i].label, PLOT_SIZE));
    }
    chart->names = fmin(chart->names, 0.45 * width);
}

static void collect(struct data_figure *d, const struct sweep_data *data)
{
    for (int32_t i = 0, end; i < data->n_shown_facts && d->n < CHARTS; i = end) {
        struct chart chart = {.about = topic_of(data->shown_facts[i].topic),
                              .facts = &data->shown_facts[i]};

        for (end = i; end < data->n_shown_facts &&
                      !strcmp(data->shown_facts[end].topic, data->shown_facts[i].topic);)
            end++;
        chart.n = end - i;
        measure(&chart, d->width);
        chart.is_histogram = is_histogram(&chart);
        if (chart.about && chart.n > 1 && chart.largest > 0)
            d->charts[d->n++] = chart;
    }
}

static int32_t bars_of(const struct chart *chart)
{
    return chart->n < BARS ? chart->n : BARS;
}

/* Beside each bar its number. */
static void draw_chart(const struct data_figure *d, const struct chart *chart, double x, double y)
{
    double left = x + chart->names + 4, room = d->width - chart->names - 42;
    struct buf number = {0};

    plot_bold(d->canvas, x, y + 4, ANCHOR_START, chart->about->title);
    for (int32_t i = 0; i < bars_of(chart); i++) {
        double at = y + TITLE + (i + 0.5) * BAR;
        double width = fmax(0, room * chart->facts[i].number / chart->largest);

        plot_cut(d->canvas, left - 4, at, ANCHOR_END, chart->names, chart->facts[i].label);
        if (!isfinite(chart->facts[i].number))
            continue;
        canvas_rect(d->canvas, left, at - 2.8, width, 5.6, INK_BLUE, NULL);
        buf_clear(&number);
        if (*chart->facts[i].text)
            buf_puts(&number, chart->facts[i].text);
        else
            number_label(&number, chart->facts[i].number, 7);
        plot_note(d->canvas, left + width + 3, at, ANCHOR_START, buf_text(&number));
    }
    if (chart->n > BARS)
        plot_notef(d->canvas, x, y + TITLE + BARS * BAR + 5, ANCHOR_START, "and %d more",
                   (int)(chart->n - BARS));
    buf_release(&number);
}

static void draw_histogram(const struct data_figure *d, const struct chart *chart, double x,
                           double y)
{
    const struct sweep_fact *facts = chart->facts;
    double bottom = y + TITLE + HISTOGRAM, first = 0, second = 0, last, left, width;
    struct value_range range = value_range_empty();
    struct axis_scale across, up;

    real_parse(&first, facts[0].label);
    real_parse(&second, facts[1].label);
    last = first + (chart->n + chart->about->middle - 0.5) * (second - first);
    first += (chart->about->middle - 0.5) * (second - first);
    value_range_add(&range, 0);
    value_range_add(&range, chart->largest);
    scale_init(&up, &range, 5, false, bottom, y + TITLE);
    left = x + plot_y_room(&up, chart->about->things);
    range = value_range_empty();
    value_range_add(&range, first);
    value_range_add(&range, last);
    scale_init(&across, &range, 5, false, left, x + d->width - 8);
    scale_crop(&across, first, last);
    width = (across.to - across.from) / chart->n;
    plot_bold(d->canvas, x, y + 4, ANCHOR_START, chart->about->title);
    plot_y_grid(d->canvas, &up, across.from, across.to);
    for (int32_t i = 0; i < chart->n; i++)
        if (facts[i].number > 0)
            canvas_rect(d->canvas, across.from + i * width, scale_at(&up, facts[i].number),
                        fmax(width - 0.5, 0.5), bottom - scale_at(&up, facts[i].number), INK_BLUE,
                        NULL);
    plot_y_axis(d->canvas, &up, left, chart->about->things);
    plot_x_axis(d->canvas, &across, bottom, chart->about->values);
}

static double chart_height(const struct chart *chart)
{
    if (chart->is_histogram)
        return TITLE + HISTOGRAM + PLOT_X_ROOM + GAP;
    return TITLE + bars_of(chart) * BAR + (chart->n > BARS ? 10 : 0) + GAP;
}

/* The height of a row of charts from the i-th on. */
static double row_height(const struct data_figure *d, int32_t i)
{
    double height = 0;

    for (int32_t k = i; k < d->n && k < i + IN_ROW; k++)
        height = fmax(height, chart_height(&d->charts[k]));
    return height;
}

bool figure_data(struct canvas *canvas, const struct sweep_data *data)
{
    struct data_figure d = {.canvas = canvas};
    double height = 0;

    d.width = (CANVAS_PAGE - 2 * PLOT_EDGE - (IN_ROW - 1) * GAP) / IN_ROW;
    collect(&d, data);
    if (!d.n)
        return false;
    for (int32_t i = 0; i < d.n; i += IN_ROW)
        height += row_height(&d, i);
    canvas_begin(canvas, CANVAS_PAGE, height + PLOT_EDGE - GAP + 6, "Facts about the data");
    height = PLOT_EDGE;
    for (int32_t i = 0; i < d.n; i += IN_ROW) {
        for (int32_t k = i; k < d.n && k < i + IN_ROW; k++)
            (d.charts[k].is_histogram ? draw_histogram : draw_chart)(
                &d, &d.charts[k], PLOT_EDGE + (k - i) * (d.width + GAP), height);
        height += row_height(&d, i);
    }
    return true;
}
