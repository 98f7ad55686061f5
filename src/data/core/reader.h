/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DATA_CORE_READER_H
#define DATA_CORE_READER_H

#include "data/core/builder.h"
#include "data/core/data_spec.h"
#include "data/core/id_join.h"
#include "data/core/target.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* -1 and err if the path of setting data.KEY is not set. */
int reader_need_path(const struct data_spec *spec, const char *path, const char *key,
                     struct err *err);

/* PLINK's tables begin with FID IID. */
bool reader_has_family(const struct table *t);
/* Returns the column called `name` among those but `except` (-1: none). -1 and err, with `remedy`, if
 * there is none or several. setting: that names it. */
int32_t reader_column(const struct table *t, const char *name, int32_t except, const char *setting,
                      const char *remedy, struct err *err);
/* Returns the column called `name`, unless NULL or ""; else IID after FID; else the first. -1 and
 * err if there is no such column. */
int32_t reader_id_column(const struct table *t, const char *name, struct err *err);

/* Report the columns that settings name in another spelling. path: of the table. */
void reader_report_columns(struct data_report *report, const struct equality_count *spelled,
                           const char *path);

/* Returns the number of the new id. -1 and err if it is empty or repeated. */
int32_t reader_new_id(struct names *ids, const struct table *t, int32_t col, struct err *err);

/* Returns the sample of the cell's id. -1 and err if those of file `source` lack it. */
int32_t reader_known_id(struct id_join *join, const struct table *t, int32_t col,
                        const char *source, struct err *err);

/* Keep a copy of the current row's cell for sample i, as missing if it is one of the words. */
int reader_keep_cell(struct target_cells *cells, int32_t i, const struct table *t, int32_t col,
                     const struct names *missing, struct err *err);

/* True if a cell equals one of the words (data/text/equality.h). */
bool reader_is_listed(const struct names *words, const char *cell);

#endif
