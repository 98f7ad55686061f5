/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of the run: a row for each rank, a bar for each attempt. Time between sessions is left
 * out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { ROWS = 96, SESSIONS = 24 };

#define JOIN 0.35 /* bars that are closer are one bar */
#define LEFT 84.0

struct run_figure {
    struct canvas *canvas;
    const struct sweep_data *data;
    int32_t n_rows, n_sessions;
    struct {
        int64_t session;
        double start, end; /* of its attempts, seconds since t0 */
        double offset;     /* on the axis, in seconds */
    } sessions[SESSIONS];
    double total; /* seconds on the axis */
    double unit;  /* seconds */
    struct axis_scale x;
    double top, row;
};

/* Outcomes differ in height, too. */
static const struct {
    const struct ink *ink;
    double alpha;
    double inset; /* share of the row above the bar */
} looks[SWEEP_N_OUTCOMES] = {
    [SWEEP_DONE] = {&INK_BLUE, 0.75, 0},         [SWEEP_DIVERGED] = {&INK_ORANGE, 1, 0.4},
    [SWEEP_FAILED] = {&INK_VERMILLION, 1, -0.1}, [SWEEP_STOPPED] = {&INK_GREEN, 1, 0.6},
    [SWEEP_CRASHED] = {&INK_TEXT, 1, 0.2},       [SWEEP_LOST] = {&INK_PURPLE, 1, 0.2},
    [SWEEP_RUNNING] = {&INK_TEXT, 0.3, 0.2},
};

static struct ink ink_of(enum sweep_outcome outcome)
{
    return ink_alpha(*looks[outcome].ink, looks[outcome].alpha);
}

static double end_of(const struct sweep_attempt *attempt)
{
    return isfinite(attempt->end) ? fmax(attempt->end, attempt->start) : attempt->start;
}

/* The session of an attempt; -1: not shown. */
static int32_t session_of(const struct run_figure *r, const struct sweep_attempt *attempt)
{
    for (int32_t i = 0; attempt->rank >= 0 && i < r->n_sessions; i++)
        if (r->sessions[i].session == r->data->ranks[attempt->rank].session)
            return i;
    return -1;
}

static void collect(struct run_figure *r)
{
    for (int32_t i = 0; i < r->data->n_attempts; i++) {
        const struct sweep_attempt *attempt = &r->data->attempts[i];
        int32_t s = session_of(r, attempt);

        if (attempt->rank < 0 || !isfinite(attempt->start))
            continue;
        if (s < 0 && r->n_sessions == SESSIONS)
            continue;
        if (s < 0) {
            s = r->n_sessions++;
            r->sessions[s].session = r->data->ranks[attempt->rank].session;
            r->sessions[s].start = attempt->start;
            r->sessions[s].end = attempt->start;
        }
        r->sessions[s].start = fmin(r->sessions[s].start, attempt->start);
        r->sessions[s].end = fmax(r->sessions[s].end, end_of(attempt));
    }
    for (int32_t i = 0; i < r->n_sessions; i++)
        r->total += r->sessions[i].end - r->sessions[i].start;
    for (int32_t i = 1; i < r->n_sessions; i++)
        r->sessions[i].offset = r->sessions[i - 1].offset + r->sessions[i - 1].end -
                                r->sessions[i - 1].start + 0.01 * r->total;
    r->total *= 1 + 0.01 * (r->n_sessions - 1);
}

static double time_x(const struct run_figure *r, int32_t session, double seconds)
{
    return scale_at(&r->x,
                    (r->sessions[session].offset + seconds - r->sessions[session].start) / r->unit);
}

/* Rows are ranks: those of later sessions with the same number and host share the row. */
static int32_t row_of(const struct run_figure *r, int32_t rank)
{
    return r->data->ranks[rank].rank < r->n_rows ? r->data->ranks[rank].rank : -1;
}

