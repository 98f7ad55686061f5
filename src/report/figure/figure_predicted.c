/* SPDX-License-Identifier: BSD-3-Clause */
/* Out-of-fold predictions of the chosen configuration: predicted against observed values, or for
 * classes the confusion matrix, ROC curves and calibration. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { GROUPS = 6, CLASSES = 6, MATRIX = 24, BINS = 10, POINTS = 5000 };

#define HEIGHT 150.0
#define NAMES 44.0  /* widest name of a class */
#define VISIBLE 0.3 /* shorter steps of a curve are left out */
#define SMALL 118.0 /* side of each of the three plots for classes */

/* ---- regression ---- */

/* Source: Pearson's correlation coefficient. NaN: a constant, or fewer than two. */
static double correlation(const struct sweep_predictions *p)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    int32_t n = 0;

    for (int32_t i = 0; i < p->n; i++)
        if (isfinite(p->observed[i]) && isfinite(p->predicted[i])) {
            x += p->observed[i];
            y += p->predicted[i];
            n++;
        }
    for (int32_t i = 0; i < p->n; i++)
        if (isfinite(p->observed[i]) && isfinite(p->predicted[i])) {
            double a = p->observed[i] - x / n, b = p->predicted[i] - y / n;

            xx += a * a;
            yy += b * b;
            xy += a * b;
        }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

/* All points, or every k-th of many. */
static int32_t every(const struct sweep_predictions *p)
{
    return 1 + p->n / POINTS;
}

/* group: -1 for the samples without one. is_alone: all samples are one group. */
static void draw_group(struct canvas *canvas, const struct sweep_predictions *p, int32_t group,
                       bool is_alone, const struct axis_scale *x, const struct axis_scale *y)
{
    static const enum mark marks[] = {MARK_CIRCLE,  MARK_SQUARE, MARK_TRIANGLE,
                                      MARK_DIAMOND, MARK_CROSS,  MARK_CIRCLE};
    const struct stroke dots = {is_alone ? ink_alpha(INK_BLUE, 0.45) : INK_MUTED, 2.4, PEN_ROUND};
    bool has_any = false;

    for (int32_t i = 0; i < p->n; i += every(p)) {
        double at = scale_at(x, p->observed[i]), to = scale_at(y, p->predicted[i]);

        if (!isfinite(at) || !isfinite(to) || (!is_alone && p->group[i] != group))
            continue;
        if (is_alone || group < 0) {
            canvas_move(canvas, at, to);
            canvas_to(canvas, at, to);
            has_any = true;
        } else {
            canvas_mark(canvas, marks[group % GROUPS], at, to, 1.3,
                        ink_alpha(ink_series(group), 0.6), NULL);
        }
    }
    if (has_any)
        canvas_paint(canvas, INK_NONE, &dots);
}

