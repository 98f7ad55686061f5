/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for papers: digits, merged columns, and escapes of Markdown and LaTeX. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/paper.h"
#include "report/report.h"

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
    INTEGER(1),    NONE,
    NONE,          NONE,
    NONE,          NONE,
};
static const struct result_table rows = {names, 10, 3, cells};

static void expect(enum report_kind kind, const char *wanted)
{
    struct paper paper = {0};
    struct buf out = {0};
    struct err err;

    assert_int_equal(paper_make(&paper, &rows, "val_r2", "difference", &err), 0);
    report_comment(&out, "a --> b\nc", kind);
    report_table(&out, &paper.table, kind);
    assert_string_equal(buf_text(&out), wanted);
    paper_release(&paper);
    buf_release(&out);
}

static void test_markdown(void **state)
{
    (void)state;
    assert_true(report_is_markup(report_kind_parse("markdown")));
    expect(REPORT_MARKDOWN,
           "<!-- a --&gt; b?c -->\n\n"
           "| place | type                   | val\\_r2       | difference                |\n"
           "|--:|:--|:--|:--|\n"
           "|     1 | &lt;b>a\\_b\\|50%&lt;/b> | 0.512 ± 0.062 | –                         |\n"
           "|     2 | x?y                    | −1234 ± 80    | −0.032 (−0.064 to −0.001) |\n"
           "|     3 | é^\\\\{}                 | 0.1           | -                         |\n");
}

static void test_latex(void **state)
{
    (void)state;
    assert_true(report_is_markup(report_kind_parse("latex")));
    expect(
        REPORT_LATEX,
        "% a --> b?c\n"
        "% needs \\usepackage{booktabs}\n"
        "\\begin{tabular}{rlll}\n"
        "\\toprule\n"
        "place & type                                                                    & "
        "val\\_r2           & difference                      \\\\\n"
        "\\midrule\n"
        "    1 & \\textless{}b\\textgreater{}a\\_b\\textbar{}50\\%\\textless{}/b\\textgreater{} & "
        "0.512 $\\pm$ 0.062 & --                              \\\\\n"
        "    2 & x?y                                                                     & "
        "$-$1234 $\\pm$ 80  & $-$0.032 ($-$0.064 to $-$0.001) \\\\\n"
        "    3 & é\\textasciicircum{}\\textbackslash{}\\{\\}                                 & "
        "0.1               & -                               \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n");
}

/* The examples of the rule: 0.827 +- 0.119 is 0.83 +- 0.12, 0.827 +- 0.367 is 0.8 +- 0.4. */
static void test_decimals(void **state)
{
    (void)state;
    assert_int_equal(paper_decimals(0.119), 2);
    assert_int_equal(paper_decimals(0.367), 1);
    assert_int_equal(paper_decimals(0.354), 2);
    assert_int_equal(paper_decimals(0.355), 1);
    assert_int_equal(paper_decimals(0.949), 1);
    assert_int_equal(paper_decimals(0.0951), 2);
    assert_int_equal(paper_decimals(0.09996), 2);
    assert_int_equal(paper_decimals(12), 0);
    assert_int_equal(paper_decimals(1e300), 0);
    assert_int_equal(paper_decimals(1e-300), 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_latex),
        cmocka_unit_test(test_decimals),
    };

    return cmocka_run_group_tests_name("paper", tests, NULL, NULL);
}
