/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/words.h"
#include "cli/command/parse.h"
#include "cli/print/output.h"
#include "report/answer.h"
#include "store/query/query.h"
#include "store/session_check.h"

enum { SESSION, ACTIVITIES, RANKS, GANGS, SIZES, COUNTERS };

static const struct answer_section sections[] = {
    [SESSION] = {"session", NULL, true, NULL, NULL},
    [ACTIVITIES] = {"activities", "both threads of all ranks together, percent of the time counted",
                    false, "thread activity seconds percent", NULL},
    [RANKS] = {"ranks", "each rank, percent of its seconds", false, "rank compute idle",
               "start poll schedule store host wait receive send attempts commit seconds"},
    [GANGS] = {"gangs", "ranks that train together, percent of their seconds in trials", false,
               "rank trials_s sum share agree members", "host bytes calls"},
    [SIZES] = {"sizes", "messages and reductions by size in bytes", false, "activity up_to calls",
               NULL},
    [COUNTERS] = {"counters", "counters of each rank", false, "rank activity size calls seconds",
                  "percent host"},
};

struct profile_options {
    struct common_options common;
    long session;
};

/* ---- which session ---- */

/* The default passes over later sessions without counters, or without trials. */
static int choose_session(int64_t *session, struct store *store, const struct profile_options *o,
                          struct err *err)
{
    struct result_table row;
    int64_t last = 0;

    *session = o->session;
    if (o->session)
        return 0;
    if (query_table(&row, store, QUERY_PROFILE_DEFAULT, 0, err))
        return -1;
    if (row.n_rows) {
        *session = result_table_integer(&row, 0, "session");
        last = result_table_integer(&row, 0, "last");
    }
    if (last != *session)
        log_info("session %lld, the last one, %s: this is session %lld", (long long)last,
                 result_table_integer(&row, 0, "counters") ? "ran no trials" : "has no counters",
                 (long long)*session);
    result_table_release(&row);
    return 0;
}

/* -1 and err: there is no such session, or it has no counters, or they are damaged. */
static int check(const struct result_table *row, struct store *store,
                 const struct profile_options *o, struct err *err)
{
    const char *db = o->common.db;
    int64_t session;

    if (!row->n_rows && o->session)
        return err_set(err, "%s: no session %ld in it", db, o->session);
    if (!row->n_rows)
        return err_set(err, "%s: no session in it: 'espalier run' records one", db);
    session = result_table_integer(row, 0, "session");
    if (!result_table_integer(row, 0, "counted"))
        return err_set(err,
                       "%s: session %lld has no counters: it ended before its first commit, or an "
                       "earlier espalier ran it",
                       db, (long long)session);
    return query_check_traffic(store, session, err);
}

/* ---- the session in words ---- */

/* "2", "2, 5 to 9" of ascending ranks */
struct rank_list {
    struct buf text;
    int64_t n, first, last; /* of the run of ranks that is not in the text yet */
};

/* n = 0 ends the list. */
static void add_ranks(struct rank_list *list, int64_t first, int64_t n)
{
    if (list->n && (!n || first > list->last + 1)) {
        buf_printf(&list->text, "%s%lld", list->text.size ? ", " : "", (long long)list->first);
        if (list->last > list->first)
            buf_printf(&list->text, "%s%lld", list->last > list->first + 1 ? " to " : ", ",
                       (long long)list->last);
    }
    if (!list->n || first > list->last + 1)
        list->first = first;
    list->last = first + n - 1;
    list->n += n;
}

static int print_missing(struct answer *answer, struct store *store, int64_t session, int64_t ranks,
                         struct err *err)
{
    static const char *const what[] = {"reported no counters: not counted",
                                       "lost: counted up to the last report"};
    struct rank_list lists[2] = {{.n = 0}};
    struct result_table counted, lost;
    int64_t next = 0, l = 0;

    if (query_table(&counted, store, QUERY_PROFILE_RANKS, session, err))
        return -1;
    if (query_table(&lost, store, QUERY_PROFILE_LOST, session, err)) {
        result_table_release(&counted);
        return -1;
    }
    for (int64_t r = 0; r <= counted.n_rows; r++) {
        int64_t rank = r < counted.n_rows ? result_table_integer(&counted, r, "rank") : ranks;

        if (rank > next)
            add_ranks(&lists[0], next, rank - next);
        next = rank + 1;
        while (l < lost.n_rows && result_table_integer(&lost, l, "rank") < rank)
            l++;
        if (l < lost.n_rows && result_table_integer(&lost, l, "rank") == rank)
            add_ranks(&lists[1], rank, 1);
    }
    for (int i = 0; i < 2; i++) {
        add_ranks(&lists[i], 0, 0);
        if (lists[i].n)
            answer_printf(answer, "rank%s %s %s\n", plural(lists[i].n), buf_text(&lists[i].text),
                          what[i]);
        buf_release(&lists[i].text);
    }
    result_table_release(&lost);
    result_table_release(&counted);
    return 0;
}

