/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_WIDTH = 80, LARGEST_WIDTH = 10000 };

static enum terminal_color chosen = TERMINAL_COLOR_AUTO;

void terminal_set_color(enum terminal_color color)
{
    chosen = color;
}

static bool is_set(const char *variable)
{
    const char *text = getenv(variable);

    return text && *text;
}

bool terminal_has_color(int fd)
{
    const char *terminal = getenv("TERM");

    if (chosen != TERMINAL_COLOR_AUTO)
        return chosen == TERMINAL_COLOR_ALWAYS;
    return isatty(fd) && !is_set("NO_COLOR") && terminal && *terminal &&
           strcmp(terminal, "dumb") != 0;
}

const char *terminal_style(int fd, enum terminal_style style)
{
    static const char *const codes[] = {
        [TERMINAL_PLAIN] = "\033[0m",    [TERMINAL_HEADING] = "\033[1m",
        [TERMINAL_NAME] = "\033[36m",    [TERMINAL_ERROR] = "\033[1;31m",
        [TERMINAL_WARNING] = "\033[33m",
    };

    return terminal_has_color(fd) ? codes[style] : "";
}

int terminal_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    int width = 0;

    if (isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size))
        width = size.ws_col;
    if (!width && columns)
        width = atoi(columns);
    return width > 0 && width <= LARGEST_WIDTH ? width : DEFAULT_WIDTH;
}

bool terminal_is_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *locale = getenv(variables[i]), *charset;

        if (!locale || !*locale)
            continue;
        charset = strrchr(locale, '.');
        return charset && (!strncasecmp(charset, ".UTF-8", 6) || !strncasecmp(charset, ".UTF8", 5));
    }
    return false;
}
