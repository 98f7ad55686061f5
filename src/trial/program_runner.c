/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/fault.h"
#include "base/words.h"
#include "program/attempt_file.h"
#include "program/beneath.h"
#include "program/folder.h"
#include "program/log_file.h"
#include "program/port.h"
#include "program/report.h"
#include "trial/kept.h"
#include "trial/program_command.h"
#include "trial/program_files.h"
#include "trial/program_result.h"
#include "trial/program_verdict.h"

/* Milliseconds between looks at whether a trial is to go on; output and the end of the program wake
 * its rank at once. */
#define LOOK_MS 100

/* Rank 0 of a gang starts earlier by this: it listens on MASTER_PORT, and PyTorch waits a second if
 * nobody listens yet. Measured: 3 of 12 pairs waited without it, 5 with 50 ms, none with 100 ms. */
#define HEAD_START_MS 100

/* Seconds between reports of a running program, and more for each epoch of its curve. */
#define REPORT_S 2.0
#define REPORT_EPOCH_S 0.01
/* And this much of the time that reading a long file of results takes. */
#define REPORT_COST 50
/* Seconds between looks at whether a program has come to its rung. */
#define RUNG_S 0.2

/* Seconds after a kill until the spawner, and then the keeper, is killed if the end of the program was not
 * reported. The memory of large processes takes seconds to free, and that of GPUs longer. */
#define FORCE_S 5.0
#define FORCE_KEEPER_S 55.0

/* Seconds between notes of how long a trial has run, in case this rank is killed. */
#define TIME_S 1.0

/* Starts in a row that may fail for lack of resources, and seconds between them. */
#define RESOURCES_S 1.0
enum { MOST_UNSTARTED = 10 };

enum { WORDS = 180 }; /* bytes of the program's error message in a reason */

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

struct progress_mark {
    double saved;        /* Unix seconds of the last change in the checkpoint */
    int64_t curve_bytes; /* of the file of reported epochs */
};

/* Steps to the end of a program that does not end by itself. */
enum step { STEP_NONE, STEP_ASK, STEP_KILL, STEP_FORCE, STEP_FORCE_KEEPER };

/* Paths, and words about GPUs. */
enum text { FOLDER, SCRATCH, RESULTS, CHECKPOINT, CURVE, GPUS, GPU_VARIABLES, TEXTS };

/* One trial, over all its attempts here. */
struct running {
    struct program_runner *self;
    int64_t number; /* in the plan */
    const struct trial_watch *watch;
    const struct settings *s;
    struct program_trial trial;
    struct program_report report;
    struct buf text[TEXTS];
    char own[sizeof FOLDER_SCRATCH + 16]; /* names of its scratch begin so */
    struct log_file log_file;
    double begun_s;
    double started;   /* Unix seconds of the last start */
    double earlier_s; /* to add to the time since begun_s; negative: an attempt here was in vain */
    int32_t n_kills, n_restarts;
    struct progress_mark mark; /* at the last exit with 75; of a gang, when it began */
    int32_t n_idle;            /* exits with 75 since, with the same mark */
    int out, error;            /* read ends of pipes, or -1 */
    enum step step;            /* the last one taken */
    double due_s;              /* by the clock: when the next is due */
    bool is_stopped;           /* the caller wants the trial back */
    bool is_late;              /* trial_timeout */
    bool is_at_rung;           /* it has reported `until` epochs */
    int64_t until;             /* the epochs of its rung */
    double rung_s;             /* by the clock: when to look for that next */
    double report_s;           /* by the clock: when to report next */
    double time_s;             /* likewise: to write its time; short trials never do */
    int32_t n_sent;            /* epochs and metrics in the last report */
    int32_t n_unstarted;       /* starts in a row that failed for lack of resources */
    bool has_begun;            /* an attempt here */
    int64_t noted;             /* bytes of the log up to our last note */
};

/* ---- life ---- */

struct program_runner *program_runner_create(const struct plan *plan, struct hash digest,
                                             const struct program_place *place,
                                             const struct clock *clock, struct err *err)
{
    struct program_runner *self = calloc(1, sizeof *self);

    if (!self) {
        err_nomem(err, "runner", sizeof *self);
        return NULL;
    }
    self->plan = plan;
    self->digest = digest;
    self->place = place;
    self->clock = clock;
    if (program_command_init(&self->command, plan->sweep, err)) {
        program_runner_destroy(self);
        return NULL;
    }
    return self;
}