static void add_bar(const struct run_figure *r, enum sweep_outcome outcome, int32_t row,
                    double from, double to)
{
    double height = r->row > 3 ? r->row - 1 : r->row;
    double bottom = r->top + row * r->row + height;
    double top = bottom - height * (1 - looks[outcome].inset);

    canvas_move(r->canvas, from, top);
    canvas_to(r->canvas, to, top);
    canvas_to(r->canvas, to, bottom);
    canvas_to(r->canvas, from, bottom);
    canvas_close(r->canvas);
}

/* One path for all bars of an outcome. Short ones that touch are joined. */
static bool draw_outcome(const struct run_figure *r, enum sweep_outcome outcome)
{
    double from[ROWS] = {0}, to[ROWS];
    bool has_any = false;

    for (int32_t i = 0; i < r->n_rows; i++)
        to[i] = -INFINITY;
    for (int32_t i = 0; i < r->data->n_attempts; i++) {
        const struct sweep_attempt *attempt = &r->data->attempts[i];
        int32_t session = session_of(r, attempt);
        int32_t row = session < 0 ? -1 : row_of(r, attempt->rank);
        bool is_open = isnan(attempt->end);
        double x, end;

        if (row < 0 || attempt->outcome != outcome || !isfinite(attempt->start))
            continue;
        x = time_x(r, session, attempt->start);
        end = time_x(r, session, is_open ? r->sessions[session].end : end_of(attempt));
        end = fmax(end, x + (outcome == SWEEP_DONE ? 0.15 : 1));
        if (x > to[row] + JOIN) {
            if (isfinite(to[row]))
                add_bar(r, outcome, row, from[row], to[row]);
            from[row] = x;
        }
        to[row] = fmax(to[row], end);
        has_any = true;
    }
    for (int32_t i = 0; i < r->n_rows; i++)
        if (isfinite(to[i]))
            add_bar(r, outcome, i, from[i], to[i]);
    if (has_any)
        canvas_paint(r->canvas, ink_of(outcome), NULL);
    return has_any;
}

/* A cross where a rank crashed or was lost. */
static void draw_losses(const struct run_figure *r)
{
    const struct stroke pen = {INK_TEXT, 0.9, PEN_SOLID};

    for (int32_t i = 0; i < r->data->n_attempts; i++) {
        const struct sweep_attempt *attempt = &r->data->attempts[i];
        int32_t session = session_of(r, attempt);
        int32_t row = session < 0 ? -1 : row_of(r, attempt->rank);
        double x, y;

        if (row < 0 || (attempt->outcome != SWEEP_CRASHED && attempt->outcome != SWEEP_LOST))
            continue;
        x = time_x(r, session, end_of(attempt)) + 4;
        y = r->top + (row + 0.5) * r->row;
        canvas_move(r->canvas, x - 2, y - 2);
        canvas_to(r->canvas, x + 2, y + 2);
        canvas_move(r->canvas, x - 2, y + 2);
        canvas_to(r->canvas, x + 2, y - 2);
        canvas_paint(r->canvas, INK_NONE, &pen);
    }
}

static void draw_ranks(const struct run_figure *r)
{
    int32_t every = (int32_t)ceil((PLOT_SIZE + 1) / r->row);
    struct buf name = {0};

    for (int32_t row = 0; row < r->n_rows; row += every) {
        const char *host = "";
        bool is_same = true;

        for (int32_t i = 0; i < r->data->n_ranks; i++)
            if (r->data->ranks[i].rank == row && *r->data->ranks[i].host) {
                is_same = is_same && (!*host || !strcmp(host, r->data->ranks[i].host));
                host = r->data->ranks[i].host;
            }
        buf_clear(&name);
        buf_printf(&name, "rank %d%s%s", (int)row, is_same && *host ? ", " : "",
                   is_same ? host : "");
        plot_cut(r->canvas, LEFT - 4, r->top + (row + 0.5) * r->row, ANCHOR_END, LEFT - 8,
                 buf_text(&name));
    }
    buf_release(&name);
}

