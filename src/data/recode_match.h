/* Which marker of a data set a site of another file is: for data/recode alone. */
#ifndef DATA_RECODE_MATCH_H
#define DATA_RECODE_MATCH_H

#include "base/buf.h"
#include "data/recode.h"

struct recode_match {
    int32_t marker; /* -1: none */
    bool is_flipped;
    bool is_by_name;
    bool is_by_id;
    bool is_other; /* the marker is here, with other alleles */
};

/* The marker at the site's place that has these alleles; -1: none. text: scratch, of which the
 * caller checks buf_failed(). */
int32_t recode_find_alleles(const struct recode *r, struct buf *text, const struct site *site,
                            const char *ref, const char *alt);

/* The marker of an id: of the data's ids, or a name where the data have no alleles; -1: none, or
 * several. */
int32_t recode_find_id(const struct recode *r, const char *id);

/* Of alternative allele number alt, by place, by name, and then as id_marker: the marker that has
 * the site's id, -1: none. */
struct recode_match recode_match_site(const struct recode *r, struct buf *text,
                                      const struct site *site, int32_t alt, int32_t id_marker);

#endif