void program_runner_destroy(struct program_runner *self)
{
    if (!self)
        return;
    program_command_release(&self->command);
    buf_release(&self->text);
    free(self);
}

/* ---- state ---- */

/* The first member of a gang reports for all. */
static bool is_first(const struct running *t)
{
    return !t->trial.gang || !t->trial.gang->rank;
}

static bool has_others(const struct running *t)
{
    return t->trial.gang && t->trial.gang->size > 1;
}

static const char *text_of(const struct running *t, enum text which)
{
    return buf_text(&t->text[which]);
}

static bool has_checkpoint(const struct running *t)
{
    return folder_has_files(text_of(t, CHECKPOINT));
}

/* Add a line to the log, "espalier: text". */
static void note(struct running *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct running *t, const char *format, ...)
{
    struct log_tail *log = &t->self->log;
    char text[512];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!log_tail_ends_line(log))
        log_tail_add(log, "\n", 1);
    log_tail_add(log, "espalier: ", 10);
    log_tail_add(log, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
    log_tail_add(log, "\n", 1);
    t->noted = log->total;
}

static double spent_s(const struct running *t)
{
    return t->earlier_s + clock_now(t->self->clock) - t->begun_s;
}

static void fail(struct trial_result *r, const struct err *why)
{
    char text[sizeof why->text];

    r->state = TRIAL_FAILED;
    snprintf(text, sizeof text, "%s", why->text);
    escape_invalid(text); /* a text that was cut within a character */
    words_cut(r->error, sizeof r->error, text);
}

/* ---- its folder ---- */

static int make_folder(const char *path, struct err *err)
{
    return beneath_mkdir(path) ? err_set(err, "%s: %s", path, beneath_reason()) : 0;
}

static int name_texts(struct running *t, struct err *err)
{
    const struct program_place *place = t->self->place;
    bool failed = false;

    buf_printf(&t->text[FOLDER], "%s/t%lld", place->files, (long long)t->trial.id);
    snprintf(t->own, sizeof t->own, FOLDER_SCRATCH "%d.",
             t->trial.gang ? (int)t->trial.gang->rank : 0);
    buf_printf(&t->text[SCRATCH], "%s/%s%d", text_of(t, FOLDER), t->own, (int)getpid());
    buf_printf(&t->text[RESULTS], "%s/" FOLDER_RESULTS, text_of(t, SCRATCH));
    buf_printf(&t->text[CHECKPOINT], "%s/" FOLDER_CHECKPOINT, text_of(t, FOLDER));
    buf_printf(&t->text[CURVE], "%s/" FOLDER_CURVE, text_of(t, FOLDER));
    t->trial.dir = text_of(t, SCRATCH);
    t->trial.results = text_of(t, RESULTS);
    t->trial.checkpoint = text_of(t, CHECKPOINT);
    if (place->put_gpus) {
        place->put_gpus(&t->text[GPUS], &t->text[GPU_VARIABLES], place->gpus, t->watch->gang);
        t->trial.gpus = text_of(t, GPUS);
        t->trial.gpu_variables = text_of(t, GPU_VARIABLES);
    }
    for (int i = 0; i < TEXTS; i++)
        failed |= buf_failed(&t->text[i]);
    return failed ? err_nomem(err, "paths", t->text[FOLDER].size) : 0;
}

static struct progress_mark progress_mark(const struct running *t)
{
    struct stat curve;

    return (struct progress_mark){.saved = folder_newest(text_of(t, CHECKPOINT)),
                                  .curve_bytes =
                                      beneath_stat(text_of(t, CURVE), &curve) ? 0 : curve.st_size};
}

static void write_attempt(const struct running *t, int32_t n, const char *over)
{
    struct attempt_file file = {.n = n, .n_idle = t->n_idle, .seconds = spent_s(t)};

    snprintf(file.over, sizeof file.over, "%s", over);
    attempt_file_write(text_of(t, FOLDER), file);
}

static void save_attempt(const struct running *t)
{
    write_attempt(t, t->trial.attempt, "");
}

