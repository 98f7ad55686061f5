# SPDX-License-Identifier: BSD-3-Clause
"""A member of a gang. All meet at MASTER_ADDR and MASTER_PORT, as those of torch.distributed do, and
rank 0 reports what the others tell it.

    meet.py [FAILING]   the rank FAILING exits with 1 instead

While the file `hold` exists, members that have met wait; met/RANK.PID shows that they have.
"""

import json
import os
import socket
import sys
import time

rank, size, local_rank = (int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])


def own_gpu():
    """The device that cuda:LOCAL_RANK is, or with MEET=first cuda:0."""
    gpus = os.environ.get("CUDA_VISIBLE_DEVICES")
    number = 0 if os.environ.get("MEET") == "first" else local_rank
    return int(gpus.split(",")[number]) if gpus else -1


def lead():
    told = [(rank, own_gpu())]
    peers = []
    with socket.create_server(("", port)) as server:
        while len(peers) < size - 1:
            peers.append(server.accept()[0])
    for peer in peers:
        told.append([int(word) for word in peer.makefile().readline().split()])
    for peer in peers:
        peer.sendall(b"all are here\n")
    return told


def follow():
    while True:
        try:
            peer = socket.create_connection((address, port))
            break
        except ConnectionRefusedError:
            time.sleep(0.01)
    peer.sendall(b"%d %d\n" % (rank, own_gpu()))
    peer.makefile().readline()
    return []


def wait_while_held():
    if not os.path.exists("hold"):
        return
    os.makedirs("met", exist_ok=True)
    open(f"met/{rank}.{os.getpid()}", "w").close()
    while os.path.exists("hold"):
        time.sleep(0.02)


if sys.argv[1:] == [str(rank)]:
    sys.exit("no data for this rank")
told = follow() if rank else lead()
wait_while_held()
if rank == 0:
    with open(os.environ["ESPALIER_RESULTS"], "a") as results:
        # 123 of four ranks: a digit of each
        ranks = sum(10 ** (size - 1 - who) * who for who, _ in told)
        gpus = sum(10 ** (size - 1 - who) * gpu for who, gpu in told)
        hosts = int(os.environ["GROUP_WORLD_SIZE"])
        print(json.dumps({"val_ranks": ranks, "gpus": gpus, "hosts": hosts}), file=results)
