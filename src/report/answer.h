/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of a command: named sections, each a table or a record.
 *
 *   table  All sections, under headings, with prose between them. Sections with a heading but no
 *          rows are left out.
 *   csv    One section: the first, or the one asked for.
 *   json   An object with a member for each section, or one section as in csv.
 *   others One section, as in csv. */
#ifndef REPORT_ANSWER_H
#define REPORT_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "report/report.h"
#include "store/result_table.h"

/* A static row. */
struct answer_section {
    const char *name;    /* the member in JSON, and the word after --section */
    const char *heading; /* the line above it, for people; NULL: none */
    bool is_record;
    const char *keep, *drop; /* layout_fit() */
};

struct answer_style {
    enum report_kind kind;
    const char *section;      /* borrowed; only this one; NULL: all */
    bool is_document;         /* JSON is an object of sections */
    int width;                /* columns of the terminal; 0: no limit */
    const char *bold, *plain; /* SGR sequences around headings, or NULL */
};

struct answer {
    struct answer_style style;
    struct buf out;      /* the text so far */
    struct buf left_out; /* columns that did not fit: "val_r2, sd" */
    const char *caption; /* of the next tables, in Markdown and LaTeX; borrowed, or NULL */
    struct report report;
    int32_t n_sections; /* written, or skipped for lack of rows */
};

void answer_init(struct answer *answer, const struct answer_style *style);
void answer_release(struct answer *answer);

bool answer_is_for_people(const struct answer *answer);

/* The caller need not make sections that the answer does not want. */
bool answer_wants(const struct answer *answer, const struct answer_section *section);

/* Append a section, if the answer wants it. table: NULL if memory was short; the answer then
 * fails. */
void answer_table(struct answer *answer, const struct answer_section *section,
                  const struct result_table *table);

/* Append a table row by row: report_row(), then answer_close(). NULL: the answer does not want the
 * section. names: [n_cols] borrowed until answer_close(). */
struct report *answer_open(struct answer *answer, const struct answer_section *section,
                           char *const *names, int32_t n_cols);
void answer_close(struct answer *answer);

/* Append prose, made harmless to terminals. Other kinds, and answers of one section, ignore it. */
void answer_printf(struct answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Complete the text. False: the section asked for is missing. */
bool answer_end(struct answer *answer);

#endif
