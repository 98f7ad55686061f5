#!/usr/bin/python3
"""The same training in PyTorch, one core: what tests/bench/bench.sh compares with.

usage: peer_torch.py cora|ft10|ft10-ax DATA HIDDEN EPOCHS BATCH [RUNS]

The same graph, parts, settings and one evaluation an epoch, keeping the best weights; sparse A^,
sparse features for cora. ft10-ax starts from A^X made once, as espalier does and few do.
Prints a line for each run: seconds, peak of resident memory in MiB, test score.
"""
import copy
import csv
import pathlib
import resource
import sys
import time

import numpy as np
import torch


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))[1:]


def sparse(i, j, v, shape):
    return torch.sparse_coo_tensor(np.stack([i, j]), torch.tensor(v, dtype=torch.float32),
                                   shape).coalesce()


def normalized(n, i, j):
    i, j = np.concatenate([i, np.arange(n)]), np.concatenate([j, np.arange(n)])
    d = np.bincount(i, minlength=n) ** -0.5
    return sparse(i, j, d[i] * d[j], (n, n))


def load_cora(root):
    edges = np.array(rows(root / "cora/edges.csv"), dtype=int)
    features = np.array(rows(root / "cora/features.csv"), dtype=int)
    label = np.array(rows(root / "cora/labels.csv"), dtype=int)[:, 1]
    parts = {int(node): part for node, part in rows(root / "cora/split.csv")}
    pairs = {(a, b) for a, b in edges if a != b} | {(b, a) for a, b in edges if a != b}
    i, j = np.array(sorted(pairs)).T
    degree = np.bincount(features[:, 0], minlength=len(label))
    x = sparse(features[:, 0], features[:, 1], 1.0 / degree[features[:, 0]],
               (len(label), features[:, 1].max() + 1))
    part = [torch.tensor([n for n in range(len(label)) if parts.get(n) == name])
            for name in ("train", "val", "test")]
    return normalized(len(label), i, j), x, torch.tensor(label), part


def load_ft10(root, k=10):
    geno = rows(root / "arabidopsis/ft10_geno.csv")
    pheno = {r[0]: float(r[1]) for r in rows(root / "arabidopsis/ft10_pheno.csv")}
    x = np.array([r[1:] for r in geno], dtype=np.float64)
    x = x[:, x.std(0) > 0]
    y = np.array([pheno[r[0]] for r in geno])
    length = np.linalg.norm(x, axis=1, keepdims=True)
    unit = x / np.where(length == 0, 1, length)
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, -np.inf)
    near = np.zeros(similarity.shape, dtype=bool)
    np.put_along_axis(near, np.argsort(-similarity, axis=1, kind="stable")[:, :k], True, axis=1)
    i, j = np.nonzero(near | near.T)
    order = np.random.default_rng(1).permutation(len(y))
    fifth = len(y) // 5
    part = [torch.tensor(np.sort(p)) for p in (order[2 * fifth:], order[:fifth],
                                               order[fifth:2 * fifth])]
    train = part[0].numpy()
    x = torch.tensor((x - x.mean(0)) / x.std(0), dtype=torch.float32)
    y = torch.tensor((y - y[train].mean()) / y[train].std(), dtype=torch.float32)
    return normalized(len(y), i, j), x, y, part


class Gcn(torch.nn.Module):
    def __init__(self, n_in, hidden, n_out, starts_from_ax):
        super().__init__()
        self.w1 = torch.nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(n_in, hidden)))
        self.b1 = torch.nn.Parameter(torch.zeros(hidden))
        self.w2 = torch.nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(hidden, n_out)))
        self.b2 = torch.nn.Parameter(torch.zeros(n_out))
        self.starts_from_ax = starts_from_ax

    def forward(self, a, x):
        product = torch.sparse.mm(x, self.w1) if x.is_sparse else x @ self.w1
        h = product if self.starts_from_ax else torch.sparse.mm(a, product)
        h = torch.nn.functional.dropout(torch.relu(h + self.b1), 0.5, self.training)
        return torch.sparse.mm(a, h @ self.w2) + self.b2


def score(z, y):
    if z.shape[1] > 1:
        return float((z.argmax(1) == y).float().mean())
    return float(torch.corrcoef(torch.stack([z[:, 0], y]))[0, 1])


def train(a, x, y, part, hidden, epochs, batch, starts_from_ax):
    is_regression = y.dtype == torch.float32
    model = Gcn(x.shape[1], hidden, 1 if is_regression else int(y.max()) + 1, starts_from_ax)
    weights, biases = [model.w1, model.w2], [model.b1, model.b2]
    optimizer = torch.optim.Adam([{"params": weights, "weight_decay": 5e-4},
                                  {"params": biases, "weight_decay": 0.0}], lr=0.01)

    def loss_of(z, nodes):
        if is_regression:
            return torch.nn.functional.mse_loss(z[nodes, 0], y[nodes])
        return torch.nn.functional.cross_entropy(z[nodes], y[nodes])

    best, best_value = None, -np.inf
    for _ in range(epochs):
        model.train()
        order = part[0][torch.randperm(len(part[0]))] if batch else part[0]
        for nodes in torch.split(order, batch or len(order)):
            optimizer.zero_grad()
            loss_of(model(a, x), nodes).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            z = model(a, x)
            loss_of(z, part[1]).item()
            value = score(z[part[1]], y[part[1]])
        if value > best_value:
            best_value, best = value, copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
    with torch.no_grad():
        return score(model(a, x)[part[2]], y[part[2]])


def main():
    name, root = sys.argv[1], pathlib.Path(sys.argv[2])
    hidden, epochs, batch = map(int, sys.argv[3:6])
    torch.set_num_threads(1)
    a, x, y, part = load_cora(root) if name == "cora" else load_ft10(root)
    if name == "ft10-ax":
        x = torch.sparse.mm(a, x)
    train(a, x, y, part, hidden, 2, batch, name == "ft10-ax")  # first calls set things up
    for _ in range(int(sys.argv[6]) if len(sys.argv) > 6 else 1):
        begun = time.perf_counter()
        test = train(a, x, y, part, hidden, epochs, batch, name == "ft10-ax")
        seconds = time.perf_counter() - begun
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{seconds:.5f} {peak:.1f} {test:.4f}")


if __name__ == "__main__":
    main()
