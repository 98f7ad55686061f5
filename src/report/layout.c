/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/layout.h"

#include <stddef.h>
#include <string.h>

/* Text columns are narrowed further only if no column can be left out. */
enum { READABLE = 24 };

/* Skip to the next name of a list. Return its length; 0: there is none. */
static size_t next_name(const char **list)
{
    *list += strspn(*list, " +");
    return strcspn(*list, " +");
}

static bool is_name(const char *word, size_t n, const struct layout_column *column)
{
    return strlen(column->name) == n && !strncmp(column->name, word, n);
}

static bool is_in(const char *list, const struct layout_column *column)
{
    const char *at = list ? list : "";

    for (size_t n; (n = next_name(&at)) > 0; at += n)
        if (is_name(at, n, column))
            return true;
    return false;
}

static int total(const struct layout_column *columns, int32_t n)
{
    int sum = 0;

    for (int32_t c = 0; c < n; c++)
        if (!columns[c].is_left_out)
            sum += columns[c].width + (sum ? LAYOUT_GAP : 0);
    return sum;
}

/* Narrow the widest text column until the table fits or none is wider than `limit`. */
static void narrow(struct layout_column *columns, int32_t n, int width, int limit)
{
    int over = total(columns, n) - width;

    for (; over > 0; over--) {
        struct layout_column *widest = NULL;

        for (int32_t c = 0; c < n; c++) {
            struct layout_column *column = &columns[c];

            if (!column->is_left_out && column->is_text && column->width > limit &&
                column->width > column->least && (!widest || column->width > widest->width))
                widest = column;
        }
        if (!widest)
            return;
        widest->width--;
    }
}

/* True if a name of `drop` stands for the column. */
static bool names(const char *word, size_t n, const struct layout_column *column, const char *drop)
{
    if (n == 1 && (*word == '*' || *word == '='))
        return !is_in(drop, column) && (*word == '*' || column->is_same);
    return is_name(word, n, column);
}

static bool can_drop(const struct layout_column *column, const char *keep)
{
    return !column->is_left_out && !is_in(keep, column);
}

/* Leave out the next column, or those that "+" joins, which do not return. order: of the step.
 * False: there is none. */
static bool drop_next(struct layout_column *columns, int32_t n, const char *keep, const char *drop,
                      int order)
{
    const char *at = drop;
    bool is_dropped = false;
    int32_t c;

    for (size_t length; (length = next_name(&at)) > 0; at += length) {
        /* the last column that the name stands for and that can be left out */
        c = n - 1;
        while (c >= 0 && !(can_drop(&columns[c], keep) && names(at, length, &columns[c], drop)))
            c--;
        if (c >= 0) {
            bool is_joined = at[length] == '+' || (at > drop && at[-1] == '+');

            columns[c].is_left_out = is_dropped = true;
            columns[c].order = is_joined ? 0 : order;
        }
        if (is_dropped && at[length] != '+')
            return true;
    }
    for (c = n - 1; c >= 0 && !can_drop(&columns[c], keep); c--)
        ;
    if (c < 0)
        return false;
    columns[c].is_left_out = true;
    columns[c].order = order;
    return true;
}

static int least_total(const struct layout_column *columns, int32_t n)
{
    int sum = 0;

    for (int32_t c = 0; c < n; c++) {
        int least = columns[c].width;

        if (columns[c].is_left_out)
            continue;
        if (columns[c].is_text && least > READABLE)
            least = columns[c].least > READABLE ? columns[c].least : READABLE;
        sum += least + (sum ? LAYOUT_GAP : 0);
    }
    return sum;
}

void layout_fit(struct layout_column *columns, int32_t n, int width, const char *keep,
                const char *drop)
{
    int order = 1;

    if (width <= 0 || total(columns, n) <= width)
        return;
    while (least_total(columns, n) > width && drop_next(columns, n, keep, drop ? drop : "", order))
        order++;
    /* show columns again that fit, the last left out first */
    while (--order > 0)
        for (int32_t c = 0; c < n; c++)
            if (columns[c].is_left_out && columns[c].order == order) {
                columns[c].is_left_out = false;
                columns[c].is_left_out = least_total(columns, n) > width;
            }
    narrow(columns, n, width, READABLE);
    narrow(columns, n, width, 1);
}
