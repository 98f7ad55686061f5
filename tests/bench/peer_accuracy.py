#!/usr/bin/env python3
"""The GCN of doc/ARCHITECTURE.md in PyTorch on the FT10 data, with espalier's own folds.

usage: peer_accuracy.py GENOTYPES PHENOTYPES SPLITS

SPLITS is what `espalier inspect --splits` wrote. Prints the mean test Pearson r over its folds, at
the epoch with the best validation r: the same selection that espalier makes.
"""

import csv
import sys
from collections import defaultdict

import numpy as np
import torch

HIDDEN, NEIGHBOURS, EPOCHS = 64, 10, 100
DROPOUT, RATE, DECAY = 0.5, 0.01, 5e-4


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return [row[0] for row in rows[1:]], np.array([row[1:] for row in rows[1:]], np.float32)


def read_splits(path):
    splits = defaultdict(lambda: defaultdict(list))
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            splits[row["replicate"], row["fold"]][row["part"]].append(row["id"])
    return splits


def propagation(x):
    """D^-1/2 (A + I) D^-1/2 of the k nearest neighbours by cosine."""
    norm = np.linalg.norm(x, axis=1, keepdims=True)
    unit = x / np.where(norm > 0, norm, 1)
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, -np.inf)
    a = np.zeros_like(similarity)
    order = np.argsort(-similarity, axis=1, kind="stable")[:, :NEIGHBOURS]
    np.put_along_axis(a, order, 1, axis=1)
    a = np.maximum(a, a.T) + np.eye(len(a), dtype=np.float32)
    d = 1 / np.sqrt(a.sum(1))
    return torch.tensor(a * d[:, None] * d[None, :], dtype=torch.float32).to_sparse_csr()


def pearson(a, b):
    return float(np.corrcoef(a, b)[0, 1])


class Gcn(torch.nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.w = torch.nn.ParameterList(
            torch.nn.init.xavier_uniform_(torch.empty(shape))
            for shape in ((n_features, HIDDEN), (HIDDEN, 1))
        )
        self.b = torch.nn.ParameterList(torch.zeros(n) for n in (HIDDEN, 1))

    def forward(self, a, ax):
        h = torch.relu(ax @ self.w[0] + self.b[0])
        h = torch.nn.functional.dropout(h, DROPOUT, self.training)
        return (a @ (h @ self.w[1]) + self.b[1])[:, 0]


def train(a, ax, y, split):
    model = Gcn(ax.shape[1])
    optimizer = torch.optim.Adam(
        [{"params": model.w, "weight_decay": DECAY}, {"params": model.b}], lr=RATE
    )
    mean, sd = y[split["train"]].mean(), y[split["train"]].std()
    target = torch.tensor((y - mean) / sd)
    best = (-2.0, 0.0)
    for _ in range(EPOCHS):
        model.train()
        optimizer.zero_grad()
        out = model(a, ax)[split["train"]]
        torch.nn.functional.mse_loss(out, target[split["train"]]).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            out = model(a, ax).numpy()
        value = pearson(out[split["val"]], y[split["val"]])
        if value > best[0]:
            best = value, pearson(out[split["test"]], y[split["test"]])
    return best[1]


def main():
    torch.set_num_threads(1)
    ids, x = read_table(sys.argv[1])
    trait = dict(zip(*read_table(sys.argv[2])))
    place = {name: i for i, name in enumerate(ids)}
    y = np.array([trait[name][0] for name in ids], np.float32)
    a = propagation(x)
    scaled = (x - x.mean(0)) / x.std(0)
    ax = a @ torch.tensor(scaled)
    scores = []
    for seed, parts in enumerate(read_splits(sys.argv[3]).values()):
        torch.manual_seed(seed)
        split = {part: [place[name] for name in names] for part, names in parts.items()}
        scores.append(train(a, ax, y, split))
    print(f"{np.mean(scores):.4f}")


if __name__ == "__main__":
    main()
