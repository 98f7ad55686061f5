#include "data/decimal.h"

#include <string.h>

#include "data/table.h"

/* Longer than any number that somebody writes. */
enum { MOST_DIGITS = 64 };

bool decimal_has_comma(const char *cell)
{
    char copy[MOST_DIGITS];
    const char *comma = strchr(cell, ',');
    double v;

    if (!comma || strchr(cell, '.') || strlen(cell) >= sizeof copy)
        return false;
    strcpy(copy, cell);
    copy[comma - cell] = '.';
    return table_parse_number(&v, copy);
}

/* As 1,234 is where a comma sets thousands apart. */
static bool may_be_thousands(const char *cell)
{
    const char *comma = strchr(cell, ',');

    return strspn(comma + 1, "0123456789") == 3 && !comma[4];
}

/* As 1.066 and 1.234.567 are where a point sets thousands apart. */
static bool has_thousands(const char *cell)
{
    size_t n = strspn(cell, "0123456789");

    if (n < 1 || n > 3 || *cell == '0' || cell[n] != '.')
        return false;
    for (cell += n; *cell == '.'; cell += 4)
        if (strspn(cell + 1, "0123456789") != 3)
            return false;
    return !*cell;
}

/* 979 beside 1.066: whole numbers of three digits, and all others far below them if the point is a
 * decimal one. */
static int refuse_thousands(const struct target_cells *cells, struct err *err)
{
    int32_t a_point = -1, n_whole = 0;

    for (int32_t i = 0; i < cells->n; i++) {
        const char *text = cells->text[i];

        if (!text)
            continue;
        if (has_thousands(text)) {
            if (strspn(text, "0123456789") > 1 && !strchr(strchr(text, '.') + 1, '.'))
                return 0; /* 10.066 may be a measurement beside 979 */
            a_point = a_point < 0 ? i : a_point;
        } else if (*text != '0' && strspn(text, "0123456789") == 3 && !text[3]) {
            n_whole++;
        } else {
            return 0;
        }
    }
    if (a_point < 0 || !n_whole)
        return 0;
    return target_fault(err, cells, a_point,
                        "a point that likely sets thousands apart, for other rows have whole "
                        "numbers of three digits: write nothing between thousands");
}

int decimal_read(struct target_cells *cells, char separator, struct err *err)
{
    int32_t a_comma = -1, n_plain = 0;

    for (int32_t i = 0; separator != ',' && i < cells->n; i++) {
        const char *text = cells->text[i];

        if (!text)
            continue;
        if (decimal_has_comma(text)) {
            a_comma = a_comma < 0 ? i : a_comma;
            n_plain += !may_be_thousands(text);
        } else if (text[strspn(text, "+-0123456789")]) {
            return refuse_thousands(cells, err);
        }
    }
    if (a_comma < 0)
        return refuse_thousands(cells, err);
    if (n_plain == 0 && separator != ';')
        return target_fault(err, cells, a_comma,
                            "a comma that may set thousands apart or be a decimal one: write a "
                            "decimal point, and nothing between thousands");
    for (int32_t i = 0; i < cells->n; i++) {
        char *comma = cells->text[i] ? strchr(cells->text[i], ',') : NULL;

        if (comma)
            *comma = '.';
    }
    return 0;
}
