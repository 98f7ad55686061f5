/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/spawner.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
#include "program/exec.h"

/* Seconds for spawner_stop() before it kills. */
#define STOP_S 5.0

/* Memory that keeper, spawner and the programs share until they are executed. */
struct spawner_page {
    /* Newest program that a spawner has begun with. If that spawner is killed, its successor must
     * not start the program again, because the keeper reports it as lost. */
    int64_t serial;
    struct exec_failure failure;
};

/* Messages between a rank and its spawner are packets of a socket. */
enum request_kind { REQUEST_RUN, REQUEST_SIGNAL, REQUEST_KILL };

/* REQUEST_RUN carries DESCRIPTORS: a memory file, standard output and standard error. The
 * file holds texts, each with its NUL: the folder ("": none), the words, the variables. */
enum { DESCRIPTORS = 3 };

struct spawner_request {
    enum request_kind kind;
    int32_t number; /* REQUEST_SIGNAL: the signal */
    int64_t serial; /* of the program that is meant; from 1 on */
    int64_t memory_bytes;
    int64_t text_bytes;
    int32_t n_words, n_variables;
};

struct spawner_answer {
    int64_t serial;
    struct spawner_end end;
};

/* ---- the spawner ---- */

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
static ssize_t receive(struct spawner_request *request, int descriptors[DESCRIPTORS])
{
    struct iovec part = {.iov_base = request, .iov_len = sizeof *request};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n = recvmsg(SOCKET, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    const struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

    for (int i = 0; i < DESCRIPTORS; i++)
        descriptors[i] = -1;
    if (header)
        memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    return n;
}

static void obey(struct server *s, const struct spawner_request *request, const int *descriptors)
{
    bool is_meant = s->is_busy && request->serial == s->answer.serial;

    switch (request->kind) {
    case REQUEST_RUN:
        if (request->serial > s->old_serial)
            run(s, request, descriptors);
        break;
    case REQUEST_SIGNAL:
        if (is_meant && s->main) {
            kill(-s->main, request->number);
            kill(-s->main, SIGCONT);
        }
        break;
    case REQUEST_KILL:
        s->is_killing = is_meant || s->is_killing;
        break;
    }
}

static void take_request(struct server *s)
{
    struct spawner_request request;
    int descriptors[DESCRIPTORS];
    ssize_t n;

    /* A spawner that is killed between receiving a request and noting it would leave the rank waiting
     * forever. */
    if (recv(SOCKET, &request, sizeof request, MSG_PEEK | MSG_DONTWAIT) > 0 &&
        request.kind == REQUEST_RUN && request.serial > s->page->serial)
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
    for (int i = 0; i < DESCRIPTORS; i++)
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

/* Become the keeper, in a process that was just forked. Never returns. */
static void keep(int socket, struct spawner_page *page) __attribute__((noreturn));
static void keep(int socket, struct spawner_page *page)
{
    struct spawner_answer lost = {.end.how = SPAWNER_LOST};
    int status;

    setsid();
    reset_signals();
    keep_only(socket);
    process_rename("espalier-keep");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (;;) {
        pid_t spawner = -1;

        for (int i = 0; spawner < 0 && i < FORKS && !has_rank_gone(); i++) {
            if (i)
                clock_sleep(RESTART_S);
            spawner = fork();
        }
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

/* ---- the rank ---- */

int spawner_start(struct spawner *s, struct err *err)
{
    struct spawner_page *page;
    int ends[2];
    pid_t pid;

    *s = (struct spawner){.keeper = 0};
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return err_nomem(err, "page of the spawner", sizeof *page);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        munmap(page, sizeof *page);
        return err_set(err, "socketpair: %s", strerror(errno));
    }
    pid = fork();
    if (!pid)
        keep(ends[1], page);
    if (pid < 0)
        err_set(err, "fork: %s", strerror(errno));
    munmap(page, sizeof *page);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return -1;
    }
    s->keeper = pid;
    s->fd = ends[0];
    return 0;
}

/* ---- requests ---- */

static int send_request(const struct spawner *s, const struct spawner_request *request,
                        const int *descriptors)
{
    struct iovec part = {.iov_base = (void *)request, .iov_len = sizeof *request};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t n;

    if (descriptors) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        *CMSG_FIRSTHDR(&message) =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                             .cmsg_type = SCM_RIGHTS,
                             .cmsg_len = CMSG_LEN(DESCRIPTORS * sizeof(int))};
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), descriptors, DESCRIPTORS * sizeof(int));
    }
    do
        n = sendmsg(s->fd, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -1 : 0;
}

static int32_t put_texts(struct buf *out, const char *const *texts)
{
    int32_t n = 0;

    for (; texts[n]; n++)
        buf_add(out, texts[n], strlen(texts[n]) + 1);
    return n;
}

