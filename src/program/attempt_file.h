/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of attempts of a trial that have ended without a result, as the file "attempts" in its
 * folder. The first member of a gang writes it, and the other members read it. */
#ifndef PROGRAM_ATTEMPT_FILE_H
#define PROGRAM_ATTEMPT_FILE_H

#include <stdint.h>

/* 0: there is no such file, or it contains something else. */
int32_t attempt_file_read(const char *folder);

/* A failure is ignored: the next attempt then has the number of this one. */
void attempt_file_write(const char *folder, int32_t n);

void attempt_file_remove(const char *folder);

#endif
