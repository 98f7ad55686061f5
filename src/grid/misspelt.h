/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixed values of [program] whose names look like misspelt settings. */
#ifndef GRID_MISSPELT_H
#define GRID_MISSPELT_H

#include "grid/param.h"

/* The setting that a user of [program] probably meant by `name = value`; P_COUNT: none. These names count:
 *   - a name that is equal except for case, or for one letter (two in names of 8 letters or more; in names
 *     of fewer than 5 only its last letter may be missing);
 *   - the last words of a setting (timeout), or a word that begins with it (environment for env), if the
 *     value is valid for the setting.
 * Stricter than nearest_distance(), since every other name is one of the user's own: `start`, `speed`. */
enum param_id misspelt_setting(const char *name, const char *value);

#endif
