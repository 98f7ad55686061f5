#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ridge regression by scikit-learn and GBLUP by numpy, for comparison in tests/unit/ridge.c.

usage: make_ridge.py DIRECTORY

Each case is solved twice. Weights, intercepts and scores come from scikit-learn's Ridge with
fit_intercept=True and alpha = F lambda, which solves the primal. `gblup` solves the mixed-model
equations of Henderson (1975) for G = ZZ'/F with the variance ratio lambda. Classes are +-1 for one
against the rest, as in RidgeClassifier. Scores are computed from their definitions. Each case is
one text file of whitespace-separated words. Run by hand, never by `make check`; needs scikit-learn.
"""
import pathlib
import sys

import numpy as np
import sklearn
from sklearn.linear_model import Ridge

CASES = {
    # name: task, held as, samples, features, classes, scale, lambda
    "ridge_regr": ("regression", "dosage", 40, 70, 0, "standardize", 0.7),
    "ridge_few": ("regression", "dense", 40, 7, 0, "none", 0.05),
    "ridge_class": ("classification", "sparse", 45, 24, 3, "row", 0.001),
    "ridge_binary": ("classification", "dense", 40, 10, 2, "standardize", 2.0),
}


def features(rng, held, n, f):
    if held == "dosage":
        return rng.integers(0, 3, (n, f)).astype(float)
    x = np.round(rng.normal(1, 1, (n, f)), 3)
    return x * (rng.uniform(size=x.shape) < 0.3) if held == "sparse" else x


def scaled(x, scale):
    if scale == "standardize":
        return (x - x.mean(0)) / x.std(0)
    if scale == "row":
        total = x.sum(1, keepdims=True)
        return x / np.where(total == 0, 1, total)
    return x


def auc(truth, score):
    """Return the share of pairs in the right order; ties count half."""
    order = np.sign(score[truth][:, None] - score[~truth][None, :])
    return (order.mean() + 1) / 2


def f1(truth, guess):
    return 2 * (truth & guess).sum() / (truth.sum() + guess.sum())


def metrics(task, y, out, sd, classes):
    if task == "regression":
        error = (out[:, 0] - y) * sd
        return {"pearson": np.corrcoef(out[:, 0], y)[0, 1], "rmse": np.sqrt((error**2).mean()),
                "mae": abs(error).mean(), "r2": 1 - (error**2).sum() / (((y - y.mean()) * sd)**2).sum()}
    guess = out.argmax(1)
    present = [c for c in range(classes) if (y == c).any() or (guess == c).any()]
    aucs = [auc(y == c, out[:, c]) for c in ([1] if classes == 2 else range(classes))]
    return {"accuracy": (guess == y).mean(), "macro_f1": np.mean([f1(y == c, guess == c) for c in present]),
            "roc_auc": np.mean(aucs)}


def gblup(z, y, train, lam):
    """Return mean + breeding value of each sample. Those of `train` have a record in y.

    Henderson's equations in the form for a G without an inverse:
        [ 1'1   1'W         ] [b]   [ 1'y  ]
        [ GW'1  GW'W + lam I] [u] = [ GW'y ]
    where W selects the samples with a record.
    """
    n, g = len(z), z @ z.T / z.shape[1]
    w = np.zeros((len(train), n))
    w[np.arange(len(train)), train] = 1
    ones = np.ones((len(train), 1))
    left = np.block([[ones.T @ ones, ones.T @ w], [g @ w.T @ ones, g @ w.T @ w + lam * np.eye(n)]])
    solved = np.linalg.solve(left, np.vstack([ones.T @ y, g @ w.T @ y]))
    return solved[0] + solved[1:]


def write_case(path, name, case):
    task, held, n, f, classes, scale, lam = case
    rng = np.random.default_rng(sum(name.encode()))
    x = np.float32(features(rng, held, n, f)).astype(float)
    z = scaled(x, scale)
    truth = z @ rng.normal(size=(f, max(classes, 1))) + 0.5 * rng.normal(size=(n, max(classes, 1)))
    order = rng.permutation(n - 2)
    parts = [np.sort(p) for p in np.split(order, [n // 2, 3 * n // 4])]
    train = parts[0]
    if task == "regression":
        target = np.float32(50 + 10 * truth[:, 0]).astype(float)
        mean, sd = target[train].mean(), target[train].std()
        y = (target - mean) / sd
        sides = y[:, None]
    else:
        y, sd = truth.argmax(1), 1
        sides = np.where(y[:, None] == np.arange(classes), 1.0, -1.0)
    model = Ridge(alpha=f * lam, fit_intercept=True, solver="cholesky").fit(z[train], sides[train])
    w, b = model.coef_.T, model.intercept_
    out = z @ w + b
    mixed = gblup(z, sides[train], train, lam)
    assert abs(out - mixed).max() < 1e-9, abs(out - mixed).max()
    with open(path, "w") as file:
        print("versions", f"numpy-{np.__version__},scikit-learn-{sklearn.__version__}", file=file)
        print("task", task, "held", held, "scale", scale, file=file)
        print("shape", n, f, classes, "lambda", lam, file=file)
        for word, part in zip(("train", "val", "test"), parts):
            print(word, len(part), *part, file=file)
        print("features", *(f"{v:.9g}" for v in x.ravel()), file=file)
        print("target", *(f"{v:.9g}" for v in (target if task == "regression" else y)), file=file)
        print("weights", *(f"{v:.12g}" for v in w.ravel()), *(f"{v:.12g}" for v in b), file=file)
        print("gblup", *(f"{v:.12g}" for v in mixed.ravel()), file=file)
        for word, part in zip(("train", "val", "test"), parts):
            found = metrics(task, y[part], out[part], sd, classes)
            print("metrics", word, len(found), *(f"{k} {v:.12g}" for k, v in found.items()), file=file)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    for name, case in CASES.items():
        write_case(folder / f"{name}.txt", name, case)
