/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes that spawner_start() forks, keeper and spawner, and their messages. */
#ifndef PROGRAM_SPAWNER_PROCESS_H
#define PROGRAM_SPAWNER_PROCESS_H

#include <stdint.h>

#include "program/exec.h"
#include "program/spawner.h"

/* Memory that keeper, spawner and the programs share until they are executed. */
struct spawner_page {
    /* Newest program that a spawner has begun with. If that spawner is killed, its successor must
     * not start the program again, because the keeper reports it as lost. */
    int64_t serial;
    struct exec_failure failure;
};

/* Messages between a rank and its spawner are packets of a socket. */
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

/* Become the keeper, in a process that was just forked. Never returns. */
void spawner_process_run(int socket, struct spawner_page *page) __attribute__((noreturn));

#endif
