#include "data/text/separator.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* ---- quotes ---- */

static bool is_other_blank(unsigned char c, unsigned char separator)
{
    return (c == ' ' || c == '\t') && c != separator;
}

static bool ends_cell(unsigned char c, unsigned char separator)
{
    return c == separator || c == '\n' || c == '\r';
}

static enum quotes next(enum quotes state, unsigned char c, unsigned char separator, bool *is_sound)
{
    switch (state) {
    case QUOTES_START:
        if (c == '"')
            return QUOTES_INSIDE;
        return ends_cell(c, separator) || is_other_blank(c, separator) ? QUOTES_START
                                                                       : QUOTES_PLAIN;
    case QUOTES_PLAIN:
        return ends_cell(c, separator) ? QUOTES_START : QUOTES_PLAIN;
    case QUOTES_INSIDE:
        return c == '"' ? QUOTES_CLOSED : QUOTES_INSIDE;
    case QUOTES_CLOSED:
        if (c == '"')
            return QUOTES_INSIDE;
        break;
    case QUOTES_BLANK:
        break;
    }
    if (ends_cell(c, separator))
        return QUOTES_START;
    *is_sound = *is_sound && is_other_blank(c, separator);
    return QUOTES_BLANK;
}

/* Nearly every line has no quote: then its end alone says where it leaves off. */
static enum quotes after_plain(enum quotes state, const unsigned char *bytes, size_t n,
                               unsigned char separator)
{
    while (n && is_other_blank(bytes[n - 1], separator))
        n--;
    if (n == 0)
        return state;
    return ends_cell(bytes[n - 1], separator) ? QUOTES_START : QUOTES_PLAIN;
}

bool quotes_follow(enum quotes *state, const unsigned char *bytes, size_t n,
                   unsigned char separator)
{
    bool is_sound = true;

    if (*state <= QUOTES_PLAIN && !memchr(bytes, '"', n)) {
        *state = after_plain(*state, bytes, n, separator);
        return true;
    }
    for (size_t i = 0; i < n && is_sound; i++)
        *state = next(*state, bytes[i], separator, &is_sound);
    return is_sound;
}

static bool is_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- which separator ---- */

enum { TABS, COMMAS, SEMICOLONS, BLANKS, KINDS };
static const char kinds[] = {'\t', ',', ';', ' '};

/* Count what could be separators of a line, outside quotes. Returns where the line ends. */
static const char *count_line(size_t *n, const char *at, const char *end)
{
    bool is_inside = false, begins = true, has_cell = false, is_apart = false;

    memset(n, 0, KINDS * sizeof *n);
    for (; at < end && !is_end(*at); at++) {
        const char *kind = memchr(kinds, *at, KINDS);

        if (*at == '"' && (is_inside || begins))
            is_inside = !is_inside;
        /* Two quotes inside are one of the text: it is closed and opened again. */
        begins = kind || (*at == '"' && !is_inside);
        if (is_inside)
            continue;
        if (kind && *kind != ' ')
            n[kind - kinds]++;
        n[BLANKS] += !kind && has_cell && is_apart;
        has_cell = has_cell || !kind;
        is_apart = *at == ' ';
    }
    return at;
}

static const char *skip_ends(const char *at, const char *end)
{
    while (at < end && is_end(*at))
        at++;
    return at;
}

char separator_named(size_t *length, const char *bytes, size_t n)
{
    const char *end = bytes + n, *at = bytes;
    bool is_quoted = n && *at == '"';
    char separator;

    at += is_quoted;
    if (end - at < 5 || strncasecmp(at, "sep=", 4) != 0 || is_end(at[4]))
        return '\0';
    separator = at[4];
    at += 5;
    if (is_quoted && (at == end || *at++ != '"'))
        return '\0';
    if (at < end && !is_end(*at))
        return '\0';
    if (at < end)
        at += at[0] == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
    *length = (size_t)(at - bytes);
    return separator;
}

/* The separator of R's table with one column, by its first row. */
static char of_quoted_row(const size_t *n, const char *head, const char *row, const char *end)
{
    if (head == end || row == end || *head != '"' || *row != '"')
        return ',';
    return n[TABS] ? '\t' : n[BLANKS] ? ' ' : ',';
}

char separator_find(const char *bytes, size_t n)
{
    const char *end = bytes + n, *at = skip_ends(bytes, end), *first = at, *row;
    size_t head[KINDS], next[KINDS];
    bool commas_fit, semicolons_fit;

    at = count_line(head, at, end);
    row = skip_ends(at, end);
    count_line(next, row, end);
    commas_fit = head[COMMAS] == next[COMMAS];
    semicolons_fit = head[SEMICOLONS] == next[SEMICOLONS];
    if (head[TABS])
        return '\t';
    if (head[COMMAS] && head[SEMICOLONS] && commas_fit != semicolons_fit)
        return commas_fit ? ',' : ';';
    if (head[COMMAS] || head[SEMICOLONS])
        return head[SEMICOLONS] > head[COMMAS] ? ';' : ',';
    return head[BLANKS] ? ' ' : of_quoted_row(next, first, row, end);
}

/* ---- runs of blanks ---- */

size_t separator_squeeze(char *out, struct squeeze *s, const char *bytes, size_t n)
{
    size_t size = 0;

    for (size_t i = 0; i < n; i++) {
        char c = bytes[i];
        bool is_inside = s->is_inside;

        if (!is_inside && is_blank(c)) {
            s->is_apart = true;
        } else if (!is_inside && is_end(c)) {
            s->has_cell = s->is_apart = false;
            out[size++] = c;
        } else {
            bool begins = !s->has_cell || s->is_apart || s->was_inside;

            if (c == '"' && (is_inside || begins))
                s->is_inside = !is_inside;
            if (s->has_cell && s->is_apart)
                out[size++] = '\t';
            s->has_cell = true;
            s->is_apart = false;
            out[size++] = c;
        }
        s->was_inside = is_inside;
    }
    return size;
}
