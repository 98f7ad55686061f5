-- SPDX-License-Identifier: BSD-3-Clause
-- The gain from threads and ranks, for sweeps with an axis `threads` or `ranks`.
--   sqlite3 -box results.db < threads.sql
-- One row for each number of threads and ranks; cores = threads x ranks. It is compared with the
-- fewest cores, over configurations that differ in nothing else. With these called "base":
-- speedup = base seconds / seconds; efficiency = speedup x base cores / cores. best is the fastest
-- single trial.
WITH timed AS (
    SELECT sweep_id, json_remove(params, '$.threads', '$.ranks') AS others,
        params ->> 'threads' AS threads, params ->> 'ranks' AS ranks,
        avg(seconds) AS seconds, min(seconds) AS best, count(*) AS trials
    FROM config
        JOIN trial USING (config_id)
    WHERE trial.state = 'done'
        AND sweep_id IN (SELECT sweep_id FROM axis WHERE name IN ('threads', 'ranks'))
    GROUP BY config_id),
compared AS (
    SELECT *, threads * ranks AS cores, first_value(seconds) OVER least AS least_seconds,
        first_value(threads * ranks) OVER least AS least_cores
    FROM timed
    WINDOW least AS (PARTITION BY sweep_id, others ORDER BY threads * ranks))
SELECT sweep.name AS sweep, threads, ranks, cores,
    count(*) AS configs, sum(trials) AS trials,
    round(avg(seconds), 6) AS seconds, round(min(best), 6) AS best,
    round(avg(least_seconds / seconds), 2) AS speedup,
    round(avg(least_seconds / seconds * least_cores / cores), 2) AS efficiency
FROM compared JOIN sweep USING (sweep_id)
GROUP BY sweep_id, threads, ranks
ORDER BY sweep_id, cores, ranks;
