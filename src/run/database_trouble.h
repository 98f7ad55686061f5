/* What a run says when its database makes trouble: another process holds it, or the disk failed. */
#ifndef RUN_DATABASE_TROUBLE_H
#define RUN_DATABASE_TROUBLE_H

#include "run/job.h"

struct database_trouble {
    const char *db;               /* borrowed */
    void (*meanwhile)(void *arg); /* called again and again while the database is waited for */
    void *arg;
    bool has_told; /* that the database is being waited for */
};

/* Let a writer wait for other processes, and say so once. A signal to stop ends the waiting soon.
 * trouble is borrowed by the store. */
void database_trouble_watch(struct database_trouble *trouble, struct store *store);

/* After a commit: says that the database is free again, if that had been said. */
void database_trouble_over(struct database_trouble *trouble);

/* The end of a run that broke off: prints why, closes the writer, and prints what is safe, which
 * trials are missing and how to go on, by what the database says when it is opened anew. Reads it
 * into known. Returns the exit status. */
int database_trouble_end(const struct database_trouble *trouble, struct store *store,
                         const struct job *job, struct store_trials *known, const struct err *why);

#endif
