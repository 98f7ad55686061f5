#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The trainings of tests/bench/workers.c in PyTorch: two processes of one thread each, which use
DistributedDataParallel over gloo.

usage: peer_ddp.py DUMP [OPTION...]

DUMP    written by `workers dump`, with DUMP.start: the same data, parts, sizes, initial weights and
        order of the samples
losses  train without dropout, and print each epoch's loss instead of the seconds
ax      multiply A^ and the features once, before the training. Else PyTorch does in each step what
        most people's programs do
fresh   assemble each batch in the step that needs it. Else all batches of all epochs are there
        before the training begins
csr, coo, scatter, tied   how A^ is multiplied; default tied: COO, and the backward pass uses the
        same matrix because A^ is symmetric

Batches of graphs: each process has every second sample of an epoch's order, as DistributedSampler
deals them, in block-diagonal batches. It scores every second graph of the dev part, and the
processes add their scores. Full batch: each process computes the loss of half of the training nodes
over the whole graph, whose receptive field is nearly all of it; the first one scores.
Prints the seconds from the end of the first epoch to that of the last one.
"""
import os
import sys
import tempfile
import time

import numpy as np
import torch
import torch.distributed as dist
from torch.nn import functional

import peer_graphs

PROCESSES = 2
RATE, DROPOUT = 0.01, 0.3


class Tied(torch.autograd.Function):
    """A product with a symmetric matrix, whose gradient needs no transposed one."""

    @staticmethod
    def forward(ctx, a, h):
        ctx.a = a
        return torch.sparse.mm(a, h)

    @staticmethod
    def backward(ctx, gradient):
        return None, torch.sparse.mm(ctx.a, gradient)


class Start:
    def __init__(self, path, n_train):
        with open(path, "rb") as file:
            self.hidden, self.epochs, self.batch, n = np.fromfile(file, np.int32, 4).tolist()
            self.weights = torch.tensor(np.fromfile(file, np.float32, n))
            orders = np.fromfile(file, np.int32).astype(np.int64)
        self.orders = torch.tensor(orders.reshape(-1, n_train))


class Batch(peer_graphs.Batch):
    def __init__(self, data, graphs, form, starts_from_ax):
        super().__init__(data, graphs, "coo" if form == "tied" else form)
        self.is_tied = form == "tied"
        self.starts_from_ax = starts_from_ax
        self.scored = torch.arange(len(graphs))
        if starts_from_ax:
            self.x = self.propagate(self.x)

    def propagate(self, h):
        return Tied.apply(self.a, h) if self.is_tied else super().propagate(h)


class Gcn(torch.nn.Module):
    def __init__(self, data, start, dropout):
        super().__init__()
        self.pools = len(data.y) < len(data.x)
        n_out, used = int(data.y.max()) + 1, 0
        sizes = [data.x.shape[1]] + [start.hidden] * (3 if self.pools else 2) + [n_out]
        self.w, self.b = torch.nn.ParameterList(), torch.nn.ParameterList()
        for n, m in zip(sizes[:-1], sizes[1:]):
            self.w.append(torch.nn.Parameter(start.weights[used:used + n * m].reshape(n, m).clone()))
            self.b.append(torch.nn.Parameter(start.weights[used + n * m:used + (n + 1) * m].clone()))
            used += (n + 1) * m
        assert used == len(start.weights)
        self.dropout = dropout

    def forward(self, batch):
        h = batch.x
        for layer, (w, b) in enumerate(zip(self.w[:-1], self.b[:-1])):
            product = h @ w
            if layer or not batch.starts_from_ax:
                product = batch.propagate(product)
            h = functional.dropout(functional.relu(product + b), self.dropout, self.training)
        if self.pools:
            return (batch.pool(h) @ self.w[-1] + self.b[-1])[batch.scored]
        return (batch.propagate(h @ self.w[-1]) + self.b[-1])[batch.scored]


def loss_sum(z, batch):
    return functional.cross_entropy(z, batch.y[batch.scored], reduction="sum")


class Steps:
    """Batches of this process in each epoch, and the number of samples in the whole step."""

    def __init__(self, data, start, rank, options, form):
        self.data, self.start, self.rank = data, start, rank
        self.form, self.starts_from_ax = form, "ax" in options
        self.is_fresh = "fresh" in options
        train, dev, _ = data.parts
        self.n_train, self.n_dev = len(train), len(dev)
        if not start.batch:
            whole = Batch(data, torch.arange(len(data.y)), form, self.starts_from_ax)
            self.train, self.dev = whole, whole
            self.train_rows, self.dev_rows = torch.tensor_split(train, PROCESSES)[rank], dev
        else:
            self.dev = self.batch(dev[rank::PROCESSES])
            self.ready = [] if self.is_fresh else [list(self.dealt(e)) for e in range(start.epochs)]

    def batch(self, graphs):
        return Batch(self.data, graphs, self.form, self.starts_from_ax)

    def dealt(self, epoch):
        order, size = self.start.orders[epoch], self.start.batch
        for mine, step in zip(order[self.rank::PROCESSES].split(size),
                              order.split(size * PROCESSES)):
            yield self.batch(mine), len(step)

    def epoch(self, epoch):
        if not self.start.batch:
            self.train.scored = self.train_rows
            yield self.train, self.n_train
        else:
            yield from self.dealt(epoch) if self.is_fresh else self.ready[epoch]

    def score(self, net, sums):
        """Add loss and hits of this process's share of the dev part."""
        if not self.start.batch:
            if self.rank:
                return
            self.dev.scored = self.dev_rows
        net.eval()
        with torch.no_grad():
            z = net(self.dev)
            sums[1] += loss_sum(z, self.dev)
            sums[2] += (z.argmax(1) == self.dev.y[self.dev.scored]).sum()
        net.train()


