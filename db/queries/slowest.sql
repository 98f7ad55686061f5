-- SPDX-License-Identifier: BSD-3-Clause
-- The twenty slowest trials, and where their time went (percent of the phases that were measured).
--   sqlite3 -box results.db < slowest.sql
-- 'gflop_s' is the speed while training; 'waiting' is time of the worker before the trial began and
-- not part of seconds.
SELECT trial, config, rank, host, attempts,
    round(seconds, 6) AS seconds,
    round(flops / seconds / 1e9, 2) AS gflop_s,
    (SELECT group_concat(phase || ' ' || percent || '%', ', ') FROM (
        SELECT phase, round(100 * p.seconds / sum(p.seconds) OVER ()) AS percent
        FROM timing AS p WHERE p.trial_id = slow.trial AND phase <> 'waiting'
        ORDER BY p.seconds DESC)) AS phases
FROM (
    SELECT trial, config, rank, host, trials.attempts, trials.seconds, flops
    FROM trials JOIN trial ON trial.trial_id = trials.trial
    WHERE trials.seconds IS NOT NULL
    ORDER BY trials.seconds DESC LIMIT 20) AS slow;
