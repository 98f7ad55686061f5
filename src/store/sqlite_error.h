/* What SQLite's failures mean to whoever has to mend them. Internal to src/store. */
#ifndef STORE_SQLITE_ERROR_H
#define STORE_SQLITE_ERROR_H

#include "store/db.h"

/* The text after "PATH: " for the last failure of the store's connection: what was being done, the
 * system's reason, and what to do where that is not evident. */
void fault_describe(char *out, size_t size, struct store *store);

/* "PATH: damaged (WHAT)", and what to do. Always -1. */
int fault_damage(struct store *store, const char *what, struct err *err);

/* After a commit: -1 and err where the file is no longer at its path (removed, moved, replaced),
 * and so will be gone when it is closed; what it holds is then saved as PATH.saved (PATH.saved.2
 * where there is one), which err names: once, however often it is asked. */
int fault_check_place(struct store *store, struct err *err);

/* Before a transaction, and after a commit: note the size of the file and of its log. -1 and err:
 * the log is shorter than it was, and not because another process has folded it into the file. */
int fault_note_size(struct store *store, struct err *err);

/* Inside a transaction, which keeps all others from writing: -1 and err where the file or its log
 * is shorter than it was. SQLite would not notice, and a commit would be lost. */
int fault_check_size(struct store *store, struct err *err);

/* "pid 4711 (sqlite3)" of a process on this host that keeps a writer waiting; "" where none is
 * found, as with one on another host. Opens files that stay open until fault_release(): to close a
 * file drops all locks that the process has on it (fcntl(2)), SQLite's too. */
enum { FAULT_HOLDER = 64 };
void fault_holder(char out[FAULT_HOLDER], struct store *store);
void fault_release(struct store *store); /* after the connection has been closed */

#endif
