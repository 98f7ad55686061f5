/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of a program: what it writes to its results file, and what it prints.
 *
 *     struct program_report r;
 *
 *     program_report_init(&r, "val_accuracy", true, true, "", err);
 *     program_report_read(&r, kept);           an earlier attempt that left a checkpoint, if any:
 *     program_report_end_attempt(&r, true);    program_report_put_curve() wrote this file
 *     program_report_add_stdout(&r, bytes, n); with capture = stdout, for each piece of output
 *     program_report_read(&r, results);        when the program has ended
 *     program_report_end_attempt(&r, was_killed);
 *     if (program_report_finish(&r))
 *         ... the trial failed: r.reason.text ...
 *     program_report_release(&r);
 *
 * The values that count
 *   * Records with an epoch are the curve. The metrics are the values of the best epoch. Values of
 *     records without an epoch override them by name; the last value of each name counts.
 *   * The best epoch is the first one with the best finite objective. If no objective is finite, it
 *     is the last epoch with an objective, so that NaN becomes the result; without any objective in
 *     the curve, it is the last epoch.
 *   * Values that are NaN or infinite are kept. The caller decides that the trial diverged.
 *   * If a later attempt goes on at an epoch that an earlier attempt reported, the new epochs replace
 *     that epoch and those after it. Records without an epoch count only in the last attempt.
 *   * If both sources report a value of the same name (and epoch), the results file counts.
 *
 * The results file: one JSON object a line, {"epoch": 3, "val_accuracy": 0.93}
 *   epoch     an integer from 0 (3.0 is fine). Epochs must increase from record to record. A further
 *             record of the same epoch may add names, but not repeat one.
 *   names     letters, digits, _ . / and -; begin with a letter or _; at most 63 bytes
 *   values    numbers, NaN, Infinity; also numbers as text ("0.93"), as Python's
 *             json.dumps(..., default=str) writes those of NumPy
 *   null      no value, as if the name were not there (R and pandas write NA so)
 *   twice     a name that occurs twice in one object has its last value, as in Python
 *   refused   other text, true and false, arrays, nested objects, integers beyond 64 bits: one wrong
 *             line fails the trial, with its number
 *   quotes    of Python's print(dict) are accepted
 *   empty lines are skipped. The last line needs no line end. If it is incomplete, it is skipped after
 *   a kill and an error after a normal end.
 *
 * Stdout: one record a line, with `name: value` or `name=value` anywhere (record_text.c), or by
 * capture_pattern. doc/manual/tasks/programs.md has the rules for people.
 *   * An epoch in the line is that of its values. A record of the same epoch again replaces them.
 *   * A carriage return ends a line, and colours are removed.
 *   * A value that is no number ("0,93", "NA") takes an earlier one back. If the objective's last value
 *     is none, the trial fails. With an epoch it is no value.
 *   * The objective may stand there by other words; only its best names count (enum record_rank).
 *   * All else is ignored: other lines, lines over 64 KiB, and a last line without an end after a kill.
 *     After 255 names only the objective is added; `dropped` describes the first of the others.
 *   * An epoch that is no number from 0 on fails the trial, and so does one that is less than the last,
 *     unless another training may begin: after rounds of boosters or rows of tables, or before the
 *     objective was seen.
 *
 * Limits, beyond which a trial fails with a reason: the enum below, and a results file of 1 GiB.
 * Memory: 16 bytes a value of the curve and 4 an epoch. Nothing else grows with the input.
 *
 * All functions are local. Input after the first fault is ignored at once. */
#ifndef PROGRAM_REPORT_H
#define PROGRAM_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    PROGRAM_NAMES = 256,
    PROGRAM_NAME = 64, /* bytes, with the NUL */
    PROGRAM_EPOCHS = 1000000,
    PROGRAM_POINTS = 10000000, /* values of the curve */
    PROGRAM_LINE_BYTES = 1 << 20
};

struct program_metric {
    char name[PROGRAM_NAME];
    double value;
};

struct program_point {
    int32_t epoch; /* as reported */
    int32_t name;  /* index in names */
    double value;
};

struct program_report {
    struct err reason;  /* "": no fault so far; fits into 255 bytes */
    struct err dropped; /* from stdout: the first name beyond PROGRAM_NAMES; "": none */

    /* Set by program_report_finish(). All arrays are owned; the caller may take one over by setting
     * its pointer to NULL. */
    double objective;
    struct program_metric *metrics; /* [n_metrics] in the order in which names first appeared */
    int32_t n_metrics;
    int32_t *epochs; /* [n_epochs] as reported, ascending */
    int32_t n_epochs;
    int32_t best; /* index in epochs of the epoch whose values count; -1: no epochs */
    struct program_point *points; /* [n_points] by ascending epoch; an epoch has a name once */
    int32_t n_points;
    char (*names)[PROGRAM_NAME]; /* [n_names] they differ; in the order in which they appeared */
    int32_t n_names;

    struct program_intake *intake; /* private, owned */
};

/* objective: a name as above, copied. captures: output will be added. pattern: of capture_pattern, ""
 * for none. -1: the pattern is wrong, or out of memory. */
int program_report_init(struct program_report *r, const char *objective, bool maximize,
                        bool captures, const char *pattern, struct err *err);
void program_report_release(struct program_report *r);

/* Add a piece of stdout; n may be 0. Lines may begin in one piece and end in a later one. */
void program_report_add_stdout(struct program_report *r, const void *bytes, size_t n);

/* Add a piece of a results file, as JSON lines. */
void program_report_add(struct program_report *r, const void *bytes, size_t n);

/* Add all of a results file. No file is no fault. Links, folders, pipes and devices are one: the
 * program may have made anything there. */
void program_report_read(struct program_report *r, const char *path);

/* End an attempt: what is added from here on is from a later one.
 * was_killed: a signal ended it, or exit 75, so that a last line may be incomplete. */
void program_report_end_attempt(struct program_report *r, bool was_killed);

/* Append the curve of all ended attempts as JSON lines, for program_report_read() in the next one. */
void program_report_put_curve(struct buf *out, const struct program_report *r);

/* The last epoch in a file of program_report_put_curve(). -1: there is no such file, or it contains
 * something else. */
int32_t program_report_last_epoch(const char *path);

/* Make *out the results so far of an attempt that goes on: what was added, and the whole lines of its
 * results file. -1: they have a fault, or memory is short. Release *out in either case; r stays. */
int program_report_so_far(struct program_report *out, const struct program_report *r,
                          const char *results);

/* Compute the results of all ended attempts. -1: there is a fault, or no objective among the results;
 * the reason is set, and what was reported besides is there. Call once. */
int program_report_finish(struct program_report *r);

#endif
