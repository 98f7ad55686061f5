/* What stands between the cells of a table of text, and around them. */
#ifndef DATA_TEXT_SEPARATOR_H
#define DATA_TEXT_SEPARATOR_H

#include <stdbool.h>
#include <stddef.h>

/* Where quotes may stand in a table: around a whole cell, and doubled inside such a one; in a cell
 * that does not begin with one they are letters like others. libcsv is either stricter or takes
 * everything. */
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

/* By the first line that is not empty: a tab, a comma or a semicolon that stands in it outside
 * quotes; of comma and semicolon the one that the next line has as often, where that tells them
 * apart, or the more frequent one. ' ', runs of blanks, where there is none of these; ',' where
 * there are no blanks either. A header that is one quoted cell says nothing: then tabs or blanks of
 * the next line, if that begins with a quote too, as R writes a table of one column. bytes: the
 * beginning of the file, as far as it was read. */
char separator_find(const char *bytes, size_t n);

/* The separator that a first line "sep=;" names, in quotes or not, in any letters; *length: of the
 * line with its end. 0: bytes begin otherwise. */
char separator_named(size_t *length, const char *bytes, size_t n);

/* A table with runs of blanks between its cells, on its way to one with tabs. */
struct squeeze {
    bool has_cell;              /* on this line */
    bool is_apart;              /* blanks have come */
    bool is_inside, was_inside; /* of quotes; up to the byte before */
};

/* Write the bytes with one tab for each run of blanks that stands between two cells, outside
 * quotes; out has room for n + 1 and must not overlap. Returns how many it got. Zero-initialise s
 * to begin; pieces may be cut anywhere. */
size_t separator_squeeze(char *out, struct squeeze *s, const char *bytes, size_t n);

#endif
