/* SPDX-License-Identifier: BSD-3-Clause */
/* The one who receives a gang's members: who counts as one, and what it decides. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gang/meeting.h"

/* ---- who is a member ---- */

/* Return a connection on which n bytes of a introduction were sent. */
static int greet(const struct reception *reception, const struct introduction *introduction,
                 size_t n)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int fd;

    assert_int_equal(getsockname(reception->listener, (struct sockaddr *)&address, &size), 0);
    fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, size), 0);
    assert_int_equal(send(fd, introduction, n, MSG_NOSIGNAL), n);
    return fd;
}

/* The same, after the reception has read them. */
static int call_reception(struct reception *reception, const struct introduction *introduction,
                          size_t n)
{
    int fd = greet(reception, introduction, n);

    reception_step(reception, NULL, 0);
    return fd;
}

static void check_stranger(struct reception *reception, const struct introduction *introduction)
{
    int32_t n = reception->n_callers;
    int fd = call_reception(reception, introduction, sizeof *introduction);
    char byte;

    assert_int_equal(reception->n_callers, n);
    assert_true(recv(fd, &byte, 1, MSG_DONTWAIT) >= 0 || errno == ECONNRESET); /* was dropped */
    close(fd);
}

static void receive_at(struct reception *reception, struct introduction *own, int family)
{
    struct gang_place place = {.size = 3, .host_name = "node0", .token = "this gang"};
    struct gang_options options = {.n_workers = 3, .build = "a", .processor = "b"};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    introduction_init(own, &place, &options);
    own->level = family == AF_UNIX ? MEETING_LOCAL : MEETING_HOSTS;
    own->index = 1;
    own->n = 3;
    /* Without a name, the kernel chooses one. */
    assert_int_equal(family == AF_UNIX
                         ? bind(fd, (const struct sockaddr *)&local, sizeof local.sun_family)
                         : bind(fd, (const struct sockaddr *)&four, sizeof four),
                     0);
    assert_int_equal(listen(fd, 5), 0);
    assert_int_equal(reception_open(reception, fd, own), 0);
}

/* A introduction of another gang, level or number, or one that has come already, is a stranger's. */
static void test_introductions(void **state)
{
    struct introduction own, right, wrong;
    struct reception reception;
    struct caller *first;
    int fds[3];

    (void)state;
    receive_at(&reception, &own, AF_INET);
    right = own;
    right.index = 2;
    fds[0] = call_reception(&reception, &right, 10);
    assert_null(reception_find(&reception, 2, 0));
    assert_int_equal(send(fds[0], (char *)&right + 10, sizeof right - 10, MSG_NOSIGNAL),
                     sizeof right - 10);
    reception_step(&reception, NULL, 0);
    first = reception_find(&reception, 2, 0);
    assert_non_null(first);
    check_stranger(&reception, &right);
    assert_ptr_equal(reception_find(&reception, 2, 0), first);
    for (int i = 0; i < 6; i++) {
        wrong = right;
        wrong.channel = 1;
        if (i == 0)
            wrong.token = hash_text("another gang");
        else if (i == 1)
            wrong.level = MEETING_LOCAL;
        else if (i == 2)
            wrong.channel = 2;
        else
            wrong.index = i == 3 ? 3 : i == 4 ? 1 : -1;
        check_stranger(&reception, &wrong);
    }
    right.channel = 1;
    fds[1] = call_reception(&reception, &right, sizeof right);
    assert_non_null(reception_find(&reception, 2, 1));
    fds[2] = reception_take(&reception, 2, 0);
    assert_true(fds[2] >= 0);
    assert_null(reception_find(&reception, 2, 0));
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    reception_close(&reception);
}

