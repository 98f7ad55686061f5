/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/markup.h"

#include <string.h>

#include "base/escape.h"
#include "base/text_width.h"

struct replacement {
    const char *from, *to;
};

static const struct replacement markdown_text[] = {
    {"\\", "\\\\"}, {"`", "\\`"}, {"*", "\\*"}, {"_", "\\_"},   {"[", "\\["}, {"]", "\\]"},
    {"<", "&lt;"},  {"|", "\\|"}, {"~", "\\~"}, {"&", "&amp;"}, {"$", "\\$"}, {NULL, NULL},
};
static const struct replacement markdown_comment[] = {{">", "&gt;"}, {NULL, NULL}};

static const struct replacement latex_text[] = {
    {"\\", "\\textbackslash{}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"&", "\\&"},
    {"%", "\\%"},
    {"$", "\\$"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"±", "$\\pm$"},
    {"−", "$-$"},
    {"–", "--"},
    {NULL, NULL},
};
static const struct replacement latex_comment[] = {{NULL, NULL}};

static const struct markup {
    const struct replacement *text, *inside_comment;
    const char *comment[2]; /* before and after */
    const char *row[3];     /* before, between and after the cells */
    const char *align[4];   /* the line that aligns columns: before, text, number, after */
    bool is_align_first;    /* that line stands before the names */
    const char *after_names, *after_rows;
} markups[N_MARKUP] = {
    [MARKUP_MARKDOWN] = {.text = markdown_text,
                         .inside_comment = markdown_comment,
                         .comment = {"<!-- ", " -->\n\n"},
                         .row = {"| ", " | ", " |\n"},
                         .align = {"|", ":--|", "--:|", "\n"},
                         .after_names = "",
                         .after_rows = ""},
    [MARKUP_LATEX] = {.text = latex_text,
                      .inside_comment = latex_comment,
                      .comment = {"% ", "\n"},
                      .row = {"", " & ", " \\\\\n"},
                      .align = {"% needs \\usepackage{booktabs}\n\\begin{tabular}{", "l", "r",
                                "}\n\\toprule\n"},
                      .is_align_first = true,
                      .after_names = "\\midrule\n",
                      .after_rows = "\\bottomrule\n\\end{tabular}\n"},
};

static void put_replaced(struct buf *out, const char *text, const struct replacement *replacements)
{
    struct buf line = {0};

    buf_puts(&line, text);
    if (line.size && !buf_failed(&line))
        escape_terminal(line.data, false);
    for (const char *at = buf_text(&line); *at;) {
        const struct replacement *r = replacements;

        while (r->from && strncmp(at, r->from, strlen(r->from)) != 0)
            r++;
        if (r->from)
            buf_puts(out, r->to);
        else
            buf_putc(out, *at);
        at += r->from ? strlen(r->from) : 1;
    }
    out->failed |= buf_failed(&line);
    buf_release(&line);
}

void markup_text(struct buf *out, enum markup_kind kind, const char *text)
{
    put_replaced(out, text, markups[kind].text);
}

void markup_comment(struct buf *out, enum markup_kind kind, const char *text)
{
    const struct markup *markup = &markups[kind];

    buf_puts(out, markup->comment[0]);
    put_replaced(out, text, markup->inside_comment);
    buf_puts(out, markup->comment[1]);
}

static void put_cell(struct buf *out, const char *text, const struct markup_column *column)
{
    int n_blanks = column->width - text_width(text);

    if (column->is_text)
        buf_puts(out, text);
    for (int i = 0; i < n_blanks; i++)
        buf_putc(out, ' ');
    if (!column->is_text)
        buf_puts(out, text);
}

static void put_align(struct buf *out, const struct markup *markup,
                      const struct markup_column *columns, int32_t n_cols)
{
    buf_puts(out, markup->align[0]);
    for (int32_t c = 0; c < n_cols; c++)
        buf_puts(out, markup->align[columns[c].is_text ? 1 : 2]);
    buf_puts(out, markup->align[3]);
}

void markup_table(struct buf *out, enum markup_kind kind, const struct markup_column *columns,
                  int32_t n_cols, const char *cells, int64_t n_rows)
{
    const struct markup *markup = &markups[kind];

    if (markup->is_align_first)
        put_align(out, markup, columns, n_cols);
    for (int64_t r = -1; r < n_rows; r++) {
        for (int32_t c = 0; c < n_cols; c++) {
            buf_puts(out, markup->row[c ? 1 : 0]);
            put_cell(out, r < 0 ? columns[c].name : cells, &columns[c]);
            cells += r < 0 ? 0 : strlen(cells) + 1;
        }
        buf_puts(out, markup->row[2]);
        if (r < 0 && !markup->is_align_first)
            put_align(out, markup, columns, n_cols);
        if (r < 0)
            buf_puts(out, markup->after_names);
    }
    buf_puts(out, markup->after_rows);
}
