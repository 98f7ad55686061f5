/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/address_space.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "tensor/gemm.h"

static unsigned long long limit_mib(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) ? RLIM_INFINITY : limit.rlim_cur >> 20;
}

static void refuse_least(void)
{
    unsigned long long found = limit_mib();
    char text[320];
    int n;

    if (found >= ADDRESS_LEAST_MIB)
        return;
    n = snprintf(text, sizeof text,
                 "espalier: the address space is limited to %llu MiB (ulimit -v): OpenBLAS needs "
                 "%d MiB for one thread, and hangs if it does not get them; type 'ulimit -v "
                 "unlimited', or ask the batch system for more memory\n",
                 found, ADDRESS_LEAST_MIB);
    if (write(STDERR_FILENO, text, (size_t)n) < 0)
        _exit(1);
    _exit(1);
}

/* The dynamic linker calls these before OpenBLAS reserves its first memory in a constructor. */
static void (*const before_libraries[])(void)
    __attribute__((section(".preinit_array"), used)) = {refuse_least};

void address_space_warn(void)
{
    static bool has_warned;
    unsigned long long found = limit_mib();
    /* OpenBLAS starts fewer threads if there are fewer cores, but reserves memory for
     * OMP_NUM_THREADS. */
    const char *wanted = getenv("OMP_NUM_THREADS");
    long n = wanted ? strtol(wanted, NULL, 10) : 0, used = gemm_library_threads();
    long threads = n > used && n < INT_MAX ? n : used;
    long long needed = ADDRESS_BASE_MIB + (long long)ADDRESS_THREAD_MIB * threads;

    if (has_warned || found >= (unsigned long long)needed)
        return;
    has_warned = true;
    log_warn("the address space is limited to %llu MiB (ulimit -v): OpenBLAS may need %lld MiB for "
             "%ld threads, and hangs if it does not get them; set OMP_NUM_THREADS=1, type "
             "'ulimit -v unlimited', or ask the batch system for more memory",
             found, needed, threads);
}
