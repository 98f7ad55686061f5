/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/data_report.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

void data_unmatched_release(struct data_unmatched *u)
{
    names_release(&u->genotypes);
    names_release(&u->phenotypes);
}

void data_put_example(struct buf *out, int32_t n, const char *text)
{
    if (n < DATA_EXAMPLES)
        buf_printf(out, "%s\"%.80s\"", n ? ", " : "", text);
    else if (n == DATA_EXAMPLES)
        buf_puts(out, " ...");
}

struct data_note *data_report_add(struct data_report *report, enum data_note_kind kind,
                                  const char *label, const char *format, ...)
{
    struct data_note *note = &report->note[report->n_notes++];
    va_list args;

    assert(report->n_notes <= DATA_NOTES);
    *note = (struct data_note){.kind = kind, .label = label};
    va_start(args, format);
    vsnprintf(note->text, sizeof note->text, format, args);
    va_end(args);
    return note;
}
