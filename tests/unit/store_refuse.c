/* SPDX-License-Identifier: BSD-3-Clause */
/* A store leaves a file that it refuses unchanged, byte for byte. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/database_file.h"
#include "store/db.h"
#include "store/query/query.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\n[grid]\nhidden_size = 16, 32\n"

static struct hash file_hash(const char *path)
{
    static char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;

    assert_non_null(file);
    fclose(file);
    return hash_bytes(bytes, n);
}

static bool is_there(const char *path, const char *suffix)
{
    char name[192];

    snprintf(name, sizeof name, "%s%s", path, suffix);
    return access(name, F_OK) == 0;
}

static void expect_refused(const char *path, const char *wanted)
{
    struct store *store;
    struct err err;

    assert_int_equal(store_open(&store, path, &err), -1);
    assert_null(store);
    if (!strstr(err.text, wanted) || strncmp(err.text, path, strlen(path)) != 0)
        fail_msg("%s", err.text);
}

static void expect_left_alone(const char *path, const char *wanted)
{
    struct hash before = file_hash(path);
    struct store *store;
    struct err err;

    expect_refused(path, wanted);
    assert_int_equal(store_open_reader(&store, path, &err), -1);
    if (!strstr(err.text, wanted))
        fail_msg("%s", err.text);
    assert_true(hash_equal(before, file_hash(path)));
    assert_false(is_there(path, ".lock"));
    assert_false(is_there(path, "-wal"));
    assert_false(is_there(path, "-journal"));
}

static void test_not_ours(void **state)
{
    struct fixture f;
    FILE *file;

    (void)state;
    fixture_open(&f, INI);
    file = fopen(f.path, "w");
    for (int line = 0; line < 10; line++)
        fputs("a letter to my sister\n", file);
    fclose(file);
    expect_left_alone(f.path, "not a database");
    unlink(f.path);
    fixture_exec(&f, "CREATE TABLE t(x); INSERT INTO t VALUES (1)");
    expect_left_alone(f.path, "a database of another program");
    expect_refused(f.folder, "not a regular file");
    fixture_close(&f);
}

static void test_newer(void **state)
{
    struct fixture f;

    (void)state;
    store_close(fixture_begin(&f, INI));
    fixture_exec(&f, "PRAGMA user_version = 99");
    expect_left_alone(f.path, "made by a newer espalier (schema 99, this one supports up to 6)");
    fixture_close(&f);
}

static void test_missing_and_empty(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    fixture_open(&f, INI);
    assert_int_equal(store_open_reader(&store, f.path, &err), -1);
    assert_non_null(strstr(err.text, "r.db: no such file; run 'espalier run' first"));
    assert_false(is_there(f.path, ""));
    close(open(f.path, O_CREAT | O_WRONLY, 0644));
    assert_int_equal(store_open_reader(&store, f.path, &err), -1);
    assert_non_null(strstr(err.text, "r.db: empty; run"));
    store_close(fixture_store(&f));
    fixture_sql_is(&f, "SELECT count(*) FROM trial", "2");
    snprintf(f.path, sizeof f.path, "%s/none/r.db", f.folder);
    expect_refused(f.path, "No such file or directory");
    fixture_end(&f, NULL);
}

static void test_second_writer(void **state)
{
    struct fixture f;
    struct store *store;
    struct lock_holder holder;
    char pid[32], other[128];

    (void)state;
    fixture_open(&f, INI);
    assert_false(lock_is_held(f.path, &holder));
    store = fixture_store(&f);
    snprintf(pid, sizeof pid, "pid %ld on ", (long)getpid());
    expect_refused(f.path, pid);
    expect_refused(f.path, "another run is writing to it");
    snprintf(other, sizeof other, "%s/link.db", f.folder);
    assert_int_equal(symlink("r.db", other), 0);
    expect_refused(other, pid);
    assert_true(lock_is_held(f.path, &holder));
    assert_int_equal(holder.pid, getpid());
    store_close(store);
    assert_false(is_there(f.path, ".lock"));
    fixture_end(&f, fixture_store(&f));
}

static void test_lock_of_a_dead_process(void **state)
{
    struct fixture f;
    struct lock_holder holder;
    char name[192];
    int status;

    (void)state;
    fixture_open(&f, INI);
    if (!fork()) {
        struct store *volatile store = fixture_store(&f);

        raise(SIGKILL);
        store_close(store);
    }
    wait(&status);
    assert_true(WIFSIGNALED(status));
    snprintf(name, sizeof name, "%s.lock", f.path);
    assert_int_equal(access(name, F_OK), 0);
    assert_false(lock_is_held(f.path, &holder));
    fixture_end(&f, fixture_store(&f));
}

static void write_lock(const struct fixture *f, const char *text, int *fd)
{
    struct flock flock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char name[192];

    snprintf(name, sizeof name, "%s.lock", f->path);
    *fd = open(name, O_RDWR | O_CREAT, 0644);
    assert_true(write(*fd, text, strlen(text)) == (ssize_t)strlen(text));
    assert_int_equal(fcntl(*fd, F_OFD_SETLK, &flock), 0);
}

/* A server that has not noticed the death of its client keeps the lock. A lock file that another
 * host left unlocked is taken over. */
