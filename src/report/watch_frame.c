/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/watch_frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/text_width.h"
#include "base/words.h"
#include "report/pen.h"
#include "report/watch_ranks.h"
#include "run/progress.h"

enum section { TITLE, PROGRESS, COUNTS, TIMES, SPARK, TOP, RANKS, FAILURES, NOTE, N_SECTIONS };

struct view {
    struct pen pen;
    const struct watch_facts *facts;
    const struct watch_style *style;
    int32_t wanted[N_SECTIONS], granted[N_SECTIONS]; /* lines */
    bool has_gap[N_SECTIONS];                        /* an empty line above */
};

/* ---- the sweep ---- */

static int64_t finished_of(const struct watch_facts *f)
{
    return f->done + f->diverged + f->failed;
}

/* 100 only when nothing is left. */
static int percent_of(const struct watch_facts *f)
{
    return f->trials ? (int)(100.0 * (double)finished_of(f) / (double)f->trials) : 100;
}

enum { STATE_TEXT = 256 };

static const char *state_of(char out[STATE_TEXT], const struct watch_facts *f)
{
    char words[DURATION_TEXT];

    if (!f->session)
        snprintf(out, STATE_TEXT,
                 f->is_earlier ? "another sweep ran later" : "no run in this file");
    else if (f->is_running)
        snprintf(out, STATE_TEXT, "running for %s", duration_words(words, floor(f->seconds)));
    else
        snprintf(out, STATE_TEXT, "%s%s%s%s", f->outcome, *f->why ? " (" : "", f->why,
                 *f->why ? ")" : "");
    return out;
}

static void draw_title(struct view *v, int32_t rows)
{
    const struct watch_facts *f = v->facts;
    bool is_bad = f->session && !f->is_running && strcmp(f->outcome, "finished") != 0;
    char state[STATE_TEXT];
    int room;

    (void)rows;
    state_of(state, f);
    room = v->pen.left - text_width(state) - 2;
    if (room > 0) {
        int whole = v->pen.left;

        v->pen.left = room;
        pen_put(&v->pen, v->style->bold, "%s", f->sweep);
        v->pen.left += whole - room;
        pen_put(&v->pen, "", "  ");
    }
    pen_put(&v->pen, is_bad ? v->style->warning : "", "%s", state);
    pen_end_line(&v->pen);
}

/* ---- the bar ---- */

enum { DONE, BAD, UNDER_WAY, PENDING, N_PARTS };

static const char *mark_of(const struct view *v, int part)
{
    static const char *const marks[][N_PARTS] = {
        {"#", "x", ">", "."},
        {"\xe2\x96\x88", "x", ">", "\xc2\xb7"},
    };

    return marks[v->style->is_utf8][part];
}

/* Each part that is not empty has at least one column; the widest gives and takes the rest. */
static void divide(int widths[N_PARTS], const int64_t counts[N_PARTS], int64_t total, int width)
{
    int widest = 0, sum = 0;

    for (int i = 0; i < N_PARTS; i++) {
        double share = total > 0 ? (double)counts[i] / (double)total : 0;

        widths[i] = (int)(share * width);
        if (counts[i] > 0 && widths[i] == 0)
            widths[i] = 1;
        if (widths[i] > widths[widest])
            widest = i;
        sum += widths[i];
    }
    widths[widest] += width - sum;
}

static void draw_progress(struct view *v, int32_t rows)
{
    const struct watch_facts *f = v->facts;
    const int64_t counts[N_PARTS] = {f->done, f->diverged + f->failed, f->running, f->pending};
    int widths[N_PARTS], width;
    char text[64];

    (void)rows;
    snprintf(text, sizeof text, " %d %%  %lld/%lld trials", percent_of(f),
             (long long)finished_of(f), (long long)f->trials);
    width = v->pen.left - text_width(text) - 2;
    if (width >= 2 * N_PARTS) {
        divide(widths, counts, f->trials, width);
        pen_put(&v->pen, "", "[");
        for (int i = 0; i < N_PARTS; i++)
            for (int n = 0; n < widths[i]; n++)
                pen_put(&v->pen, i == BAD ? v->style->error : "", "%s", mark_of(v, i));
        pen_put(&v->pen, "", "]");
    }
    pen_put(&v->pen, "", "%s", width >= 2 * N_PARTS ? text : text + 1);
    pen_end_line(&v->pen);
}

