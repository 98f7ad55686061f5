/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/port.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Without SO_REUSEADDR, so that a port of a gang that just ended does not count as free. */
static bool is_free(int32_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_bound;

    if (fd < 0)
        return false;
    is_bound = !bind(fd, (const struct sockaddr *)&address, sizeof address);
    close(fd);
    return is_bound;
}

int32_t port_find(int32_t rank, int32_t n_ranks, int64_t number)
{
    int32_t n_ports = PORT_LAST - PORT_FIRST + 1;
    int32_t n_turns = n_ranks < n_ports ? n_ports / n_ranks : 1;

    for (int32_t i = 0; i < n_turns; i++) {
        int32_t turn = (int32_t)((number + getpid() + i) % n_turns);
        int32_t port = PORT_FIRST + (turn * n_ranks + rank) % n_ports;

        if (is_free(port))
            return port;
    }
    for (int32_t i = 1; i < n_ports; i++) {
        int32_t port = PORT_FIRST + (rank + i) % n_ports;

        if (is_free(port))
            return port;
    }
    return 0;
}
