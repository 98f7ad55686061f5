/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/words.h"
#include "program/folder.h"
#include "trial/kept.h"
#include "trial/program_files.h"
#include "trial/program_result.h"
#include "trial/running.h"

/* An end by a signal may be the batch system's, which then stops this rank, too; a failure in a gang
 * may be due to a member that was killed, which reports at once. */
#define NEWS_S 1.0
/* Rank 0 has ended with 75, perhaps because another process failed and its connection was lost. The
 * failure must come first, also one that has begun to wait for NEWS_S. */
#define FAILURE_S (1.5 * NEWS_S)
/* Attempts that may exit with 75 unasked; more would be an endless loop. Those that change nothing
 * show one earlier. */
#define MOST_RESTARTS 1000
#define EXIT_SIGPIPE 141 /* of a shell */
#define RESOURCES_S 1.0
enum { MOST_UNSTARTED = 10 };
#define MOST_IDLE 3

enum { WORDS = 180 }; /* bytes of the program's error message in a reason */

void running_fail(struct trial_result *r, const char *format, ...)
{
    char text[sizeof((struct err *)0)->text];
    va_list args;

    r->state = TRIAL_FAILED;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    escape_invalid(text); /* vsnprintf() cuts within characters */
    words_cut(r->error, sizeof r->error, text);
}

static const char *last_words(const struct running *t, char out[WORDS])
{
    log_tail_reason(out, WORDS, &t->self->errors, 0);
    return *out ? out : log_tail_reason(out, WORDS, &t->self->log, t->noted);
}

/* True if the caller stops the trial within so many seconds. */
static bool has_news(struct running *t, double seconds)
{
    double until_s = clock_now(t->self->clock) + seconds;

    while (clock_now(t->self->clock) < until_s) {
        if (!t->watch->keep_going(t->watch->arg))
            return true;
        clock_sleep(RUNNING_LOOK_MS * 1e-3);
    }
    return false;
}

/* True if another member of the gang may be the cause of a failure: it was killed. Rank 0 that has
 * ended with 75 waits for this failure instead. */
