/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a session as a grid: part of report/watch_frame.h. A rank is a cell with what it
 * runs, a short cell, or one mark, as the room allows. Lost ranks stand out without colour. */
#ifndef REPORT_WATCH_RANKS_H
#define REPORT_WATCH_RANKS_H

#include <stdint.h>

#include "report/pen.h"
#include "report/watch_facts.h"

struct watch_counts {
    int32_t busy, idle, lost;
};

struct watch_counts watch_ranks_count(const struct watch_facts *facts);

/* Lines of the title and full cells. A session that is over has no cells. */
int32_t watch_ranks_lines(const struct watch_facts *facts, int columns);

/* Draw the title, and with more than one line the grid in at most lines - 1. lost: the style of
 * lost ranks. */
void watch_ranks_draw(struct pen *pen, const struct watch_facts *facts, const char *bold,
                      const char *lost, int32_t lines);

#endif
