#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tasks that do nothing under mpi4py.futures, with results sent to the master and no database.

usage: mpirun -n 3 python3 -m mpi4py.futures peer_mpi.py TASKS CHUNK    (a master and two workers)

Prints tasks a second, without the start of the workers.
"""
import sys
import time

from mpi4py.futures import MPIPoolExecutor


def noop(number):
    return number


def main():
    n, chunk = int(sys.argv[1]), int(sys.argv[2])
    with MPIPoolExecutor() as pool:
        list(pool.map(noop, range(100)))
        begun = time.perf_counter()
        done = sum(1 for _ in pool.map(noop, range(n), chunksize=chunk))
        print(done / (time.perf_counter() - begun))


if __name__ == "__main__":
    main()
