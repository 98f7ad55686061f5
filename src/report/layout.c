/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/layout.h"

#include <stddef.h>
#include <string.h>

/* Text columns are not narrowed further than this as long as a column can be left out instead. */
enum { READABLE = 24 };

/* True if `name`, of n bytes, is a word of the list. */
static bool has_word(const char *list, const char *name, size_t n)
{
    for (const char *at = list ? list : ""; *at;) {
        size_t length = strcspn(at, " ");

        if (length == n && !strncmp(at, name, n))
            return true;
        at += length;
        at += strspn(at, " ");
    }
    return false;
}

static bool is_in(const char *list, const struct layout_column *column)
{
    return has_word(list, column->name, strlen(column->name));
}

static int total(const struct layout_column *columns, int32_t n)
{
    int sum = 0;

    for (int32_t c = 0; c < n; c++)
        if (!columns[c].is_left_out)
            sum += columns[c].width + (sum ? LAYOUT_GAP : 0);
    return sum;
}

/* Narrow text columns, the widest first, until the table fits or none is wider than `limit`. */
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

/* True if a word of `drop`, of n bytes, stands for the column. */
static bool names(const char *word, size_t n, const struct layout_column *column, const char *drop)
{
    if (n == 1 && (*word == '*' || *word == '='))
        return !is_in(drop, column) && (*word == '*' || column->is_same);
    return strlen(column->name) == n && !strncmp(column->name, word, n);
}

/* Return the next column to leave out; NULL when only those of `keep` are left. */
static struct layout_column *next_to_drop(struct layout_column *columns, int32_t n,
                                          const char *keep, const char *drop)
{
    const char *at = drop ? drop : "";

    while (*at) {
        size_t length = strcspn(at, " ");

        for (int32_t c = n - 1; c >= 0; c--)
            if (!columns[c].is_left_out && !is_in(keep, &columns[c]) &&
                names(at, length, &columns[c], drop))
                return &columns[c];
        at += length;
        at += strspn(at, " ");
    }
    for (int32_t c = n - 1; c >= 0; c--)
        if (!columns[c].is_left_out && !is_in(keep, &columns[c]))
            return &columns[c];
    return NULL;
}

/* Return the least width of the table with its present columns. */
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
    if (width <= 0 || total(columns, n) <= width)
        return;
    while (least_total(columns, n) > width) {
        struct layout_column *column = next_to_drop(columns, n, keep, drop);

        if (!column)
            break;
        column->is_left_out = true;
    }
    narrow(columns, n, width, READABLE);
    narrow(columns, n, width, 1);
}
