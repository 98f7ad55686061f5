/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/segment.h"
#include "scratch.h"
#include "unit.h"

enum { BYTES = 300000 };

static bool is_empty(const char *folder)
{
    return rmdir(folder) == 0 && mkdir(folder, 0700) == 0;
}

static const char *new_folder(const char *name)
{
    const char *path = scratch_path(name);

    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

/* Return the signal that ends the writing process, or 0. */
static int end_of_writing(void *to)
{
    int status;
    pid_t child = fork();

    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile char *)to = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_only_the_writer_writes_until_it_seals(void **state)
{
    const char *folder = new_folder("both");
    struct segment writer, reader;
    struct err err;

    (void)state;
    assert_int_equal(segment_create(&writer, folder, &err), 0);
    assert_int_equal(segment_join(&reader, writer.path, &err), 0);
    segment_unlink(&writer);
    assert_true(is_empty(folder));
    assert_int_equal(segment_reserve(&writer, BYTES, &err), 0);
    assert_int_equal(segment_map(&writer, BYTES, &err), 0);
    assert_int_equal(segment_map(&reader, BYTES, &err), 0);
    assert_ptr_not_equal(writer.bytes, reader.bytes);
    assert_int_equal((uintptr_t)reader.bytes % 64, 0);
    memset(writer.bytes, 'x', BYTES);
    assert_int_equal(end_of_writing(writer.bytes), 0);
    assert_int_equal(end_of_writing(reader.bytes), SIGSEGV);
    segment_seal(&writer);
    assert_int_equal(end_of_writing(writer.bytes), SIGSEGV);
    assert_memory_equal(writer.bytes, reader.bytes, BYTES);
    segment_release(&writer);
    assert_int_equal(((const char *)reader.bytes)[BYTES - 1], 'x');
    segment_release(&reader);
    segment_release(&reader);
}

static void test_no_folder(void **state)
{
    char deep[2 * SEGMENT_PATH_SIZE];
    struct segment s;
    struct err err;

    (void)state;
    assert_int_equal(segment_create(&s, "/nowhere", &err), -1);
    assert_string_equal(err.text, "/nowhere: No such file or directory");
    segment_release(&s);
    assert_int_equal(segment_join(&s, "/nowhere/espalier-123456", &err), -1);
    assert_string_equal(err.text, "/nowhere/espalier-123456: No such file or directory");
    segment_release(&s);
    memset(deep, 'd', sizeof deep);
    deep[0] = '/';
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(segment_create(&s, deep, &err), -1);
    assert_non_null(strstr(err.text, "longer than 240 characters"));
    segment_release(&s);
}

/* A file size limit stands in for a full folder, which only root can make (tests/mpi/shared.sh). */
static void test_no_room(void **state)
{
    const char *folder = new_folder("small");
    struct rlimit before, small = {.rlim_cur = BYTES / 2};
    struct segment s;
    struct err err;
    off_t left;
    int rc;

    (void)state;
    assert_int_equal(segment_create(&s, folder, &err), 0);
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN); /* as main() does */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    rc = segment_reserve(&s, BYTES, &err);
    left = lseek(s.fd, 0, SEEK_END);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(rc, -1);
    assert_non_null(strstr(err.text, "small: 0.30 MB: File too large"));
    assert_int_equal(left, 0);
    segment_unlink(&s);
    segment_release(&s);
    assert_true(is_empty(folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_the_writer_writes_until_it_seals),
        cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_no_room),
    };

    return cmocka_run_group_tests_name("segment", tests, scratch_make, scratch_remove);
}
