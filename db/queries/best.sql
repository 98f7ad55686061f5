-- SPDX-License-Identifier: BSD-3-Clause
-- The ten best configurations of each sweep in the file.
--   sqlite3 -box results.db < best.sql
-- mean, sd and se are those of the objective over replicates and folds. A configuration with a
-- missing trial (failed, diverged, not run yet) comes after the complete ones. diff is the difference
-- to the best configuration over the same replicates and folds; diff_se is its standard error.
SELECT * FROM leaderboard WHERE place <= 10;
