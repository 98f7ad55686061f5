/* The wish to stop: SIGINT, SIGTERM, SIGUSR1, SIGUSR2 and SIGHUP set a flag, nothing more. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>

extern volatile sig_atomic_t stop_signal; /* the number of the signal; 0: none yet */

/* The same wish of the program itself. */
void stop_ask(void);

/* Catch them from now on. Before any thread exists. */
void stop_catch(void);

#endif
