#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch training on samples that are graphs, on one core, for comparison with espalier.

usage: peer_graphs.py DUMP HIDDEN EPOCHS BATCH RUNS [FORM]

DUMP    written by tests/bench/graphs: the same graphs, features, classes and parts
FORM    how a batch is multiplied: csr (default), coo or scatter

The model is that of espalier's pool = mean: three graph convolutions, a scatter mean over each
graph's nodes, a linear layer; the same batches and settings, one evaluation an epoch, the best
weights kept. A^ is normalised once for all graphs. A batch takes its nodes and edges from it
without a loop over graphs, and the dev part is assembled once. Measured in PyTorch 1.13 on a busy
machine: csr and coo differ by no more than repeated runs, scatter takes half as much again.
Prints a line for each run: seconds of training, peak resident memory in MiB, ROC AUC of the
held-out part.
"""
import resource
import sys
import time

import numpy as np
import torch
from torch.nn import functional


class Graphs:
    def __init__(self, path):
        with open(path, "rb") as file:
            n, m, f, e = (int(v) for v in np.fromfile(file, np.int32, 4))
            start = np.fromfile(file, np.int32, n + 1).astype(np.int64)
            i = np.fromfile(file, np.int32, e).astype(np.int64)
            j = np.fromfile(file, np.int32, e).astype(np.int64)
            self.x = torch.tensor(np.fromfile(file, np.float32, m * f).reshape(m, f))
            self.y = torch.tensor(np.fromfile(file, np.int32, n).astype(np.int64))
            part = np.fromfile(file, np.int32, n)
        self.parts = [torch.tensor(np.flatnonzero(part == k)) for k in (1, 2, 3)]
        i, j = np.concatenate([i, np.arange(m)]), np.concatenate([j, np.arange(m)])
        order = np.lexsort((j, i))
        i, j = i[order], j[order]
        d = np.bincount(i, minlength=m) ** -0.5
        self.start = torch.tensor(start)
        self.edge_start = torch.tensor(np.searchsorted(i, start))
        self.i, self.j = torch.tensor(i), torch.tensor(j)
        self.w = torch.tensor(d[i] * d[j], dtype=torch.float32)


def ranges(begin, length):
    """Return begin[0], begin[0] + 1, ..., begin[1], ... and the range that each belongs to."""
    of = torch.repeat_interleave(torch.arange(len(begin)), length)
    first = torch.cumsum(length, 0) - length
    return torch.arange(len(of)) - first[of] + begin[of], of


class Batch:
    def __init__(self, data, graphs, form):
        begin, size = data.start[graphs], data.start[graphs + 1] - data.start[graphs]
        nodes, self.of = ranges(begin, size)
        edge_begin = data.edge_start[graphs]
        edges, edge_of = ranges(edge_begin, data.edge_start[graphs + 1] - edge_begin)
        shift = (torch.cumsum(size, 0) - size - begin)[edge_of]
        i, j, w = data.i[edges] + shift, data.j[edges] + shift, data.w[edges]
        n = len(nodes)
        self.x, self.y, self.size = data.x[nodes], data.y[graphs], size
        self.form, self.edges = form, (i, j, w)
        if form == "coo":
            # It is sorted and without repeats: PyTorch need not check.
            self.a = torch.sparse_coo_tensor(torch.stack([i, j]), w, (n, n))._coalesced_(True)
        elif form == "csr":
            rows = torch.cat([torch.zeros(1, dtype=torch.int64),
                              torch.cumsum(torch.bincount(i, minlength=n), 0)])
            self.a = torch.sparse_csr_tensor(rows, j, w, (n, n))

    def propagate(self, h):
        if self.form == "scatter":
            i, j, w = self.edges
            return torch.zeros_like(h).index_add_(0, i, h[j] * w[:, None])
        return torch.sparse.mm(self.a, h) if self.form == "coo" else self.a @ h

    def pool(self, h):
        out = torch.zeros(len(self.size), h.shape[1]).index_add_(0, self.of, h)
        return out / self.size[:, None]


class Gcn(torch.nn.Module):
    def __init__(self, n_features, hidden, n_out):
        super().__init__()
        sizes = [n_features, hidden, hidden, hidden, n_out]
        self.w = torch.nn.ParameterList(torch.nn.init.xavier_uniform_(torch.empty(a, b))
                                        for a, b in zip(sizes[:-1], sizes[1:]))
        self.b = torch.nn.ParameterList(torch.zeros(b) for b in sizes[1:])

    def forward(self, batch):
        h = batch.x
        for w, b in zip(self.w[:-1], self.b[:-1]):
            h = functional.relu(batch.propagate(h @ w) + b)
            h = functional.dropout(h, 0.2, self.training)
        return batch.pool(h) @ self.w[-1] + self.b[-1]


def auc(score, label):
    rank = np.empty(len(score))
    order = np.argsort(score, kind="stable")
    value, first, count = np.unique(score[order], return_index=True, return_counts=True)
    rank[order] = np.repeat(first + (count + 1) / 2, count)
    ones = label == 1
    n_ones = ones.sum()
    return (rank[ones].sum() - n_ones * (n_ones + 1) / 2) / (n_ones * (~ones).sum())


def score(net, batch):
    net.eval()
    with torch.no_grad():
        z = net(batch)
        loss = float(functional.cross_entropy(z, batch.y))
        z = (z[:, 1] - z[:, 0]).numpy()
    net.train()
    return auc(z, batch.y.numpy()), loss


def run(data, hidden, epochs, size, form):
    begun = time.perf_counter()
    train, dev, held_out = data.parts
    net = Gcn(data.x.shape[1], hidden, 2)
    groups = [{"params": list(net.w), "weight_decay": 1e-4}, {"params": list(net.b)}]
    optimizer = torch.optim.Adam(groups, lr=0.003, foreach=False)
    dev_batch = Batch(data, dev, form)
    best, kept = -1, [p.detach().clone() for p in net.parameters()]
    for _ in range(epochs):
        for some in train[torch.randperm(len(train))].split(size):
            batch = Batch(data, some, form)
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(net(batch), batch.y).backward()
            optimizer.step()
        value, _ = score(net, dev_batch)
        if value > best:
            best = value
            for to, of in zip(kept, net.parameters()):
                to.copy_(of.detach())
    for of, to in zip(kept, net.parameters()):
        to.data.copy_(of)
    value, _ = score(net, Batch(data, held_out, form))
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{seconds:.5f} {peak:.1f} {value:.4f}", flush=True)


def main():
    hidden, epochs, size, runs = (int(v) for v in sys.argv[2:6])
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    data = Graphs(sys.argv[1])
    for seed in range(runs):
        torch.manual_seed(seed)
        run(data, hidden, epochs, size, sys.argv[6] if len(sys.argv) > 6 else "csr")


if __name__ == "__main__":
    main()
