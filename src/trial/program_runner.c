/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_runner.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "program/attempt_file.h"
#include "program/folder.h"
#include "program/output_pipe.h"
#include "program/port.h"
#include "trial/program_result.h"
#include "trial/running.h"

/* Rank 0 of a gang starts earlier by this: it listens on MASTER_PORT, and PyTorch waits a second if
 * nobody listens yet. Measured: 3 of 12 pairs waited without it, 5 with 50 ms, none with 100 ms. */
#define HEAD_START_MS 100

/* Seconds between reports of a running program, and more for each epoch of its curve. */
#define REPORT_S 2.0
#define REPORT_EPOCH_S 0.01
/* And this much of the time that reading a long file of results takes. */
#define REPORT_COST 50

/* Seconds after a kill until the spawner, and then the keeper, is killed if the end of the program was not
 * reported. The memory of large processes takes seconds to free, and that of GPUs longer. */
#define FORCE_S 5.0
#define FORCE_KEEPER_S 60.0

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

bool running_is_first(const struct running *t)
{
    return !t->trial.gang || !t->trial.gang->rank;
}

bool running_has_others(const struct running *t)
{
    return t->trial.gang && t->trial.gang->size > 1;
}

void running_note(struct running *t, const char *format, ...)
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

double running_spent_s(const struct running *t)
{
    return t->earlier_s + clock_now(t->self->clock) - t->begun_s;
}

/* ---- an attempt ---- */

/* Every later trial would fail here. */
static bool note_if_lost(struct program_runner *self, const struct err *why)
{
    bool is_lost = spawner_is_lost(self->place->spawner);

    if (is_lost)
        self->unable = *why;
    return is_lost;
}

/* The disk may be why a trial failed, and later ones would fail here, too. */
static bool is_out_of_room(struct running *t)
{
    bool is_full = running_is_disk_full(t);

    if (is_full)
        err_set(&t->self->unable, "%s: the disk or a quota is full: make room (df, quota)",
                t->self->place->files);
    return is_full;
}

/* AGAIN: it runs. Otherwise what becomes of the trial, or OVER and err. */
static enum verdict start(struct running *t, struct err *err)
{
    struct program_runner *self = t->self;
    struct template_words argv = {0}, env = {0};
    enum verdict verdict = VERDICT_AGAIN;
    int out = -1, error = -1;

