-- SPDX-License-Identifier: BSD-3-Clause
-- The ten best configurations of each sweep in the file.
--   sqlite3 -box results.db < best.sql
-- mean, sd and se are those of the objective over replicates and folds; a configuration that lost
-- a trial (failed, diverged, not run yet) comes after the complete ones. diff is the difference to
-- the best over the same replicates and folds, diff_se its standard error.
SELECT * FROM leaderboard WHERE place <= 10;
