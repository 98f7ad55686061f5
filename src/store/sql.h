/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of SQL that several statements or queries share. */
#ifndef STORE_SQL_H
#define STORE_SQL_H

/* Behind a WHERE on attempts that have no result, those that are open, crashed or lost: the index on
 * them is known by these words (db/schema.sql, attempt_without_result). */
#define SQL_WITHOUT_RESULT " AND outcome NOT IN ('done', 'diverged') AND outcome <> 'failed'"

#define SQL_ONE_SWEEP "(SELECT count(*) FROM sweep) = 1"

/* By what `best` chooses, for the queries and for which models are kept: */

/* What orders rows of the leaderboard by their cost, the cheapest first. Seconds count only where
 * flops are not known (doc/decisions/0030). */
#define SQL_COST "flops IS NULL, flops, iif(flops IS NULL, seconds, 0)"

/* Rows of l, rows of the leaderboard with all its columns, that are within one standard error of
 * the first and lost no more trials; the first of them is what --rule 1se chooses. */
#define SQL_1SE                                                                   \
    "SELECT l.* FROM l, (SELECT trials AS first_trials, mean AS first_mean,"      \
    " se AS first_se FROM l ORDER BY place LIMIT 1) WHERE trials >= first_trials" \
    " AND abs(mean - first_mean) <= first_se ORDER BY " SQL_COST ", place"

/* Tables of a WITH, of sweep ?1: chosen (config, is_best), what each of the two rules chooses: one
 * row where it is the same, none before a trial is done. */
#define SQL_CHOSEN                                                                   \
    "l AS MATERIALIZED (SELECT config, place, trials, mean, se, flops, seconds"      \
    " FROM leaderboard WHERE sweep = (SELECT name FROM sweep WHERE sweep_id = ?1))," \
    " chosen AS MATERIALIZED (SELECT config, max(is_best) AS is_best FROM"           \
    " (SELECT config, 1 AS is_best FROM l WHERE place = 1 AND mean IS NOT NULL"      \
    " UNION ALL SELECT config, 0 FROM (" SQL_1SE " LIMIT 1)) GROUP BY config)"

#endif
