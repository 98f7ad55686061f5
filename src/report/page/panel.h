/* SPDX-License-Identifier: BSD-3-Clause */
/* The panels of a page, internal to report/page. */
#ifndef REPORT_PAGE_PANEL_H
#define REPORT_PAGE_PANEL_H

#include "base/buf.h"
#include "report/sweep/sweep_data.h"

struct page;

/* A kind of panel: a row in the file that has its functions. A new panel is a row `panel_NAME` in a
 * file panel_*.c, its name in PANELS, and a chart in script/NAME.js. */
struct panel {
    const char *id; /* its name in PANELS and in the script */
    const char *heading;
    const char *what;            /* one or two sentences: what is drawn, how to read it */
    const char *what_of_program; /* likewise for a sweep of a program; NULL: what */
    const char *
        what_of_points; /* and where configurations are no complete grid, for any sweep; NULL: as else */
    bool (*is_absent)(const struct sweep_data *data); /* the page is without it; NULL: never */
    /* Why the panel has nothing to show, or NULL if it has. scratch: empty, for the sentence. */
    const char *(*why)(struct buf *scratch, const struct page *page);
    /* The content of a panel of text, which has no chart; or NULL. */
    void (*put)(struct buf *out, const struct page *page);
    /* The tables beside the chart; or NULL. */
    void (*table)(struct buf *out, const struct page *page);
    /* Append members of the JSON that only this chart needs; or NULL. */
    void (*json)(struct buf *out, const struct sweep_data *data);
    /* The heading of the panel for a sweep of a program, without a chart. NULL: as for others. */
    const char *table_of_program;
    bool is_apart; /* the chart does not show the objective, so the caption does not name it */
};

/* In the order of the page. */
#define PANELS(X)                                                                       \
    X(verdict)                                                                          \
    X(search) X(forest) X(folds) X(axis) X(pair) X(parallel) X(curves) X(cost) X(types) \
        X(predicted) X(test) X(run) X(data) X(provenance)

#define PANEL_DECLARE(name) extern const struct panel panel_##name;
PANELS(PANEL_DECLARE)
#undef PANEL_DECLARE

void panel_put_verdict(struct buf *out, const struct page *page);

/* Append a sentence about the runs, their ranks and processors. Shards, and runs that continue
 * another one, count as runs. */
void panel_put_runs(struct buf *out, const struct sweep_data *data);

/* The number of a row of data_fact; NaN if it is missing. */
double panel_fact(const struct sweep_data *data, const char *topic, const char *name);

/* Trials of the whole grid that may still get a score. */
int64_t panel_left(const struct sweep_data *data);
/* Configurations of the whole grid, of which the database may have only some. */
int32_t panel_planned_configs(const struct sweep_data *data);
/* Append "corrected 95 % interval 0.49 to 0.66" for the mean of a configuration, within the values
 * that the metric can have. Nothing if there is none. */
void panel_put_interval(struct buf *out, const struct sweep_data *data, int32_t config);
/* Append "-0.05 (95 % interval -0.12 to 0.02)", the difference to the best one. */
void panel_put_difference(struct buf *out, const struct sweep_data *data, int32_t config);
/* Append "at rung 1 (10 epochs)" or "after 2 of 5 folds". */
void panel_put_rung(struct buf *out, const struct sweep_data *data, int32_t rung);
/* Append "10 of 18 configurations were stopped at rung 1 (10 epochs) and 4 of 8 at rung 2 (30 epochs)". */
void panel_put_stops(struct buf *out, const struct sweep_data *data);
/* Why no configuration has a score: a sentence. */
const char *panel_why_no_score(struct buf *scratch, const struct sweep_data *data);

#endif