static void test_lock_of_another_host(void **state)
{
    static const char text[] = "far.away 4711 60.5\nlsf job 88\nespalier run a.ini\n";
    struct fixture f;
    struct lock_holder holder;
    char wanted[512];
    int fd;

    (void)state;
    fixture_open(&f, INI);
    write_lock(&f, text, &fd);
    snprintf(
        wanted, sizeof wanted,
        "pid 4711 on far.away, lsf job 88, since 1970-01-01 00:01:00 UTC: espalier run a.ini; "
        "wait for it or give this run another --db; neither far.away nor LSF can be queried from "
        "here: if far.away is down or has no such process, remove %s.lock",
        f.path);
    expect_refused(f.path, wanted);
    assert_true(lock_is_held(f.path, &holder));
    assert_string_equal(holder.job, "lsf job 88");
    assert_string_equal(holder.command, "espalier run a.ini");
    close(fd);
    assert_false(lock_is_held(f.path, &holder));
    store_close(fixture_store(&f));
    assert_false(is_there(f.path, ".lock"));
    write_lock(&f, "from an older version 1", &fd);
    expect_refused(f.path, "pid 0 on from, since an unknown time; ");
    close(fd);
    fixture_close(&f);
}

static void test_job_of_the_holder(void **state)
{
    struct fixture f;
    struct store *store;
    struct lock_holder holder;

    (void)state;
    fixture_open(&f, INI);
    setenv("SLURM_JOB_ID", "77", 1);
    store = fixture_store(&f);
    unsetenv("SLURM_JOB_ID");
    assert_true(lock_is_held(f.path, &holder));
    assert_string_equal(holder.job, "slurm job 77");
    assert_non_null(strstr(holder.command, "store_refuse"));
    fixture_end(&f, store);
}

static void test_two_names(void **state)
{
    struct fixture f;
    char other[128];
    struct err err;

    (void)state;
    store_close(fixture_begin(&f, INI));
    assert_int_equal(lock_check(f.path, &err), 0);
    snprintf(other, sizeof other, "%s/other.db", f.folder);
    assert_int_equal(link(f.path, other), 0);
    expect_refused(other, "the file has 2 names (hard links): two runs");
    expect_refused(f.path, "the file has 2 names (hard links): two runs");
    assert_int_equal(lock_check(f.path, &err), -1);
    assert_false(is_there(other, ".lock"));
    unlink(other);
    fixture_end(&f, fixture_store(&f));
}

/* ---- a lock file that cannot be trusted ---- */

static const char *lock_name(const struct fixture *f)
{
    static char name[192];

    snprintf(name, sizeof name, "%s.lock", f->path);
    return name;
}

static void expect_lock_refused(const struct fixture *f, const char *what)
{
    struct lock_holder holder;
    struct err err;

    expect_refused(f->path, what);
    assert_int_equal(lock_check(f->path, &err), -1);
    assert_non_null(strstr(err.text, what));
    assert_false(lock_is_held(f->path, &holder));
}

