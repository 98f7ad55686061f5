/* The wish to stop: SIGINT, SIGTERM, SIGUSR1, SIGUSR2 and SIGHUP. As long as nothing is to be saved
 * they end the process with EXIT_RESUMABLE; from stop_heed() on they set a flag, nothing more. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t stop_signal; /* the number of the signal; 0: none yet */

/* The same wish of the program itself. */
void stop_ask(void);

/* Catch them from now on. Before any thread exists. is_quiet: leave without a word, for the ranks
 * beside rank 0. */
void stop_catch(bool is_quiet);

/* From now on somebody looks at the flag. */
void stop_heed(void);

#endif
