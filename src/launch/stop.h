/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to stop: SIGINT, SIGTERM, SIGUSR1, SIGUSR2 and SIGHUP (unless ignored, as by nohup).
 * While there is nothing to save, they end the process with EXIT_RESUMABLE. After stop_heed() they
 * only set flags.
 *
 * The first signal asks for no new trials; running trials may finish within the grace period. A
 * second one, STOP_AGAIN_S or more later, asks for an immediate end, in which programs may not even
 * save their state. An earlier one is the same request by another path: batch systems signal a script and all processes below it, and launchers
 * pass signals on. Under an mpirun that run -n did not start, SIGINT and SIGTERM ask for an
 * immediate end: mpirun kills its ranks a second after it gets one of them, or a SIGHUP, which
 * ranks receive as SIGTERM. */
#ifndef LAUNCH_STOP_H
#define LAUNCH_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/deadline.h"

#define STOP_AGAIN_S 0.3

extern volatile sig_atomic_t stop_signal;  /* 0: none */
extern volatile sig_atomic_t stop_request; /* enum stop_request */

/* Call before any thread exists. is_quiet: exit without a message, for other ranks than rank 0. */
void stop_catch(bool is_quiet);

/* Until the ranks have started, run -n prints this, since there may be no rank to do so. */
#define STOP_BEFORE "stopped before the sweep began; the same command starts it"
void stop_have_come_up(void);

/* Install another handler for the five signals, with flags of sigaction(2), in the process that
 * only starts mpirun. */
void stop_install(void (*handler)(int number), int flags);

/* From now on the flags are watched. */
void stop_heed(void);

/* True if stop_tell() will print, so that the caller can end a live line first. */
bool stop_has_news(void);

/* Print, once for each request, what happens now. is_busy: a trial runs, for up to grace_s; are_programs:
 * one that is not expected to end by then is asked to stop at once. Not from a signal handler. */
void stop_tell(bool is_busy, bool are_programs, double grace_s);

#endif
