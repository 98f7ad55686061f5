/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/watch_ranks.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/text_width.h"

enum shape { CELLS, SHORT_CELLS, MARKS }; /* short: without configuration, seconds and host */
enum { CELL_SIZE = 160, CELL_GAP = 2 };

struct watch_counts watch_ranks_count(const struct watch_facts *facts)
{
    struct watch_counts n = {0};

    for (int32_t r = 0; r < facts->n_ranks; r++) {
        enum watch_work work = facts->ranks[r].work;

        n.busy += work == WATCH_RUNS || work == WATCH_SHORT;
        n.idle += work == WATCH_IDLE || work == WATCH_WAITS;
        n.lost += work == WATCH_LOST;
    }
    return n;
}

/* ---- cells ---- */

static int digits_of(int32_t n)
{
    return n < 10 ? 1 : 1 + digits_of(n / 10);
}

static void fill_cell(char out[CELL_SIZE], const struct watch_facts *facts, int32_t r,
                      enum shape shape)
{
    const struct watch_rank *rank = &facts->ranks[r];
    bool is_short = shape == SHORT_CELLS;
    long long trial = (long long)rank->trial;
    char seconds[DURATION_TEXT];
    char *at = out + snprintf(out, CELL_SIZE / 2, "%*d ", digits_of(facts->n_ranks - 1), r);
    size_t size = CELL_SIZE - (size_t)(at - out);

    switch (rank->work) {
    case WATCH_WAITS:
        snprintf(at, size, "%s", is_short ? "-" : "no trial yet");
        break;
    case WATCH_RUNS:
        if (is_short)
            snprintf(at, size, "t%lld", trial);
        else
            snprintf(at, size, "t%lld c%lld %s", trial, (long long)rank->config,
                     duration_words(seconds, floor(rank->seconds)));
        break;
    case WATCH_SHORT:
        snprintf(at, size, "%s", is_short ? "short" : "short trials");
        break;
    case WATCH_IDLE:
        snprintf(at, size, "idle");
        break;
    case WATCH_LOST:
        if (is_short)
            snprintf(at, size, "LOST");
        else
            snprintf(at, size, "LOST t%lld on %s", trial, rank->host);
        break;
    }
    escape_terminal(out, false);
}

static const char *style_of(const struct watch_facts *facts, int32_t r, const char *lost)
{
    return facts->ranks[r].work == WATCH_LOST ? lost : "";
}

/* How many cells a line holds. width: out, of each with its gap. */
static int32_t cells_a_line(int *width, const struct watch_facts *facts, int columns,
                            enum shape shape)
{
    char cell[CELL_SIZE];
    int widest = 0;

    for (int32_t r = 0; r < facts->n_ranks; r++) {
        int needed;

        fill_cell(cell, facts, r, shape);
        needed = text_width(cell);
        widest = needed > widest ? needed : widest;
    }
    *width = widest + CELL_GAP;
    /* the last cell of a line needs no gap */
    return columns + CELL_GAP > *width ? (columns + CELL_GAP) / *width : 1;
}

static int32_t lines_of(const struct watch_facts *facts, int columns, enum shape shape)
{
    int width;
    int32_t a_line = cells_a_line(&width, facts, columns, shape);

    return (facts->n_ranks + a_line - 1) / a_line;
}

static void draw_cells(struct pen *pen, const struct watch_facts *facts, enum shape shape,
                       const char *lost)
{
    char cell[CELL_SIZE];
    int width;
    int32_t a_line = cells_a_line(&width, facts, pen->columns, shape);

    for (int32_t r = 0; r < facts->n_ranks; r++) {
        fill_cell(cell, facts, r, shape);
        pen_put(pen, style_of(facts, r, lost), "%s", cell);
        if ((r + 1) % a_line == 0 || r + 1 == facts->n_ranks)
            pen_end_line(pen);
        else
            pen_put(pen, "", "%*s", width - text_width(cell), "");
    }
}

/* ---- marks ---- */

/* In groups of ten; the number of the first rank stands before a line. */
enum { GROUP = 10, NUMBER_WIDTH = 6 };

static const char marks[] = {[WATCH_WAITS] = '-',
                             [WATCH_RUNS] = '#',
                             [WATCH_SHORT] = '#',
                             [WATCH_IDLE] = '.',
                             [WATCH_LOST] = 'X'};

static void draw_marks(struct pen *pen, const struct watch_facts *facts, const char *lost,
                       int32_t lines)
{
    int groups = (pen->columns - NUMBER_WIDTH) / (GROUP + 1);
    int32_t a_line = GROUP * (groups > 0 ? groups : 1), n = facts->n_ranks;

    for (int32_t r = 0; r < n; r++) {
        bool is_first = r % a_line == 0;

        if (is_first && lines-- == 1 && n - r > a_line) {
            pen_put(pen, "", "%*d ... and %d more", NUMBER_WIDTH, r, n - r - 1);
            pen_end_line(pen);
            return;
        }
        if (is_first)
            pen_put(pen, "", "%*d", NUMBER_WIDTH, r);
        pen_put(pen, "", "%s", r % GROUP == 0 ? " " : "");
        pen_put(pen, style_of(facts, r, lost), "%c", marks[facts->ranks[r].work]);
        if ((r + 1) % a_line == 0 || r + 1 == n)
            pen_end_line(pen);
    }
}

/* ---- together ---- */

/* "ranks: 3 busy, 0 idle, 1 LOST (2)". */
static void draw_title(struct pen *pen, const struct watch_facts *facts, const char *bold,
                       const char *lost, bool has_marks)
{
    struct watch_counts n = watch_ranks_count(facts);
    const char *gap = "(";
    char part[64];

    pen_put(pen, bold, "ranks");
    if (facts->is_running)
        pen_put(pen, "", ": %d busy, %d idle", n.busy, n.idle);
    else
        pen_put(pen, "", ": %d", facts->n_ranks);
    snprintf(part, sizeof part, "%d LOST", n.lost);
    pen_put_part(pen, lost, n.lost ? part : "");
    if (has_marks)
        pen_put_part(pen, "", "# busy . idle X LOST - no trial yet");
    pen_put(pen, "", "%s", n.lost ? " " : "");
    for (int32_t r = 0; r < facts->n_ranks && pen->left > 0; r++)
        if (facts->ranks[r].work == WATCH_LOST) {
            pen_put(pen, "", "%s%d", gap, r);
            gap = ", ";
        }
    pen_put(pen, "", "%s", n.lost ? ")" : "");
    pen_end_line(pen);
}

int32_t watch_ranks_lines(const struct watch_facts *facts, int columns)
{
    return 1 + (facts->is_running ? lines_of(facts, columns, CELLS) : 0);
}

void watch_ranks_draw(struct pen *pen, const struct watch_facts *facts, const char *bold,
                      const char *lost, int32_t lines)
{
    enum shape shape = CELLS;

    while (shape < MARKS && lines_of(facts, pen->columns, shape) > lines - 1)
        shape++;
    draw_title(pen, facts, bold, lost, lines > 1 && shape == MARKS);
    if (lines > 1 && shape == MARKS)
        draw_marks(pen, facts, lost, lines - 1);
    else if (lines > 1)
        draw_cells(pen, facts, shape, lost);
}
