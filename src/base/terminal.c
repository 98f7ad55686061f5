/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_WIDTH = 80, DEFAULT_HEIGHT = 24, LARGEST = 10000 };

static enum terminal_color chosen = TERMINAL_COLOR_AUTO;

void terminal_set_color(enum terminal_color color)
{
    chosen = color;
}

bool terminal_has_sequences(int fd)
{
    const char *terminal = getenv("TERM");

    return isatty(fd) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

bool terminal_has_color(int fd)
{
    const char *no_color = getenv("NO_COLOR");

    if (chosen != TERMINAL_COLOR_AUTO)
        return chosen == TERMINAL_COLOR_ALWAYS;
    return terminal_has_sequences(fd) && !(no_color && *no_color);
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

static int extent(int fd, bool is_width)
{
    const char *text = getenv(is_width ? "COLUMNS" : "LINES");
    struct winsize size = {0};
    int n;

    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size))
        size = (struct winsize){0};
    n = is_width ? size.ws_col : size.ws_row;
    if (!n && text)
        n = atoi(text);
    return n > 0 && n <= LARGEST ? n : is_width ? DEFAULT_WIDTH : DEFAULT_HEIGHT;
}

int terminal_width(int fd)
{
    return extent(fd, true);
}

int terminal_height(int fd)
{
    return extent(fd, false);
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
