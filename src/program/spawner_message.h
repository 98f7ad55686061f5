/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between a rank and its spawner, one packet of a socket each. */
#ifndef PROGRAM_SPAWNER_MESSAGE_H
#define PROGRAM_SPAWNER_MESSAGE_H

#include <stdint.h>

#include "program/spawner.h"

enum spawner_request_kind { SPAWNER_RUN, SPAWNER_SIGNAL, SPAWNER_KILL };

/* SPAWNER_RUN carries SPAWNER_DESCRIPTORS: a memory file, standard output and standard error. The
 * file holds texts, each with its NUL: the folder ("": none), the words, the variables. */
enum { SPAWNER_DESCRIPTORS = 3 };

struct spawner_request {
    enum spawner_request_kind kind;
    int32_t number; /* SPAWNER_SIGNAL: the signal */
    int64_t serial; /* of the program that is meant; from 1 on */
    int64_t memory_bytes;
    int64_t text_bytes;
    int32_t n_words, n_variables;
};

struct spawner_answer {
    int64_t serial;
    struct spawner_end end;
};

#endif
