#include "cli/launch_watch.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "cli/launch_report.h"
#include "cli/stop.h"

#define LOOK_MS 100
/* All processes of a launch start within seconds; on a filesystem that is overloaded in minutes. */
#define COME_UP_S 600.0
/* When the user is told what a launch may be waiting for. */
#define LATE_S 30.0
/* What mpirun gets to end by itself, and then after it was asked to. */
#define END_S 3.0

struct watch {
    struct launch_end *end;
    pid_t pid;
    struct buf line;  /* of the report, until its newline comes */
    double due_s;     /* when patience is over; INFINITY: never */
    const char *then; /* the reason */
    double late_s;    /* when the ranks are late; INFINITY: that was said, or they are here */
    double heartbeat_s;
    const volatile sig_atomic_t *stop; /* not 0: mpirun was told to stop its ranks */
    double told_s;                     /* when last */
    bool is_elsewhere;                 /* rank 0, on another host */
    int n_asked;                       /* signals sent */
    bool has_ended;
};

static double now_s(void)
{
    return clock_now(&clock_system);
}

static void take_sign_of_life(struct watch *w)
{
    double silence_s = w->is_elsewhere ? w->heartbeat_s : 60 + 2 * w->heartbeat_s;

    w->due_s = now_s() + silence_s + 2 * ALIVE_S;
    w->then = "rank 0 has fallen silent";
}

/* mpirun loses a signal that comes before it has its ranks, or before they listen. Until they have
 * come up, when the first that they get ends them, and once more then, it gets it again. */
static void stop_again(struct watch *w)
{
    if (!*w->stop || now_s() < w->told_s + STOP_AGAIN_S)
        return;
    kill(w->pid, SIGUSR1);
    w->told_s = now_s();
}

static void take_up(struct watch *w, const char *text)
{
    struct process leader = {.pid = -1};
    long long pid, start;

    stop_again(w);
    w->end->has_come_up = true;
    w->late_s = INFINITY;
    w->is_elsewhere =
        sscanf(text, "%lld %lld %64s %63[^\n]", &pid, &start, leader.host, leader.realm) >= 3 &&
        !process_is_here(&leader);
    take_sign_of_life(w);
}

static void take_line(struct watch *w, const char *line)
{
    if (!strncmp(line, REPORT_UP, sizeof REPORT_UP - 1)) {
        take_up(w, line + sizeof REPORT_UP - 1);
    } else if (!strcmp(line, REPORT_ALIVE)) {
        take_sign_of_life(w);
    } else if (!strncmp(line, REPORT_STATUS, sizeof REPORT_STATUS - 1)) {
        w->end->status = atoi(line + sizeof REPORT_STATUS - 1);
        w->due_s = now_s() + END_S;
        w->then = NULL;
    } else {
        puts(line);
        fflush(stdout);
    }
}

static void take_bytes(struct watch *w, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            buf_putc(&w->line, bytes[i]);
            continue;
        }
        take_line(w, buf_text(&w->line));
        buf_clear(&w->line);
    }
}

/* False at the end of the report. */
static bool read_report(struct watch *w, int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    char bytes[4096];
    ssize_t n;

    if (poll(&wanted, 1, LOOK_MS) <= 0)
        return true;
    n = read(fd, bytes, sizeof bytes);
    if (n > 0)
        take_bytes(w, bytes, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR);
}

static void see_end(struct watch *w)
{
    int status;

    if (waitpid(w->pid, &status, WNOHANG) != w->pid)
        return;
    w->has_ended = true;
    w->end->mpirun_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* First politely, so that mpirun ends what runs on other hosts; then with all it has here. */
static void lose_patience(struct watch *w)
{
    if (!w->n_asked)
        w->end->reason = w->then;
    if (w->n_asked++)
        kill(-w->pid, SIGKILL);
    else
        kill(w->pid, SIGTERM);
    w->due_s = now_s() + END_S;
}

/* A daemon of Open MPI that starts on its host, but cannot reach mpirun, ends without a word, and
 * mpirun waits for it for ever. */
static void tell_late(struct watch *w)
{
    if (now_s() < w->late_s)
        return;
    w->late_s = INFINITY;
    log_warn("not all ranks have come up after %.0f s: programs are slow to load, or a host that "
             "mpirun was given cannot reach this one (a firewall, or another network than "
             "OMPI_MCA_oob_tcp_if_include should name); run ends after %.0f min",
             LATE_S, COME_UP_S / 60);
}

void launch_watch(struct launch_end *end, pid_t pid, int report_fd, double heartbeat_s,
                  const volatile sig_atomic_t *stop)
{
    struct watch w = {.end = end,
                      .pid = pid,
                      .due_s = now_s() + COME_UP_S,
                      .then = "not all ranks have come up",
                      .late_s = now_s() + LATE_S,
                      .heartbeat_s = heartbeat_s,
                      .stop = stop};
    bool is_open = true;

    *end = (struct launch_end){.status = -1};
    while (!w.has_ended) {
        if (is_open)
            is_open = read_report(&w, report_fd);
        else
            clock_sleep(LOOK_MS * 1e-3);
        if (!end->has_come_up)
            stop_again(&w);
        tell_late(&w);
        see_end(&w);
        if (!w.has_ended && now_s() > w.due_s)
            lose_patience(&w);
    }
    while (is_open && poll(&(struct pollfd){.fd = report_fd, .events = POLLIN}, 1, 0) > 0)
        is_open = read_report(&w, report_fd);
    buf_release(&w.line);
}