def train(rank, data, start, options, form):
    net = Gcn(data, start, 0.0 if "losses" in options else DROPOUT)
    ddp = torch.nn.parallel.DistributedDataParallel(net, gradient_as_bucket_view=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE, foreach=False)
    steps = Steps(data, start, rank, options, form)
    best, kept, ends = -1.0, [p.detach().clone() for p in net.parameters()], []
    for epoch in range(start.epochs):
        sums = torch.zeros(3, dtype=torch.float64)
        for batch, n_step in steps.epoch(epoch):
            optimizer.zero_grad(set_to_none=True)
            loss = loss_sum(ddp(batch), batch)
            (loss * (PROCESSES / n_step)).backward()
            optimizer.step()
            sums[0] += loss.detach()
        steps.score(net, sums)
        dist.all_reduce(sums)
        value = float(sums[2]) / steps.n_dev
        if rank == 0 and value > best:
            best = value
            for to, of in zip(kept, net.parameters()):
                to.copy_(of.detach())
        ends.append(time.perf_counter())
        if rank == 0 and "losses" in options:
            print(f"{float(sums[0]) / steps.n_train:.9g}", flush=True)
    if rank == 0 and "losses" not in options:
        print(f"{ends[-1] - ends[0]:.5f}", flush=True)


def work(rank, data, start, options, form, meeting):
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    dist.init_process_group("gloo", f"file://{meeting}", rank=rank, world_size=PROCESSES)
    train(rank, data, start, options, form)
    dist.destroy_process_group()


def main():
    options = sys.argv[2:]
    forms = [o for o in options if o in ("csr", "coo", "scatter", "tied")]
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    data = peer_graphs.Graphs(sys.argv[1])
    start = Start(sys.argv[1] + ".start", len(data.parts[0]))
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(
            work, (data, start, options, forms[0] if forms else "tied", f"{folder}/meeting"),
            PROCESSES, start_method="fork")


if __name__ == "__main__":
    main()
