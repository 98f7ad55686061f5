/* What a data set calls its chromosomes. Another file may have the prefix chr, or not: "1", "chr1"
 * and "Chr1" are one, unless the data have two of them. plink2 reads names so, too; bcftools does
 * not. */
#ifndef DATA_CHROMS_H
#define DATA_CHROMS_H

#include <stdbool.h>
#include <stddef.h>

#include "data/names.h"

struct chroms {
    struct names name;
    struct names bare; /* the same without prefix */
    bool is_mixed;     /* two are the same without: only whole names are compared */
};

/* Zero-initialise to begin. Release takes a zeroed one. */
void chroms_release(struct chroms *c);

/* One of the data's: the first n bytes; also one that is there already. -1 and err when memory is
 * short. */
int chroms_add(struct chroms *c, const char *text, size_t n, struct err *err);

/* What the data call a chromosome of another file; NULL: they have it not. */
const char *chroms_find(const struct chroms *c, const char *chrom);

#endif
