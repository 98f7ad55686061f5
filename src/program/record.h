/* SPDX-License-Identifier: BSD-3-Clause */
/* One line of a program's results as a record. program/report.h describes both forms. */
#ifndef PROGRAM_RECORD_H
#define PROGRAM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "program/report.h"

enum { RECORD_SHOWN = 32 };

struct record_item {
    char name[PROGRAM_NAME];
    double value;
    bool has_value;
    char shown[RECORD_SHOWN]; /* the text, cut to fit; of JSON only without a value */
};

struct record {
    int32_t epoch;                  /* -1: none */
    char wrong_epoch[RECORD_SHOWN]; /* of stdout: text in place of an epoch, cut to fit; "": none */
    int32_t n;
    struct record_item item[PROGRAM_NAMES];
};

/* Parse all of a text as a number. NaN and inf count in any case. -1: it is none. */
int record_number(double *out, const char *text, size_t n);

/* The number of bytes at the start of a text that form a name; 0: none, or longer than a name. */
size_t record_name_length(const char *text, size_t n);

/* The reader of JSON lines. NULL: out of memory. */
struct json_tokener *record_json_open(void);
void record_json_close(struct json_tokener *reader); /* NULL is fine */

/* Parse an object, which begins at `line`; n > 0. A value that is null has no value in the record. -1: a fault, which err describes
 * without the line's number. */
int record_json_parse(struct record *out, struct json_tokener *reader, const char *line, size_t n,
                      struct err *err);

/* The state that earlier lines of a program's stdout leave for later ones. */
struct record_text {
    int32_t heading;  /* epoch of the last line "Epoch 3/10"; -1: none */
    int32_t steps;    /* length of the progress bars that belong to it; 0: unknown */
    struct buf plain; /* scratch, owned: a line without colours */
};

/* Parse a line of stdout. False: it contains no results. */
bool record_text_parse(struct record *out, struct record_text *state, const char *line, size_t n);

#endif