static double draw_group_keys(struct canvas *canvas, const struct sweep_predictions *p, double y)
{
    static const enum mark marks[] = {MARK_CIRCLE,  MARK_SQUARE, MARK_TRIANGLE,
                                      MARK_DIAMOND, MARK_CROSS,  MARK_CIRCLE};
    double x = PLOT_EDGE;
    struct buf cut = {0};

    for (int32_t i = 0; i < p->n_groups; i++) {
        const char *name = text_fit(&cut, p->groups[i], PLOT_SMALL, 100);

        if (x > PLOT_EDGE && x + 10 + text_points(name, PLOT_SMALL) > CANVAS_COLUMN - PLOT_EDGE) {
            x = PLOT_EDGE;
            y += 9;
        }
        if (canvas)
            plot_key(canvas, x, y, marks[i % GROUPS], ink_series(i), NULL, name);
        x += 18 + text_points(name, PLOT_SMALL);
    }
    buf_release(&cut);
    return y;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Samples that were predicted, some of them in each replicate; 0: memory was short. */
static int32_t count_samples(const struct sweep_predictions *p)
{
    const char **ids = malloc((size_t)p->n * sizeof *ids);
    int32_t n = 0;

    if (!ids)
        return 0;
    memcpy(ids, p->id, (size_t)p->n * sizeof *ids);
    qsort(ids, (size_t)p->n, sizeof *ids, compare_texts);
    for (int32_t i = 0; i < p->n; i++)
        n += !i || strcmp(ids[i], ids[i - 1]) != 0;
    free(ids);
    return n;
}

static void put_number(struct canvas *canvas, const struct sweep_predictions *p, double x, double y)
{
    int32_t n = count_samples(p);

    canvas->failed |= !n;
    if (n == p->n) {
        plot_notef(canvas, x, y, ANCHOR_START, "n = %d", (int)p->n);
        return;
    }
    plot_notef(canvas, x, y, ANCHOR_START, "%d predictions", (int)p->n);
    plot_notef(canvas, x, y + 8, ANCHOR_START, "of %d samples", (int)n);
}

static void draw_regression(struct canvas *canvas, const struct sweep_data *data)
{
    const struct sweep_predictions *p = &data->predictions;
    const struct sweep_score *r = sweep_find_score(p, "pearson");
    const struct stroke identity = {INK_MUTED, 0.6, PEN_DASHED};
    bool is_alone = p->n_groups < 2 || p->n_groups > GROUPS;
    struct value_range range = value_range_empty();
    struct axis_scale x, y;
    double left, keys = PLOT_EDGE + HEIGHT + PLOT_X_ROOM + 6;

    for (int32_t i = 0; i < p->n; i++) {
        value_range_add(&range, p->observed[i]);
        value_range_add(&range, p->predicted[i]);
    }
    scale_init(&y, &range, 6, false, PLOT_EDGE + HEIGHT, PLOT_EDGE);
    left = PLOT_EDGE + plot_y_room(&y, "Predicted");
    x = y;
    x.from = left;
    x.to = left + HEIGHT;
    canvas_begin(canvas, CANVAS_COLUMN,
                 (is_alone ? keys - 6 : draw_group_keys(NULL, p, keys)) + PLOT_EDGE + 4,
                 "Predicted against observed values of the chosen configuration");
    plot_y_axis(canvas, &y, left, "Predicted");
    plot_x_axis(canvas, &x, PLOT_EDGE + HEIGHT, "Observed");
    canvas_line(canvas, x.from, y.from, x.to, y.to, &identity);
    for (int32_t i = -1; i < (is_alone ? 0 : p->n_groups); i++)
        draw_group(canvas, p, i, is_alone, &x, &y);
    plot_notef(canvas, x.to + 6, PLOT_EDGE + 5, ANCHOR_START, "c%lld", (long long)p->config);
    put_number(canvas, p, x.to + 6, PLOT_EDGE + 14);
    if (isfinite(correlation(p)))
        plot_notef(canvas, x.to + 6, PLOT_EDGE + 34, ANCHOR_START, "r = %.3f", correlation(p));
    if (r && r->folds > 1) {
        plot_note(canvas, x.to + 6, PLOT_EDGE + 46, ANCHOR_START, "r, mean of");
        plot_notef(canvas, x.to + 6, PLOT_EDGE + 54, ANCHOR_START, "%d %ss: %.3f", (int)r->folds,
                   sweep_part_word(data), r->mean);
    }
    plot_note(canvas, x.to + 6, PLOT_EDGE + 66, ANCHOR_START, "dashed:");
    plot_note(canvas, x.to + 6, PLOT_EDGE + 74, ANCHOR_START, "equal");
    if (every(p) > 1)
        plot_notef(canvas, x.to + 6, PLOT_EDGE + 86, ANCHOR_START, "1 in %d drawn", (int)every(p));
    if (!is_alone)
        draw_group_keys(canvas, p, keys);
}

/* ---- classes ---- */

static bool is_class(const struct sweep_predictions *p, double value)
{
    return value >= 0 && value < p->n_classes;
}

static void count_pairs(int64_t counts[MATRIX][MATRIX], const struct sweep_predictions *p)
{
    for (int32_t i = 0; i < p->n; i++)
        if (is_class(p, p->observed[i]) && is_class(p, p->predicted[i]))
            counts[(int)p->observed[i]][(int)p->predicted[i]]++;
}

/* Rows: observed classes; colours: shares of the row. */
static void draw_matrix(struct canvas *canvas, const struct sweep_predictions *p,
                        const struct plot_labels *labels, double left, double top)
{
    const struct lettering upwards = {PLOT_SIZE, INK_TEXT, ANCHOR_MIDDLE, false, true};
    double cell = SMALL / p->n_classes;
    int64_t counts[MATRIX][MATRIX] = {{0}};
    char text[32];

    count_pairs(counts, p);
    for (int32_t row = 0; row < p->n_classes; row++) {
        int64_t total = 0;

        for (int32_t i = 0; i < p->n_classes; i++)
            total += counts[row][i];
        if (cell > PLOT_SIZE || row == 0 || row == p->n_classes - 1)
            plot_cut(canvas, left - 3, top + (row + 0.5) * cell, ANCHOR_END, NAMES,
                     p->classes[row]);
        for (int32_t i = 0; i < p->n_classes; i++) {
            struct ink ink = ink_viridis(total ? (double)counts[row][i] / (double)total : 0);
            struct lettering lettering = {PLOT_SMALL, ink_on(ink), ANCHOR_MIDDLE, false, false};

            canvas_rect(canvas, left + i * cell, top + row * cell, cell - 0.5, cell - 0.5, ink,
                        NULL);
            snprintf(text, sizeof text, "%lld", (long long)counts[row][i]);
            if (text_points(text, PLOT_SMALL) < cell - 2)
                canvas_text(canvas, left + (i + 0.5) * cell,
                            top + (row + 0.5) * cell + 0.34 * PLOT_SMALL, &lettering, text);
        }
    }
    plot_labels_draw(labels, canvas, top + SMALL);
    plot_text(canvas, left + SMALL / 2, top + SMALL + labels->height + 6, ANCHOR_MIDDLE,
              "Predicted class");
    canvas_text(canvas, PLOT_EDGE + PLOT_SIZE, top + SMALL / 2, &upwards, "Observed class");
}

struct scored {
    double score;
    bool is_positive;
};

static int compare_scored(const void *a, const void *b)
{
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;

    return (x < y) - (x > y);
}

/* One class against the others, over all folds together. Returns the area; NaN: only one of both.
 * Source: Fawcett 2006, "An introduction to ROC analysis", algorithms 1 and 2. */
static double draw_roc(struct canvas *canvas, struct scored *list,
                       const struct sweep_predictions *p, int32_t class, const struct axis_scale *x,
                       const struct axis_scale *y, const struct stroke *pen)
{
    int64_t n_positive = 0, n = 0, hits = 0;
    double area = 0, drawn[2] = {x->from, y->from};

    for (int32_t i = 0; i < p->n; i++) {
        double score = p->score[(size_t)i * (size_t)p->n_classes + (size_t) class];

        if (!isfinite(score) || !is_class(p, p->observed[i]))
            continue;
        list[n++] = (struct scored){score, (int)p->observed[i] == class};
        n_positive += (int)p->observed[i] == class;
    }
    if (!n_positive || n_positive == n)
        return NAN;
    qsort(list, (size_t)n, sizeof *list, compare_scored);
    canvas_move(canvas, x->from, y->from);
    for (int64_t i = 0, k; i < n; i = k) {
        int64_t before = hits;
        double at[2];

        for (k = i; k < n && list[k].score == list[i].score; k++)
            hits += list[k].is_positive;
        area += (double)((k - hits) - (i - before)) * (double)(hits + before) / 2;
        at[0] = scale_at(x, (double)(k - hits) / (double)(n - n_positive));
        at[1] = scale_at(y, (double)hits / (double)n_positive);
        if (k < n && fabs(at[0] - drawn[0]) < VISIBLE && fabs(at[1] - drawn[1]) < VISIBLE)
            continue;
        canvas_to(canvas, at[0], at[1]);
        drawn[0] = at[0];
        drawn[1] = at[1];
    }
    canvas_paint(canvas, INK_NONE, pen);
    return area / ((double)n_positive * (double)(n - n_positive));
}

/* The first of the classes that have a curve: for two, the second one says it all. */
static int32_t first_class(const struct sweep_predictions *p)
{
    return p->n_classes == 2;
}

static int32_t end_class(const struct sweep_predictions *p)
{
    return p->n_classes < CLASSES ? p->n_classes : CLASSES;
}

static void unit_square(struct axis_scale *x, struct axis_scale *y, double left, double top)
{
    struct value_range range = {0, 1, 1, false};

    scale_init(x, &range, 6, false, left, left + SMALL);
    scale_init(y, &range, 6, false, top + SMALL, top);
}

static void draw_rocs(struct canvas *canvas, struct scored *list, const struct sweep_predictions *p,
                      double left, double top)
{
    const struct stroke chance = {INK_MUTED, 0.6, PEN_DASHED};
    struct axis_scale x, y;
    double at = top + SMALL - 5;
    struct buf cut = {0}, text = {0};

    unit_square(&x, &y, left, top);
    plot_y_axis(canvas, &y, left, "True positive rate");
    plot_x_axis(canvas, &x, top + SMALL, "False positive rate");
    canvas_line(canvas, x.from, y.from, x.to, y.to, &chance);
    for (int32_t class = end_class(p) - 1; class >= first_class(p); class --) {
        const struct stroke pen = {ink_series(class - first_class(p)), 1, PEN_SOLID};
        double area = draw_roc(canvas, list, p, class, &x, &y, &pen);

        if (isnan(area))
            continue;
        buf_clear(&text);
        buf_printf(&text, "%s: %.3f", text_fit(&cut, p->classes[class], PLOT_SMALL, 46), area);
        plot_note(canvas, x.to - 3, at, ANCHOR_END, buf_text(&text));
        canvas_line(canvas, x.to - 16 - text_points(buf_text(&text), PLOT_SMALL), at,
                    x.to - 6 - text_points(buf_text(&text), PLOT_SMALL), at, &pen);
        at -= 8;
    }
    plot_note(canvas, x.to - 3, at, ANCHOR_END, "area");
    buf_release(&cut);
    buf_release(&text);
}

/* Observed share of a class against its mean probability, in bins of equal width.
 * Source: DeGroot & Fienberg 1983, "The comparison and evaluation of forecasters". */
static void draw_calibration_of(struct canvas *canvas, const struct sweep_predictions *p,
                                int32_t class, const struct axis_scale *x,
                                const struct axis_scale *y)
{
    static const enum mark marks[] = {MARK_CIRCLE,  MARK_SQUARE, MARK_TRIANGLE,
                                      MARK_DIAMOND, MARK_CROSS,  MARK_CIRCLE};
    const struct stroke pen = {ink_series(class - first_class(p)), 0.9, PEN_SOLID};
    double sum[BINS] = {0};
    int64_t n[BINS] = {0}, hits[BINS] = {0};
    bool is_begun = false;

    for (int32_t i = 0; i < p->n; i++) {
        double score = p->score[(size_t)i * (size_t)p->n_classes + (size_t) class];
        int bin = score >= 0 && score <= 1 ? (int)fmin(BINS - 1, floor(score * BINS)) : -1;

        if (bin < 0 || !is_class(p, p->observed[i]))
            continue;
        sum[bin] += score;
        n[bin]++;
        hits[bin] += (int)p->observed[i] == class;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int bin = 0; bin < BINS; bin++) {
            double at = n[bin] ? scale_at(x, sum[bin] / (double)n[bin]) : 0;
            double to = n[bin] ? scale_at(y, (double)hits[bin] / (double)n[bin]) : 0;

            if (n[bin] && pass)
                canvas_mark(canvas, marks[class % CLASSES], at, to,
                            fmin(3, 1 + 0.5 * log10((double)n[bin])), pen.ink, NULL);
            else if (n[bin])
                (is_begun ? canvas_to : canvas_move)(canvas, at, to);
            is_begun = is_begun || n[bin];
        }
        if (!pass && is_begun)
            canvas_paint(canvas, INK_NONE, &pen);
    }
}

