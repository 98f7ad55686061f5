/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/err.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/process.h"
#include "base/real.h"
#include "base/rng.h"
#include "base/text_width.h"
#include "base/words.h"
#include "scratch.h"
#include "unit.h"

static void test_err(void **state)
{
    struct err err;

    (void)state;
    assert_int_equal(err_set(&err, "line %d", 3), -1);
    assert_int_equal(err_wrap(&err, "%s", "grid.ini"), -1);
    assert_string_equal(err.text, "grid.ini: line 3");
    assert_int_equal(err_set(NULL, "nobody listens"), -1);
    err_set(&err, "\"%s\" \xc3\xa9", "a\tb\n\033[31m\177");
    assert_string_equal(err.text, "\"a?b??[31m?\" \xc3\xa9");
    err_wrap(&err, "%s", "c\r");
    assert_string_equal(err.text, "c?: \"a?b??[31m?\" \xc3\xa9");
    for (int i = 0; i < 2000; i++)
        err_wrap(&err, "deep");
    assert_true(strlen(err.text) < sizeof err.text);
}

static void test_errlist(void **state)
{
    struct errlist list = {0};

    (void)state;
    errlist_add(&list, "a %d", 1);
    errlist_add(&list, "b %d%s", 2, "\033[2J\n");
    assert_int_equal(list.n, 2);
    assert_string_equal(list.text[1], "b 2?[2J?");
    errlist_release(&list);
    errlist_release(&list);
}

static void test_log(void **state)
{
    const char *path = scratch_path("log");
    int kept = dup(STDERR_FILENO);
    char line[80] = "";
    FILE *file;

    (void)state;
    assert_non_null(freopen(path, "w", stderr));
    log_warn("column \"%s\"", "a\033[2J\nb");
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    file = fopen(path, "r");
    assert_true(fread(line, 1, sizeof line - 1, file) > 0);
    fclose(file);
    assert_string_equal(line, "espalier: warning: column \"a?[2J?b\"\n");
}

static void test_buf_round_trip(void **state)
{
    struct buf buf = {0};
    struct cursor in;
    char text[8];

    (void)state;
    assert_string_equal(buf_text(&buf), "");
    buf_put_u32(&buf, 7);
    buf_put_i64(&buf, -5);
    buf_put_f64(&buf, 0.5);
    buf_put_text(&buf, "a longer text");
    in = (struct cursor){.data = buf.data, .size = buf.size};
    assert_int_equal(cursor_u32(&in), 7);
    assert_int_equal(cursor_i64(&in), -5);
    assert_true(cursor_f64(&in) == 0.5);
    cursor_text(&in, text, sizeof text);
    assert_string_equal(text, "a longe");
    assert_false(in.failed);
    assert_int_equal(cursor_i64(&in), 0);
    assert_true(in.failed);
    buf_clear(&buf);
    buf_put_u32(&buf, 4000000000u); /* of a text that is cut */
    in = (struct cursor){.data = buf.data, .size = buf.size};
    cursor_text(&in, text, sizeof text);
    assert_string_equal(text, "");
    assert_true(in.failed);
    buf_release(&buf);
}

static void test_arena(void **state)
{
    struct arena arena = {0};
    char *first = arena_take(&arena, 10, 1);
    char *second = arena_take_zeroed(&arena, 3000000, 1);

    (void)state;
    assert_int_equal((uintptr_t)first % 64, 0);
    assert_int_equal((uintptr_t)second % 64, 0);
    assert_int_equal(second[2999999], 0);
    assert_true(arena.peak_bytes >= 3000010);
    arena_reset(&arena);
    assert_int_equal(arena.used_bytes, 0);
    /* The pieces of both blocks fit one now, so that growing trials do not pile up blocks. */
    first = arena_take(&arena, 3000000, 1);
    assert_ptr_equal(arena_take(&arena, 10, 1), first + 3000000);
    assert_null(arena_take(&arena, SIZE_MAX / 2, 4));
    assert_non_null(arena_take(&(struct arena){.counts = true}, SIZE_MAX / 8, 4));
    assert_non_null(arena_take(&arena, 0, 4));
    arena_release(&arena);
    arena_release(&arena);
}

