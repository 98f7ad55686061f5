/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_verdict.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"

/* An end by a signal may be the batch system's, which then stops this rank, too; a failure in a gang
 * may be due to a member that was killed, which reports at once. */
#define NEWS_S 1.0
/* Rank 0 has ended with 75, perhaps because another process failed and its connection was lost. The
 * failure must come first, also one that has begun to wait for NEWS_S. */
#define FAILURE_S (1.5 * NEWS_S)
/* Attempts that may exit with 75 unasked; more would be an endless loop. Those that change nothing
 * show one earlier. */
#define MOST_RESTARTS 1000
#define MOST_IDLE 3
#define EXIT_SIGPIPE 141 /* of a shell */

static void fail(struct program_verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void fail(struct program_verdict *v, const char *format, ...)
{
    char text[sizeof v->reason.text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(&v->reason, "%s", text);
    v->kind = VERDICT_FAILED;
}

/* True if the verdict must wait for the caller, or is BACK. */
static bool depends_on_news(struct program_verdict *v, const struct program_facts *f,
                            double seconds)
{
    v->kind = f->is_wanted ? VERDICT_BACK : VERDICT_WAIT;
    return f->is_wanted || f->waited_s < seconds;
}

/* Another member of the gang may be the cause of a failure: it was killed. Rank 0 that has ended with
 * 75 waits for this failure instead. */
static bool depends_on_others(struct program_verdict *v, const struct program_facts *f)
{
    return f->size > 1 && f->first_status != PROGRAM_EXIT_RESUME && depends_on_news(v, f, NEWS_S);
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

static void judge_signal(struct program_verdict *v, const struct program_facts *f, int number)
{
    const char *colon = *f->words ? ": " : "";
    int32_t n_kills = f->n_kills + (number == SIGKILL);
    char often[48] = "";

    if (number == SIGKILL && f->size > 1) {
        /* Processes that have met cannot take in one that starts again. */
        fail(v, "rank %d of the gang: ended by signal %d (%s)%s%s", (int)f->rank, number,
             strsignal(number), colon, f->words);
        v->kind = VERDICT_APART;
        return;
    }
    if (is_crash(number) ? depends_on_others(v, f) : depends_on_news(v, f, NEWS_S))
        return;
    if (number == SIGKILL && n_kills < f->crash_limit) {
        v->kind = VERDICT_KILLED;
        return;
    }
    if (n_kills > 1)
        snprintf(often, sizeof often, " in %d attempts (crash_limit)", n_kills);
    fail(v, "ended by signal %d (%s)%s%s%s", number, strsignal(number), often, colon, f->words);
}

/* Rank 0 writes the checkpoint, perhaps after the other members have ended. */
static void judge_resume_of_other(struct program_verdict *v, const struct program_facts *f)
{
    char limit[DURATION_TEXT];

    if (f->is_wanted)
        v->kind = VERDICT_BACK;
    else if (f->first_status == EXIT_SUCCESS)
        fail(v, "exit status 75 (start again), but rank 0 has ended with 0");
    else if (f->waited_s < f->stop_grace_s + FAILURE_S)
        v->kind = VERDICT_WAIT;
    else
        fail(v, "exit status 75 (start again), but rank 0 did not end within stop_grace = %s",
             duration_words(limit, f->stop_grace_s));
}

static void judge_resume(struct program_verdict *v, const struct program_facts *f)
{
    if (f->size > 1 && depends_on_news(v, f, FAILURE_S))
        return;
    if (!f->has_checkpoint) {
        fail(v, "exit status 75 means a checkpoint in ESPALIER_CHECKPOINT, and none is there");
        return;
    }
    v->n_idle = f->has_progress ? 0 : f->n_idle + 1;
    if (v->n_idle >= MOST_IDLE)
        fail(v,
             "exited with 75 again and again without progress: %d attempts changed nothing in "
             "ESPALIER_CHECKPOINT and reported no new epoch",
             MOST_IDLE);
    else if (f->n_restarts >= MOST_RESTARTS)
        fail(v, "exited with 75 for %d times without an end", MOST_RESTARTS);
    else /* A gang starts again as a whole, by the caller. */
        v->kind = f->size > 1 || f->is_wanted ? VERDICT_BACK : VERDICT_AGAIN;
}

static void judge_exit(struct program_verdict *v, const struct program_facts *f)
{
    int status = f->end.status;
    bool is_cut = status == EXIT_SIGPIPE && f->is_shell;

    if (status == EXIT_SUCCESS && !*f->useless)
        v->kind = VERDICT_RESULT;
    else if (f->is_stopped) /* it may end in good order without results because it was asked to */
        v->kind = VERDICT_BACK;
    else if (status == EXIT_SUCCESS)
        fail(v, "%s", f->useless);
    else if (status == PROGRAM_EXIT_RESUME && f->rank > 0)
        judge_resume_of_other(v, f);
    else if (status == PROGRAM_EXIT_RESUME)
        judge_resume(v, f);
    else if (!depends_on_others(v, f))
        fail(v, "exit status %d%s%s%s", status,
             is_cut ? " (SIGPIPE: what is behind a pipe, such as head, stopped reading)" : "",
             *f->words ? ": " : "", f->words);
}

struct program_verdict program_verdict(const struct program_facts *f)
{
    struct program_verdict v = {.kind = VERDICT_BACK, .n_idle = f->n_idle};
    bool is_success = f->end.how == SPAWNER_EXITED && f->end.status == EXIT_SUCCESS;
    char limit[DURATION_TEXT];

    if (f->is_lost && !f->is_late)
        return v;
    if (f->end.how == SPAWNER_EXITED && (!f->is_late || is_success))
        judge_exit(&v, f);
    else if (f->is_stopped)
        return v;
    else if (f->is_late)
        fail(&v, "ran longer than trial_timeout = %s%s", duration_words(limit, f->trial_timeout_s),
             f->is_continued ? ", with earlier attempts" : "");
    else if (f->end.how == SPAWNER_SIGNALLED)
        judge_signal(&v, f, f->end.status);
    else if (f->end.how == SPAWNER_LOST)
        judge_signal(&v, f, SIGKILL);
    else
        fail(&v, "%s", f->end.why.text);
    if (v.kind == VERDICT_FAILED && f->is_disk_full)
        v.kind = VERDICT_FULL;
    return v;
}