/* While an attempt runs: its scratch folder tells that it has begun, unless it is a gang's. */
static void save_time(const struct running *t)
{
    write_attempt(t, t->trial.attempt - !has_others(t), "");
}

/* For the other members: the exit status and the gang's token, since files of other gangs may lie here. */
static void save_end(const struct running *t, int status)
{
    char over[ATTEMPT_FILE_TOKEN];

    _Static_assert((int)TRIAL_TOKEN + 12 <= (int)ATTEMPT_FILE_TOKEN, "a token is never cut");
    snprintf(over, sizeof over, "%d.%s", status, t->trial.gang->token);
    write_attempt(t, t->trial.attempt, over);
}

/* The exit status of the first member, if it has ended so that others must know; else -1. */
static int first_status(const struct running *t)
{
    struct attempt_file file = attempt_file_read(text_of(t, FOLDER));
    char *rest;
    long status = strtol(file.over, &rest, 10);

    return *rest == '.' && !strcmp(rest + 1, t->trial.gang->token) ? (int)status : -1;
}

static bool is_disk_full(const struct running *t)
{
    int fd = beneath_open(t->self->place->files, O_RDONLY | O_DIRECTORY);
    bool is_full = fd >= 0 && folder_lacks_room(fd);

    if (fd >= 0)
        close(fd);
    return is_full;
}

static int make_files(struct running *t, struct err *err)
{
    int file;

    if (make_folder(t->self->place->files, err) || make_folder(text_of(t, FOLDER), err) ||
        make_folder(text_of(t, CHECKPOINT), err) || folder_remove(text_of(t, SCRATCH), err) ||
        make_folder(text_of(t, SCRATCH), err))
        return -1;
    file = beneath_create(text_of(t, RESULTS));
    if (file < 0)
        return err_set(err, "%s: %s", text_of(t, RESULTS), beneath_reason());
    close(file);
    if (is_first(t) && has_others(t)) {
        save_attempt(t);
        t->mark = progress_mark(t);
    }
    return 0;
}

/* If the trial has a result or a fault, nothing but kept files stays, and a checkpoint with its curve
 * until the result is on disk: the trial goes on from it if all is killed before. Other
 * members of a gang may not have ended, so there only this member's scratch goes, and the store
 * removes the rest (drops_checkpoint). */
static void remove_files(struct running *t, bool is_over, bool drops_checkpoint)
{
    const char *folder = text_of(t, FOLDER), *checkpoint = text_of(t, CHECKPOINT);
    bool is_left; /* to the store */
    struct err err;

    if (folder_remove_some(folder, t->own, &err))
        note(t, "%s", err.text);
    is_left = drops_checkpoint && has_others(t);
    if (is_over && !is_left)
        log_file_remove(&t->log_file);
    else
        log_file_write(&t->log_file, &t->self->log);
    FAULT("worker: a program's results were removed");
    if (is_left)
        return;
    if (is_first(t) && !is_over) {
        save_attempt(t);
    } else if (is_first(t) && has_checkpoint(t)) { /* the next attempt is the first again */
        attempt_file_write(folder, (struct attempt_file){.seconds = spent_s(t)});
    } else if (is_first(t)) {
        attempt_file_remove(folder);
        beneath_unlink(text_of(t, CURVE));
        beneath_rmdir(checkpoint);
    }
    if (is_over)
        beneath_rmdir(folder); /* fails if files are kept */
}

static void save_curve(struct running *t)
{
    struct buf text = {0};

    program_report_put_curve(&text, &t->report);
    if (text.size)
        folder_replace(text_of(t, FOLDER), t->trial.gang ? t->trial.gang->rank : 0, FOLDER_CURVE,
                       &text);
    buf_release(&text);
}

/* Keep the results of an attempt whose rank was killed, and remove its scratch folder. */
static int salvage(struct running *t, const char *name, bool goes_on, struct err *err)
{
    struct buf path = {0};
    int rc;

    if (goes_on && is_first(t)) {
        buf_printf(&path, "%s/%s/" FOLDER_RESULTS, text_of(t, FOLDER), name);
        program_report_read(&t->report, buf_text(&path));
        program_report_end_attempt(&t->report, true);
        save_curve(t);
    }
    buf_clear(&path);
    buf_printf(&path, "%s/%s", text_of(t, FOLDER), name);
    rc =
        buf_failed(&path) ? err_nomem(err, "path", path.size) : folder_remove(buf_text(&path), err);
    buf_release(&path);
    return rc;
}

