#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What tests/cli/pinned.sh records.

usage: pinned.py rows DATABASE          keys of trials, and what they store
       pinned.py page PAGE              the data of a page, without what differs from run to run
       pinned.py compare RECORDED NEW   "equal", or the lines that differ

Prints a line for each thing: its name and its values. Numbers of two lines are equal if they agree to
1 part in 10,000: processors round differently. A list of numbers is its length, sum and sum of squares."""
import json
import re
import sqlite3
import sys

# Of the first fold, all that is stored.
FIRST = " WHERE trial_id IN (SELECT trial_id FROM trial WHERE replicate = 0 AND fold = 0)"
ROWS = {
    "trial": "SELECT config_id, replicate, fold, key, state, value, epochs_run, best_epoch, flops FROM trial",
    "metric": "SELECT trial_id, split, name, value FROM metric" + FIRST,
    "curve": "SELECT trial_id, epoch, train_loss, val_loss, val_value FROM curve" + FIRST,
    "prediction": "SELECT trial_id, sample, id, observed, predicted, probabilities FROM prediction" + FIRST,
}
# Times, and what names the machine and the release.
VARIES = re.compile(r"\.(program|made|seconds|t0|sessions|ranks|attempts|predicted_s|facts)\b")


def rows(database):
    for name, query in ROWS.items():
        for row in sqlite3.connect(database).execute(query + " ORDER BY 1, 2, 3"):
            print(name, *("-" if value is None else "%.12g" % value if isinstance(value, float) else value for value in row))


def flatten(value, path):
    if VARIES.search(path):
        print(path, type(value).__name__)
    elif isinstance(value, dict):
        for key, inner in value.items():
            flatten(inner, f"{path}.{key}")
    elif isinstance(value, list) and all(isinstance(v, (int, float)) for v in value):
        print(path, len(value), "%.12g %.12g" % (sum(value), sum(v * v for v in value)))
    elif isinstance(value, list):
        print(path, len(value))
        for i, inner in enumerate(value[:3]):
            flatten(inner, f"{path}.{i}")
    else:
        print(path, json.dumps(value))


def page(path):
    data = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', open(path, encoding="utf-8").read(), re.S)
    flatten(json.loads(data[1]), "page")


def is_equal(a, b):
    if a == b:
        return True
    try:
        a, b = float(a), float(b)
    except ValueError:
        return False
    return abs(a - b) <= 1e-4 * max(abs(a), abs(b), 1e-3)


def compare(recorded, new):
    with open(recorded, encoding="utf-8") as a, open(new, encoding="utf-8") as b:
        old, now = ([line.split() for line in file if not line.startswith("#")] for file in (a, b))
    apart = [(x, y) for x, y in zip(old, now) if len(x) != len(y) or not all(map(is_equal, x, y))]
    for x, y in apart[:10]:
        print("recorded", *x, "\nnow     ", *y)
    if len(old) != len(now):
        print(f"recorded {len(old)} lines, now {len(now)}")
    elif not apart:
        print("equal")


{"rows": rows, "page": page, "compare": compare}[sys.argv[1]](*sys.argv[2:])
