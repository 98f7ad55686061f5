/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/markup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text_width.h"

struct replacement {
    const char *from, *to;
};

static const struct replacement markdown_text[] = {
    {"\\", "\\\\"}, {"`", "\\`"},  {"*", "\\*"}, {"_", "\\_"}, {"[", "\\["},
    {"]", "\\]"},   {"<", "&lt;"}, {"|", "\\|"}, {"~", "\\~"}, {"&", "&amp;"},
    {"$", "\\$"},   {"^", "\\^"},  {NULL, NULL},
};

/* After the end of a row, LaTeX takes a star or a bracket for an argument. */
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
    {"*", "{*}"},
    {"[", "{[}"},
    {"±", "$\\pm$"},
    {"−", "$-$"},
    {"–", "--"},
    {"†", "$^\\dagger$"},
    {NULL, NULL},
};

static const struct markup {
    const struct replacement *text;
    const char *ligatures; /* signs that join with one of their kind before them */
    const char *gap;       /* keeps them apart */
    const char *before_table;
    const char *caption[2]; /* before and after */
    const char *row[3];     /* before, between and after the cells */
    const char *align[4];   /* the line that aligns columns: before, text, number, after */
    bool is_align_first;    /* that line stands before the names */
    const char *after_names, *after_rows;
    const char *number[2];   /* around a number with a minus or an exponent */
    const char *minus;       /* there */
    const char *exponent[2]; /* around it */
} markups[N_MARKUP] = {
    [MARKUP_MARKDOWN] = {.text = markdown_text,
                         .ligatures = "",
                         .before_table = "",
                         .caption = {"Table: ", "\n\n"},
                         .row = {"| ", " | ", " |\n"},
                         .align = {"|", ":--|", "--:|", "\n"},
                         .after_names = "",
                         .after_rows = "",
                         .number = {"", ""},
                         .minus = "−",
                         .exponent = {" × 10<sup>", "</sup>"}},
    [MARKUP_LATEX] = {.text = latex_text,
                      .ligatures = "-`'",
                      .gap = "{}",
                      .before_table =
                          "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n",
                      .caption = {"\\caption{", "}\n"},
                      .row = {"", " & ", " \\\\\n"},
                      .align = {"\\begin{tabular}{", "l", "r", "}\n\\toprule\n"},
                      .is_align_first = true,
                      .after_names = "\\midrule\n",
                      .after_rows = "\\bottomrule\n\\end{tabular}\n\\end{table}\n",
                      .number = {"$", "$"},
                      .minus = "-",
                      .exponent = {" \\times 10^{", "}"}},
};

static const char minus_sign[] = "−"; /* U+2212 */

static void put_signed(struct buf *out, const struct markup *markup, bool is_negative,
                       const char *digits, size_t n, const char *exponent)
{
    bool is_plain = !is_negative && !exponent;

    buf_puts(out, is_plain ? "" : markup->number[0]);
    buf_puts(out, is_negative ? markup->minus : "");
    buf_add(out, digits, n);
    if (exponent) {
        long power = strtol(exponent, NULL, 10);

        buf_puts(out, markup->exponent[0]);
        buf_puts(out, power < 0 ? markup->minus : "");
        buf_put_decimal(out, labs(power));
        buf_puts(out, markup->exponent[1]);
    }
    buf_puts(out, is_plain ? "" : markup->number[1]);
}

void markup_number(struct buf *out, enum markup_kind kind, const char *number)
{
    bool is_negative = *number == '-';
    const char *digits = number + is_negative;
    size_t n = strcspn(digits, "e");

    put_signed(out, &markups[kind], is_negative, digits, n, digits[n] ? digits + n + 1 : NULL);
}

void markup_text(struct buf *out, enum markup_kind kind, const char *text)
{
    const struct markup *markup = &markups[kind];
    struct buf line = {0};
    const char *at, *start;

    buf_puts(&line, text);
    if (line.size && !buf_failed(&line))
        escape_terminal(line.data, false);
    for (at = start = buf_text(&line); *at;) {
        const struct replacement *r = markup->text;
        size_t sign = strlen(minus_sign), n = 0;

        if (!strncmp(at, minus_sign, sign))
            n = strspn(at + sign, "0123456789.");
        if (n) {
            put_signed(out, markup, true, at + sign, n, NULL);
            at += sign + n;
            continue;
        }
        while (r->from && strncmp(at, r->from, strlen(r->from)) != 0)
            r++;
        if (at > start && *at == at[-1] && strchr(markup->ligatures, *at))
            buf_puts(out, markup->gap);
        if (r->from)
            buf_puts(out, r->to);
        else
            buf_putc(out, *at);
        at += r->from ? strlen(r->from) : 1;
    }
    out->failed |= buf_failed(&line);
    buf_release(&line);
}

static void put_align(struct buf *out, const struct markup *markup,
                      const struct layout_column *columns, int32_t n_cols)
{
    buf_puts(out, markup->align[0]);
    for (int32_t c = 0; c < n_cols; c++)
        buf_puts(out, markup->align[columns[c].is_text ? 1 : 2]);
    buf_puts(out, markup->align[3]);
}

void markup_table(struct buf *out, enum markup_kind kind, const char *caption,
                  const struct layout_column *columns, int32_t n_cols, const char *cells,
                  int64_t n_rows)
{
    const struct markup *markup = &markups[kind];

    buf_puts(out, markup->before_table);
    if (caption) {
        buf_puts(out, markup->caption[0]);
        markup_text(out, kind, caption);
        buf_puts(out, markup->caption[1]);
    }
    if (markup->is_align_first)
        put_align(out, markup, columns, n_cols);
    for (int64_t r = -1; r < n_rows; r++) {
        for (int32_t c = 0; c < n_cols; c++) {
            const char *text = r < 0 ? columns[c].name : cells;

            buf_puts(out, markup->row[c ? 1 : 0]);
            if (columns[c].is_text)
                buf_puts(out, text);
            for (int i = text_width(text); i < columns[c].width; i++)
                buf_putc(out, ' ');
            if (!columns[c].is_text)
                buf_puts(out, text);
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
