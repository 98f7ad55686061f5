-- SPDX-License-Identifier: BSD-3-Clause
-- The Pareto front of score and time: the configurations that no cheaper one equals.
--   sqlite3 -box results.db < accuracy-against-seconds.sql
-- seconds is the mean of a trial. Each row costs more and scores better than the row above it.
-- Only configurations without missing trials are listed.
WITH counted AS (
    SELECT *, max(trials) OVER (PARTITION BY sweep) AS most FROM leaderboard),
complete AS (
    SELECT counted.*, sweep.sweep_id,
        CASE direction WHEN 'max' THEN mean ELSE -mean END AS score
    FROM counted JOIN sweep ON sweep.name = counted.sweep
    WHERE trials = most AND mean IS NOT NULL),
ordered AS (
    SELECT *, max(score) OVER (PARTITION BY sweep_id ORDER BY seconds, score DESC, config
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM complete)
SELECT sweep, config, round(seconds, 6) AS seconds, round(mean, 4) AS mean, round(se, 4) AS se, place
FROM ordered
WHERE before IS NULL OR score > before
ORDER BY sweep_id, ordered.seconds;
