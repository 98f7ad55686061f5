/* What `inspect` says of samples that are graphs. */
#ifndef CLI_INSPECT_REPORT_H
#define CLI_INSPECT_REPORT_H

#include "cli/inputs.h"
#include "data/core/data_report.h"
#include "run/job.h"

/* `espalier inspect --unmatched`: the ids that did not join. */

/* Write "id,file,resembles" for each: the file that it stands in, and an unmatched id of the other
 * file that it differs from only in case, blanks or punctuation. -1 and err: as cli_save(). */
int inspect_unmatched(const char *path, const struct data_unmatched *unmatched,
                      const struct settings *settings, const struct inputs *inputs,
                      struct err *err);

/* Append a cell of CSV, as in RFC 4180. */
void inspect_put_cell(struct buf *out, const char *text);

/* On stdout: features, nodes and edges of a graph, what was dropped or left out. */
void inspect_graphs(const struct job *job);

#endif
