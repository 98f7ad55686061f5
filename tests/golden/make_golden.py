#!/usr/bin/python3
"""Losses and logits of a plain PyTorch model, for tests/unit/golden.c to compare with.

usage: make_golden.py DIRECTORY

Every case is one text file of whitespace-separated words: names, each followed by its values.
Everything is computed on dense matrices over the whole graph, so that neither receptive fields
nor sparse products are shared with what is tested. Dropout is off: its bits are not PyTorch's.
Run by hand, never by `make check`; the versions are recorded in the files.
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
}


def make_graph(rng, n):
    """Edges (i < j) with weights: about three for each sample."""
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


def forward(a, x, weights, activation):
    h = x
    for l in range(0, len(weights), 2):
        h = a @ (h @ weights[l]) + weights[l + 1]
        if l + 2 < len(weights):
            h = torch.relu(h) if activation == "relu" else torch.tanh(h)
    return h


def make_optimizer(name, weights, rate, decay, scope, momentum):
    groups = [{"params": [w], "weight_decay": decay if i == 0 or (i % 2 == 0 and scope == "all")
               else 0.0} for i, w in enumerate(weights)]
    if name == "sgd":
        return torch.optim.SGD(groups, lr=rate, momentum=momentum)
    kind = torch.optim.Adam if name == "adam" else torch.optim.AdamW
    return kind(groups, lr=rate, betas=(0.9, 0.999), eps=1e-8)


def put(out, name, values):
    out.write(name)
    for k, v in enumerate(values):
        out.write(("\n" if k % 16 == 0 else " ") + (f"{v:.9g}" if isinstance(v, float) else str(v)))
    out.write("\n")


def flat(tensors):
    return [float(v) for t in tensors for v in t.detach().reshape(-1)]


def make_case(path, seed, case):
    (task, sparse, n, f, c, layers, hidden, activation, optimizer_name, rate, decay, scope,
     momentum, batch_size, scale) = case
    rng = np.random.default_rng(seed)
    edges = make_graph(rng, n)
    x = rng.integers(0, 3, (n, f))  # dosages: short to write, like the data this is for
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
        put(out, "versions", [f"torch-{torch.__version__}", f"numpy-{np.__version__}"])
        put(out, "task", [task])
        put(out, "shape", [n, f, c, int(sparse), layers, hidden, batch_size])
        put(out, "words", [activation, optimizer_name, scope, scale])
        put(out, "settings", [rate, decay, float(momentum)])
        put(out, "edges", [len(edges)] + [v for e in edges for v in e])
        put(out, "features", x.reshape(-1))
        put(out, "target", [float(v) for v in target])
        put(out, "label", label)
        put(out, "train", [len(train), *train])
        put(out, "weights", flat(weights))
        run(out, edges, x, target, label, train, weights, batches, case)


def run(out, edges, x, target, label, train, weights, batches, case):
    task, _, n, _, _, _, _, activation, name, rate, decay, scope, momentum, _, scale = case
    a, features = normalize(n, edges), scaled(x, scale)
    mean, sd = target[train].mean(), target[train].std()
    y = torch.tensor((target - mean) / sd, dtype=torch.float32)
    labels = torch.tensor(label)
    optimizer = make_optimizer(name, weights, rate, decay, scope, momentum)
    losses = []
    for epoch in batches:
        total = 0.0
        for nodes in map(torch.tensor, epoch):
            z = forward(a, features, weights, activation)[nodes]
            if task == "regression":
                loss = torch.nn.functional.mse_loss(z[:, 0], y[nodes])
            else:
                loss = torch.nn.functional.cross_entropy(z, labels[nodes])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss) * len(nodes)
        losses.append(total / len(train))
    put(out, "batches", [len(batches[0])])
    for epoch in batches:
        for nodes in epoch:
            put(out, "batch", [len(nodes), *nodes])
    put(out, "losses", losses)
    put(out, "logits", flat([forward(a, features, weights, activation)]))


if __name__ == "__main__":
    torch.set_num_threads(1)
    for number, (case_name, settings) in enumerate(CASES.items()):
        make_case(pathlib.Path(sys.argv[1]) / f"{case_name}.txt", 1000 + number, settings)
