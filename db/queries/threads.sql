-- SPDX-License-Identifier: BSD-3-Clause
-- The gain from threads, for sweeps with the axis `threads`.
--   sqlite3 -box results.db < threads.sql
-- One row for each number of threads. It is compared with the smallest number, over configurations
-- that differ in nothing else. With the smallest number called "base": speedup = base seconds /
-- seconds; efficiency = speedup x base threads / threads. best is the fastest single trial.
WITH timed AS (
    SELECT config.sweep_id, config.config_id,
        json_remove(config.params, '$.threads') AS others,
        config.params ->> 'threads' AS threads,
        avg(trial.seconds) AS seconds, min(trial.seconds) AS best, count(*) AS trials
    FROM axis
        JOIN config USING (sweep_id)
        JOIN trial USING (config_id)
    WHERE axis.name = 'threads' AND trial.state = 'done'
    GROUP BY config.config_id),
compared AS (
    SELECT *, first_value(seconds) OVER least AS least_seconds,
        first_value(threads) OVER least AS least_threads
    FROM timed
    WINDOW least AS (PARTITION BY sweep_id, others ORDER BY threads))
SELECT sweep.name AS sweep, threads,
    count(*) AS configs, sum(trials) AS trials,
    round(avg(seconds), 6) AS seconds, round(min(best), 6) AS best,
    round(avg(least_seconds / seconds), 2) AS speedup,
    round(avg(least_seconds / seconds * least_threads / threads), 2) AS efficiency
FROM compared JOIN sweep USING (sweep_id)
GROUP BY sweep_id, threads
ORDER BY sweep_id, threads;
