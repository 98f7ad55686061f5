/* SPDX-License-Identifier: BSD-3-Clause */
/* A report about data that were read. `inspect` prints the facts; `run` and `predict` log the other
 * notes in order. */
#ifndef DATA_CORE_DATA_REPORT_H
#define DATA_CORE_DATA_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "data/core/filter.h"
#include "data/text/names.h"

/* Ids of genotypes and phenotypes that did not join. */
struct data_unmatched {
    struct names genotypes;  /* samples without a row */
    struct names phenotypes; /* rows with a value and no genotypes */
};
void data_unmatched_release(struct data_unmatched *u);

/* shown in a message */
enum { DATA_EXAMPLES = 3 };
/* Append a quoted text to a list of n; " ..." after the last example, then nothing. */
void data_put_example(struct buf *out, int32_t n, const char *text);

enum data_note_kind {
    DATA_NOTE_FACT, /* printed by `inspect` */
    DATA_NOTE_INFO, /* for the log */
    DATA_NOTE_WARNING,
};

enum { DATA_NOTES = 32, DATA_NOTE_BYTES = 1200 };

struct data_note {
    enum data_note_kind kind;
    const char *label; /* one or two words ("filters") */
    bool is_advice;    /* the sweep file's name goes before the text */
    char text[DATA_NOTE_BYTES];
};

struct data_report {
    int32_t n_samples;
    int32_t n_valued;   /* rows with a value */
    int32_t n_joined;   /* of these, of a known sample */
    int32_t n_unjoined; /* of these, of no sample */
    int32_t n_skipped;
    int32_t n_features;            /* before any was dropped */
    int64_t n_missing;             /* of kept features, set to the mean */
    double low, high;              /* extreme calls of a table of genotypes, else 0 */
    struct filter_counts filtered; /* markers of genotype files; else zero */
    int64_t n_duplicate_edges;     /* dropped, in either direction */
    int64_t n_self_loops;
    const char *unset; /* key of [data] whose absence made a load fail */
    struct data_note note[DATA_NOTES];
    int32_t n_notes;
};

/* label is borrowed for good. */
struct data_note *data_report_add(struct data_report *report, enum data_note_kind kind,
                                  const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
