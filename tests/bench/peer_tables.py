#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A graph read from tables with pandas and normalised with SciPy, for comparison with espalier.

usage: peer_tables.py FOLDER      (edges.csv, features.csv, labels.csv)
       peer_tables.py --version

Prints seconds without the imports: read and joined by id; made symmetric without repeats and self
loops, A^ and A^X of standardised features; degrees and components.
"""
import sys
import time

import numpy as np
import pandas as pd
import scipy
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components


def read(folder):
    labels = pd.read_csv(folder + "/labels.csv")
    features = pd.read_csv(folder + "/features.csv")
    edges = pd.read_csv(folder + "/edges.csv")
    ids = pd.Index(labels.node)
    x = features.set_index("node").reindex(labels.node).to_numpy(np.float32)
    return x, ids.get_indexer(edges.source), ids.get_indexer(edges.target)


def normalize(x, source, target):
    n = len(x)
    other = source != target
    source, target = source[other], target[other]
    a = sp.coo_matrix((np.ones(2 * len(source), np.float32), (np.r_[source, target], np.r_[target, source])), (n, n)).tocsr()
    a.data[:] = 1  # tocsr() added up repeats
    a = a + sp.eye(n, dtype=np.float32, format="csr")
    root = sp.diags(1 / np.sqrt(np.asarray(a.sum(1)).ravel()).astype(np.float32))
    a_hat = (root @ a @ root).tocsr()
    return a_hat, a_hat @ ((x - x.mean(0)) / x.std(0))


def main():
    if sys.argv[1] == "--version":
        print(f"pandas {pd.__version__} and SciPy {scipy.__version__}")
        return
    at = [time.perf_counter()]
    x, source, target = read(sys.argv[1])
    at.append(time.perf_counter())
    a_hat, _ = normalize(x, source, target)
    at.append(time.perf_counter())
    np.diff(a_hat.indptr).max()
    connected_components(a_hat, directed=False)
    at.append(time.perf_counter())
    print(*(f"{b - a:.4f}" for a, b in zip(at, at[1:])))


main()