static void test_hash(void **state)
{
    struct hash hash = hash_text("");
    struct hash again;
    char hex[HASH_HEX_SIZE];

    (void)state;
    /* Published test vector of XXH3-128, empty input, seed 0. */
    assert_string_equal(hash_hex(hash, hex), "99aa06d3014798d86001c324468d497f");
    assert_int_equal(hash_parse(&again, hex), 0);
    assert_true(hash_equal(hash, again));
    assert_int_equal(hash_parse(&again, "xyz"), -1);
}

static void test_rng_vector(void **state)
{
    struct rng rng = {.key = {0xa4093822, 0x299f31d0}, .stream = 0x13198a2e, .nonce = 0x03707344};
    uint32_t out[4];

    (void)state;
    /* From kat_vectors of Random123: Philox4x32-10. */
    rng_block(out, &rng, 0x85a308d3, 0x243f6a88);
    assert_int_equal(out[0], 0xd16cfe09);
    assert_int_equal(out[1], 0x94fdcceb);
    assert_int_equal(out[2], 0x5001e420);
    assert_int_equal(out[3], 0x24126ea1);
}

static void test_rng_streams_and_moments(void **state)
{
    struct rng a, b;
    double sum = 0, squares = 0, uniform = 0;

    (void)state;
    rng_init(&a, hash_text("one"), RNG_WEIGHTS);
    rng_init(&b, hash_text("one"), RNG_DROPOUT);
    assert_true(rng_uniform(&a, 0, 0) != rng_uniform(&b, 0, 0));
    for (uint32_t i = 0; i < 20000; i++) {
        double z = rng_normal(&a, 1, i);

        sum += z;
        squares += z * z;
        uniform += rng_uniform(&a, 2, i);
    }
    assert_true(fabs(sum / 20000) < 0.03);
    assert_true(fabs(squares / 20000 - 1) < 0.04);
    assert_true(fabs(uniform / 20000 - 0.5) < 0.01);
}

static void test_rng_blocks(void **state)
{
    uint32_t index[77], out[77 * 4], block[4];
    struct rng rng;

    (void)state;
    rng_init(&rng, hash_text("blocks"), RNG_DROPOUT);
    for (uint32_t i = 0; i < 77; i++)
        index[i] = i * 0x9e3779b9u;
    rng_blocks(out, &rng, 6, index, 77);
    for (uint32_t i = 0; i < 77; i++) {
        rng_block(block, &rng, 6, index[i]);
        assert_memory_equal(out + 4 * i, block, sizeof block);
    }
}

