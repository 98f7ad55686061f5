/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_CMD_INSPECT_H
#define CLI_CMD_INSPECT_H

#include "cli/inputs.h"
#include "data/core/data_report.h"
#include "run/job.h"

/* What `inspect` says of samples that are graphs. */

/* `espalier inspect --unmatched`: the ids that did not join. */

/* What `inspect` says of samples that are graphs. */

/* `espalier inspect --unmatched`: the ids that did not join. */

#endif
