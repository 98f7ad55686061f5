#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# New nodes for a graph given as edges.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

predict() { "$ESPALIER" predict "$@" 2>.err; }

# A graph of 90 nodes with weighted edges; the last 20 are new. Features as a full table, as a list,
# and with names.
awk 'BEGIN {
    srand(7)
    print "node,a,b,c,d" >"all.csv"; print "node,feature,value" >"listed.csv"; print "node,y" >"labels.csv"
    print "from,to,weight" >"edges.csv"; print "to,from,w" >"new_edges.csv"
    print "node,d,extra,b,a,c" >"new.csv"; print "node,feature,value" >"new_listed.csv"
    for (i = 0; i < 90; i++) {
        a = int(100 * rand()) / 10; b = rand(); c = int(3 * rand()); d = rand() - 0.5
        if (i < 70) {
            print "n" i "," a "," b "," c "," d >"all.csv"; print "n" i "," a + 3 * c + d >"labels.csv"
        } else
            print "n" i "," d ",7," b "," a "," c >"new.csv"
        file = i < 70 ? "listed.csv" : "new_listed.csv"
        print "n" i ",a," a >file; print "n" i ",d," d >file
        if (c)
            print "n" i ",c," c >file
        if (i >= 70 && i % 5 == 0)
            print "n" i ",unheard,1" >file
        for (k = 0; k < 3 && i; k++) {
            j = int((i < 70 ? i : 70) * rand())
            if (!((i, j) in has) && i != 88)
                print "n" i ",n" j "," int(8 * rand() + 1) / 2 >(i < 70 ? "edges.csv" : "new_edges.csv")
            has[i, j] = 1
        }
    }
}'
printf 'n71,n72,1\nn3,n4,2\n' >>new_edges.csv
cat >grid.ini <<'INI'
[sweep]
folds = 3
keep = all
[data]
format = graph
labels = labels.csv
features = all.csv
edges = edges.csv
[split]
test = 0.1
[train]
epochs = 8
[model]
hidden_size = 8
layers = 2
[grid]
type = gcn, mlp, ridge
INI
"$ESPALIER" run grid.ini --progress none --set task=regression >/dev/null 2>&1
is "trained" "$(sqlite3 results.db "select state || count(*) from trial")" done9
"$ESPALIER" run grid.ini --progress none --set task=regression --set features=listed.csv --set name=listed --db listed.db >/dev/null 2>&1
new() { predict "$1" --config "$2" --features "$3" --edges new_edges.csv; }
# Names of columns and nodes of the data in another spelling.
sed '1s/a,c/A,C/' new.csv >upper.csv
echo N3,1,1,1,1,1 >>upper.csv
is "columns and nodes that differ in case" "$(new results.db c1 upper.csv | cksum)" "$(new results.db c1 new.csv | cksum)"
new results.db c1 upper.csv >/dev/null
like "are counted: columns" "$(cat .err)" '2 columns of upper.csv found by number or without regard to case: "a" as "A", "c" as "C"'
like "are counted: ids" "$(cat .err)" 'warning: upper.csv: 1 id joined by number or without regard to case: "N3" as "n3"'
is "new nodes" "$(new results.db c1 new.csv | cut -d, -f1 | tail -n 2 | tr '\n' ' ')$(new results.db c1 new.csv | wc -l)" "n88 n89 21"
like "messages about them" "$(tr '\n' '~' <.err)" "new.csv: 20 new nodes, skipped 0 rows of nodes .*new_edges.csv: 1 new node without an edge to the training data~.*ignored 1 edge between new nodes: .*new_edges.csv: ignored 1 edge between nodes of the training data"
new listed.db c1 new_listed.csv >new_listed.out
like "listed features, some unknown" "$(cat .err)" "warning: new_listed.csv: dropped 4 entries: the training data have no such feature"

# A model without a graph predicts the same for stored nodes under other names. A table may contain
# old and new nodes.
for config in c2 c3; do
    predict --config $config --all >all.out
    sed 's/^n/copy/' all.csv >copies.csv
    is "copies of nodes, $config" "$(predict --config $config --features copies.csv | sed 's/^copy/n/' | same all.out)" "same 70"
    predict listed.db --config $config --all >all.out
    sed 's/^n/copy/' listed.csv >copies.csv
    is "with listed features, $config" "$(predict listed.db --config $config --features copies.csv | sed 's/^copy/n/' | same all.out)" "same 70"
done
{ cat all.csv && sed 1d copies.csv | awk -F, '$2 == "a" { print $1 "," $3 ",1,1,1" }'; } >both.csv
is "nodes of the data are left out" "$(predict --config c2 --features both.csv | wc -l)" 71
like "and counted" "$(cat .err)" "both.csv: 70 new nodes, skipped 70 rows of nodes of the training data"
# Other nodes of the table do not matter.
new results.db c1 new.csv >new.out
sed -n '1p;5,9p' new.csv >few.csv
awk -F, 'NR == FNR { n[$1]; next } FNR == 1 || ($1 in n)' few.csv new_edges.csv >few_edges.csv
is "fewer nodes" "$(predict --config c1 --features few.csv --edges few_edges.csv | same new.out)" "same 5"
# A missing feature becomes the mean.
sed '2s/,7,[^,]*/,7,/' new.csv >gap.csv
mean=$(awk -F, 'NR > 1 { s += $3 } END { printf "%.9g", s / (NR - 1) }' all.csv)
sed "2s/,7,[^,]*/,7,$mean/" new.csv >filled.csv
new results.db c1 filled.csv >filled.out
is "a missing cell is the mean of the data" "$(new results.db c1 gap.csv | same filled.out)" "same 20"
like "missing cells are counted" "$(cat .err)" "gap.csv: set 1 missing cell to the mean of the training data"

