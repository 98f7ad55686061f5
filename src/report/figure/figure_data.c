/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the data: a small bar chart for each topic that counts something. */
#include <math.h>
#include <string.h>

#include "report/figure/figure.h"
#include "report/figure/plot.h"

enum { TOPICS = 9, BARS = 24, IN_ROW = 3 };

#define BAR   8.5
#define TITLE 14.0
#define GAP   14.0

struct topic {
    int32_t first, n; /* facts */
    int32_t n_bars;
};

struct data_figure {
    struct canvas *canvas;
    const struct sweep_data *data;
    struct topic topics[TOPICS];
    int32_t n;
    double width;
};