enum { MISSING_TEXT = 80 };

/* "" unless other shards have trials. */
static const char *missing_of(char out[MISSING_TEXT], const struct watch_facts *f)
{
    *out = '\0';
    if (f->missing)
        snprintf(out, MISSING_TEXT, "%lld of the grid's %lld trials not in this file",
                 (long long)f->missing, (long long)(f->trials + f->missing));
    return out;
}

static void draw_counts(struct view *v, int32_t rows)
{
    const struct watch_facts *f = v->facts;
    char missing[MISSING_TEXT];
    const struct {
        const char *name;
        int64_t n;
        int mark;
    } counts[] = {{"done", f->done, DONE},
                  {"failed", f->failed, BAD},
                  {"diverged", f->diverged, BAD},
                  {"running", f->running, UNDER_WAY},
                  {"pending", f->pending, PENDING}};

    (void)rows;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        bool is_bad = counts[i].mark == BAD && counts[i].n;
        char part[64];

        /* little room: only what is not zero */
        if (!counts[i].n && (v->style->columns < 70 || f->missing))
            continue;
        snprintf(part, sizeof part, "%s %lld %s", mark_of(v, counts[i].mark),
                 (long long)counts[i].n, counts[i].name);
        pen_put_part(&v->pen, is_bad ? v->style->error : "", part);
    }
    missing_of(missing, f);
    if (*missing)
        pen_put_part(&v->pen, v->style->warning, missing);
    pen_end_line(&v->pen);
}

/* ---- time ---- */

static double rate_of(const struct watch_facts *f)
{
    return f->seconds > 0 ? (double)f->ran / f->seconds : 0;
}

enum { TIME_TEXT = 96 };

/* "" unless the rest can be expected. */
static const char *left_of(char out[TIME_TEXT], const struct watch_facts *f)
{
    char words[DURATION_TEXT];

    *out = '\0';
    if (f->is_running && isfinite(f->left_s) && f->left_s >= 0.5)
        snprintf(out, TIME_TEXT, "about %s left", duration_words(words, round(f->left_s)));
    return out;
}

static const char *limit_of(char out[TIME_TEXT], const struct watch_facts *f)
{
    char words[DURATION_TEXT];

    *out = '\0';
    if (!f->is_running || isnan(f->limit_s))
        return out;
    if (f->limit_s <= 0)
        snprintf(out, TIME_TEXT, "the time limit is over");
    else
        snprintf(out, TIME_TEXT, "time limit in %s%s",
                 duration_words(words, fmax(round(f->limit_s), 1)),
                 f->left_s > f->limit_s ? ": too short for all trials" : "");
    return out;
}

static void draw_times(struct view *v, int32_t rows)
{
    const struct watch_facts *f = v->facts;
    char ran[TIME_TEXT], rate[PROGRESS_RATE], left[TIME_TEXT], limit[TIME_TEXT];
    char words[DURATION_TEXT];

    (void)rows;
    progress_rate(rate, rate_of(f));
    if (f->is_running) {
        pen_put_part(&v->pen, "", left_of(left, f));
        pen_put_part(&v->pen, f->left_s > f->limit_s ? v->style->warning : "", limit_of(limit, f));
        pen_put_part(&v->pen, "", rate);
    } else {
        snprintf(ran, sizeof ran, "%lld trial%s in %s", (long long)f->ran, plural(f->ran),
                 duration_words(words, f->seconds));
        pen_put_part(&v->pen, "", ran);
        pen_put_part(&v->pen, "", rate);
        if (f->pending && !f->is_elsewhere)
            pen_put_part(&v->pen, "", "the same command continues");
    }
    pen_end_line(&v->pen);
}

/* ---- throughput ---- */

/* The level, 0 to 8, of each of n columns. Returns the largest mean of results in a bin. */
static double levels_of(int levels[WATCH_BINS], const struct watch_facts *f, int n)
{
    double means[WATCH_BINS], most = 0;

    for (int c = 0; c < n; c++) {
        int from = c * WATCH_BINS / n, to = (c + 1) * WATCH_BINS / n;
        int64_t sum = 0;

        for (int b = from; b < to; b++)
            sum += f->bins[b];
        means[c] = (double)sum / (to - from);
        most = fmax(most, means[c]);
    }
    for (int c = 0; c < n; c++)
        levels[c] = most > 0 ? (int)ceil(8 * means[c] / most) : 0;
    return most;
}

