/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/fault.h"
#include "base/log.h"
#include "program/attempt_file.h"
#include "program/folder.h"
#include "program/log_file.h"
#include "program/log_tail.h"
#include "program/output_pipe.h"
#include "program/port.h"
#include "program/report.h"
#include "program/time_file.h"
#include "trial/kept.h"
#include "trial/program_command.h"
#include "trial/program_files.h"
#include "trial/program_result.h"
#include "trial/spare_folder.h"

#define POLL_MS 100
/* Rank 0 of a gang starts earlier by this: it listens on MASTER_PORT, and PyTorch waits a second if
 * nobody listens yet (decision 0061). */
#define HEAD_START_MS 100
/* An end by a signal may be the batch system's, which then stops this rank, too; a failure in a gang
 * may be due to a member that was killed, which reports at once. */
#define NEWS_S 1.0
/* Attempts that may exit with 75 unasked; more would be an endless loop. Those that change nothing
 * show one earlier. */
#define MOST_RESTARTS 1000
#define MOST_IDLE 3

#define EXIT_RESUME 75

enum {
    READ_BYTES = 65536,
    WORDS = 110 /* of the last lines of output in a reason */
};

struct program_runner {
    const struct plan *plan;
    struct hash digest;
    const struct program_place *place;
    const struct clock *clock;
    struct program_command command;
    struct buf text; /* scratch of keys */
    struct spare_folder spare;
    struct log_tail log, errors;
    char bytes[READ_BYTES];
};

struct progress {
    double saved;        /* Unix seconds of the last change in the checkpoint */
    int64_t curve_bytes; /* of the file of reported epochs */
};

