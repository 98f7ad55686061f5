/* Subnormal numbers: floats nearer to 0 than FLT_MIN (1.2e-38), doubles nearer than DBL_MIN.
 *
 * Weight decay drives the weights of dead units there. Processors then need up to a hundred cycles
 * for an operation: 30 times the time of an epoch on Intel (doc/decisions/0045). */
#ifndef BASE_SUBNORMAL_H
#define BASE_SUBNORMAL_H

/* From now on this thread, and every thread that it starts, takes subnormal numbers for 0 and
 * rounds results to 0 where they would be subnormal. Call it at the start of main(), so that all
 * threads of a process compute alike. Does nothing on processors other than x86-64 and 64-bit
 * Arm. */
void subnormal_flush(void);

#endif
