#include "cli/stop.h"

#include <stddef.h>

volatile sig_atomic_t stop_signal;

static void note(int number)
{
    stop_signal = number;
}

void stop_ask(void)
{
    if (!stop_signal)
        note(SIGTERM);
}

void stop_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP};
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}
