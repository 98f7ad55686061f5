/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "data/text/table.h"
#include "data/text/textline.h"
#include "scratch.h"
#include "unit.h"

static void open_text(struct table *t, const char *text)
{
    struct err err = {""};

    if (table_open(t, scratch_text("t.csv", text), &err) != 0)
        fail_msg("%s", err.text);
}

static void next_row(struct table *t, int64_t line, const char *first, const char *last)
{
    struct err err = {""};

    if (table_next(t, &err) != 1)
        fail_msg("no row: %s", err.text);
    assert_int_equal(t->line, line);
    assert_string_equal(t->cell[0], first);
    assert_string_equal(t->cell[t->n_cols - 1], last);
}

/* Return the error's text without its folder, or "". */
static const char *first_error(const char *path)
{
    static struct err err;
    struct table t = {0};
    int status;

    err.text[0] = '\0';
    status = table_open(&t, path, &err);
    if (status == 0)
        while ((status = table_next(&t, &err)) > 0)
            ;
    table_close(&t);
    assert_int_equal(status, err.text[0] ? -1 : 0);
    if (strncmp(err.text, scratch_folder, strlen(scratch_folder)) == 0)
        return err.text + strlen(scratch_folder) + 1;
    return err.text;
}

static void test_rows(void **state)
{
    struct table t;
    struct err err;

    (void)state;
    open_text(&t, "id, a ,b\nx,1, 2 \n\n \ny,,3\n");
    assert_int_equal(t.n_cols, 3);
    assert_int_equal(t.line, 1);
    assert_string_equal(t.name[1], "a");
    next_row(&t, 2, "x", "2");
    next_row(&t, 5, "y", "3");
    assert_string_equal(t.cell[1], "");
    assert_string_equal(t.name[2], "b");
    assert_int_equal(table_next(&t, &err), 0);
    assert_int_equal(table_next(&t, &err), 0);
    table_close(&t);
    table_close(&t);
}

static int32_t column(const char *header, const char *name)
{
    struct table t;
    char text[200];
    int32_t found;

    snprintf(text, sizeof text, "%s\n", header);
    open_text(&t, text);
    found = table_column(&t, name, -1, NULL);
    table_close(&t);
    return found;
}

static void test_columns(void **state)
{
    (void)state;
    assert_int_equal(column("id,SMILES,y", "smiles"), 1);
    assert_int_equal(column("smiles_id,SMILES,smiles", "smiles"), 2);
    assert_int_equal(column("id,SMILES,Smiles", "smiles"), TABLE_NO_COLUMN);
    assert_int_equal(column("id,\"\xc2\xa0 smiles \",y", "smiles"), 1);
    assert_int_equal(column("id,2019.0,2020", "2019"), 1);
    assert_int_equal(column("id,y,y", "y"), TABLE_REFUSED);
}

static void test_line_ends(void **state)
{
    static const char *const end[] = {"\n", "\r\n", "\r"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct table t;
        char text[100];

        snprintf(text, sizeof text, "\xEF\xBB\xBFid,a%s%s1,2%s3,4", end[i], end[i], end[i]);
        open_text(&t, text);
        assert_string_equal(t.name[0], "id");
        next_row(&t, 3, "1", "2");
        next_row(&t, 4, "3", "4");
        table_close(&t);
    }
}

/* The CR and LF of a line end are in different chunks of 2^18 bytes. */
static void test_line_end_between_chunks(void **state)
{
    static const char head[] = {'i', 'd', '\r', '\n'};
    static const char tail[] = {'\r', '\n', 'y', '\r', '\n', 'z', '\r', '\n', 'w', '\r'};
    const size_t n = (1 << 18) + sizeof tail - 1;
    char *text = malloc(n);
    struct table t;
    struct err err;

    (void)state;
    memset(text, 'x', n);
    memcpy(text, head, sizeof head);
    memcpy(text + n - sizeof tail, tail, sizeof tail);
    assert_int_equal(table_open(&t, scratch_bytes("t.csv", text, n), &err), 0);
    assert_int_equal(table_next(&t, &err), 1);
    next_row(&t, 3, "y", "y");
    next_row(&t, 4, "z", "z");
    next_row(&t, 5, "w", "w");
    table_close(&t);
    free(text);
}

