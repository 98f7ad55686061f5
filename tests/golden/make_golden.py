#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Losses and logits of a plain PyTorch model, for comparison in tests/unit/golden.c.

usage: make_golden.py DIRECTORY

Each case is one text file of whitespace-separated words: a line is a name with its values.
Everything is computed on dense matrices over the whole graph, so that it shares neither receptive
fields nor sparse products with the code under test. Dropout is off, since PyTorch draws other bits.
Run by hand, never by `make check`; the files record the versions.
"""
import pathlib
import sys

import numpy as np
import torch

EPOCHS = 20

CASES = {
    # name: task, sparse features, samples, features, classes, layers, hidden, activation,
    #       optimizer, learning rate, weight decay, its scope, momentum, batch size, scale
    "class_full_adam": ("classification", 1, 40, 24, 4, 2, 8, "relu",
                        "adam", 0.01, 5e-4, "first", 0, 0, "row"),
    "class_mini_sgd": ("classification", 1, 40, 24, 3, 2, 8, "relu",
                       "sgd", 0.1, 1e-2, "all", 0.9, 7, "none"),
    "regr_full_adam": ("regression", 0, 40, 24, 0, 2, 8, "relu",
                       "adam", 0.01, 1e-2, "all", 0, 0, "none"),
    "regr_mini_adamw": ("regression", 0, 40, 24, 0, 2, 8, "relu",
                        "adamw", 0.01, 1e-1, "all", 0, 6, "standardize"),
    "regr_three_layers": ("regression", 0, 40, 24, 0, 3, 8, "tanh",
                          "adam", 0.01, 1e-2, "first", 0, 9, "standardize"),
    "class_one_layer": ("classification", 1, 40, 24, 2, 1, 8, "relu",
                        "adamw", 0.05, 1e-1, "first", 0, 0, "row"),
    "regr_larger": ("regression", 0, 300, 60, 0, 2, 32, "relu",
                    "adam", 0.01, 5e-4, "all", 0, 32, "standardize"),
    "regr_skip_elu": ("regression", 0, 40, 24, 0, 4, 8, "elu",
                      "adam", 0.01, 1e-2, "all", 0, 9, "standardize"),
    "class_norm_gelu": ("classification", 1, 40, 24, 3, 3, 8, "gelu",
                        "adamw", 0.02, 1e-1, "all", 0, 0, "none"),
    "regr_norm_mini": ("regression", 0, 40, 24, 0, 3, 8, "relu",
                       "sgd", 0.05, 1e-3, "all", 0.9, 7, "standardize"),
    "class_eight_layers": ("classification", 0, 40, 24, 4, 8, 8, "tanh",
                           "adam", 0.005, 5e-4, "all", 0, 6, "standardize"),
}

# Options of a case; all other cases use PLAIN.
PLAIN = {"residual": 0, "batch_norm": 0, "schedule": "constant", "class_weights": "none"}
OPTIONS = {
    "regr_skip_elu": {"residual": 1, "schedule": "cosine"},
    "class_norm_gelu": {"batch_norm": 1, "class_weights": "balanced"},
    "regr_norm_mini": {"batch_norm": 1},
    "class_eight_layers": {"residual": 1, "batch_norm": 1, "class_weights": "balanced",
                           "schedule": "cosine"},
}


def make_graph(rng, n):
    """Return edges (i < j) with weights: about three for each sample."""
    pairs = sorted({tuple(sorted(p)) for p in rng.integers(0, n, (3 * n, 2)) if p[0] != p[1]})
    return [(i, j, round(float(rng.uniform(0.2, 2)), 3)) for i, j in pairs]


def normalize(n, edges):
    a = np.eye(n)
    for i, j, w in edges:
        a[i, j] = a[j, i] = w
    d = a.sum(1) ** -0.5
    return torch.tensor(d[:, None] * a * d[None, :], dtype=torch.float32)


def scaled(x, scale):
    x = x.astype(np.float64)
    if scale == "row":
        total = x.sum(1, keepdims=True)
        x = x / np.where(total == 0, 1, total)
    if scale == "standardize":
        sd = x.std(0)
        x = (x - x.mean(0)) / np.where(sd == 0, 1, sd)
    return torch.tensor(x, dtype=torch.float32)


def make_weights(rng, sizes):
    weights = []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
        limit = (6 / (fan_in + fan_out)) ** 0.5
        weights.append(rng.uniform(-limit, limit, (fan_in, fan_out)))
        weights.append(rng.uniform(-0.1, 0.1, fan_out))
    return [torch.tensor(w, dtype=torch.float32, requires_grad=True) for w in weights]


ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh, "elu": torch.nn.functional.elu,
               "gelu": torch.nn.functional.gelu}


class Network:
    """weights: w and b of each layer. Adds gamma and running statistics of hidden layers."""

    def __init__(self, a, weights, activation, options):
        self.a, self.act, self.options = a, ACTIVATIONS[activation], options
        self.layers = list(zip(weights[::2], weights[1::2]))
        hidden = self.layers[:-1] if options["batch_norm"] else []
        self.gamma = [torch.ones_like(b).requires_grad_() for _, b in hidden]
        self.running = [(torch.zeros(len(b)), torch.ones(len(b))) for _, b in hidden]

    def arrays(self):
        """Return the parameters in the order of struct model's vector."""
        out = []
        for l, layer in enumerate(self.layers):
            out += [*layer, *self.gamma[l:l + 1]]
        return out + [v for pair in self.running for v in pair]

    def groups(self, decay, scope):
        """Weights decay; biases and scales do not."""
        out = []
        for l, (w, b) in enumerate(self.layers):
            decays = l == 0 or scope == "all"
            out.append({"params": [w], "weight_decay": decay if decays else 0.0})
            out.append({"params": [b, *self.gamma[l:l + 1]], "weight_decay": 0.0})
        return out

    def needed(self, nodes, steps):
        """Return the samples that nodes depend on through this many convolutions; if most of all,
        return all."""
        have = torch.zeros(len(self.a), dtype=torch.bool)
        have[nodes] = True
        for _ in range(steps):
            have = (self.a[have] != 0).any(0)
            if have.sum() > 0.9 * len(have):
                have[:] = True
        return have.nonzero()[:, 0]

    def norm(self, z, l, nodes):
        (mean, var), b = self.running[l], self.layers[l][1]
        if nodes is None:
            return torch.nn.functional.batch_norm(z, mean, var, self.gamma[l], b, False)
        rows = self.needed(nodes, len(self.layers) - l - 1)
        u = torch.nn.functional.batch_norm(z[rows], mean, var, self.gamma[l], b, True)
        return torch.zeros_like(z).index_copy(0, rows, u)

    def forward(self, x, nodes=None):
        """nodes: the batch to train on; None: evaluation."""
        h = x
        for l, (w, b) in enumerate(self.layers):
            z = self.a @ (h @ w)
            if l + 1 == len(self.layers):
                return z + b
            u = self.act(self.norm(z, l, nodes) if self.gamma else z + b)
            h = u + h if l > 0 and self.options["residual"] else u


