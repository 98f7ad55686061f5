/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of a command: a document of named sections, each a table or a record.
 *
 *   table  All sections in turn, each under its heading, with prose between them. Sections without
 *          rows are left out, except those without a heading.
 *   csv    One section: the first, or the one asked for.
 *   json   An object with a member for each section; or one section alone: the one asked for, or
 *          the first of an answer that is not a document. */
#ifndef REPORT_ANSWER_H
#define REPORT_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "report/report.h"
#include "store/result_table.h"

/* A static row. A command asks for its sections in a fixed order. */
struct answer_section {
    const char *name;    /* the member in JSON, and the word after --section */
    const char *heading; /* the line above it, for people; NULL: none */
    bool is_record;
    const char *keep, *drop; /* columns that a narrow terminal keeps and drops (layout_fit()) */
};

struct answer_style {
    enum report_kind kind;
    const char *section;      /* borrowed; only this one; NULL: all */
    bool is_document;         /* JSON is an object of sections */
    int width;                /* of the terminal, in columns; 0: tables have all their columns */
    const char *bold, *plain; /* around headings and headers: SGR sequences, or NULL */
};

struct answer {
    struct answer_style style;
    struct buf out;       /* the text; harmless to terminals if the kind is REPORT_TABLE */
    struct buf left_out;  /* columns that did not fit: "val_r2, sd" */
    struct report report; /* the table that is being written */
    int32_t n_sections;   /* written so far, or skipped because they have no rows */
};

void answer_init(struct answer *answer, const struct answer_style *style);
void answer_release(struct answer *answer);

bool answer_is_for_people(const struct answer *answer);

/* True if the section belongs to the answer. The caller need not make sections that do not. */
bool answer_wants(const struct answer *answer, const struct answer_section *section);

/* Append a section; nothing happens if the answer does not want it. table: NULL if memory was
 * short; the answer then fails. */
void answer_table(struct answer *answer, const struct answer_section *section,
                  const struct result_table *table);

/* Append a table row by row: report_row() with the returned report, then answer_close(). NULL: the
 * answer does not want the section. names: [n_cols] borrowed until answer_close(). */
struct report *answer_open(struct answer *answer, const struct answer_section *section,
                           char *const *names, int32_t n_cols);
void answer_close(struct answer *answer);

/* Append a line or more for people, made harmless to terminals. Other kinds, and answers of one
 * section, ignore it. */
void answer_printf(struct answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Complete the text. False if the section that was asked for is missing. */
bool answer_end(struct answer *answer);

#endif
