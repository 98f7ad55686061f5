/* SPDX-License-Identifier: BSD-3-Clause */
/* The queries of QUERY_TABLE (query.h). */
#ifndef STORE_QUERY_QUERIES_H
#define STORE_QUERY_QUERIES_H

#include "store/sql.h"
#include "store/store.h"
#include "trial/result.h"

/* ---- sweeps: plan, progress, scores, failures, facts of the data ---- */

#define SQL_STATES                                                        \
    "count(*) AS trials, count(*) FILTER (WHERE state = 'done') AS done," \
    " count(*) FILTER (WHERE state = 'diverged') AS diverged,"            \
    " count(*) FILTER (WHERE state = 'failed') AS failed,"                \
    " count(*) FILTER (WHERE state = 'running') AS running,"              \
    " count(*) FILTER (WHERE state = 'pending') AS pending,"              \
    " count(*) FILTER (WHERE state = 'held') AS held,"                    \
    " count(*) FILTER (WHERE state = 'stopped') AS stopped"

/* One pass through the index takes a quarter of the time for a million trials. */
#define SQL_SCORED                                                                         \
    "scored AS MATERIALIZED (SELECT config_id, count(value) AS trials, avg(value) AS mean" \
    " FROM trial WHERE state = 'done' GROUP BY config_id HAVING count(value) > 0)"

#define SQL_FAILURES(key)                                                              \
    "SELECT sweep.name AS sweep, state, count(*) AS trials, min(trial_id) AS example," \
    " " SQL_ERROR " AS reason FROM trial JOIN config USING (config_id)"                \
    " JOIN sweep USING (sweep_id) WHERE state IN ('diverged', 'failed')"               \
    " AND (?1 = 0 OR sweep_id = ?1) GROUP BY sweep_id, state, " key                    \
    " ORDER BY count(*) DESC, min(trial_id)"

/* ---- sessions, their ranks and their attempts ---- */

/* A column with the seconds of a phase of the trial `t`, and its type. */
#define SQL_PHASE(id, name)                                                                   \
    ", (SELECT p.seconds FROM timing AS p WHERE p.trial_id = t.trial_id AND p.phase = '" name \
    "') AS " name
#define SQL_PHASE_TYPE(id, name) " " name ":R"

/* ---- a session's counters of messages and time ---- */

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

/* ---- rows of tables that no trial repeats ---- */

/* A branch of CASE: the fault if the condition is false or NULL. */
#define SQL_UNLESS(condition, column, wanted)                                               \
    " WHEN (" condition ") IS NOT TRUE THEN '" column " = ' || coalesce(iif(typeof(" column \
    ") = 'text', quote(substr(" column ", 1, 40)), CAST(" column " AS TEXT)), "             \
    "'NULL') || ': must be " wanted "'"

/* More than any run counts: 30 years, and a petabyte. Sums over the ranks stay exact enough. */
#define SQL_COUNTED(column) SQL_UNLESS(column " BETWEEN 0 AND 1e15", column, "from 0 to 1e15")

/* An outcome of a sample in a column. */
#define SQL_OUTCOME(column)                                                               \
    SQL_UNLESS("task <> 'classification' OR typeof(" column ") = 'text'", column,         \
               "the name of a class")                                                     \
    SQL_UNLESS("task = 'classification' OR (typeof(" column ") <> 'text' AND abs(" column \
               " + 0.0) < 9e999)",                                                        \
               column, "a number")

/* True for NULL, and for a JSON object of numbers whose members satisfy a condition on j.value. */
#define SQL_OBJECT(column, member, whole)                                  \
    column " IS NULL OR (SELECT count(*) > 0 AND count(*) = count(j.key)"  \
           " FILTER (WHERE j.type IN ('integer', 'real')" member ")" whole \
           " FROM json_each(iif(json_valid(" column "), " column ", '{}')) AS j)"

#define SQL_OF_TRIAL SQL_UNLESS("state IS NOT NULL", "trial", "a trial of this file")
#define SQL_OF_DONE(what) SQL_UNLESS("state = 'done'", "state", "done, as of each trial with " what)

/* X(name, types, SQL). ?1 is an id, of the thing that the comment names. types: the columns that code
 * reads, each with its letter of db_check_row(); others are shown unchecked. */