static bool is_due_to_others(struct running *t)
{
    return running_has_others(t) && !running_first_is_over(t, RUNNING_EXIT_RESUME) &&
           has_news(t, NEWS_S);
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

static void add_restart(struct trial_result *r, const struct running *t, bool was_killed)
{
    size_t n = (size_t)r->n_restarts + 1;
    struct trial_restart *restarts = realloc(r->restarts, n * sizeof *restarts);

    if (!restarts)
        return; /* the log tells of it */
    r->restarts = restarts;
    restarts[r->n_restarts++] = (struct trial_restart){t->started, clock_unix(), was_killed};
}

/* Processes that have met cannot take in one that starts again. */
static enum verdict take_apart(struct trial_result *r, struct running *t)
{
    char words[WORDS];

    last_words(t, words);
    running_fail(r, "rank %d of the gang: ended by signal %d (%s)%s%s", (int)t->trial.gang->rank,
                 SIGKILL, strsignal(SIGKILL), *words ? ": " : "", words);
    running_note(t, "the program was killed (SIGKILL)");
    return VERDICT_APART;
}

static enum verdict judge_signal(struct trial_result *r, struct running *t, int number)
{
    char words[WORDS], often[48] = "";

    if (number == SIGKILL && running_has_others(t))
        return take_apart(r, t);
    if (is_crash(number) ? is_due_to_others(t) : has_news(t, NEWS_S))
        return VERDICT_BACK;
    if (number == SIGKILL && ++t->n_kills < t->s->v[P_CRASH_LIMIT].i) {
        running_note(t, "the program was killed (SIGKILL)");
        add_restart(r, t, true);
        return VERDICT_AGAIN;
    }
    last_words(t, words);
    if (t->n_kills > 1)
        snprintf(often, sizeof often, " in %d attempts (crash_limit)", t->n_kills);
    running_fail(r, "ended by signal %d (%s)%s%s%s", number, strsignal(number), often,
                 *words ? ": " : "", words);
    return VERDICT_OVER;
}

static bool has_progress(struct running *t)
{
    struct running_progress now = running_progress(t);
    bool is_same = now.saved <= t->progress.saved && now.curve_bytes == t->progress.curve_bytes;

    t->progress = now;
    return !is_same;
}

/* Rank 0 writes the checkpoint, perhaps after the other members have ended. */
static enum verdict judge_resume_of_other(struct trial_result *r, struct running *t)
{
    double until_s = clock_now(t->self->clock) + t->s->v[P_STOP_GRACE].f + FAILURE_S;
    char limit[DURATION_TEXT];

    do {
        if (has_news(t, RUNNING_LOOK_MS * 1e-3))
            return VERDICT_BACK;
        if (running_first_is_over(t, EXIT_SUCCESS)) {
            running_fail(r, "exit status 75 (start again), but rank 0 has ended with 0");
            return VERDICT_OVER;
        }
    } while (clock_now(t->self->clock) < until_s);
    running_fail(r, "exit status 75 (start again), but rank 0 did not end within stop_grace = %s",
                 duration_words(limit, t->s->v[P_STOP_GRACE].f));
    return VERDICT_OVER;
}

static enum verdict judge_resume(struct trial_result *r, struct running *t)
{
    bool has_others = running_has_others(t);

    if (!running_is_first(t))
        return judge_resume_of_other(r, t);
    if (has_others) {
        running_save_end(t, RUNNING_EXIT_RESUME);
        if (has_news(t, FAILURE_S))
            return VERDICT_BACK;
    }
    if (!folder_has_files(buf_text(&t->checkpoint))) {
        running_fail(r,
                     "exit status 75 means a checkpoint in ESPALIER_CHECKPOINT, and none is there");
        return VERDICT_OVER;
    }
    t->n_idle = has_progress(t) ? 0 : t->n_idle + 1;
    if (t->n_idle >= MOST_IDLE) {
        running_fail(r,
                     "exited with 75 again and again without progress: %d attempts changed nothing "
                     "in ESPALIER_CHECKPOINT and reported no new epoch",
                     MOST_IDLE);
        return VERDICT_OVER;
    }
    t->n_restarts = has_others ? t->trial.attempt : t->n_restarts + 1;
    if (t->n_restarts >= MOST_RESTARTS) {
        running_fail(r, "exited with 75 for %d times without an end", MOST_RESTARTS);
        return VERDICT_OVER;
    }
    /* A gang starts again as a whole, by the caller. */
    if (has_others || !t->watch->keep_going(t->watch->arg))
        return VERDICT_BACK;
    add_restart(r, t, false);
    return VERDICT_AGAIN;
}

/* Prose on stdout may look like results, so too many names are no fault. */
static void note_dropped(struct running *t)
{
    if (*t->report.dropped.text)
        running_note(t, "%s", t->report.dropped.text);
}

/* Results of a program that was asked to stop may be those of a part of the training. */
static void note_asked(struct running *t, enum trial_state state)
{
    if (state != TRIAL_FAILED && !isnan(t->asked_s))
        running_note(t, "the program was asked to stop and ended with 0: its results count");
}

static void judge_results(struct trial_result *r, struct running *t)
{
    struct err err;

    if (!running_is_first(t)) {
        r->state = TRIAL_DONE; /* the first member reports */
        *r->error = '\0';
        return;
    }
    note_dropped(t);
    if (program_report_finish(&t->report)) {
        running_fail(r, "%s", t->report.reason.text);
    } else if (program_result_take(r, &t->report, t->s->v[P_OBJECTIVE].s, &err) ||
               (r->state == TRIAL_DONE && *t->s->v[P_KEEP_FILES].s && keep_of(t->s) != KEEP_NONE &&
                program_files_keep(r, &t->self->log, buf_text(&t->folder), buf_text(&t->scratch),
                                   t->s->v[P_KEEP_FILES].s, &err))) {
        running_fail(r, "%s", err.text);
    }
    note_asked(t, r->state);
}

static enum verdict judge_exit(struct trial_result *r, struct running *t, int status)
{
    char words[WORDS];
    bool is_cut;

    if (status == EXIT_SUCCESS) {
        judge_results(r, t);
        /* A program may end in good order without results because it was asked to stop. */
        return t->is_stopped && r->state == TRIAL_FAILED ? VERDICT_BACK : VERDICT_OVER;
    }
    if (t->is_stopped)
        return VERDICT_BACK;
    if (status == RUNNING_EXIT_RESUME && !t->is_late)
        return judge_resume(r, t);
    if (is_due_to_others(t))
        return VERDICT_BACK;
    last_words(t, words);
    is_cut = status == EXIT_SIGPIPE && t->s->v[P_SHELL].i == param_choice(P_SHELL, "yes");
    running_fail(r, "exit status %d%s%s%s", status,
                 is_cut ? " (SIGPIPE: what is behind a pipe, such as head, stopped reading)" : "",
                 *words ? ": " : "", words);
    return VERDICT_OVER;
}

enum verdict running_wait_for_resources(struct running *t, const char *why)
{
    t->trial.attempt--;
    if (++t->n_unstarted == 1)
        running_note(t, "%s; the start is tried again", why);
    if (t->n_unstarted == MOST_UNSTARTED) {
        err_set(&t->self->unable, "in %d s it could start no program: %s",
                (int)(MOST_UNSTARTED * RESOURCES_S), why);
        return VERDICT_BACK;
    }
    return has_news(t, RESOURCES_S) ? VERDICT_BACK : VERDICT_AGAIN;
}

enum verdict running_judge(struct trial_result *r, struct running *t, const struct spawner_end *end)
{
    char limit[DURATION_TEXT];

    r->peak_bytes = end->peak_bytes > r->peak_bytes ? end->peak_bytes : r->peak_bytes;
    if (spawner_lacks_resources(end))
        return running_wait_for_resources(t, end->why.text);
    if (end->how == SPAWNER_EXITED && (!t->is_late || end->status == EXIT_SUCCESS))
        return judge_exit(r, t, end->status);
    if (t->is_stopped)
        return VERDICT_BACK;
    if (t->is_late && t->earlier_s > 0)
        running_fail(r, "ran longer than trial_timeout = %s, with earlier attempts",
                     duration_words(limit, t->s->v[P_TRIAL_TIMEOUT].f));
    else if (t->is_late)
        running_fail(r, "ran longer than trial_timeout = %s",
                     duration_words(limit, t->s->v[P_TRIAL_TIMEOUT].f));
    else if (end->how == SPAWNER_SIGNALLED)
        return judge_signal(r, t, end->status);
    else if (end->how == SPAWNER_LOST)
        return judge_signal(r, t, SIGKILL);
    else
        running_fail(r, "%s", end->why.text);
    return VERDICT_OVER;
}