static void test_separators(void **state)
{
    struct table t;

    (void)state;
    open_text(&t, "id\ta,b;c\nx\t1,5\n");
    next_row(&t, 2, "x", "1,5");
    table_close(&t);
    open_text(&t, "\n\nid;a\nx;1\n");
    assert_int_equal(t.line, 3);
    next_row(&t, 4, "x", "1");
    table_close(&t);
    open_text(&t, "id,a;b\nx,1\n");
    next_row(&t, 2, "x", "1");
    table_close(&t);
    open_text(&t, "id\nx\n");
    next_row(&t, 2, "x", "x");
    table_close(&t);
    /* A tab at the end of a line adds an empty cell. */
    open_text(&t, "id\ta\nx\t\n");
    next_row(&t, 2, "x", "");
    table_close(&t);
}

/* If the header leaves the separator open, the next line decides. */
static void test_separators_of_names(void **state)
{
    static const struct {
        const char *text, *last;
    } tables[] = {
        {"id;\"a, b\";\"c, \"\"d, e\"\"\"\nx;1;2\n", "2"},
        {"id;a, b;c\nx;1,5;2,5\n", "2,5"},
        {"id;a, b\nx;1\n", "1"},
        {"id,a;b\nx,1;\n", "1;"},
        {"id,\"a;b;c\"\nx,1\n", "1"},
        {"id,\"a\tb\"\nx,1\n", "1"},
        {"\"id, of line\";a\nx;1", "1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct table t;

        open_text(&t, tables[i].text);
        next_row(&t, 2, "x", tables[i].last);
        table_close(&t);
    }
}

/* As PLINK and R write blanks. */
static void test_blanks(void **state)
{
    struct table t;

    (void)state;
    open_text(&t, "  FID   IID  FT \r\n f1 x   61\n\n\"a \"\"b  c\" \"\"  \"6,\n2\" \nf2 y 7\" ");
    assert_int_equal(t.separator, ' ');
    assert_int_equal(t.n_cols, 3);
    assert_string_equal(t.name[2], "FT");
    next_row(&t, 2, "f1", "61");
    next_row(&t, 4, "a \"b  c", "6,\n2");
    next_row(&t, 6, "f2", "7\"");
    table_close(&t);
    assert_string_equal(first_error(scratch_text("b.txt", "id a\nx 1 \ny  1 2\n")),
                        "b.txt:3: 3 cells: the header has 2");
    open_text(&t, "id, a b\nx y,1 2\n");
    assert_int_equal(t.separator, ',');
    next_row(&t, 2, "x y", "1 2");
    table_close(&t);
}

/* Blanks that continue in the next chunk of 2^18 bytes. */
static void test_blanks_between_chunks(void **state)
{
    const size_t n = (1 << 18) + 100;
    char *text = malloc(n);
    struct table t;
    struct err err;

    (void)state;
    memset(text, ' ', n);
    memcpy(text, "id a\nx", 6);
    memcpy(text + n - 6, "1\ny 2\n", 6);
    assert_int_equal(table_open(&t, scratch_bytes("t.txt", text, n), &err), 0);
    next_row(&t, 2, "x", "1");
    next_row(&t, 3, "y", "2");
    table_close(&t);
    free(text);
}

static void test_quotes(void **state)
{
    struct table t;

    (void)state;
    open_text(&t, "id,a\n\"x, \"\"y\"\"\",\"1\n2\"\nz,3\n");
    next_row(&t, 2, "x, \"y\"", "1\n2");
    next_row(&t, 4, "z", "3");
    table_close(&t);
    for (int i = 0; i < 3; i++) {
        static const char *const row[] = {"\"5\"x", "\"5\" \"x\"", "\"a\"\"\"b"};
        char text[64];

        snprintf(text, sizeof text, "id,a\nx,1\ny,%s\n", row[i]);
        assert_string_equal(first_error(scratch_text("q.csv", text)),
                            "q.csv:3: a misplaced quote: a cell must end after its closing quote; "
                            "double the quotes inside a quoted cell");
    }
    assert_string_equal(first_error(scratch_text("q.csv", "id,a\nx,\"1\ny,2\n")),
                        "q.csv:2: a quoted cell has no closing quote");
}

/* A quote inside a cell that does not begin with one is an ordinary character. */
static void test_stray_quotes(void **state)
{
    struct table t;

    (void)state;
    open_text(&t, "id;a\nN\"-ethyl ;5\"\n \"q\" ; \"\"\nx\"y;\"1;\n2\"\n\"\"\"\";\"");
    next_row(&t, 2, "N\"-ethyl", "5\"");
    next_row(&t, 3, "q", "");
    next_row(&t, 4, "x\"y", "1;\n2");
    table_close(&t);
    assert_string_equal(first_error(scratch_text("q.csv", "id,a\nx\"\",\"1\n")),
                        "q.csv:2: a quoted cell has no closing quote");
}

/* ---- as R and Excel write them ---- */

static void test_row_names(void **state)
{
    static const char *const named[] = {"m1 m2\na 0 1\nb 2 1\n",
                                        "\"m1\" \"m2\"\n\"a\" 0 1\n\"b\" 2 1\n",
                                        "m1\tm2\r\na\t0\t1\r\nb\t2\t1\r\n", "m1,m2\na,0,1\nb,2,1"};
    struct table t;

    (void)state;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        open_text(&t, named[i]);
        assert_true(t.has_row_names);
        assert_int_equal(t.line, 1);
        assert_int_equal(t.n_cols, 3);
        assert_string_equal(t.name[0], "row.names");
        assert_string_equal(t.name[1], "m1");
        next_row(&t, 2, "a", "1");
        next_row(&t, 3, "b", "1");
        assert_int_equal(table_next(&t, NULL), 0);
        table_close(&t);
    }
    open_text(&t, "\"y\"\n\"a b\" 1\n\"c\" 2\n"); /* one column */
    assert_true(t.has_row_names);
    next_row(&t, 2, "a b", "1");
    table_close(&t);
}

