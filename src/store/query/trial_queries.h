/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of configurations and of trials. Rows of QUERY_TABLE
 * (store/query/query.h). */
#ifndef STORE_QUERY_TRIAL_QUERIES_H
#define STORE_QUERY_TRIAL_QUERIES_H

#include "store/sql.h"

/* clang-format off */
#define QUERY_TRIAL_TABLE(X) \
    X(CONFIG, "", /* id of a configuration, also below */ \
      "SELECT sweep, objective, place, config, trials, mean, sd, se, diff, diff_se, pairs," \
      " within_se, flops, seconds FROM leaderboard" \
      " JOIN sweep ON sweep.name = leaderboard.sweep WHERE config = ?1") \
    X(CONFIG_SETTINGS, "", /* varies: 'axis', or ''; without the type that [program] implies */ \
      "SELECT s.key AS setting, s.value, iif(axis.name IS NULL, '', 'axis') AS varies" \
      " FROM config JOIN sweep USING (sweep_id), json_each(config.params) AS s LEFT JOIN axis" \
      " ON axis.sweep_id = config.sweep_id AND axis.name = s.key" \
      " WHERE config_id = ?1 AND NOT (s.key = 'type' AND task = 'none') ORDER BY s.id") \
    X(CONFIG_HPARAMS, /* of a configuration; text: the value as text */ \
      "setting:s text:S", \
      "SELECT s.key AS setting, s.value, CAST(s.value AS TEXT) AS text FROM config," \
      " json_each(config.params) AS s WHERE config_id = ?1 ORDER BY s.id") \
    X(CONFIG_TRIALS, \
      "trial:i replicate:n fold:n state:t", \
      "SELECT trial_id AS trial, replicate, fold, state, value, epochs_run, best_epoch, seconds," \
      " attempts, " SQL_ERROR " AS error FROM trial WHERE config_id = ?1 ORDER BY trial_id") \
    X(CONFIG_TEST, "", /* on the test part, over done trials; of the loss only for a program, which \
                          may report nothing else */ \
      "SELECT name AS test, count(*) AS trials, avg(v) AS mean," \
      " sqrt(sum(d * d) / (count(*) - 1)) AS sd FROM (SELECT m.name, m.value AS v," \
      " m.value - avg(m.value) OVER (PARTITION BY m.name) AS d FROM trial" \
      " JOIN metric AS m USING (trial_id) JOIN config USING (config_id) JOIN sweep USING (sweep_id)" \
      " WHERE config_id = ?1 AND state = 'done' AND m.split = 'test'" \
      " AND (m.name <> 'loss' OR task = 'none')) GROUP BY name ORDER BY name") \
    X(CONFIG_CURVES, /* of the done trials of a configuration; has_stop: the columns of the \
                        validation part are of the stop part */ \
      "trial:i replicate:n fold:n best_epoch:n epoch:n train_loss:R val_loss:R val_value:R" \
      " has_stop:i", \
      "SELECT trial_id AS trial, replicate, fold, coalesce(best_epoch, 0) AS best_epoch, epoch," \
      " train_loss, val_loss, val_value, EXISTS (SELECT 1 FROM metric AS m" \
      " WHERE m.trial_id = trial.trial_id AND split = 'stop') AS has_stop" \
      " FROM trial JOIN curve USING (trial_id)" \
      " WHERE config_id = ?1 AND state = 'done' ORDER BY trial_id, epoch") \
    X(CONFIG_POINTS, /* of a program: the other values of these curves */ \
      "trial:i epoch:n name:s value:R", \
      "SELECT trial_id AS trial, epoch, name, curve_metric.value FROM trial" \
      " JOIN curve_metric USING (trial_id) WHERE config_id = ?1 AND state = 'done'" \
      " ORDER BY trial_id, epoch, name") \
    X(BOARD_TRIALS, /* of a sweep, by configuration: those that have begun, with the last attempt */ \
      "trial:i config:i replicate:n fold:n state:t best_epoch:N started:r finished:R", \
      "SELECT t.trial_id AS trial, t.config_id AS config, t.replicate, t.fold, t.state, t.best_epoch," \
      " coalesce(a.started, 0.0) AS started, a.finished FROM config JOIN trial AS t USING (config_id)" \
      " LEFT JOIN attempt AS a ON a.attempt_id = (SELECT max(x.attempt_id) FROM attempt AS x" \
      " WHERE x.trial_id = t.trial_id) WHERE sweep_id = ?1 AND t.state <> 'pending'" \
      " ORDER BY t.config_id, t.replicate, t.fold") \
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
      " AND state IN ('pending', 'running', 'failed') AND program_saved(trial_id) IS NOT NULL") \
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
    X(TRIAL_POINTS, /* of a program's curve, beside the columns of TRIAL_CURVE */ \
      "epoch:i name:s value:R seconds:R", \
      "SELECT epoch, name, value, seconds FROM curve_metric LEFT JOIN curve" \
      " USING (trial_id, epoch) WHERE trial_id = ?1 ORDER BY epoch, name") \
    X(TRIAL_CURVE, \
      "epoch:i train_loss:R val_loss:R val_value:R seconds:r", \
      "SELECT epoch, train_loss, val_loss, val_value, seconds FROM curve" \
      " WHERE trial_id = ?1 ORDER BY epoch")
/* clang-format on */

#endif