/* One trial, over all its attempts here. */
struct running {
    struct program_runner *self;
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
    struct progress progress; /* at the last exit with 75 */
    int32_t n_idle;           /* exits with 75 since, with the same progress */
    int out, error;           /* read ends of pipes, or -1 */
    double asked_s;           /* by the clock: asked to end; NaN: not yet */
    bool is_stopped;          /* the caller wants the trial back */
    bool is_late;             /* trial_timeout */
    bool is_killed;           /* by us */
    bool has_begun;           /* an attempt here */
    bool has_note;            /* of ours in the log */
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
    if (program_command_init(&self->command, plan->sweep, err) ||
        spare_folder_init(&self->spare, place->files, err)) {
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
    spare_folder_release(&self->spare);
    buf_release(&self->text);
    free(self);
}

static void fail(struct trial_result *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void fail(struct trial_result *r, const char *format, ...)
{
    va_list args;

    r->state = TRIAL_FAILED;
    va_start(args, format);
    vsnprintf(r->error, sizeof r->error, format, args);
    va_end(args);
}

/* The first member of a gang reports for all. */
static bool is_first(const struct running *t)
{
    return !t->trial.gang || !t->trial.gang->rank;
}

static bool has_others(const struct running *t)
{
    return t->trial.gang && t->trial.gang->size > 1;
}

/* ---- files ---- */

static int make_folder(const char *path, struct err *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    return err_set(err, "%s: %s", path, strerror(errno));
}

static int name_paths(struct running *t, struct err *err)
{
    const char *files = t->self->place->files;
    bool failed;

    buf_printf(&t->folder, "%s/t%lld", files, (long long)t->trial.id);
    snprintf(t->own, sizeof t->own, FOLDER_SCRATCH "%d.",
             t->trial.gang ? (int)t->trial.gang->rank : 0);
    buf_printf(&t->scratch, "%s/%s%d", buf_text(&t->folder), t->own, (int)getpid());
    buf_printf(&t->results, "%s/" FOLDER_RESULTS, buf_text(&t->scratch));
    buf_printf(&t->checkpoint, "%s/" FOLDER_CHECKPOINT, buf_text(&t->folder));
    buf_printf(&t->curve, "%s/" FOLDER_CURVE, buf_text(&t->folder));
    failed = buf_failed(&t->folder) || buf_failed(&t->scratch) || buf_failed(&t->results) ||
             buf_failed(&t->checkpoint) || buf_failed(&t->curve);
    t->trial.dir = buf_text(&t->scratch);
    t->trial.results = buf_text(&t->results);
    t->trial.checkpoint = buf_text(&t->checkpoint);
    return failed ? err_nomem(err, "paths", t->folder.size) : 0;
}

static int name_gpus(struct running *t, struct err *err)
{
    const struct program_place *place = t->self->place;

    if (!place->put_gpus)
        return 0;
    place->put_gpus(&t->gpus, &t->gpu_variables, place->gpus, t->watch->gang);
    t->trial.gpus = buf_text(&t->gpus);
    t->trial.gpu_variables = buf_text(&t->gpu_variables);
    return buf_failed(&t->gpus) || buf_failed(&t->gpu_variables)
               ? err_nomem(err, "GPUs", t->gpus.size)
               : 0;
}

static int make_file(const char *path, struct err *err)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (file < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    close(file);
    return 0;
}

static struct trial_paths paths_of(const struct running *t)
{
    return (struct trial_paths){.folder = buf_text(&t->folder),
                                .scratch = buf_text(&t->scratch),
                                .results = buf_text(&t->results),
                                .checkpoint = buf_text(&t->checkpoint)};
}

static int make_files(struct running *t, struct err *err)
{
    struct trial_paths paths = paths_of(t);
    struct spare_folder *spare = &t->self->spare;

    if (!t->trial.gang && spare_folder_take(spare, buf_text(&t->folder)))
        return 0;
    if (make_folder(t->self->place->files, err) || make_folder(buf_text(&t->folder), err) ||
        make_folder(buf_text(&t->checkpoint), err))
        return -1;
    if (mkdir(buf_text(&t->scratch), 0777) &&
        (folder_remove(buf_text(&t->scratch), err) || make_folder(buf_text(&t->scratch), err)))
        return -1;
    if (make_file(buf_text(&t->results), err))
        return -1;
    spare_folder_note(spare, &paths);
    return 0;
}

static void note(struct running *t, const char *text)
{
    t->has_note = true;
    log_tail_add(&t->self->log, text, strlen(text));
}

/* Seconds of this attempt and of those whose checkpoints it goes on from. */
static double spent_s(const struct running *t)
{
    return t->earlier_s + clock_now(t->self->clock) - t->begun_s;
}

/* If the trial has a result or a fault, nothing but kept files stays, and a checkpoint with its curve
 * until the result is on disk: the trial goes on from it if all is killed before. */
static void remove_files(struct running *t, bool is_over)
{
    struct trial_paths paths = paths_of(t);
    struct err err;

    if (is_over && !t->trial.gang && spare_folder_keep(&t->self->spare, &paths))
        return;
    if (folder_remove_some(paths.folder, t->own, &err))
        note(t, err.text);
    if (is_over)
        log_file_remove(&t->log_file);
    else
        log_file_write(&t->log_file, &t->self->log);
    FAULT("worker: a program's results were removed");
    if (is_first(t) && is_over)
        attempt_file_remove(paths.folder);
    else if (is_first(t))
        attempt_file_write(paths.folder, t->trial.attempt);
    if (is_over && is_first(t) && !folder_has_files(paths.checkpoint)) {
        unlink(buf_text(&t->curve));
        time_file_remove(&t->time_file);
        rmdir(paths.checkpoint);
    }
    if (is_over)
        rmdir(buf_text(&t->folder)); /* fails if files are kept */
}

/* Replaces the file as a whole: this rank may be killed. */
static void save_curve(struct running *t)
{
    struct buf text = {0}, fresh = {0};
    FILE *file;

    buf_printf(&fresh, "%s.new", buf_text(&t->curve));
    program_report_put_curve(&text, &t->report);
    file = text.size && !buf_failed(&fresh) ? fopen(buf_text(&fresh), "w") : NULL;
    if (file) {
        bool is_whole = fwrite(buf_text(&text), 1, text.size, file) == text.size;

        if (fclose(file) || !is_whole || rename(buf_text(&fresh), buf_text(&t->curve)))
            unlink(buf_text(&fresh));
    }
    buf_release(&text);
    buf_release(&fresh);
}

static void save_progress(struct running *t)
{
    save_curve(t);
    if (is_first(t))
        time_file_write(&t->time_file, spent_s(t));
}

/* ---- an attempt ---- */

/* Every later trial would fail here. Other ranks go on. */
static void leave_if_lost(const struct spawner *spawner)
{
    if (!spawner_is_lost(spawner))
        return;
    log_warn("the processes that start programs for this rank were killed, so it ends");
    kill(getpid(), SIGKILL);
}

static int start(struct running *t, struct err *err)
{
    struct program_runner *self = t->self;
    struct template_words argv = {0}, env = {0};
    int out = -1, error = -1, rc;

    rc = output_pipe_open(&t->out, &out, err) || output_pipe_open(&t->error, &error, err) ||
                 program_command_argv(&argv, &self->command, &t->trial, err) ||
                 program_command_env(&env, &self->command, &t->trial, err)
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
        leave_if_lost(self->place->spawner);
    }
    output_pipe_close(&out);
    output_pipe_close(&error);
    template_words_release(&argv);
    template_words_release(&env);
    return rc;
}

/* False: nothing more to read. */
static bool drain(struct running *t, int *end, bool is_error)
{
    struct program_runner *self = t->self;
    ssize_t n = *end < 0 ? -1 : read(*end, self->bytes, sizeof self->bytes);

    if (n == 0)
        output_pipe_close(end);
    if (n <= 0)
        return false;
    log_tail_add(&self->log, self->bytes, (size_t)n);
    if (is_error)
        log_tail_add(&self->errors, self->bytes, (size_t)n);
    if (t->s->v[P_CAPTURE].i && is_error)
        program_report_add_stderr(&t->report, self->bytes, (size_t)n);
    else if (t->s->v[P_CAPTURE].i)
        program_report_add_stdout(&t->report, self->bytes, (size_t)n);
    return true;
}

/* In the order of the choices of [program] stop_signal. */
static int stop_signal_of(const struct settings *s)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2};

    return numbers[s->v[P_STOP_SIGNAL].i];
}

