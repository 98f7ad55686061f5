# SPDX-License-Identifier: BSD-3-Clause
"""Write a PLINK 1 set of unrelated samples and independent variants: PREFIX.bed, .bim and .fam.
usage: make_plink.py SAMPLES VARIANTS PREFIX"""
import sys

import numpy as np

AT_ONCE = 5000


def genotypes(rng, m, n):
    """(m, n) codes of a .bed: 0 is two A1, 2 one, 3 none, 1 missing."""
    p = rng.uniform(0.05, 0.5, (m, 1)).astype(np.float32)
    u = rng.random((m, n), dtype=np.float32)
    code = np.where(u < p * p, 0, np.where(u < p * p + 2 * p * (1 - p), 2, 3)).astype(np.uint8)
    code[rng.random((m, n), dtype=np.float32) < 0.01] = 1
    return code


def pack(code):
    m, n = code.shape
    whole = np.zeros((m, (n + 3) // 4 * 4), np.uint8)
    whole[:, :n] = code
    return whole[:, 0::4] | whole[:, 1::4] << 2 | whole[:, 2::4] << 4 | whole[:, 3::4] << 6


def main():
    n, f, prefix = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng = np.random.default_rng(1)
    with open(prefix + ".bed", "wb") as bed, open(prefix + ".bim", "w") as bim:
        bed.write(bytes([0x6C, 0x1B, 1]))
        for first in range(0, f, AT_ONCE):
            m = min(AT_ONCE, f - first)
            bed.write(pack(genotypes(rng, m, n)).tobytes())
            bim.writelines(f"{1 + k * 10 // f}\trs{k}\t0\t{100 * k + 1}\tA\tG\n" for k in range(first, first + m))
    with open(prefix + ".fam", "w") as fam:
        fam.writelines(f"f{i}\ts{i}\t0\t0\t0\t{rng.normal():.4f}\n" for i in range(n))


main()
