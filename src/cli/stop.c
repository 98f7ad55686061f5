#include "cli/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/cli.h"

volatile sig_atomic_t stop_signal;

static volatile sig_atomic_t is_heeded, is_silent;

/* Reading, simulating and reducing may take minutes and leave nothing behind. */
static void leave(void)
{
    static const char text[] =
        "espalier: stopped before the sweep began; the same command begins it\n";
    ssize_t written = is_silent ? 0 : write(STDERR_FILENO, text, sizeof text - 1);

    (void)written;
    _exit(EXIT_RESUMABLE);
}

static void handle(int number)
{
    if (!is_heeded)
        leave();
    stop_signal = number;
}

void stop_ask(void)
{
    if (!stop_signal)
        stop_signal = SIGTERM;
}

void stop_heed(void)
{
    is_heeded = true;
}

void stop_catch(bool is_quiet)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};

    is_silent = is_quiet;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}