static void expect_no_file(const struct fixture *f, bool is_lock, const char *what)
{
    struct store *store;
    struct err err;

    if (is_lock) {
        expect_lock_refused(f, what);
        return;
    }
    expect_refused(f->path, what);
    if (!strstr(what, "several names")) { /* a reader accepts those, as in a snapshot */
        assert_int_equal(store_open_reader(&store, f->path, &err), -1);
        assert_non_null(strstr(err.text, what));
    }
}

/* A link to a file of ours, a pipe or a folder in the place of a file beside the database. */
static void test_beside_is_no_file(void **state)
{
    static const char *const endings[] = {".lock", "-wal", "-shm", "-journal"};
    struct fixture f;
    char target[128], name[192], text[16] = "";
    int fd;

    (void)state;
    store_close(fixture_begin(&f, INI));
    snprintf(target, sizeof target, "%s/precious", f.folder);
    fd = open(target, O_RDWR | O_CREAT, 0644);
    assert_int_equal(write(fd, "precious", 8), 8);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, sizeof name, "%s%s", f.path, endings[i]);
        assert_int_equal(symlink(target, name), 0);
        expect_no_file(&f, !i, "is a symbolic link, but a run needs a file of its own there");
        unlink(name);
        assert_int_equal(link(target, name), 0);
        expect_no_file(&f, !i, "is a file with several names (hard links), but a run needs");
        unlink(name);
        assert_int_equal(mkfifo(name, 0666), 0);
        expect_no_file(&f, !i, "is a pipe, a device or a socket, but a run needs");
        unlink(name);
        assert_int_equal(mkdir(name, 0777), 0);
        expect_no_file(&f, !i, "is a folder, but a run needs");
        rmdir(name);
    }
    assert_int_equal(pread(fd, text, sizeof text, 0), 8);
    assert_string_equal(text, "precious");
    close(fd);
    fixture_end(&f, fixture_store(&f));
}

