/* SPDX-License-Identifier: BSD-3-Clause */
/* The wish to stop: SIGINT, SIGTERM, SIGUSR1, SIGUSR2 and SIGHUP. As long as nothing is to be saved
 * they end the process with EXIT_RESUMABLE; from stop_heed() on they set flags, nothing more.
 *
 * The first signal asks for no new trials, while those under way may finish within the grace
 * period. A second one, STOP_AGAIN_S or more after it, asks for an end at once: what comes sooner
 * is the same wish on another way (a batch system signals the script and every process below it,
 * and launchers hand on what they get). SIGINT and SIGTERM ask for an end at once by themselves
 * where mpirun was not started by run -n: it kills its ranks a second after it got either, or a
 * SIGHUP, which is a SIGTERM for its ranks.
 *
 * SIGHUP stays ignored where it was (nohup). */
#ifndef LAUNCH_STOP_H
#define LAUNCH_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define STOP_AGAIN_S 0.3

enum { STOP_OWN = -1 };                   /* stop_signal where the program itself wants to stop */
extern volatile sig_atomic_t stop_signal; /* the number of the signal; 0: none yet */
extern volatile sig_atomic_t stop_hurry;  /* not 0: at once */

/* The wish of the program itself; a signal after it asks for an end at once. */
void stop_ask(void);

/* Catch them from now on. Before any thread exists. is_quiet: leave without a word, for the ranks
 * beside rank 0. */
void stop_catch(bool is_quiet);

/* What is said of a signal that comes before there is anything to save. Until its ranks have come
 * up run -n says so, since there may be no rank yet that could. */
#define STOP_BEFORE "stopped before the sweep began; the same command begins it"
void stop_have_come_up(void);

/* Install another handler for the five, with flags of sigaction(2): for the process that only
 * starts mpirun and hands on what it gets. */
void stop_install(void (*handler)(int number), int flags);

/* From now on somebody looks at the flags. */
void stop_heed(void);

/* Whether stop_tell() has something new to say: so that a live line can be ended first. */
bool stop_has_news(void);

/* Say, once for each wish that a signal brought, what happens now. n_busy: workers that run a
 * trial; grace_s: what they are given. Not from a signal handler. */
void stop_tell(int32_t n_busy, double grace_s);

#endif
