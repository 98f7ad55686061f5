/* SPDX-License-Identifier: BSD-3-Clause */
/* A truncated log keeps the commits before the cut. A damaged file is refused and stays byte for
 * byte as it was. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/db.h"
#include "storelib.h"
#include "stride.h"

#define INI "[sweep]\nname = s\nreplicates = 6\n[grid]\nhidden_size = 16, 32\n"
#define TRIALS 12
#define GROUP 2
#define LOG_HEADER 32 /* https://sqlite.org/fileformat2.html, 4.1 */
#define FRAME (24 + 4096)
#define PAGE 4096

struct bytes {
    unsigned char *data;
    size_t n;
};

static struct bytes read_bytes(const char *path, const char *suffix)
{
    char name[192];
    struct bytes bytes;
    struct stat st;
    FILE *file;

    snprintf(name, sizeof name, "%s%s", path, suffix);
    file = fopen(name, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &st), 0);
    bytes.n = (size_t)st.st_size;
    bytes.data = malloc(bytes.n + 1);
    assert_non_null(bytes.data);
    assert_int_equal(fread(bytes.data, 1, bytes.n, file), bytes.n);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const char *suffix, const struct bytes *bytes, size_t n)
{
    char name[192];
    FILE *file;

    snprintf(name, sizeof name, "%s%s", path, suffix);
    file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *path, const char *suffix)
{
    char name[192];

    snprintf(name, sizeof name, "%s%s", path, suffix);
    unlink(name);
}

static bool is_same(const char *path, const char *suffix, const struct bytes *wanted)
{
    struct bytes now = read_bytes(path, suffix);
    bool same = now.n == wanted->n && !memcmp(now.data, wanted->data, now.n);

    free(now.data);
    return same;
}

static size_t log_size(const char *path)
{
    char name[192];
    struct stat st;

    snprintf(name, sizeof name, "%s-wal", path);
    return stat(name, &st) ? 0 : (size_t)st.st_size;
}

static void write_group(struct fixture *f, struct store *store, int64_t first)
{
    struct err err;

    for (int64_t t = first; t < first + GROUP; t++) {
        struct trial_result r;

        fixture_result(&r, t, 0.5);
        if (store_result(store, f->known.ids[t], &r, &err))
            _exit(1);
        trial_result_release(&r);
    }
    if (store_commit(store, &err))
        _exit(1);
}

