/* SPDX-License-Identifier: BSD-3-Clause */
/* Results in lines of any form: [program] capture_pattern, a regular expression of PCRE2 with named
 * groups, such as
 *
 *     round (?<epoch>\d+): AUC so far (?<auc>\S+)
 *
 * The group `epoch` is the epoch; each other named group is the metric of its name. Every match in a line
 * counts. A pattern takes at most a fixed number of steps for a line. */
#ifndef PROGRAM_CAPTURE_PATTERN_H
#define PROGRAM_CAPTURE_PATTERN_H

#include "program/record.h"

#define CAPTURE_STEPS 1000000

struct capture_pattern;

/* NULL and err: "byte N: what is wrong", or the pattern has no named group. */
struct capture_pattern *capture_pattern_create(const char *text, struct err *err);
void capture_pattern_destroy(struct capture_pattern *pattern); /* NULL is fine */

/* Parse a line of stdout: by the pattern (NULL: none), or without a match by record_text_parse(), which
 * then leaves the names of groups to the pattern. Returns 1 for results, 0 for none, and -1 if the pattern
 * takes more than CAPTURE_STEPS steps. */
int capture_line(struct record *out, const struct capture_pattern *pattern,
                 struct record_text *state, const char *line, size_t n);

#endif
