/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for papers: digits, merged columns, and escapes of Markdown and LaTeX. */
#include <math.h>

#include "report/markup.h"
#include "report/paper.h"
#include "report/report.h"
#include "unit.h"

static char *names[] = {"place", "type",    "mean",     "sd",        "trials",
                        "diff",  "diff_se", "diff_low", "diff_high", "seconds"};

#define INTEGER(value)                     \
    {                                      \
        .type = CELL_INTEGER, .i = (value) \
    }
#define REAL(value)                     \
    {                                   \
        .type = CELL_REAL, .f = (value) \
    }
#define TEXT(value)                     \
    {                                   \
        .type = CELL_TEXT, .s = (value) \
    }
#define NONE              \
    {                     \
        .type = CELL_NULL \
    }

static struct cell cells[] = {
    INTEGER(1),    TEXT("<b>a_b|50%</b>"),
    REAL(0.51234), REAL(0.0625),
    INTEGER(4),    REAL(0),
    REAL(0),       REAL(0),
    REAL(0),       REAL(2.5),
    INTEGER(2),    TEXT("x\ny"),
    REAL(-1234.5), REAL(80),
    INTEGER(4),    REAL(-0.0321),
    REAL(0.0099),  REAL(-0.0636),
    REAL(-0.0006), REAL(2.5),
    INTEGER(3),    TEXT("é^\\{}"),
    REAL(0.1),     NONE,
    INTEGER(4),    NONE,
    NONE,          NONE,
    NONE,          NONE,
};
static const struct result_table rows = {names, 10, 3, cells};

static void put(struct buf *out, const struct result_table *table, enum report_kind kind,
                const char *caption)
{
    struct report report;

    report_begin(&report, out, table->names, table->n_cols, kind);
    report.caption = caption;
    for (int64_t r = 0; r < table->n_rows; r++)
        report_row(&report, &table->cells[r * table->n_cols]);
    report_end(&report);
}

static void expect(enum report_kind kind, const char *wanted)
{
    struct paper paper = {0};
    struct buf out = {0};
    struct err err;

    assert_int_equal(paper_make(&paper, &rows, 4, "val_r2", "difference", &err), 0);
    assert_int_equal(paper.n_marked, 0);
    put(&out, &paper.table, kind, "a_b & 5 %\nc");
    assert_string_equal(buf_text(&out), wanted);
    paper_release(&paper);
    buf_release(&out);
}

static void test_markdown(void **state)
{
    (void)state;
    assert_true(report_is_markup(report_kind_parse("markdown")));
    expect(REPORT_MARKDOWN,
           "Table: a\\_b &amp; 5 %?c\n\n"
           "| place | type                   | val\\_r2       | difference                |\n"
           "|--:|:--|:--|:--|\n"
           "|     1 | &lt;b>a\\_b\\|50%&lt;/b> | 0.512 ± 0.062 | reference                 |\n"
           "|     2 | x?y                    | −1234 ± 80    | −0.032 (−0.064 to −0.001) |\n"
           "|     3 | é\\^\\\\{}                | 0.1           | –                         |\n");
}

static void test_latex(void **state)
{
    (void)state;
    assert_true(report_is_markup(report_kind_parse("latex")));
    expect(
        REPORT_LATEX,
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table}\n"
        "\\centering\n"
        "\\caption{a\\_b \\& 5 \\%?c}\n"
        "\\begin{tabular}{rlll}\n"
        "\\toprule\n"
        "place & type                                                                    & "
        "val\\_r2           & difference                      \\\\\n"
        "\\midrule\n"
        "    1 & \\textless{}b\\textgreater{}a\\_b\\textbar{}50\\%\\textless{}/b\\textgreater{} & "
        "0.512 $\\pm$ 0.062 & reference                       \\\\\n"
        "    2 & x?y                                                                     & "
        "$-1234$ $\\pm$ 80  & $-0.032$ ($-0.064$ to $-0.001$) \\\\\n"
        "    3 & é\\textasciicircum{}\\textbackslash{}\\{\\}                                 & "
        "0.1               & --                              \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\end{table}\n");
}

/* A mean over fewer trials has a dagger, and all numbers of trials are shown. */
static void test_fewer_trials(void **state)
{
    struct paper paper = {0};
    struct buf out = {0};
    struct err err;

    (void)state;
    cells[24].i = 3;
    assert_int_equal(paper_make(&paper, &rows, 4, "r", "d", &err), 0);
    cells[24].i = 4;
    assert_int_equal(paper.n_marked, 1);
    put(&out, &paper.table, REPORT_MARKDOWN, "† few");
    assert_non_null(strstr(buf_text(&out), "Table: † few\n\n| place | type "));
    assert_non_null(strstr(buf_text(&out), " | r             | trials | d "));
    assert_non_null(strstr(buf_text(&out), "{}                | 0.1†          |      3 | – "));
    buf_clear(&out);
    put(&out, &paper.table, REPORT_LATEX, "† few");
    assert_non_null(strstr(buf_text(&out), "\\caption{$^\\dagger$ few}\n"));
    assert_non_null(strstr(buf_text(&out), " & 0.1$^\\dagger$ "));
    paper_release(&paper);
    buf_release(&out);
}

