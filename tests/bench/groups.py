# SPDX-License-Identifier: BSD-3-Clause
"""A phenotype table with a column `group`.

usage: groups.py PHENOTYPES country ACCESSIONS    countries of the 2029 accessions
       groups.py PHENOTYPES K GENOTYPES           K clusters of the genotypes, by k-means

Accessions without a group are left out."""
import csv
import gzip
import random
import sys


def read(path, encoding="utf-8"):
    if path.endswith(".gz"):
        return list(csv.reader(gzip.open(path, "rt")))
    return list(csv.reader(open(path, encoding=encoding, newline="")))


def nearest(row, centres):
    def distance(c):
        return sum((a - b) * (a - b) for a, b in zip(row, centres[c]))

    return min(range(len(centres)), key=distance)


def clusters(ids, rows, k):
    centres = random.Random(1).sample(rows, k)
    for _ in range(10):
        at = [nearest(row, centres) for row in rows]
        for c in range(k):
            own = [row for row, a in zip(rows, at) if a == c]
            if own:
                centres[c] = [sum(column) / len(own) for column in zip(*own)]
    return {i: "cluster%d" % a for i, a in zip(ids, at)}


def main():
    phenotypes, how, other = sys.argv[1:]
    if how == "country":
        group = {row[0]: row[3] for row in read(other, "mac_roman")[1:]}
    else:
        table = read(other)[1:]
        # Every third marker gives the same clusters within seconds.
        group = clusters([row[0] for row in table], [list(map(float, row[1::3])) for row in table], int(how))
    head, *rows = read(phenotypes)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(head + ["group"])
    out.writerows(row + [group[row[0]]] for row in rows if group.get(row[0]))


main()
