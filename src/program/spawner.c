/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/spawner.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "program/descendants.h"
#include "program/spawner_process.h"

#define STOP_S 5.0

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
        spawner_process_run(ends[1], page);
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
        char bytes[CMSG_SPACE(SPAWNER_DESCRIPTORS * sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t n;

    if (descriptors) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        *CMSG_FIRSTHDR(&message) =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                             .cmsg_type = SCM_RIGHTS,
                             .cmsg_len = CMSG_LEN(SPAWNER_DESCRIPTORS * sizeof(int))};
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), descriptors, SPAWNER_DESCRIPTORS * sizeof(int));
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
        .kind = SPAWNER_RUN, .serial = s->serial + 1, .memory_bytes = program->memory_bytes};
    struct buf texts = {0};
    int descriptors[SPAWNER_DESCRIPTORS] = {-1, program->output, program->error}, rc;

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
        .kind = SPAWNER_SIGNAL, .serial = s->serial, .number = number};

    if (s->is_running)
        send_request(s, &request, NULL);
}

void spawner_kill(struct spawner *s)
{
    struct spawner_request request = {.kind = SPAWNER_KILL, .serial = s->serial};

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
