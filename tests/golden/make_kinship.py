#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Markers that maf keeps and VanRaden's kinship by numpy, for test_kinship in tests/unit/variants.c.

Dosages are those of the files there, -1 where missing; a call of lower ploidy m' is scaled by m / m'.
The frequency of a marker is its mean dosage over the present calls divided by the ploidy m. Missing
calls become the mean. Kinship is Z Z' / (m sum p (1 - p)), Z = dosage - m p (VanRaden 2008, method 1).
Run by hand; the test contains what this prints.
"""
import numpy as np

PANELS = {  # ploidy, maf, dosages of each marker
    "diploid": (2, 0.2, [[0, 1, 2, -1], [0, 0, 0, 1], [2, 1, 2, 0], [1, 1, 0, 2]]),
    "tetraploid": (4, 0.1, [[0, 1, 4, 2], [0, 0, 0, 1], [3, 4, 4, -1], [2, 0, 1, 3]]),
    "tetraploid DS": (4, 0.1, [[0.05, 1.1, 3.9, 2.2], [0.1, 0, 0.3, 0.9], [2.75, 3.8, 3.95, -1],
                               [1.9, 0.2, 1.25, 3]]),
    # sample a is diploid: 1/1 is 4 of 4
    "mixed": (4, 0.1, [[4, 1, 3, 0], [2, 0, 0, 1], [0, 0, 0, 1], [0, 4, 1, 3]]),
}

for name, (m, maf, dosages) in PANELS.items():
    x = np.array(dosages, float)
    x[x < 0] = np.nan
    p = np.nanmean(x, axis=1) / m
    kept = np.minimum(p, 1 - p) >= maf
    x = np.where(np.isnan(x), m * p[:, None], x)[kept]
    z = x - m * x.mean(axis=1, keepdims=True) / m
    p = x.mean(axis=1) / m
    k = z.T @ z / (m * (p * (1 - p)).sum())
    print(name, "keeps", [i for i, keep in enumerate(kept) if keep])
    print("   ", ", ".join(f"{k[i, j]:.10f}" for i in range(4) for j in range(i, 4)))
