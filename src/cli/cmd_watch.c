/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/batch.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/log.h"
#include "base/screen.h"
#include "base/terminal.h"
#include "cli/print/cli.h"
#include "report/watch.h"
#include "store/lock.h"
#include "store/store.h"

/* Reading takes at most a twentieth of a processor, so a huge file is read less often. */
#define READ_SHARE 20.0
/* Opening may ask a batch system whether the run is alive. After a slow answer the connection stays
 * open for a hundred times as long. */
#define SLOW_OPEN_S 0.5
#define OPEN_SHARE 100.0
/* The limit of a job may be extended. Its batch system serves all users. */
#define ASK_LIMIT_S 300.0
/* How long plain lines wait for a database that cannot be read. */
#define PATIENCE_S 60.0

struct watch_options {
    struct common_options common;
    double interval_s;
    bool once;
};

struct watch {
    const struct watch_options *o;
    struct store *store; /* NULL between two looks */
    double reopen_s;     /* by clock_system, as all below; 0: after each look */
    struct watch_facts facts;
    bool has_facts, has_ended;
    double ask_limit_s; /* when to ask again */
    double end_s;       /* of the time limit; NaN: none */
    int64_t asked_for;  /* session */
    struct err fault;   /* of the last look, if is_blind */
    bool is_blind;
};

/* ---- reading ---- */

static int open_store(struct watch *w, struct err *err)
{
    double begun_s = clock_now(&clock_system), cost_s;

    if (w->store && begun_s < w->reopen_s)
        return 0;
    store_close(w->store);
    w->store = NULL;
    if (store_open_reader(&w->store, w->o->common.db, err))
        return -1;
    cost_s = clock_now(&clock_system) - begun_s;
    w->reopen_s = cost_s > SLOW_OPEN_S ? begun_s + OPEN_SHARE * cost_s : 0;
    return 0;
}

/* --time-limit of a command line; NaN: none. */
static double time_limit_of(const char *command)
{
    static const char name[] = " --time-limit";
    const char *at = strstr(command, name);
    char word[DURATION_TEXT];
    double seconds;
    size_t n;

    if (!at || (at[strlen(name)] != ' ' && at[strlen(name)] != '='))
        return (double)NAN;
    at += strlen(name) + 1;
    n = strcspn(at, " ");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : 0), at);
    return duration_parse(&seconds, word, NULL) ? (double)NAN : seconds;
}

static void find_limit(struct watch *w)
{
    const struct progress_session *s = &w->facts.progress.session;
    struct batch_job job;

    if (!s->is_running)
        return;
    if (s->id != w->asked_for || clock_now(&clock_system) >= w->ask_limit_s) {
        double job_s = batch_job_parse(&job, s->job) ? batch_job_seconds_left(&job) : (double)NAN;

        /* fmin() ignores a NaN */
        w->end_s = clock_now(&clock_system) + fmin(job_s, time_limit_of(s->command) - s->seconds);
        w->asked_for = s->id;
        w->ask_limit_s = clock_now(&clock_system) + ASK_LIMIT_S;
    }
    w->facts.limit_s = w->end_s - clock_now(&clock_system);
}

/* Say more of a database that is gone. The run itself notices at its next commit
 * (store/database_file.h). */
static void explain_missing(struct watch *w)
{
    const char *db = w->o->common.db;
    struct buf saved = {0};
    struct stat st;

    if (!lstat(db, &st) || errno != ENOENT)
        return;
    buf_printf(&saved, "%s.saved", db);
    if (!buf_failed(&saved) && !lstat(buf_text(&saved), &st))
        err_set(&w->fault, "%s: no such file any more; %s has what its run saved", db,
                buf_text(&saved));
    else if (w->has_facts)
        err_set(&w->fault, "%s: was removed or moved", db);
    buf_release(&saved);
}

/* Keep the old facts if it fails. */
static int look(struct watch *w)
{
    struct watch_facts facts = {0}, *before = w->has_facts ? &w->facts : NULL;
    bool was_running = w->has_facts && w->facts.progress.session.is_running;

    w->is_blind = open_store(w, &w->fault) ||
                  watch_read(&facts, w->store, w->o->common.sweep, before, &w->fault);
    if (w->is_blind) {
        explain_missing(w);
        watch_release(&facts);
    } else {
        watch_release(&w->facts);
        w->facts = facts;
        w->has_facts = true;
        w->has_ended = !facts.progress.session.is_running && (w->has_ended || was_running);
    }
    /* An open connection may keep the end of the run from folding its log into the file. */
    if (w->reopen_s <= clock_now(&clock_system) || w->is_blind ||
        !w->facts.progress.session.is_running) {
        store_close(w->store);
        w->store = NULL;
    }
    if (!w->is_blind)
        find_limit(w);
    return w->is_blind ? -1 : 0;
}

/* A run that has just begun writes its sweep after it has read its data. A person may start watching
 * before the run. */
static bool can_wait(const struct watch *w)
{
    struct lock_holder holder;
    struct stat st;

    if (w->o->once)
        return false;
    return (!w->has_facts && lock_is_held(w->o->common.db, &holder)) ||
           (terminal_has_sequences(STDOUT_FILENO) &&
            (lstat(w->o->common.db, &st) ? errno == ENOENT : S_ISREG(st.st_mode) && !st.st_size));
}

/* ---- the view ---- */

