/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/spawner_process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/process.h"
#include "program/descendants.h"

enum { SOCKET = STDERR_FILENO + 1 };

/* A killed process wakes its parent when it ends. This repetition is for lists of processes that
 * the kernel gave incompletely. */
#define KILL_AGAIN_S 0.1
#define KEEPER_S 1e-3

/* Seconds before a killed spawner is replaced, in case it cannot live here, and before each of
 * FORKS tries: a limit of processes may be in its way for a while. */
#define RESTART_S 0.1
enum { FORKS = 100 };

struct server {
    struct spawner_page *page;
    int64_t old_serial; /* a spawner before this one began with this program */
    struct descendants found;
    bool is_leaving; /* the rank has gone */
    /* A program, until all its processes have ended. */
    bool is_busy, is_killing;
    pid_t main; /* 0: has ended */
    int64_t memory_bytes;
    double sample_s;      /* time of the next measurement; INFINITY: no limit */
    double lingers_until; /* INFINITY: the main process still runs */
    struct spawner_answer answer;
};

static double now_s(void)
{
    return clock_now(&clock_system);
}

static void send_answer(const struct spawner_answer *answer)
{
    while (send(SOCKET, answer, sizeof *answer, MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
}

/* ---- ends ---- */

/* Only children are killed: until they are reaped, nobody else can get their pids. Their orphans
 * become children. A group dies as a whole, so that it cannot grow faster than it is killed. */
static void kill_children(struct descendants *found)
{
    pid_t own = getpgrp();

    descendants_children(found, getpid());
    for (size_t i = 0; i < found->n; i++) {
        pid_t group = getpgid(found->of[i]);

        kill(found->of[i], SIGKILL);
        if (group > 1 && group != own)
            kill(-group, SIGKILL);
    }
}

static double seconds(const struct timeval *t)
{
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static void note_end(struct server *s, pid_t pid, int status, const struct rusage *usage)
{
    struct spawner_end *end = &s->answer.end;
    int64_t peak_bytes = 1024 * (int64_t)usage->ru_maxrss;

    end->cpu_s += seconds(&usage->ru_utime) + seconds(&usage->ru_stime);
    end->peak_bytes = peak_bytes > end->peak_bytes ? peak_bytes : end->peak_bytes;
    if (pid != s->main)
        return;
    s->main = 0;
    s->lingers_until = now_s() + SPAWNER_LINGER_S;
    end->status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    if (end->how != SPAWNER_OVER_MEMORY)
        end->how = WIFEXITED(status) ? SPAWNER_EXITED : SPAWNER_SIGNALLED;
}

/* Return true if a process was reaped. */
static bool reap(struct server *s)
{
    bool any = false;

    for (;;) {
        struct rusage usage;
        int status;
        pid_t pid = wait4(-1, &status, WNOHANG, &usage);

        if (pid <= 0) {
            s->is_busy = pid == 0 || errno != ECHILD;
            return any;
        }
        note_end(s, pid, status, &usage);
        any = true;
    }
}

static void sample_memory(struct server *s)
{
    struct spawner_end *end = &s->answer.end;
    int64_t bytes;

    descendants_all(&s->found, getpid());
    bytes = descendants_bytes(&s->found, s->memory_bytes);
    s->sample_s = now_s() + SPAWNER_SAMPLE_S;
    if (bytes <= s->memory_bytes)
        return;
    end->how = SPAWNER_OVER_MEMORY;
    end->memory_bytes = bytes;
    err_set(&end->why, "its processes used %.2f GB of memory: memory = %.2f GB is the limit",
            1e-9 * (double)bytes, 1e-9 * (double)s->memory_bytes);
    s->is_killing = true;
}

static void watch(struct server *s)
{
    reap(s);
    if (s->is_busy && now_s() >= s->lingers_until)
        s->is_killing = true;
    if (s->is_busy && !s->is_killing && s->main && now_s() >= s->sample_s)
        sample_memory(s);
    while (s->is_busy && s->is_killing) {
        kill_children(&s->found);
        if (!reap(s))
            break;
    }
    if (!s->is_busy)
        send_answer(&s->answer);
}

/* ---- starts ---- */

static bool read_texts(struct buf *out, int fd, size_t n)
{
    char *to = buf_extend(out, n);
    size_t at = 0;

    while (to && at < n) {
        ssize_t got = pread(fd, to + at, n - at, (off_t)at);

        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? (size_t)got : 0;
    }
    return to;
}

/* Point at n texts, with NULL behind them. Returns the next text. */
static char *point_at(char **out, size_t n, char *text)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = text;
        text += strlen(text) + 1;
    }
    out[n] = NULL;
    return text;
}

static void run(struct server *s, const struct spawner_request *request, const int *descriptors)
{
    struct exec_program program = {.output = descriptors[1], .error = descriptors[2]};
    size_t n_words = (size_t)request->n_words, n_variables = (size_t)request->n_variables;
    char **pointers = calloc(n_words + n_variables + 2, sizeof *pointers);
    struct exec_failure *failure = &s->page->failure;
    struct spawner_end *end = &s->answer.end;
    struct buf texts = {0};

    s->is_busy = true;
    s->is_killing = false;
    s->main = 0;
    s->memory_bytes = request->memory_bytes;
    s->sample_s = request->memory_bytes ? now_s() + SPAWNER_SAMPLE_S : INFINITY;
    s->lingers_until = INFINITY;
    s->answer = (struct spawner_answer){.serial = request->serial};
    if (pointers && descriptors[0] >= 0 &&
        read_texts(&texts, descriptors[0], (size_t)request->text_bytes)) {
        char *next = texts.data + strlen(texts.data) + 1;

        program.folder = texts.data;
        program.words = pointers;
        program.variables = pointers + n_words + 1;
        next = point_at(pointers, n_words, next);
        point_at(pointers + n_words + 1, n_variables, next);
        s->main = exec_start(&program, failure);
        if (s->main < 0)
            *failure = (struct exec_failure){.code = errno};
        if (failure->code)
            exec_explain(&program, failure, &end->why);
    } else {
        *failure = (struct exec_failure){.code = ENOMEM};
        err_set(&end->why, "cannot receive a command: out of memory or descriptors");
    }
    if (failure->code) {
        if (s->main > 0)
            waitpid(s->main, NULL, 0);
        s->is_busy = false;
        end->how = SPAWNER_NOT_STARTED;
        end->status = failure->code;
        send_answer(&s->answer);
    }
    free(pointers);
    buf_release(&texts);
}

/* ---- requests ---- */

/* Return the bytes of the request; 0: the rank has gone. descriptors: -1 where there is none. */
static ssize_t receive(struct spawner_request *request, int descriptors[SPAWNER_DESCRIPTORS])
{
    struct iovec part = {.iov_base = request, .iov_len = sizeof *request};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(SPAWNER_DESCRIPTORS * sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n = recvmsg(SOCKET, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    const struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

    for (int i = 0; i < SPAWNER_DESCRIPTORS; i++)
        descriptors[i] = -1;
    if (header)
        memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    return n;
}

static void obey(struct server *s, const struct spawner_request *request, const int *descriptors)
{
    bool is_meant = s->is_busy && request->serial == s->answer.serial;

    switch (request->kind) {
    case SPAWNER_RUN:
        if (request->serial > s->old_serial)
            run(s, request, descriptors);
        break;
    case SPAWNER_SIGNAL:
        if (is_meant && s->main) {
            kill(-s->main, request->number);
            kill(-s->main, SIGCONT);
        }
        break;
    case SPAWNER_KILL:
        s->is_killing = is_meant || s->is_killing;
        break;
    }
}

static void take_request(struct server *s)
{
    struct spawner_request request;
    int descriptors[SPAWNER_DESCRIPTORS];
    ssize_t n;

    /* A spawner that is killed between receiving a request and noting it would leave the rank waiting
     * forever. */
    if (recv(SOCKET, &request, sizeof request, MSG_PEEK | MSG_DONTWAIT) > 0 &&
        request.kind == SPAWNER_RUN && request.serial > s->page->serial)
        s->page->serial = request.serial;
    n = receive(&request, descriptors);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        s->is_leaving = true;
        s->is_killing = true;
        return;
    }
    obey(s, &request, descriptors);
    for (int i = 0; i < SPAWNER_DESCRIPTORS; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
}

static struct timespec *time_left(struct timespec *out, const struct server *s)
{
    double due_s = fmin(s->main ? s->sample_s : INFINITY, s->lingers_until), left_s;

    if (!s->is_busy)
        return NULL;
    left_s = s->is_killing ? KILL_AGAIN_S : fmax(due_s - now_s(), 0);
    if (isinf(left_s))
        return NULL;
    *out = (struct timespec){.tv_sec = (time_t)left_s,
                             .tv_nsec = (long)(1e9 * (left_s - floor(left_s)))};
    return out;
}

/* Interrupts ppoll() when a child ends. */
static void wake(int number)
{
    (void)number;
}

static void serve(struct spawner_page *page) __attribute__((noreturn));
static void serve(struct spawner_page *page)
{
    struct sigaction action = {.sa_handler = wake};
    struct server s = {
        .page = page, .old_serial = page->serial, .found.by_parent = !descendants_have_lists()};
    sigset_t none, child;

    process_rename("espalier-spawn");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&none);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, NULL);
    sigaction(SIGCHLD, &action, NULL);
    while (!s.is_leaving || s.is_busy) {
        struct pollfd wanted = {.fd = s.is_leaving ? -1 : SOCKET, .events = POLLIN};
        struct timespec left;

        if (ppoll(&wanted, 1, time_left(&left, &s), &none) > 0)
            take_request(&s);
        if (s.is_busy)
            watch(&s);
    }
    _exit(0);
}

/* ---- keeper ---- */

static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL);
    exec_ignore_signals();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Close everything but /dev/null as the standard streams, and the socket. */
