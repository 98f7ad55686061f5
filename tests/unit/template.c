/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/template.h"
#include "stride.h"

/* Every place has the value that `source` points to; NULL: "<name>". */
static const char *value_of(void *source, const char *name)
{
    static char text[80];

    if (!strcmp(name, "none"))
        return NULL;
    snprintf(text, sizeof text, "<%s>", name);
    return source ? source : text;
}

/* The words of a template as "[a][b]". */
static const char *expanded(int (*parse)(struct template *, const char *, struct err *),
                            const char *text, const char *value)
{
    static struct buf out;
    struct template_words words;
    struct err err = {""};
    struct template t;

    buf_clear(&out);
    if (parse(&t, text, &err))
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(template_expand(&words, &t, value_of, (void *)(uintptr_t)value, &err), 0);
    assert_null(words.word[words.n]);
    for (size_t i = 0; i < words.n; i++)
        buf_printf(&out, "[%s]", words.word[i]);
    template_words_release(&words);
    template_release(&t);
    return buf_text(&out);
}

static void test_words(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"true", "[true]"},
        {"  python3\tcnn.py \n --lr {lr} ", "[python3][cnn.py][--lr][<lr>]"},
        {"a --note \"a b {x}\" '{y} $x'", "[a][--note][a b <x>][<y> $x]"},
        {"a{x}b{y}{z}", "[a<x>b<y><z>]"},
        {"{x} {x}", "[<x>][<x>]"},
        {"a '' \"\" b''", "[a][][][b]"},
        {"a {{x}} {{{x}}} '{{'", "[a][{x}][{<x>}][{]"},
        {"a\\ b \\\" \\' \\\\ \\{x\\} \\c", "[a b][\"]['][\\][{x}][c]"},
        {"a \"\\$ \\` \\\" \\\\ \\a \\{x}\"", "[a][$ ` \" \\ \\a \\<x>]"},
        {"a 'b\\' c\\\nd \\\n e \"f\\\ng\"", "[a][b\\][cd][e][fg]"},
        {"a 'it'\\''s' end\\", "[a][it's][end\\]"},
        {"a {lr-1.a_B}", "[a][<lr-1.a_B>]"},
        {"{x}", "[<x>]"},
        {"a $x $(b) ; c > d * # e", "[a][$x][$(b)][;][c][>][d][*][#][e]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(expanded(template_parse, cases[i].text, NULL), cases[i].words);
    assert_string_equal(expanded(template_parse, "a {x} \"{x}\" b", "'\"$(c)\n\\{y} *"),
                        "[a]['\"$(c)\n\\{y} *]['\"$(c)\n\\{y} *][b]");
    assert_string_equal(expanded(template_parse, "a {x} b", ""), "[a][][b]");
}

static void test_quoted(void **state)
{
    struct err err = {""};
    struct template t;
    const bool quoted[] = {false, false, true, true, true, true, false, false};

    (void)state;
    assert_int_equal(template_parse(&t, "a | '|' \"|\" \\| |'' | >", &err), 0);
    assert_int_equal(t.n, sizeof quoted / sizeof *quoted);
    for (size_t i = 0; i < t.n; i++)
        assert_int_equal(t.pieces[i].is_quoted, quoted[i]);
    template_release(&t);
}

static void refuse(int (*parse)(struct template *, const char *, struct err *), const char *text,
                   const char *message)
{
    struct err err = {""};
    struct template t;

    assert_int_equal(parse(&t, text, &err), -1);
    assert_string_equal(err.text, message);
    assert_null(t.pieces);
}

