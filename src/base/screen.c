/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/screen.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Alternate screen, no cursor, no wrapping; and back. */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[H\033[2J";
static const char leave[] = "\033[?7h\033[?25h\033[?1049l";

static bool is_open, has_keys;
static struct termios before; /* of stdin, if has_keys */
static struct sigaction olds[6];
static sigset_t outside; /* the mask before, in which screen_wait() sleeps */
static volatile sig_atomic_t stop_number, is_resized, is_suspended;

static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { N_STOPS = sizeof stops / sizeof *stops };

static void handle(int number)
{
    if (number == SIGWINCH)
        is_resized = 1;
    else if (number == SIGTSTP)
        is_suspended = 1;
    else
        stop_number = number;
}

static void write_all(const char *text, size_t n)
{
    while (n > 0) {
        ssize_t written = write(STDOUT_FILENO, text, n);

        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            text += written;
            n -= (size_t)written;
        }
    }
}

/* Signal keys such as Ctrl-C stay. */
static void take_terminal(void)
{
    struct termios raw;

    has_keys = isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &before);
    if (has_keys) {
        raw = before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    write_all(enter, sizeof enter - 1);
}

static void give_terminal(void)
{
    write_all(leave, sizeof leave - 1);
    if (has_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

/* Outside screen_wait() the signals are blocked, so none comes between a check and the sleep. */
static void take_signals(void)
{
    struct sigaction action = {.sa_handler = handle};
    sigset_t ours;

    sigemptyset(&ours);
    sigaddset(&ours, SIGWINCH);
    sigaddset(&ours, SIGTSTP);
    sigaction(SIGWINCH, &action, &olds[N_STOPS]);
    sigaction(SIGTSTP, &action, &olds[N_STOPS + 1]);
    for (int i = 0; i < N_STOPS; i++) {
        sigaction(stops[i], NULL, &olds[i]);
        if (olds[i].sa_handler == SIG_IGN)
            continue;
        sigaction(stops[i], &action, NULL);
        sigaddset(&ours, stops[i]);
    }
    sigprocmask(SIG_BLOCK, &ours, &outside);
}

void screen_open(void)
{
    take_signals();
    take_terminal();
    is_open = true;
}

void screen_close(void)
{
    if (!is_open)
        return;
    give_terminal();
    for (int i = 0; i < N_STOPS; i++)
        sigaction(stops[i], &olds[i], NULL);
    sigaction(SIGWINCH, &olds[N_STOPS], NULL);
    sigaction(SIGTSTP, &olds[N_STOPS + 1], NULL);
    sigprocmask(SIG_SETMASK, &outside, NULL);
    is_open = false;
}

/* Each line clears its own rest, so that nothing flickers. The last line feed would scroll. */
void screen_draw(const struct buf *lines)
{
    const char *text = buf_text(lines);
    struct buf out = {0};

    buf_puts(&out, "\033[H");
    for (size_t i = 0; i < lines->size; i++)
        if (text[i] != '\n')
            buf_putc(&out, text[i]);
        else
            buf_puts(&out, i + 1 < lines->size ? "\033[K\r\n" : "\033[K");
    buf_puts(&out, "\033[J");
    if (!buf_failed(&out))
        write_all(buf_text(&out), out.size);
    buf_release(&out);
}

enum screen_event screen_wait(char *key, double seconds)
{
    struct pollfd keys = {.fd = has_keys ? STDIN_FILENO : -1, .events = POLLIN};
    double whole = floor(seconds);
    struct timespec limit = {.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (seconds - whole))};
    int ready = ppoll(&keys, 1, &limit, &outside);

    if (stop_number)
        return SCREEN_STOPPED;
    if (is_suspended) {
        is_suspended = 0;
        give_terminal();
        raise(SIGSTOP); /* SIGTSTP is handled here */
        take_terminal();
        is_resized = 1;
    }
    if (is_resized) {
        is_resized = 0;
        return SCREEN_RESIZED;
    }
    if (ready <= 0)
        return SCREEN_TIME;
    return read(STDIN_FILENO, key, 1) == 1 ? SCREEN_KEY : SCREEN_STOPPED;
}

int screen_signal(void)
{
    return stop_number;
}
