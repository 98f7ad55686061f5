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
            return 0;
        }
    }
    if (a_comma < 0)
        return 0;
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
