/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu.h"

#include <stdint.h>

#include "config.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

bool cpu_has_avx512(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

void cpu_flush_subnormal(void)
{
#if defined(__x86_64__)
    const unsigned int flush_to_zero = 0x8000, are_zero = 0x0040;

    _mm_setcsr(_mm_getcsr() | flush_to_zero | are_zero);
#elif defined(__aarch64__)
    const uint64_t flush_to_zero = UINT64_C(1) << 24;
    uint64_t control;

    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | flush_to_zero));
#endif
}