static void test_shuffle(void **state)
{
    struct rng rng;
    int32_t items[100], again[100];
    int moved = 0;
    bool seen[100] = {false};

    (void)state;
    rng_init(&rng, hash_text("shuffle"), RNG_BATCH);
    for (int i = 0; i < 100; i++)
        items[i] = again[i] = i;
    rng_shuffle(items, 100, &rng, 4);
    rng_shuffle(again, 100, &rng, 4);
    assert_memory_equal(items, again, sizeof items);
    for (int i = 0; i < 100; i++) {
        seen[items[i]] = true;
        moved += items[i] != i;
    }
    for (int i = 0; i < 100; i++)
        assert_true(seen[i]);
    assert_true(moved > 80);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Control groups as Slurm nests them (limit on the job, none on the step), versions 1 and 2. */
static void test_memory(void **state)
{
    char self[256], root[256];

    (void)state;
    /* scratch_path() keeps too few paths. */
    snprintf(self, sizeof self, "%s", scratch_path("self"));
    snprintf(root, sizeof root, "%s", scratch_path("groups"));
    assert_int_equal(mkdir(root, 0700), 0);
    assert_int_equal(mkdir(scratch_path("groups/job"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("groups/job/step"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("groups/memory"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("groups/memory/job"), 0700), 0);
    write_file(self, "0::/job/step\n");
    assert_true(isinf(memory_cgroup_limit(self, root)));
    write_file(scratch_path("groups/job/step/memory.max"), "max\n");
    assert_true(isinf(memory_cgroup_limit(self, root)));
    write_file(scratch_path("groups/job/memory.max"), "1073741824\n");
    assert_true(memory_cgroup_limit(self, root) == 1073741824);
    write_file(scratch_path("groups/memory/job/memory.limit_in_bytes"), "536870912\n");
    assert_true(memory_cgroup_limit(self, root) == 1073741824);
    write_file(self, "2:cpu:/job\n11:memory:/job\n");
    assert_true(memory_cgroup_limit(self, root) == 536870912);
    /* In a container, the root of the tree is the container's own group. */
    write_file(scratch_path("groups/memory.max"), "1000\n");
    write_file(self, "0::/not/visible/here\n");
    assert_true(memory_cgroup_limit(self, root) == 1000);
    assert_true(isinf(memory_cgroup_limit(scratch_path("nothing"), root)));
    assert_true(memory_limit_bytes() > 1e6 && !isinf(memory_limit_bytes()));
}

static void test_utf8(void **state)
{
    static const char *const good[] = {
        "", "ft10", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\xb3", "\xf4\x8f\xbf\xbf"};
    /* Latin-1, a truncated character, a stray continuation byte, two overlong forms, a surrogate,
     * and a code point past the last. */
    static const char *const bad[] = {"caf\xe9",
                                      "caf\xc3",
                                      "caf\xa9",
                                      "caf\xc1\x81",
                                      "caf\xe0\x81\x81",
                                      "caf\xed\xa0\x80",
                                      "caf\xf4\x90\x80\x80",
                                      "caf\xf8\x88\x80\x80\x80"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_null(escape_find_invalid(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_ptr_equal(escape_find_invalid(bad[i]), bad[i] + 3);
}

static void test_tame(void **state)
{
    static const struct {
        const char *text, *tame, *lines;
    } cases[] = {
        {"", "", ""},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\xb3", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\xb3",
         "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\xb3"},
        {"a\tb\nc\r\033]52;c;eA==\007\177", "a?b?c??]52;c;eA==??", "a?b\nc??]52;c;eA==??"},
        {"\xc2\x80 \xc2\x9b \xc2\x9f \xc2\xa0", "? ? ? \xc2\xa0", "? ? ? \xc2\xa0"},
        /* Latin-1, with C1 control characters. */
        {"caf\xe9 \x9b"
         "31m \x80",
         "caf\xe9 ?31m ?", "caf\xe9 ?31m ?"},
        {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
         "\xe2\x80\xa7??\xe2\x80\xaf??\xe2\x81\xaa", "\xe2\x80\xa7??\xe2\x80\xaf??\xe2\x81\xaa"},
        {"cut \xe2\x80", "cut \xe2?", "cut \xe2?"},
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        strcpy(text, cases[i].text);
        assert_int_equal(escape_terminal(text, false), strlen(cases[i].tame));
        assert_string_equal(text, cases[i].tame);
        strcpy(text, cases[i].text);
        assert_int_equal(escape_terminal(text, true), strlen(cases[i].lines));
        assert_string_equal(text, cases[i].lines);
    }
}

static void test_escapes(void **state)
{
    static const struct {
        void (*escape)(struct buf *out, const char *text);
        const char *text, *escaped;
    } cases[] = {
        {escape_json_terminal, "caf\xe9 \xc3\xa9 \"\\\n\xc2\x9b\xe2\x80\xae \xe2\x80",
         "\"caf\xef\xbf\xbd \xc3\xa9 \\\"\\\\\\u000a\\u009b\\u202e \xef\xbf\xbd\xef\xbf\xbd\""},
        {escape_html, "", ""},
        {escape_html, "</script> & \"it's\"", "&lt;/script&gt; &amp; &quot;it&#39;s&quot;"},
        {escape_html, "a\tb\nc\r\001\177", "a\tb\nc\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {escape_html, "caf\xc3\xa9 \xe2\x80\xae", "caf\xc3\xa9 \xef\xbf\xbd"},
        {escape_html, "\xef\xbf\xbc\xef\xbf\xbe\xef\xbf\xbf",
         "\xef\xbf\xbc\xef\xbf\xbd\xef\xbf\xbd"},
        {escape_html, "caf\xe9 \xe2\x80", "caf\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd"},
        {escape_json_html, "", "\"\""},
        {escape_json_html, "h\xc3\xa4 \"q\" \\", "\"h\xc3\xa4 \\\"q\\\" \\\\\""},
        {escape_json_html, "</script><!--&", "\"\\u003c/script\\u003e\\u003c!--\\u0026\""},
        {escape_json_html, "a\nb\tc", "\"a\\u000ab\\u0009c\""},
        {escape_json_html, "\x01 \xff \xe2\x80\xa8 \xe2\x80\xae \xed\xa0\x80",
         "\"\\ufffd \\ufffd \\ufffd \\ufffd \\ufffd\\ufffd\\ufffd\""},
    };
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buf_clear(&out);
        cases[i].escape(&out, cases[i].text);
        assert_string_equal(buf_text(&out), cases[i].escaped);
    }
    buf_release(&out);
}

/* A child that sleeps, a zombie, and a child that was waited for. */
static void test_process(void **state)
{
    struct process self, child, other;
    char name[32];
    siginfo_t info;

    (void)state;
    process_self(&self);
    assert_int_equal(self.pid, getpid());
    assert_true(*self.host && *self.realm && self.start > 0);
    assert_int_equal(process_ask(&self), PROCESS_ALIVE);
    assert_int_equal(process_parent(getpid()), getppid());
    assert_int_equal(process_parent(-1), 0);
    assert_int_equal(prctl(PR_SET_NAME, "a) b"), 0);
    assert_string_equal(process_name(name, sizeof name, getpid()), "a) b");
    assert_int_equal(process_parent(getpid()), getppid());
    assert_string_equal(process_name(name, sizeof name, -1), "");
    child = self;
    child.start = 0;
    child.pid = fork();
    if (!child.pid)
        for (;;)
            pause();
    assert_int_equal(process_ask(&child), PROCESS_ALIVE);
    child.start = self.start - 1;
    assert_int_equal(process_ask(&child), PROCESS_GONE);
    child.start = 0;
    assert_int_equal(kill((pid_t)child.pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(process_ask(&child), PROCESS_GONE);
    /* Nor does a zombie of another user count as hidden. */
    other.pid = fork();
    if (!other.pid) {
        if (setuid(65534) || prctl(PR_SET_DUMPABLE, 1))
            _exit(0); /* only root can become another user */
        _exit(process_ask(&child) != PROCESS_GONE);
    }
    assert_int_equal(waitid(P_PID, (id_t)other.pid, &info, WEXITED), 0);
    assert_int_equal(info.si_status, 0);
    waitpid((pid_t)child.pid, NULL, 0);
    assert_int_equal(process_ask(&child), PROCESS_GONE);
    other = self;
    strcpy(other.host, "another");
    assert_int_equal(process_ask(&other), PROCESS_ELSEWHERE);
    other = self;
    strcpy(other.realm, "another boot");
    assert_int_equal(process_ask(&other), PROCESS_ELSEWHERE);
}

static void test_duration(void **state)
{
    static const struct {
        const char *text;
        double seconds; /* -1: refused */
    } cases[] = {
        {"90s", 90},         {"15m", 900},      {"2h", 7200},    {"90", 90},
        {"1d", 86400},       {"1h30m", 5400},   {"1.5h", 5400},  {"1-12:00:00", 129600},
        {"12:30:00", 45000}, {"12:30", 750},    {"90:00", 5400}, {"2-12", 216000},
        {"1-00:30", 88200},  {"0", 0},          {"0.25s", 0.25}, {"-1", -1},
        {"12:60", -1},       {"12:", -1},       {":12", -1},     {"1-", -1},
        {"1:2:3:4", -1},     {"1-1:2:3:4", -1}, {"h", -1},       {"1hm", -1},
        {"1 h", -1},         {"5x", -1},        {"", -1},        {"1h30", -1},
        {"..s", -1},         {"inf", -1},       {"-1-2", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double seconds = -1;
        int rc = duration_parse(&seconds, cases[i].text, NULL);

        if (seconds != cases[i].seconds || (rc == 0) != (cases[i].seconds >= 0))
            fail_msg("'%s': %d, %g seconds", cases[i].text, rc, seconds);
    }
}

static void test_duration_words(void **state)
{
    static const struct {
        double seconds;
        const char *words;
    } cases[] = {
        {0, "0 s"},          {0.25, "0.25 s"},    {1.5, "1.5 s"},        {45.9, "45 s"},
        {60, "1 min"},       {119, "1 min 59 s"}, {14399, "3 h 59 min"}, {7205, "2 h"},
        {200, "3 min 20 s"}, {86400, "1 d"},      {90000, "1 d 1 h"},    {12345678, "142 d 21 h"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[DURATION_TEXT];

        assert_string_equal(duration_words(text, cases[i].seconds), cases[i].words);
    }
}

static void test_words_cut(void **state)
{
    static const char digits[] = "0123456789";
    char text[101] = "", out[101];

    (void)state;
    for (int i = 0; i < 10; i++)
        memcpy(text + 10 * (size_t)i, digits, sizeof digits);
    assert_string_equal(words_cut(out, 101, text), text);
    assert_string_equal(words_cut(out, 100, text + 1), text + 1);
    assert_ptr_equal(words_cut(out, 67, text), out);
    assert_string_equal(out, "012345678901234567890123456789012345678901"
                             "...901234567890123456789");
    assert_string_equal(words_cut(out, 11, text), "0123456...");
    assert_string_equal(words_cut(out, 10, "abc\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"),
                        "abc\xc3\xa4...");
    memcpy(text + 41, "\xc3\xa4", 2);
    memcpy(text + 78, "\xc3\xa4", 2);
    assert_string_equal(words_cut(out, 67, text), "01234567890123456789012345678901234567890"
                                                  "...01234567890123456789");
    assert_string_equal(words_cut(out, 8, "\xa4\xa4\xa4\xa4\xa4\xa4\xa4\xa4\xa4"), "...");
}

static void test_bytes_words(void **state)
{
    static const struct {
        double bytes;
        const char *words;
    } cases[] = {{0, "0 bytes"},     {1, "1 byte"},     {999, "999 bytes"},  {1000, "1.0 kB"},
                 {17688, "18 kB"},   {2.5e6, "2.5 MB"}, {999.4e6, "999 MB"}, {999.9e6, "1.0 GB"},
                 {4.56e10, "46 GB"}, {3e12, "3.0 TB"},  {5e15, "5000 TB"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[BYTES_TEXT];

        assert_string_equal(bytes_words(text, cases[i].bytes), cases[i].words);
    }
    assert_string_equal(plural(1), "");
    assert_string_equal(plural(0), "s");
    assert_string_equal(plural(2), "s");
}

/* "ü" as one character and as u with a mark, a wide character, and bytes that are not UTF-8. */
static void test_text_width(void **state)
{
    static const struct {
        const char *text;
        int width;
        size_t of_three; /* bytes in three columns */
    } cases[] = {{"", 0, 0},
                 {"abcd", 4, 3},
                 {"gr\xc3\xbcn", 4, 4},
                 {"gru\xcc\x88n", 4, 5},
                 {"\xe6\xb0\xb4\xe7\xa8\xbb", 4, 3},
                 {"a\xe6\xb0\xb4z", 4, 4},
                 {"\xff\xfe\xc3", 3, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(text_width(cases[i].text), cases[i].width);
        assert_int_equal(text_prefix(cases[i].text, 3), cases[i].of_three);
    }
}

static void test_wrap(void **state)
{
    struct buf out = {0};

    (void)state;
    text_put_wrapped(&out, "one two  three", 2, 4, 9);
    assert_string_equal(buf_text(&out), "one two\n    three");
    buf_clear(&out);
    /* A wide character takes two columns, and a combining mark none. */
    text_put_wrapped(&out, "\xe6\xb0\xb4\xe7\xa8\xbb u\xcc\x88 z", 0, 1, 6);
    assert_string_equal(buf_text(&out), "\xe6\xb0\xb4\xe7\xa8\xbb u\xcc\x88\n z");
    buf_clear(&out);
    text_put_wrapped(&out, "a longer_than_that b", 0, 2, 8);
    assert_string_equal(buf_text(&out), "a\n  longer_than_that\n  b");
    buf_release(&out);
}

static void test_shell(void **state)
{
    static const char *const plain[] = {"r.db", "/a/b-c_d/x.1of2.db", "k=1,2:3@4%5+6",
                                        "gr\xc3\xbcn.db"};
    static const struct {
        const char *path, *word;
    } cases[] = {
        {"x;y z.db", "'x;y z.db'"},
        {"it's", "'it'\\''s'"},
        {"*.db", "'*.db'"},
        {"~/r.db", "'~/r.db'"},
        {"-r.db", "./-r.db"},
        {"- $r", "'./- $r'"},
        {"a\"`b", "'a\"`b'"},
        {"", "''"},
        {"a\\b", "'a\\b'"},
        {"{a,b}", "'{a,b}'"},
        {"#1", "'#1'"},
        {"a\tb", "'a\tb'"},
    };
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_string_equal(escape_shell(&out, plain[i]), plain[i]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(escape_shell(&out, cases[i].path), cases[i].word);
    buf_release(&out);
}

static void shortest(char out[32], double value)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

static void test_real_of_float(void **state)
{
    (void)state;
    assert_true(real_of_float(0.1f) == 0.1);
    assert_true(real_of_float(61.25f) == 61.25);
    assert_true(real_of_float(16777217.0f) == 16777216);
    assert_true((float)real_of_float(1.0f / 3) == 1.0f / 3);
}

static void test_real_format(void **state)
{
    static const double some[] = {0.1,
                                  1e-5,
                                  1e15,
                                  1e16,
                                  1e22,
                                  1e300,
                                  5e-324,
                                  2e-310,
                                  0.3,
                                  123456.5,
                                  2.5e-8,
                                  1.0 / 3,
                                  123456789012345678.0};
    struct rng rng;
    struct buf text = {0};
    char wanted[32];

    (void)state;
    rng_init(&rng, hash_text("real"), RNG_SIMULATE);
    for (uint32_t i = 0; i < 5000; i++) {
        double value = i < sizeof some / sizeof *some
                           ? some[i]
                           : (rng_uniform(&rng, 0, i) - 0.5) * pow(10, (double)(i % 60) - 30);

        if (i % 3 == 0)
            value = strtod((snprintf(wanted, sizeof wanted, "%.5g", value), wanted), NULL);
        shortest(wanted, value);
        if (value == floor(value) && fabs(value) < 1e15)
            snprintf(wanted, sizeof wanted, "%.0f", value);
        buf_clear(&text);
        real_format(&text, value);
        assert_string_equal(buf_text(&text), wanted);
    }
    buf_release(&text);
}

static void test_decimal(void **state)
{
    static const int64_t values[] = {0, 7, -7, 10, 1234567890, -1000, INT64_MAX, INT64_MIN};
    struct buf text = {0};
    char wanted[32];

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(wanted, sizeof wanted, "%lld", (long long)values[i]);
        buf_clear(&text);
        buf_put_decimal(&text, values[i]);
        assert_string_equal(buf_text(&text), wanted);
        buf_cut(&text, 1);
        assert_int_equal(strlen(buf_text(&text)), 1);
    }
    buf_release(&text);
}

static void test_utc(void **state)
{
    char text[CLOCK_TEXT];

    (void)state;
    assert_string_equal(clock_utc(text, 60), "1970-01-01 00:01:00 UTC");
    assert_string_equal(clock_utc(text, 1795427999.9), "2026-11-23 09:59:59 UTC");
    assert_string_equal(clock_utc(text, 0), "an unknown time");
    assert_string_equal(clock_utc(text, (double)NAN), "an unknown time");
    assert_string_equal(clock_utc(text, 1e15), "an unknown time");
}

/* Over a second of silence: how often a rank wakes, and how long a message may wait. */
static void test_backoff(void **state)
{
    struct backoff backoff = {0};
    double sleep_s = 0, last_s = 0;
    int n = 0;

    (void)state;
    for (; backoff.silent_s < 1; n++) {
        sleep_s = backoff_next(&backoff);
        assert_true(sleep_s >= last_s && sleep_s >= 0.1e-3);
        last_s = sleep_s;
    }
    assert_true(n < 250);
    assert_true(sleep_s < 0.02);
    while (backoff.silent_s < 100)
        sleep_s = backoff_next(&backoff);
    assert_true(sleep_s > 0.02 && sleep_s <= 0.1);
    backoff_reset(&backoff);
    assert_true(backoff_next(&backoff) < 1e-3);
}

static void test_disk_full(void **state)
{
    (void)state;
    assert_true(err_is_disk_full(ENOSPC) && err_is_disk_full(EDQUOT));
    assert_false(err_is_disk_full(EIO));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk_full),
        cmocka_unit_test(test_backoff),
        cmocka_unit_test(test_utc),
        cmocka_unit_test(test_err),
        cmocka_unit_test(test_errlist),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_buf_round_trip),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_rng_vector),
        cmocka_unit_test(test_rng_streams_and_moments),
        cmocka_unit_test(test_rng_blocks),
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_duration),
        cmocka_unit_test(test_duration_words),
        cmocka_unit_test(test_words_cut),
        cmocka_unit_test(test_bytes_words),
        cmocka_unit_test(test_text_width),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_tame),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_shell),
        cmocka_unit_test(test_process),
        cmocka_unit_test(test_real_format),
        cmocka_unit_test(test_real_of_float),
        cmocka_unit_test(test_decimal),
    };

    return cmocka_run_group_tests_name("base", tests, scratch_make, scratch_remove);
}
