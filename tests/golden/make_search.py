#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reference values of the search, for tests/unit/search.c.

usage: make_search.py FILE

Sobol points come from SciPy; a Gaussian process's posterior from scikit-learn, and its expected
improvement from SciPy's normal distribution; the rungs of halving from scikit-learn; paired t tests
and the limits of races from R. The length scales and the noise of the process come from the
likelihood, by NumPy: no library has this search. Run by hand, never by `make check`; needs
scikit-learn and Rscript. The file records the versions.
"""
import itertools
import subprocess
import sys

import numpy as np
import scipy
import sklearn
from scipy.stats import norm, qmc
from sklearn.base import BaseEstimator
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern
from sklearn.model_selection import HalvingGridSearchCV, HalvingRandomSearchCV

AXIS = [0, 1, 2, 2, 2, 3]  # axis 2 is a word
SCALES, NOISES = (0.2, 0.4, 0.8, 1.6), (1e-3, 1e-2, 5e-2, 0.2)
RACES = """
    options(digits = 17)
    set.seed(38)
    cat("version", paste0("R-", getRversion()), "\\n")
    for (k in c(5, 10, 25)) for (shift in c(0.3, 1, 3)) for (m in c(2, 3, 4, 9, 24)) {
        first <- if (k < 8) 2 else 3
        if (m < first || m >= k) next
        best <- rnorm(m)
        other <- best - shift + 0.5 * rnorm(m)
        if (mean(other) > mean(best)) next
        alpha <- 0.05 / (k - first)
        t <- t.test(other, best, paired = TRUE, alternative = "less", conf.level = 1 - alpha)
        half <- unname(t$conf.int[2] - t$estimate)
        cat(k, m, unname(t$statistic), unname(t$estimate), half * sqrt(1 - m / k), best, other, "\\n")
    }
"""


def numbers(values):
    return " ".join(f"{v:.17g}" for v in np.ravel(values))


def sobol(out):
    points = [0, 1, 2, 3, 37, 1000, 4095]
    table = qmc.Sobol(64, scramble=False).random(4096)
    print("sobol", len(points), file=out)
    for p in points:
        print(p, numbers(table[p]), file=out)


def matern(a, b, scale):
    d = (a[:, None, :] - b[None, :, :]) / scale
    r = np.sqrt(5 * (d * d).sum(2))
    return (1 + r + r * r / 3) * np.exp(-r)


def fit(u, z, expected_noise):
    """Return length scale of each axis and noise, by coordinate search."""
    axis = np.array(AXIS)

    def cost(scale, noise):
        lower = np.linalg.cholesky(matern(u, u, scale[axis]) + noise * np.eye(len(z)))
        a = np.linalg.solve(lower, z)
        return (len(z) / 2 * np.log(a @ a / len(z)) + np.log(np.diag(lower)).sum() +
                0.5 * (np.log(scale / 0.4)**2).sum() +
                0.5 * np.log(noise * (a @ a / len(z)) / expected_noise)**2)

    scale, noise = np.full(axis.max() + 1, 0.4), 0.05
    for _ in range(2):
        for a in range(len(scale)):
            with_a = [np.where(np.arange(len(scale)) == a, s, scale) for s in SCALES]
            scale = min(with_a, key=lambda s: cost(s, noise))
        noise = min(NOISES, key=lambda v: cost(scale, v))
    return scale, noise


def rows(rng, n):
    word = rng.integers(0, 3, n)
    return np.column_stack([np.round(rng.uniform(size=(n, 2)), 3),
                            (word[:, None] == np.arange(3)) / np.sqrt(2),
                            rng.integers(0, 4, n) / 3])


def posterior(scale, noise, u, z, at):
    """Return mean and sd at the rows of `at`, and the largest mean at those of u."""
    columns = scale[np.array(AXIS)]
    lower = np.linalg.cholesky(matern(u, u, columns) + noise * np.eye(len(z)))
    variance = (np.linalg.solve(lower, z)**2).mean()
    model = GaussianProcessRegressor(ConstantKernel(variance) * Matern(columns, nu=2.5),
                                     alpha=noise * variance, optimizer=None).fit(u, z)
    return *model.predict(at, return_std=True), model.predict(u).max(), variance


def expected_improvement(mean, sd, best):
    g = (mean - best) / sd
    return sd * (g * norm.cdf(g) + norm.pdf(g))


def believer(scale, noise, u, z, candidates, n):
    """Return n choices: each one's mean counts as its value for the next."""
    chosen = []
    best = posterior(scale, noise, u, z, u)[2]
    for _ in range(n):
        mean, sd, _, _ = posterior(scale, noise, u, z, candidates)
        improvement = expected_improvement(mean, sd, best)
        improvement[chosen] = -1
        improvement = improvement.round(12)  # equal rows are equal
        chosen.append(int(improvement.argmax()))
        best = max(best, mean[chosen[-1]])
        u, z = np.vstack([u, candidates[chosen[-1]]]), np.append(z, mean[chosen[-1]])
    return chosen


