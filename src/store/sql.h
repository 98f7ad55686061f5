/* SPDX-License-Identifier: BSD-3-Clause */
/* SQL fragments that several statements or queries share. */
#ifndef STORE_SQL_H
#define STORE_SQL_H

/* Attempts without a result: open, stopped, crashed or lost. The index attempt_without_result
 * (db/schema.sql) applies only to exactly these words. */
#define SQL_WITHOUT_RESULT " AND outcome NOT IN ('done', 'diverged') AND outcome <> 'failed'"

/* Trials that may still have a result: stopped ones have none. An IN list of three would make a table. */
#define SQL_UNFINISHED "(state IN ('pending', 'running') OR state = 'held')"

/* Unix seconds. */
#define SQL_NOW "((julianday('now') - 2440587.5) * 86400)"

/* Other programs may write errors of any length. */
#define SQL_ERROR "coalesce(substr(error, 1, 1000), '')"

#define SQL_ONE_SWEEP "(SELECT count(*) FROM sweep) = 1"

/* The rules by which `best` chooses and models are kept (doc/decisions/0030): */

/* Cheapest first. Seconds count only if flops are unknown. */
#define SQL_COST "flops IS NULL, flops, iif(flops IS NULL, seconds, 0)"

/* Rows of l, the leaderboard, within one standard error of the first that lost no more trials.
 * --rule 1se chooses the first of them. */
#define SQL_1SE                                                                   \
    "SELECT l.* FROM l, (SELECT trials AS first_trials, mean AS first_mean,"      \
    " se AS first_se FROM l ORDER BY place LIMIT 1) WHERE trials >= first_trials" \
    " AND abs(mean - first_mean) <= first_se AND first_se < 9e999 ORDER BY " SQL_COST ", place"

/* WITH table: the trials with predictions, without a look at each row. */
#define SQL_PREDICTED                                                                   \
    "predicted_trials (trial_id) AS (SELECT min(trial_id) FROM prediction UNION ALL"    \
    " SELECT (SELECT min(trial_id) FROM prediction AS p WHERE p.trial_id > t.trial_id)" \
    " FROM predicted_trials AS t WHERE t.trial_id IS NOT NULL)"

/* n_val / n_train of a configuration, for the variance of a mean over overlapping parts (Nadeau &
 * Bengio 2003; doc/decisions/0030); 0 if a split file without folds gives all pairs the same parts,
 * which before schema 3 only `ini` shows, and for programs, which have no such settings. Columns of config and sweep. */
#define SQL_SHARE                                                                          \
    "CASE\n"                                                                               \
    "        WHEN params ->> 'folds' > 1 THEN 1.0 / ((params ->> 'folds') - 1)\n"          \
    "        WHEN coalesce(parts = 'given', instr(ini, char(10) || 'file = ')) THEN 0.0\n" \
    "        ELSE coalesce((params ->> 'val') / (1.0 - (params ->> 'test')"                \
    " - (params ->> 'val')), 0.0)\n"                                                       \
    "        END"

/* WITH tables for the sweep ?1. chosen (config, is_best) has the choice of both rules: one row if
 * they agree, none before a trial is done. */
#define SQL_CHOSEN                                                                   \
    "l AS MATERIALIZED (SELECT config, place, trials, mean, se, flops, seconds"      \
    " FROM leaderboard WHERE sweep = (SELECT name FROM sweep WHERE sweep_id = ?1))," \
    " chosen AS MATERIALIZED (SELECT config, max(is_best) AS is_best FROM"           \
    " (SELECT config, 1 AS is_best FROM l WHERE place = 1 AND trials > 0"      \
    " UNION ALL SELECT config, 0 FROM (" SQL_1SE " LIMIT 1)) GROUP BY config)"

#endif
