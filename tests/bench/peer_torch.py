#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same training in PyTorch, on one core, for comparison with espalier.

usage: peer_torch.py CASE DATA HIDDEN EPOCHS BATCH [RUNS]
       peer_torch.py --version         PyTorch's version, and its BLAS

CASE    cora: sparse features; cora-kipf: also input dropout, and weight decay on the first layer
        only; ft10: dense features; ft10-ax: starts from A^X made once, as espalier does and few
        others do; ft16: chromosome 5, all its markers
BATCH   training nodes in a step, 0 for all

The same graph, settings and sizes of parts, one evaluation an epoch, the best weights kept.
Measured in PyTorch 1.13 on one core, with the faster form chosen: A^ as coalesced COO (CSR is
within an eighth; dense is 1.1 to 6 times slower for ft10, 10 times or more for cora), masked sparse
features without a second check of their indices (0.2 ms), Adam one tensor at a time. Not measured
one by one: gradients set to None, best weights copied in place, denormal numbers flushed.
Prints a line for each run: seconds of training, peak resident memory in MiB, test score.
"""
import csv
import pathlib
import re
import resource
import sys
import time
from collections import defaultdict
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

PARTS = ("train", "val", "test")


class Problem(NamedTuple):
    a: torch.Tensor  # (N, N) normalised adjacency, sparse
    x: torch.Tensor  # (N, F) scaled features, dense or sparse
    y: torch.Tensor  # (N) classes, or numbers as measured
    parts: list      # indices of train, val, test
    starts_from_ax: bool = False


class Settings(NamedTuple):
    hidden: int = 64
    epochs: int = 100
    batch: int = 0
    rate: float = 0.01
    dropout: float = 0.5
    input_dropout: float = 0.0
    weight_decay: float = 5e-4
    decays_all: bool = True  # weights of every layer, or only of the first


def one_core():
    torch.set_num_threads(1)
    # Adam's moments of dead units may become denormal numbers, which are slow. The effect is within
    # noise for ft16 (1.6 to 1.9 s for 30 epochs, with and without).
    torch.set_flush_denormal(True)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def sparse(i, j, v, shape):
    return torch.sparse_coo_tensor(np.stack([i, j]), torch.tensor(v, dtype=torch.float32),
                                   shape).coalesce()


def unchecked(i, v, shape):
    """A check would look for the largest index, which takes 0.2 ms."""
    if torch.__version__.startswith("1."):
        return torch._sparse_coo_tensor_unsafe(i, v, shape)
    return torch.sparse_coo_tensor(i, v, shape, check_invariants=False, is_coalesced=True)


def normalized(n, i, j):
    i, j = np.concatenate([i, np.arange(n)]), np.concatenate([j, np.arange(n)])
    d = np.bincount(i, minlength=n) ** -0.5
    return sparse(i, j, d[i] * d[j], (n, n))


def load_cora(root):
    edges = np.array(rows(root / "cora/edges.csv"), dtype=int)
    features = np.array(rows(root / "cora/features.csv"), dtype=int)
    label = np.array(rows(root / "cora/labels.csv"), dtype=int)[:, 1]
    named = {int(node): part for node, part in rows(root / "cora/split.csv")}
    pairs = {(a, b) for a, b in edges if a != b} | {(b, a) for a, b in edges if a != b}
    i, j = np.array(sorted(pairs)).T
    degree = np.bincount(features[:, 0], minlength=len(label))
    x = sparse(features[:, 0], features[:, 1], 1.0 / degree[features[:, 0]],
               (len(label), features[:, 1].max() + 1))
    parts = [torch.tensor([n for n in range(len(label)) if named.get(n) == part])
             for part in PARTS]
    return Problem(normalized(len(label), i, j), x, torch.tensor(label), parts)


def neighbours(x, k=10):
    """Return the ends of the edges between each row and its k most similar rows by cosine."""
    length = np.linalg.norm(x, axis=1, keepdims=True)
    unit = x / np.where(length == 0, 1, length)
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, -np.inf)
    near = np.zeros(similarity.shape, dtype=bool)
    np.put_along_axis(near, np.argsort(-similarity, axis=1, kind="stable")[:, :k], True, axis=1)
    return np.nonzero(near | near.T)


def random_parts(n):
    order = np.random.default_rng(1).permutation(n)
    fifth = n // 5
    return [torch.tensor(np.sort(part))
            for part in (order[2 * fifth:], order[:fifth], order[fifth:2 * fifth])]


def split_parts(path, ids):
    """Read each fold of the output of `espalier inspect --splits`, as indices of its parts."""
    place = {name: i for i, name in enumerate(ids)}
    folds = defaultdict(lambda: defaultdict(list))
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            folds[row["replicate"], row["fold"]][row["part"]].append(place[row["id"]])
    return [[torch.tensor(fold[part]) for part in PARTS] for fold in folds.values()]


def load_panel(genotypes, phenotypes, trait):
    """Return the ids, and a problem with random parts. Markers without variation are left out."""
    with open(phenotypes, newline="", encoding="utf-8") as file:
        value = {row["accession_id"]: float(row[trait]) for row in csv.DictReader(file)}
    ids = [str(name) for name in np.loadtxt(genotypes, delimiter=",", skiprows=1, usecols=0,
                                            dtype=str)]
    with_ids = np.loadtxt(genotypes, delimiter=",", skiprows=1, dtype=np.float32)
    x = with_ids[:, 1:]
    x = x[:, x.std(0) > 0]
    i, j = neighbours(x.astype(np.float64))
    scaled = torch.tensor((x - x.mean(0)) / x.std(0))
    y = torch.tensor([value[name] for name in ids])
    return ids, Problem(normalized(len(ids), i, j), scaled, y, random_parts(len(ids)))


def load_ft10(root):
    return load_panel(root / "arabidopsis/ft10_geno.csv", root / "arabidopsis/ft10_pheno.csv",
                      "FT10")


def load(case, root):
    if case.startswith("cora"):
        return load_cora(root)
    if case == "ft16":
        return load_panel(root / "arabidopsis/ft16_chr5_geno.csv.gz",
                          root / "arabidopsis/ft16_chr5_pheno.csv", "FT16")[1]
    problem = load_ft10(root)[1]
    if case == "ft10-ax":
        problem = problem._replace(x=torch.sparse.mm(problem.a, problem.x), starts_from_ax=True)
    return problem


class Gcn(torch.nn.Module):
    def __init__(self, problem, settings, n_out):
        super().__init__()
        shapes = (problem.x.shape[1], settings.hidden), (settings.hidden, n_out)
        self.w1, self.w2 = (torch.nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(shape)))
                            for shape in shapes)
        self.b1, self.b2 = (torch.nn.Parameter(torch.zeros(shape[1])) for shape in shapes)
        self.settings = settings
        self.starts_from_ax = problem.starts_from_ax

    def drop_inputs(self, x):
        p = self.settings.input_dropout
        if not (p and self.training):
            return x
        if not x.is_sparse:
            return functional.dropout(x, p)
        return unchecked(x.indices(), functional.dropout(x.values(), p), x.shape)

    def forward(self, a, x):
        x = self.drop_inputs(x)
        product = torch.sparse.mm(x, self.w1) if x.is_sparse else x @ self.w1
        h = product if self.starts_from_ax else torch.sparse.mm(a, product)
        h = functional.dropout(torch.relu(h + self.b1), self.settings.dropout, self.training)
        return torch.sparse.mm(a, h @ self.w2) + self.b2


def make_optimizer(model, settings):
    weights = [model.w1, model.w2] if settings.decays_all else [model.w1]
    others = [p for p in model.parameters() if not any(p is w for w in weights)]
    return torch.optim.Adam([{"params": weights, "weight_decay": settings.weight_decay},
                             {"params": others, "weight_decay": 0.0}], lr=settings.rate)


def target_of(problem):
    """Return classes unchanged, and numbers standardised by the training part."""
    if problem.y.dtype != torch.float32:
        return problem.y, int(problem.y.max()) + 1, functional.cross_entropy
    known = problem.y[problem.parts[0]]
    y = ((problem.y - known.mean()) / known.std(unbiased=False))[:, None]
    return y, 1, functional.mse_loss


def score(z, y):
    if z.shape[1] > 1:
        return float((z.argmax(1) == y).float().mean())
    return float(torch.corrcoef(torch.cat([z, y], 1).T)[0, 1])


def train(problem, settings):
    """Train and return the test score of the epoch with the best validation score."""
    a, x, (y, n_out, loss_of) = problem.a, problem.x, target_of(problem)
    part, of_val, of_test = problem.parts
    y_val = y[of_val]
    model = Gcn(problem, settings, n_out)
    optimizer = make_optimizer(model, settings)
    best, best_value = [torch.zeros_like(p) for p in model.parameters()], -np.inf
    for _ in range(settings.epochs):
        model.train()
        order = part[torch.randperm(len(part))] if settings.batch else part
        for nodes in torch.split(order, settings.batch or len(order)):
            optimizer.zero_grad(set_to_none=True)
            loss_of(model(a, x)[nodes], y[nodes]).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            z = model(a, x)[of_val]
            loss_of(z, y_val).item()
            value = score(z, y_val)
            if value > best_value:
                best_value = value
                for kept, p in zip(best, model.parameters()):
                    kept.copy_(p)
    with torch.no_grad():
        for kept, p in zip(best, model.parameters()):
            p.copy_(kept)
        return score(model(a, x)[of_test], y[of_test])


def version():
    """Return the BLAS: Debian's PyTorch uses the system's libblas.so.3, other builds their own."""
    own = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    with open("/proc/self/maps", encoding="utf-8") as maps:
        blas = re.search(r"([^/\n]*)/libblas\.so\.3", maps.read())
    name = blas[1] if blas else own[1] if own else "its own BLAS"
    return f"PyTorch {torch.__version__.split('+')[0]} on {name}"


def main():
    if sys.argv[1:] == ["--version"]:
        print(version())
        return
    case, root = sys.argv[1], pathlib.Path(sys.argv[2])
    hidden, epochs, batch = map(int, sys.argv[3:6])
    is_kipf = case == "cora-kipf"
    settings = Settings(hidden, epochs, batch, input_dropout=0.5 if is_kipf else 0.0,
                        decays_all=not is_kipf)
    one_core()
    problem = load(case, root)
    train(problem, settings._replace(epochs=2))  # first calls initialise
    for _ in range(int(sys.argv[6]) if len(sys.argv) > 6 else 1):
        begun = time.perf_counter()
        test = train(problem, settings)
        seconds = time.perf_counter() - begun
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{seconds:.5f} {peak:.1f} {test:.4f}")


if __name__ == "__main__":
    main()
