/* Numbers with a decimal comma, as a spreadsheet of many countries writes them: 100,92. */
#ifndef DATA_DECIMAL_H
#define DATA_DECIMAL_H

#include "data/target.h"

/* A number with a comma in place of the point. */
bool decimal_has_comma(const char *cell);

/* Put points in the place of commas where every cell that is there is a number with a comma or a
 * whole one, never of a table with commas between its cells. A semicolon stands between cells where
 * the comma is the decimal one, a tab anywhere. -1 and err: tabs or blanks separate and three
 * digits follow every comma, so that 1,234 may be 1234; or a point sets thousands apart: 1.066
 * beside 979, and nothing else. */
int decimal_read(struct target_cells *cells, char separator, struct err *err);

#endif
