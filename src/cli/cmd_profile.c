/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "base/duration.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "report/answer.h"
#include "store/query/query.h"

enum { SESSION, ACTIVITIES, RANKS, SIZES, COUNTERS };

static const struct answer_section sections[] = {
    [SESSION] = {"session", NULL, true, NULL, NULL},
    [ACTIVITIES] = {"activities", "both threads of all ranks together, percent of the session",
                    false, "thread activity seconds percent", NULL},
    [RANKS] = {"ranks", "each rank, percent of the session", false, "rank compute idle",
               "start poll schedule store host wait receive send trials commit"},
    [SIZES] = {"sizes", "messages by size in bytes", false, "activity up_to calls", NULL},
    [COUNTERS] = {"counters", "counters of each rank", false, "rank activity size calls seconds",
                  "percent host"},
};

struct profile_options {
    struct common_options common;
    const char *section;
    long session;
};

/* -1 and err: there is no such session, or it has no counters. */
static int check(const struct result_table *row, const struct profile_options *o, struct err *err)
{
    const char *db = o->common.db;

    if (!row->n_rows && o->session)
        return err_set(err, "%s: no session %ld in it", db, o->session);
    if (!row->n_rows)
        return err_set(err, "%s: no session in it: 'espalier run' records one", db);
    if (!result_table_integer(row, 0, "counted"))
        return err_set(err,
                       "%s: session %lld has no counters: it ended before its first commit, or an "
                       "earlier espalier ran it",
                       db, (long long)result_table_integer(row, 0, "session"));
    return 0;
}

static void print_session(struct answer *answer, const struct result_table *row)
{
    long long ranks = result_table_integer(row, 0, "ranks");
    long long counted = result_table_integer(row, 0, "counted");
    long long messages = result_table_integer(row, 0, "messages");
    char text[DURATION_TEXT], size[BYTES_TEXT];

    answer_printf(answer, "session %lld: %s, %lld rank%s, %s counted\n",
                  (long long)result_table_integer(row, 0, "session"),
                  result_table_text(row, 0, "outcome"), ranks, plural(ranks),
                  duration_words(text, result_table_real(row, 0, "seconds")));
    if (ranks == 1)
        answer_printf(answer, "one process: no messages were sent\n");
    else
        answer_printf(answer, "%lld message%s, %s\n", messages, plural(messages),
                      bytes_words(size, (double)result_table_integer(row, 0, "bytes")));
    if (counted < ranks)
        answer_printf(answer, "%lld of %lld ranks %s reported no counters\n", ranks - counted,
                      ranks, ranks - counted == 1 ? "has" : "have");
}

static int fill_sections(struct answer *answer, struct store *store, const struct result_table *row,
                         struct err *err)
{
    int64_t session = result_table_integer(row, 0, "session");
    bool is_whole = answer_is_for_people(answer) && !answer->style.section;

    if (is_whole)
        print_session(answer, row);
    else
        answer_table(answer, &sections[SESSION], row);
    if (output_query(answer, &sections[ACTIVITIES], store, QUERY_PROFILE_ACTIVITIES, session,
                     err) ||
        output_query(answer, &sections[RANKS], store, QUERY_PROFILE_RANKS, session, err) ||
        output_query(answer, &sections[SIZES], store, QUERY_PROFILE_SIZES, session, err))
        return -1;
    /* The sections above show the same in fewer lines. */
    return is_whole ? 0
                    : output_query(answer, &sections[COUNTERS], store, QUERY_PROFILE_COUNTERS,
                                   session, err);
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct profile_options *o = arg;
    struct result_table row;
    int rc;

    if (query_table(&row, store, QUERY_PROFILE, o->session, err))
        return -1;
    rc = check(&row, o, err) ? -1 : fill_sections(answer, store, &row, err);
    result_table_release(&row);
    return rc;
}

static int profile(struct call *call)
{
    const struct profile_options *o = call->options;

    return output_database(&o->common, o->section, OUTPUT_DOCUMENT, fill, o);
}

static const struct option_row options[] = {
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct profile_options, section),
     .help = "Print only this part of the answer. The part 'counters' has all counters of each "
             "rank.",
     .choices = "session|activities|ranks|sizes|counters"},
    {0, "session", "N", OPTION_INT, .into = offsetof(struct profile_options, session),
     .help = "Show session N.", .shown = "the last one that ran trials", .min = 1,
     .max = 2147483647},
    {0},
};

static const struct example examples[] = {
    {"espalier profile", "Show where the time of the last run in results.db went."},
    {"espalier profile big.db --session 2", "Show an earlier session of another database."},
    {"espalier profile --section counters --format csv > counters.csv",
     "Write all counters to a file."},
    {NULL, NULL},
};

const struct command command_profile = {
    .name = "profile",
    .group = GROUP_RUN,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Show where the time of a run went.",
    .about = "Shows the seconds that each rank spent in trials, without work, in messages and in "
             "the database, and counts the messages by size. It works during a run, too: counters "
             "are stored with commits. The database is not changed.",
    .examples = examples,
    .see = "status, run",
    .options = options,
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct profile_options),
    .run = profile,
};