static void draw_calibration(struct canvas *canvas, const struct sweep_predictions *p, double left,
                             double top)
{
    const struct stroke perfect = {INK_MUTED, 0.6, PEN_DASHED};
    struct axis_scale x, y;

    unit_square(&x, &y, left, top);
    plot_y_axis(canvas, &y, left, "Observed share");
    plot_x_axis(canvas, &x, top + SMALL, "Predicted probability");
    canvas_line(canvas, x.from, y.from, x.to, y.to, &perfect);
    for (int32_t class = end_class(p) - 1; class >= first_class(p); class --)
        draw_calibration_of(canvas, p, class, &x, &y);
}

static void put_note(struct buf *out, const struct sweep_data *data)
{
    const struct sweep_predictions *p = &data->predictions;
    const struct sweep_score *area = sweep_find_score(p, "roc_auc");

    buf_printf(
        out, "c%lld, %d out-of-fold predictions. Matrix: colours are shares of the observed class.",
        (long long)p->config, (int)p->n);
    if (!p->score)
        return;
    if (area && area->folds > 1)
        buf_printf(out,
                   " ROC: predictions of all %ss together; the mean area within %d %ss is %.3f.",
                   sweep_part_word(data), (int)area->folds, sweep_part_word(data), area->mean);
    if (p->is_probability)
        buf_puts(out, " Calibration: a mark is a tenth of the range of probabilities, larger for "
                      "more predictions; on the dashed line, probabilities are right.");
    if (p->n_classes > CLASSES)
        buf_puts(out, " Curves: the first six classes.");
}