# Compute it independently.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    "$ESPALIER" show t1 --model full.safetensors 2>/dev/null
    "$ESPALIER" show listed.db t1 --model listed.safetensors 2>/dev/null
    joined() { /usr/bin/python3 "$SRCDIR/tests/cli/joined.py" "$@"; }
    joined full.safetensors all.csv new.csv labels.csv edges.csv new_edges.csv >full.out
    joined listed.safetensors listed.csv new_listed.csv labels.csv edges.csv new_edges.csv >listed.out
    is "numpy predicts the same of a full table" "$(predict --trial t1 --features new.csv --edges new_edges.csv | same full.out)" "same 20"
    is "and of listed features" "$(predict listed.db --trial t1 --features new_listed.csv --edges new_edges.csv | same listed.out)" "same 20"
else
    echo "# no numpy: not compared with other means"
fi

# Refused tables.
refused() {
    name=$1
    message=$2
    shift 2
    fails "$name" 1 "$ESPALIER" predict --config c1 "$@"
    is "$name: the message" "$(tail -n 1 .err)" "espalier: $message"
}
refused "no edges" "--features: the graph comes from a file of edges: give the edges of the new nodes with --edges FILE" --features new.csv
refused "no new sample" "all.csv: no new node: 70 rows are of nodes of the training data" --features all.csv --edges new_edges.csv
cut -d, -f1-4 new.csv >less.csv
refused "a missing column" 'less.csv:1: no column "a": must have every feature of the training data' --features less.csv --edges new_edges.csv
{ cat new_edges.csv && echo "n70,stranger,1"; } >stranger.csv
refused "an edge to nowhere" "stranger.csv:$(wc -l <stranger.csv): column \"from\": id \"stranger\" is not in new.csv nor in the training data" --features new.csv --edges stranger.csv
{ cat new.csv && tail -n 1 new.csv; } >twice.csv
refused "a duplicate node" 'twice.csv:22: node "n89" occurs twice' --features twice.csv --edges new_edges.csv
sed '3s/,7,.*/,7,x,1,1/' new.csv >word.csv
fails "a word" 1 "$ESPALIER" predict --config c1 --features word.csv --edges new_edges.csv
like "is refused with its line" "$(cat .err)" 'word.csv:3: '
fails "the other form" 1 "$ESPALIER" predict listed.db --config c1 --features new.csv --edges new_edges.csv
like "is refused" "$(cat .err)" "new.csv:1: features are a full table: must be listed \(node, feature\), as in the training data"
fails "and the reverse" 1 "$ESPALIER" predict --config c1 --features new_listed.csv --edges new_edges.csv
like "is refused, too" "$(cat .err)" "new_listed.csv:1: features are listed \(node, feature\): must be a full table"
fails "genotypes" 1 "$ESPALIER" predict --genotypes new.csv
like "are refused, with the setting's name" "$(cat .err)" "not genotypes \(data.format = graph\): use --features FILE for new samples"
fails "graphs" 1 "$ESPALIER" predict --graphs new.csv
like "are refused, too" "$(cat .err)" "not graphs \(data.format = graph\): use --features FILE for new samples"
fails "--edges alone" 2 "$ESPALIER" predict --edges new_edges.csv
fails "the edges are not overwritten" 1 "$ESPALIER" predict --config c1 --features new.csv --edges new_edges.csv -o new_edges.csv

# Cora: every twentieth paper is new.
cora=$ESPALIER_DATA/cora
if [ -r "$cora/labels.csv" ]; then
    mkdir cora
    for file in labels features; do
        awk -F, 'NR == 1 || $1 % 20' "$cora/$file.csv" >cora/$file.csv
    done
    awk -F, 'NR == 1 || ($1 % 20 && $2 % 20)' "$cora/edges.csv" >cora/edges.csv
    awk -F, 'NR == 1 || $1 % 20 == 0' "$cora/features.csv" >papers.csv
    awk -F, 'NR == 1 || $1 % 20 == 0 || $2 % 20 == 0' "$cora/edges.csv" >cites.csv
    printf '[sweep]\nfolds = 3\n[data]\nformat = graph\nlabels = cora/labels.csv\nfeatures = cora/features.csv\nedges = cora/edges.csv\n[train]\nepochs = 30\n[model]\nhidden_size = 16\n' >cora.ini
    "$ESPALIER" run cora.ini --db cora.db --progress none >/dev/null 2>&1
    right=$(predict cora.db --features papers.csv --edges cites.csv | awk -F, 'NR == FNR { y[$1] = $2; next } FNR > 1 { n++; r += y[$1] == $2 } END { printf "%d %.3f", n, r / n }' "$cora/labels.csv" -)
    like "136 new papers, most of them right" "$right" '^136 (0\.8[5-9]|0\.9)'
else
    echo "# no ESPALIER_DATA: Cora is left out"
fi
done_testing
