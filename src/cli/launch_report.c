#include "cli/launch_report.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/process.h"
#include "cli/cli.h"

static atomic_bool is_up;

bool launch_is_heard(void)
{
    return getenv(LAUNCH_LISTENS) != NULL;
}

/* In one piece, past stdio: nothing else is written there. */
static void report(const char *line)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%s\n", line);

    if (launch_is_heard() && write(STDOUT_FILENO, text, (size_t)n) < 0)
        unsetenv(LAUNCH_LISTENS);
}

void launch_report_up(void)
{
    struct process self;
    char line[200];

    process_self(&self);
    snprintf(line, sizeof line, REPORT_UP "%lld %lld %s %s", (long long)self.pid,
             (long long)self.start, self.host, self.realm);
    report(line);
    is_up = true;
}

void launch_report_alive(void)
{
    static _Atomic double last_s = -ALIVE_S;
    double now_s = clock_now(&clock_system);

    if (!is_up || now_s - last_s < ALIVE_S)
        return;
    last_s = now_s;
    report(REPORT_ALIVE);
}

int launch_report_status(int status)
{
    char line[48];

    FAULT("scheduler: before the end is reported");
    snprintf(line, sizeof line, REPORT_STATUS "%d", status);
    report(line);
    return launch_is_heard() ? EXIT_OK : status;
}