    if (program_command_argv(&argv, &self->command, &t->trial, err) ||
        program_command_env(&env, &self->command, &t->trial, err)) {
        verdict = VERDICT_OVER;
    } else if (output_pipe_open(&t->out, &out, err) || output_pipe_open(&t->error, &error, err)) {
        verdict = VERDICT_BACK;
    } else {
        const struct spawner_program program = {
            .words = (const char *const *)argv.word,
            .variables = (const char *const *)env.word,
            .folder = *self->plan->sweep->folder ? self->plan->sweep->folder : NULL,
            .output = out,
            .error = error,
            .memory_bytes = (int64_t)(t->s->v[P_MEMORY].f * 1e9)};

        if (spawner_run(self->place->spawner, &program, err))
            verdict = VERDICT_BACK;
    }
    if (verdict != VERDICT_AGAIN) {
        output_pipe_close(&t->out);
        output_pipe_close(&t->error);
    }
    output_pipe_close(&out);
    output_pipe_close(&error);
    template_words_release(&argv);
    template_words_release(&env);
    return verdict;
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
        output_pipe_close(end);
    if (n <= 0)
        return false;
    log_tail_add(&self->log, self->bytes, (size_t)n);
    if (is_error)
        log_tail_add(&self->errors, self->bytes, (size_t)n);
    if (captures(t->s) && is_error)
        program_report_add_stderr(&t->report, self->bytes, (size_t)n);
    else if (captures(t->s))
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

static void kill_program(struct running *t, double now_s)
{
    t->killed_s = now_s;
    spawner_kill(t->self->place->spawner);
}

/* A spawner that was stopped or hangs must not hold up the run. */
static void force_end(struct running *t, double now_s)
{
    static const double after_s[] = {FORCE_S, FORCE_KEEPER_S};

    if (t->n_forced < 2 && now_s - t->killed_s >= after_s[t->n_forced])
        spawner_force(t->self->place->spawner, t->n_forced++ > 0);
}

/* Report a longer curve more rarely: its rows in the database replace those of the report before. */
static void report_now_and_then(struct running *t)
{
    struct program_report so_far;
    struct trial_result r;
    double now_s = clock_now(t->self->clock);

    if (!t->watch->report || !running_is_first(t) || now_s < t->report_s)
        return;
    trial_result_init(&r, t->number);
    r.state = TRIAL_PENDING;
    if (!program_report_so_far(&so_far, &t->report, buf_text(&t->results)))
        program_result_take_failed(&r, &so_far, t->s->v[P_OBJECTIVE].s);
    if (r.n_curve + r.n_reported != t->n_sent)
        t->watch->report(t->watch->arg, &r);
    t->n_sent = r.n_curve + r.n_reported;
    t->report_s = now_s + REPORT_S + REPORT_EPOCH_S * r.n_curve +
                  REPORT_COST * (clock_now(t->self->clock) - now_s);
    trial_result_release(&r);
    program_report_release(&so_far);
}

/* Stop the program if it must not go on. */
static void control(struct running *t)
{
    double now_s = clock_now(t->self->clock), timeout_s = t->s->v[P_TRIAL_TIMEOUT].f;
    bool goes_on = t->watch->keep_going(t->watch->arg);

    if (!isnan(t->killed_s))
        force_end(t, now_s);
    if (isnan(t->asked_s)) {
        t->is_stopped = !goes_on;
        t->is_late = goes_on && timeout_s > 0 && running_spent_s(t) > timeout_s;
        if (t->is_stopped || t->is_late)
            ask_to_end(t, now_s);
    } else if (isnan(t->killed_s) && must_kill(t, now_s)) {
        kill_program(t, now_s);
    }
}

static void wait_for_end(struct spawner_end *end, struct running *t)
{
    struct spawner *spawner = t->self->place->spawner;

    while (!spawner_take(end, spawner)) {
        struct pollfd fds[] = {{.fd = spawner_fd(spawner), .events = POLLIN},
                               {.fd = t->out, .events = POLLIN},
                               {.fd = t->error, .events = POLLIN}};

        poll(fds, 3, RUNNING_LOOK_MS);
        drain(t, &t->out, false);
        drain(t, &t->error, true);
        log_file_refresh(&t->log_file, &t->self->log, clock_now(t->self->clock));
        if (running_is_first(t))
            time_file_refresh(&t->time_file, running_spent_s(t), clock_now(t->self->clock));
        report_now_and_then(t);
        control(t);
    }
    while (drain(t, &t->out, false))
        continue;
    while (drain(t, &t->error, true))
        continue;
    output_pipe_close(&t->out);
    output_pipe_close(&t->error);
}

/* The first member of a gang writes the number of the attempt for the others. */
static void count_attempt(struct running *t)
{
    if (running_is_first(t)) {
        t->trial.attempt++;
        return;
    }
    poll(NULL, 0, HEAD_START_MS);
    t->trial.attempt = attempt_file_read(buf_text(&t->folder)).n;
}

static enum verdict watch_to_end(struct trial_result *r, struct running *t)
{
    struct spawner_end end = {.how = SPAWNER_EXITED};
    enum verdict verdict;
    bool is_lost;

    FAULT("worker: a program runs");
    wait_for_end(&end, t);
    FAULT("worker: a program has ended");
    is_lost = note_if_lost(t->self, &end.why);
    t->n_unstarted = spawner_lacks_resources(&end) ? t->n_unstarted : 0;
    program_report_read(&t->report, buf_text(&t->results));
    program_report_end_attempt(&t->report,
                               end.how != SPAWNER_EXITED || end.status == RUNNING_EXIT_RESUME);
    if (folder_has_files(buf_text(&t->checkpoint)))
        running_save_progress(t);
    verdict = is_lost && !t->is_late ? VERDICT_BACK : running_judge(r, t, &end);
    if (verdict == VERDICT_AGAIN)
        running_save_attempt(t);
    FAULT("worker: a program was judged");
    return verdict;
}

static enum verdict attempt(struct trial_result *r, struct running *t)
{
    bool is_again = t->has_begun;
    enum verdict verdict;
    struct err err;

