/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of a session's counters of messages and time. Rows of QUERY_TABLE
 * (store/query/query.h). */
#ifndef STORE_QUERY_PROFILE_QUERIES_H
#define STORE_QUERY_PROFILE_QUERIES_H

#include "store/sql.h"

#define SQL_TRAINS "activity IN ('compute', 'idle', 'sum', 'share', 'agree', 'members')"

/* Counters of the session ?1: t has the rows, r for each rank the seconds for which it was counted.
 * total() instead of sum(): it cannot overflow. */
#define SQL_TRAFFIC                                                                        \
    "t AS MATERIALIZED (SELECT * FROM traffic WHERE session_id = ?1),"                     \
    " r AS MATERIALIZED (SELECT rank, nullif(total(seconds) FILTER (WHERE NOT " SQL_TRAINS \
    "), 0) AS whole FROM t GROUP BY rank) "
#define SQL_TOTAL(column) "CAST(total(" column ") AS INTEGER)"
#define SQL_ACTIVITY_SHARE(name)                                                             \
    " coalesce(round(100 * total(seconds) FILTER (WHERE activity = '" name "') / whole, 1)," \
    " 0.0) AS \"" name "\""
#define SQL_TRIALS_SHARE(name)                                             \
    " coalesce(round(100 * total(seconds) FILTER (WHERE activity = '" name \
    "') / nullif(total(seconds) FILTER (WHERE activity = 'compute'), 0), 1), 0.0) AS \"" name "\""
#define SQL_ACTIVITY_ORDER                                                                       \
    "instr('compute idle sum share agree members start store commit schedule send receive poll " \
    "wait', activity)"

/* clang-format off */
#define QUERY_PROFILE_TABLE(X) \
    X(PROFILE_DEFAULT, /* the last session that ran trials, else the last one with counters, else \
                          the last one. last: the last one, with `counters` or without */ \
      "session:I last:I counters:i", \
      "WITH s AS (SELECT session_id, EXISTS (SELECT 1 FROM traffic AS t" \
      " WHERE t.session_id = session.session_id) AS has," \
      " EXISTS (SELECT 1 FROM traffic AS t WHERE t.session_id = session.session_id" \
      " AND activity = 'compute') AS ran FROM session)" \
      "SELECT coalesce(max(session_id) FILTER (WHERE ran), max(session_id) FILTER (WHERE has)," \
      " max(session_id)) AS session, max(session_id) AS last, coalesce((SELECT has FROM s" \
      " ORDER BY session_id DESC LIMIT 1), 0) AS counters FROM s GROUP BY 'all'") \
    X(PROFILE, /* of a session, like the next five. counted: ranks with counters. seconds: the \
                  longest time for which a rank was counted. messages, bytes: sent */ \
      "session:i outcome:s command:s ranks:i counted:i seconds:R messages:i bytes:i received:i", \
      "WITH " SQL_TRAFFIC "SELECT session_id AS session, outcome, command, ranks," \
      " (SELECT count(*) FROM r) AS counted, (SELECT max(whole) FROM r) AS seconds," \
      " (SELECT " SQL_TOTAL("calls") " FROM t WHERE activity = 'send') AS messages," \
      " (SELECT " SQL_TOTAL("bytes") " FROM t WHERE activity = 'send') AS bytes," \
      " (SELECT " SQL_TOTAL("calls") " FROM t WHERE activity = 'receive') AS received" \
      " FROM session WHERE session_id = ?1") \
    X(PROFILE_LOST, /* ranks that were lost in a trial */ \
      "rank:n", \
      "SELECT DISTINCT rank FROM attempt WHERE session_id = ?1 AND outcome = 'crashed'" \
      SQL_WITHOUT_RESULT " ORDER BY rank") \
    X(PROFILE_ACTIVITIES, "", /* all ranks together */ \
      "WITH " SQL_TRAFFIC "SELECT iif(" SQL_TRAINS ", 'worker', 'main') AS thread, activity, " \
      SQL_TOTAL("calls") " AS calls, nullif(" SQL_TOTAL("bytes") ", 0) AS bytes," \
      " total(seconds) AS seconds," \
      " round(100 * total(seconds) / (SELECT sum(whole) FROM r), 1) AS percent" \
      " FROM t GROUP BY activity ORDER BY thread DESC, " SQL_ACTIVITY_ORDER) \
    X(PROFILE_RANKS, /* percent of `seconds`. An attempt is a call of `compute`. */ \
      "rank:n", \
      "WITH " SQL_TRAFFIC "SELECT rank, host, whole AS seconds, CAST(total(calls)" \
      " FILTER (WHERE activity = 'compute') AS INTEGER) AS attempts," \
      SQL_ACTIVITY_SHARE("compute") "," SQL_ACTIVITY_SHARE("idle") "," SQL_ACTIVITY_SHARE("start") "," \
      SQL_ACTIVITY_SHARE("store") "," SQL_ACTIVITY_SHARE("commit") "," SQL_ACTIVITY_SHARE("schedule") "," \
      SQL_ACTIVITY_SHARE("send") "," SQL_ACTIVITY_SHARE("receive") "," SQL_ACTIVITY_SHARE("poll") "," \
      SQL_ACTIVITY_SHARE("wait") \
      " FROM t JOIN r USING (rank) GROUP BY rank ORDER BY rank") \
    X(PROFILE_GANGS, /* ranks that trained together with others. Percent of `trials_s`, their \
                        seconds in attempts. */ \
      "rank:n", \
      "WITH t AS (SELECT * FROM traffic WHERE session_id = ?1)" \
      "SELECT rank, host, total(seconds) FILTER (WHERE activity = 'compute') AS trials_s," \
      " CAST(total(calls) FILTER (WHERE activity IN ('sum', 'share', 'agree')) AS INTEGER) AS calls," \
      " CAST(total(bytes) FILTER (WHERE activity IN ('sum', 'share', 'agree')) AS INTEGER) AS bytes," \
      SQL_TRIALS_SHARE("sum") "," SQL_TRIALS_SHARE("share") "," SQL_TRIALS_SHARE("agree") "," \
      SQL_TRIALS_SHARE("members") \
      " FROM t GROUP BY rank HAVING total(calls) FILTER (WHERE activity = 'members') > 0" \
      " ORDER BY rank") \
    X(PROFILE_SIZES, "", \
      "WITH " SQL_TRAFFIC "SELECT activity, size AS up_to, " SQL_TOTAL("calls") " AS calls, " \
      SQL_TOTAL("bytes") " AS bytes, total(seconds) AS seconds," \
      " 1e6 * total(seconds) / nullif(total(calls), 0) AS mean_us" \
      " FROM t WHERE size > 0 GROUP BY activity, size ORDER BY " SQL_ACTIVITY_ORDER ", size") \
    X(PROFILE_COUNTERS, "", /* percent of the rank's time */ \
      "WITH " SQL_TRAFFIC "SELECT rank, host, activity, size, calls, bytes, seconds," \
      " round(100 * seconds / whole, 1) AS percent FROM t JOIN r USING (rank)" \
      " ORDER BY rank, " SQL_ACTIVITY_ORDER ", size")
/* clang-format on */

#endif