static bool draw_classes(struct canvas *canvas, const struct sweep_data *data)
{
    const struct sweep_predictions *p = &data->predictions;
    const double top = PLOT_EDGE + 6;
    bool has_scores = p->score != NULL;
    double left = PLOT_EDGE + PLOT_SIZE + 10, widest = 0, height, right, at[MATRIX],
           width = has_scores ? CANVAS_PAGE : CANVAS_COLUMN;
    struct scored *list = has_scores ? malloc((size_t)p->n * sizeof *list + 1) : NULL;
    struct plot_labels labels;
    struct buf note = {0};

    if (has_scores && !list) {
        canvas->failed = true;
        return false;
    }
    for (int32_t i = 0; i < p->n_classes; i++)
        widest = fmax(widest, text_points(p->classes[i], PLOT_SIZE));
    left += fmin(widest, NAMES);
    for (int32_t i = 0; i < p->n_classes; i++)
        at[i] = left + (i + 0.5) * SMALL / p->n_classes;
    plot_labels_init(&labels, p->classes, at, p->n_classes, false);
    height = top + SMALL + fmax(labels.height + 14, PLOT_X_ROOM) + 4;
    right = CANVAS_PAGE - PLOT_EDGE - SMALL - 6;
    put_note(&note, data);
    canvas_begin(canvas, width,
                 height + 4 + plot_paragraph(NULL, 0, 0, width - 2 * PLOT_EDGE, buf_text(&note)),
                 "Predicted against observed classes of the chosen configuration");
    draw_matrix(canvas, p, &labels, left, top);
    if (has_scores) {
        draw_rocs(canvas, list, p, (left + SMALL + right) / 2 - SMALL / 2 + 16, top);
        if (p->is_probability)
            draw_calibration(canvas, p, right, top);
    }
    plot_paragraph(canvas, PLOT_EDGE, height, width - 2 * PLOT_EDGE, buf_text(&note));
    canvas->failed |= buf_failed(&note);
    buf_release(&note);
    free(list);
    return true;
}

bool figure_predicted(struct canvas *canvas, const struct sweep_data *data)
{
    const struct sweep_predictions *p = &data->predictions;

    if (!p->config || !p->n)
        return false;
    if (!p->n_classes) {
        draw_regression(canvas, data);
        return true;
    }
    return p->n_classes >= 2 && p->n_classes <= MATRIX && draw_classes(canvas, data);
}
