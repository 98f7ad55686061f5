/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

void answer_init(struct answer *answer, const struct answer_style *style)
{
    memset(answer, 0, sizeof *answer);
    answer->style = *style;
}

void answer_release(struct answer *answer)
{
    buf_release(&answer->out);
    buf_release(&answer->left_out);
}

bool answer_is_for_people(const struct answer *answer)
{
    return answer->style.kind == REPORT_TABLE;
}

bool answer_wants(const struct answer *answer, const struct answer_section *section)
{
    const struct answer_style *style = &answer->style;

    if (style->section)
        return !strcmp(style->section, section->name);
    if (style->kind == REPORT_TABLE || (style->kind == REPORT_JSON && style->is_document))
        return true;
    return answer->n_sections == 0;
}

static bool has_members(const struct answer *answer)
{
    const struct answer_style *style = &answer->style;

    return style->kind == REPORT_JSON && style->is_document && !style->section;
}

static void begin_section(struct answer *answer, const struct answer_section *section)
{
    const struct answer_style *style = &answer->style;

    if (has_members(answer))
        buf_printf(&answer->out, "%s\"%s\": ", answer->n_sections ? ",\n " : "{", section->name);
    else if (answer_is_for_people(answer) && section->heading && !style->section)
        buf_printf(&answer->out, "%s%s%s%s\n", answer->out.size ? "\n" : "",
                   style->bold ? style->bold : "", section->heading,
                   style->plain ? style->plain : "");
    answer->n_sections++;
}

struct report *answer_open(struct answer *answer, const struct answer_section *section,
                           char *const *names, int32_t n_cols)
{
    struct report *report = &answer->report;

    if (!answer_wants(answer, section))
        return NULL;
    begin_section(answer, section);
    report_begin(report, &answer->out, names, n_cols, answer->style.kind);
    report->width = answer->style.width;
    report->keep = section->keep;
    report->drop = section->drop;
    report->bold = answer->style.bold;
    report->plain = answer->style.plain;
    report->left_out = &answer->left_out;
    report->caption = answer->caption;
    return report;
}

void answer_close(struct answer *answer)
{
    report_end(&answer->report);
}

void answer_table(struct answer *answer, const struct answer_section *section,
                  const struct result_table *table)
{
    struct report *report;

    if (!table)
        answer->out.failed = true;
    if (!table || !answer_wants(answer, section))
        return;
    if (answer_is_for_people(answer) && !table->n_rows && section->heading &&
        !answer->style.section) {
        answer->n_sections++;
        return;
    }
    if (section->is_record) {
        begin_section(answer, section);
        report_record(&answer->out, table, answer->style.kind);
        return;
    }
    report = answer_open(answer, section, table->names, table->n_cols);
    for (int64_t r = 0; r < table->n_rows; r++)
        report_row(report, &table->cells[r * table->n_cols]);
    answer_close(answer);
}

void answer_printf(struct answer *answer, const char *format, ...)
{
    va_list args;
    char *text;

    if (!answer_is_for_people(answer) || answer->style.section)
        return;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) {
        answer->out.failed = true;
    } else {
        escape_terminal(text, true);
        buf_puts(&answer->out, text);
        free(text);
    }
    va_end(args);
}

bool answer_end(struct answer *answer)
{
    if (has_members(answer) && !answer->n_sections)
        buf_puts(&answer->out, "{");
    if (has_members(answer))
        buf_puts(&answer->out, "}");
    if (answer->style.kind == REPORT_JSON)
        buf_putc(&answer->out, '\n');
    return answer->n_sections > 0 || !answer->style.section;
}
