#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The trials of a grid as tasks under mpi4py.futures, each a training of peer_torch.py.

usage: mpirun -n 3 python3 -m mpi4py.futures peer_sweep.py DATA SPLITS TRIALS

A waiting master and two workers of one thread each. A worker loads data and graph once. SPLITS is
the output of `espalier inspect --splits`; TRIALS is a CSV file with a header of hidden_size,
learning_rate, dropout, batch_size and a line for each trial. Prints seconds from the first start to
the last finish of a trial, the number of trials and the best test score.
"""
import csv
import pathlib
import sys
import time

from mpi4py.futures import MPIPoolExecutor

from peer_torch import Settings, load_ft10, one_core, split_parts, train

problem = None


def set_up(root, splits):
    global problem
    one_core()
    ids, loaded = load_ft10(pathlib.Path(root))
    problem = loaded._replace(parts=split_parts(splits, ids)[0])
    train(problem, Settings(epochs=2))  # first calls initialise


def trial(settings):
    begun = time.time()
    score = train(problem, settings)
    return begun, time.time(), score


def read_trials(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [Settings(hidden=int(row["hidden_size"]), rate=float(row["learning_rate"]),
                         dropout=float(row["dropout"]),
                         batch=0 if row["batch_size"] == "full" else int(row["batch_size"]))
                for row in csv.DictReader(file)]


def main():
    with MPIPoolExecutor(initializer=set_up, initargs=sys.argv[1:3]) as pool:
        done = list(pool.map(trial, read_trials(sys.argv[3])))
    begun, finished, scores = zip(*done)
    print(f"{max(finished) - min(begun):.3f} {len(done)} {max(scores):.4f}")


if __name__ == "__main__":
    main()