def process(out):
    rng = np.random.default_rng(38)
    u, at = rows(rng, 40), rows(rng, 25)
    z = np.sin(7 * u[:, 0]) + 2 * u[:, 1] * u[:, 2] + 0.3 * rng.normal(size=40)
    z = (z - z.mean()) / z.std()
    expected_noise = 0.4
    scale, noise = fit(u, z, expected_noise)
    mean, sd, best, variance = posterior(scale, noise, u, z, at)
    i = np.arange(3000)
    candidates = np.column_stack([qmc.Sobol(2, scramble=False).random(4096)[:3000],
                                  (i[:, None] % 3 == np.arange(3)) / np.sqrt(2), i // 3 % 4 / 3])
    print("process", len(z), len(at), len(AXIS), len(scale), *AXIS, file=out)
    for values in (expected_noise, scale, noise, variance, best, u, z, at, mean, sd,
                   expected_improvement(mean, sd, best)):
        print(numbers(values), file=out)
    for name in "choices", "crowd":
        choices = believer(scale, noise, u, z, candidates, 16)
        print(name, 16, *choices, file=out)
        candidates[:1500] = candidates[choices[0]]


class Anything(BaseEstimator):
    """A model that has epochs and a setting, and whose score is the setting."""

    def __init__(self, epochs=1, setting=0):
        self.epochs, self.setting = epochs, setting

    def fit(self, x, y):
        return self

    def score(self, x, y):
        return self.setting


def halving(out):
    x, y = np.zeros((10, 1)), np.zeros(10)
    cases = [(54, 3, 3, 216), (81, 3, 3, 432), (27, 3, 4, 100), (64, 2, 4, 37), (256, 4, 3, 50)]
    print("halving", 2 * len(cases), file=out)
    for (epochs, eta, rungs, n), is_grid in itertools.product(cases, (True, False)):
        first = epochs // eta**(rungs - 1)
        given = {"factor": eta, "resource": "epochs", "max_resources": epochs, "min_resources": first,
                 "cv": 2, "refit": False}
        search = (HalvingGridSearchCV(Anything(), {"setting": list(range(n))}, **given) if is_grid else
                  HalvingRandomSearchCV(Anything(), {"setting": list(range(n))}, n_candidates=n,
                                        random_state=1, **given)).fit(x, y)
        print(epochs, eta, rungs, *search.n_resources_[:rungs], *search.n_candidates_[:rungs], file=out)


def races(out):
    said = subprocess.run(["Rscript", "-e", RACES], check=True, capture_output=True, text=True)
    version, *lines = said.stdout.splitlines()
    print("races", len(lines), version.split()[1], file=out)
    print("\n".join(lines), file=out)


def main(path):
    with open(path, "w", encoding="ascii") as out:
        print(f"versions numpy-{np.__version__},scipy-{scipy.__version__},"
              f"scikit-learn-{sklearn.__version__}", file=out)
        for part in (sobol, process, halving, races):
            part(out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