    t->has_begun = true;
    if (is_again && !folder_has_files(buf_text(&t->checkpoint)))
        t->earlier_s = t->begun_s - clock_now(t->self->clock);
    count_attempt(t);
    if (t->self->log.total && !t->n_unstarted)
        running_note(t, "the program starts again");
    t->started = clock_unix();
    verdict = running_make_files(t, &err) ? VERDICT_OVER : start(t, &err);
    if (verdict == VERDICT_OVER)
        running_fail(r, "%s", err.text);
    else if (verdict == VERDICT_BACK && !note_if_lost(t->self, &err))
        verdict = running_wait_for_resources(t, err.text);
    else if (verdict == VERDICT_AGAIN)
        verdict = watch_to_end(r, t);
    if (verdict == VERDICT_OVER && r->state == TRIAL_FAILED && is_out_of_room(t))
        verdict = VERDICT_BACK;
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
    if (!running_is_first(t))
        running_note(t, "this is the output of rank %d of the gang, which failed",
                     (int)t->trial.gang->rank);
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

static void run_trial(struct trial_result *r, struct running *t)
{
    enum verdict verdict = VERDICT_AGAIN;
    struct err err;

    if (running_name_paths(t, &err) || name_gpus(t, &err)) {
        running_fail(r, "%s", err.text);
        return;
    }
    t->time_file = time_file_begin(buf_text(&t->folder), t->begun_s);
    if (program_report_init(&t->report, t->s->v[P_OBJECTIVE].s,
                            t->s->v[P_DIRECTION].i == param_choice(P_DIRECTION, "max"),
                            captures(t->s), t->s->v[P_CAPTURE_PATTERN].s, &err) ||
        running_read_progress(t, &err)) {
        running_fail(r, "%s", err.text);
        return;
    }
    t->log_file =
        log_file_begin(buf_text(&t->folder), t->trial.gang ? t->trial.gang->rank : 0, t->begun_s);
    log_file_take(&t->self->log, &t->log_file);
    while (verdict == VERDICT_AGAIN)
        verdict = attempt(r, t);
    if ((r->state == TRIAL_FAILED || !running_has_others(t)) && running_is_first(t))
        program_result_take_failed(r, &t->report, t->s->v[P_OBJECTIVE].s);
    r->earlier_s = t->earlier_s;
    if (r->n_restarts)
        r->started = t->started;
    if (verdict != VERDICT_OVER)
        r->state = TRIAL_PENDING;
    if (verdict == VERDICT_BACK)
        *r->error = '\0';
    /* With a longer trial_timeout the trial can go on from its checkpoint. */
    r->drops_checkpoint = (verdict == VERDICT_OVER || verdict == VERDICT_APART) &&
                          !(t->is_late && r->state == TRIAL_FAILED) &&
                          (running_has_others(t) || folder_has_files(buf_text(&t->checkpoint)));
    running_remove_files(t, verdict == VERDICT_OVER, r->drops_checkpoint);
    if (running_is_first(t) && running_has_others(t) && verdict == VERDICT_OVER &&
        r->state != TRIAL_FAILED)
        running_save_end(t, EXIT_SUCCESS);
}

static void run(void *self_, struct trial_result *r, int64_t number,
                const struct trial_watch *watch)
{
    struct program_runner *self = self_;
    struct settings settings;
    struct running t = {.self = self,
                        .number = number,
                        .report_s = clock_now(self->clock) + REPORT_S,
                        .watch = watch,
                        .s = &settings,
                        .begun_s = clock_now(self->clock),
                        .out = -1,
                        .error = -1,
                        .asked_s = NAN,
                        .killed_s = NAN};

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
        running_fail(r, "out of memory for the log");
    program_report_release(&t.report);
    buf_release(&t.folder);
    buf_release(&t.scratch);
    buf_release(&t.results);
    buf_release(&t.checkpoint);
    buf_release(&t.curve);
    buf_release(&t.gpus);
    buf_release(&t.gpu_variables);
}

static const char *unable(const void *self)
{
    return ((const struct program_runner *)self)->unable.text;
}

struct runner program_runner_interface(struct program_runner *self)
{
    return (struct runner){.run = run, .isolates = true, .unable = unable, .self = self};
}