static void draw_spark(struct view *v, int32_t rows)
{
    static const char ascii[] = " .:-=+*#@";
    static const char title[] = "throughput ";
    char peak[PROGRESS_RATE], tail[TIME_TEXT];
    int levels[WATCH_BINS], n = WATCH_BINS;
    double most;

    (void)rows;
    n = v->pen.left - (int)strlen(title) - 20;
    n = (int)fmax(fmin(fmin(n, WATCH_BINS), v->facts->seconds), 1);
    most = levels_of(levels, v->facts, n);
    progress_rate_like(peak, most * WATCH_BINS / v->facts->seconds, rate_of(v->facts));
    snprintf(tail, sizeof tail, " up to %s", peak);
    pen_put(&v->pen, "", "%s", title);
    for (int c = 0; c < n; c++)
        if (!v->style->is_utf8 || !levels[c])
            pen_put(&v->pen, "", "%c", ascii[levels[c]]);
        else
            pen_put(&v->pen, "", "\xe2\x96%c", 0x80 + levels[c]);
    pen_put(&v->pen, "", "%s", tail);
    pen_end_line(&v->pen);
}

/* ---- the best ---- */

enum { NUMBER, CONFIG, MEAN, TRIALS, DIFF, INTERVAL, AXES, TOP_COLUMNS = AXES + WATCH_AXES };
enum { CELL_SIZE = 64, LEAST_HEADER = 4 };

struct top {
    char cells[1 + WATCH_TOP][TOP_COLUMNS][CELL_SIZE]; /* the first row is the header */
    int widths[TOP_COLUMNS];                           /* 0: not shown */
    int32_t rows, columns;
};

/* A configuration that has fewer results than the first is not yet ranked among the others. */
static void fill_config(char cells[TOP_COLUMNS][CELL_SIZE], const struct watch_facts *f, int place)
{
    const struct watch_config *c = &f->top[place];
    long long trials = (long long)c->trials, all = (long long)f->top[0].trials;

    snprintf(cells[NUMBER], CELL_SIZE, "%d", place + 1);
    snprintf(cells[CONFIG], CELL_SIZE, "c%lld", (long long)c->config);
    snprintf(cells[MEAN], CELL_SIZE, "%.5g", c->mean);
    if (trials < all)
        snprintf(cells[TRIALS], CELL_SIZE, "only %lld/%lld", trials, all);
    else if (all < f->config_trials)
        snprintf(cells[TRIALS], CELL_SIZE, "%lld of %lld", trials, (long long)f->config_trials);
    else
        snprintf(cells[TRIALS], CELL_SIZE, "%lld", trials);
    if (place && !isnan(c->diff))
        snprintf(cells[DIFF], CELL_SIZE, "%+.3g", c->diff);
    if (!isnan(c->low) && !isnan(c->high) && place)
        snprintf(cells[INTERVAL], CELL_SIZE, "%+.3g to %+.3g", c->low, c->high);
    for (int32_t a = 0; a < f->n_axes; a++)
        snprintf(cells[AXES + a], CELL_SIZE, "%s", f->axes[a].values[place]);
}

/* 0: no row has a cell, or all configurations have as many trials. header: at most as wide. */
static int width_of(const struct top *top, const struct watch_facts *f, int c, int header)
{
    bool differs = c != TRIALS || f->n_top == 1 || f->top[0].trials < f->config_trials;
    int widest = 0, title = text_width(top->cells[0][c]);

    for (int32_t i = 0; i < top->rows - 1; i++) {
        widest = (int)fmax(widest, text_width(top->cells[1 + i][c]));
        differs |= f->top[i].trials != f->top[0].trials;
    }
    return !widest || !differs ? 0 : (int)fmax(widest, fmin(title, header));
}

/* Return the room that is left beside the axes. */
static int fit_axes(struct top *top, const struct watch_facts *f, int header, int room)
{
    room += 2; /* the last column needs no gap */
    for (int c = AXES; c < top->columns; c++) {
        top->widths[c] = width_of(top, f, c, header);
        room -= top->widths[c] ? top->widths[c] + 2 : 0;
    }
    return room;
}

