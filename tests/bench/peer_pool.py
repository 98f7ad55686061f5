#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The trials of a program as tasks of multiprocessing.Pool, two at a time.

usage: peer_pool.py script|inside SCRIPT TRIALS NAME=VALUE...

script  each task starts the script as a process, as espalier does
inside  each task calls main() of the script in the process of the pool, which keeps its imports
TRIALS  a CSV file with a header of axes and a line for each trial
NAME=VALUE  variables of all trials

Results go to files that are read, and are not stored. Prints the number of trials and the best
val_accuracy.
"""
import csv
import importlib.util
import json
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

threads = {name: "1" for name in ("ESPALIER_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                  "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")}


def run_inside(script, variables):
    """The script and the helper hold the state of one trial, so both are loaded for each."""
    os.environ.update(variables)
    sys.modules.pop("espalier", None)
    spec = importlib.util.spec_from_file_location("program", script)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        module.main()
    finally:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            signal.signal(number, signal.SIG_DFL)  # the helper notes them; a pool ends by SIGTERM


def trial(task):
    way, script, variables, folder = task
    pathlib.Path(folder, "checkpoint").mkdir(parents=True)
    results = pathlib.Path(folder, "results.jsonl")
    variables = {**variables, **threads, "ESPALIER_RESULTS": str(results), "ESPALIER_DIR": folder,
                 "ESPALIER_CHECKPOINT": folder + "/checkpoint"}
    if way == "inside":
        run_inside(script, variables)
    else:
        subprocess.run([sys.executable, script], env={**os.environ, **variables}, check=True)
    with open(results, encoding="utf-8") as lines:
        return max(json.loads(line)["val_accuracy"] for line in lines)


def main():
    way, script, trials = sys.argv[1:4]
    fixed = dict(word.split("=", 1) for word in sys.argv[4:])
    os.environ.update(threads)
    with open(trials, newline="", encoding="utf-8") as file:
        rows = [{"ESPALIER_PARAM_" + name: value for name, value in row.items()}
                for row in csv.DictReader(file)]
    with tempfile.TemporaryDirectory() as folder:
        tasks = [(way, script, {**fixed, **row}, f"{folder}/t{i}") for i, row in enumerate(rows)]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            scores = list(pool.imap_unordered(trial, tasks))
            pool.close()
            pool.join()
        print(f"{len(scores)} {max(scores):.4f}")


if __name__ == "__main__":
    main()
