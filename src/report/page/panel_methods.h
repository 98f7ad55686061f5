/* SPDX-License-Identifier: BSD-3-Clause */
/* The paragraphs for a paper, in the panel of the verdict, while they are written. */
#ifndef REPORT_PAGE_PANEL_METHODS_H
#define REPORT_PAGE_PANEL_METHODS_H

#include "report/page/page.h"
#include "report/page/panel.h"

enum { REFERENCES = 12 };

struct methods {
    const struct page *page;
    const struct sweep_data *d;
    const struct settings *s; /* of the model type of the choice; NULL: unknown */
    const char *samples;      /* "accessions" */
    const char *version;      /* of espalier, that ran it */
    bool has_stop_part; /* each trial set samples of its training part aside to choose the epoch */
    struct buf text;
    const char *references[REFERENCES]; /* borrowed */
    int n_references;
};

/* Add a text, which is borrowed, to the list of references, once. */
void methods_cite(struct methods *m, const char *reference);

/* The choice, its scores, and how others compare. */
void methods_put_results(struct methods *m);

#endif