/* Go on from earlier attempts that left a checkpoint, and remove this member's scratch of them. */
static int read_progress(struct running *t, struct err *err)
{
    bool goes_on = has_checkpoint(t);
    DIR *folder = beneath_list(text_of(t, FOLDER));
    struct attempt_file file;
    struct dirent *entry;
    int rc = 0, n_lost = 0;

    file = attempt_file_read(text_of(t, FOLDER));
    t->trial.attempt = file.n;
    t->n_idle = file.n_idle;
    if (goes_on) {
        program_report_read(&t->report, text_of(t, CURVE));
        program_report_end_attempt(&t->report, true);
        t->earlier_s = file.seconds;
    } else if (folder && is_first(t)) {
        beneath_unlink(text_of(t, CURVE));
    }
    while (folder && !rc && (entry = readdir(folder)))
        if (!strncmp(entry->d_name, t->own, strlen(t->own))) {
            char next = entry->d_name[strlen(t->own)];
            bool is_attempt = next >= '0' && next <= '9'; /* not of folder_replace() */

            rc = salvage(t, entry->d_name, goes_on && is_attempt, err);
            n_lost += is_attempt;
        }
    if (folder)
        closedir(folder);
    /* Without a gang, a rank that was killed has not counted its last attempt, whose folder stayed. */
    if (n_lost && !has_others(t)) {
        t->trial.attempt += n_lost;
        save_attempt(t);
    }
    return rc;
}

/* ---- an attempt ---- */

/* Every later trial would fail here. */
static bool note_if_lost(struct program_runner *self, const struct err *why)
{
    bool is_lost = self->place->spawner->is_lost;

    if (is_lost)
        self->unable = *why;
    return is_lost;
}

/* No other program inherits the pipe, and reading never waits. */
static int open_pipe(int *read_end, int *write_end, struct err *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return err_set(err, "pipe: %s", strerror(errno));
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}

static void close_pipe(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* -1: for lack of resources. */
static int start(struct running *t, struct err *err)
{
    struct program_runner *self = t->self;
    struct template_words argv = {0}, env = {0};
    int out = -1, error = -1;
    int rc = program_command_argv(&argv, &self->command, &t->trial, err) ||
                     program_command_env(&env, &self->command, &t->trial, err) ||
                     open_pipe(&t->out, &out, err) || open_pipe(&t->error, &error, err)
                 ? -1
                 : 0;

    if (!rc) {
        const struct spawner_program program = {
            .words = (const char *const *)argv.word,
            .variables = (const char *const *)env.word,
            .folder = *self->plan->sweep->folder ? self->plan->sweep->folder : NULL,
            .output = out,
            .error = error,
            .memory_bytes = (int64_t)(t->s->v[P_MEMORY].f * 1e9)};

        rc = spawner_run(self->place->spawner, &program, err);
    }
    if (rc) {
        close_pipe(&t->out);
        close_pipe(&t->error);
    }
    close_pipe(&out);
    close_pipe(&error);
    template_words_release(&argv);
    template_words_release(&env);
    return rc;
}

/* The standard output is read for results. */
static bool captures(const struct settings *s)
{
    return s->v[P_CAPTURE].i || *s->v[P_CAPTURE_PATTERN].s;
}

/* False: nothing more to read. */
static bool drain(struct running *t, int *end, bool is_error)
{
    struct program_runner *self = t->self;
    ssize_t n = *end < 0 ? -1 : read(*end, self->bytes, sizeof self->bytes);

    if (n == 0)
        close_pipe(end);
    if (n <= 0)
        return false;
    log_tail_add(&self->log, self->bytes, (size_t)n);
    if (is_error)
        log_tail_add(&self->errors, self->bytes, (size_t)n);
    else if (captures(t->s))
        program_report_add_stdout(&t->report, self->bytes, (size_t)n);
    return true;
}

/* A spawner that was stopped or hangs must not hold up the run. */
static void take_step(struct running *t, double now_s)
{
    /* In the order of the choices of [program] stop_signal. */
    static const int signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2};
    struct spawner *spawner = t->self->place->spawner;

    switch (++t->step) {
    case STEP_ASK:
        spawner_signal(spawner, signals[t->s->v[P_STOP_SIGNAL].i]);
        t->due_s = now_s + t->s->v[P_STOP_GRACE].f;
        break;
    case STEP_KILL:
        spawner_kill(spawner);
        t->due_s = now_s + FORCE_S;
        break;
    default:
        spawner_force(spawner, t->step == STEP_FORCE_KEEPER);
        t->due_s = t->step == STEP_FORCE ? now_s + FORCE_KEEPER_S : (double)INFINITY;
        break;
    }
}

