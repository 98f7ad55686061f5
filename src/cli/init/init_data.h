/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of [data] and [split] for the files and columns that `init` recognised, and a report of
 * them. */
#ifndef CLI_INIT_INIT_DATA_H
#define CLI_INIT_INIT_DATA_H

#include "cli/init/init_columns.h"
#include "cli/init/init_propose.h"
#include "run/job.h"

/* Paths are relative to the sweep file `output`. -1 and err: a name cannot stand in a sweep
 * file. */
int init_data_lines(struct init_lines *lines, const struct init_files *files,
                    const struct init_columns *columns, const char *output, struct err *err);

/* Collect the facts of the loaded data. */
void init_data_facts(struct init_facts *facts, const struct init_files *files,
                     const struct init_columns *columns, const struct job *job);

/* Add the lines that depend on the proposal, and drop those that have no use after all. */
int init_data_finish(struct init_lines *lines, const struct init_files *files,
                     const struct init_columns *columns, const struct job *job,
                     const struct proposal *proposal, struct err *err);

/* Append a line for each file and each fact about the data. */
void init_data_report(struct buf *out, const struct init_files *files,
                      const struct init_columns *columns, const struct job *job);

#endif
