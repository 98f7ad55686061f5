/* SPDX-License-Identifier: BSD-3-Clause */
/* If the address space is too small (ulimit -v), OpenBLAS tries forever to reserve memory, when it
 * is loaded or at the first product. Below ADDRESS_LEAST_MIB the process ends with a message
 * before that. */
#ifndef LAUNCH_ADDRESS_SPACE_H
#define LAUNCH_ADDRESS_SPACE_H

/* Measured with OpenBLAS 0.3.21 (OpenMP) on x86-64: `inspect` needed at least 325, 462, 735, 1276,
 * 2367 and 4544 MiB with 1, 2, 4, 8, 16 and 32 threads. */
#define ADDRESS_BASE_MIB 192
#define ADDRESS_THREAD_MIB 138
#define ADDRESS_LEAST_MIB (ADDRESS_BASE_MIB + ADDRESS_THREAD_MIB)

/* Call before the first product: warns once if the limit is too small for all threads of
 * OpenBLAS. */
void address_space_warn(void);

#endif
