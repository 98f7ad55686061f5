#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trials that do nothing in Optuna: a grid in one SQLite file, run by two processes.

usage: peer_optuna.py DATABASE TRIALS

Prints trials a second, without imports and the creation of the study. Each trial is slower than the
one before, since the sampler reads all earlier ones: few trials favour Optuna.
"""
import multiprocessing
import sys
import time

import optuna


def work(storage, n, barrier):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.GridSampler({"replicate": list(range(2 * n))})
    study = optuna.load_study(study_name="noop", storage=storage, sampler=sampler)
    barrier.wait()
    study.optimize(lambda trial: trial.suggest_int("replicate", 0, 2 * n - 1), n_trials=n)


def main():
    storage, n = f"sqlite:///{sys.argv[1]}", int(sys.argv[2])
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(study_name="noop", storage=storage)
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(3)
    workers = [context.Process(target=work, args=(storage, n // 2, barrier)) for _ in range(2)]
    for worker in workers:
        worker.start()
    barrier.wait()
    begun = time.perf_counter()
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - begun
    print(len(study.get_trials(states=[optuna.trial.TrialState.COMPLETE])) / seconds)


if __name__ == "__main__":
    main()