/* Return a file with the texts, or -1. */
static int write_texts(const struct buf *texts)
{
    int fd = memfd_create("espalier-program", MFD_CLOEXEC);
    size_t at = 0;

    while (fd >= 0 && at < texts->size) {
        ssize_t n = write(fd, texts->data + at, texts->size - at);

        if (n > 0) {
            at += (size_t)n;
        } else if (errno != EINTR) {
            close(fd);
            return -1;
        }
    }
    return fd;
}

static void explain_loss(struct err *err)
{
    err_set(err,
            "the processes that start programs are gone: they were killed, or could not be forked");
}

int spawner_run(struct spawner *s, const struct spawner_program *program, struct err *err)
{
    struct spawner_request request = {
        .kind = REQUEST_RUN, .serial = s->serial + 1, .memory_bytes = program->memory_bytes};
    struct buf texts = {0};
    int descriptors[DESCRIPTORS] = {-1, program->output, program->error}, rc;

    assert(s->keeper && !s->is_running);
    buf_puts(&texts, program->folder ? program->folder : "");
    buf_putc(&texts, '\0');
    request.n_words = put_texts(&texts, program->words);
    request.n_variables = put_texts(&texts, program->variables);
    request.text_bytes = (int64_t)texts.size;
    descriptors[0] = buf_failed(&texts) ? -1 : write_texts(&texts);
    if (descriptors[0] < 0) {
        rc = err_nomem(err, "command and environment", texts.size);
    } else if (send_request(s, &request, descriptors)) {
        rc = err_set(err, "cannot ask for the start of a program: %s", strerror(errno));
        s->is_lost = errno == EPIPE || errno == ECONNRESET;
    } else {
        rc = 0;
    }
    if (rc && s->is_lost)
        explain_loss(err);
    if (descriptors[0] >= 0)
        close(descriptors[0]);
    buf_release(&texts);
    if (!rc) {
        s->serial++;
        s->is_running = true;
    }
    return rc;
}

void spawner_signal(struct spawner *s, int number)
{
    struct spawner_request request = {
        .kind = REQUEST_SIGNAL, .serial = s->serial, .number = number};

    if (s->is_running)
        send_request(s, &request, NULL);
}

void spawner_kill(struct spawner *s)
{
    struct spawner_request request = {.kind = REQUEST_KILL, .serial = s->serial};

    if (s->is_running)
        send_request(s, &request, NULL);
}

void spawner_force(struct spawner *s, bool with_keeper)
{
    struct descendants found = {.by_parent = !descendants_have_lists()};

    if (with_keeper)
        descendants_all(&found, s->keeper);
    else
        descendants_children(&found, s->keeper);
    for (size_t i = 0; i < found.n; i++)
        kill(found.of[i], SIGKILL);
    descendants_release(&found);
    kill(s->keeper, with_keeper ? SIGKILL : SIGCONT);
}

/* ---- answers ---- */

bool spawner_lacks_resources(const struct spawner_end *end)
{
    static const int lacks[] = {EAGAIN, ENOMEM, EMFILE, ENFILE};

    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        if (end->how == SPAWNER_NOT_STARTED && end->status == lacks[i])
            return true;
    return false;
}

bool spawner_take(struct spawner_end *end, struct spawner *s)
{
    struct spawner_answer answer;
    ssize_t n = -1;

    if (!s->is_running)
        return false;
    /* Answers about earlier programs are of a spawner that was killed after it had answered. */
    while (!s->is_lost && s->is_running) {
        n = recv(s->fd, &answer, sizeof answer, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return false;
        s->is_lost = n <= 0;
        s->is_running = n <= 0 || answer.serial != s->serial;
    }
    if (s->is_lost) {
        *end = (struct spawner_end){.how = SPAWNER_LOST};
        explain_loss(&end->why);
    } else {
        *end = answer.end;
    }
    s->is_running = false;
    return true;
}

/* The socket reports the end when neither process holds its other end. */
void spawner_stop(struct spawner *s)
{
    struct pollfd wanted;
    double until_s = clock_now(&clock_system) + STOP_S, left_s = STOP_S;
    struct spawner_answer answer;

    if (!s->keeper)
        return;
    shutdown(s->fd, SHUT_WR);
    wanted = (struct pollfd){.fd = s->fd, .events = POLLIN};
    while (left_s > 0) {
        if (poll(&wanted, 1, (int)(1000 * left_s) + 1) > 0 &&
            recv(s->fd, &answer, sizeof answer, MSG_DONTWAIT) == 0)
            break;
        left_s = until_s - clock_now(&clock_system);
    }
    close(s->fd);
    if (left_s <= 0)
        spawner_force(s, true);
    waitpid(s->keeper, NULL, 0);
    *s = (struct spawner){.keeper = 0};
}