#define MANY_x "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void test_refused(void **state)
{
    static const char not_a_name[] =
        " is no name: must consist of letters, digits, '_', '.' and '-', "
        "and begin with a letter or '_'; write {{ and }} for braces";
    static const char *const bad[] = {"a b", "1a", "-a", ".a", " a", "a ", "print $1", "a/b", "{a"};
    static const char no_program[] = "names no program: must be a program and its arguments";
    char text[64], message[256];

    (void)state;
    refuse(template_parse, "", no_program);
    refuse(template_parse, " \n", no_program);
    refuse(template_parse, "'' a", no_program);
    refuse(template_parse_shell, " ", no_program);
    refuse(template_parse, "a 'b", "byte 3: the quote ' is not closed");
    refuse(template_parse, "a 'b' \"c'", "byte 7: the quote \" is not closed");
    refuse(template_parse_shell, "a 'b' \"c'", "byte 7: the quote \" is not closed");
    refuse(template_parse_shell, "a 'b' 'c", "byte 7: the quote ' is not closed");
    refuse(template_parse, "a {b", "byte 3: { is not closed by }; write {{ for a brace");
    refuse(template_parse, "a {{b}", "byte 6: a single }: write }} for a brace");
    refuse(template_parse, "a {}",
           "byte 3: {} is no name: must consist of letters, digits, '_', '.' and '-', and begin "
           "with a letter or '_'; write {{ and }} for braces");
    for (size_t i = 0; i < sizeof bad / sizeof *bad - 1; i++) {
        snprintf(text, sizeof text, "a '{%s}'", bad[i]);
        snprintf(message, sizeof message, "byte 4: {%s}%s", bad[i], not_a_name);
        refuse(template_parse, text, message);
        refuse(template_parse_shell, text, message);
    }
    refuse(template_parse, "a {" MANY_x MANY_x "}",
           "byte 3: {" MANY_x "...}: a name has at most 63 bytes");
}

static void assert_place(const struct template *t, size_t i, const char *name, size_t at)
{
    const struct template_piece *place = template_place(t, i);

    assert_non_null(place);
    assert_string_equal(template_name(t, place), name);
    assert_int_equal(place->at, at);
}

static void test_places(void **state)
{
    struct err err = {""};
    struct template t;
    struct template_words words;

    (void)state;
    assert_int_equal(template_parse(&t, "a {b} '{c}{b}' {none} [{d} {e:--f}] {e:--f}", &err), 0);
    assert_place(&t, 0, "b", 3);
    assert_place(&t, 1, "c", 8);
    assert_place(&t, 2, "b", 11);
    assert_place(&t, 3, "none", 16);
    assert_place(&t, 6, "e", 37);
    assert_null(template_place(&t, 7));
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(template_is_optional(template_place(&t, i)), i > 3);
    assert_int_equal(template_expand(&words, &t, value_of, NULL, &err), -1);
    assert_string_equal(err.text, "{none} has no value");
    assert_null(words.word);
    template_release(&t);
    template_release(&t);
}