static void test_row_numbers(void **state)
{
    struct table t;

    (void)state;
    open_text(&t, "Taxa dpoll\n1 33-16 64.75\n2 A4226 65\n");
    assert_false(t.has_row_names);
    assert_int_equal(t.n_cols, 2);
    assert_string_equal(t.name[0], "Taxa");
    next_row(&t, 2, "33-16", "64.75");
    next_row(&t, 3, "A4226", "65");
    table_close(&t);
    open_text(&t, "m1,m2\n1,0,1\n2,2,1\n"); /* row numbers may be the only ids */
    assert_true(t.has_row_names);
    next_row(&t, 2, "1", "1");
    table_close(&t);
}

/* An unnamed column of numbers would join with ids that are numbers. */
static void test_unnamed_row_numbers(void **state)
{
    static const char *const numbered[] = {"\"\",\"id\",\"y\"\n\"1\",\"a\",2\n", ",id,y\n0,a,2\n"};
    struct table t;

    (void)state;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        assert_string_equal(
            first_error(scratch_text("r.csv", numbered[i])),
            "r.csv:1: the first column has no name and numbers the rows: write the table without "
            "it "
            "(R: row.names = FALSE, pandas: index=False), or name it if it holds the ids");
    assert_string_equal(first_error(scratch_text("r.csv", "id y\n1 7 2\n2 8 1\n")),
                        "r.csv:2: one cell more than the header: if R's write.table() numbered the "
                        "rows, write the table with row.names = FALSE");
    open_text(&t, ",y\n6909,68.3\n1,2\n"); /* ids */
    next_row(&t, 2, "6909", "68.3");
    table_close(&t);
}

