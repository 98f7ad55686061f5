/* SPDX-License-Identifier: BSD-3-Clause */
/* A file appears whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"
#include "scratch.h"
#include "unit.h"

static const char *content(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;

    text[n] = '\0';
    if (!file)
        return "(not there)";
    fclose(file);
    return text;
}

static int count_temporary(void)
{
    DIR *folder = opendir(scratch_folder);
    struct dirent *entry;
    int n = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)))
        n += !strncmp(entry->d_name, ".espalier-", 10);
    closedir(folder);
    return n;
}

static unsigned int mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 0777;
}

static void refused(const char *path, enum outfile_mode mode, const char *words)
{
    struct err err;

    assert_int_equal(outfile_save(path, mode, "x", 1, &err), -1);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
}

static void test_new_and_replaced(void **state)
{
    const char *path = scratch_path("a.csv");
    struct outfile out;
    struct err err;

    (void)state;
    umask(027);
    assert_int_equal(outfile_open(&out, path, OUTFILE_REPLACE, &err), 0);
    fputs("first", out.file);
    fflush(out.file);
    assert_string_equal(content(path), "(not there)");
    assert_int_equal(count_temporary(), 1);
    assert_int_equal(outfile_commit(&out, &err), 0);
    assert_string_equal(content(path), "first");
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(chmod(path, 0664), 0);
    assert_int_equal(outfile_save(path, OUTFILE_REPLACE, "second", 6, &err), 0);
    assert_string_equal(content(path), "second");
    assert_int_equal(mode_of(path), 0664);
    umask(022);
    assert_int_equal(outfile_save(path, OUTFILE_REPLACE, NULL, 0, &err), 0);
    assert_string_equal(content(path), "");
    assert_int_equal(count_temporary(), 0);
}

static void test_discarded(void **state)
{
    const char *path = scratch_text("kept.csv", "old");
    struct outfile out;
    struct err err;

    (void)state;
    assert_int_equal(outfile_open(&out, path, OUTFILE_REPLACE, &err), 0);
    fputs("new", out.file);
    outfile_discard(&out);
    outfile_discard(&out);
    assert_string_equal(content(path), "old");
    assert_int_equal(count_temporary(), 0);
}

static void test_new_only(void **state)
{
    const char *path = scratch_path("late.csv");
    struct outfile out;
    struct err err;

    (void)state;
    assert_int_equal(outfile_open(&out, path, OUTFILE_NEW, &err), 0);
    fputs("ours", out.file);
    scratch_text("late.csv", "theirs");
    assert_int_equal(outfile_commit(&out, &err), -1);
    assert_non_null(strstr(err.text, "late.csv: cannot write: File exists"));
    assert_string_equal(content(path), "theirs");
    refused(path, OUTFILE_NEW, "late.csv: exists already: will not be overwritten");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(outfile_save(path, OUTFILE_NEW, "x", 1, &err), 0);
    assert_string_equal(content(path), "x");
    assert_int_equal(count_temporary(), 0);
}

/* Another user may have made the link, and its target may be any of our files. */
static void test_links(void **state)
{
    const char *target = scratch_text("target", "precious");
    const char *link_path = scratch_path("link"), *dangling = scratch_path("dangling");
    const char *second = scratch_path("second");
    struct err err;

    (void)state;
    assert_int_equal(symlink(target, link_path), 0);
    assert_int_equal(symlink(scratch_path("nowhere"), dangling), 0);
    assert_int_equal(link(target, second), 0);
    refused(link_path, OUTFILE_REPLACE, "link: is a symbolic link, which is not followed");
    refused(dangling, OUTFILE_REPLACE, "dangling: is a symbolic link");
    assert_string_equal(content(scratch_path("nowhere")), "(not there)");
    assert_int_equal(outfile_save(second, OUTFILE_REPLACE, "x", 1, &err), 0);
    assert_string_equal(content(target), "precious");
    assert_string_equal(content(second), "x");
}

static void test_refused(void **state)
{
    (void)state;
    refused(scratch_folder, OUTFILE_REPLACE, ": is a folder: must be a file to write");
    refused(scratch_path("no/such"), OUTFILE_REPLACE,
            "no/such: cannot make a file in its folder: No such file");
    refused("/dev/fd/4711", OUTFILE_REPLACE, "/dev/fd/4711: Bad file descriptor");
}

