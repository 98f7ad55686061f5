#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The GCN of peer_torch.py on the FT10 data, with espalier's own folds.

usage: peer_accuracy.py DATA SPLITS

SPLITS is the output of `espalier inspect --splits`. Prints the mean test Pearson r over its folds,
at the epoch with the best validation r, which is espalier's selection.
"""
import pathlib
import sys

import numpy as np
import torch

from peer_torch import Settings, load_ft10, one_core, split_parts, train


def main():
    one_core()
    ids, problem = load_ft10(pathlib.Path(sys.argv[1]))
    scores = []
    for seed, parts in enumerate(split_parts(sys.argv[2], ids)):
        torch.manual_seed(seed)
        scores.append(train(problem._replace(parts=parts), Settings()))
    print(f"{np.mean(scores):.4f}")


if __name__ == "__main__":
    main()
