#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a search does to the intervals of the leaderboard and to the score of the best configuration. Run by
hand; doc/manual/explanation/leaderboard-statistics.md has the table.

Simulated sweeps of 27 configurations with 5 folds. The score of a configuration on a fold is its true score,
plus an effect of the fold, plus an error of sd 1 whose correlation between folds is that for which the
interval of Nadeau & Bengio is exact. True scores have the sd `spread`. Scores at rungs 1 and 2 have errors
that correlate by 0.6 and 0.85 with those of the end, and true scores that differ from those of the end by
half a spread and a quarter. Halving (eta 3, slack 0.5) and race (first 2, alpha 0.05) are those of src/search.

Printed for each: the share of the trials' epochs that ran; how often the 95 % interval of the difference
misses the true difference, against a configuration that was fixed before (5 % is right) and against the best
one, among complete configurations and, in a race, those that it stopped; how much too good the mean of the
best is, and how far the best is truly below the best of all, both in standard errors of a mean.
"""
import numpy as np
from scipy import stats

CONFIGS, FOLDS, SWEEPS, ETA, SLACK, FIRST, ALPHA = 27, 5, 2000, 3, 0.5, 2, 0.05
RHO = 1 / FOLDS
T95 = {m: stats.t.ppf(0.975, m - 1) for m in range(FIRST, FOLDS + 1)}
T_RACE = {m: stats.t.ppf(1 - ALPHA / (FOLDS - FIRST), m - 1) for m in range(FIRST, FOLDS)}
MEAN_SE = np.sqrt(RHO + (1 - RHO) / FOLDS)


def errors(rng):
    return (np.sqrt(RHO) * rng.normal(size=(CONFIGS, 1)) +
            np.sqrt(1 - RHO) * rng.normal(size=(CONFIGS, FOLDS)))


def draw(rng, spread):
    """True scores, and scores at the two rungs and at the end."""
    true, end = spread * rng.normal(size=CONFIGS), errors(rng)
    fold = 2 * rng.normal(size=FOLDS)
    rungs = [true[:, None] + off * spread * rng.normal(size=(CONFIGS, 1)) + fold + r * end +
             np.sqrt(1 - r * r) * errors(rng) for r, off in ((0.6, 0.5), (0.85, 0.25))]
    return true, [*rungs, true[:, None] + fold + end]


def grid(scores):
    return {c: FOLDS for c in range(CONFIGS)}, 1


def halving(scores):
    left, n, cost, done = list(range(CONFIGS)), CONFIGS, 0, 0
    for rung, share in enumerate((1 / 9, 1 / 3, 1)):
        cost, done = cost + len(left) * (share - done), share
        if rung == 2:
            break
        left.sort(key=lambda c: -scores[rung][c].mean())
        n = -(-n // ETA)
        d = scores[rung][left[n - 1]] - scores[rung][left]
        left = [c for i, c in enumerate(left)
                if i < n or d[i].mean() <= SLACK * d[i].std(ddof=1) / np.sqrt(FOLDS)]
    return {c: FOLDS for c in left}, cost / CONFIGS


def race(scores):
    left, folds = list(range(CONFIGS)), {}
    for m in range(FIRST, FOLDS):
        best = max(left, key=lambda c: scores[2][c, :m].mean())
        d = scores[2][best, :m] - scores[2][left, :m]
        limit = (T_RACE[m] * d.std(axis=1, ddof=1) *
                 np.sqrt(1 / m - 1 / FOLDS))
        folds.update({c: m for c in left})
        left = [c for i, c in enumerate(left) if c == best or d[i].mean() <= limit[i]]
    folds.update({c: FOLDS for c in left})
    return folds, sum(folds.values()) / (CONFIGS * FOLDS)


def misses(scores, true, a, b, m):
    """For each configuration of the list a, over m folds."""
    d = scores[2][a, :m] - scores[2][b, :m]
    half = T95[m] * np.sqrt((1 / m + 1 / (FOLDS - 1)) * d.var(axis=1, ddof=1))
    return list(abs(d.mean(axis=1) - (true[a] - true[b])) > half)


def main():
    for spread in (0, 0.5, 1.5):
        rng = np.random.default_rng(1)
        found = {rule: {"cost": [], "fixed": [], "best": [], "stopped": [], "too good": [], "regret": []}
                 for rule in (grid, halving, race)}
        for _ in range(SWEEPS):
            true, scores = draw(rng, spread)
            for rule, out in found.items():
                folds, cost = rule(scores)
                whole = [c for c, m in folds.items() if m == FOLDS]
                best = max(whole, key=lambda c: scores[2][c].mean())
                out["cost"].append(cost)
                out["too good"].append((scores[2][best].mean() - scores[2].mean() -
                                        true[best] + true.mean()) / MEAN_SE)
                out["regret"].append((true.max() - true[best]) / MEAN_SE)
                out["best"] += misses(scores, true, [c for c in whole if c != best], best, FOLDS)
                for m in range(FIRST, FOLDS):
                    out["stopped"] += misses(scores, true, [c for c in folds if folds[c] == m], best, m)
                if 0 in whole:
                    out["fixed"] += misses(scores, true, [c for c in whole if c], 0, FOLDS)
        for rule, out in found.items():
            print(f"spread {spread} {rule.__name__:8}", " ".join(
                f"{k} {np.mean(v) if v else np.nan:.3f}" for k, v in out.items()), flush=True)


if __name__ == "__main__":
    main()
