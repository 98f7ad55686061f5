/* SPDX-License-Identifier: BSD-3-Clause */
/* From the files and columns that `init` recognised to the lines of [data] and [split], and to what
 * it prints about them. */
#ifndef CLI_INIT_INIT_DATA_H
#define CLI_INIT_INIT_DATA_H

#include "cli/init/init_columns.h"
#include "cli/init/init_propose.h"
#include "run/job.h"

/* Add the lines that say which data are read; paths are seen from the sweep file `output`. -1 and
 * err: a name that cannot stand in a sweep file. */
int init_data_lines(struct init_lines *lines, const struct init_files *files,
                    const struct init_columns *columns, const char *output, struct err *err);

/* Facts about data that were loaded by those lines. */
void init_data_facts(struct init_facts *facts, const struct init_files *files,
                     const struct init_columns *columns, const struct job *job);

/* Add the lines that the proposal decides about: task, group, covariates; drop those that turned
 * out to be of no use. */
int init_data_finish(struct init_lines *lines, const struct init_files *files,
                     const struct init_columns *columns, const struct job *job,
                     const struct proposal *proposal, struct err *err);

/* Append what was recognised and joined, a line for each file and fact. */
void init_data_report(struct buf *out, const struct init_files *files,
                      const struct init_columns *columns, const struct job *job);

#endif
