/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of sweeps: plan, progress, scores, failures, facts of the data. Rows of QUERY_TABLE
 * (store/query/query.h). */
#ifndef STORE_QUERY_SWEEP_QUERIES_H
#define STORE_QUERY_SWEEP_QUERIES_H

#include "store/sql.h"

#define SQL_STATES                                                        \
    "count(*) AS trials, count(*) FILTER (WHERE state = 'done') AS done," \
    " count(*) FILTER (WHERE state = 'diverged') AS diverged,"            \
    " count(*) FILTER (WHERE state = 'failed') AS failed,"                \
    " count(*) FILTER (WHERE state = 'running') AS running,"              \
    " count(*) FILTER (WHERE state = 'pending') AS pending"

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

/* clang-format off */
#define QUERY_SWEEP_TABLE(X) \
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
      "sweep:s configs:i trials:i done:i diverged:i failed:i running:i pending:i", \
      "SELECT sweep.name AS sweep, (SELECT count(*) FROM config) AS configs, everything.trials AS trials," \
      " everything.trials - rest.trials AS done, diverged, failed, running, pending" \
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
      " WHERE trials < planned ORDER BY sweep_id") \
    X(BEST, /* of a sweep: first row of the leaderboard, if any, without comparisons */ \
      "config:i trials:i mean:R", \
      "WITH " SQL_SCORED " SELECT config_id AS config, trials, mean FROM scored JOIN config" \
      " USING (config_id) JOIN sweep USING (sweep_id) WHERE sweep_id = ?1" \
      " ORDER BY trials DESC, CASE direction WHEN 'max' THEN -mean ELSE mean END, config_id LIMIT 1") \
    X(HIDDEN, /* of a sweep: the best configuration that has a better mean than the first one of BEST, \
                 but fewer scores. most: scores of the first; own, replicates: replicates of both */ \
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
      " ORDER BY r.loss, r.config_id LIMIT 1") \
    X(PROGRESS, /* of a sweep; unfinished: trials that may still change its leaderboard; \
                 undefined: done trials without a value of the objective; missing: trials of \
                 other shards */ \
      "trials:i done:i failed:i diverged:i unfinished:i undefined:i missing:i", \
      "SELECT count(*) AS trials, max(0, coalesce((SELECT planned FROM sweep WHERE sweep_id = ?1), 0)" \
      " - count(*)) AS missing, count(*) FILTER (WHERE state = 'done') AS done," \
      " count(*) FILTER (WHERE state = 'failed') AS failed," \
      " count(*) FILTER (WHERE state = 'diverged') AS diverged," \
      " count(*) FILTER (WHERE state IN ('pending', 'running')) AS unfinished," \
      " count(*) FILTER (WHERE state = 'done' AND value IS NULL) AS undefined" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1 GROUP BY sweep_id") \
    X(REPEATS, /* of a sweep; is_corrected: intervals allow for training samples that parts share */ \
      "folds:i replicates:i is_corrected:i", \
      "SELECT count(DISTINCT fold) AS folds, count(DISTINCT replicate) AS replicates," \
      " EXISTS (SELECT 1 FROM config JOIN sweep USING (sweep_id) WHERE sweep_id = ?1" \
      " AND " SQL_SHARE " > 0) AS is_corrected" \
      " FROM config JOIN trial USING (config_id) WHERE sweep_id = ?1 GROUP BY sweep_id") \
    X(LEVELS, /* of a sweep: values of each axis, ascending */ \
      "axis:s", \
      "SELECT axis.name AS axis, level.value FROM axis, json_each(axis.levels) AS level" \
      " WHERE sweep_id = ?1 ORDER BY ordinal, axis.name, level.key") \
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
    X(AXIS_VALUES, /* of a sweep: values of its axes, then of other settings that differ; in the order \
                      of its configurations. words: not 0 if one of the setting's values is a text */ \
      "setting:s text:S words:i", \
      "SELECT setting, value, CAST(value AS TEXT) AS text," \
      " max(is_text) OVER (PARTITION BY setting) AS words FROM (SELECT s.key AS setting, s.value," \
      " s.type = 'text' AS is_text, min(config_id) AS first, min(s.id) AS id, axis.ordinal," \
      " count(*) OVER (PARTITION BY s.key) AS n" \
      " FROM config JOIN json_each(config.params) AS s LEFT JOIN axis" \
      " ON axis.sweep_id = config.sweep_id AND axis.name = s.key WHERE config.sweep_id = ?1" \
      " GROUP BY s.key, s.value) WHERE ordinal IS NOT NULL OR n > 1" \
      " ORDER BY ordinal IS NULL, ordinal, min(id) OVER (PARTITION BY setting), setting, first") \
    X(METRIC_NAMES, /* of a sweep, without the test part, the objective first */ \
      "split:p name:s", \
      "SELECT DISTINCT m.split, m.name FROM config JOIN trial USING (config_id)" \
      " JOIN metric AS m USING (trial_id) WHERE sweep_id = ?1" \
      " AND m.split <> 'test' ORDER BY iif(m.split = '', m.name, m.split || '_' || m.name) <>" \
      " (SELECT objective FROM sweep WHERE sweep_id = ?1), m.split DESC, m.name") \
    X(DONE, /* of a sweep, by configuration */ \
      "trial_id:i", \
      "SELECT trial_id FROM config JOIN trial USING (config_id)" \
      " WHERE sweep_id = ?1 AND state = 'done' ORDER BY config_id, trial_id") \
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
      " WHERE most > 1 AND differ = 0")
/* clang-format on */

#endif
