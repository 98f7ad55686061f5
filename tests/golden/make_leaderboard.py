#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The leaderboard of invented trials, by NumPy and SciPy, for tests/unit/leaderboard.c.

usage: make_leaderboard.py FILE

A case: name, direction, replicates, folds, test, val, whether there is a split file, number of
configurations; then a line of values for each (nan: diverged); then a line of expected values for
each: trials, mean, sd, se, diff, diff_se, diff_low, diff_high, pairs, within_se, place. nan means
NULL. Run by hand, never by `make check`; the file records the versions.
"""
import sys

import numpy as np
import scipy
from scipy import optimize, special, stats


def student(df):
    """Return t of a 95 % interval. stats.t.ppf() of SciPy 1.10 has only nine correct digits."""
    return optimize.brentq(lambda t: 0.05 - special.betainc(df / 2, 0.5, df / (df + t * t)),
                           1, 100, xtol=1e-15, rtol=1e-15)


def share(folds, test, val, given):
    """Return validation samples per training sample, if each pair has other parts."""
    if folds > 1:
        return 1 / (folds - 1)
    return 0.0 if given else val / (1 - test - val)


def ranked(values, direction):
    """Return rows by place: complete ones first, then by mean, then by number."""
    counts = np.sum(~np.isnan(values), axis=1)
    means = [np.nanmean(v) if n else np.inf for v, n in zip(values, counts)]
    sign = -1 if direction == "max" else 1
    return sorted(range(len(values)),
                  key=lambda c: (counts[c] != counts.max(), sign * means[c], c))


def paired(x, best, ratio):
    """Corrected resampled t (Nadeau & Bengio 2003); without correction, scipy's own paired t."""
    both = ~np.isnan(x) & ~np.isnan(best)
    d = x[both] - best[both]
    if len(d) < 2:
        return [d.mean() if len(d) else np.nan, np.nan, np.nan, np.nan, len(d)]
    se = np.sqrt((1 / len(d) + ratio) * np.var(d, ddof=1))
    half = student(len(d) - 1) * se
    if ratio == 0 and se > 0:
        interval = stats.ttest_rel(x[both], best[both]).confidence_interval(0.95)
        assert np.allclose(interval, (d.mean() - half, d.mean() + half))
    return [d.mean(), se, d.mean() - half, d.mean() + half, len(d)]


def expected(values, direction, ratio):
    order = ranked(values, direction)
    best = values[order[0]]
    complete = np.sum(~np.isnan(values), axis=1).max()
    n = np.sum(~np.isnan(best))
    best_se = stats.sem(best[~np.isnan(best)]) if n > 1 else np.nan
    for c, x in enumerate(values):
        x = x[~np.isnan(x)]
        sd = np.std(x, ddof=1) if len(x) > 1 else np.nan
        within = float(abs(x.mean() - np.nanmean(best)) <= best_se) if n > 1 else np.nan
        if len(x) < complete:
            within = 0
        yield ([len(x), x.mean(), sd, sd / np.sqrt(len(x))] + paired(values[c], best, ratio) +
               [within, order.index(c) + 1])


def make(rng, configs, trials, spread, missing=()):
    """Return scores that rise and fall together, like scores on the same folds."""
    common = rng.normal(0, 0.1, trials)
    own = rng.normal(0, spread, (configs, trials))
    values = np.round(0.5 + common + own + 0.02 * np.arange(configs)[:, None], 6)
    for c, t in missing:
        values[c, t] = np.nan
    return values


def main(path):
    rng = np.random.default_rng(30)
    tied = make(rng, 4, 5, 0.02)
    tied[1] = tied[3]
    cases = [
        ("repeated_folds", "max", 2, 5, 0.2, 0.2, 0, make(rng, 5, 10, 0.05)),
        ("one_repeat", "min", 1, 10, 0.2, 0.2, 0, make(rng, 6, 10, 0.02)),
        ("lost_trials", "max", 1, 5, 0.2, 0.2, 0,
         make(rng, 5, 5, 0.03, [(4, 1), (4, 3), (3, 0), (0, 0), (0, 1), (0, 2), (0, 3)])),
        ("best_lost_one", "min", 3, 2, 0.2, 0.2, 0,
         make(rng, 3, 6, 0.03, [(0, 1), (1, 2), (2, 5)])),
        ("holdout", "min", 4, 0, 0.1, 0.3, 0, make(rng, 4, 4, 0.03)),
        ("split_file", "max", 4, 0, 0.1, 0.3, 1, make(rng, 4, 4, 0.03)),
        ("split_file_folds", "max", 1, 3, 0.1, 0.3, 1, make(rng, 4, 3, 0.03)),
        ("one_trial", "max", 1, 0, 0.2, 0.2, 0, make(rng, 3, 1, 0.03)),
        ("two_trials", "max", 2, 0, 0.2, 0.2, 0, make(rng, 3, 2, 0.03)),
        ("tied", "max", 1, 5, 0.2, 0.2, 0, tied),
        ("far_from_zero", "min", 1, 5, 0.2, 0.2, 0, 1e6 + make(rng, 3, 5, 0.03)),
    ]
    with open(path, "w", encoding="ascii") as out:
        out.write(f"numpy {np.__version__} scipy {scipy.__version__} cases {len(cases)}\n")
        for *head, values in cases:
            out.write(" ".join(str(word) for word in head) + f" {len(values)}\n")
            for row in list(values) + list(expected(values, head[1], share(*head[3:7]))):
                out.write(" ".join(f"{v:.15g}" for v in row) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