def make_optimizer(name, groups, rate, momentum):
    if name == "sgd":
        return torch.optim.SGD(groups, lr=rate, momentum=momentum)
    kind = torch.optim.Adam if name == "adam" else torch.optim.AdamW
    return kind(groups, lr=rate, betas=(0.9, 0.999), eps=1e-8)


def make_schedule(optimizer, o):
    schedulers = torch.optim.lr_scheduler
    if o["schedule"] == "cosine":
        return schedulers.CosineAnnealingLR(optimizer, EPOCHS)
    return schedulers.ConstantLR(optimizer, 1.0)


def put(out, name, *values):
    print(name, *(f"{v:.9g}" if isinstance(v, float) else v for v in values), file=out)


def flat(tensors):
    return [float(v) for t in tensors for v in t.detach().reshape(-1)]


def make_case(path, seed, case, options, workers=1, train_network=None):
    """train_network: as run(), for several workers (make_ddp.py)."""
    _, sparse, n, f, c, layers, hidden, activation, *_, batch_size, _ = case
    rng = np.random.default_rng(seed)
    edges = make_graph(rng, n)
    x = rng.integers(0, 3, (n, f))  # dosages: short to write, and like the real data
    if sparse:
        x *= rng.uniform(size=(n, f)) < 0.3
    target = np.round(rng.normal(60, 12, n), 2)
    label = rng.integers(0, max(c, 1), n)
    train = np.sort(rng.permutation(n)[: n * 6 // 10])
    weights = make_weights(rng, [f] + [hidden] * (layers - 1) + [c or 1])
    batches = []
    for _ in range(EPOCHS):
        order = rng.permutation(train)
        size = batch_size or len(train)
        batches.append([order[i:i + size] for i in range(0, len(order), size)])

    with open(path, "w") as out:
        put_data(out, case, PLAIN | options, workers, ["none"], edges, x, target, label, train)
        net = Network(normalize(n, edges), weights, activation, PLAIN | options)
        put(out, "weights", *flat(net.arrays()))
        (train_network or run)(out, x, target, label, train, net, batches, case)


def put_data(out, case, options, workers, pool, edges, x, target, label, train):
    (task, sparse, n, f, c, layers, hidden, activation, optimizer_name, rate, decay, scope,
     momentum, batch_size, scale) = case
    put(out, "versions", f"torch-{torch.__version__}", f"numpy-{np.__version__}")
    put(out, "task", task)
    put(out, "shape", n, f, c, int(sparse), layers, hidden, batch_size, workers)
    put(out, "words", activation, optimizer_name, scope, scale)
    put(out, "settings", rate, decay, float(momentum))
    put(out, "pool", *pool)
    put(out, "options", *options.values())
    put(out, "edges", len(edges), *(v for e in edges for v in e))
    put(out, "features", *x.reshape(-1))
    put(out, "target", *map(float, target))
    put(out, "label", *label)
    put(out, "train", len(train), *train)


def run(out, x, target, label, train, net, batches, case):
    task, _, n, _, c, _, _, _, name, rate, decay, scope, momentum, _, scale = case
    features, options = scaled(x, scale), net.options
    mean, sd = target[train].mean(), target[train].std()
    y = torch.tensor((target - mean) / sd, dtype=torch.float32)
    labels = torch.tensor(label)
    weight = torch.ones(max(c, 1))
    if options["class_weights"] == "balanced":
        weight = len(train) / (c * torch.bincount(labels[train], minlength=c).float())
    optimizer = make_optimizer(name, net.groups(decay, scope), rate, momentum)
    schedule = make_schedule(optimizer, options)
    losses = []
    for epoch in batches:
        total = all_weights = 0.0
        for nodes in map(torch.tensor, epoch):
            z = net.forward(features, nodes)[nodes]
            share = float(len(nodes))
            if task == "regression":
                loss = torch.nn.functional.mse_loss(z[:, 0], y[nodes])
            else:
                loss = torch.nn.functional.cross_entropy(z, labels[nodes], weight)
                share = float(weight[labels[nodes]].sum())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss) * share
            all_weights += share
        schedule.step()
        losses.append(total / all_weights)
    for epoch in batches:
        put(out, "epoch", *np.concatenate(epoch))
    put(out, "losses", *losses)
    put(out, "logits", *flat([net.forward(features)]))


if __name__ == "__main__":
    torch.set_num_threads(1)
    for number, (case_name, settings) in enumerate(CASES.items()):
        make_case(pathlib.Path(sys.argv[1]) / f"{case_name}.txt", 1000 + number, settings,
                  OPTIONS.get(case_name, {}))
