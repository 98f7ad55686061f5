/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of sessions, their ranks and their attempts. Rows of QUERY_TABLE
 * (store/query/query.h). */
#ifndef STORE_QUERY_SESSION_QUERIES_H
#define STORE_QUERY_SESSION_QUERIES_H

#include "store/sql.h"
#include "store/store.h"
#include "trial/result.h"

/* A column with the seconds of a phase of the trial `t`, and its type. */
#define SQL_PHASE(id, name)                                                                   \
    ", (SELECT p.seconds FROM timing AS p WHERE p.trial_id = t.trial_id AND p.phase = '" name \
    "') AS " name
#define SQL_PHASE_TYPE(id, name) " " name ":R"

/* clang-format off */
#define QUERY_SESSION_TABLE(X) \
    X(SESSIONS, "", /* newest first */ \
      "SELECT session_id AS session, outcome, datetime(started, 'unixepoch') AS started_utc," \
      " max(0.0, round(finished - started, 1)) AS seconds, ranks, host, coalesce(job, '') AS job, command" \
      " FROM session ORDER BY session_id DESC") \
    X(SESSION, /* the last one. seconds: until now if it is running, until the last result if it was \
                  lost */ \
      "session:i outcome:s job:s command:s host:s pid:i ranks:n started:r finished:R seconds:r", \
      "SELECT session_id AS session, outcome, coalesce(job, '') AS job, command, host, pid, ranks," \
      " started, finished, max(0.0, coalesce(finished, iif(outcome = 'running', " SQL_NOW "," \
      " (SELECT max(a.finished) FROM attempt AS a WHERE a.session_id = session.session_id))," \
      " started) - started) AS seconds FROM session ORDER BY session_id DESC LIMIT 1") \
    X(RUNNING, "", /* longest first */ \
      "SELECT trial_id AS trial, config_id AS config, rank, host," \
      " datetime(started, 'unixepoch') AS since_utc," \
      " max(0.0, round(" SQL_NOW " - started, 1)) AS seconds" \
      " FROM attempt JOIN trial USING (trial_id) WHERE outcome = 'running'" SQL_WITHOUT_RESULT \
      " ORDER BY started, trial_id") \
    X(CHECKPOINTS, "", /* of models and programs; a failed one continues with --retry failed */ \
      "SELECT trial, config, state, iif(is_file, program_epoch(trial), epoch) AS after_epoch, percent," \
      " iif(is_file, program_seconds(trial), seconds) AS seconds FROM (" \
      "SELECT trial_id AS trial, config_id AS config, t.state, epoch," \
      " round(100 * (1 - remaining), 1) AS percent, c.seconds, 0 AS is_file FROM checkpoint AS c" \
      " JOIN trial AS t USING (trial_id) UNION ALL" \
      " SELECT trial_id, config_id, state, NULL, NULL, NULL, 1 FROM json_each(program_checkpoints()) AS f" \
      " JOIN trial ON trial_id = f.value WHERE state IN ('pending', 'running', 'failed')" \
      " ORDER BY 1)") \
    X(KILLED, /* of the last session: attempts whose program was killed and started again */ \
      "attempts:i trials:i example:I", \
      "SELECT count(*) AS attempts, count(DISTINCT trial_id) AS trials, min(trial_id) AS example" \
      " FROM attempt WHERE session_id = (SELECT max(session_id) FROM session)" \
      " AND outcome = 'stopped' AND error IS NOT NULL" SQL_WITHOUT_RESULT \
      " HAVING count(*) > 0") \
    X(BROKEN, "", /* attempts that crashed their rank or were lost with their run, and those whose \
                     program was killed */ \
      "SELECT session_id AS session, outcome, count(*) AS attempts," \
      " group_concat(DISTINCT rank) AS ranks, host, min(trial_id) AS example," \
      " " SQL_ERROR " AS reason FROM attempt WHERE (outcome IN ('crashed', 'lost')" \
      " OR (outcome = 'stopped' AND error IS NOT NULL))" \
      SQL_WITHOUT_RESULT \
      " GROUP BY session_id, outcome, host, reason ORDER BY session_id DESC, count(*) DESC") \
    X(WORK, /* of a sweep: operations of the trials that the last session has run, and of those \
               that are left. NULL: unknown. */ \
      "done_flops:R left_flops:R", \
      "SELECT (SELECT sum(config.flops) FROM attempt CROSS JOIN trial USING (trial_id) CROSS JOIN config" \
      " USING (config_id) WHERE session_id = (SELECT max(session_id) FROM session)" \
      " AND outcome IN ('done', 'diverged', 'failed')) AS done_flops," \
      " (SELECT sum(config.flops) FROM trial CROSS JOIN config USING (config_id)" \
      " WHERE state IN ('pending', 'running') AND sweep_id = ?1) AS left_flops" \
      " FROM sweep WHERE sweep_id = ?1") \
    X(EFFICIENCY, /* of a session; 0: the last one; -1: each. Read by query_efficiency(). A row for \
                     each width of its attempts, including failed ones. No row if it was stopped \
                     early or lost a rank, since the wasted time is not recorded. good: attempts with \
                     a result */ \
      "session:i ranks:i width:i trials:i good:i all_s:r longest_s:r first:r last:r", \
      "WITH s AS (SELECT session_id, ranks FROM session" \
      " WHERE outcome NOT IN ('stopped', '" STORE_INPUTS_CHANGED "')" \
      " AND session_id = CASE ?1 WHEN -1 THEN session_id WHEN 0 THEN (SELECT max(session_id)" \
      " FROM session) ELSE ?1 END" \
      " AND NOT EXISTS (SELECT 1 FROM attempt AS x WHERE x.session_id = session.session_id" \
      " AND outcome = 'crashed'" SQL_WITHOUT_RESULT "))," \
      " a AS (SELECT session_id, ranks, started, finished, outcome, max(1, (SELECT count(*) FROM member" \
      " WHERE member.attempt_id = attempt.attempt_id)) AS width" \
      " FROM attempt JOIN s USING (session_id) WHERE finished IS NOT NULL)" \
      "SELECT session_id AS session, ranks, width, count(*) AS trials," \
      " sum(outcome IN ('done', 'diverged')) AS good, total(max(0.0, finished - started)) AS all_s," \
      " max(max(0.0, finished - started)) AS longest_s, min(started) AS first, max(finished) AS last" \
      " FROM a GROUP BY session_id, width ORDER BY session_id") \
    X(SWEEP_SESSIONS, /* that began trials of it, oldest first. busy: for the caller to fill */ \
      "session:i started:r finished:R outcome:s ranks:n host:s command:s version:s cpu:s" \
      " job:s", \
      "WITH a AS (SELECT DISTINCT session_id" \
      " FROM config CROSS JOIN trial USING (config_id) CROSS JOIN attempt USING (trial_id)" \
      " WHERE sweep_id = ?1)" \
      "SELECT session_id AS session, started, finished, outcome, ranks, host, command, version," \
      " coalesce(cpu, '') AS cpu, NULL AS busy, coalesce(job, '') AS job" \
      " FROM a JOIN session USING (session_id) ORDER BY session_id") \
    X(SWEEP_ATTEMPTS, /* a row for each rank of each, by start. Only 20,000: other ends than `done`, \
                         then the longest. place: counts the ranks of all sessions and hosts */ \
      "trial:i config:i session:i rank:n host:s started:r finished:R outcome:s attempts:i place:n", \
      "SELECT *, dense_rank() OVER (ORDER BY session, rank, host) - 1 AS place FROM (" \
      "SELECT *, count(*) OVER () AS attempts FROM (" \
      "SELECT trial_id AS trial, config_id AS config, coalesce(session_id, 0) AS session, rank," \
      " host, started, finished, outcome, attempt_id" \
      " FROM config CROSS JOIN trial USING (config_id) CROSS JOIN attempt USING (trial_id)" \
      " WHERE sweep_id = ?1 UNION ALL" \
      " SELECT trial_id, config_id, coalesce(session_id, 0), m.rank," \
      " m.host, started, finished, outcome, attempt_id" \
      " FROM member AS m CROSS JOIN attempt AS a USING (attempt_id) CROSS JOIN trial USING (trial_id)" \
      " CROSS JOIN config USING (config_id) WHERE sweep_id = ?1 AND m.rank <> a.rank)" \
      " ORDER BY outcome = 'done', finished - started DESC, attempt_id, rank LIMIT 20000)" \
      " ORDER BY started, trial, attempt_id, rank") \
    X(TRACE_SESSIONS, /* by begin; five columns of args, then: first, last: moments known of each */ \
      "ranks:n outcome:s host:s version:s command:s session:i started:r first:r last:r", \
      "SELECT s.ranks, s.outcome, s.host, s.version, s.command, s.session_id AS session, s.started," \
      " min(s.started, coalesce(a.first, s.started)) AS first," \
      " max(s.started, coalesce(a.last, s.started), coalesce(s.finished, s.started)) AS last" \
      " FROM session AS s LEFT JOIN (SELECT session_id, min(started) AS first," \
      " max(coalesce(finished, started)) AS last FROM attempt GROUP BY session_id) AS a" \
      " USING (session_id) ORDER BY s.started, s.session_id") \
    X(TRACE_ATTEMPTS, /* by place and begin; 16 columns of args, then: is_result: whether it gave the \
                         result, whose phases the file has; leads: whether the rank is that of the \
                         attempt. Each other rank has a row, without pid and result. */ \
      "trial:i config:i replicate:n fold:n attempt:i attempt_id:i session:I pid:I ranks:I leader:I" \
      " sweep:s outcome:s value:R waited_s:R error:S rank:n host:s started:r finished:R is_result:I" \
      " leads:i" TRIAL_PHASE_TABLE(SQL_PHASE_TYPE), \
      "WITH n AS MATERIALIZED (SELECT *, row_number() OVER t AS number, max(attempt_id) FILTER (WHERE" \
      " outcome IN ('done', 'diverged', 'failed')) OVER (PARTITION BY trial_id) AS last FROM attempt" \
      " WINDOW t AS (PARTITION BY trial_id ORDER BY attempt_id))," \
      " of AS MATERIALIZED (SELECT attempt_id, count(*) AS ranks FROM member GROUP BY attempt_id)" \
      "SELECT a.trial_id AS trial, t.config_id AS config, t.replicate, t.fold, a.number AS attempt," \
      " a.attempt_id, a.session_id AS session, a.pid, of.ranks, iif(of.ranks, leader, NULL) AS leader," \
      " sweep.name AS sweep, a.outcome, iif(a.attempt_id IS a.last, t.value, NULL) AS value," \
      " (SELECT w.seconds FROM timing AS w WHERE w.trial_id = t.trial_id AND w.phase = 'waiting'" \
      " AND a.attempt_id IS a.last) AS waited_s, substr(a.error, 1, 1000) AS error," \
      " iif(a.finished IS NULL, 'not recorded', NULL) AS end, a.rank, a.host, a.started, a.finished," \
      " a.attempt_id IS a.last AS is_result, a.rank = leader AS leads" TRIAL_PHASE_TABLE(SQL_PHASE) \
      " FROM (SELECT attempt_id, trial_id, session_id, rank, host, pid, started, finished, outcome," \
      " error, number, last, rank AS leader FROM n UNION ALL" \
      " SELECT attempt_id, trial_id, session_id, m.rank, m.host, NULL, started, finished, outcome," \
      " error, number, NULL, n.rank FROM n CROSS JOIN member AS m USING (attempt_id)" \
      " WHERE m.rank <> n.rank) AS a LEFT JOIN of USING (attempt_id)" \
      " JOIN trial AS t USING (trial_id) JOIN config USING (config_id)" \
      " JOIN sweep USING (sweep_id) ORDER BY a.host, a.rank, a.started, a.attempt_id") \
    X(TRACE_GANGS, /* of ranks that trained together with others; two columns of args, then counters: \
                      {"compute_s": 9, "sum": {"up to 256 bytes": {"calls": 1, ...}}} */ \
      "session:i host:s rank:n counters:s", \
      "SELECT session, host, rank, json_group_object(name, json(value)) AS counters FROM" \
      " (SELECT session_id AS session, min(host) AS host, rank, activity || iif(size, '', '_s') AS name," \
      " iif(size, json_group_object(format('up to %d bytes', size), json_object('calls', calls + 0," \
      " 'bytes', bytes + 0, 'seconds', seconds + 0)), json_quote(max(seconds + 0))) AS value FROM" \
      " (SELECT * FROM traffic WHERE activity IN ('compute', 'sum', 'share', 'agree', 'members')" \
      " ORDER BY size) AS t WHERE EXISTS (SELECT 1 FROM traffic AS o WHERE o.session_id = t.session_id" \
      " AND o.rank = t.rank AND o.activity = 'members') GROUP BY session_id, rank, name" \
      " ORDER BY session_id, rank, instr('compute members sum share agree', activity))" \
      " GROUP BY session, rank ORDER BY session, rank")
/* clang-format on */

#endif
