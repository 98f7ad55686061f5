/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of sweep_data_read(), internal to report/sweep. Each reads into a struct whose sweep,
 * configurations and choice are there. */
#ifndef REPORT_SWEEP_SWEEP_READ_H
#define REPORT_SWEEP_SWEEP_READ_H

#include "report/sweep/sweep_data.h"

/* leaderboard: all rows of the sweep. */
int sweep_read_axes(struct sweep_data *data, const struct result_table *leaderboard,
                    struct err *err);
int sweep_read_settings(struct sweep_data *data, struct store *store, struct err *err);
int sweep_read_values(struct sweep_data *data, struct store *store, struct err *err);
/* Put configurations that the search stopped last. */
int sweep_read_decisions(struct sweep_data *data, struct store *store, struct err *err);
/* Once the settings are there. */
void sweep_find_search(struct sweep_data *data);
int sweep_find_statistics(struct sweep_data *data, struct err *err);
int sweep_read_curves(struct sweep_data *data, struct store *store, struct err *err);
int sweep_read_history(struct sweep_data *data, struct store *store, struct err *err);
/* rows: of QUERY_DATA_FACTS. */
int sweep_take_facts(struct sweep_data *data, const struct result_table *rows, struct err *err);
int sweep_read_predictions(struct sweep_data *data, struct store *store, struct err *err);
int sweep_score_predictions(struct sweep_data *data, struct err *err);

#endif
