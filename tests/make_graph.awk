# SPDX-License-Identifier: BSD-3-Clause
# Made graphs of any size, the same for equal variables and awks.
# usage: awk -v into=FOLDER -v nodes=N -v edges=M [-v features=F] [-v classes=C] [-v graphs=G] -f make_graph.awk
# Without graphs: one graph as tables, FOLDER/edges.csv, features.csv and labels.csv. With graphs: a
# TUDataset S of G graphs that have N nodes and M edges in all. Each edge is listed in both
# directions. Labels of nodes depend on features, and neighbours share labels more often than by
# chance.

function other(a, first, n, b) { # a node from first on, in half of the cases of a's class
    b = first + int(n * rand())
    if (rand() < 0.5 && n > 2 * classes)
        b += classes - 1 - (b - a + classes * nodes - 1) % classes
    return b < first + n && b != a ? b : first + (a - first + 1) % n
}

function put_features(file, before, i, j, line) {
    for (i = 0; i < nodes; i++) {
        line = before ? "n" i : ""
        for (j = 0; j < features; j++)
            line = line (line == "" ? "" : ",") sprintf("%.4f", rand() + rand() - 1 + (j % classes == i % classes))
        print line > file
    }
}

function tables(e, a, b, i, j) {
    printf "node,label\n" > (into "/labels.csv")
    for (i = 0; i < nodes; i++)
        printf "n%d,c%d\n", i, i % classes > (into "/labels.csv")
    printf "node" > (into "/features.csv")
    for (j = 0; j < features; j++)
        printf ",f%d", j > (into "/features.csv")
    printf "\n" > (into "/features.csv")
    put_features(into "/features.csv", 1)
    printf "source,target\n" > (into "/edges.csv")
    for (e = 0; e < edges; e++) {
        a = int(nodes * rand())
        b = other(a, 0, nodes)
        printf "n%d,n%d\nn%d,n%d\n", a, b, b, a > (into "/edges.csv")
    }
}

function sets(e, g, first, n, a, b, i) {
    for (g = 0; g < graphs; g++) {
        first = int(nodes * g / graphs)
        n = int(nodes * (g + 1) / graphs) - first
        printf "%d\n", g % classes > (into "/S_graph_labels.txt")
        for (i = 0; i < n; i++)
            printf "%d\n", g + 1 > (into "/S_graph_indicator.txt")
        for (; e < edges * (g + 1) / graphs; e++) {
            a = first + int(n * rand())
            b = other(a, first, n)
            printf "%d, %d\n%d, %d\n", a + 1, b + 1, b + 1, a + 1 > (into "/S_A.txt")
        }
    }
    put_features(into "/S_node_attributes.txt", 0)
}

BEGIN {
    srand(1)
    features = features ? features : 64
    classes = classes ? classes : 8
    if (graphs)
        sets()
    else
        tables()
}
