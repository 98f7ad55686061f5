/* SPDX-License-Identifier: BSD-3-Clause */
/* How far the attempts of an unfinished trial are, as the file "attempts" in its folder. The first member
 * of a gang writes it, and the other members read it. */
#ifndef PROGRAM_ATTEMPT_FILE_H
#define PROGRAM_ATTEMPT_FILE_H

#include <stdint.h>

enum { ATTEMPT_FILE_TOKEN = 80 };

struct attempt_file {
    int32_t n;      /* attempts before the next; of a gang, those that have begun */
    int32_t n_idle; /* the last of them ended with 75 without progress */
    double seconds; /* that count for an attempt which goes on from the checkpoint */
    /* The first member of a gang has ended: its exit status and the gang's token. "": it has not. */
    char over[ATTEMPT_FILE_TOKEN];
};

/* All 0: there is no such file, or it contains something else. */
struct attempt_file attempt_file_read(const char *folder);

/* A failure is ignored: the next attempt then has the number of this one. */
void attempt_file_write(const char *folder, struct attempt_file file);

void attempt_file_remove(const char *folder);

#endif