/* Empty columns and rows of spreadsheets. */
static void test_empty(void **state)
{
    struct table t;

    (void)state;
    open_text(&t, "##remark, too\n,,,\nid,y,,\na,1,,\n,,,\nb,,,\n,,,\n");
    assert_int_equal(t.n_cols, 2);
    next_row(&t, 4, "a", "1");
    next_row(&t, 6, "b", "");
    assert_int_equal(table_next(&t, NULL), 0);
    table_close(&t);
    /* A real table of 2,029 accessions has one value below an empty name, and begins with id 1. */
    open_text(&t, "id,y,\n1,1,\nb,2,7\n");
    assert_int_equal(t.n_cols, 2);
    next_row(&t, 2, "1", "1");
    next_row(&t, 3, "b", "2");
    table_close(&t);
    assert_string_equal(first_error(scratch_text("e.csv", "id,y,\na,1,2,3\n")),
                        "e.csv:2: 4 cells: the header has 2");
}

static void test_no_row_names(void **state)
{
    (void)state;
    assert_string_equal(first_error(scratch_text("r.csv", "id,y\na,1,2\nb,1,2\n")),
                        "r.csv:2: 3 cells: the header has 2");
    assert_string_equal(first_error(scratch_text("r.csv", "m1,m2\na,1,\n")),
                        "r.csv:2: 3 cells: the header has 2");
    assert_string_equal(first_error(scratch_text("r.csv", "m1,m2\na,1,2\nb,1\n")),
                        "r.csv:3: 2 cells: the first row has 3");
    assert_string_equal(first_error(scratch_text("r.csv", "Taxa,y\n1,a,2\nb,1\n")),
                        "r.csv:3: 2 cells: the first row has 3");
    assert_string_equal(first_error(scratch_text("r.csv", "m1\n")), "");
}

static void test_named_separator(void **state)
{
    static const char *const texts[] = {"sep=;\nid;y,z\na;1,5\n", "SEP=;\r\nid;y,z\r\na;1,5\r\n",
                                        "\xEF\xBB\xBF\"sep=;\"\rid;y,z\ra;1,5",
                                        "sep=\t\nid\ty,z\na\t1,5\n"};
    struct table t;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        open_text(&t, texts[i]);
        assert_int_equal(t.n_cols, 2);
        assert_int_equal(t.line, 2);
        assert_string_equal(t.name[1], "y,z");
        next_row(&t, 3, "a", "1,5");
        assert_int_equal(table_next(&t, NULL), 0);
        table_close(&t);
    }
    assert_string_equal(first_error(scratch_text("s.csv", "sep=|\na|b\n")),
                        "s.csv:1: sep=|: must be a comma, a semicolon or a tab");
    assert_string_equal(first_error(scratch_text("s.csv", "sep=;")),
                        "s.csv: is empty: must begin with a line that names the columns");
    open_text(&t, "sep=;x,y\na,1\n"); /* an ordinary name */
    assert_int_equal(t.n_cols, 2);
    table_close(&t);
}

static void test_bad_tables(void **state)
{
    (void)state;
    assert_string_equal(first_error(scratch_text("r.csv", "id,a,b\nx,1,2\ny,1\n")),
                        "r.csv:3: 2 cells: the header has 3");
    assert_string_equal(first_error(scratch_text("r.csv", "id,a\nx,1,2\n")),
                        "r.csv:2: 3 cells: the header has 2");
    assert_string_equal(first_error(scratch_text("e.csv", "")),
                        "e.csv: is empty: must begin with a line that names the columns");
    assert_string_equal(first_error(scratch_text("e.csv", "\n \n")),
                        "e.csv: is empty: must begin with a line that names the columns");
    assert_string_equal(first_error(scratch_text("h.csv", "0,633\n0,1862\n")),
                        "h.csv:1: a header is missing: the first line must name the columns, this "
                        "one begins with the number 0");
    assert_string_equal(first_error(scratch_path("none.csv")),
                        "none.csv: cannot open: No such file or directory");
    assert_string_equal(first_error(scratch_folder), " is a directory: must be a table of text");
    assert_string_equal(first_error(scratch_bytes("n.csv", "id,a\nx,1\ny,\0\n", 13)),
                        "n.csv:3: a NUL byte: this is not text (save UTF-16 as UTF-8)");
    assert_string_equal(first_error(scratch_text("ok.csv", "id,a\n")), "");
}