static void ask_to_end(struct running *t, double now_s)
{
    t->asked_s = now_s;
    spawner_signal(t->self->place->spawner, stop_signal_of(t->s));
}

static bool must_kill(const struct running *t, double now_s)
{
    bool is_urgent = t->watch->is_urgent && t->watch->is_urgent(t->watch->arg);

    return is_urgent || now_s - t->asked_s >= t->s->v[P_STOP_GRACE].f;
}

/* Stop the program if it must not go on. */
static void control(struct running *t)
{
    double now_s = clock_now(t->self->clock), timeout_s = t->s->v[P_TRIAL_TIMEOUT].f;
    bool goes_on = t->watch->keep_going(t->watch->arg);

    if (isnan(t->asked_s)) {
        t->is_stopped = !goes_on;
        t->is_late = goes_on && timeout_s > 0 && spent_s(t) > timeout_s;
        if (t->is_stopped || t->is_late)
            ask_to_end(t, now_s);
    } else if (!t->is_killed && must_kill(t, now_s)) {
        t->is_killed = true;
        spawner_kill(t->self->place->spawner);
    }
}

static void wait_for_end(struct spawner_end *end, struct running *t)
{
    struct spawner *spawner = t->self->place->spawner;

    while (!spawner_take(end, spawner)) {
        struct pollfd fds[] = {{.fd = spawner_fd(spawner), .events = POLLIN},
                               {.fd = t->out, .events = POLLIN},
                               {.fd = t->error, .events = POLLIN}};

        poll(fds, 3, POLL_MS);
        drain(t, &t->out, false);
        drain(t, &t->error, true);
        log_file_refresh(&t->log_file, &t->self->log, clock_now(t->self->clock));
        if (is_first(t))
            time_file_refresh(&t->time_file, spent_s(t), clock_now(t->self->clock));
        control(t);
    }
    while (drain(t, &t->out, false))
        continue;
    while (drain(t, &t->error, true))
        continue;
    output_pipe_close(&t->out);
    output_pipe_close(&t->error);
}

/* ---- its outcome ---- */

enum verdict {
    OVER,  /* r is filled */
    AGAIN, /* start it again */
    BACK,  /* the caller gets the trial back */
    APART  /* so it does, since the whole gang must start again; r->error is the reason */
};

static const char *last_words(const struct running *t, char out[WORDS])
{
    log_tail_reason(out, WORDS, &t->self->errors);
    return *out || t->has_note ? out : log_tail_reason(out, WORDS, &t->self->log);
}