/* Flags, lists and words in brackets. The value of {none} is missing. */
static void test_optional(void **state)
{
    static const struct {
        const char *text, *value, *words;
    } cases[] = {
        {"a {x:--flag} b", "yes", "[a][--flag][b]"},
        {"a {x:--flag} b", "True", "[a][--flag][b]"},
        {"a {x:-f}{y:-g}", "1", "[a][-f-g]"},
        {"a {x:--flag} b", "no", "[a][b]"},
        {"a {x:--flag} v={x:1} '{x:f}'", "false", "[a][v=][]"},
        {"a {none:--flag}", "yes", "[a]"},
        {"a {x...} b", " 3  4 5\t", "[a][3][4][5][b]"},
        {"a {x...} b", " ", "[a][b]"},
        {"a {x...}", "'b c'", "[a]['b][c']"},
        {"a [--m {x}] b", "0.9", "[a][--m][0.9][b]"},
        {"a [--m {none}] b", "0.9", "[a][b]"},
        {"a [--m={none}] [x{y}]", "0.9", "[a][x0.9]"},
        {"a [{x} {none} \"b ]\"] [{x...}]", "1 2", "[a][1][2]"},
        {"a [{x:--f} c]", "0", "[a][c]"},
        {"a [{none:--f} c]", "0", "[a][c]"},
        /* Brackets that are characters. */
        {"a [b] x[{y}] [{y}][0] [ {y} ] [[{y}]] [{{y}}] '[{y}]' \\[{y}] \"[{y}]\" [{y}", "1",
         "[a][[b]][x[1]][[1][0]][[][1][]][[[1]]][[{y}]][[1]][[1]][[1]][[1]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(expanded(template_parse, cases[i].text, cases[i].value),
                            cases[i].words);
    assert_string_equal(expanded(template_parse_env, "A=1 [B={none}] [C={x}] D={x:on}", "1"),
                        "[A=1][C=1][D=on]");
    refuse(template_parse, "a {x:}",
           "byte 3: {x:}: after the colon stands one word, as in {x:--flag}");
    refuse(template_parse, "a {x:--f g}",
           "byte 3: {x:--f g}: after the colon stands one word, as in {x:--flag}");
    refuse(template_parse, "a --b={x...}",
           "byte 7: {x...} must be a word of its own, without quotes");
    refuse(template_parse_shell, "a \"{x...}\"",
           "byte 4: {x...} must be a word of its own, without quotes");
    refuse(template_parse, "[{x}] a", "names no program: must be a program and its arguments");
    refuse(template_parse_env, "A=1 {x...}", "byte 5: {x...} is only for commands");
}

static void test_env(void **state)
{
    (void)state;
    assert_string_equal(expanded(template_parse_env, "", NULL), "");
    assert_string_equal(expanded(template_parse_env, "A=b 'B=c d' C_1=\"x {y}\"=z _=", NULL),
                        "[A=b][B=c d][C_1=x <y>=z][_=]");
    refuse(template_parse_env, "A", "'A': must be NAME=text");
    refuse(template_parse_env, "A=1 {x}=2", "'{x}': must be NAME=text");
    refuse(template_parse_env, "A{x}=2", "'A': must be NAME=text");
    refuse(template_parse_env, "=2", "'=2': must be NAME=text");
    refuse(
        template_parse_env, "2A=2",
        "'2A' is no name of a variable: must consist of letters, digits and '_', and begin with a "
        "letter or '_'");
    refuse(
        template_parse_env, "A-B=2",
        "'A-B' is no name of a variable: must consist of letters, digits and '_', and begin with "
        "a letter or '_'");
    refuse(template_parse_env, "AB=1 A=2 AB=3", "AB occurs twice");
    refuse(template_parse_env, "ESPALIER_X=1",
           "ESPALIER_X: names that begin with ESPALIER_ are set by espalier");
    refuse(template_parse_env, "A='b", "byte 3: the quote ' is not closed");
}

/* Return what a command prints; its status must be 0. */
static const char *output_of(char *const *argv)
{
    static char out[1024];
    int ends[2], status;
    size_t size = 0;
    ssize_t n;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (!child) {
        dup2(ends[1], STDOUT_FILENO);
        execv(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    while ((n = read(ends[0], out + size, sizeof out - 1 - size)) > 0)
        size += (size_t)n;
    close(ends[0]);
    out[size] = '\0';
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return out;
}

/* Each shell that is here must print the value between the marks, and do nothing else. */
static void shell_prints(const char *text, const char *value, const char *printed)
{
    static const char *const shells[] = {"/bin/sh", "/bin/bash"};
    char *argv[] = {NULL, (char[]){"-c"}, NULL, NULL};
    struct template_words words;
    struct err err = {""};
    struct template t;

    if (template_parse_shell(&t, text, &err))
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(template_expand(&words, &t, value_of, (void *)(uintptr_t)value, &err), 0);
    assert_string_equal(words.word[words.n - 2], "-c");
    argv[2] = words.word[words.n - 1];
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        const char *printed_here;

        argv[0] = (char *)(uintptr_t)shells[i];
        if (i && access(shells[i], X_OK))
            continue;
        printed_here = output_of(argv);
        if (strcmp(printed_here, printed) != 0)
            fail_msg("%s: %s: printed %s for %s", shells[i], argv[2], printed_here, printed);
    }
    template_words_release(&words);
    template_release(&t);
}

/* Return the status of a shell template, whose shell must see what the program in front of a pipe does. */
static int status_of(const char *text, const char *bash, bool *is_plain)
{
    struct buf words = {0};
    struct template t;
    char *argv[8] = {0}, *next;
    size_t n;
    int status;
    pid_t child;

    assert_int_equal(template_parse_shell(&t, text, NULL), 0);
    template_put_shell(&words, &n, &t, bash);
    *is_plain = !words.data[words.size - 1];
    buf_add(&words, text, strlen(text) + 1);
    next = words.data;
    for (size_t i = 0; i <= n; i++, next += strlen(next) + 1)
        argv[i] = next;
    child = fork();
    if (!child) {
        (void)!freopen("/dev/null", "w", stderr);
        execv(argv[0], argv);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    buf_release(&words);
    template_release(&t);
    return WEXITSTATUS(status);
}

static void test_pipes(void **state)
{
    static const struct {
        const char *text;
        bool has_pipe;
        int status;
    } cases[] = {
        {"false | cat", true, 1},
        {"true|cat", true, 0},
        {"true && (exit 7) | cat", true, 7},
        {"echo \"$(true | cat)\" >/dev/null", true, 0},
        {"false || true", false, 0},
        {"true >|/dev/null", false, 0},
        {"exit 3", false, 3},
    };
    const char *bash = template_bash();
    bool is_plain;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = status_of(cases[i].text, NULL, &is_plain);

        if (is_plain == cases[i].has_pipe ||
            (status != cases[i].status && (is_plain || status != 2)))
            fail_msg("/bin/sh: %s: status %d", cases[i].text, status);
        if (bash && status_of(cases[i].text, bash, &is_plain) != cases[i].status)
            fail_msg("%s: %s", bash, cases[i].text);
    }
}

static void test_shell(void **state)
{
    /* %s: the value. Each template prints it between < and >. */
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"printf '<%%s>' {x}", "<%s>"},
        {"printf '<%%s>' a{x}b", "<a%sb>"},
        {"printf '<%%s>' \"a {x} b\"", "<a %s b>"},
        {"printf '<%%s>' 'a {x} b'", "<a %s b>"},
        {"printf '<%%s>' \"a\"{x}'b'\"{x}\"'{x}'", "<a%sb%s%s>"},
        {"printf '<%%s>' \"\\{x}\"", "<\\%s>"},
        {"printf '<%%s>' \"\\\\{x}\"", "<\\%s>"},
        {"printf '<%%s>' \\\\{x}", "<\\%s>"},
        {"printf '<%%s>' \"\\\"{x}\" \\\n# it's a comment\n", "<\"%s>"},
        {"# it's \"a\ny={x}; printf '<%%s>' \"$y\"", "<%s>"},
        {"printf '<%%s>' \"$(echo a)${{none}}{x}\"", "<a%s>"},
        {"printf '<%%s>' $(echo a)${{none}}{x}", "<a%s>"},
        {"f() {{ printf '<%%s>' \"$#$1\"; }}; f {x}", "<1%s>"},
        {"for i in 1 2; do printf '<%%s>' {x}; done", "<%s><%s>"},
        {"y=$(printf '%%s.' {x}); printf '<%%s>' \"${{y}}\"", "<%s.>"},
        {"printf '<%%s>' '$'{x} '${x}'", "<$%s><$%s>"},
        {"printf '<%%s>' {x} \"`echo a`\"", "<%s><a>"},
        {"printf '<%%s>' {x} $((1 + 2))", "<%s><3>"},
    };
    static const char *const values[] = {
        "0.1",
        "",
        "a b",
        "it's",
        "\"",
        "\\",
        "'\\",
        "$(echo BAD)",
        "`echo BAD`",
        "; echo BAD",
        "'; echo BAD; '",
        "\"; echo BAD; \"",
        "'\"; echo BAD #",
        "a\nb\n  c",
        "\n",
        "&& echo BAD",
        "$HOME ${HOME}",
        "*",
        "~",
        "-n",
        "%s",
        "{x} {{",
        "!!",
        "\xc3\xa9\xff\x01\t|<>()",
        "$'\\''",
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k += (size_t)test_stride()) {
            char text[256], printed[256];
            const char *v = values[k];

            /* Command substitution drops line ends; these cases have others. */
            snprintf(text, sizeof text, "%s", cases[i].text);
            for (char *c = text; (c = strstr(c, "%%")); c++)
                memmove(c, c + 1, strlen(c));
            snprintf(printed, sizeof printed, "%s", "");
            for (const char *c = cases[i].printed; *c; c++) {
                size_t n = strlen(printed);

                if (c[0] == '%' && c[1] == 's')
                    snprintf(printed + n, sizeof printed - n, "%s", v);
                else
                    snprintf(printed + n, sizeof printed - n, "%c", *c);
                c += c[0] == '%';
            }
            shell_prints(text, v, printed);
        }
    shell_prints("printf '<%s>' [--m {none}] [-v={x}] {x...} \"[{x}]\"", "a 'b $(c)",
                 "<-v=a 'b $(c)><a><'b><$(c)><[a 'b $(c)]>");
    shell_prints("[ {x} = yes ] && printf '<%s>' {x:--flag} {none:--no}", "yes", "<--flag>");
}