static void test_direct(void **state)
{
    const char *path = scratch_path("pipe");
    const char *log = scratch_text("log", "before\n");
    char name[32], text[8] = "";
    struct err err;
    int fd, fifo;

    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    fifo = open(path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(outfile_save(path, OUTFILE_REPLACE, "piped", 5, &err), 0);
    assert_int_equal(read(fifo, text, sizeof text), 5);
    assert_string_equal(text, "piped");
    close(fifo);
    assert_int_equal(outfile_save("/dev/null", OUTFILE_REPLACE, "x", 1, &err), 0);
    fd = open(log, O_WRONLY | O_APPEND);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(outfile_save(name, OUTFILE_REPLACE, "after\n", 6, &err), 0);
    close(fd);
    assert_string_equal(content(log), "before\nafter\n");
    refused("/dev/full", OUTFILE_REPLACE, "/dev/full: cannot write: No space left on device");
}

/* The bytes come in one large write, and in the flush of many small ones. */
static void test_limit(void **state)
{
    static char block[100000];
    const struct rlimit small = {.rlim_cur = 8192, .rlim_max = RLIM_INFINITY};
    const char *path = scratch_text("limited", "old");
    struct rlimit before;
    struct outfile out;
    struct err err;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    memset(block, 'x', sizeof block);
    assert_int_equal(outfile_save(path, OUTFILE_REPLACE, block, sizeof block, &err), -1);
    assert_non_null(strstr(err.text, "limited: cannot write: File too large: 'ulimit -f' or the "
                                     "filesystem limits its size"));
    assert_int_equal(outfile_open(&out, path, OUTFILE_REPLACE, &err), 0);
    for (int i = 0; i < 5000; i++)
        fputs("line\n", out.file);
    assert_int_equal(outfile_commit(&out, &err), -1);
    assert_non_null(strstr(err.text, "limited: cannot write: File too large"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_string_equal(content(path), "old");
    assert_int_equal(count_temporary(), 0);
}

/* A child that opens a file and gets a signal. Return its wait
 * status. */
static int status_after(int number, bool is_ignored)
{
    const char *file = scratch_path("never.csv");
    int status;
    pid_t child = fork();

    if (!child) {
        struct outfile out;
        struct err err;

        signal(number, is_ignored ? SIG_IGN : SIG_DFL);
        if (outfile_open(&out, file, OUTFILE_REPLACE, &err))
            _exit(1);
        fputs("not all", out.file);
        raise(number);
        outfile_discard(&out);
        _exit(7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_signals(void **state)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct err err;
    int status;

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        status = status_after(numbers[i], false);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_int_equal(count_temporary(), 0);
    }
    /* nohup */
    status = status_after(SIGHUP, true);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    /* The next command removes what this one leaves, but neither that of a live process nor a file
     * with another name. */
    status = status_after(SIGKILL, false);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_int_equal(count_temporary(), 1);
    scratch_text(".espalier-mine.tmp", "x");
    assert_int_equal(outfile_save(scratch_path("next.csv"), OUTFILE_REPLACE, "x", 1, &err), 0);
    assert_int_equal(count_temporary(), 1);
    assert_int_equal(unlink(scratch_path(".espalier-mine.tmp")), 0);
    assert_string_equal(content(scratch_path("never.csv")), "(not there)");
}

/* Two processes write to one folder at the same time. */
static void test_two_writers(void **state)
{
    struct outfile out;
    struct err err;
    int status;
    pid_t child;

    (void)state;
    assert_int_equal(outfile_open(&out, scratch_path("one.csv"), OUTFILE_NEW, &err), 0);
    child = fork();
    if (!child)
        _exit(outfile_save(scratch_path("other.csv"), OUTFILE_NEW, "x", 1, &err) ? 1 : 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(outfile_commit(&out, &err), 0);
    assert_string_equal(content(scratch_path("one.csv")), "");
}

int main(void)
{
    /* Handlers are installed once and inherited, so the test of signals is the first. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals),     cmocka_unit_test(test_new_and_replaced),
        cmocka_unit_test(test_discarded),   cmocka_unit_test(test_new_only),
        cmocka_unit_test(test_links),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_direct),      cmocka_unit_test(test_limit),
        cmocka_unit_test(test_two_writers),
    };

    return cmocka_run_group_tests_name("outfile", tests, scratch_make, scratch_remove);
}
