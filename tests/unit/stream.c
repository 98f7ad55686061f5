/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>

#include <htslib/bgzf.h>
#include <sys/stat.h>
#include <zlib.h>

#include "data/text/stream.h"
#include "scratch.h"
#include "stride.h"
#include "unit.h"

/* Three members of lines that compress, but do not vanish. */
enum { N_MEMBERS = 3, MEMBER_BYTES = 1000, TEXT_BYTES = N_MEMBERS * MEMBER_BYTES };

static char text[TEXT_BYTES];

static void make_text(void)
{
    for (int i = 0; i < TEXT_BYTES; i++)
        text[i] = i % 20 == 19 ? '\n' : (char)('0' + (unsigned)(i * 7919) % 1009 % 3);
}

static const char *write_members(const char *name)
{
    const char *path = scratch_path(name);

    for (int m = 0; m < N_MEMBERS; m++) {
        gzFile file = gzopen(path, m ? "ab" : "wb");

        assert_int_equal(gzwrite(file, text + m * MEMBER_BYTES, MEMBER_BYTES), MEMBER_BYTES);
        gzclose(file);
    }
    return path;
}

static const char *write_bgzf(const char *name)
{
    const char *path = scratch_path(name);
    BGZF *file = bgzf_open(path, "w");

    for (int m = 0; m < N_MEMBERS; m++) {
        assert_int_equal(bgzf_write(file, text + m * MEMBER_BYTES, MEMBER_BYTES), MEMBER_BYTES);
        assert_int_equal(bgzf_flush(file), 0);
    }
    bgzf_close(file);
    return path;
}

static size_t read_bytes(unsigned char *out, size_t size, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t n = fread(out, 1, size, file);

    fclose(file);
    assert_true(n > 0 && n < size);
    return n;
}

/* Return "" for the exact text, "fewer" if some is missing, "others" if bytes differ, or the
 * error. */
static const char *outcome(const char *path)
{
    static struct err err;
    char piece[700];
    size_t got = sizeof piece, n = 0;
    struct stream s;
    bool is_alike = true;
    int status = stream_open(&s, path, "a file of bytes", &err);

    if (status == 0) {
        for (; status == 0 && got == sizeof piece; n += got) {
            status = stream_read(piece, &got, &s, sizeof piece, &err);
            is_alike = is_alike && n + got <= TEXT_BYTES && !memcmp(piece, text + n, got);
        }
        stream_close(&s);
    }
    if (status == 0)
        return is_alike && n == TEXT_BYTES ? "" : is_alike ? "fewer" : "others";
    if (!strncmp(err.text, scratch_folder, strlen(scratch_folder)))
        return err.text + strlen(scratch_folder) + 1;
    return err.text;
}

/* ---- files that every reader refuses ---- */

#define ZIP(name) "PK\3\4\24\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\23\0\0\0" name

static const struct {
    const char *head;
    size_t n;
    const char *wanted; /* after "is " */
} foreign[] = {
#define FOREIGN(bytes, wanted)          \
    {                                   \
        bytes, sizeof bytes - 1, wanted \
    }
    FOREIGN(ZIP("[Content_Types].xml"), "an Excel workbook: save the sheet as CSV"),
    FOREIGN(ZIP("docProps/app.xml"), "an Excel workbook: save the sheet as CSV"),
    FOREIGN(ZIP("_rels/.rels....word/document.xml"), "a zip archive: unpack it"),
    FOREIGN(ZIP("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"),
            "an OpenDocument file: save the sheet as CSV"),
    FOREIGN(ZIP("panel.csv"), "a zip archive: unpack it"),
    FOREIGN("PK\3\4", "a zip archive: unpack it"),
    FOREIGN("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel 97 workbook: save"),
    FOREIGN("X\n\0\0\0\3\0\4", "R data (.rds): in R: write.csv(readRDS(FILE)"),
    FOREIGN("A\n3\n263168\n", "R data (.rds): in R"),
    FOREIGN("RDX3\nX\n", "R data (.RData): in R: load(FILE), then write.csv("),
    FOREIGN("\xfd"
            "7zXZ\0\0",
            "packed with xz: unpack it"),
    FOREIGN("BZh91AY&SY", "packed with bzip2: unpack it"),
    FOREIGN("\x28\xb5\x2f\xfd\4", "packed with zstd: unpack it"),
};
enum { N_FOREIGN = sizeof foreign / sizeof *foreign };

static void test_foreign(void **state)
{
    char wanted[200];

    (void)state;
    for (int i = 0; i < N_FOREIGN; i++) {
        const char *path = scratch_bytes("foreign", foreign[i].head, foreign[i].n);

        snprintf(wanted, sizeof wanted, "foreign: is %s", foreign[i].wanted);
        assert_memory_equal(outcome(path), wanted, strlen(wanted));
    }
}

