/* SPDX-License-Identifier: BSD-3-Clause */
/* A full disk. */
#ifndef PROGRAM_DISK_H
#define PROGRAM_DISK_H

#include <stdbool.h>

/* True if an open folder has hardly room for a file. The function reserves room in a file without a
 * name, since a quota shows in no count of free bytes. False: unknown. */
bool disk_is_full(int folder);

#endif
