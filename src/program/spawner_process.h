/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes that spawner_start() forks: keeper and spawner. */
#ifndef PROGRAM_SPAWNER_PROCESS_H
#define PROGRAM_SPAWNER_PROCESS_H

#include <stdint.h>

#include "program/exec.h"

/* Memory that keeper, spawner and the programs share until they are executed. */
struct spawner_page {
    /* Newest program that a spawner has begun with. If that spawner is killed, its successor must
     * not start the program again, because the keeper reports it as lost. */
    int64_t serial;
    struct exec_failure failure;
};

/* Become the keeper, in a process that was just forked. Never returns. */
void spawner_process_run(int socket, struct spawner_page *page) __attribute__((noreturn));

#endif