/* Leave out columns without cells, those that all rows share, and those without room. Names of axes
 * may be cut. */
static void fit_columns(struct top *top, const struct watch_facts *f, int room)
{
    int header = CELL_SIZE;

    for (int c = 0; c < AXES; c++) {
        int width = width_of(top, f, c, CELL_SIZE);

        top->widths[c] = width <= room ? width : 0;
        room -= top->widths[c] ? width + 2 : 0;
    }
    while (fit_axes(top, f, header, room) < 0 && (header > LEAST_HEADER || top->columns > AXES)) {
        if (header > LEAST_HEADER)
            header--;
        else
            top->columns--;
    }
    for (int c = AXES; c < top->columns; c++)
        if (top->widths[c] && text_width(top->cells[0][c]) > top->widths[c])
            snprintf(top->cells[0][c] + top->widths[c] - 1, 2, ".");
}

static void put_cells(struct view *v, const struct top *top, int32_t row, const char *style)
{
    int gap = 0;

    for (int c = 0; c < top->columns; c++) {
        bool is_right = c == MEAN || c == DIFF || c == TRIALS || c >= AXES;
        int pad = top->widths[c] - text_width(top->cells[row][c]);

        if (!top->widths[c])
            continue;
        pen_put(&v->pen, "", "%*s", gap + (is_right ? pad : 0), "");
        pen_put(&v->pen, style, "%s", top->cells[row][c]);
        gap = 2 + (is_right ? 0 : pad);
    }
    pen_end_line(&v->pen);
}

static void draw_top(struct view *v, int32_t rows)
{
    const struct watch_facts *f = v->facts;
    struct top top = {
        .cells = {{"", "best", "", "trials", "diff", "95 % interval"}},
        .rows = rows,
        .columns = AXES + f->n_axes,
    };

    snprintf(top.cells[0][MEAN], CELL_SIZE, "%s", f->objective);
    for (int32_t a = 0; a < f->n_axes; a++)
        snprintf(top.cells[0][AXES + a], CELL_SIZE, "%s", f->axes[a].name);
    for (int32_t i = 0; i < f->n_top; i++)
        fill_config(top.cells[1 + i], f, i);
    fit_columns(&top, f, v->style->columns);
    for (int32_t i = 0; i < rows; i++)
        put_cells(v, &top, i, i ? "" : v->style->bold);
}

/* ---- ranks and failures ---- */

static void draw_ranks(struct view *v, int32_t rows)
{
    watch_ranks_draw(&v->pen, v->facts, v->style->bold, v->style->error, rows);
}

static void draw_failures(struct view *v, int32_t rows)
{
    const struct watch_facts *f = v->facts;
    int32_t shown = rows - 1 < f->n_reasons ? rows - 2 : f->n_reasons;

    pen_put(&v->pen, v->style->bold, "failures");
    pen_end_line(&v->pen);
    if (shown < 1 && rows > 1)
        shown = 1;
    for (int32_t i = 0; i < shown; i++) {
        pen_put(&v->pen, v->style->error, "%6lld %-8s", (long long)f->reasons[i].trials,
                f->reasons[i].state);
        pen_put(&v->pen, "", "  %s", f->reasons[i].reason);
        pen_end_line(&v->pen);
    }
    if (shown < rows - 1) {
        pen_put(&v->pen, "", "       ... and %d more reasons", f->n_reasons - shown);
        pen_end_line(&v->pen);
    }
}

static void draw_note(struct view *v, int32_t rows)
{
    (void)rows;
    pen_put(&v->pen, v->style->bold, "%s", v->style->note);
    pen_end_line(&v->pen);
}

/* ---- which lines ---- */

static void want(struct view *v)
{
    const struct watch_facts *f = v->facts;

    v->wanted[NOTE] = v->style->note != NULL;
    if (!*f->sweep) /* nothing is known yet */
        return;
    v->wanted[TITLE] = v->wanted[PROGRESS] = v->wanted[COUNTS] = 1;
    v->wanted[TIMES] = f->session != 0;
    v->wanted[SPARK] = f->ran > 0 && f->seconds > 0;
    v->wanted[TOP] = f->n_top ? 1 + f->n_top : 0;
    v->wanted[RANKS] = f->session ? watch_ranks_lines(f, v->style->columns) : 0;
    v->wanted[FAILURES] = f->n_reasons ? 1 + f->n_reasons : 0;
}