static void test_shell_refused(void **state)
{
    static const struct {
        const char *text, *what;
    } cases[] = {
        {"a `b` {x}", "after a backtick"},
        {"a \"`b` {x}\"", "after a backtick"},
        {"cat <<END\n{x}\nEND", "after <<"},
        {"cat <\\\n<END\n{x}\nEND", "after <<"},
        {"a $((1 + {x}))", "after (("},
        {"a \"$((1 + {x}))\"", "after \"$(...)\""},
        {"((a < {x}))", "after (("},
        {"a $'b' {x}", "after $'"},
        {"a $\\\n'b' {x}", "after $'"},
        {"a ${{b:-{x}}}", "after ${...}"},
        {"a ${{b#c}} {x}", "after ${...}"},
        {"a \"${{b:-'}}\" {x}", "after ${...}"},
        {"a \"$(b {x})\"", "after \"$("},
        {"a \"$(b \"c\")\" {x}", "after \"$(...)\""},
        {"a \"$(case b in b) c;; esac)\" '{x}' \"$(d 'e')\" {x}", "after \"$(...)\""},
        {"a ${{{x}", "after ${"},
    };
    struct template t;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!template_parse_shell(&t, cases[i].text, &err))
            fail_msg("accepted: %s", cases[i].text);
        assert_non_null(strstr(err.text, "{x} cannot be quoted safely "));
        if (!strstr(err.text, cases[i].what))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
    refuse(template_parse_shell, "a \"$(b {x})\"",
           "byte 8: {x} cannot be quoted safely after \"$(; before that, write x={x}; and here "
           "\"$x\"");
    refuse(template_parse_shell, "a ${HOME}",
           "byte 3: ${HOME}: write {HOME} for the value, or ${{HOME}} for a variable of the shell");
    refuse(template_parse_shell, "a \"${x}\"",
           "byte 4: ${x}: write {x} for the value, or ${{x}} for a variable of the shell");
    refuse(template_parse_shell, "a # {x}",
           "byte 5: a place in a comment; write {{ and }} for braces");
    refuse(template_parse_shell, "a;# it's {x}",
           "byte 10: a place in a comment; write {{ and }} for braces");
}

