/* SPDX-License-Identifier: BSD-3-Clause */
/* The history of all sessions as Chrome trace events, which Perfetto and chrome://tracing show.
 *
 *   process      a host, and one named "sessions"
 *   thread       a rank on a host. Sessions that ran side by side, which a merged file can have,
 *                have threads of their own.
 *   slice        an attempt, coloured by its outcome, on each of its ranks; on the rank that it names,
 *                within it the phases of its trial
 *   instant      begin and end of a session; a rank that was lost; a trial that began again
 *
 * The file has the sum of each phase, not its moments. So the phases of a trial are drawn one after
 * another from the begin of the attempt that gave the result, shortened in proportion if earlier
 * attempts share the sum. An attempt without an end is drawn to the last moment known of its
 * session.
 *
 * Source: "Trace Event Format", docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include "base/err.h"
#include "base/outfile.h"
#include "store/store.h"

/* Write the trace, in constant memory besides the sessions. -1 and err: the store cannot be read or
 * has no session, or a write failed. */
int trace_write(struct outfile *out, struct store *store, struct err *err);

#endif