/* A program that is told {until} ends by itself. */
static void look_for_rung(struct running *t, double now_s)
{
    struct program_report so_far;

    if (t->until == INT64_MAX || now_s < t->rung_s || program_command_has_until(&t->self->command))
        return;
    if (!program_report_so_far(&so_far, &t->report, text_of(t, RESULTS)))
        t->is_at_rung = program_result_epochs(so_far.epochs, so_far.n_epochs) >= t->until;
    program_report_release(&so_far);
    t->rung_s = now_s + RUNG_S + REPORT_COST * (clock_now(t->self->clock) - now_s);
}

/* Stop the program if it must not go on. */
static void control(struct running *t)
{
    double now_s = clock_now(t->self->clock);
    bool goes_on = t->watch->keep_going(t->watch->arg), is_due = now_s >= t->due_s;
    const struct deadline *deadline = t->watch->deadline;

    if (t->step == STEP_NONE) {
        look_for_rung(t, now_s);
        t->is_late = goes_on && is_due;
        goes_on &= !t->is_at_rung;
        t->is_stopped = !goes_on;
        is_due |= !goes_on;
    }
    if (is_due || (t->step == STEP_ASK && deadline && now_s >= deadline->kill_s))
        take_step(t, now_s);
}

/* Report a longer curve more rarely: its rows in the database replace those of the report before. */
static void report_now_and_then(struct running *t)
{
    struct program_report so_far;
    struct trial_result r;
    double now_s = clock_now(t->self->clock);

    if (!t->watch->report || !is_first(t) || now_s < t->report_s)
        return;
    trial_result_init(&r, t->number);
    r.state = TRIAL_PENDING;
    if (!program_report_so_far(&so_far, &t->report, text_of(t, RESULTS)))
        program_result_take_unfinished(&r, &so_far, t->s->v[P_OBJECTIVE].s);
    if (r.n_curve + r.n_reported != t->n_sent)
        t->watch->report(t->watch->arg, &r);
    t->n_sent = r.n_curve + r.n_reported;
    t->report_s = now_s + REPORT_S + REPORT_EPOCH_S * r.n_curve +
                  REPORT_COST * (clock_now(t->self->clock) - now_s);
    trial_result_release(&r);
    program_report_release(&so_far);
}

static void wait_for_end(struct spawner_end *end, struct running *t)
{
    struct spawner *spawner = t->self->place->spawner;

    while (!spawner_take(end, spawner)) {
        struct pollfd fds[] = {{.fd = spawner->fd, .events = POLLIN},
                               {.fd = t->out, .events = POLLIN},
                               {.fd = t->error, .events = POLLIN}};

        poll(fds, 3, LOOK_MS);
        drain(t, &t->out, false);
        drain(t, &t->error, true);
        log_file_refresh(&t->log_file, &t->self->log, clock_now(t->self->clock));
        if (is_first(t) && clock_now(t->self->clock) >= t->time_s) {
            save_time(t);
            t->time_s = clock_now(t->self->clock) + TIME_S;
        }
        report_now_and_then(t);
        control(t);
    }
    while (drain(t, &t->out, false))
        continue;
    while (drain(t, &t->error, true))
        continue;
    close_pipe(&t->out);
    close_pipe(&t->error);
}

/* ---- its end ---- */

static void add_restart(struct trial_result *r, struct running *t, bool was_killed)
{
    size_t n = (size_t)r->n_restarts + 1;
    struct trial_restart *restarts = realloc(r->restarts, n * sizeof *restarts);

    if (!restarts)
        return; /* the log tells of it */
    r->restarts = restarts;
    restarts[r->n_restarts++] = (struct trial_restart){t->started, clock_unix(), was_killed};
}

