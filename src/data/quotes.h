/* Where quotes may stand in a table: around a whole cell, and doubled inside such a one; in a cell
 * that does not begin with one they are letters like others. libcsv is either stricter or takes
 * everything. */
#ifndef DATA_QUOTES_H
#define DATA_QUOTES_H

#include <stdbool.h>
#include <stddef.h>

enum quotes {
    QUOTES_START,  /* of a cell, blanks may have come */
    QUOTES_PLAIN,  /* in a cell without quotes around it */
    QUOTES_INSIDE, /* of a quoted cell */
    QUOTES_CLOSED, /* a quote inside: the last, or the first of two */
    QUOTES_BLANK,  /* after the last, blanks have come */
};

/* Go on over n bytes. Zero-initialise to begin. false: after a closing quote stands something else
 * than the end of the cell. */
bool quotes_follow(enum quotes *state, const unsigned char *bytes, size_t n,
                   unsigned char separator);

#endif
