/* SPDX-License-Identifier: BSD-3-Clause */
/* The heat map of configurations x folds: hard folds and groups are dark columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { ROWS = 40, SLOTS = 120 };

#define ROW 9.0
#define IDS 42.0
#define CELL 34.0 /* widest cell */
#define STEP 2.0  /* narrowest cell with a frame around it */

struct folds {
    struct canvas *canvas;
    const struct sweep_data *data;
    int32_t n, n_slots;
    double cell; /* width */
    struct value_range range;
    int decimals;
    const char **names; /* [n_slots] */
    struct buf *texts;  /* [n_slots] */
    double *at;         /* [n_slots] their centres */
};

static double value_of(const struct folds *f, int32_t slot, int32_t config)
{
    return f->data->value[(size_t)slot * (size_t)f->data->n_configs + (size_t)config];
}

/* The mean over the configurations that are shown. */
static double mean_of(const struct folds *f, int32_t slot)
{
    double sum = 0;
    int32_t n = 0;

    for (int32_t i = 0; i < f->n; i++) {
        double value = value_of(f, slot, i);

        sum += isfinite(value) ? value : 0;
        n += isfinite(value) != 0;
    }
    return n ? sum / n : NAN;
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* From the 2nd to the 98th percentile, so that one diverged trial does not take all colours. */
static int plan_range(struct folds *f)
{
    double *values = malloc((size_t)f->n * (size_t)f->n_slots * sizeof *values);
    int32_t n = 0;

    if (!values)
        return -1;
    for (int32_t slot = 0; slot < f->n_slots; slot++)
        for (int32_t i = 0; i < f->n; i++)
            if (isfinite(value_of(f, slot, i)))
                values[n++] = value_of(f, slot, i);
    f->range = value_range_empty();
    if (n) {
        qsort(values, (size_t)n, sizeof *values, compare_reals);
        value_range_add(&f->range, values[n / 50]);
        value_range_add(&f->range, values[n - 1 - n / 50]);
    }
    f->decimals = plot_decimals(f->range.high - f->range.low);
    free(values);
    return 0;
}

static void name_slots(struct folds *f)
{
    for (int32_t i = 0; i < f->n_slots; i++) {
        const struct sweep_slot *slot = &f->data->slots[i];

        if (slot->group)
            buf_puts(&f->texts[i], slot->group);
        else if (f->data->replicates > 1)
            buf_printf(&f->texts[i], "%d.%d", (int)slot->replicate, (int)slot->fold);
        else
            buf_printf(&f->texts[i], "%d", (int)slot->fold);
        f->names[i] = buf_text(&f->texts[i]);
    }
}

static void draw_cell(const struct folds *f, double x, double y, double value)
{
    double width = f->range.high - f->range.low;
    struct ink ink = ink_viridis(width > 0 ? (value - f->range.low) / width : 0.5);
    struct buf text = {0};
    struct lettering lettering = {PLOT_SMALL, ink_on(ink), ANCHOR_MIDDLE, false, false};

    if (!isfinite(value)) {
        plot_note(f->canvas, x + f->cell / 2, y + ROW / 2, ANCHOR_MIDDLE,
                  f->cell > 4 ? "\xc3\x97" : "");
        return;
    }
    canvas_rect(f->canvas, x, y, f->cell - (f->cell > STEP ? 0.5 : 0), ROW - 0.5, ink, NULL);
    plot_put_fixed(&text, value, f->decimals);
    if (text_points(buf_text(&text), PLOT_SMALL) < f->cell - 3)
        canvas_text(f->canvas, x + (f->cell - 0.5) / 2, y + ROW / 2 + 0.34 * PLOT_SMALL, &lettering,
                    buf_text(&text));
    buf_release(&text);
}

static void draw_rows(const struct folds *f, double x, double y)
{
    char id[32];

    if (f->n > 1) {
        plot_note(f->canvas, x - 4, y + ROW / 2, ANCHOR_END, "mean");
        for (int32_t slot = 0; slot < f->n_slots; slot++)
            draw_cell(f, x + slot * f->cell, y, mean_of(f, slot));
        y += ROW + 3;
    }
    for (int32_t i = 0; i < f->n; i++) {
        snprintf(id, sizeof id, "c%lld", (long long)f->data->configs[i].id);
        plot_text(f->canvas, x - 4, y + (i + 0.5) * ROW, ANCHOR_END, id);
        for (int32_t slot = 0; slot < f->n_slots; slot++)
            draw_cell(f, x + slot * f->cell, y + i * ROW, value_of(f, slot, i));
    }
}

static void put_left_out(struct buf *out, const struct folds *f)
{
    if (f->n < f->data->n_scored)
        buf_printf(out, "The first %d of %d configurations. ", (int)f->n, (int)f->data->n_scored);
    if (f->n_slots < f->data->n_slots)
        buf_printf(out, "The first %d of %d folds. ", (int)f->n_slots, (int)f->data->n_slots);
    if (f->n > 1)
        buf_puts(out, "Top row: mean of the configurations shown. ");
    buf_puts(out, "\xc3\x97: no value.");
}

static void draw(struct folds *f)
{
    bool is_narrow = IDS + f->n_slots * CELL < CANVAS_COLUMN - 2 * PLOT_EDGE;
    double width = is_narrow ? CANVAS_COLUMN : CANVAS_PAGE;
    double x = PLOT_EDGE + IDS, y, bottom;
    struct plot_labels labels;
    struct buf note = {0};

    f->cell = fmin((width - x - PLOT_EDGE) / f->n_slots, CELL);
    for (int32_t i = 0; i < f->n_slots; i++)
        f->at[i] = x + (i + 0.5) * f->cell;
    plot_labels_init(&labels, f->names, f->at, f->n_slots, false);
    put_left_out(&note, f);
    y = PLOT_EDGE + 24;
    bottom = y + f->n * ROW + (f->n > 1 ? ROW + 3 : 0) + labels.height;
    canvas_begin(f->canvas, width,
                 bottom + 16 + plot_paragraph(NULL, 0, 0, width - 2 * PLOT_EDGE, buf_text(&note)),
                 "Objective of each configuration on each fold");
    plot_colour_bar(f->canvas, x, PLOT_EDGE + 8, f->range.low, f->range.high, f->data->objective);
    draw_rows(f, x, y);
    plot_labels_draw(&labels, f->canvas, bottom - labels.height);
    plot_text(f->canvas, x + f->n_slots * f->cell / 2, bottom + 6, ANCHOR_MIDDLE,
              f->data->slots[0].group   ? "Group"
              : f->data->replicates > 1 ? "Replicate.fold"
                                        : "Fold");
    plot_paragraph(f->canvas, PLOT_EDGE, bottom + 13, width - 2 * PLOT_EDGE, buf_text(&note));
    buf_release(&note);
}

bool figure_folds(struct canvas *canvas, const struct sweep_data *data)
{
    struct folds f = {.canvas = canvas, .data = data};
    struct buf texts[SLOTS] = {0};
    const char *names[SLOTS];
    double at[SLOTS];

    f.at = at;
    f.texts = texts;
    f.names = names;
    f.n = data->n_scored < ROWS ? data->n_scored : ROWS;
    f.n_slots = data->n_slots < SLOTS ? data->n_slots : SLOTS;
    if (!f.n || f.n_slots < 2)
        return false;
    if (plan_range(&f)) {
        canvas->failed = true;
        return false;
    }
    name_slots(&f);
    draw(&f);
    for (int32_t i = 0; i < f.n_slots; i++)
        buf_release(&texts[i]);
    return true;
}