/* True if the caller stops the trial within a moment. */
static bool has_news(struct running *t)
{
    double until_s = clock_now(t->self->clock) + NEWS_S;

    while (clock_now(t->self->clock) < until_s) {
        if (!t->watch->keep_going(t->watch->arg))
            return true;
        clock_sleep(POLL_MS * 1e-3);
    }
    return false;
}

/* True for signals that a program causes itself. */
static bool is_crash(int number)
{
    static const int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGSEGV, SIGSYS};

    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (crashes[i] == number)
            return true;
    return false;
}

static void add_kill(struct trial_result *r, const struct running *t)
{
    struct trial_kill *kills = realloc(r->kills, ((size_t)r->n_kills + 1) * sizeof *kills);

    if (!kills)
        return; /* the log tells of it */
    r->kills = kills;
    kills[r->n_kills++] = (struct trial_kill){t->started, clock_unix()};
}

/* Processes that have met cannot take in one that starts again. */
static enum verdict take_apart(struct trial_result *r, const struct running *t)
{
    char words[WORDS];

    last_words(t, words);
    fail(r, "rank %d of the gang: ended by signal %d (%s)%s%s", (int)t->trial.gang->rank, SIGKILL,
         strsignal(SIGKILL), *words ? ": " : "", words);
    return APART;
}

static enum verdict judge_signal(struct trial_result *r, struct running *t, int number)
{
    char words[WORDS], often[48] = "";

    if (number == SIGKILL && has_others(t))
        return take_apart(r, t);
    if ((!is_crash(number) || has_others(t)) && has_news(t))
        return BACK;
    if (number == SIGKILL && ++t->n_kills < t->s->v[P_CRASH_LIMIT].i) {
        note(t, "espalier: the program was killed (SIGKILL); it is started again\n");
        add_kill(r, t);
        return AGAIN;
    }
    last_words(t, words);
    if (t->n_kills > 1)
        snprintf(often, sizeof often, " in %d attempts (crash_limit)", t->n_kills);
    fail(r, "ended by signal %d (%s)%s%s%s", number, strsignal(number), often, *words ? ": " : "",
         words);
    return OVER;
}

static bool has_progress(struct running *t)
{
    struct stat curve;
    struct progress now = {.saved = folder_newest(buf_text(&t->checkpoint)),
                           .curve_bytes = stat(buf_text(&t->curve), &curve) ? 0 : curve.st_size};
    bool is_same = now.saved <= t->progress.saved && now.curve_bytes == t->progress.curve_bytes;

    t->progress = now;
    return !is_same;
}

static enum verdict judge_resume(struct trial_result *r, struct running *t)
{
    if (!folder_has_files(buf_text(&t->checkpoint))) {
        fail(r, "exit status 75 means a checkpoint in ESPALIER_CHECKPOINT, and none is there");
        return OVER;
    }
    t->n_idle = has_progress(t) ? 0 : t->n_idle + 1;
    if (t->n_idle >= MOST_IDLE) {
        fail(r,
             "exited with 75 again and again without progress: %d attempts changed nothing in "
             "ESPALIER_CHECKPOINT and reported no new epoch",
             MOST_IDLE);
        return OVER;
    }
    if (++t->n_restarts >= MOST_RESTARTS) {
        fail(r, "exited with 75 for %d times without an end", MOST_RESTARTS);
        return OVER;
    }
    return t->watch->keep_going(t->watch->arg) ? AGAIN : BACK;
}

static void judge_results(struct trial_result *r, struct running *t)
{
    struct trial_paths paths = paths_of(t);
    struct err err;

    if (!is_first(t)) {
        r->state = TRIAL_DONE; /* the first member reports */
        *r->error = '\0';
    } else if (program_report_finish(&t->report)) {
        fail(r, "%.250s", t->report.reason.text);
    } else if (program_result_take(r, &t->report, t->s->v[P_OBJECTIVE].s, &err) ||
               (r->state == TRIAL_DONE && *t->s->v[P_KEEP_FILES].s && keep_of(t->s) != KEEP_NONE &&
                program_files_keep(r, &t->self->log, &paths, t->s->v[P_KEEP_FILES].s, &err))) {
        fail(r, "%.250s", err.text);
    }
}