/* Leave file and log of a killed run. sizes[i]: of the log after i committed groups. */
static void leave_log(struct fixture *f, size_t sizes[TRIALS / GROUP + 1])
{
    size_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child;
    int status;

    assert_true(shared != MAP_FAILED);
    child = fork();
    if (!child) {
        struct store *volatile store = fixture_store(f);

        shared[0] = log_size(f->path);
        for (int i = 0; i < TRIALS / GROUP; i++) {
            write_group(f, store, (int64_t)i * GROUP);
            shared[i + 1] = log_size(f->path);
        }
        raise(SIGKILL);
        store_close(store);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    memcpy(sizes, shared, (TRIALS / GROUP + 1) * sizeof *sizes);
    munmap(shared, 4096);
}

static int count_done(struct store *store)
{
    struct err err;
    int64_t n;

    if (db_integer(&n, store, "SELECT count(*) FROM trial WHERE state = 'done'", &err, ""))
        fail_msg("%s", err.text);
    return (int)n;
}

static void expect_done(struct fixture *f, int wanted, size_t cut)
{
    struct store *store;
    struct err err;

    if (store_open_reader(&store, f->path, &err))
        fail_msg("cut at %zu: %s", cut, err.text);
    if (count_done(store) != wanted)
        fail_msg("cut at %zu: a reader finds %d, wanted %d", cut, count_done(store), wanted);
    store_close(store);
    if (store_open(&store, f->path, &err))
        fail_msg("cut at %zu: %s", cut, err.text);
    if (count_done(store) != wanted)
        fail_msg("cut at %zu: the next run finds %d, wanted %d", cut, count_done(store), wanted);
    store_close(store);
    fixture_sql_is(f, "PRAGMA integrity_check", "ok");
}

/* Registration precedes the first group and is committed, too. If the log is cut inside it, only
 * the schema remains, which is in the file. */
static int groups_before(const size_t sizes[TRIALS / GROUP + 1], size_t cut)
{
    int n = 0;

    while (n < TRIALS / GROUP && sizes[n + 1] <= cut)
        n++;
    return n;
}

static void test_log_cut(void **state)
{
    size_t sizes[TRIALS / GROUP + 1];
    struct fixture f;
    struct bytes file, log;
    int n = 0;

    (void)state;
    fixture_open(&f, INI);
    leave_log(&f, sizes);
    file = read_bytes(f.path, "");
    log = read_bytes(f.path, "-wal");
    assert_true(sizes[0] > FRAME && sizes[1] > sizes[0]);
    assert_int_equal((log.n - LOG_HEADER) % FRAME, 0);
    for (size_t frame = 0; LOG_HEADER + frame * FRAME <= log.n; frame++)
        for (size_t more = 0; more < FRAME; more += FRAME / 3) {
            size_t cut = LOG_HEADER + frame * FRAME + more;

            if (cut > log.n)
                break;
            if (n++ % test_stride())
                continue;
            write_bytes(f.path, "", &file, file.n);
            write_bytes(f.path, "-wal", &log, cut);
            remove_file(f.path, "-shm");
            expect_done(&f, groups_before(sizes, cut) * GROUP, cut);
        }
    free(file.data);
    free(log.data);
    fixture_close(&f);
}

/* A checksum detects a damaged frame, and the log ends there. */
static void test_log_garbage(void **state)
{
    size_t sizes[TRIALS / GROUP + 1];
    struct fixture f;
    struct bytes file, log;

    (void)state;
    fixture_open(&f, INI);
    leave_log(&f, sizes);
    file = read_bytes(f.path, "");
    log = read_bytes(f.path, "-wal");
    for (size_t frame = 0; LOG_HEADER + frame * FRAME < log.n; frame++) {
        size_t at = LOG_HEADER + frame * FRAME + 2000;

        log.data[at] ^= 0x40;
        write_bytes(f.path, "", &file, file.n);
        write_bytes(f.path, "-wal", &log, log.n);
        remove_file(f.path, "-shm");
        expect_done(&f, groups_before(sizes, at) * GROUP, at);
        log.data[at] ^= 0x40;
    }
    free(file.data);
    free(log.data);
    fixture_close(&f);
}

static void expect_refused(const struct fixture *f, const struct bytes *file, size_t n,
                           const char *what, size_t at)
{
    struct bytes damaged = {file->data, n};
    struct store *store;
    struct err err = {""};

    write_bytes(f->path, "", file, n);
    if (!store_open(&store, f->path, &err))
        fail_msg("%s at %zu is not noticed", what, at);
    if (strncmp(err.text, f->path, strlen(f->path)) != 0)
        fail_msg("%s at %zu: %s", what, at, err.text);
    /* With its first page damaged the file may look like something else. */
    if (at >= PAGE &&
        (!strstr(err.text, ": damaged (") ||
         !strstr(err.text, " .recover | sqlite3 NEW.db' (sqlite3 of Debian 12 lacks")))
        fail_msg("%s at %zu: %s", what, at, err.text);
    if (!is_same(f->path, "", &damaged))
        fail_msg("%s at %zu: the file was changed", what, at);
    assert_int_equal(log_size(f->path), 0);
    if (!store_open_reader(&store, f->path, &err)) { /* may or may not succeed */
        db_exec(store, "SELECT count(*) FROM trial WHERE state = 'done'", &err);
        store_close(store);
    }
    if (!is_same(f->path, "", &damaged))
        fail_msg("%s at %zu: a reader changed the file", what, at);
}

static struct bytes finished_file(struct fixture *f)
{
    struct store *store;

    store = fixture_begin(f, INI);
    for (int64_t t = 0; t < TRIALS; t += GROUP)
        write_group(f, store, t);
    store_close(store);
    return read_bytes(f->path, "");
}

/* Damage to the page of an empty table loses nothing. */
static size_t middle_of_last(const struct bytes *file)
{
    static const unsigned char nothing[PAGE / 2];
    size_t at = file->n - PAGE / 2;

    while (!memcmp(file->data + at, nothing, sizeof nothing))
        at -= PAGE;
    return at;
}

static void test_file_cut(void **state)
{
    struct fixture f;
    struct bytes file = finished_file(&f);
    size_t middle = middle_of_last(&file);

    (void)state;
    assert_int_equal(file.n % PAGE, 0);
    expect_refused(&f, &file, file.n - PAGE, "cut", file.n - PAGE);
    expect_refused(&f, &file, middle, "cut", middle);
    expect_refused(&f, &file, PAGE, "cut", PAGE);
    expect_refused(&f, &file, 50, "cut", 50);
    free(file.data);
    fixture_close(&f);
}

static void test_page_overwritten(void **state)
{
    struct fixture f;
    struct bytes file = finished_file(&f);
    unsigned char was[PAGE];

    (void)state;
    for (size_t at = 0; at < file.n; at += PAGE) {
        memcpy(was, file.data + at, PAGE);
        memset(file.data + at, 0xa5, PAGE);
        expect_refused(&f, &file, file.n, "garbage", at);
        memset(file.data + at, 0, PAGE);
        expect_refused(&f, &file, file.n, "zeros", at);
        memcpy(file.data + at, was, PAGE);
    }
    free(file.data);
    fixture_close(&f);
}

/* Page size, file format, usable size, schema format, encoding, root of the schema. */
static void test_header(void **state)
{
    static const size_t places[] = {0, 16, 18, 20, 21, 47, 59, 60, 68, 100};
    struct fixture f;
    struct bytes file = finished_file(&f);

    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        file.data[places[i]] ^= 0x7f;
        expect_refused(&f, &file, file.n, "header", places[i]);
        file.data[places[i]] ^= 0x7f;
    }
    free(file.data);
    fixture_close(&f);
}

/* The repair of a refused file needs file and log as they are. */
static void test_damage_under_a_log(void **state)
{
    size_t sizes[TRIALS / GROUP + 1];
    struct fixture f;
    struct bytes file, log;
    struct store *store;
    struct err err;

    (void)state;
    fixture_open(&f, INI);
    leave_log(&f, sizes);
    file = read_bytes(f.path, "");
    log = read_bytes(f.path, "-wal");
    memset(file.data + PAGE, 0xa5, file.n - PAGE);
    write_bytes(f.path, "", &file, file.n);
    remove_file(f.path, "-shm");
    if (!store_open(&store, f.path, &err))
        fail_msg("damage is not noticed");
    assert_non_null(strstr(err.text, "damaged ("));
    assert_true(is_same(f.path, "", &file));
    assert_true(is_same(f.path, "-wal", &log));
    free(file.data);
    free(log.data);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_cut),  cmocka_unit_test(test_log_garbage),
        cmocka_unit_test(test_file_cut), cmocka_unit_test(test_page_overwritten),
        cmocka_unit_test(test_header),   cmocka_unit_test(test_damage_under_a_log),
    };

    return cmocka_run_group_tests_name("store_damage", tests, NULL, NULL);
}