static void keep_only(int socket)
{
    int null = open("/dev/null", O_RDWR);

    socket = fcntl(socket, F_DUPFD_CLOEXEC, SOCKET + 1);
    if (null < 0 || socket < 0)
        _exit(1);
    for (int fd = 0; fd < SOCKET; fd++)
        dup2(null, fd);
    dup3(socket, SOCKET, O_CLOEXEC);
    closefrom(SOCKET + 1);
}

/* Kill what is below this process. Orphans of the spawner became its children. */
static void kill_all(void)
{
    struct descendants found = {.by_parent = !descendants_have_lists()};
    pid_t pid;

    do {
        kill_children(&found);
        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (!pid)
            clock_sleep(KEEPER_S);
    } while (!pid || errno != ECHILD);
    descendants_release(&found);
}

/* Wait for the spawner, and return its status. */
static int wait_for(pid_t spawner)
{
    int status = 0;
    pid_t pid;

    while ((pid = waitpid(-1, &status, 0)) != spawner)
        if (pid < 0 && errno == ECHILD)
            return 0;
    return status;
}

static bool has_rank_gone(void)
{
    struct spawner_request request;

    return recv(SOCKET, &request, sizeof request, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static pid_t fork_spawner(void)
{
    pid_t pid = -1;

    for (int i = 0; pid < 0 && i < FORKS && !has_rank_gone(); i++) {
        if (i)
            clock_sleep(RESTART_S);
        pid = fork();
    }
    return pid;
}

void spawner_process_run(int socket, struct spawner_page *page)
{
    struct spawner_answer lost = {.end.how = SPAWNER_LOST};
    int status;

    setsid();
    reset_signals();
    keep_only(socket);
    process_rename("espalier-keep");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (;;) {
        pid_t spawner = fork_spawner();

        if (!spawner)
            serve(page);
        if (spawner < 0)
            break;
        status = wait_for(spawner);
        kill_all();
        if (has_rank_gone())
            break;
        lost.serial = page->serial;
        err_set(&lost.end.why, "the process that starts programs was killed (signal %d)",
                WTERMSIG(status));
        send_answer(&lost);
        clock_sleep(RESTART_S);
    }
    _exit(0);
}
