/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/words.h"

#include <stdio.h>

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
