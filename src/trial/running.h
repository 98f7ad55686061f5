/* SPDX-License-Identifier: BSD-3-Clause */
/* A trial of a program that runs here. Shared by program_runner.c (processes), running_files.c (its
 * folder) and running_outcome.c (what the end of an attempt means). */
#ifndef TRIAL_RUNNING_H
#define TRIAL_RUNNING_H

#include "program/log_file.h"
#include "program/log_tail.h"
#include "program/report.h"
#include "program/time_file.h"
#include "trial/program_command.h"
#include "trial/program_runner.h"

/* Milliseconds between looks at whether a trial is to go on; output and the end of the program wake
 * its rank at once. */
#define RUNNING_LOOK_MS 100
#define RUNNING_EXIT_RESUME 75

struct program_runner {
    const struct plan *plan;
    struct hash digest;
    const struct program_place *place;
    const struct clock *clock;
    struct program_command command;
    struct buf text; /* scratch of keys */
    struct log_tail log, errors;
    struct err unable; /* why no program can start here any more; "": they can */
    char bytes[65536]; /* of a pipe */
};

struct running_progress {
    double saved;        /* Unix seconds of the last change in the checkpoint */
    int64_t curve_bytes; /* of the file of reported epochs */
};

/* One trial, over all its attempts here. */
struct running {
    struct program_runner *self;
    int64_t number; /* in the plan */
    const struct trial_watch *watch;
    const struct settings *s;
    struct program_trial trial;
    struct program_report report;
    struct buf folder, scratch, results, checkpoint, curve; /* paths */
    char own[sizeof FOLDER_SCRATCH + 16];                   /* names of its scratch begin so */
    struct buf gpus, gpu_variables;
    struct log_file log_file;
    struct time_file time_file;
    double begun_s;
    double started;   /* Unix seconds of the last start */
    double earlier_s; /* to add to the time since begun_s; negative: an attempt here was in vain */
    int32_t n_kills, n_restarts;
    struct running_progress progress; /* at the last exit with 75; of a gang, when it began */
    int32_t n_idle;                   /* exits with 75 since, with the same progress */
    int out, error;                   /* read ends of pipes, or -1 */
    double asked_s;                   /* by the clock: asked to end; NaN: not yet */
    bool is_stopped;                  /* the caller wants the trial back */
    bool is_late;                     /* trial_timeout */
    double report_s;                  /* by the clock: when to report next */
    int32_t n_sent;                   /* epochs and metrics in the last report */
    double killed_s;                  /* by the clock: by us; NaN: not killed */
    int32_t n_forced;    /* steps taken against a spawner that does not report the end */
    int32_t n_unstarted; /* starts in a row that failed for lack of resources */
    bool has_begun;      /* an attempt here */
    int64_t noted;       /* bytes of the log up to our last note */
};

/* The first member of a gang reports for all. */
bool running_is_first(const struct running *t);
/* True in a gang of two or more. */
bool running_has_others(const struct running *t);

/* Seconds of this attempt and of those whose checkpoints it goes on from. */
double running_spent_s(const struct running *t);

/* Add a line to the log, "espalier: text". */
void running_note(struct running *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void running_fail(struct trial_result *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- its folder ---- */

int running_name_paths(struct running *t, struct err *err);

/* Go on from earlier attempts that left a checkpoint, and remove this member's scratch of them. */
int running_read_progress(struct running *t, struct err *err);

void running_save_attempt(const struct running *t); /* its number (program/attempt_file.h) */

/* The first member tells the others that it has ended with this status: 0, and a result, or 75. */
void running_save_end(const struct running *t, int status);
bool running_first_is_over(const struct running *t, int status);

/* Before an attempt. */
int running_make_files(struct running *t, struct err *err);

/* True if its folder has hardly room for a file. */
bool running_is_disk_full(const struct running *t);

/* The curve and the time, beside a checkpoint. */
void running_save_progress(struct running *t);

struct running_progress running_progress(const struct running *t);

/* If the trial has a result or a fault, nothing but kept files stays, and a checkpoint with its curve
 * until the result is on disk: the trial goes on from it if all is killed before. Other
 * members of a gang may not have ended, so there only this member's scratch goes, and the store
 * removes the rest (drops_checkpoint). */
void running_remove_files(struct running *t, bool is_over, bool drops_checkpoint);

/* ---- its outcome ---- */

enum verdict {
    VERDICT_OVER,  /* r is filled */
    VERDICT_AGAIN, /* start it again */
    VERDICT_BACK,  /* the caller gets the trial back */
    VERDICT_APART  /* so it does, since the whole gang must start again; r->error is the reason */
};

/* This rank has no processes, descriptors or memory left, for the reason `why`. Wait a second, and return
 * AGAIN; after some of them BACK, and the rank is unable to run trials. */
enum verdict running_wait_for_resources(struct running *t, const char *why);

enum verdict running_judge(struct trial_result *r, struct running *t,
                           const struct spawner_end *end);

#endif
