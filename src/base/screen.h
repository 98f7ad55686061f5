/* SPDX-License-Identifier: BSD-3-Clause */
/* A full-screen view on the terminal of stdin and stdout: alternate screen, keys, resizing.
 *
 * Uses sequences of the VT100 and xterm families only, which all terminals of today understand, so
 * that TERM need not be known. The terminal is restored by screen_close(), and while the process is
 * stopped (Ctrl-Z). One screen for each process. Not thread-safe: it installs signal handlers. */
#ifndef BASE_SCREEN_H
#define BASE_SCREEN_H

#include "base/buf.h"

/* Needs terminal_has_sequences(STDOUT_FILENO). Without a terminal as stdin there are no keys. */
void screen_open(void);

/* Does nothing if no screen is open. */
void screen_close(void);

/* Replace the whole view by lines that end in a line feed; those that are too long are cut by the
 * terminal. */
void screen_draw(const struct buf *lines);

enum screen_event {
    SCREEN_TIME,    /* the time is up */
    SCREEN_RESIZED, /* or continued after a stop: draw again */
    SCREEN_KEY,
    SCREEN_STOPPED /* a signal asks to end (INT, TERM, HUP, QUIT), or the terminal is gone */
};

/* Wait for an event. key: out, of SCREEN_KEY. */
enum screen_event screen_wait(char *key, double seconds);

/* The signal of SCREEN_STOPPED; 0: none. */
int screen_signal(void);

#endif