/* The first member of a gang reports for all. -1: there is no result. */
static int take_result(struct trial_result *r, struct running *t, struct err *err)
{
    const char *files = keep_of(t->s->v) == KEEP_NONE ? "" : t->s->v[P_KEEP_FILES].s;

    if (!is_first(t)) {
        r->state = TRIAL_DONE;
        *r->error = '\0';
        return 0;
    }
    /* Prose on stdout may look like results, so too many names are no fault. */
    if (*t->report.dropped.text)
        note(t, "%s", t->report.dropped.text);
    if (program_report_finish(&t->report)) {
        *err = t->report.reason;
        return -1;
    }
    if (program_result_take(r, &t->report, t->s->v[P_OBJECTIVE].s, err) ||
        (r->state == TRIAL_DONE && *files && t->until == INT64_MAX &&
         program_files_keep(r, &t->self->log, text_of(t, FOLDER), text_of(t, SCRATCH), files, err)))
        return -1;
    /* They may be those of a part of the training. */
    if (t->step >= STEP_ASK)
        note(t, "the program was asked to stop and ended with 0: its results count");
    return 0;
}

static struct program_verdict judge(struct running *t, const struct spawner_end *end,
                                    const char *useless)
{
    bool is_resume = end->how == SPAWNER_EXITED && end->status == PROGRAM_EXIT_RESUME;
    bool is_success = end->how == SPAWNER_EXITED && end->status == EXIT_SUCCESS;
    struct progress_mark mark = is_resume ? progress_mark(t) : t->mark;
    double since_s = clock_now(t->self->clock);
    struct program_verdict verdict;
    char words[WORDS];
    struct program_facts facts = {
        .end = *end,
        .words = words,
        .useless = useless,
        .is_lost = t->self->place->spawner->is_lost,
        .is_shell = t->s->v[P_SHELL].i == param_choice(P_SHELL, "yes"),
        .is_stopped = t->is_stopped,
        .is_late = t->is_late,
        .is_continued = t->earlier_s > 0,
        .trial_timeout_s = t->s->v[P_TRIAL_TIMEOUT].f,
        .stop_grace_s = t->s->v[P_STOP_GRACE].f,
        .is_disk_full = (!is_success || *useless) && is_disk_full(t),
        .n_kills = t->n_kills,
        .crash_limit = (int32_t)t->s->v[P_CRASH_LIMIT].i,
        .has_checkpoint = has_checkpoint(t),
        .has_progress = mark.saved > t->mark.saved || mark.curve_bytes != t->mark.curve_bytes,
        .n_idle = t->n_idle,
        .n_restarts = has_others(t) ? t->trial.attempt : t->n_restarts + 1,
        .rank = is_first(t) ? 0 : t->trial.gang->rank,
        .size = has_others(t) ? t->trial.gang->size : 1,
        .first_status = -1,
    };

    log_tail_reason(words, WORDS, &t->self->errors, 0);
    if (!*words)
        log_tail_reason(words, WORDS, &t->self->log, t->noted);
    if (is_resume && is_first(t) && has_others(t))
        save_end(t, PROGRAM_EXIT_RESUME);
    for (;;) {
        facts.is_wanted = !t->watch->keep_going(t->watch->arg);
        if (has_others(t))
            facts.first_status = first_status(t);
        verdict = program_verdict(&facts);
        if (verdict.kind != VERDICT_WAIT)
            break;
        clock_sleep(LOOK_MS * 1e-3);
        facts.waited_s = clock_now(t->self->clock) - since_s;
    }
    t->n_idle = verdict.n_idle;
    t->mark = mark;
    return verdict;
}

/* Return VERDICT_AGAIN, _KILLED, or what becomes of the trial. */
static enum verdict_kind end_attempt(struct trial_result *r, struct running *t,
                                     const struct spawner_end *end)
{
    struct err useless = {""};
    struct program_verdict verdict;

    r->peak_bytes = end->peak_bytes > r->peak_bytes ? end->peak_bytes : r->peak_bytes;
    if (end->how == SPAWNER_EXITED && end->status == EXIT_SUCCESS)
        (void)!take_result(r, t, &useless);
    verdict = judge(t, end, useless.text);
    if (verdict.kind == VERDICT_FAILED || verdict.kind == VERDICT_APART)
        fail(r, &verdict.reason);
    if (verdict.kind == VERDICT_KILLED || verdict.kind == VERDICT_APART)
        note(t, "the program was killed (SIGKILL)");
    if (verdict.kind == VERDICT_KILLED || verdict.kind == VERDICT_AGAIN) {
        add_restart(r, t, verdict.kind == VERDICT_KILLED);
        t->n_kills += verdict.kind == VERDICT_KILLED;
        t->n_restarts += verdict.kind == VERDICT_AGAIN;
        save_attempt(t);
    }
    if (verdict.kind == VERDICT_FULL)
        err_set(&t->self->unable, "%s: the disk or a quota is full: make room (df, quota)",
                t->self->place->files);
    return verdict.kind;
}

