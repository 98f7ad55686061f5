# SPDX-License-Identifier: BSD-3-Clause
"""A recurrent network that reads SMILES character by character and predicts whether a molecule passes
the blood-brain barrier (BBBP, Martins et al. 2012), in PyTorch with DistributedDataParallel.

    espalier run grids/bbbp_rnn.ini -n 2                  a sweep, two processes for each trial
    export PYTHONPATH=share/espalier
    python3 examples/bbbp_rnn.py                          one training by hand, in one process
    torchrun --nproc_per_node 2 examples/bbbp_rnn.py      likewise in two processes

Needs ESPALIER_DATA with bbbp/bbbp_clean.csv. The processes share each batch, so batch_size is that of
one training step whatever their number.
"""
import csv
import os
import pathlib

import espalier
import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.data.distributed import DistributedSampler


def read_molecules(max_length):
    """Codes (N, max_length) with 0 after the end, lengths (N), and classes (N)."""
    if "ESPALIER_DATA" not in os.environ:
        raise SystemExit("bbbp_rnn.py: set ESPALIER_DATA to the folder that contains bbbp/")
    with open(pathlib.Path(os.environ["ESPALIER_DATA"]) / "bbbp" / "bbbp_clean.csv") as file:
        rows = [row for row in csv.DictReader(file) if row["in_2039"] == "1"]
    texts = [row["smiles"][:max_length] for row in rows]
    code = {c: i + 1 for i, c in enumerate(sorted(set("".join(texts))))}
    x = torch.zeros(len(texts), max_length, dtype=torch.long)
    for i, text in enumerate(texts):
        x[i, :len(text)] = torch.tensor([code[c] for c in text])
    return x, (x > 0).sum(1), torch.tensor([float(row["p_np"]) for row in rows])


def stratified_split(y, replicate):
    """Indices of 72 % for training, 18 % for validation, 10 % held out, with equal shares of classes."""
    random = np.random.RandomState(replicate)
    parts = [[], [], []]
    for label in np.unique(y):
        members = random.permutation(np.flatnonzero(y == label))
        ends = np.round(np.array([0.72, 0.9]) * len(members)).astype(int)
        for part, chosen in zip(parts, np.split(members, ends)):
            part.extend(chosen)
    return [torch.tensor(np.sort(part)) for part in parts]


def roc_auc(score, y):
    """Probability that a positive scores above a negative; ties count half."""
    values, index, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[index]
    n1 = (y == 1).sum()
    return (rank[y == 1].sum() - n1 * (n1 + 1) / 2) / (n1 * (len(y) - n1))


class Reader(nn.Module):
    def __init__(self, cell, characters, embedding, hidden, dropout):
        super().__init__()
        self.embedding = nn.Embedding(characters, embedding, padding_idx=0)
        self.rnn = getattr(nn, cell.upper())(embedding, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(2 * hidden, 1))

    def forward(self, x, length):
        packed = pack_padded_sequence(self.embedding(x), length, batch_first=True,
                                      enforce_sorted=False)
        _, state = self.rnn(packed)
        state = state[0] if isinstance(state, tuple) else state     # an LSTM returns two states
        return self.head(torch.cat([state[0], state[1]], 1)).squeeze(1)


def evaluate(model, x, length, y, part):
    """Mean loss and ROC AUC of a part."""
    model.eval()
    with torch.no_grad():
        z = torch.cat([model(x[rows, :length[rows].max()], length[rows]) for rows in part.split(256)])
    loss = nn.functional.binary_cross_entropy_with_logits(z, y[part]).item()
    return loss, roc_auc(z.numpy(), y[part].numpy())


def any_rank(flag):
    """True in all ranks if the flag is true in one."""
    flag = torch.tensor(int(flag))
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return bool(flag)


def save(file, network, optimizer, lines):
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "lines": lines}
    torch.save(state, file.with_suffix(".new"))
    os.replace(file.with_suffix(".new"), file)


def main():
    p = espalier.params(cell="gru", embedding=16, hidden=32, dropout=0.2, batch_size=32,
                        learning_rate=3e-3, epochs=6, max_length=100)
    torch.set_num_threads(espalier.threads())
    # Without torchrun and espalier this is a group of one process.
    for name, value in dict(RANK=0, WORLD_SIZE=1, MASTER_ADDR="127.0.0.1", MASTER_PORT=0).items():
        os.environ.setdefault(name, str(value))
    dist.init_process_group("gloo")

    x, length, y = read_molecules(p["max_length"])
    train, val, test = stratified_split(y.numpy(), espalier.replicate())
    torch.manual_seed(espalier.seed())
    network = Reader(p["cell"], int(x.max()) + 1, p["embedding"], p["hidden"], p["dropout"])
    model = nn.parallel.DistributedDataParallel(network)
    optimizer = torch.optim.Adam(model.parameters(), lr=p["learning_rate"])
    sampler = DistributedSampler(train, seed=espalier.seed())
    share = max(1, p["batch_size"] // dist.get_world_size())
    lines = []

    file = espalier.checkpoint_dir() / "state.pt"
    if file.exists():
        state = torch.load(file)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        for line in state["lines"]:
            lines.append(espalier.report(**line))

    for epoch in range(len(lines) + 1, p["epochs"] + 1):
        # The ranks are asked to stop one by one, but must stop before the same epoch. Keep this before
        # the epoch: PyTorch 1.13 can hang where a group ends right after a collective call.
        if any_rank(espalier.should_stop()):
            if dist.get_rank() == 0:
                save(file, network, optimizer, lines)
            dist.barrier()
            espalier.exit_for_restart()

        # Random numbers belong to the epoch and the rank, so a resumed training computes the same.
        sampler.set_epoch(epoch)
        torch.manual_seed((espalier.seed() * 1000 + epoch) * 1000 + dist.get_rank())
        model.train()
        total = 0.0
        batches = train[list(sampler)].split(share)
        for rows in batches:
            z = model(x[rows, :length[rows].max()], length[rows])
            loss = nn.functional.binary_cross_entropy_with_logits(z, y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        val_loss, val_roc_auc = evaluate(network, x, length, y, val)
        _, test_roc_auc = evaluate(network, x, length, y, test)
        lines.append(espalier.report(epoch=epoch, train_loss=total / len(batches), val_loss=val_loss,
                                     val_roc_auc=val_roc_auc, test_roc_auc=test_roc_auc))
    if file.exists() and dist.get_rank() == 0:
        file.unlink()                         # so that the next run by hand begins anew
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
