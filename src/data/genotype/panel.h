/* A file of variants (data/genotype/variants.h) on its way into a dataset: what the filters leave
 * of it. */
#ifndef DATA_GENOTYPE_PANEL_H
#define DATA_GENOTYPE_PANEL_H

#include "data/core/builder.h"
#include "data/core/filter.h"
#include "data/genotype/markers.h"
#include "data/genotype/variants_open.h"

struct panel {
    struct variants variants; /* its ids are the samples; select some of them before reading */
    struct markers markers;
    const struct filter *filter;
    struct filter_counts *counts;
    struct variants_contradicted contradicted;
    int64_t n_missing;      /* calls of the markers kept */
    struct names elsewhere; /* the first chromosomes of sites outside the regions */
};

/* Read the samples' ids. Pair with panel_release(), also after a failure. */
int panel_open(struct panel *p, enum variants_kind kind, const struct data_spec *spec,
               struct err *err);
void panel_release(struct panel *p); /* takes a zeroed one */

/* Read the genotypes of the selected samples, once. What the filters leave out is counted.
 * -1 and err: FILE:LINE or the record, what was found; nothing is left. */
int panel_read(struct panel *p, const struct filter *filter, struct filter_counts *counts,
               struct err *err);

/* Lends names and genotypes to a draft, which may be built once. */
void panel_into(struct draft *draft, struct panel *p);

#endif