static void test_numbers(void **state)
{
    static const char *const good[] = {"0", "9", "10", "-1.5e3", "+2", ".5", "1e-50"};
    static const char *const bad[] = {"",   "-",   "1,5", "0x10", "inf", "1e39",
                                      "1e", "1-2", "nan", "1 2",  "A",   "--1"};
    double v;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(table_parse_number(&v, good[i]));
        assert_true(v == strtod(good[i], NULL));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(table_parse_number(&v, bad[i]));
}

static void test_missing(void **state)
{
    struct table t;
    struct err err;
    double v;

    (void)state;
    open_text(&t, "id,a,b,c,d,e,f\nx,,NA,NaN,nan,.,-9\ny,1,N,n/a,inf,..,0\n");
    assert_int_equal(table_next(&t, &err), 1);
    for (int32_t j = 1; j < 6; j++) {
        assert_int_equal(table_number(&v, &t, j, &err), 0);
        assert_true(isnan(v));
    }
    assert_int_equal(table_number(&v, &t, 6, &err), 0);
    assert_true(v == -9);
    assert_int_equal(table_next(&t, &err), 1);
    for (int32_t j = 2; j < 6; j++)
        assert_int_equal(table_number(&v, &t, j, &err), -1);
    assert_string_equal(err.text + strlen(scratch_folder) + 1,
                        "t.csv:3: column \"e\" = \"..\": must be a number, or empty or NA where "
                        "missing");
    table_close(&t);
}

/* Quoted text cannot break a message into lines or control a terminal. */
static void test_message_is_one_line(void **state)
{
    struct table t;
    struct err err;
    double v;

    (void)state;
    open_text(&t, "id,a\nx,\"1\n\x1b[2J\"\n");
    assert_int_equal(table_next(&t, &err), 1);
    assert_int_equal(table_number(&v, &t, 1, &err), -1);
    assert_non_null(strstr(err.text, "= \"1??[2J\":"));
    table_close(&t);
}

static void refuse_row(const char *row, size_t limit, const char *message)
{
    struct err err = {""};
    struct table t;
    char text[200];

    snprintf(text, sizeof text, "a,b\n1,2\n%s\n", row);
    open_text(&t, text);
    t.limit = limit;
    assert_int_equal(table_next(&t, &err), 1);
    assert_int_equal(table_next(&t, &err), -1);
    assert_non_null(strstr(err.text, message));
    table_close(&t);
}

/* The limit applies to a row, even if quotes stretch it over several lines. */
static void test_longest_row(void **state)
{
    struct table t;

    (void)state;
    open_text(&t, "a,b\n1,2\n345678901234,\"6\n8\"\n");
    assert_int_equal(t.limit, TEXTLINE_BYTES_MAX);
    t.limit = 18;
    next_row(&t, 2, "1", "2");
    next_row(&t, 3, "345678901234", "6\n8");
    table_close(&t);
    refuse_row("345678901234,\"6\n89\"", 18,
               "t.csv:4: a line of more than 18 bytes: this is the limit");
    refuse_row("3456789012345678901234567890", 18, "t.csv:3: a line of more than 18 bytes: ");
    refuse_row("1,2,3,4", 24, "t.csv:3: a line of more than 3 cells: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_line_end_between_chunks),
        cmocka_unit_test(test_separators),
        cmocka_unit_test(test_separators_of_names),
        cmocka_unit_test(test_blanks),
        cmocka_unit_test(test_blanks_between_chunks),
        cmocka_unit_test(test_row_names),
        cmocka_unit_test(test_row_numbers),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_no_row_names),
        cmocka_unit_test(test_unnamed_row_numbers),
        cmocka_unit_test(test_named_separator),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_stray_quotes),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_message_is_one_line),
        cmocka_unit_test(test_longest_row),
    };

    return cmocka_run_group_tests_name("table", tests, scratch_make, scratch_remove);
}
