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

/* How a line of stdout names the objective: the best way that a program uses counts. */
enum record_rank {
    RECORD_OF_FOLD,     /* "Fold 3: val_acc: 0.5" */
    RECORD_OTHER_WORDS, /* "Final val_acc" */
    RECORD_ALIKE,       /* "Val Acc" */
    RECORD_EXACT
};

struct record_item {
    char name[PROGRAM_NAME];
    double value;
    bool has_value;
    enum record_rank rank;    /* of the objective in stdout */
    bool is_ambiguous;        /* of stdout: another number of the line may be the objective, too */
    char shown[RECORD_SHOWN]; /* the text, or words of the objective, cut to fit; of JSON only
                                 without a value */
};

struct record {
    int32_t epoch;                  /* -1: none */
    bool is_weak;                   /* of stdout: the epoch is a round or a row of a table */
    char wrong_epoch[RECORD_SHOWN]; /* of stdout: a number that is no epoch, cut to fit; "": none */
    int32_t n;
    struct record_item item[PROGRAM_NAMES];
};

/* Parts of a line, which end at `end`. */
const char *record_skip_blanks(const char *at, const char *end);
const char *record_skip_digits(const char *at, const char *end);
/* The end of a number that begins at `at`; `at`: none. */
const char *record_number_end(const char *at, const char *end);
/* True if a number may end at `at`: "0,93", "5k" and "1.2.3" are none. */
bool record_ends_number(const char *at, const char *end);
/* Take the value at `at`: 0.5, 93.2%, "0.5", tensor(0.5, ...), 3/4 (75%). Returns its end; NULL: none. */
const char *record_take_number(double *out, const char *at, const char *end);

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
    const char *objective; /* borrowed */
    int32_t heading;       /* epoch of the last line "Epoch 3/10"; -1: none */
    int32_t steps;         /* length of the progress bars that belong to it; 0: unknown */
    int n_columns;    /* of the table that may go on in the next line; 0: none; -1: to be counted */
    struct buf heads; /* owned: the line with their names */
    struct buf plain; /* scratch, owned: a line without colours */
};

/* Remove all that a record contains. */
void record_clear(struct record *record);

/* Set the epoch if there is none so far; 2.4 is in epoch 3. Another text is a wrong epoch. */
void record_set_epoch(struct record *record, const char *text, size_t n, bool is_weak);

/* Add the text of a value: a number, "93%", or other text. The name epoch is the epoch. */
void record_put(struct record *record, const char *name, const char *text, size_t n);

/* Equal but for case and for the signs between words: val_acc and Val-Acc. */
bool record_is_like(const char *a, const char *b);

/* Parse a line of stdout. False: it contains no results. */
bool record_text_parse(struct record *out, struct record_text *state, const char *line, size_t n);

#endif