/* This rank has no processes, descriptors or memory left, for the reason `why`. Try again a second later,
 * and after some of these tries the rank is unable to run trials. */
static enum verdict_kind wait_for_resources(struct running *t, const char *why)
{
    double until_s = clock_now(t->self->clock) + RESOURCES_S;

    t->trial.attempt--;
    if (++t->n_unstarted == 1)
        note(t, "%s; the start is tried again", why);
    if (t->n_unstarted == MOST_UNSTARTED) {
        err_set(&t->self->unable, "in %d s it could start no program: %s",
                (int)(MOST_UNSTARTED * RESOURCES_S), why);
        return VERDICT_BACK;
    }
    while (clock_now(t->self->clock) < until_s) {
        if (!t->watch->keep_going(t->watch->arg))
            return VERDICT_BACK;
        clock_sleep(LOOK_MS * 1e-3);
    }
    return VERDICT_AGAIN;
}

static enum verdict_kind attempt(struct trial_result *r, struct running *t)
{
    double now_s = clock_now(t->self->clock), timeout_s = t->s->v[P_TRIAL_TIMEOUT].f;
    struct spawner_end end = {.how = SPAWNER_NOT_STARTED};
    enum verdict_kind verdict;

    if (t->has_begun && !has_checkpoint(t))
        t->earlier_s = t->begun_s - now_s;
    t->has_begun = true;
    t->due_s = timeout_s > 0 ? t->begun_s - t->earlier_s + timeout_s : (double)INFINITY;
    if (is_first(t)) {
        t->trial.attempt++;
    } else { /* it writes the number of the attempt for the others */
        poll(NULL, 0, HEAD_START_MS);
        t->trial.attempt = attempt_file_read(text_of(t, FOLDER)).n;
    }
    if (t->self->log.total && !t->n_unstarted)
        note(t, "the program starts again");
    t->started = clock_unix();
    if (make_files(t, &end.why))
        return end_attempt(r, t, &end);
    if (start(t, &end.why))
        return note_if_lost(t->self, &end.why) ? VERDICT_BACK : wait_for_resources(t, end.why.text);
    FAULT("worker: a program runs");
    wait_for_end(&end, t);
    FAULT("worker: a program has ended");
    note_if_lost(t->self, &end.why);
    if (spawner_lacks_resources(&end))
        return wait_for_resources(t, end.why.text);
    t->n_unstarted = 0;
    program_report_read(&t->report, text_of(t, RESULTS));
    program_report_end_attempt(&t->report,
                               end.how != SPAWNER_EXITED || end.status == PROGRAM_EXIT_RESUME);
    if (has_checkpoint(t)) {
        save_curve(t);
        if (is_first(t))
            save_time(t);
    }
    verdict = end_attempt(r, t, &end);
    FAULT("worker: a program was judged");
    return verdict;
}

/* ---- a trial ---- */

static int take_log(struct trial_result *r, const struct log_tail *log)
{
    struct buf text = {0};

    log_tail_put(&text, log);
    r->log_total = log->total;
    if (buf_failed(&text)) {
        buf_release(&text);
        return -1;
    }
    r->log = text.data;
    r->log_bytes = text.size;
    return 0;
}

