/* SPDX-License-Identifier: BSD-3-Clause */
/* Free TCP ports for gangs. */
#ifndef PROGRAM_PORT_H
#define PROGRAM_PORT_H

#include <stdint.h>

/* Below the ports that Linux gives to outgoing connections. */
enum { PORT_FIRST = 20000, PORT_LAST = 32000 };

/* Return a port that nothing on this host uses now; 0: there is none. Ranks of a launch look at
 * different ports first, if there are at most 12001 ranks, and at all others if those are in use.
 * number: of the gang; successive gangs of a rank begin at different ports. */
int32_t port_find(int32_t rank, int32_t n_ranks, int64_t number);

#endif
