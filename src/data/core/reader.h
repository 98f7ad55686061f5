/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers of the formats share. */
#ifndef DATA_CORE_READER_H
#define DATA_CORE_READER_H

#include "data/core/builder.h"
#include "data/core/data_spec.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* -1 and err unless the setting data.KEY of the format holds a path. */
int reader_need_path(const struct data_spec *spec, const char *path, const char *key,
                     struct err *err);

/* Whether the header begins FID IID, as PLINK's tables do. */
bool reader_has_family(const struct table *t);
/* The column of the ids: of that name, where one is given (NULL or "": none is); IID after FID; the
 * first. -1 and err: no such column. */
int32_t reader_id_column(const struct table *t, const char *name, struct err *err);

/* The cell of the row in a column as a new id: its number. -1 and err: empty, or there already. */
int32_t reader_new_id(struct names *ids, const struct table *t, int32_t col, struct err *err);

/* The number of the id in a column. -1 and err: not among ids, which come from the file `source`.
 */
int32_t reader_known_id(const struct names *ids, const struct table *t, int32_t col,
                        const char *source, struct err *err);

/* Whether a cell is one of the words, or one of the numbers among them written otherwise. */
bool reader_is_listed(const struct names *words, const char *cell);

#endif
