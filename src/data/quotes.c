#include "data/quotes.h"

#include <string.h>

static bool is_blank(unsigned char c, unsigned char separator)
{
    return (c == ' ' || c == '\t') && c != separator;
}

static bool is_end(unsigned char c, unsigned char separator)
{
    return c == separator || c == '\n' || c == '\r';
}

static enum quotes next(enum quotes state, unsigned char c, unsigned char separator, bool *is_sound)
{
    switch (state) {
    case QUOTES_START:
        if (c == '"')
            return QUOTES_INSIDE;
        return is_end(c, separator) || is_blank(c, separator) ? QUOTES_START : QUOTES_PLAIN;
    case QUOTES_PLAIN:
        return is_end(c, separator) ? QUOTES_START : QUOTES_PLAIN;
    case QUOTES_INSIDE:
        return c == '"' ? QUOTES_CLOSED : QUOTES_INSIDE;
    case QUOTES_CLOSED:
        if (c == '"')
            return QUOTES_INSIDE;
        break;
    case QUOTES_BLANK:
        break;
    }
    if (is_end(c, separator))
        return QUOTES_START;
    *is_sound = *is_sound && is_blank(c, separator);
    return QUOTES_BLANK;
}

/* Nearly every line has no quote: then its end alone says where it leaves off. */
static enum quotes after_plain(enum quotes state, const unsigned char *bytes, size_t n,
                               unsigned char separator)
{
    while (n && is_blank(bytes[n - 1], separator))
        n--;
    if (n == 0)
        return state;
    return is_end(bytes[n - 1], separator) ? QUOTES_START : QUOTES_PLAIN;
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
