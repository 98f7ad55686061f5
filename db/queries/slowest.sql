-- SPDX-License-Identifier: BSD-3-Clause
-- The twenty slowest trials, and the share of each phase in their measured time (percent).
--   sqlite3 -box results.db < slowest.sql
-- gflop_s is flops / seconds. The phase `waiting` (of the worker, before the trial began) is not part
-- of seconds and is left out.
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
