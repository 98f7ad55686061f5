#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What other searches lose beside a complete grid: decisions of Optuna and scikit-learn, replayed on
the tables of tests/bench/regret.c.

usage: peer_regret.py RULE SEEDS TABLE.csv...

Prints "COST REGRET SE", then regret and its standard error for each table: the cost as a share of
the grid or as a number of full configurations, the regret in standard errors of the best
configuration. RULE: halving (scikit-learn's, on random halves of the grid); tpe and gp (Optuna's, 64
configurations in batches of 16); hyperband (Optuna's TPE and HyperbandPruner, at the cost of 24 full
configurations). A configuration that was run is not paid again. A diverged one is a failed trial.
"""
import collections
import csv
import math
import sys
import warnings

import numpy as np

TRIED, BATCH, FULL = 64, 16, 24


class Table:
    """scores (configurations, folds, rungs), larger is better, -inf: diverged."""

    def __init__(self, path):
        with open(path, encoding="ascii", newline="") as file:
            head, *rows = csv.reader(file)
        n_axes = head.index("replicate") - 1
        rungs = [i for i, name in enumerate(head) if name.startswith("value_")]
        by = collections.defaultdict(list)
        for row in rows:
            by[tuple(row[1:1 + n_axes])].append([float(row[i] or "-inf") for i in rungs])
        self.scores = np.array(list(by.values()))
        self.epochs = [int(head[i].split("_")[1]) for i in rungs]
        self.levels = [self.sorted_levels({key[a] for key in by}) for a in range(n_axes)]
        self.numbers = {key: i for i, key in enumerate(by)}
        self.mean = self.scores[:, :, -1].mean(1)
        best = self.scores[self.mean.argmax(), :, -1]
        self.best, self.se = best.mean(), best.std(ddof=1) / math.sqrt(len(best))

    @staticmethod
    def sorted_levels(levels):
        try:
            return sorted(levels, key=float), True
        except ValueError:
            return sorted(levels), False

    def suggest(self, trial):
        """Return the number of a configuration. An axis of numbers is one of ranks."""
        key = []
        for a, (levels, is_number) in enumerate(self.levels):
            if is_number:
                key.append(levels[trial.suggest_int(f"x{a}", 0, len(levels) - 1)])
            else:
                key.append(trial.suggest_categorical(f"x{a}", levels))
        return self.numbers[tuple(key)]


def batches(sampler):
    def rule(table, seed):
        import optuna
        study = optuna.create_study(direction="maximize", sampler=sampler(optuna, seed))
        seen = set()
        for _ in range(60):
            asked = [(trial, table.suggest(trial)) for trial in (study.ask() for _ in range(BATCH))]
            for trial, i in asked:
                if len(seen) < TRIED:
                    seen.add(i)
                if table.mean[i] > -math.inf:
                    study.tell(trial, table.mean[i])
                else:
                    study.tell(trial, state=optuna.trial.TrialState.FAIL)
            if len(seen) == TRIED:
                break
        return len(seen), max(table.mean[i] for i in seen), table.best
    return rule


def hyperband(table, seed):
    import optuna
    epochs = table.epochs
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed),
        pruner=optuna.pruners.HyperbandPruner(min_resource=epochs[0], max_resource=epochs[-1],
                                              reduction_factor=3))
    paid, cost, best = {}, 0, -math.inf
    while cost < FULL:
        trial = study.ask()
        i = table.suggest(trial)
        value, state = None, optuna.trial.TrialState.COMPLETE
        for rung, epoch in enumerate(epochs):
            cost += max(0, epoch - paid.get(i, 0)) / epochs[-1]
            paid[i] = max(epoch, paid.get(i, 0))
            value = table.scores[i, :, rung].mean()
            if value == -math.inf:
                state = optuna.trial.TrialState.FAIL
                break
            trial.report(value, epoch)
            if rung < len(epochs) - 1 and trial.should_prune():
                state = optuna.trial.TrialState.PRUNED
                break
        if state == optuna.trial.TrialState.COMPLETE:
            best = max(best, value)
        study.tell(trial, value if state == optuna.trial.TrialState.COMPLETE else None, state=state)
    return cost, best, table.best


def halving(table, seed):
    from sklearn.base import BaseEstimator
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV, KFold

    class Stored(BaseEstimator):
        def __init__(self, epochs=1, config=0):
            self.epochs, self.config = epochs, config

        def fit(self, x, y):
            return self

        def score(self, x, y):
            return table.scores[self.config, int(x[0, 0]), table.epochs.index(self.epochs)]

    n, folds, rungs = table.scores.shape
    half = np.random.default_rng(seed).permutation(n)[:n // 2]
    x = np.arange(folds)[:, None]
    search = HalvingGridSearchCV(Stored(), {"config": half.tolist()}, factor=3, resource="epochs",
                                 min_resources=table.epochs[0], max_resources=table.epochs[-1],
                                 cv=KFold(folds), refit=False).fit(x, x[:, 0])
    spent = np.diff([0] + table.epochs) / table.epochs[-1]
    cost = sum(a * b for a, b in zip(search.n_candidates_[:rungs], spent)) / len(half)
    return cost, table.mean[search.best_params_["config"]], table.mean[half].max()


RULES = {
    "tpe": batches(lambda optuna, seed: optuna.samplers.TPESampler(seed=seed, constant_liar=True)),
    "gp": batches(lambda optuna, seed: optuna.samplers.GPSampler(seed=seed)),
    "hyperband": hyperband,
    "halving": halving,
}


def main():
    rule, n_seeds, *paths = sys.argv[1:]
    warnings.simplefilter("ignore")
    if rule != "halving":
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
    costs, means, errors = [], [], []
    for path in paths:
        table = Table(path)
        found = [RULES[rule](table, seed) for seed in range(int(n_seeds))]
        regret = np.array([(best - score) / table.se for _, score, best in found])
        costs.append(np.mean([cost for cost, _, _ in found]))
        means.append(regret.mean())
        errors.append(regret.std(ddof=1) / math.sqrt(len(regret)))
    print(f"{np.mean(costs):.3f} {np.mean(means):.3f} {math.hypot(*errors) / len(errors):.3f}",
          *(f"{m:.3f} {e:.3f}" for m, e in zip(means, errors)))


if __name__ == "__main__":
    main()