/* R packs its files with gzip. */
static void test_foreign_in_gzip(void **state)
{
    const char *path = scratch_path("packed.rds");
    gzFile file = gzopen(path, "wb");

    (void)state;
    assert_int_equal(gzwrite(file, "X\n\0\0\0\3\0\4", 8), 8);
    gzclose(file);
    assert_memory_equal(outcome(path), "packed.rds: is R data (.rds): ", 29);
}

/* Text that begins almost like those files, and text too short to recognise. */
static void test_own_text(void **state)
{
    static const char *const texts[] = {"",          "P",        "PK,a\n1,2\n", "X\n0\n",
                                        "A\n2\n1\n", "RDX3,y\n", "BZh9,y\n",    "PAR1,y\n"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(strstr(outcome(scratch_text("own", texts[i])), " is "));
}

static void test_whole(void **state)
{
    (void)state;
    assert_string_equal(outcome(scratch_bytes("plain", text, sizeof text)), "");
    assert_string_equal(outcome(write_members("members.gz")), "");
    assert_string_equal(outcome(write_bgzf("blocks.gz")), "");
}

/* A flipped bit is either irrelevant (the time in a header) or reported. Without its first two
 * bytes the file is not gzip. */
static void check_flips(const char *path)
{
    unsigned char bytes[8000];
    size_t n = read_bytes(bytes, sizeof bytes, path);
    int n_tried = 0, n_told = 0;

    for (size_t bit = 16; bit < 8 * n; bit += (size_t)test_stride(), n_tried++) {
        const char *found;

        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        found = outcome(scratch_bytes("flip.gz", bytes, n));
        if (!strcmp(found, "fewer") || !strcmp(found, "others"))
            fail_msg("%s: bit %zu flipped: %s bytes, and no error", path, bit, found);
        n_told += *found != '\0';
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(n_told > 6 * n_tried / 8);
}

static void test_flips(void **state)
{
    (void)state;
    check_flips(write_members("members.gz"));
    check_flips(write_bgzf("blocks.gz"));
}

/* Cut at any byte. A gzip file cut between two members looks whole; a BGZF file lacks its end
 * mark. */
static int count_silent_cuts(const char *path)
{
    unsigned char bytes[8000];
    size_t n = read_bytes(bytes, sizeof bytes, path);
    int n_silent = 0;

    for (size_t at = 2; at < n; at++)
        n_silent += !strcmp(outcome(scratch_bytes("cut.gz", bytes, at)), "fewer");
    return n_silent;
}

static void test_cuts(void **state)
{
    unsigned char bytes[8000];
    size_t n;

    (void)state;
    assert_int_equal(count_silent_cuts(write_members("members.gz")), N_MEMBERS - 1);
    assert_int_equal(count_silent_cuts(write_bgzf("blocks.gz")), 0);
    n = read_bytes(bytes, sizeof bytes, scratch_path("blocks.gz"));
    assert_string_equal(outcome(scratch_bytes("cut.gz", bytes, n - 28)),
                        "cut.gz: truncated: the end marker of a BGZF file is missing");
    n = read_bytes(bytes, sizeof bytes, scratch_path("members.gz"));
    assert_string_equal(outcome(scratch_bytes("cut.gz", bytes, n - 1)),
                        "cut.gz: cannot read: the gzip stream ends too early");
    memset(bytes + n, 0, 4);
    assert_string_equal(outcome(scratch_bytes("long.gz", bytes, n + 4)),
                        "long.gz: cannot read: the gzip stream is damaged (where a member begins: "
                        "incorrect header check)");
}

static void test_no_file(void **state)
{
    const char *pipe = scratch_path("pipe");
    char head[8];

    (void)state;
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_string_equal(outcome(pipe),
                        "pipe: is a pipe or a device: must be a regular file, because it may be "
                        "read twice; save the data to a file first");
    assert_int_equal(stream_peek(head, sizeof head, pipe), 0);
    assert_string_equal(outcome("/dev/null"),
                        "/dev/null: is a pipe or a device: must be a regular file, because it may "
                        "be read twice; save the data to a file first");
    assert_string_equal(outcome(scratch_folder), " is a directory: must be a file of bytes");
    assert_string_equal(outcome(scratch_path("none")),
                        "none: cannot open: No such file or directory");
}

static void test_peek(void **state)
{
    char head[8];

    (void)state;
    assert_int_equal(stream_peek(head, sizeof head, write_bgzf("blocks.gz")), 7);
    assert_memory_equal(head, text, 7);
    assert_int_equal(head[7], 0);
    assert_int_equal(stream_peek(head, sizeof head, scratch_text("short", "ab")), 2);
    assert_string_equal(head, "ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),           cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_foreign_in_gzip), cmocka_unit_test(test_own_text),
        cmocka_unit_test(test_flips),           cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_no_file),         cmocka_unit_test(test_peek),
    };

    make_text();
    return cmocka_run_group_tests_name("stream", tests, scratch_make, scratch_remove);
}
