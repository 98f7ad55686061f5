/* SPDX-License-Identifier: BSD-3-Clause */
/* The output so far of an unfinished trial, as files in its folder: "log", and "log.rank1" and so on
 * for the other ranks of a gang. A file is replaced as a whole, at most once a second and never in
 * the first one, so that short trials cost nothing. The next attempt continues it. It stays until the
 * trial has a result; those of a gang until that is on disk. */
#ifndef PROGRAM_LOG_FILE_H
#define PROGRAM_LOG_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "program/log_tail.h"

struct log_file {
    const char *folder; /* of the trial; borrowed */
    int32_t member;     /* rank in a gang; 0: the first one, or the trial has one rank */
    double due_s;       /* time of the next write */
    int64_t written;    /* total of the tail at the last one */
};

/* now_s: of any clock that the later calls use, too. */
struct log_file log_file_begin(const char *folder, int32_t member, double now_s);

/* Add the output of earlier attempts, which gave the trial back or were killed, to the tail. */
void log_file_take(struct log_tail *tail, const struct log_file *f);

/* Write the tail if it has grown and a second has passed. */
void log_file_refresh(struct log_file *f, const struct log_tail *tail, double now_s);

/* Write the tail unless it is empty: of an attempt that gives the trial back, or of a member of a gang
 * whose other members may still run. A failure is ignored: the file only helps people. */
void log_file_write(struct log_file *f, const struct log_tail *tail);

/* Remove the files of a trial that has a result: those of all ranks for member 0. */
void log_file_remove(const struct log_file *f);

/* True if a trial's folder contains output of rank 0. */
bool log_file_exists(const char *folder);

/* Append the files of a trial. Those of several ranks get heads, "rank 1:". Links and other things
 * that a program may have made are skipped. Returns the number of files, or -1 and err: out of
 * memory. */
int log_file_read(struct buf *out, const char *folder, struct err *err);

#endif
