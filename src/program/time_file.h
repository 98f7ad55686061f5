/* SPDX-License-Identifier: BSD-3-Clause */
/* The seconds that a trial has taken so far, as the file "seconds" in its folder, for the attempt that
 * goes on from its checkpoint. It is written once a second, never in the first one, so that it
 * survives a rank that is killed and costs short trials nothing. */
#ifndef PROGRAM_TIME_FILE_H
#define PROGRAM_TIME_FILE_H

struct time_file {
    const char *folder; /* of the trial; borrowed */
    double due_s;       /* time of the next write */
};

/* now_s: of any clock that the later calls use, too. */
struct time_file time_file_begin(const char *folder, double now_s);

/* 0: there is no such file, or it contains something else. */
double time_file_read(const struct time_file *f);

/* Write the seconds if a second has passed since the last write. */
void time_file_refresh(struct time_file *f, double seconds, double now_s);

/* A failure is ignored: the time then counts from the last write. */
void time_file_write(const struct time_file *f, double seconds);

void time_file_remove(const struct time_file *f);

#endif
