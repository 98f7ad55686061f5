/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/log_tail.h"
#include "unit.h"

static struct log_tail tail;
static struct buf text;

static void add(const char *bytes)
{
    log_tail_add(&tail, bytes, strlen(bytes));
}

/* Add n times the same byte. */
static void fill(char byte, size_t n)
{
    char *bytes = malloc(n + 1);

    memset(bytes, byte, n);
    log_tail_add(&tail, bytes, n);
    free(bytes);
}

/* Return what the tail contains, valid until the next call. */
static const char *content(void)
{
    buf_clear(&text);
    log_tail_put(&text, &tail);
    assert_false(buf_failed(&text));
    return buf_text(&text);
}

static int empty(void **state)
{
    (void)state;
    log_tail_clear(&tail);
    return 0;
}

static void test_short_output_stays_as_it_is(void **state)
{
    (void)state;
    assert_string_equal(content(), "");
    add("one\ntw");
    add("o\n\nthree");
    assert_string_equal(content(), "one\ntwo\n\nthree");
    assert_int_equal(tail.total, 14);
    log_tail_clear(&tail);
    log_tail_add(&tail, "a\0b", 3);
    content();
    assert_int_equal(text.size, 3);
    assert_memory_equal(text.data, "a\0b", 3);
}

/* The oldest bytes are lost, and the rest of their line unless it is long. */
static void test_full(void **state)
{
    static const struct {
        size_t n_a; /* times "a", then ... */
        const char *first;
        size_t n_b; /* times "b", then ... */
        const char *last;
        size_t size;
        const char *begin, *end;
    } cases[] = {
        {0, "a\n", LOG_TAIL_BYTES - 2, "", LOG_TAIL_BYTES, "a\nb", "b"}, /* exactly full */
        {0, "lost\n", LOG_TAIL_BYTES - 3, "\nc\n", LOG_TAIL_BYTES, "bb", "\nc\n"},
        {0, "lost\n", LOG_TAIL_BYTES - 3, "", LOG_TAIL_BYTES - 3, "bb", "b"},
        {2 * LOG_TAIL_BYTES, "", 0, "\ns: 0.4\n", LOG_TAIL_BYTES, "aa", "a\ns: 0.4\n"},
        {5000, "\n", LOG_TAIL_BYTES - 4096, "", LOG_TAIL_BYTES - 4096, "bb", "b"},
        {5000, "\n", LOG_TAIL_BYTES - 4097, "", LOG_TAIL_BYTES, "aa", "b"},
        {0, "", 3 * LOG_TAIL_BYTES, "c", LOG_TAIL_BYTES, "bb", "bc"},
        {0, "", 3 * LOG_TAIL_BYTES, "c\n", LOG_TAIL_BYTES, "bb", "bc\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        log_tail_clear(&tail);
        fill('a', cases[i].n_a);
        add(cases[i].first);
        fill('b', cases[i].n_b);
        add(cases[i].last);
        content();
        assert_int_equal(text.size, cases[i].size);
        assert_memory_equal(text.data, cases[i].begin, strlen(cases[i].begin));
        assert_string_equal(text.data + text.size - strlen(cases[i].end), cases[i].end);
    }
}

/* Pieces of all sizes, against the same bytes in one text. */
static void test_pieces(void **state)
{
    enum { BYTES = 5 * LOG_TAIL_BYTES };
    char *all = malloc(BYTES + 1);
    size_t at = 0;

    (void)state;
    for (int i = 0; i < BYTES; i++)
        all[i] = (char)(i % 997 ? 'a' + i % 26 : '\n');
    all[BYTES] = '\0';
    for (size_t n = 1; at < BYTES; n = n * 3 + 1) {
        n = n < BYTES - at ? n : BYTES - at;
        log_tail_add(&tail, all + at, n);
        at += n;
        if (at > LOG_TAIL_BYTES) {
            char last = all[at];

            all[at] = '\0';
            assert_string_equal(content(), strchr(all + at - LOG_TAIL_BYTES - 1, '\n') + 1);
            all[at] = last;
        }
        n = n > BYTES / 2 ? 1 : n;
    }
    free(all);
}

static void assert_reason(const char *output, size_t size, const char *wanted)
{
    char out[256];

    log_tail_clear(&tail);
    add(output);
    memset(out, 'x', sizeof out);
    assert_ptr_equal(log_tail_reason(out, size, &tail, 0), out);
    assert_string_equal(out, wanted);
}

static void test_reason(void **state)
{
    (void)state;
    assert_reason("", 200, "");
    assert_reason(" \n\t\n\r\n", 200, "");
    assert_reason("one\n\n  two\n \n", 200, "one | two");
    assert_reason("one\ntwo\nthree", 12, "two | three");
    assert_reason("one\ntwo\nthree", 11, "three");
    assert_reason("one\ntwo\nthree", 18, "one | two | three");
    assert_reason("one\nlong line\n", 9, "long ...");
    assert_reason("123\xc3\xa4"
                  "567",
                  8, "123...");
    assert_reason("\x1b[31;1mError:\x1b[0m bad\x1b(B \x1b]0;title\x07x\x1b", 200, "Error: bad x");
    assert_reason("10 %\r20 %\r30 %\n", 200, "30 %");
    assert_reason("    f(x)\n    ^^^^~~ ^\nError: bad\n", 200, "f(x) | Error: bad");
    assert_reason("windows\r\n", 200, "windows");
    assert_reason("a\tb\x01\x7f\x08 c", 200, "a b c");
    assert_reason("bad \xff byte, \xe2\x80\xae turn", 200, "bad ? byte, ? turn");
    log_tail_clear(&tail);
    fill('z', 2 * LOG_TAIL_BYTES);
    add("\nlast\n");
    assert_string_equal(log_tail_reason((char[16]){0}, 16, &tail, 0), "last");
}

static void test_reason_of_r(void **state)
{
    (void)state;
    assert_reason("read 3 rows\nError in f(1) : short\nExecution halted\n", 200,
                  "Error in f(1) : short");
    assert_reason("Error: no call here\nExecution halted\n", 200, "Error: no call here");
    assert_reason("Error in load(\"a.csv\",  : \n  cannot find 'y' in a.csv\n"
                  "Calls: main -> load\nExecution halted\n",
                  200, "Error in load(\"a.csv\",  : cannot find 'y' in a.csv");
    assert_reason("Error in fit(1) : third error\nIn addition: Warning messages:\n"
                  "1: In log(-1) : NaNs produced\n2: In fit(1) : NAs introduced by coercion\n"
                  "Execution halted\n",
                  200, "Error in fit(1) : third error");
    assert_reason("Error in try(f()) : caught\nIn addition: Warning message:\nIn f() : odd\n"
                  "Error in g() : \n  last\nSecond line\nCalls: g\nExecution halted\n",
                  200, "Error in g() : last | Second line");
    assert_reason("\x1b[1mError in `f()`:\x1b[22m\n! bad\nCaused by error:\n! worse\nBacktrace:\n"
                  "    x\n 1. \\-global f()\nExecution halted\n",
                  200, "Error in `f()`: ! bad | Caused by error: ! worse");
    assert_reason("Error in file(file, \"rt\") : cannot open the connection\n"
                  "Calls: read.csv -> read.table -> file\nIn addition: Warning message:\n"
                  "In file(file, \"rt\") :\n  cannot open file 'a.csv': No such file\n"
                  "Execution halted\n",
                  200,
                  "Error in file(file, \"rt\") : cannot open the connection | "
                  "In file(file, \"rt\") : cannot open file 'a.csv': No such file");
    assert_reason("Error in f() : cannot open the connection\nExecution halted\n", 200,
                  "Error in f() : cannot open the connection");
    assert_reason("Error: unexpected '}' in:\n\"y <- (3 +\nz }\"\nExecution halted\n", 200,
                  "Error: unexpected '}' in: \"y <- (3 + | z }\"");
    /* No error that can be recognised. */
    assert_reason("Fehler in f(1) : short\nExecution halted\n", 200,
                  "Fehler in f(1) : short | Execution halted");
    assert_reason("Execution halted", 200, "Execution halted");
    assert_reason("Errors: 3\nExecution halted\nmake: failed\n", 200,
                  "Errors: 3 | Execution halted | make: failed");
}

static void test_reason_of_python(void **state)
{
    (void)state;
    assert_reason("Traceback (most recent call last):\n  File \"x.py\", line 3, in <module>\n"
                  "    f(x)\n    ^^^^\nValueError: bad\n",
                  50, "f(x) | ValueError: bad");
    assert_reason(
        "epoch 1\nTraceback (most recent call last):\n  File \"x.py\", line 3, in f\n"
        "    load()\n"
        "RuntimeError: Error(s) in loading state_dict for Net:\n"
        "\tsize mismatch for a.weight: [3] and [5].\n"
        "\tsize mismatch for b.weight: [3] and [5].\n",
        120,
        "RuntimeError: Error(s) in loading state_dict for Net: size mismatch for a.weig..."
        "ze mismatch for b.weight: [3] and [5].");
    assert_reason("Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'a'\n\n"
                  "During handling of the above exception, another exception occurred:\n\n"
                  "Traceback (most recent call last):\n  File \"x.py\", line 3\n"
                  "RuntimeError: first\nsecond\n\n  third\n",
                  37, "RuntimeError: first | second | third");
    /* With a rank before each line, and behind a progress bar. */
    assert_reason("[rank0]: Traceback (most recent call last):\n[rank0]:   File \"x.py\", line 3\n"
                  "[rank1]: other\n[rank0]:     f()\n[rank0]: ValueError: bad\n[rank0]:   more\n",
                  50, "[rank0]: ValueError: bad | [rank0]:   more");
    assert_reason("  9%|x  | 1/9Traceback (most recent call last):\n  File \"x.py\", line 3\n"
                  "ValueError: bad:\nmore\n",
                  22, "ValueError: bad: more");
}

/* The wrapper's exception follows that of the program. */
static void test_reason_of_torchrun(void **state)
{
    static const char wrapper[] =
        "E0101 torch/api.py:863] failed (exitcode: 1)\nTraceback (most recent call last):\n"
        "  File \"torchrun\", line 8\n"
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n=====\n"
        "x.py FAILED\n  traceback : To enable traceback see: https\n";

    (void)state;
    log_tail_clear(&tail);
    add("Traceback (most recent call last):\n  File \"x.py\", line 3\nValueError: bad\n");
    add(wrapper);
    assert_string_equal(log_tail_reason((char[64]){0}, 64, &tail, 0),
                        "ValueError: bad | E0101 torch/api.py:863] failed (exitcode: 1)");
    assert_reason(wrapper, 150,
                  "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ===== | "
                  "x.py FAILED | traceback : To enable traceback see: https");
}

/* An exception that was caught, and a traceback without one. */
static void test_reason_behind_a_traceback(void **state)
{
    static const char caught[] =
        "Traceback (most recent call last):\n  File \"x.py\", line 3\nValueError: caught\n";

    (void)state;
    log_tail_clear(&tail);
    add(caught);
    for (int i = 0; i < 20; i++)
        add("epoch\n");
    add("bad argument\n");
    assert_string_equal(log_tail_reason((char[32]){0}, 32, &tail, 0),
                        "epoch | epoch | bad argument");
    log_tail_clear(&tail);
    add(caught);
    add("bad argument\n");
    assert_string_equal(log_tail_reason((char[34]){0}, 34, &tail, 0),
                        "ValueError: caught | bad argument");
    assert_reason("Traceback (most recent call last):\n  File \"x.py\", line 3\n", 24,
                  "File \"x.py\", line 3");
    assert_reason("Traceback (most recent call last):\n", 200,
                  "Traceback (most recent call last):");
}

static int release(void **state)
{
    (void)state;
    buf_release(&text);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_short_output_stays_as_it_is, empty),
        cmocka_unit_test_setup(test_full, empty),
        cmocka_unit_test_setup(test_pieces, empty),
        cmocka_unit_test_setup(test_reason, empty),
        cmocka_unit_test_setup(test_reason_of_r, empty),
        cmocka_unit_test_setup(test_reason_of_python, empty),
        cmocka_unit_test_setup(test_reason_of_torchrun, empty),
        cmocka_unit_test_setup(test_reason_behind_a_traceback, empty),
    };

    return cmocka_run_group_tests_name("log_tail", tests, NULL, release);
}