/* clang-format off */
#define QUERY_TABLE(X) \
    /* ---- sweeps: plan, progress, scores, failures, facts of the data ---- */ \
    X(FILES, \
      "file:s ini:s", \
      "SELECT file, ini FROM sweep ORDER BY sweep_id") \
    X(SWEEP_NAMES, "", /* the last one run first */ \
      "SELECT name FROM sweep ORDER BY sweep_id DESC") \
    X(PROGRAM_SWEEPS, "", "SELECT sweep_id FROM sweep WHERE task = 'none'") \
    X(PROGRAM_METRICS, "metrics:i", \
      "SELECT metrics FROM (SELECT count(*) AS metrics FROM (SELECT DISTINCT m.split, m.name FROM sweep CROSS JOIN" \
      " config USING (sweep_id) CROSS JOIN trial USING (config_id) CROSS JOIN metric AS m USING" \
      " (trial_id) WHERE task = 'none')) WHERE metrics > 0") \
    X(SWEEPS, /* A single sweep needs no look at each trial. For several, this order groups the \
                 rows: four times as fast. */ \
      "sweep:s configs:i trials:i done:i diverged:i failed:i running:i pending:i" \
      " held:i stopped:i", \
      "SELECT sweep.name AS sweep, (SELECT count(*) FROM config) AS configs, everything.trials AS trials," \
      " everything.trials - rest.trials AS done, diverged, failed, running, pending, held, stopped" \
      " FROM sweep, (SELECT count(*) AS trials FROM trial) AS everything," \
      " (SELECT " SQL_STATES " FROM trial WHERE state <> 'done') AS rest" \
      " WHERE " SQL_ONE_SWEEP " AND everything.trials > 0 UNION ALL" \
      " SELECT sweep.name, (SELECT count(*) FROM config AS c WHERE c.sweep_id = sweep.sweep_id), " \
      SQL_STATES \
      " FROM sweep CROSS JOIN config USING (sweep_id) CROSS JOIN trial USING (config_id)" \
      " WHERE NOT " SQL_ONE_SWEEP " GROUP BY sweep_id") \
    X(INCOMPLETE, /* sweeps with only a part of their trials in the file */ \
      "sweep:s trials:i planned:i", \
      "SELECT name AS sweep, iif(" SQL_ONE_SWEEP ", (SELECT count(*) FROM trial)," \
      " (SELECT count(*) FROM config JOIN trial USING (config_id)" \
      " WHERE config.sweep_id = sweep.sweep_id)) AS trials, planned FROM sweep" \
      " WHERE trials < planned AND sweep_id NOT IN (SELECT sweep_id FROM decision)" \
      " ORDER BY sweep_id") \
    X(BEST, /* of a sweep: first row of the leaderboard, if any, without comparisons */ \
      "config:i trials:i mean:R", \
      "WITH " SQL_SCORED " SELECT config_id AS config, trials, mean FROM scored JOIN config" \
      " USING (config_id) JOIN sweep USING (sweep_id) WHERE sweep_id = ?1" \
      " ORDER BY trials DESC, CASE direction WHEN 'max' THEN -mean ELSE mean END, config_id LIMIT 1") \
    X(HIDDEN, /* of a sweep: the best configuration that has a better mean than the first one of BEST, \
                 but fewer scores, and was not stopped by the search. most: scores of the first; own, replicates: replicates of both */ \
      "config:i mean:R trials:i most:i own:i replicates:i failed:i", \
      "WITH " SQL_SCORED ", r AS (SELECT config_id, trials, direction," \
      " CASE direction WHEN 'max' THEN -mean ELSE mean END AS loss, mean FROM scored JOIN config" \
      " USING (config_id) JOIN sweep USING (sweep_id) WHERE sweep_id = ?1)," \
      " top AS (SELECT * FROM r ORDER BY trials DESC, loss, config_id LIMIT 1)" \
      "SELECT r.config_id AS config, r.mean, r.trials, top.trials AS most," \
      " (SELECT count(DISTINCT replicate) FROM trial AS t WHERE t.config_id = r.config_id) AS own," \
      " (SELECT count(DISTINCT replicate) FROM trial AS t WHERE t.config_id = top.config_id)" \
      " AS replicates," \
      " (SELECT count(*) FROM trial AS t WHERE t.config_id = r.config_id AND state = 'failed')" \
      " AS failed FROM r, top WHERE r.trials < top.trials AND r.loss < top.loss" \
      " AND NOT EXISTS (SELECT 1 FROM trial AS t WHERE t.config_id = r.config_id AND state = 'stopped')" \
      " ORDER BY r.loss, r.config_id LIMIT 1") \
    X(PROGRESS, /* of a sweep; unfinished: trials that may still change its leaderboard; \
                 undefined: done trials without a value of the objective; missing: trials of \
                 other shards */ \
      "trials:i done:i failed:i diverged:i unfinished:i undefined:i missing:i", \
      "SELECT count(*) AS trials, max(0, coalesce((SELECT planned FROM sweep WHERE sweep_id = ?1" \
      " AND sweep_id NOT IN (SELECT sweep_id FROM decision)), 0)" \
      " - count(*)) AS missing, count(*) FILTER (WHERE state = 'done') AS done," \
      " count(*) FILTER (WHERE state = 'failed') AS failed," \
      " count(*) FILTER (WHERE state = 'diverged') AS diverged," \
      " count(*) FILTER (WHERE " SQL_UNFINISHED ") AS unfinished," \
      " count(*) FILTER (WHERE state = 'done' AND value IS NULL) AS undefined" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1 GROUP BY sweep_id") \
    X(SEARCH, /* of a sweep with decisions: configurations; decisions of the allocator; trials that are left now \
                 and that wait; epochs, also of trials that did not end; work that ran, of all work */ \
      "proposed:i stopped:i stages:i each:i replicates:i trials:i left:i held:i finished:i epochs:r" \
      " partial_epochs:r all_epochs:r spent:r work:r core_s:r", \
      "SELECT (SELECT count(*) FROM decision WHERE sweep_id = ?1 AND action = 'propose') AS proposed," \
      " (SELECT count(*) FROM decision WHERE sweep_id = ?1 AND action = 'stop') AS stopped," \
      " (SELECT count(DISTINCT step) FROM decision WHERE sweep_id = ?1 AND action <> 'propose') AS stages," \
      " max(1, count(*) / count(DISTINCT config_id)) AS each, count(DISTINCT replicate) AS replicates," \
      " count(*) AS trials, count(*) FILTER (WHERE state IN ('pending', 'running')) AS left," \
      " count(*) FILTER (WHERE state = 'held') AS held, sum(ended) AS finished, total(epochs_run) AS epochs," \
      " total(epochs_run) FILTER (WHERE NOT ended) AS partial_epochs, total(epochs) AS all_epochs," \
      " total(work * iif(ended, 1.0, min(1.0, coalesce(1.0 * epochs_run / epochs, 0.0)))) AS spent," \
      " total(work) AS work, total(core_s) AS core_s FROM (SELECT config_id, replicate, state, epochs_run," \
      " state IN ('done', 'diverged') OR state = 'failed' AS ended, params ->> 'epochs' AS epochs," \
      " coalesce(config.flops, 1.0) AS work, seconds * coalesce(params ->> 'ranks', 1) AS core_s" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1) HAVING count(*) > 0") \
    X(SEARCH_STOPS, /* of a sweep */ \
      "rung:i configs:i", \
      "SELECT coalesce(rung, 0) AS rung, count(*) AS configs FROM decision WHERE sweep_id = ?1" \
      " AND action = 'stop' GROUP BY rung ORDER BY rung") \
    X(REPEATS, /* of a sweep; is_corrected: intervals allow for training samples that parts share */ \
      "folds:i replicates:i is_corrected:i", \
      "SELECT count(DISTINCT fold) AS folds, count(DISTINCT replicate) AS replicates," \
      " EXISTS (SELECT 1 FROM config JOIN sweep USING (sweep_id) WHERE sweep_id = ?1" \
      " AND " SQL_SHARE " > 0) AS is_corrected" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1 GROUP BY sweep_id") \
    X(LEVELS, /* of a sweep: values of each axis, ascending; none if [search] propose chose them */ \
      "axis:s", \
      "SELECT axis.name AS axis, level.value FROM axis JOIN sweep USING (sweep_id)," \
      " json_each(axis.levels) AS level WHERE sweep_id = ?1 AND NOT instr(ini, char(10) || 'propose = ')" \
      " ORDER BY ordinal, axis.name, level.key") \
    X(TIED_AXES, /* id of a configuration: axes on which another value differs from it by at most two \
                    standard errors of the difference on the same folds (doc/decisions/0030) */ \
      "axis:s", \
      "WITH m AS MATERIALIZED (SELECT c.params, count(*) AS n, avg(o.value - t.value) AS d," \
      " sum((o.value - t.value) * (o.value - t.value)) AS dd, count(DISTINCT t.fold) AS folds" \
      " FROM trial AS o JOIN config AS b USING (config_id) JOIN config AS c USING (sweep_id)" \
      " JOIN trial AS t ON t.config_id = c.config_id AND t.replicate = o.replicate" \
      "  AND t.fold = o.fold WHERE o.config_id = ?1 AND o.state = 'done' AND t.state = 'done'" \
      "  AND o.value IS NOT NULL AND t.value IS NOT NULL GROUP BY c.config_id)" \
      "SELECT DISTINCT axis.name AS axis FROM config AS b JOIN m" \
      " JOIN axis ON axis.sweep_id = b.sweep_id WHERE b.config_id = ?1" \
      " AND m.params ->> axis.name <> b.params ->> axis.name" \
      " AND m.n = (SELECT count(value) FROM trial WHERE config_id = ?1 AND state = 'done')" \
      " AND d * d <= iif(n > 1, 4 * max(dd - n * d * d, 0) / (n - 1) *" \
      "  (1.0 / n + iif(folds > 1, 1.0 / (folds - 1), 0)), 0)") \
    X(METRIC_NAMES, /* of a sweep, without the test part, the objective first */ \
      "split:p name:s metric:s", \
      "SELECT DISTINCT m.split, m.name, iif(m.split = '', m.name, m.split || '_' || m.name) AS metric" \
      " FROM config JOIN trial USING (config_id) JOIN metric AS m USING (trial_id) WHERE sweep_id = ?1" \
      " AND m.split <> 'test' ORDER BY metric <> (SELECT objective FROM sweep WHERE sweep_id = ?1)," \
      " m.split DESC, m.name") \
    X(DONE, /* of a sweep, by configuration */ \
      "trial_id:i", \
      "SELECT trial_id FROM config JOIN trial USING (config_id)" \
      " WHERE sweep_id = ?1 AND state = 'done' ORDER BY config_id, trial_id") \
    X(DECISIONS, /* of a sweep, in the order in which they were made */ \
      "step:i config:i ordinal:i action:s rung:i value:R threshold:R", \
      "SELECT step, config_id AS config, ordinal, action, rung, value, threshold FROM decision" \
      " JOIN config USING (config_id) WHERE decision.sweep_id = ?1 ORDER BY step, ordinal") \
    X(RUNG_SCORES, /* of a sweep; rung 0: at the end; ended: it failed or diverged */ \
      "ordinal:i rung:i replicate:i fold:i value:R ended:i", \
      "SELECT ordinal, rung, replicate, fold, r.value, r.value IS NULL AS ended" \
      " FROM config JOIN trial USING (config_id) JOIN rung AS r USING (trial_id)" \
      " WHERE sweep_id = ?1 UNION ALL" \
      " SELECT ordinal, 0, replicate, fold, value, state <> 'done'" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1" \
      " AND (state IN ('done', 'diverged') OR state = 'failed') ORDER BY 1, 2, 3, 4") \
    X(DATA_FACTS, /* of a sweep */ \
      "topic:s ordinal:i name:s", \
      "SELECT topic, ordinal, name, value FROM data_fact WHERE sweep_id = ?1" \
      " ORDER BY topic, ordinal") \
    X(SWEEP_RECORD, /* id of a sweep, also below. share: n_val / n_train, of its first \
                       configuration */ \
      "direction:s task:s file:s ini:s data_digest:s samples:i features:i classes:i" \
      " parts:s created:r updated:r share:r", \
      "SELECT direction, task, file, ini, data_digest, samples, features, classes," \
      " coalesce(parts, '') AS parts, created, updated, coalesce((SELECT " SQL_SHARE " FROM config WHERE config.sweep_id =" \
      " sweep.sweep_id ORDER BY config_id LIMIT 1), 0.0) AS share FROM sweep WHERE sweep_id = ?1") \
    X(SWEEP_TYPES, /* model type of each configuration. place: of the type among all of them */ \
      "config:i type:s place:n", \
      "SELECT config_id AS config, coalesce(params ->> 'type', '') AS type," \
      " dense_rank() OVER (ORDER BY coalesce(params ->> 'type', '')) - 1 AS place FROM config" \
      " WHERE sweep_id = ?1 ORDER BY place") \
    X(SWEEP_VALUES, /* objective and epochs of each trial; NULL before it is done; no epochs: NULL. slot: \
                       counts the pairs of replicate and fold */ \
      "config:i replicate:n fold:n slot:n value:R epochs:R", \
      "SELECT config_id AS config, replicate, fold," \
      " dense_rank() OVER (ORDER BY replicate, fold) - 1 AS slot, iif(state = 'done', value, NULL) AS value," \
      " iif(state = 'done', 1.0 * nullif(epochs_run, 0), NULL) AS epochs" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1") \
    X(SEARCH_DECISIONS, /* of a sweep, by step; the last step, 'end', has the configurations whose trials are all done. \
                           is_stopped: still; cost_s: core-seconds of all attempts of the sweep until the trials of \
                           the configuration had come to the rung, of a race: had ended */ \
      "step:n config:i action:s rung:n value:R threshold:R is_stopped:i cost_s:R", \
      "WITH t AS MATERIALIZED (SELECT trial_id, config_id, state, value, dense_rank() OVER (ORDER BY replicate, fold)" \
      " AS slot FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1 AND sweep_id IN (SELECT sweep_id" \
      " FROM decision))," \
      " a AS (SELECT config_id, slot, trial_id, outcome, finished, attempt_id," \
      " sum(max(0.0, finished - started) * max(1, (SELECT count(*) FROM member AS m" \
      " WHERE m.attempt_id = attempt.attempt_id))) OVER (ORDER BY finished, attempt_id) AS cost_s" \
      " FROM t CROSS JOIN attempt USING (trial_id) WHERE finished IS NOT NULL)," \
      " e AS (SELECT config_id, cost_s, iif((SELECT EXISTS (SELECT 1 FROM t JOIN rung USING (trial_id)))," \
      " row_number() OVER (PARTITION BY trial_id ORDER BY finished, attempt_id), slot) AS rung" \
      " FROM a WHERE outcome IN ('held', 'done', 'diverged', 'failed'))," \
      " c AS MATERIALIZED (SELECT config_id, rung, max(cost_s) AS cost_s FROM e GROUP BY config_id, rung)" \
      "SELECT step, config_id AS config, action, coalesce(rung, 0) AS rung, value, threshold, EXISTS (SELECT 1 FROM t" \
      " WHERE t.config_id = d.config_id AND state = 'stopped') AS is_stopped, (SELECT max(cost_s) FROM c" \
      " WHERE c.config_id = d.config_id AND c.rung <= iif(action = 'propose', (SELECT coalesce(min(rung), 1000000)" \
      " FROM decision AS o WHERE o.sweep_id = ?1 AND action <> 'propose'), d.rung)) AS cost_s" \
      " FROM decision AS d WHERE sweep_id = ?1 UNION ALL" \
      " SELECT (SELECT max(step) + 1 FROM decision), config_id, 'end', 0, avg(value), NULL, 0," \
      " (SELECT max(cost_s) FROM c WHERE c.config_id = t.config_id) FROM t GROUP BY config_id" \
      " HAVING count(*) FILTER (WHERE state <> 'done') = 0 ORDER BY 1, 2") \
    X(FAILURES, /* of a sweep; 0: of all. Most frequent first */ \
      "state:t trials:i example:i reason:s", SQL_FAILURES("reason")) \
    X(REASONS, /* the same. Reasons that differ only in numbers, such as an epoch, are one: that of \
                  the example. */ \
      "state:t trials:i example:i reason:s", SQL_FAILURES("failure_stem(" SQL_ERROR ")")) \
    X(COPIES, "", /* of a program's sweep: a row if repeats of its configurations are done, and within \
                 each configuration all scores are equal */ \
      "SELECT 1 FROM (SELECT max(n) AS most, sum(differs) AS differ FROM" \
      " (SELECT count(*) AS n, max(t.value) > min(t.value) AS differs FROM config" \
      " JOIN trial AS t USING (config_id) JOIN sweep USING (sweep_id) WHERE sweep_id = ?1" \
      " AND task = 'none' AND state = 'done' AND t.value IS NOT NULL GROUP BY config_id))" \
      " WHERE most > 1 AND differ = 0") \
    /* ---- sessions, their ranks and their attempts ---- */ \
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
    X(CHECKPOINTS, "", /* of models and programs; a failed one continues with --retry failed. Trials that \
                          the search holds have one as a rule */ \
      "SELECT trial, config, state, iif(is_file, program_epoch(trial), epoch) AS after_epoch, percent," \
      " iif(is_file, program_seconds(trial), seconds) AS seconds FROM (" \
      "SELECT trial_id AS trial, config_id AS config, t.state, epoch," \
      " round(100 * (1 - remaining), 1) AS percent, c.seconds, 0 AS is_file FROM checkpoint AS c" \
      " JOIN trial AS t USING (trial_id) WHERE t.state <> 'held' UNION ALL" \
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
      " ORDER BY outcome IN ('done', 'held'), finished - started DESC, attempt_id, rank LIMIT 20000)" \
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
      " GROUP BY session, rank ORDER BY session, rank") \
    /* ---- configurations and trials ---- */ \
    X(CONFIG, "", /* id of a configuration, also below */ \
      "SELECT sweep, objective, place, config, trials, mean, sd, se, diff, diff_se, pairs," \
      " within_se, flops, seconds FROM leaderboard" \
      " JOIN sweep ON sweep.name = leaderboard.sweep WHERE config = ?1") \
    X(CONFIG_SETTINGS, "", /* varies: 'axis', or ''; without the type that [program] implies */ \
      "SELECT s.key AS setting, s.value, iif(axis.name IS NULL, '', 'axis') AS varies" \
      " FROM config JOIN sweep USING (sweep_id), json_each(config.params) AS s LEFT JOIN axis" \
      " ON axis.sweep_id = config.sweep_id AND axis.name = s.key" \
      " WHERE config_id = ?1 AND NOT (s.key = 'type' AND task = 'none') ORDER BY s.id") \
    X(CONFIG_TRIALS, \
      "trial:i replicate:n fold:n state:t", \
      "SELECT trial_id AS trial, replicate, fold, state, value, epochs_run, best_epoch, seconds," \
      " attempts, " SQL_ERROR " AS error FROM trial WHERE config_id = ?1 ORDER BY trial_id") \
    X(CONFIG_DECISIONS, /* of a search */ \
      "step:i action:s rung:I value:R threshold:R", \
      "SELECT step, action, nullif(rung, 0) AS rung, value, threshold FROM decision WHERE config_id = ?1" \
      " ORDER BY step") \
    X(DECISIONS_OF, "", /* of a sweep; 0: of all */ \
      "SELECT sweep.name AS sweep, step, config_id AS config, action, nullif(rung, 0) AS rung, value," \
      " threshold FROM decision JOIN sweep USING (sweep_id) WHERE ?1 IN (0, sweep_id)" \
      " ORDER BY sweep_id, step, config_id") \
    X(TRIAL_RUNGS, "", \
      "SELECT rung, value FROM rung WHERE trial_id = ?1 ORDER BY rung") \
    X(CONFIG_TEST, "", /* on the test part, over done trials; of the loss only for a program, which \
                          may report nothing else */ \
      "SELECT name AS test, count(*) AS trials, avg(v) AS mean," \
      " sqrt(sum(d * d) / (count(*) - 1)) AS sd FROM (SELECT m.name, m.value AS v," \
      " m.value - avg(m.value) OVER (PARTITION BY m.name) AS d FROM trial" \
      " JOIN metric AS m USING (trial_id) JOIN config USING (config_id) JOIN sweep USING (sweep_id)" \
      " WHERE config_id = ?1 AND state = 'done' AND m.split = 'test'" \
      " AND (m.name <> 'loss' OR task = 'none')) GROUP BY name ORDER BY name") \
    X(CONFIG_CURVES, /* of the done and stopped trials of a configuration; has_stop: the columns of the \
                        validation part are of the stop part */ \
      "trial:i replicate:n fold:n best_epoch:n epoch:n train_loss:R val_loss:R val_value:R" \
      " has_stop:i", \
      "SELECT trial_id AS trial, replicate, fold, coalesce(best_epoch, 0) AS best_epoch, epoch," \
      " train_loss, val_loss, val_value, EXISTS (SELECT 1 FROM metric AS m" \
      " WHERE m.trial_id = trial.trial_id AND split = 'stop') AS has_stop" \
      " FROM trial JOIN curve USING (trial_id)" \
      " WHERE config_id = ?1 AND state IN ('done', 'stopped') ORDER BY trial_id, epoch") \
    X(CONFIG_POINTS, /* of a program: the other values of these curves */ \
      "trial:i epoch:n name:s value:R", \
      "SELECT trial_id AS trial, epoch, name, curve_metric.value FROM trial" \
      " JOIN curve_metric USING (trial_id) WHERE config_id = ?1 AND state IN ('done', 'stopped')" \
      " ORDER BY trial_id, epoch, name") \
    X(TRIAL, "", /* id of a trial, also below */ \
      "SELECT sweep.name AS sweep, trial_id AS trial, config_id AS config, replicate, fold, state," \
      " value, iif(task = 'none' AND NOT epochs_run, NULL, epochs_run) AS epochs_run," \
      " iif(task = 'none' AND NOT epochs_run, NULL, best_epoch) AS best_epoch, seconds, predicted," \
      " iif(task = 'none', NULL, trial.flops) AS flops, peak_bytes, attempts," \
      " substr(error, 1, 1000) AS error, trial.key FROM trial JOIN config USING (config_id)" \
      " JOIN sweep USING (sweep_id) WHERE trial_id = ?1") \
    X(TRIAL_RECORD, \
      "sweep_id:i name:s objective:s data_digest:s config_id:i replicate:n fold:n key:s" \
      " state:t value:R epochs_run:N best_epoch:N", \
      "SELECT sweep_id, sweep.name, objective, data_digest, config_id, replicate, fold, trial.key," \
      " state, value, epochs_run, best_epoch FROM trial JOIN config USING (config_id)" \
      " JOIN sweep USING (sweep_id) WHERE trial_id = ?1") \
    X(TRIAL_SESSION, "", /* that computed its result */ \
      "SELECT version, cpu, blas, blas_kernel, attempt.host FROM attempt JOIN session" \
      " USING (session_id) WHERE trial_id = ?1 AND attempt.outcome IN ('done', 'diverged')" \
      " ORDER BY attempt_id DESC LIMIT 1") \
    X(TRIAL_METRICS, \
      "metric:s train:R val:R stop:R value:R", \
      "SELECT name AS metric, max(value) FILTER (WHERE split = 'train') AS train," \
      " max(value) FILTER (WHERE split = 'val') AS val," \
      " max(value) FILTER (WHERE split = 'test') AS test," \
      " max(value) FILTER (WHERE split = 'stop') AS stop," \
      " max(value) FILTER (WHERE split = '') AS value" \
      " FROM metric WHERE trial_id = ?1 GROUP BY name ORDER BY name") \
    X(TRIAL_REPORTED, "", /* by a program, the objective first */ \
      "SELECT iif(split = '', metric.name, split || '_' || metric.name) AS metric, metric.value" \
      " FROM metric JOIN trial USING (trial_id) JOIN config USING (config_id)" \
      " JOIN sweep USING (sweep_id) WHERE trial_id = ?1" \
      " ORDER BY iif(split = '', metric.name, split || '_' || metric.name) <> objective," \
      " metric.name, split = '', split DESC") \
    X(TRIAL_TIMING, "", /* of a model: the phases of a program are unknown */ \
      "SELECT phase, timing.seconds, 100 * timing.seconds / sum(timing.seconds) OVER ()" \
      " AS percent" \
      " FROM timing JOIN trial USING (trial_id) JOIN config USING (config_id)" \
      " JOIN sweep USING (sweep_id) WHERE trial_id = ?1 AND task <> 'none'" \
      " ORDER BY timing.seconds DESC") \
    X(TRIAL_ATTEMPTS, "", \
      "SELECT row_number() OVER (ORDER BY attempt_id) AS attempt, session_id AS session, rank, host, pid," \
      " datetime(started, 'unixepoch') AS started_utc, max(0.0, coalesce(finished," \
      " iif(outcome = 'running', " SQL_NOW ", NULL)) - started)" \
      " AS seconds, outcome," \
      " " SQL_ERROR " AS error FROM attempt WHERE trial_id = ?1 ORDER BY attempt_id") \
    X(TRIAL_MEMBERS, /* of attempts that ran on several ranks: how many, and those on each host */ \
      "attempt:i ranks:i host:s members:s", \
      "WITH a AS (SELECT attempt_id, row_number() OVER (ORDER BY attempt_id) AS attempt FROM attempt" \
      " WHERE trial_id = ?1)" \
      "SELECT attempt, sum(count(*)) OVER (PARTITION BY attempt) AS ranks, host," \
      " group_concat(rank, ', ') AS members FROM (SELECT attempt, rank, host" \
      " FROM a CROSS JOIN member USING (attempt_id) ORDER BY attempt, host, rank)" \
      " GROUP BY attempt, host ORDER BY attempt, min(rank)") \
    X(TRIAL_CHECKPOINT, "", /* of a trial without a result, or of a failed program; bytes: NULL for a \
                               program, whose checkpoint is a folder */ \
      "SELECT epoch, seconds, length(state) AS bytes FROM checkpoint WHERE trial_id = ?1 UNION ALL" \
      " SELECT program_epoch(trial_id), program_seconds(trial_id), NULL FROM trial WHERE trial_id = ?1" \
      " AND (" SQL_UNFINISHED " OR state = 'failed') AND program_saved(trial_id) IS NOT NULL") \
    X(CONFIG_OF_PROGRAM, "", /* a row if a program runs its trials */ \
      "SELECT config_id FROM config JOIN sweep USING (sweep_id)" \
      " WHERE config_id = ?1 AND task = 'none'") \
    X(TRIAL_OF_PROGRAM, /* a row if a program runs it */ \
      "state:t", \
      "SELECT state FROM trial JOIN config USING (config_id) JOIN sweep USING (sweep_id)" \
      " WHERE trial_id = ?1 AND task = 'none'") \
    X(TRIAL_LOG, "", /* kept: bytes in the table */ \
      "SELECT bytes, length(tail) AS kept FROM log WHERE trial_id = ?1") \
    X(TRIAL_FILES, \
      "file:s bytes:i", \
      "SELECT name AS file, bytes FROM file WHERE trial_id = ?1 ORDER BY name") \
    X(TRIAL_CURVE, \
      "epoch:i train_loss:R val_loss:R val_value:R seconds:r", \
      "SELECT epoch, train_loss, val_loss, val_value, seconds FROM curve" \
      " WHERE trial_id = ?1 ORDER BY epoch") \
    /* ---- kept models and stored predictions ---- */ \
    X(CONFIG_MODELS, \
      "trial:i", \
      "SELECT trial_id AS trial, length(safetensors) AS bytes FROM trial JOIN model" \
      " USING (trial_id) WHERE config_id = ?1 ORDER BY trial_id") \
    X(CONFIG_KEPT, /* of a configuration: done trials, and those with a model; has_stop: a stop \
                      part chose the epoch */ \
      "trials:n models:n epoch:n has_stop:i", \
      "SELECT count(*) AS trials, sum(EXISTS (SELECT 1 FROM model AS m" \
      " WHERE m.trial_id = trial.trial_id)) AS models, coalesce(max(best_epoch), 0) AS epoch," \
      " EXISTS (SELECT 1 FROM trial AS t JOIN metric USING (trial_id) WHERE t.config_id = ?1" \
      " AND split = 'stop') AS has_stop FROM trial WHERE config_id = ?1 AND state = 'done'" \
      " GROUP BY config_id") \
    X(TRIAL_MODEL, "", \
      "SELECT length(safetensors) AS bytes FROM model WHERE trial_id = ?1") \
    X(MODELS_MISSING, /* of a sweep: done trials without a model, of the best configuration and \
                         of the choice of --rule 1se */ \
      "trial:i config:i value:R is_best:i", \
      "WITH " SQL_CHOSEN "SELECT trial_id AS trial, config_id AS config, value, is_best" \
      " FROM chosen JOIN trial ON config_id = config" \
      " WHERE state = 'done' AND trial_id NOT IN (SELECT trial_id FROM model)" \
      " ORDER BY is_best DESC, trial_id") \
    X(PREDICTABLE, /* of a sweep: trials with a model, of the same configurations; epoch_s: seconds \
                      of an epoch */ \
      "trial:i config:i epoch_s:R is_stored:i", \
      "WITH " SQL_CHOSEN "SELECT trial_id AS trial, config_id AS config," \
      " trial.seconds / max(epochs_run, 1) AS epoch_s, EXISTS (SELECT 1 FROM prediction AS p" \
      " WHERE p.trial_id = trial.trial_id) AS is_stored FROM chosen JOIN trial ON config_id = config" \
      " WHERE state = 'done' AND EXISTS (SELECT 1 FROM model WHERE model.trial_id = trial.trial_id)" \
      " ORDER BY is_best DESC, trial_id") \
    X(WITH_MODELS, /* of a sweep */ \
      "trial:i", \
      "SELECT trial_id AS trial FROM config JOIN trial USING (config_id) JOIN model" \
      " USING (trial_id) WHERE sweep_id = ?1 ORDER BY trial_id") \
    X(PREDICTIONS, /* of a configuration: out-of-fold; numbers, or names of classes with a JSON \
                      object of probabilities or of scores. place: of the group among all of them, \
                      from 1; 0 without one */ \
      "trial:i replicate:n fold:n sample:n id:s sample_group:S place:n probabilities:S scores:S", \
      "SELECT trial_id AS trial, replicate, fold, sample, id, sample_group," \
      " iif(sample_group IS NULL, 0, dense_rank() OVER (PARTITION BY sample_group IS NULL" \
      " ORDER BY sample_group)) AS place, observed," \
      " prediction.predicted, probabilities, scores FROM trial JOIN prediction USING (trial_id)" \
      " WHERE config_id = ?1 ORDER BY trial_id, sample") \
    X(CLASS_SCORES, /* of a configuration: probabilities or scores of its predictions */ \
      "trial:i sample:i class:s", \
      "SELECT trial_id AS trial, sample, c.key AS class, c.value AS score FROM trial" \
      " JOIN prediction USING (trial_id), json_each(iif(json_valid(coalesce(probabilities, scores))," \
      " coalesce(probabilities, scores), '{}')) AS c" \
      " WHERE config_id = ?1 ORDER BY trial_id, sample, c.id") \
    /* ---- a session's counters of messages and time ---- */ \
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
      " ORDER BY rank, " SQL_ACTIVITY_ORDER ", size") \
    /* ---- checks of rows of tables that no trial repeats: each has its place in the table, and its first fault, \
       "rank = -3: must be a rank of the session", or NULL ---- */ \
    X(CHECK_PREDICTION, "place:s fault:S", \
      "SELECT 't' || trial || ', sample ' || sample AS place, CASE" SQL_OF_DONE("predictions") \
      SQL_UNLESS("sample BETWEEN 0 AND samples - 1", "sample", "a sample of the sweep") \
      SQL_OUTCOME("observed") SQL_OUTCOME("predicted") \
      SQL_UNLESS(SQL_OBJECT("probabilities", " AND j.value BETWEEN 0 AND 1", \
                            " AND abs(total(j.value) - 1) < 0.01"), \
                 "probabilities", "a JSON object of numbers from 0 to 1 with the sum 1") \
      SQL_UNLESS(SQL_OBJECT("scores", "", ""), "scores", "a JSON object of numbers") \
      " END AS fault FROM (SELECT trial_id AS trial, sample, observed, prediction.predicted," \
      " probabilities, scores, state, task, samples FROM prediction LEFT JOIN trial USING (trial_id)" \
      " LEFT JOIN config USING (config_id) LEFT JOIN sweep USING (sweep_id) ORDER BY trial_id, sample)") \
    X(CHECK_TRAFFIC, /* of a session; 0: of all */ "place:s fault:S", \
      "SELECT 'session ' || session || ', rank ' || rank AS place, CASE" \
      SQL_UNLESS("ranks IS NOT NULL", "session", "a session of this file") \
      SQL_UNLESS("rank BETWEEN 0 AND ranks - 1", "rank", "a rank of the session") \
      SQL_UNLESS("is_traffic(activity, -1)", "activity", "an activity") \
      SQL_UNLESS("size >= 0 AND is_traffic(activity, size)", "size", "a size of this activity") \
      SQL_COUNTED("calls") SQL_COUNTED("bytes") \
      SQL_UNLESS("seconds BETWEEN 0 AND 1e9", "seconds", "from 0 to 1e9") " END AS fault FROM" \
      " (SELECT t.session_id AS session, rank, activity, size, calls, bytes, seconds, s.ranks" \
      " FROM traffic AS t LEFT JOIN session AS s USING (session_id)" \
      " WHERE t.session_id BETWEEN iif(?1, ?1, -9e18) AND iif(?1, ?1, 9e18))") \
    X(CHECK_FACT, /* next: facts before it in its topic */ "place:s fault:S", \
      "SELECT 'sweep ' || sweep || ', topic ' || substr(topic, 1, 40) || ', fact ' || ordinal AS place, CASE" \
      SQL_UNLESS("is_known", "sweep", "a sweep of this file") \
      SQL_UNLESS("ordinal = next", "ordinal", "the number after that of the fact before it") \
      SQL_UNLESS("typeof(value) <> 'real' OR abs(value) < 9e999", "value", "finite") \
      SQL_UNLESS("topic NOT IN ('class', 'group', 'target_bin', 'degree', 'part', 'marker'," \
                 " 'duplicate') OR (typeof(value) = 'integer' AND value >= 0)", \
                 "value", "a number of samples, nodes or markers") " END AS fault FROM" \
      " (SELECT f.sweep_id AS sweep, topic, ordinal, value, row_number()" \
      " OVER (PARTITION BY f.sweep_id, topic ORDER BY ordinal) - 1 AS next," \
      " sweep.sweep_id IS NOT NULL AS is_known FROM data_fact AS f LEFT JOIN sweep USING (sweep_id)" \
      " ORDER BY f.sweep_id, topic, ordinal)") \
    X(CHECK_LOG, "place:s fault:S", \
      "SELECT 't' || trial AS place, CASE" SQL_OF_TRIAL \
      SQL_UNLESS("kept <= 65536", "kept", "from 0 to 65536 bytes") \
      SQL_UNLESS("bytes >= kept", "bytes", "at least the bytes that are kept") " END AS fault FROM" \
      " (SELECT trial_id AS trial, bytes, length(tail) AS kept, state FROM log" \
      " LEFT JOIN trial USING (trial_id) ORDER BY trial_id)") \
    X(CHECK_FILE, "place:s fault:S", \
      "SELECT 't' || trial AS place, CASE" SQL_OF_DONE("kept files") \
      SQL_UNLESS("is_file_name(name)", "name", "the name of a file in the folder of the trial") \
      SQL_UNLESS("bytes >= 0", "bytes", "at least 0") " END AS fault FROM" \
      " (SELECT trial_id AS trial, name, bytes, state FROM file LEFT JOIN trial USING (trial_id)" \
      " ORDER BY trial_id, name)") \
    X(CHECK_CURVE_METRIC, "place:s fault:S", \
      "SELECT 't' || trial || ', epoch ' || epoch AS place, CASE" SQL_OF_TRIAL \
      SQL_UNLESS("has_epoch", "epoch", "an epoch of the curve") \
      SQL_UNLESS("length(CAST(name AS BLOB)) BETWEEN 1 AND 63", "name", "of 1 to 63 bytes") \
      " END AS fault FROM (SELECT m.trial_id AS trial, epoch, name, state," \
      " curve.epoch IS NOT NULL AS has_epoch FROM curve_metric AS m LEFT JOIN trial USING (trial_id)" \
      " LEFT JOIN curve USING (trial_id, epoch) ORDER BY m.trial_id, epoch, name)") \
    X(CHECK_MEMBER, /* leader: the rank that the attempt names */ "place:s fault:S", \
      "SELECT 'attempt ' || attempt || ', rank ' || rank AS place, CASE" \
      SQL_UNLESS("leader IS NOT NULL", "attempt", "an attempt of this file") \
      SQL_UNLESS("rank BETWEEN 0 AND ranks - 1", "rank", "a rank of the session") \
      SQL_UNLESS("is_led", "leader", "a member of the attempt, too") " END AS fault FROM" \
      " (SELECT m.attempt_id AS attempt, m.rank, a.rank AS leader, EXISTS (SELECT 1 FROM member AS o" \
      " WHERE o.attempt_id = m.attempt_id AND o.rank = a.rank) AS is_led," \
      " coalesce(s.ranks, 2147483647) AS ranks FROM member AS m LEFT JOIN attempt AS a" \
      " USING (attempt_id) LEFT JOIN session AS s USING (session_id) ORDER BY m.attempt_id, m.rank)")
/* clang-format on */

#endif