static enum verdict judge_exit(struct trial_result *r, struct running *t, int status)
{
    char words[WORDS];

    if (status == EXIT_SUCCESS) {
        judge_results(r, t);
        /* A program may end in good order without results because it was asked to stop. */
        return t->is_stopped && r->state == TRIAL_FAILED ? BACK : OVER;
    }
    if (t->is_stopped)
        return BACK;
    if (status == EXIT_RESUME && !t->is_late)
        return judge_resume(r, t);
    if (has_others(t) && has_news(t))
        return BACK;
    last_words(t, words);
    fail(r, "exit status %d%s%s", status, *words ? ": " : "", words);
    return OVER;
}

static enum verdict judge(struct trial_result *r, struct running *t, const struct spawner_end *end)
{
    char limit[DURATION_TEXT];

    r->peak_bytes = end->peak_bytes > r->peak_bytes ? end->peak_bytes : r->peak_bytes;
    if (end->how == SPAWNER_EXITED && (!t->is_late || end->status == EXIT_SUCCESS))
        return judge_exit(r, t, end->status);
    if (t->is_stopped)
        return BACK;
    if (t->is_late)
        fail(r, "ran longer than trial_timeout = %s",
             duration_words(limit, t->s->v[P_TRIAL_TIMEOUT].f));
    else if (end->how == SPAWNER_SIGNALLED)
        return judge_signal(r, t, end->status);
    else if (end->how == SPAWNER_LOST)
        return judge_signal(r, t, SIGKILL);
    else
        fail(r, "%.250s", end->why.text);
    return OVER;
}

static enum verdict attempt(struct trial_result *r, struct running *t)
{
    struct spawner_end end = {.how = SPAWNER_EXITED};
    bool is_again = t->has_begun;
    enum verdict verdict;
    struct err err;