static struct watch_style style_of(int rows, int columns, const char *note)
{
    return (struct watch_style){
        .rows = rows,
        .columns = columns,
        .is_utf8 = terminal_is_utf8(),
        .bold = terminal_style(STDOUT_FILENO, TERMINAL_HEADING),
        .plain = terminal_style(STDOUT_FILENO, TERMINAL_PLAIN),
        .error = terminal_style(STDOUT_FILENO, TERMINAL_ERROR),
        .warning = terminal_style(STDOUT_FILENO, TERMINAL_WARNING),
        .note = note,
    };
}

/* Some terminals wrap as soon as the last column is written. */
static void draw(const struct watch *w)
{
    int columns = terminal_width(STDOUT_FILENO) - 1;
    const char *db = w->o->common.db;
    struct buf note = {0}, out = {0};
    struct watch_style style;

    if (w->is_blind && !w->has_facts)
        buf_printf(&note, "%s: waiting for a run to begin", db);
    else if (w->is_blind)
        buf_puts(&note, w->fault.text);
    else if (w->has_ended)
        buf_printf(&note, "%s: the run has ended: %s", db, w->facts.progress.session.outcome);
    else
        buf_puts(&note, db);
    buf_puts(&note, "  (q quits)");
    style = style_of(terminal_height(STDOUT_FILENO), columns > 0 ? columns : 1, buf_text(&note));
    watch_frame(&out, &w->facts, &style);
    screen_draw(&out);
    buf_release(&out);
    buf_release(&note);
}

/* Return the seconds until the next look. */
static double look_again(struct watch *w)
{
    double begun_s = clock_now(&clock_thread);

    look(w);
    return fmax(w->o->interval_s, READ_SHARE * (clock_now(&clock_thread) - begun_s));
}

static int watch_live(struct watch *w)
{
    double next_s;
    int number;

    screen_open();
    draw(w);
    next_s = clock_now(&clock_system) + w->o->interval_s;
    for (;;) {
        char key = '\0';
        enum screen_event event = screen_wait(&key, fmax(next_s - clock_now(&clock_system), 0));

        if (event == SCREEN_STOPPED || (event == SCREEN_KEY && tolower((unsigned char)key) == 'q'))
            break;
        if (clock_now(&clock_system) >= next_s)
            next_s = clock_now(&clock_system) + look_again(w);
        else if (event == SCREEN_TIME)
            continue;
        draw(w);
    }
    number = screen_signal();
    screen_close();
    if (number)
        raise(number);
    return EXIT_OK;
}

/* ---- plain lines ---- */

static int watch_plainly(struct watch *w)
{
    double blind_since_s = (double)NAN, wait_s = w->o->interval_s;
    struct err err;

    for (;;) {
        double begun_s = clock_now(&clock_system);

        if (!w->is_blind) {
            struct buf out = {0};
            int rc;

            blind_since_s = (double)NAN;
            watch_line(&out, &w->facts);
            rc = cli_print(&out, CLI_STYLED, &err);
            buf_release(&out);
            if (rc)
                return cli_fail(&err);
            if (!w->facts.progress.session.is_running)
                return EXIT_OK;
        } else if (isnan(blind_since_s)) {
            blind_since_s = begun_s;
            log_warn("%s: trying again", w->fault.text);
        } else if (begun_s - blind_since_s > PATIENCE_S && !can_wait(w)) {
            return cli_fail(&w->fault);
        }
        clock_sleep(wait_s);
        wait_s = look_again(w);
    }
}

static int watch(struct call *call)
{
    const struct watch_options *o = call->options;
    struct watch w = {.o = o, .end_s = (double)NAN};
    struct watch_style style;
    struct buf out = {0};
    int status;

    cli_log_database(o->common.db);
    if (look(&w) && !can_wait(&w)) {
        status = cli_fail(&w.fault);
    } else if (o->once) {
        style = style_of(0, terminal_width(STDOUT_FILENO), NULL);
        watch_frame(&out, &w.facts, &style);
        status = cli_answer(&out);
    } else {
        status = terminal_has_sequences(STDOUT_FILENO) ? watch_live(&w) : watch_plainly(&w);
    }
    store_close(w.store);
    watch_release(&w.facts);
    return status;
}

static const struct option_row options[] = {
    {0, "sweep", "NAME", OPTION_TEXT, VALUE_SWEEP, offsetof(struct common_options, sweep),
     .help = "Show this sweep.", .shown = "the last one that ran"},
    {0, "interval", "TIME", OPTION_DURATION, .into = offsetof(struct watch_options, interval_s),
     .help = "Look at the database once in TIME.", .default_text = "2s", .min = 1, .max = 86400},
    {0, "once", NULL, OPTION_FLAG, .into = offsetof(struct watch_options, once),
     .help = "Print the whole view once, and exit."},
    {0},
};

const struct command command_watch = {
    .name = "watch",
    .group = GROUP_RUN,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Watch a sweep while it runs.",
    .about = "Shows progress, the time left, the best configurations, what each rank does, and "
             "why trials failed. q quits. Where stdout is no terminal, it prints a line each "
             "interval until the run ends. The database is not changed.",
    .examples = {{"espalier watch", "Watch the run that writes results.db."},
                 {"espalier watch --once big.db", "Print the present state of another database."},
                 {"espalier watch --interval 1m >>log",
                  "Write a line each minute until the run ends."}},
    .see = "status, best, run",
    .options = options,
    .common = COMMON_DB,
    .options_size = sizeof(struct watch_options),
    .run = watch,
};