static int print_session(struct answer *answer, struct store *store, const struct result_table *row,
                         struct err *err)
{
    int64_t session = result_table_integer(row, 0, "session");
    int64_t ranks = result_table_integer(row, 0, "ranks");
    long long sent = result_table_integer(row, 0, "messages");
    long long received = result_table_integer(row, 0, "received");
    char seconds[DURATION_TEXT], size[BYTES_TEXT];
    const char *why;
    enum session_life life = session_check_life(&why, store, session);
    bool has_why = *why && life != SESSION_LIFE_RUNNING;

    answer_printf(answer, "session %lld: %s%s%s%s, %lld rank%s, %s counted\n", (long long)session,
                  result_table_text(row, 0, "outcome"), has_why ? " (" : "", has_why ? why : "",
                  has_why ? ")" : "", (long long)ranks, plural(ranks),
                  duration_words(seconds, result_table_real(row, 0, "seconds")));
    bytes_words(size, (double)result_table_integer(row, 0, "bytes"));
    if (ranks == 1)
        answer_printf(answer, "one process: no messages were sent\n");
    else if (sent == received)
        answer_printf(answer, "%lld message%s, %s\n", sent, plural(sent), size);
    else
        answer_printf(answer,
                      "%lld message%s sent, %s; %lld received: the last counters of some ranks are "
                      "missing\n",
                      sent, plural(sent), size, received);
    return print_missing(answer, store, session, ranks, err);
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    static const enum query queries[] = {
        [ACTIVITIES] = QUERY_PROFILE_ACTIVITIES, [RANKS] = QUERY_PROFILE_RANKS,
        [GANGS] = QUERY_PROFILE_GANGS,           [SIZES] = QUERY_PROFILE_SIZES,
        [COUNTERS] = QUERY_PROFILE_COUNTERS,
    };
    bool is_whole = answer_is_for_people(answer) && !answer->style.section;
    const struct profile_options *o = arg;
    struct result_table row;
    int64_t session;
    int rc;

    if (choose_session(&session, store, o, err) ||
        query_table(&row, store, QUERY_PROFILE, session, err))
        return -1;
    rc = check(&row, store, o, err);
    if (!rc && is_whole)
        rc = print_session(answer, store, &row, err);
    else if (!rc)
        answer_table(answer, &sections[SESSION], &row);
    /* For people the other sections show the counters in fewer lines. */
    for (int i = ACTIVITIES; i <= COUNTERS - is_whole && !rc; i++) {
        struct result_table table;

        if (!answer_wants(answer, &sections[i]))
            continue;
        rc = query_table(&table, store, queries[i], session, err);
        if (!rc) {
            answer_table(answer, &sections[i], &table);
            result_table_release(&table);
        }
    }
    result_table_release(&row);
    return rc;
}

static int profile(struct call *call)
{
    return output_database(call->common, OUTPUT_DOCUMENT, fill, call->options);
}

static const struct option_row options[] = {
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct common_options, section),
     .help = "Print only this part of the answer. counters has all counters of each rank.",
     .choices = "session|activities|ranks|gangs|sizes|counters"},
    {0, "session", "N", OPTION_INT, .into = offsetof(struct profile_options, session),
     .help = "Show session N.", .shown = "the last one that ran trials", .min = 1,
     .max = 2147483647},
    {0},
};

const struct command command_profile = {
    .name = "profile",
    .group = GROUP_RUN,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Show where the time of a run went.",
    .about =
        "Shows the seconds that each rank spent in trials, without work, in messages and in "
        "the database, and counts the messages by size. It works during a run, too: counters "
        "are stored with commits. The database is not changed.\n\n"
        "One thread of each rank trains: compute is its time in trials, idle its time without "
        "one. The main thread does the rest: start prepares the session, store writes results "
        "into the open transaction, commit makes them durable, schedule hands out trials, "
        "send and receive are messages, poll looks for one and finds none, and wait sleeps.\n\n"
        "Ranks that train a model together, the members of a gang, spend a part of compute on "
        "each other. The table gangs shows it for each of them, in percent of trials_s, its "
        "seconds in trials: sum adds up what the workers computed, share passes rows on to all "
        "ranks, and agree compares their weights and decides whether to go on. members is the "
        "time in which the rank waited for the other members, at the beginning of a trial and in "
        "each sum, share and agree, which do not include it. A member that waits less than the "
        "others is the slow one.",
    .examples = {{"espalier profile", "Show where the time of the last run in results.db went."},
                 {"espalier profile big.db --session 2",
                  "Show an earlier session of another database."},
                 {"espalier profile --section counters --format csv > counters.csv",
                  "Write all counters to a file."}},
    .see = "status, run",
    .options = options,
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct profile_options),
    .run = profile,
};
