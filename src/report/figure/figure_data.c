/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the data: a small bar chart for each topic that counts something. */
#include <math.h>
#include <string.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { CHARTS = 9, BARS = 24, IN_ROW = 3 };

#define BAR 8.5
#define TITLE 13.0
#define GAP 14.0

struct chart {
    const char *title;
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
static const char *title_of(const char *topic)
{
    static const struct {
        const char *topic, *title;
    } topics[] = {{"class", "Samples of each class"},
                  {"target_bin", "Samples by observed value"},
                  {"degree", "Nodes by number of neighbours"},
                  {"group", "Samples of each group"},
                  {"marker", "Markers"},
                  {"part", "Samples of each part"}};

    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (!strcmp(topics[i].topic, topic))
            return topics[i].title;
    return NULL;
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
        struct chart chart = {.title = title_of(data->shown_facts[i].topic),
                              .facts = &data->shown_facts[i]};

        for (end = i; end < data->n_shown_facts &&
                      !strcmp(data->shown_facts[end].topic, data->shown_facts[i].topic);)
            end++;
        chart.n = end - i;
        measure(&chart, d->width);
        if (chart.title && chart.n > 1 && chart.largest > 0)
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

    plot_bold(d->canvas, x, y + 4, ANCHOR_START, chart->title);
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

static double chart_height(const struct chart *chart)
{
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
            draw_chart(&d, &d.charts[k], PLOT_EDGE + (k - i) * (d.width + GAP), height);
        height += row_height(&d, i);
    }
    return true;
}