    t->has_begun = true;
    if (is_again && !folder_has_files(buf_text(&t->checkpoint)))
        t->earlier_s = t->begun_s - clock_now(t->self->clock);
    if (!is_first(t)) {
        poll(NULL, 0, HEAD_START_MS);
        t->trial.attempt = attempt_file_read(buf_text(&t->folder));
    }
    t->trial.attempt++;
    t->started = clock_unix();
    if (make_files(t, &err) || start(t, &err)) {
        output_pipe_close(&t->out);
        output_pipe_close(&t->error);
        fail(r, "%.250s", err.text);
        return OVER;
    }
    FAULT("worker: a program runs");
    wait_for_end(&end, t);
    FAULT("worker: a program has ended");
    leave_if_lost(t->self->place->spawner);
    program_report_read(&t->report, buf_text(&t->results));
    program_report_end_attempt(&t->report, end.how != SPAWNER_EXITED || end.status == EXIT_RESUME);
    if (folder_has_files(buf_text(&t->checkpoint)))
        save_progress(t);
    verdict = judge(r, t, &end);
    if (verdict == AGAIN && is_first(t))
        attempt_file_write(buf_text(&t->folder), t->trial.attempt);
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

/* The log of a gang is that of rank 0, or of the rank that failed first. */
static void note_rank(struct running *t)
{
    char text[96];

    if (is_first(t))
        return;
    snprintf(text, sizeof text,
             "espalier: this is the output of rank %d of the gang, which failed\n",
             (int)t->trial.gang->rank);
    note(t, text);
}

/* Keep the results of an attempt whose rank was killed, and remove its scratch folder. */
static int salvage(struct running *t, const char *name, bool has_checkpoint, struct err *err)
{
    struct buf path = {0};
    int rc;

    if (has_checkpoint && is_first(t)) {
        buf_printf(&path, "%s/%s/" FOLDER_RESULTS, buf_text(&t->folder), name);
        program_report_read(&t->report, buf_text(&path));
        program_report_end_attempt(&t->report, true);
        save_curve(t);
    }
    buf_clear(&path);
    buf_printf(&path, "%s/%s", buf_text(&t->folder), name);
    rc =
        buf_failed(&path) ? err_nomem(err, "path", path.size) : folder_remove(buf_text(&path), err);
    buf_release(&path);
    return rc;
}

/* Go on from earlier attempts that left a checkpoint, and remove this member's scratch of them. */
static int read_progress(struct running *t, struct err *err)
{
    bool has_checkpoint = folder_has_files(buf_text(&t->checkpoint));
    DIR *folder = opendir(buf_text(&t->folder));
    struct dirent *entry;
    int rc = 0, n_lost = 0;

    t->trial.attempt = attempt_file_read(buf_text(&t->folder));
    if (has_checkpoint) {
        program_report_read(&t->report, buf_text(&t->curve));
        program_report_end_attempt(&t->report, true);
        t->earlier_s = time_file_read(&t->time_file);
    } else if (folder && is_first(t)) {
        unlink(buf_text(&t->curve));
        time_file_remove(&t->time_file);
    }
    while (folder && !rc && (entry = readdir(folder)))
        if (!strncmp(entry->d_name, t->own, strlen(t->own))) {
            rc = salvage(t, entry->d_name, has_checkpoint, err);
            n_lost++;
        }
    if (folder)
        closedir(folder);
    /* A rank that was killed has not counted its last attempt, whose folder stayed. */
    if (n_lost && is_first(t)) {
        t->trial.attempt += n_lost;
        attempt_file_write(buf_text(&t->folder), t->trial.attempt);
    }
    return rc;
}

static void run_trial(struct trial_result *r, struct running *t)
{
    enum verdict verdict = AGAIN;
    struct err err;

    if (name_paths(t, &err) || name_gpus(t, &err)) {
        fail(r, "%.250s", err.text);
        return;
    }
    t->time_file = time_file_begin(buf_text(&t->folder), t->begun_s);
    if (program_report_init(&t->report, t->s->v[P_OBJECTIVE].s,
                            t->s->v[P_DIRECTION].i == param_choice(P_DIRECTION, "max"),
                            t->s->v[P_CAPTURE].i, &err) ||
        read_progress(t, &err)) {
        fail(r, "%.250s", err.text);
        return;
    }
    t->log_file =
        log_file_begin(buf_text(&t->folder), t->trial.gang ? t->trial.gang->rank : 0, t->begun_s);
    while (verdict == AGAIN)
        verdict = attempt(r, t);
    r->earlier_s = t->earlier_s;
    if (r->n_kills)
        r->started = t->started;
    if (verdict != OVER)
        r->state = TRIAL_PENDING;
    if (verdict == BACK)
        *r->error = '\0';
    /* With a longer trial_timeout the trial can go on from its checkpoint. */
    r->drops_checkpoint = verdict == OVER && !(t->is_late && r->state == TRIAL_FAILED) &&
                          folder_has_files(buf_text(&t->checkpoint));
    remove_files(t, verdict == OVER);
}

static void run(void *self_, struct trial_result *r, int64_t number,
                const struct trial_watch *watch)
{
    struct program_runner *self = self_;
    struct settings settings;
    struct running t = {.self = self,
                        .watch = watch,
                        .s = &settings,
                        .begun_s = clock_now(self->clock),
                        .out = -1,
                        .error = -1,
                        .asked_s = NAN};

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
                                     .gang = watch->gang  ? watch->gang
                                             : alone.port ? &alone
                                                          : NULL};
    plan_settings(self->plan, t.trial.where.config, &settings);
    t.trial.key = settings_key(&settings, self->plan->sweep->swept, self->digest,
                               t.trial.where.replicate, t.trial.where.fold, &self->text);
    log_tail_clear(&self->log);
    log_tail_clear(&self->errors);
    run_trial(r, &t);
    if (r->state == TRIAL_FAILED || (r->state == TRIAL_PENDING && *r->error))
        note_rank(&t);
    if ((r->state != TRIAL_PENDING || *r->error) && take_log(r, &self->log))
        fail(r, "out of memory for the log");
    program_report_release(&t.report);
    buf_release(&t.folder);
    buf_release(&t.scratch);
    buf_release(&t.results);
    buf_release(&t.checkpoint);
    buf_release(&t.curve);
    buf_release(&t.gpus);
    buf_release(&t.gpu_variables);
}

struct runner program_runner_interface(struct program_runner *self)
{
    return (struct runner){.run = run, .isolates = true, .self = self};
}
