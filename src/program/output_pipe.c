/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/output_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int output_pipe_open(int *read_end, int *write_end, struct err *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return err_set(err, "pipe: %s", strerror(errno));
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}

void output_pipe_close(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}