static void test_put_command(void **state)
{
    struct template_words words;
    struct err err = {""};
    struct buf line = {0};
    struct template t;

    (void)state;
    assert_int_equal(
        template_parse(&t, "python3 -u a.py --lr=0.1 \"a b\" '' \"it's\" {x} '*' ~", &err), 0);
    assert_int_equal(template_expand(&words, &t, value_of, NULL, &err), 0);
    template_put_command(&line, &words);
    assert_string_equal(buf_text(&line),
                        "python3 -u a.py --lr=0.1 'a b' '' 'it'\\''s' '<x>' '*' '~'");
    template_words_release(&words);
    template_release(&t);
    buf_clear(&line);
    assert_int_equal(template_parse(&t, "A=b c=d", &err), 0);
    assert_int_equal(template_expand(&words, &t, value_of, NULL, &err), 0);
    template_put_command(&line, &words);
    assert_string_equal(buf_text(&line), "'A=b' c=d");
    template_words_release(&words);
    template_release(&t);
    buf_release(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quoted),        cmocka_unit_test(test_words),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_places),
        cmocka_unit_test(test_optional),      cmocka_unit_test(test_env),
        cmocka_unit_test(test_pipes),         cmocka_unit_test(test_shell),
        cmocka_unit_test(test_shell_refused), cmocka_unit_test(test_put_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
