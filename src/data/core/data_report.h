/* SPDX-License-Identifier: BSD-3-Clause */
/* A report about data that were read: counts that formats share, and notes in the words of the
 * format. `inspect` prints the facts; `run` and `predict` log the rest in list order. */
#ifndef DATA_CORE_DATA_REPORT_H
#define DATA_CORE_DATA_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "data/text/names.h"

/* Ids of a genotype data set that did not join. Release takes a zeroed one. */
struct data_unmatched {
    struct names genotypes;  /* samples without a row in the table of phenotypes */
    struct names phenotypes; /* rows with a value, without a genotype */
};
void data_unmatched_release(struct data_unmatched *u);

/* A message shows at most this many examples. */
enum { DATA_EXAMPLES = 3 };

enum data_note_kind {
    DATA_NOTE_FACT, /* a line of `inspect` */
    DATA_NOTE_INFO, /* for the log, as is the next */
    DATA_NOTE_WARNING,
};

enum { DATA_NOTES = 16, DATA_NOTE_BYTES = 1200 };

struct data_note {
    enum data_note_kind kind;
    const char *label; /* one or two words: "filters"; `inspect` prints that of a fact */
    bool is_advice;    /* about settings: the sweep file is to be named before the text */
    char text[DATA_NOTE_BYTES];
};

/* Samples are those of the file with the features. */
struct data_report {
    int32_t n_samples;
    int32_t n_valued;   /* rows with a value to predict */
    int32_t n_joined;   /* of those, the ones of a sample */
    int32_t n_unjoined; /* of those, the others: dropped */
    int32_t n_skipped;  /* samples that cannot be read and were left out */
    int32_t n_features; /* read, before any was dropped */
    int64_t n_missing;  /* values of the features kept, set to the mean */
    double low, high;   /* least and largest call of a table of genotypes; 0 of other files */
    int64_t n_duplicate_edges; /* dropped: the same pair again, in either direction */
    int64_t n_self_loops;      /* dropped: every node gets one anyway */
    double suspect;            /* what may be a code for a missing value of the trait, like -9 */
    int32_t n_suspect;         /* cells that have it; 0: there is no such */
    const char *unset; /* of a load that failed: the key of [data] that is not given and that these
                          data cannot do without; NULL: the failure is another */
    struct data_note note[DATA_NOTES];
    int32_t n_notes;
};

/* Append a note; label is borrowed for good. The note is returned. */
struct data_note *data_report_add(struct data_report *report, enum data_note_kind kind,
                                  const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
