# SPDX-License-Identifier: BSD-3-Clause
"""Predict new samples of a gcn of two layers, from its kept model and the published method.

usage: joined.py MODEL VCF PHENOTYPES                            new: samples without a phenotype
       joined.py MODEL FEATURES NEW LABELS EDGES NEW_EDGES       new: nodes of NEW
"""
import csv
import json
import struct
import sys

import numpy as np

model, *files = sys.argv[1:]
raw = open(model, "rb").read()
n = struct.unpack("<Q", raw[:8])[0]
header = json.loads(raw[8:8 + n])
meta = header.pop("__metadata__")
settings = json.loads(meta["settings"])
types = {"F64": "<f8", "F32": "<f4", "U8": "u1"}
tensors = {name: np.frombuffer(raw[8 + n:][t["data_offsets"][0]:t["data_offsets"][1]], types[t["dtype"]]).reshape(t["shape"])
           for name, t in header.items()}


def genotypes(vcf, phenotypes):
    """Rows of the panel and of new samples; names of these; similarities within and between."""
    rows = [line.rstrip("\n").split("\t") for line in open(vcf) if line[:2] != "##"]
    code = {"0/0": 0, "0/1": 1, "1/1": 2, "./.": np.nan}
    calls = dict(zip(rows[0][9:], np.array([[code[c] for c in row[9:]] for row in rows[1:]], float).T))
    order = [line.split(",")[0] for line in open(phenotypes)][1:]
    new = [i for i in rows[0][9:] if i not in order]
    panel = np.array([calls[i] for i in order])
    fresh = np.array([np.where(np.isnan(calls[i]), tensors["features.fill"].astype(float), calls[i]) for i in new])

    def similar(a, b):
        if settings["metric"] == "kinship":
            p = panel.mean(0) / 2
            return (a - 2 * p) @ (b - 2 * p).T / (2 * (p * (1 - p)).sum())
        if settings["metric"] == "correlation":
            a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
        return (a @ b.T) / np.linalg.norm(a, axis=1)[:, None] / np.linalg.norm(b, axis=1)

    def joined(sim):
        sim = np.round(sim, 12)
        if settings["build"] == "knn":
            out = np.zeros_like(sim)
            for i, row in enumerate(sim):
                out[i, np.argsort(-row, kind="stable")[:int(settings["k"])]] = 1
            return out
        return np.where(sim >= float(settings["threshold"]), np.maximum(sim, 0), 0)

    within = similar(panel, panel)
    np.fill_diagonal(within, -9)
    within = joined(within)
    return panel, fresh, new, np.maximum(within, within.T), joined(similar(fresh, panel))


def nodes(features, new_features, labels, edges, new_edges):
    names = bytes(tensors["features.names"]).decode().split("\0")[:-1]

    def read(path):
        x = {}
        for row in csv.DictReader(open(path)):
            values = x.setdefault(row["node"], np.zeros(len(names)))
            if "feature" not in row:
                values[:] = [float(row[name]) for name in names]
            elif row["feature"] in names:
                values[names.index(row["feature"])] = float(row["value"])
        return x

    x, y = read(features), read(new_features)
    order = {row["node"]: i for i, row in enumerate(csv.DictReader(open(labels)))}
    to = {name: i for i, name in enumerate(y)}
    within, between = np.zeros((len(order), len(order))), np.zeros((len(y), len(order)))
    for row in csv.DictReader(open(edges)):
        i, j = order[row["from"]], order[row["to"]]
        within[i, j] = within[j, i] = float(row["weight"])
    for row in csv.DictReader(open(new_edges)):
        if row["to"] in to and row["from"] in order:
            between[to[row["to"]], order[row["from"]]] = float(row["w"])
    panel = np.array([x.get(name, np.zeros(len(names))) for name in order])
    return panel, np.array(list(y.values())), list(y), within, between


panel, fresh, new, a, b = (genotypes if len(files) == 2 else nodes)(*files)
a = a + np.eye(len(a))
d, e = a.sum(1), b.sum(1) + 1
a, b = a / np.sqrt(np.outer(d, d)), b / np.sqrt(np.outer(e, d))
if "features.mean" in tensors:
    panel, fresh = ((x - tensors["features.mean"]) * tensors["features.factor"] for x in (panel, fresh))
for layer in range(2):
    weight, bias = tensors[f"layers.{layer}.weight"].astype(float), tensors[f"layers.{layer}.bias"]
    panel, fresh = a @ panel @ weight + bias, (b @ panel + fresh / e[:, None]) @ weight + bias
    if layer == 0:
        panel, fresh = np.maximum(panel, 0), np.maximum(fresh, 0)
print("id,prediction")
for name, value in zip(new, fresh[:, 0]):
    print(f"{name},{value * float(meta['target_sd']) + float(meta['target_mean'])}")
