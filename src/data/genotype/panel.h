/* A file of variants (data/genotype/variants.h) on its way into a dataset: what the filters leave
 * of it. */
#ifndef DATA_GENOTYPE_PANEL_H
#define DATA_GENOTYPE_PANEL_H

#include "data/core/builder.h"
#include "data/core/filter.h"
#include "data/genotype/markers.h"
#include "data/genotype/variants.h"

struct panel {
    struct variants variants; /* its ids are the samples; select some of them before reading */
    struct markers markers;
    const struct filter *filter;
    struct data_report *report;
    struct names elsewhere; /* the first chromosomes of sites outside the regions */
};

/* Read the samples' ids. Pair with panel_release(), also after a failure. */
int panel_open(struct panel *p, enum variants_kind kind, const struct data_spec *spec,
               struct err *err);
void panel_release(struct panel *p); /* takes a zeroed one */

/* Read the genotypes of the selected samples, once. What the filters leave out is counted in
 * report. -1 and err: FILE:LINE or the record, what was found; nothing is left. */
int panel_read(struct panel *p, const struct filter *filter, struct data_report *report,
               struct err *err);

/* Lends names and genotypes to a draft, which may be built once. */
void panel_into(struct draft *draft, struct panel *p);

#endif