/* The busy share of each session, above its start. */
static void draw_sessions(const struct run_figure *r)
{
    const struct stroke line = {INK_MUTED, 0.5, PEN_DASHED};
    double bottom = r->top + r->n_rows * r->row, behind = -INFINITY;
    char text[64];

    for (int32_t i = 0; i < r->n_sessions; i++) {
        double x = time_x(r, i, r->sessions[i].start), busy = NAN;

        for (int32_t k = 0; k < r->data->n_sessions; k++)
            if (r->data->sessions[k].session == r->sessions[i].session)
                busy = r->data->sessions[k].busy;
        snprintf(text, sizeof text, isfinite(busy) ? "session %lld, %.1f %% busy" : "session %lld",
                 (long long)r->sessions[i].session, 100 * busy);
        if (i)
            canvas_line(r->canvas, x - 1, r->top - 3, x - 1, bottom, &line);
        if (x < behind)
            continue;
        plot_note(r->canvas, x, r->top - 8, ANCHOR_START, text);
        behind = x + text_points(text, PLOT_SMALL) + 8;
    }
}

static const char *unit_of(double *seconds, double total)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "Days of the sessions"},
                 {3600, "Hours of the sessions"},
                 {60, "Minutes of the sessions"},
                 {1, "Seconds of the sessions"}};
    int i = 0;

    while (i < 3 && total < 3 * units[i].seconds)
        i++;
    *seconds = units[i].seconds;
    return units[i].name;
}

static void put_note(struct buf *out, const struct run_figure *r, int32_t n_ranks)
{
    if (n_ranks > r->n_rows)
        buf_printf(out, "The first %d of %d ranks. ", (int)r->n_rows, (int)n_ranks);
    if (r->data->n_attempts_left_out > 0)
        buf_printf(out, "%lld short attempts are not drawn. ",
                   (long long)r->data->n_attempts_left_out);
    if (r->data->n_sessions > r->n_sessions)
        buf_printf(out, "%d of %d sessions are drawn.", (int)r->n_sessions,
                   (int)r->data->n_sessions);
}

static void draw(struct run_figure *r, int32_t n_ranks)
{
    struct value_range range = {0, 0, NAN, false};
    const char *name = unit_of(&r->unit, r->total);
    double bottom, x = LEFT, height;
    struct buf note = {0};

    r->top = PLOT_EDGE + 14;
    r->row = fmax(2.5, fmin(12, 240.0 / r->n_rows));
    range.high = r->total / r->unit;
    scale_init(&r->x, &range, 8, false, LEFT, CANVAS_PAGE - PLOT_EDGE - 6);
    scale_crop(&r->x, 0, range.high);
    bottom = r->top + r->n_rows * r->row + 2;
    put_note(&note, r, n_ranks);
    height = plot_paragraph(NULL, 0, 0, CANVAS_PAGE - 2 * PLOT_EDGE, buf_text(&note));
    canvas_begin(r->canvas, CANVAS_PAGE, bottom + PLOT_X_ROOM + 14 + height,
                 "Attempts of each rank over time");
    draw_ranks(r);
    draw_sessions(r);
    for (int outcome = 0; outcome < SWEEP_N_OUTCOMES; outcome++)
        if (draw_outcome(r, (enum sweep_outcome)outcome))
            x = plot_key(r->canvas, x, bottom + PLOT_X_ROOM + 6, MARK_SQUARE,
                         ink_of((enum sweep_outcome)outcome), NULL, sweep_outcome_names[outcome]);
    draw_losses(r);
    plot_x_axis(r->canvas, &r->x, bottom, name);
    plot_paragraph(r->canvas, PLOT_EDGE, bottom + PLOT_X_ROOM + 11, CANVAS_PAGE - 2 * PLOT_EDGE,
                   buf_text(&note));
    buf_release(&note);
}

bool figure_run(struct canvas *canvas, const struct sweep_data *data)
{
    struct run_figure r = {.canvas = canvas, .data = data};
    int32_t n_ranks = 0;

    for (int32_t i = 0; i < data->n_ranks; i++)
        n_ranks = data->ranks[i].rank >= n_ranks ? data->ranks[i].rank + 1 : n_ranks;
    r.n_rows = n_ranks < ROWS ? n_ranks : ROWS;
    collect(&r);
    if (!r.n_rows || !(r.total > 0))
        return false;
    draw(&r, n_ranks);
    return true;
}
