#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Losses and logits of a plain PyTorch model that two processes train together, like make_golden.py.

usage: make_ddp.py DIRECTORY

The processes use DistributedDataParallel over gloo. Both have batches of equal size in every step:
DDP averages the means of its processes, which is the mean over all samples only then. An
"epoch" has its samples in the order in which DistributedSampler deals them.
"""
import os
import pathlib
import sys
import tempfile

import numpy as np
import torch
import torch.distributed as dist

import make_golden as golden
import make_pool as pool

WORKERS = 2

CASES = {
    # name: as in make_golden.py; of 24 training samples each worker has 12
    "ddp_node_adam": ("regression", 0, 40, 24, 0, 3, 8, "tanh",
                      "adam", 0.01, 1e-2, "all", 0, 4, "standardize"),
    "ddp_node_norm": ("classification", 1, 40, 24, 3, 3, 8, "relu",
                      "sgd", 0.05, 1e-3, "all", 0.9, 6, "none"),
}
POOL_CASES = {
    # name: as in make_pool.py; of 18 training samples each worker has 9
    "ddp_pool_sgd": ("mean", "classification", 1, 30, 12, 3, 2, 8, "relu",
                     "sgd", 0.1, 5e-4, "all", 0.9, 3, "none"),
    "ddp_pool_norm": ("sum", "regression", 0, 30, 12, 0, 3, 8, "elu",
                      "adam", 0.005, 5e-4, "all", 0, 9, "standardize"),
}
OPTIONS = {
    "ddp_node_norm": {"batch_norm": 1},
    "ddp_pool_norm": {"residual": 1, "batch_norm": 1, "schedule": "cosine"},
}


class Module(torch.nn.Module):
    """A network of make_golden.py or make_pool.py with parameters and buffers that DDP finds."""

    def __init__(self, net, features):
        super().__init__()
        net.layers = [(torch.nn.Parameter(w), torch.nn.Parameter(b)) for w, b in net.layers]
        net.gamma = [torch.nn.Parameter(g) for g in net.gamma]
        self.net, self.features = net, features
        self.all = torch.nn.ParameterList([p for layer in net.layers for p in layer] + net.gamma)
        for l, (mean, var) in enumerate(net.running):
            self.register_buffer(f"mean{l}", mean)
            self.register_buffer(f"var{l}", var)

    def forward(self, nodes):
        return self.net.forward(self.features, nodes)[nodes]


def run(out, x, target, label, train, net, batches, case):
    task, _, _, _, _, _, _, _, name, rate, decay, scope, momentum, size, scale = case
    module = Module(net, golden.scaled(x, scale))
    ddp = torch.nn.parallel.DistributedDataParallel(module)
    mean, sd = target[train].mean(), target[train].std()
    y = torch.tensor((target - mean) / sd, dtype=torch.float32)
    labels = torch.tensor(label)
    optimizer = golden.make_optimizer(name, net.groups(decay, scope), rate, momentum)
    schedule = golden.make_schedule(optimizer, net.options)
    orders, losses = [np.concatenate(epoch) for epoch in batches], []
    for order in orders:
        mine = torch.tensor(order[dist.get_rank()::WORKERS])
        assert len(mine) * WORKERS == len(order) and len(mine) % size == 0
        total = torch.zeros(1, dtype=torch.float64)
        for nodes in mine.split(size):
            z = ddp(nodes)
            if task == "regression":
                loss = torch.nn.functional.mse_loss(z[:, 0], y[nodes])
            else:
                loss = torch.nn.functional.cross_entropy(z, labels[nodes])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss) * len(nodes)
        schedule.step()
        dist.all_reduce(total)
        losses.append(float(total) / len(order))
    for order in orders:
        golden.put(out, "epoch", *order)
    golden.put(out, "losses", *losses)
    golden.put(out, "logits", *golden.flat([net.forward(module.features)]))


def work(rank, folder, meeting):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{meeting}", rank=rank, world_size=WORKERS)
    seed = 3000
    for cases, make_case in (CASES, golden.make_case), (POOL_CASES, pool.make_case):
        for name, case in cases.items():
            path = os.devnull if rank else pathlib.Path(folder) / f"{name}.txt"
            make_case(path, seed, case, OPTIONS.get(name, {}), WORKERS, run)
            seed += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        torch.multiprocessing.spawn(work, (sys.argv[1], f"{temporary}/meeting"), WORKERS)
