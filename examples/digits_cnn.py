# SPDX-License-Identifier: BSD-3-Clause
"""A convolutional network on handwritten digits (MNIST, LeCun et al. 1998) in PyTorch.

    espalier run grids/digits_cnn.ini -n 2                         a sweep
    PYTHONPATH=share/espalier python3 examples/digits_cnn.py       one training by hand

Needs ESPALIER_DATA with digits/t10k-images-idx3-ubyte.gz and digits/t10k-labels-idx1-ubyte.gz.
Uses a GPU if PyTorch has one.
"""
import gzip
import os
import pathlib
import time

import espalier
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

CHECKPOINT_SECONDS = 30


def read_digits(images):
    """The first `images` digits: floats (N, 1, 28, 28) in [0, 1], and labels (N)."""
    if "ESPALIER_DATA" not in os.environ:
        raise SystemExit("digits_cnn.py: set ESPALIER_DATA to the folder that contains digits/")
    folder = pathlib.Path(os.environ["ESPALIER_DATA"]) / "digits"
    with gzip.open(folder / "t10k-images-idx3-ubyte.gz") as file:
        x = np.frombuffer(file.read(16 + images * 784), np.uint8, offset=16)
    with gzip.open(folder / "t10k-labels-idx1-ubyte.gz") as file:
        y = np.frombuffer(file.read(8 + images), np.uint8, offset=8)
    return torch.tensor(x.reshape(-1, 1, 28, 28) / np.float32(255)), torch.tensor(y.astype(np.int64))


def split(n, val_split, replicate):
    """Indices for training, validation and test. The test part does not depend on val_split."""
    order = np.random.RandomState(replicate).permutation(n)
    n_test, n_val = n // 5, round(n * val_split)
    return order[n_test + n_val:], order[n_test:n_test + n_val], order[:n_test]


def network(filters, dense, batch_norm, dropout):
    def block(n_in, n_out):
        norm = [nn.BatchNorm2d(n_out)] if batch_norm else []
        return [nn.Conv2d(n_in, n_out, 3, padding=1), *norm, nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*block(1, filters), *block(filters, 2 * filters), nn.Flatten(),
                         nn.Linear(2 * filters * 49, dense), nn.ReLU(), nn.Dropout(dropout),
                         nn.Linear(dense, 10))


def augment(x):
    """Rotate each image by up to 10 degrees and shift it by up to 2 pixels."""
    angle = (torch.rand(len(x), device=x.device) - 0.5) * 0.35
    shift = (torch.rand(len(x), 2, 1, device=x.device) - 0.5) * 8 / 28
    turn = torch.stack([torch.stack([angle.cos(), -angle.sin()], 1),
                        torch.stack([angle.sin(), angle.cos()], 1)], 1)
    grid = F.affine_grid(torch.cat([turn, shift], 2), list(x.shape), align_corners=False)
    return F.grid_sample(x, grid, align_corners=False)


def score(model, x, y):
    """Mean loss and accuracy."""
    model.eval()
    with torch.no_grad():
        z = torch.cat([model(part) for part in x.split(500)])
    return F.cross_entropy(z, y).item(), (z.argmax(1) == y).sum().item() / len(y)


def main():
    p = espalier.params(filters=16, dense=64, batch_size=32, learning_rate=1e-3, dropout=0.25,
                        val_split=0.2, batch_norm=True, augment=False, patience=0,
                        epochs=8, images=1000)
    torch.set_num_threads(espalier.threads())
    device = "cuda" if torch.cuda.is_available() else "cpu"

    x, y = (t.to(device) for t in read_digits(p["images"]))
    train, val, test = split(len(x), p["val_split"], espalier.replicate())
    torch.manual_seed(espalier.seed())
    model = network(p["filters"], p["dense"], p["batch_norm"], p["dropout"]).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=p["learning_rate"])
    lines = []                                # what was reported, one line an epoch

    # A new attempt goes on after the last saved epoch and reports the curve from its begin.
    file = espalier.checkpoint_dir() / "state.pt"
    if file.exists():
        state = torch.load(file, map_location=device)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        for line in state["lines"]:
            lines.append(espalier.report(**line))

    def save():
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "lines": lines}
        torch.save(state, file.with_suffix(".new"))
        os.replace(file.with_suffix(".new"), file)

    def epochs_without_gain():
        losses = [line["val_loss"] for line in lines]
        return len(losses) - 1 - losses.index(min(losses)) if losses else 0

    espalier.should_stop()
    saved = time.monotonic()
    while len(lines) < p["epochs"] and not (p["patience"] and epochs_without_gain() >= p["patience"]):
        # Random numbers belong to the epoch, so a resumed training computes the same numbers.
        torch.manual_seed(espalier.seed() * 1000 + len(lines))
        model.train()
        losses = []
        for batch in torch.tensor(train)[torch.randperm(len(train))].split(p["batch_size"]):
            xb = augment(x[batch]) if p["augment"] else x[batch]
            loss = F.cross_entropy(model(xb), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        val_loss, val_accuracy = score(model, x[val], y[val])
        _, test_accuracy = score(model, x[test], y[test])
        lines.append(espalier.report(epoch=len(lines) + 1, train_loss=np.mean(losses),
                                     val_loss=val_loss, val_accuracy=val_accuracy,
                                     test_accuracy=test_accuracy))
        if espalier.should_stop():
            save()
            espalier.exit_for_restart()
        if time.monotonic() - saved > CHECKPOINT_SECONDS:
            save()
            saved = time.monotonic()
    if file.exists():
        file.unlink()                         # so that the next run by hand begins anew


if __name__ == "__main__":
    main()