/* Users who may write to the database may lock it. */
static void test_lock_mode(void **state)
{
    struct fixture f;
    struct store *store;
    struct stat st;

    (void)state;
    store_close(fixture_begin(&f, INI));
    assert_int_equal(chmod(f.path, 0660), 0);
    store = fixture_store(&f);
    assert_int_equal(stat(lock_name(&f), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0660);
    fixture_end(&f, store);
}

/* Root may write everywhere. */
static int as_nobody(void (*test)(const char *path), const char *path)
{
    int status;

    if (!fork()) {
        if (getuid() == 0 && (setgid(65534) || setuid(65534)))
            _exit(9);
        test(path);
        _exit(0);
    }
    wait(&status);
    return status;
}

static void refused_here(const char *path)
{
    struct store *store;
    struct err err;

    if (store_open(&store, path, &err) != -1 || !strstr(err.text, "Permission denied"))
        _exit(1);
}

static void blocked_here(const char *path)
{
    struct lock lock = {0};
    struct err err;

    if (!lock_take(&lock, path, &err) || !strstr(err.text, ".lock of user root cannot be opened"))
        _exit(1);
}

static void run_of_another_here(const char *path)
{
    struct lock lock = {0};
    struct err err;

    if (!lock_take(&lock, path, &err) || !strstr(err.text, "another run is writing to it") ||
        !strstr(err.text, ", user root, since"))
        _exit(1);
}

/* A folder that two users may write to. Only root can act as two users. */
static void test_other_users_lock(void **state)
{
    const char *lock_file;
    struct lock lock = {0};
    struct fixture f;
    struct err err;

    (void)state;
    if (getuid() != 0)
        skip();
    fixture_open(&f, INI);
    lock_file = lock_name(&f);
    assert_int_equal(chmod(f.folder, 0777), 0);
    close(open(f.path, O_WRONLY | O_CREAT, 0666));
    assert_int_equal(chmod(f.path, 0666), 0);
    assert_int_equal(lock_take(&lock, f.path, &err), 0);
    assert_int_equal(as_nobody(run_of_another_here, f.path), 0);
    lock_release(&lock);
    close(open(lock_file, O_WRONLY | O_CREAT, 0644));
    assert_int_equal(as_nobody(blocked_here, f.path), 0);
    assert_true(is_there(f.path, ".lock"));
    assert_int_equal(lock_take(&lock, f.path, &err), 0);
    lock_release(&lock);
    fixture_close(&f);
}

static void read_here(const char *path)
{
    struct store *store;
    struct query_sweep sweep;
    struct err err;

    if (store_open_reader(&store, path, &err))
        _exit(1);
    if (query_sweep(&sweep, store, NULL, &err) || strcmp(sweep.name, "s") != 0)
        _exit(2);
    store_close(store);
}

static void test_read_only_directory(void **state)
{
    struct fixture f;
    struct hash before;

    (void)state;
    store_close(fixture_begin(&f, INI));
    assert_int_equal(chmod(f.folder, 0555), 0);
    before = file_hash(f.path);
    assert_int_equal(as_nobody(refused_here, f.path), 0);
    assert_int_equal(as_nobody(read_here, f.path), 0);
    assert_true(hash_equal(before, file_hash(f.path)));
    assert_int_equal(chmod(f.folder, 0755), 0);
    fixture_exec(&f, "PRAGMA journal_mode = wal");
    assert_int_equal(chmod(f.folder, 0555), 0);
    assert_int_equal(as_nobody(read_here, f.path), 0);
    assert_int_equal(chmod(f.folder, 0755), 0);
    fixture_close(&f);
}

static void fill(struct fixture *f, int64_t *committed)
{
    struct store *store = fixture_store(f);
    struct trial_result r;
    struct err err = {"?"};
    int rc = 0;

    fixture_result(&r, 0, 0.5);
    for (*committed = 0; !rc && *committed < 100000; *committed += !rc) {
        rc = store_result(store, f->known.ids[0], &r, &err);
        if (!rc)
            rc = store_commit(store, &err);
    }
    assert_int_equal(rc, -1);
    assert_non_null(strstr(err.text, "full"));
    trial_result_release(&r);
    store_close(store);
}

static void test_full_disk(void **state)
{
    struct fixture f;
    char wanted[32];
    int64_t committed;
    struct store *store;
    struct err err;

    (void)state;
    fixture_open(&f, INI);
    if (mount("none", f.folder, "tmpfs", 0, "size=400k")) {
        fixture_close(&f);
        skip();
    }
    fill(&f, &committed);
    snprintf(wanted, sizeof wanted, "%lld", (long long)committed);
    fixture_sql_is(&f, "SELECT count(*) FROM attempt", wanted);
    fixture_sql_is(&f, "PRAGMA integrity_check", "ok");
    assert_int_equal(umount(f.folder), 0);
    assert_int_equal(mount("none", f.folder, "tmpfs", 0, "size=20k"), 0);
    assert_int_equal(store_open(&store, f.path, &err), -1);
    assert_non_null(strstr(err.text, "full"));
    assert_false(is_there(f.path, ""));
    assert_int_equal(umount(f.folder), 0);
    fixture_close(&f);
}

static void test_filesystems(void **state)
{
    const char *name;

    (void)state;
    assert_string_equal(database_file_journal_mode("/proc/none", &name), "delete");
    assert_string_equal(name, "unknown");
    assert_string_equal(database_file_journal_mode("none.db", &name),
                        database_file_journal_mode(".", &name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_ours),
        cmocka_unit_test(test_newer),
        cmocka_unit_test(test_missing_and_empty),
        cmocka_unit_test(test_second_writer),
        cmocka_unit_test(test_lock_of_a_dead_process),
        cmocka_unit_test(test_lock_of_another_host),
        cmocka_unit_test(test_job_of_the_holder),
        cmocka_unit_test(test_two_names),
        cmocka_unit_test(test_beside_is_no_file),
        cmocka_unit_test(test_lock_mode),
        cmocka_unit_test(test_other_users_lock),
        cmocka_unit_test(test_read_only_directory),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_filesystems),
    };

    return cmocka_run_group_tests_name("store_refuse", tests, NULL, NULL);
}
