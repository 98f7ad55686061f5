/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of sweep_data_read(), internal to report/sweep. Each reads into a struct whose sweep,
 * configurations and choice are there. */
#ifndef REPORT_SWEEP_SWEEP_READ_H
#define REPORT_SWEEP_SWEEP_READ_H

#include "report/sweep/sweep_data.h"

/* n zeroed items from data->memory. NULL and err: out of memory. */
void *sweep_take(struct sweep_data *data, size_t n, size_t size, struct err *err);
/* A copy of a text in data->memory. NULL and err: out of memory. */
const char *sweep_copy(struct sweep_data *data, const char *text, struct err *err);
/* The same of a cell by column name. */
const char *sweep_copy_cell(struct sweep_data *data, const struct result_table *table, int64_t row,
                            const char *column, struct err *err);

/* Sort texts [n] and return how many differ, which come first. */
int32_t sweep_unique_texts(const char **texts, int32_t n);
/* The index of a text among sorted ones; -1: none. */
int32_t sweep_find_text(const char *const *texts, int32_t n, const char *text);

/* leaderboard: all rows of the sweep. */
int sweep_read_axes(struct sweep_data *data, const struct result_table *leaderboard,
                    struct err *err);
int sweep_read_settings(struct sweep_data *data, struct store *store, struct err *err);
int sweep_read_values(struct sweep_data *data, struct store *store, struct err *err);
int sweep_find_statistics(struct sweep_data *data, struct err *err);
int sweep_read_curves(struct sweep_data *data, struct store *store, struct err *err);
int sweep_read_history(struct sweep_data *data, struct store *store, struct err *err);
/* rows: of QUERY_DATA_FACTS. */
int sweep_take_facts(struct sweep_data *data, const struct result_table *rows, struct err *err);
int sweep_read_predictions(struct sweep_data *data, struct store *store, struct err *err);
int sweep_score_predictions(struct sweep_data *data, struct err *err);

#endif
