/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of a session's counters of messages and time. Rows of QUERY_TABLE
 * (store/query/query.h). */
#ifndef STORE_QUERY_PROFILE_QUERIES_H
#define STORE_QUERY_PROFILE_QUERIES_H

#include "store/sql.h"

/* Counters of the session ?1: t has the rows, w the seconds and ranks of the session. */
#define SQL_TRAINS "activity IN ('compute', 'idle')"
#define SQL_TRAFFIC                                                                 \
    "t AS MATERIALIZED (SELECT * FROM traffic WHERE session_id = ?1),"              \
    " w AS MATERIALIZED (SELECT nullif((SELECT sum(seconds) FROM t WHERE rank = 0"  \
    " AND NOT " SQL_TRAINS "), 0) AS whole, nullif(ranks, 0) AS ranks FROM session" \
    " WHERE session_id = ?1) "
#define SQL_ACTIVITY_SHARE(name)                                                           \
    " coalesce(round(100 * sum(seconds) FILTER (WHERE activity = '" name "') / whole, 1)," \
    " 0.0) AS \"" name "\""
#define SQL_ACTIVITY_ORDER \
    "instr('compute idle start store commit schedule send receive poll wait', activity)"

/* clang-format off */
#define QUERY_PROFILE_TABLE(X) \
    X(PROFILE, /* of a session; 0: the last one that ran trials, else the last one. counted: ranks \
                  with counters. seconds: all that rank 0 counted, which is the session up to its \
                  last counters */ \
      "session:i outcome:s command:s ranks:i counted:i seconds:R messages:i bytes:i", \
      "WITH s AS (SELECT * FROM session WHERE session_id = iif(?1, ?1, coalesce(" \
      "(SELECT max(session_id) FROM traffic WHERE activity = 'compute')," \
      " (SELECT max(session_id) FROM session))))" \
      "SELECT session_id AS session, outcome, command, ranks," \
      " (SELECT count(DISTINCT rank) FROM traffic AS t WHERE t.session_id = s.session_id) AS counted," \
      " (SELECT sum(seconds) FROM traffic AS t WHERE t.session_id = s.session_id" \
      " AND rank = 0 AND NOT " SQL_TRAINS ") AS seconds," \
      " (SELECT coalesce(sum(calls), 0) FROM traffic AS t WHERE t.session_id = s.session_id" \
      " AND activity = 'send') AS messages," \
      " (SELECT coalesce(sum(bytes), 0) FROM traffic AS t WHERE t.session_id = s.session_id" \
      " AND activity = 'send') AS bytes FROM s") \
    X(PROFILE_ACTIVITIES, "", /* of a session, like the next three: all its ranks together */ \
      "WITH " SQL_TRAFFIC "SELECT iif(" SQL_TRAINS ", 'worker', 'main') AS thread, activity," \
      " sum(calls) AS calls, nullif(sum(bytes), 0) AS bytes, sum(seconds) AS seconds," \
      " round(100 * sum(seconds) / (whole * ranks), 1) AS percent FROM t, w GROUP BY activity" \
      " ORDER BY thread DESC, " SQL_ACTIVITY_ORDER) \
    X(PROFILE_RANKS, "", /* percent of the session */ \
      "WITH " SQL_TRAFFIC "SELECT rank, host, coalesce(sum(calls)" \
      " FILTER (WHERE activity = 'compute'), 0) AS trials," \
      SQL_ACTIVITY_SHARE("compute") "," SQL_ACTIVITY_SHARE("idle") "," SQL_ACTIVITY_SHARE("start") "," \
      SQL_ACTIVITY_SHARE("store") "," SQL_ACTIVITY_SHARE("commit") "," SQL_ACTIVITY_SHARE("schedule") "," \
      SQL_ACTIVITY_SHARE("send") "," SQL_ACTIVITY_SHARE("receive") "," SQL_ACTIVITY_SHARE("poll") "," \
      SQL_ACTIVITY_SHARE("wait") \
      " FROM t, w GROUP BY rank ORDER BY rank") \
    X(PROFILE_SIZES, "", \
      "WITH " SQL_TRAFFIC "SELECT activity, size AS up_to, sum(calls) AS calls," \
      " sum(bytes) AS bytes, sum(seconds) AS seconds, 1e6 * sum(seconds) / sum(calls) AS mean_us" \
      " FROM t WHERE size > 0 GROUP BY activity, size ORDER BY activity DESC, size") \
    X(PROFILE_COUNTERS, "", \
      "WITH " SQL_TRAFFIC "SELECT rank, host, activity, size, calls, bytes, seconds," \
      " round(100 * seconds / whole, 1) AS percent FROM t, w" \
      " ORDER BY rank, " SQL_ACTIVITY_ORDER ", size")
/* clang-format on */

#endif
