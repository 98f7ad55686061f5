/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary files and folders that the end of the process does not leave behind.
 *
 * Their names are ".espalier-REALM-PID-NUMBER.tmp". A signal that would end the process removes
 * them first: the handler is installed with the first name, and only for signals that are neither
 * caught nor ignored at that moment. After SIGKILL they stay; leftover_name() then removes those of
 * dead processes of this host and boot from the folder that it is called for. */
#ifndef BASE_LEFTOVER_H
#define BASE_LEFTOVER_H

/* Return an unused name in the folder of path, from now on removed by a signal. NULL: no memory, or
 * no random numbers. Pair with leftover_remove() or leftover_forget(). */
char *leftover_name(const char *path);

/* Remove the file, or the folder with all that is in it, if it exists. Then as leftover_forget(). */
void leftover_remove(char *name);

/* The file has another name by now. Frees name, which may be NULL. */
void leftover_forget(char *name);

/* Remove all of them, from a signal handler that ends the process. */
void leftover_remove_all(void);

#endif
