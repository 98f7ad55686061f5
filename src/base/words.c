/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_ROOM = 60 }; /* bytes of a text that was cut: for its begin alone */

const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

const char *words_between(int32_t i, int32_t n)
{
    return i == 0 ? "" : i == n - 1 ? " and " : ", ";
}

char *bytes_words(char out[BYTES_TEXT], double bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    double number = bytes * 1e-3;
    int unit = 0;

    if (bytes < 1000) {
        snprintf(out, BYTES_TEXT, "%.0f byte%s", bytes, plural((int64_t)bytes));
        return out;
    }
    for (; number >= 999.5 && unit < 3; unit++)
        number *= 1e-3;
    snprintf(out, BYTES_TEXT, "%.*f %s", number < 9.95, number, units[unit]);
    return out;
}

static bool is_within_character(char byte)
{
    return (byte & 0xc0) == 0x80;
}

char *words_cut(char *out, size_t size, const char *text)
{
    static const char mark[] = "...";
    size_t n = strlen(text), room = size - sizeof mark;
    size_t end = room <= SMALL_ROOM ? 0 : room / 3, begin = room - end;

    if (n < size)
        return memcpy(out, text, n + 1);
    while (begin && is_within_character(text[begin]))
        begin--;
    while (end && is_within_character(text[n - end]))
        end--;
    memcpy(out, text, begin);
    memcpy(out + begin, mark, sizeof mark - 1);
    memcpy(out + begin + sizeof mark - 1, text + n - end, end + 1);
    return out;
}
