#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Losses and logits of a plain PyTorch model on samples that are graphs, like make_golden.py.

usage: make_pool.py DIRECTORY

Nodes of all graphs form one dense block-diagonal matrix; batches list graphs.
"""
import pathlib
import sys

import numpy as np
import torch

import make_golden as golden

CASES = {
    # name: pooling, then as in make_golden.py; samples are graphs
    "pool_mean_class": ("mean", "classification", 1, 30, 12, 3, 2, 8, "relu",
                        "adam", 0.01, 5e-4, "all", 0, 7, "none"),
    "pool_sum_regr": ("sum", "regression", 0, 30, 12, 0, 3, 8, "tanh",
                      "sgd", 0.002, 1e-3, "all", 0.9, 5, "standardize"),
    "pool_max_class": ("max", "classification", 1, 30, 12, 2, 3, 8, "gelu",
                       "adamw", 0.01, 1e-2, "first", 0, 0, "row"),
    "pool_max_regr": ("max", "regression", 0, 30, 12, 0, 1, 8, "relu",
                      "adam", 0.01, 5e-4, "all", 0, 4, "none"),
    "pool_sum_options": ("sum", "classification", 0, 30, 12, 3, 4, 8, "elu",
                         "adam", 0.005, 5e-4, "all", 0, 6, "standardize"),
    "pool_mean_full": ("mean", "regression", 0, 30, 12, 0, 2, 8, "relu",
                       "adam", 0.01, 5e-4, "all", 0, 0, "none"),
}
OPTIONS = {
    "pool_sum_options": {"residual": 1, "batch_norm": 1, "class_weights": "balanced",
                         "schedule": "cosine"},
    "pool_mean_full": {"residual": 1, "batch_norm": 1},
}


class GraphNetwork(golden.Network):
    """The last pair of weights is the readout."""

    def __init__(self, a, weights, activation, options, pool, start):
        super().__init__(a, weights, activation, options)
        self.pool, self.start = pool, start

    def needed(self, graphs, _):
        """Return the nodes of the graphs. No edge leaves a graph."""
        return torch.cat([torch.arange(self.start[g], self.start[g + 1]) for g in graphs])

    def forward(self, x, nodes=None):
        h = x
        for l, (w, b) in enumerate(self.layers[:-1]):
            z = self.a @ (h @ w)
            u = self.act(self.norm(z, l, nodes) if self.gamma else z + b)
            h = u + h if l > 0 and self.options["residual"] else u
        of = {"mean": lambda v: v.mean(0), "sum": lambda v: v.sum(0), "max": lambda v: v.amax(0)}
        parts = [h[i:j] for i, j in zip(self.start[:-1], self.start[1:])]
        w, b = self.layers[-1]
        return torch.stack([of[self.pool](part) for part in parts]) @ w + b


def make_graphs(rng, n):
    """Sizes from 1 to 7; some graphs have no edge, some have several components."""
    start = np.concatenate([[0], np.cumsum(rng.integers(1, 8, n))])
    edges = []
    for begin, end in zip(start[:-1], start[1:]):
        edges += [(int(begin) + i, int(begin) + j, w)
                  for i, j, w in golden.make_graph(rng, int(end - begin)) if rng.uniform() < 0.6]
    return start, edges


def make_case(path, seed, case, options, workers=1, train_network=golden.run):
    pool, _, sparse, n, f, c, layers, hidden, activation, *_, batch_size, _ = case
    rng = np.random.default_rng(seed)
    start, edges = make_graphs(rng, n)
    n_nodes = int(start[-1])
    x = rng.integers(0, 3, (n_nodes, f))
    if sparse:
        x *= rng.uniform(size=x.shape) < 0.3
    target = np.round(rng.normal(60, 12, n), 2)
    label = rng.integers(0, max(c, 1), n)
    train = np.sort(rng.permutation(n)[: n * 6 // 10])
    weights = golden.make_weights(rng, [f] + [hidden] * layers + [c or 1])
    batches = []
    for _ in range(golden.EPOCHS):
        order = rng.permutation(train)
        size = batch_size or len(train)
        batches.append([order[i:i + size] for i in range(0, len(order), size)])

    options = golden.PLAIN | options
    with open(path, "w") as out:
        golden.put_data(out, case[1:], options, workers, [pool, *start], edges, x, target, label,
                        train)
        net = GraphNetwork(golden.normalize(n_nodes, edges), weights, activation, options, pool,
                           start)
        golden.put(out, "weights", *golden.flat(net.arrays()))
        train_network(out, x, target, label, train, net, batches, case[1:])


if __name__ == "__main__":
    torch.set_num_threads(1)
    for number, (case_name, settings) in enumerate(CASES.items()):
        make_case(pathlib.Path(sys.argv[1]) / f"{case_name}.txt", 2000 + number, settings,
                  OPTIONS.get(case_name, {}))
