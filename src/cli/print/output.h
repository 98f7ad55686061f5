/* SPDX-License-Identifier: BSD-3-Clause */
/* How commands print answers (report/answer.h). */
#ifndef CLI_PRINT_OUTPUT_H
#define CLI_PRINT_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/outfile.h"
#include "cli/command/command.h"
#include "cli/print/inputs.h"
#include "report/answer.h"
#include "store/store.h"

enum output_shape {
    OUTPUT_TABLE,   /* JSON is the first section, as an array */
    OUTPUT_DOCUMENT /* JSON is an object with a member for each section */
};

/* Begin an answer in the format, and of the section, of the common options, which are borrowed.
 * Pair with output_end(). */
void output_begin(struct answer *answer, const struct common_options *common,
                  enum output_shape shape);

/* If rc is 0 print the answer, and on stderr the columns that did not fit; else the error. Release
 * the answer. Returns the exit status. */
int output_end(int rc, struct answer *answer, struct err *err);

/* An answer of one section that is written while it is made, so that its rows need not all fit in
 * memory. Only a table for people is kept until its end, for the widths of its columns. */
struct output_stream {
    struct answer *answer; /* borrowed */
    bool is_file;          /* false: stdout */
    struct outfile file;   /* owned */
    struct err *err;       /* borrowed; of the first failure */
    int rc;                /* -1: a write failed */
};

/* Begin to write the answer, before its first section, to a file that inputs_check() allows, or
 * with NULL and "-" to stdout. With a path it has all columns and no colour. -1 and err. After
 * success, call output_stream_close(). */
int output_stream_open(struct output_stream *stream, struct answer *answer, const char *path,
                       const struct inputs *inputs, struct err *err);
/* Write what was appended to the answer. Call between rows. */
void output_stream_write(struct output_stream *stream);
/* Write the rest if rc is 0; else leave the file unchanged. -1 and err. */
int output_stream_close(struct output_stream *stream, int rc);

/* Open common->db, let fill() make the answer, and end as output_end(). */
int output_database(const struct common_options *common, enum output_shape shape,
                    int (*fill)(struct answer *answer, struct store *store, const void *arg,
                                struct err *err),
                    const void *arg);

#endif
