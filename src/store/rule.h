/* By what `best` chooses, in one place: the queries, and which models are kept. */
#ifndef STORE_RULE_H
#define STORE_RULE_H

/* What orders rows of the leaderboard by their cost, the cheapest first. Seconds count only where
 * flops are not known (doc/decisions/0030). */
#define RULE_COST "flops IS NULL, flops, iif(flops IS NULL, seconds, 0)"

/* Rows of l, rows of the leaderboard with all its columns, that are within one standard error of
 * the first and lost no more trials; the first of them is what --rule 1se chooses. */
#define RULE_1SE                                                                  \
    "SELECT l.* FROM l, (SELECT trials AS first_trials, mean AS first_mean,"      \
    " se AS first_se FROM l ORDER BY place LIMIT 1) WHERE trials >= first_trials" \
    " AND abs(mean - first_mean) <= first_se ORDER BY " RULE_COST ", place"

/* Tables of a WITH, of sweep ?1: chosen (config, is_best), what each of the two rules chooses: one
 * row where it is the same, none before a trial is done. */
#define RULE_CHOSEN                                                                  \
    "l AS MATERIALIZED (SELECT config, place, trials, mean, se, flops, seconds"      \
    " FROM leaderboard WHERE sweep = (SELECT name FROM sweep WHERE sweep_id = ?1))," \
    " chosen AS MATERIALIZED (SELECT config, max(is_best) AS is_best FROM"           \
    " (SELECT config, 1 AS is_best FROM l WHERE place = 1 AND mean IS NOT NULL"      \
    " UNION ALL SELECT config, 0 FROM (" RULE_1SE " LIMIT 1)) GROUP BY config)"

#endif
