/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/text/table.h"

bool table_is_missing(const char *cell)
{
    switch (cell[0]) {
    case '\0':
        return true;
    case '.':
        return cell[1] == '\0';
    case 'N':
        return strcmp(cell, "NA") == 0 || strcmp(cell, "NaN") == 0;
    case 'n':
        return strcmp(cell, "nan") == 0;
    default:
        return false;
    }
}

bool table_parse_number(double *out, const char *cell)
{
    char *end;

    /* Nearly every cell of a genotype table is one digit. */
    if (cell[0] >= '0' && cell[0] <= '9' && cell[1] == '\0') {
        *out = cell[0] - '0';
        return true;
    }
    if (!cell[0] || cell[strspn(cell, "0123456789+-.eE")])
        return false;
    *out = strtod(cell, &end);
    return *end == '\0' && isfinite((float)*out);
}

bool table_parse_comma(double *out, const char *cell)
{
    char copy[64];
    size_t n = strlen(cell), at = strcspn(cell, ",");

    if (n >= sizeof copy || at == n || strchr(cell, '.'))
        return false;
    memcpy(copy, cell, n + 1);
    copy[at] = '.';
    return table_parse_number(out, copy);
}

/* 0,5 but not 1,234, which may be a thousand. */
static bool read_comma(double *out, const char *cell)
{
    size_t digits = strlen(cell) - strcspn(cell, ",");

    return digits > 1 && *cell != ',' && (digits != 4 || cell[strspn(cell, "+-")] == '0') &&
           table_parse_comma(out, cell);
}

int table_number(double *out, const struct table *t, int32_t col, struct err *err)
{
    const char *cell = t->cell[col];

    if (table_parse_number(out, cell) || (t->separator != ',' && read_comma(out, cell)))
        return 0;
    *out = NAN;
    if (table_is_missing(cell))
        return 0;
    return table_fault(err, t,
                       "column \"%.80s\" = \"%.80s\": must be a number%s, or empty or NA where "
                       "missing",
                       t->name[col], cell, strchr(cell, ',') ? " with a decimal point" : "");
}

int table_whole(int32_t *out, const struct table *t, int32_t col, int32_t low, int32_t high,
                const char *what, struct err *err)
{
    const char *cell = t->cell[col];
    char *end;
    long long v;

    errno = 0;
    v = strtoll(cell, &end, 10);
    if (end == cell || *end || errno)
        return table_fault(err, t, "%s \"%.80s\": must be a whole number", what, cell);
    if (v < low || v > high)
        return table_fault(err, t, "%s %lld: must be in [%d, %d]", what, v, low, high);
    *out = (int32_t)v;
    return 0;
}