static void run_trial(struct trial_result *r, struct running *t)
{
    enum verdict_kind verdict = VERDICT_AGAIN;
    bool is_over, is_at_rung;
    struct err err;

    if (name_texts(t, &err) ||
        program_report_init(&t->report, t->s->v[P_OBJECTIVE].s,
                            t->s->v[P_DIRECTION].i == param_choice(P_DIRECTION, "max"),
                            captures(t->s), t->s->v[P_CAPTURE_PATTERN].s, &err) ||
        read_progress(t, &err)) {
        fail(r, &err);
        return;
    }
    t->log_file =
        log_file_begin(text_of(t, FOLDER), t->trial.gang ? t->trial.gang->rank : 0, t->begun_s);
    log_file_take(&t->self->log, &t->log_file);
    while (verdict == VERDICT_AGAIN || verdict == VERDICT_KILLED)
        verdict = attempt(r, t);
    is_at_rung = (t->is_at_rung && (verdict == VERDICT_BACK || verdict == VERDICT_RESULT)) ||
                 (verdict == VERDICT_RESULT && r->state == TRIAL_DONE && t->until < INT64_MAX &&
                  program_command_has_until(&t->self->command));
    is_over = (verdict == VERDICT_RESULT && !is_at_rung) || verdict == VERDICT_FAILED;
    if ((r->state == TRIAL_FAILED || !has_others(t)) && is_first(t))
        program_result_take_unfinished(r, &t->report, t->s->v[P_OBJECTIVE].s);
    r->earlier_s = t->earlier_s;
    if (r->n_restarts)
        r->started = t->started;
    if (!is_over)
        r->state = TRIAL_PENDING;
    if (!is_over && verdict != VERDICT_APART)
        *r->error = '\0';
    if (is_at_rung)
        program_result_hold(r, t->s, t->until, t->is_at_rung);
    /* With a longer trial_timeout the trial can go on from its checkpoint. */
    r->drops_checkpoint = (is_over || verdict == VERDICT_APART) &&
                          !(t->is_late && r->state == TRIAL_FAILED) &&
                          (has_others(t) || has_checkpoint(t));
    remove_files(t, is_over, r->drops_checkpoint);
    if (is_first(t) && has_others(t) && verdict == VERDICT_RESULT)
        save_end(t, EXIT_SUCCESS);
}

static void run(void *self_, struct trial_result *r, int64_t number,
                const struct trial_watch *watch)
{
    struct program_runner *self = self_;
    struct settings settings;
    struct running t = {.self = self,
                        .number = number,
                        .report_s = clock_now(self->clock) + REPORT_S,
                        .time_s = clock_now(self->clock) + TIME_S,
                        .watch = watch,
                        .s = &settings,
                        .begun_s = clock_now(self->clock),
                        .out = -1,
                        .error = -1};

    const struct trial_gang alone = {
        .size = 1,
        .local_size = 1,
        .address = "127.0.0.1",
        .n_hosts = 1,
        .port = self->plan->sweep->swept[P_RANKS] ? port_find((int32_t)getpid(), 1, number) : 0};

    FAULT_TRIAL(number);
    t.trial = (struct program_trial){.settings = &settings,
                                     .where = plan_trial(self->plan, number),
                                     .id = watch->id ? watch->id : number + 1,
                                     .modules = self->place->modules,
                                     .rung = watch->rung,
                                     .gang = watch->gang  ? watch->gang
                                             : alone.port ? &alone
                                                          : NULL};
    plan_settings(self->plan, t.trial.where.config, &settings);
    t.until = settings_rung_epochs(&settings, watch->rung);
    t.trial.key = settings_key(&settings, self->plan->sweep->swept, self->digest,
                               t.trial.where.replicate, t.trial.where.fold, &self->text);
    log_tail_clear(&self->log);
    log_tail_clear(&self->errors);
    run_trial(r, &t);
    /* The log of a gang is that of rank 0, or of the rank that failed first. */
    if ((r->state == TRIAL_FAILED || (r->state == TRIAL_PENDING && *r->error)) && !is_first(&t))
        note(&t, "this is the output of rank %d of the gang, which failed",
             (int)t.trial.gang->rank);
    if ((r->state != TRIAL_PENDING || *r->error) && take_log(r, &self->log))
        fail(r, &(struct err){"out of memory for the log"});
    program_report_release(&t.report);
    for (int i = 0; i < TEXTS; i++)
        buf_release(&t.text[i]);
}

static const char *unable(const void *self)
{
    return ((const struct program_runner *)self)->unable.text;
}

struct runner program_runner_interface(struct program_runner *self)
{
    return (struct runner){.run = run, .isolates = true, .unable = unable, .self = self};
}
