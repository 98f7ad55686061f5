/* What a run says when its database makes trouble: another process holds it, or the disk failed. */
#ifndef CLI_TROUBLE_H
#define CLI_TROUBLE_H

#include "cli/job.h"

struct trouble {
    const char *db;               /* borrowed */
    void (*meanwhile)(void *arg); /* called again and again while the database is waited for */
    void *arg;
    bool has_told; /* that the database is being waited for */
};

/* Let a writer wait for other processes, and say so once. A signal to stop ends the waiting soon.
 * trouble is borrowed by the store. */
void trouble_watch(struct trouble *trouble, struct store *store);

/* After a commit: says that the database is free again, if that had been said. */
void trouble_over(struct trouble *trouble);

/* The end of a run that broke off: prints why, closes the writer, and prints what is safe, which
 * trials are missing and how to go on, by what the database says when it is opened anew. Reads it
 * into known. Returns the exit status. */
int trouble_end(const struct trouble *trouble, struct store *store, const struct job *job,
                struct store_trials *known, const struct err *why);

#endif