/* Hand out the rows: each step gives a section up to so many lines, if it wants them. */
static void grant(struct view *v)
{
    enum { ALL = INT32_MAX, GAP = -1 };
    static const struct {
        enum section section;
        int32_t up_to;
    } steps[] = {
        {TITLE, 1},    {PROGRESS, 1}, {TIMES, 1},   {COUNTS, 1},     {NOTE, 1},    {RANKS, 1},
        {TOP, 2},      {FAILURES, 2}, {RANKS, 2},   {SPARK, 1},      {TOP, ALL},   {RANKS, 6},
        {FAILURES, 4}, {TOP, GAP},    {RANKS, GAP}, {FAILURES, GAP}, {RANKS, ALL}, {FAILURES, ALL},
    };
    int64_t left = v->style->rows > 0 ? v->style->rows : INT32_MAX;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && left > 0; i++) {
        enum section s = steps[i].section;
        int32_t n = v->wanted[s] < steps[i].up_to ? v->wanted[s] : steps[i].up_to;

        if (steps[i].up_to == GAP) {
            v->has_gap[s] = v->granted[s] > 0;
            left -= v->has_gap[s];
        } else if (n > v->granted[s] && n - v->granted[s] <= left) {
            left -= n - v->granted[s];
            v->granted[s] = n;
        } else if (n > v->granted[s] && v->granted[s]) {
            v->granted[s] += (int32_t)left;
            left = 0;
        }
    }
}

/* Move the note to the bottom. */
static void put_empty_lines(struct view *v)
{
    while (v->style->note && v->pen.lines + 1 < v->style->rows)
        pen_end_line(&v->pen);
}

void watch_frame(struct buf *out, const struct watch_facts *facts, const struct watch_style *style)
{
    static void (*const draw[N_SECTIONS])(struct view *, int32_t) = {
        [TITLE] = draw_title, [PROGRESS] = draw_progress, [COUNTS] = draw_counts,
        [TIMES] = draw_times, [SPARK] = draw_spark,       [TOP] = draw_top,
        [RANKS] = draw_ranks, [FAILURES] = draw_failures, [NOTE] = draw_note,
    };
    struct view v = {
        .pen = {.out = out,
                .columns = style->columns,
                .left = style->columns,
                .is_utf8 = style->is_utf8,
                .plain = style->plain},
        .facts = facts,
        .style = style,
    };

    want(&v);
    grant(&v);
    for (int s = 0; s < N_SECTIONS; s++) {
        if (s == NOTE)
            put_empty_lines(&v);
        if (v.has_gap[s])
            pen_end_line(&v.pen);
        if (v.granted[s])
            draw[s](&v, v.granted[s]);
    }
}

/* ---- one line ---- */

void watch_line(struct buf *out, const struct watch_facts *f)
{
    char state[STATE_TEXT], left[TIME_TEXT], limit[TIME_TEXT], rate[PROGRESS_RATE];
    char missing[MISSING_TEXT];
    struct watch_counts ranks = watch_ranks_count(f);
    size_t from = out->size;

    progress_rate(rate, rate_of(f));
    left_of(left, f);
    limit_of(limit, f);
    buf_printf(out, "%s: %s, %lld/%lld trials (%d %%)", f->sweep, state_of(state, f),
               (long long)finished_of(f), (long long)f->trials, percent_of(f));
    if (f->missing)
        buf_printf(out, ", %s", missing_of(missing, f));
    if (f->failed || f->diverged)
        buf_printf(out, ", %lld failed, %lld diverged", (long long)f->failed,
                   (long long)f->diverged);
    if (f->session)
        buf_printf(out, ", %s", rate);
    buf_printf(out, "%s%s%s%s", *left ? ", " : "", left, *limit ? ", " : "", limit);
    if (f->n_top)
        buf_printf(out, ", best %s %.4g (c%lld)", f->objective, f->top[0].mean,
                   (long long)f->top[0].config);
    if (f->is_running)
        buf_printf(out, ", %d/%d ranks busy", ranks.busy, f->n_ranks);
    if (ranks.lost)
        buf_printf(out, ", %d LOST", ranks.lost);
    if (!buf_failed(out))
        out->size = from + escape_terminal(out->data + from, false);
    buf_putc(out, '\n');
}