/* Each sign alone, then in the places where LaTeX would take it for something else. */
static const struct case_of {
    const char *text, *markdown, *latex;
} texts[] =
    {
        {"%", "%", "\\%"},
        {"_", "\\_", "\\_"},
        {"&", "&amp;", "\\&"},
        {"#", "#", "\\#"},
        {"~", "\\~", "\\textasciitilde{}"},
        {"^", "\\^", "\\textasciicircum{}"},
        {"\\", "\\\\", "\\textbackslash{}"},
        {"{", "{", "\\{"},
        {"}", "}", "\\}"},
        {"$", "\\$", "\\$"},
        {"<", "&lt;", "\\textless{}"},
        {">", ">", "\\textgreater{}"},
        {"|", "\\|", "\\textbar{}"},
        {"*", "\\*", "{*}"},
        {"[x]", "\\[x\\]", "{[}x]"},
        {"a-b", "a-b", "a-b"},
        {"a---b", "a---b", "a-{}-{}-b"},
        {"``a''", "\\`\\`a''", "`{}`a'{}'"},
        {"−2.5 to −0.1.", "−2.5 to −0.1.", "$-2.5$ to $-0.1.$"},
        {"− x", "− x", "$-$ x"},
        {"größe 大", "größe 大", "größe 大"},
        {"\x1b[31m\t\r\n", "?\\[31m???", "?{[}31m???"},
},
  numbers[] = {
      {"0", "0", "0"},
      {"0.5", "0.5", "0.5"},
      {"-0.12", "−0.12", "$-0.12$"},
      {"1e-05", "1 × 10<sup>−5</sup>", "$1 \\times 10^{-5}$"},
      {"-2.5e+30", "−2.5 × 10<sup>30</sup>", "$-2.5 \\times 10^{30}$"},
};

static void check_case(const struct case_of *c,
                       void (*put_text)(struct buf *out, enum markup_kind kind, const char *text))
{
    struct buf out = {0};

    put_text(&out, MARKUP_MARKDOWN, c->text);
    assert_string_equal(buf_text(&out), c->markdown);
    buf_clear(&out);
    put_text(&out, MARKUP_LATEX, c->text);
    assert_string_equal(buf_text(&out), c->latex);
    buf_release(&out);
}

static void test_escapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_case(&texts[i], markup_text);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check_case(&numbers[i], markup_number);
}

/* Braces, dollars and environments of a LaTeX table are balanced, whatever the texts are. */
static void test_balance(void **state)
{
    static char *hostile_names[] = {"}{$%&#_^~\\", "["};
    struct cell hostile[] = {TEXT("}}}$$$\\end{table}%"), TEXT("[2cm]"), TEXT("\\"), TEXT("*{")};
    const struct result_table table = {hostile_names, 2, 2, hostile};
    struct buf out = {0};
    int depth = 0, dollars = 0, separators = 0;

    (void)state;
    put(&out, &table, REPORT_LATEX, "%}{$\\");
    for (const char *at = strchr(buf_text(&out), '\n'); *at; at++) {
        if (*at == '\\') {
            at++;
            continue;
        }
        assert_int_not_equal(*at, '%');
        assert_int_not_equal(*at, '#');
        depth += (*at == '{') - (*at == '}');
        dollars += *at == '$';
        separators += *at == '&';
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(dollars % 2, 0);
    assert_int_equal(separators, 3);
    assert_null(strstr(buf_text(&out), "\\\\\n["));
    assert_null(strstr(buf_text(&out), "\\\\\n*"));
    buf_release(&out);
}

/* The examples of the rule: 0.827 +- 0.119 is 0.83 +- 0.12, 0.827 +- 0.367 is 0.8 +- 0.4. */
static void test_decimals(void **state)
{
    static const struct {
        double error;
        int decimals;
    } cases[] = {{0.119, 2},  {0.367, 1},   {0.354, 2}, {0.355, 1}, {0.949, 1},
                 {0.0951, 2}, {0.09996, 2}, {12, 0},    {1e300, 0}, {1e-300, 15}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(paper_decimals(cases[i].error), cases[i].decimals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markdown),     cmocka_unit_test(test_latex),
        cmocka_unit_test(test_fewer_trials), cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_balance),      cmocka_unit_test(test_decimals),
    };

    return cmocka_run_group_tests_name("paper", tests, NULL, NULL);
}
