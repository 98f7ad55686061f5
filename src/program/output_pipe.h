/* SPDX-License-Identifier: BSD-3-Clause */
/* The pipe through which a program's output is read. */
#ifndef PROGRAM_OUTPUT_PIPE_H
#define PROGRAM_OUTPUT_PIPE_H

#include "base/err.h"

/* Open a pipe that no other program inherits; reading never waits. The caller closes both ends. -1 and
 * err. */
int output_pipe_open(int *read_end, int *write_end, struct err *err);

/* Close an end and set it to -1. Nothing happens if it is -1. */
void output_pipe_close(int *end);

#endif
