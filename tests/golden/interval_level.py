#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often the 95 % interval of a paired difference excludes 0 although neither model is better:
plain paired t and corrected resampled t (doc/decisions/0030). 5 % is right. Run by hand.

Two ridge regressions are equal in expectation: each sees half of the features, and both halves have
the same signal. Each data set is new; scores are correlations on the folds of cross-validation.
"""
import numpy as np
from scipy import stats

SAMPLES, FEATURES, DATA_SETS = 150, 20, 600


def score(x, y, val, train):
    weights = np.linalg.solve(x[train].T @ x[train] + 10 * np.eye(x.shape[1]),
                              x[train].T @ (y[train] - y[train].mean()))
    return np.corrcoef(x[val] @ weights, y[val])[0, 1]


def differences(rng, folds, replicates):
    x = rng.normal(size=(2, SAMPLES, FEATURES))
    effects = rng.normal(size=FEATURES) * np.sqrt(0.3 / FEATURES)
    y = x[0] @ effects + x[1] @ rng.permutation(effects) + rng.normal(size=SAMPLES) * np.sqrt(0.4)
    for _ in range(replicates):
        order = rng.permutation(SAMPLES)
        for fold in range(folds):
            val = order[fold::folds]
            train = np.setdiff1d(order, val)
            yield score(x[0], y, val, train) - score(x[1], y, val, train)


def leaves_out_0(d, share):
    se = np.sqrt((1 / len(d) + share) * d.var(ddof=1))
    return abs(d.mean()) > stats.t.ppf(0.975, len(d) - 1) * se


def main():
    rng = np.random.default_rng(1)
    for folds, replicates in ((5, 1), (10, 1), (5, 5)):
        found = [[leaves_out_0(d, 0), leaves_out_0(d, 1 / (folds - 1))]
                 for d in (np.array(list(differences(rng, folds, replicates)))
                           for _ in range(DATA_SETS))]
        plain, corrected = 100 * np.mean(found, axis=0)
        print(f"{folds} folds x {replicates}: plain {plain:.1f} %, corrected {corrected:.1f} %")


if __name__ == "__main__":
    main()
