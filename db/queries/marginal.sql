-- SPDX-License-Identifier: BSD-3-Clause
-- The effect of each value of each axis, averaged over everything else.
--   sqlite3 -box results.db < marginal.sql
-- mean is over the done trials with this value; best is the best mean of a configuration with it. A
-- value with fewer trials than the others of its axis lost some: its mean is over the remaining ones.
WITH score AS (
    SELECT config_id, count(*) AS trials, sum(value) AS total, avg(value) AS mean
    FROM trial WHERE state = 'done' GROUP BY config_id)
SELECT sweep.name AS sweep,
    axis.name AS axis,
    config.params ->> axis.name AS level,
    count(*) AS configs,
    sum(score.trials) AS trials,
    round(sum(score.total) / sum(score.trials), 4) AS mean,
    round(CASE sweep.direction WHEN 'max' THEN max(score.mean) ELSE min(score.mean) END, 4) AS best
FROM sweep
    JOIN axis USING (sweep_id)
    JOIN config USING (sweep_id)
    JOIN score USING (config_id)
WHERE level IS NOT NULL -- NULL: the model type does not have this setting
GROUP BY sweep_id, axis.ordinal, level
ORDER BY sweep_id, axis.ordinal, level;