/* All users of a machine may connect to the meeting point of a host. */
static void test_other_user(void **state)
{
    struct introduction own, right;
    struct reception reception;
    int status;
    pid_t pid;

    (void)state;
    if (geteuid() != 0)
        skip();
    receive_at(&reception, &own, AF_UNIX);
    right = own;
    right.index = 2;
    fflush(NULL);
    pid = fork();
    if (!pid)
        _exit(setuid(65534) || greet(&reception, &right, sizeof right) < 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    reception_step(&reception, NULL, 0);
    assert_int_equal(reception.n_callers, 0);
    close(call_reception(&reception, &right, sizeof right)); /* of the own user */
    assert_int_equal(reception.n_callers, 1);
    reception_close(&reception);
}

/* ---- what it decides ---- */

struct scene {
    struct reception reception;
    struct introduction own, late;
    struct reply reply;
    struct time_limit limit;
    int fds[2], n_asked;
};

/* Comes as soon as it is asked whether to wait. */
static bool come_late(void *scene_)
{
    struct scene *scene = scene_;

    if (!scene->n_asked++)
        scene->fds[1] = call_reception(&scene->reception, &scene->late, sizeof scene->late);
    return true;
}

/* Index 2 is there, and index 3 comes late. */
static void set_up(struct scene *scene)
{
    *scene = (struct scene){.fds = {-1, -1}};
    receive_at(&scene->reception, &scene->own, AF_INET);
    scene->own.index = scene->reception.index = 0;
    scene->own.rank = 4;
    scene->late = scene->own;
    scene->late.index = 1;
    scene->late.rank = 5;
    scene->limit = (struct time_limit){
        .until_s = INFINITY, .limit_s = 7, .keep_waiting = come_late, .arg = scene};
}

static void come(struct scene *scene, const char *build)
{
    struct introduction introduction = scene->own;

    introduction.index = 2;
    introduction.rank = 6;
    strcpy(introduction.build, build);
    scene->fds[0] = call_reception(&scene->reception, &introduction, sizeof introduction);
}

/* Also ends the scene. */
static void expect(struct scene *scene, enum gang_trouble trouble, const char *why)
{
    reception_gather(&scene->reception, &scene->own, &scene->limit, &scene->reply);
    assert_string_equal(scene->reply.why, why);
    assert_int_equal(scene->reply.trouble, trouble);
    if (scene->n_asked)
        assert_non_null(reception_find(&scene->reception, 1, 0));
    reception_close(&scene->reception);
    for (int i = 0; i < 2; i++)
        if (scene->fds[i] >= 0)
            close(scene->fds[i]);
}

static void test_replies(void **state)
{
    struct scene scene;

    (void)state;
    set_up(&scene);
    come(&scene, "a");
    expect(&scene, GANG_FINE, "");
    assert_int_equal(scene.n_asked, 1);

    /* Late ones hear of a trouble, too. */
    set_up(&scene);
    come(&scene, "c");
    expect(&scene, GANG_DIFFERS,
           "rank 4 of the gang on node0 runs a, but rank 6 on node0 runs c: install the same build "
           "on both");
    assert_int_equal(scene.n_asked, 1);

    set_up(&scene);
    come(&scene, "a");
    close(scene.fds[0]);
    scene.fds[0] = -1;
    reception_step(&scene.reception, NULL, 0);
    expect(&scene, GANG_LOST, "rank 6 of the gang on node0 has ended");

    set_up(&scene);
    come(&scene, "a");
    scene.own.trouble = GANG_BROKEN;
    strcpy(scene.own.why, "no memory");
    expect(&scene, GANG_BROKEN, "no memory");
}

/* ---- descriptors ---- */

enum { MANY = 250 }; /* more than a message may have */

/* Send files of 1, 2 ... n bytes. Returns the other end of the connection. */
static int send_files(int n)
{
    int ends[2], fds[MANY];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    for (int i = 0; i < n; i++) {
        fds[i] = shared_memory_make((size_t)i + 1);
        assert_true(fds[i] >= 0);
    }
    assert_int_equal(shared_memory_send(ends[0], "x", 1, fds, n), 0);
    for (int i = 0; i < n; i++)
        close(fds[i]);
    close(ends[0]);
    return ends[1];
}

static int next_descriptor(void)
{
    int fd = dup(0);

    close(fd);
    return fd;
}

static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 4 * MANY; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void test_many_descriptors(void **state)
{
    int before = open_descriptors(), end = send_files(MANY), fds[MANY], got = 0;
    struct stat file;
    char byte;

    (void)state;
    while (got < MANY) {
        int32_t n = MANY - got;

        assert_int_equal(shared_memory_receive(end, &byte, 1, fds + got, &n), 1);
        got += n;
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(fstat(fds[i], &file), 0);
        assert_int_equal(file.st_size, i + 1);
        close(fds[i]);
    }
    close(end);
    assert_int_equal(open_descriptors(), before);
}

/* Descriptors without room are closed. */
static void test_descriptors_without_room(void **state)
{
    int before = open_descriptors(), end = send_files(5), fds[5] = {0, 0, 0, -7, -7};
    int32_t n = 3;
    char byte;

    (void)state;
    assert_int_equal(shared_memory_receive(end, &byte, 1, fds, &n), 1);
    assert_int_equal(n, 3);
    assert_int_equal(fds[3], -7);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    close(end);
    assert_int_equal(open_descriptors(), before);
}

/* None comes if this process may not open as many. */
static void test_too_many_descriptors(void **state)
{
    int before = open_descriptors(), end, fds[5];
    struct rlimit limit, low;
    int32_t n = 5;
    char byte;

    (void)state;
    if (getenv("TEST_UNDER_VALGRIND"))
        skip(); /* which keeps no such limit */
    end = send_files(5);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    low = (struct rlimit){(rlim_t)next_descriptor() + 2, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_int_equal(shared_memory_receive(end, &byte, 1, fds, &n), -1);
    assert_int_equal(errno, EMFILE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(n, 0);
    close(end);
    assert_int_equal(open_descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_introductions),
        cmocka_unit_test(test_other_user),
        cmocka_unit_test(test_replies),
        cmocka_unit_test(test_many_descriptors),
        cmocka_unit_test(test_descriptors_without_room),
        cmocka_unit_test(test_too_many_descriptors),
    };

    return cmocka_run_group_tests_name("gang_meeting", tests, NULL, NULL);
}
