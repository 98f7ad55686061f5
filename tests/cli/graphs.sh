#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Samples that are graphs: what `inspect` prints, and training on them.
. "${SRCDIR:-.}/tests/lib.sh"

mkdir "$T/set"
printf '1, 2\n2, 1\n2, 3\n4, 5\n5, 4\n6, 6\n' >"$T/set/S_A.txt"
printf '1\n1\n1\n2\n2\n2\n3\n3\n3\n4\n4\n4\n' >"$T/set/S_graph_indicator.txt"
printf '1\n-1\n1\n-1\n' >"$T/set/S_graph_labels.txt"
printf '3\n0\n3\n3\n0\n0\n3\n0\n3\n3\n0\n0\n' >"$T/set/S_node_labels.txt"
printf '0\n0\n0\n0\n0\n0\n' >"$T/set/S_edge_labels.txt"
cat >"$T/tu.ini" <<'END'
[data]
format = tu
folder = set
[split]
test = 0
val = 0.5
END
# The output of inspect without the lines of the digest and of the time to read.
inspect() {
    "$ESPALIER" inspect "$@" | grep -v -e '^digest' -e '^read in'
}
is "a TUDataset" "$(inspect "$T/tu.ini")" \
"samples     4 graphs
features    2 of each node, small integers, 24 bytes
nodes       12; 3 to 3 in a graph, median 3
edges       3; 0 to 2 in a graph, median 0.5; 0 duplicates and 1 self loop dropped
components  3 graphs with more than one; 2 without an edge
one way     1 edge is listed in one direction only, and used in both
not used    labels or attributes of edges
class       -1: 2
class       1: 2
split       2 train, 2 val, 0 test"

"$ESPALIER" inspect "$T/tu.ini" --splits "$T/parts.csv" >/dev/null
is "parts of graphs" "$(sed 1d "$T/parts.csv" | cut -d, -f4 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
    " 2 train; 2 val;"

cd "$T" || exit 1
cat >train.ini <<'END'
[data]
format = tu
folder = set
[split]
test = 0
val = 0.5
[model]
hidden_size = 4
[train]
epochs = 3
batch_size = 1
[grid]
pool = mean, sum, max
type = gcn, mlp
END
ok "graphs are trained on" "$ESPALIER" run train.ini --db train.db --progress none
is "every pooling, with edges and without" \
    "$(grep -o '6 of 6 trials run .*, 6 done' "$T/.err" | sed 's/ in .*,/,/')" "6 of 6 trials run, 6 done"

# Settings that join or compare samples are refused, with a message.
refused() { # NAME SETTING=VALUE TEXT
    fails "$1" 2 "$ESPALIER" plan tu.ini --set "$2"
    is "$1: the message names the setting" "$(cat "$T/.err")" "espalier: --set $3"
}
refused "neighbours of molecules" build=knn \
    "build: build = knn joins samples, but here each sample is a graph: must be file or none"
refused "a threshold" build=threshold \
    "build: build = threshold joins samples, but here each sample is a graph: must be file or none"
refused "ridge" type=ridge \
    "type: type = ridge needs one row of features for each sample, but here each sample is a graph: must be gcn or mlp"
refused "a reduction" reduce=exact \
    "reduce: reduce needs one row of features for each sample, but here each row is a node: must be none"

cat >"$T/smiles.ini" <<'END'
[data]
format = smiles
molecules = m.csv
trait = y
[split]
test = 0
val = 0.5
END
printf 'smiles,y\nCCO,a\nC(,b\n[Na+].[Cl-],b\nO,a\nC1CC1,b\n' >"$T/m.csv"
if inspect "$T/smiles.ini" >"$T/out" 2>"$T/err"; then
    is "molecules" "$(cat "$T/out")" \
"samples     4 graphs
features    62 of each node, small integers, 558 bytes
nodes       9; 1 to 3 in a graph, median 2.5
edges       5; 0 to 3 in a graph, median 1; 0 duplicates and 0 self loops dropped
components  1 graph with more than one; 1 without an edge
class       a: 2
class       b: 2
split       2 train, 2 val, 0 test
duplicates  none: no two samples have the same features of atoms and neighbours (without stereo and isotopes)"
    is "what is left out is counted" "$(grep 'left out' "$T/err")" \
        "espalier: warning: $T/m.csv: 1 of 5 rows cannot be parsed as molecules and are left out: line 3, id \"2\": \"C(\": '(' without a ')'"
    printf 'smiles,y,series\nCCO,a,s\nOCC,b,t\nCC,a,u\nCO,b,s\nCN,c,t\nN,,u\nC*,a,v\n' >"$T/m2.csv"
    "$ESPALIER" inspect "$T/smiles.ini" --set molecules="$T/m2.csv" --duplicates "$T/equal.csv" \
        --set group=series >"$T/out" 2>"$T/err"
    is "the same molecule twice" "$(cut -d, -f1,2 "$T/equal.csv" | tr '\n' ' ')" "set,id 1,1 1,2 "
    like "is in the answer" "$(cat "$T/out")" "^duplicates  1 set of samples with the same features of atoms and neighbours .without stereo and isotopes., 2 samples in all"
    like "their values are compared" "$(cat "$T/out")" "^unequal     1 of these sets has different values"
    like "groups of molecules" "$(cat "$T/out")" "^groups      4 by series, of 1 to 2 samples with a value"
    like "an atom of any element is counted" "$(cat "$T/out")" '^wildcards   1 molecule with an atom of no element'
    like "a class with one member is named" "$(cat "$T/err")" "1 class \('c'\) has one sample each, which cannot be both in training"
    like "an empty value is counted" "$(cat "$T/err")" 'm2.csv: 1 of 7 molecules have no value in column "y"'
    fails "equal graphs of other formats are not listed" 1 "$ESPALIER" inspect "$T/tu.ini" --duplicates "$T/e.csv"
    ok "molecules train" "$ESPALIER" run "$T/smiles.ini" --db "$T/smiles.db" --progress none \
        --set epochs=2 --set pool=max
fi
"$ESPALIER" inspect "$T/smiles.ini" >/dev/null 2>"$T/.err"
case $? in
0) ok "molecules are read" true ;;
*) is "or it is said why not" "$(cat "$T/.err")" \
"espalier: data.format = smiles: this espalier was built without Indigo; install it (Debian: libindigo-dev), then configure and build again" ;;
esac

# Defaults that depend on the kind of data (doc/decisions/0036 and 0006).
cd "$T" || exit 1
cp -r set amounts
printf '%s\n' 1000 2000 3000 1500 2500 9000 1000 2000 3000 4000 5000 6000 >amounts/S_node_attributes.txt
cat >defaults.ini <<'END'
[sweep]
name = d
[data]
format = tu
folder = set
[split]
test = 0
val = 0.5
[train]
epochs = 2
END
effective() { # DB
    "$ESPALIER" best "$1" -n 1 --format ini 2>/dev/null | grep -E '^(scale|batch_norm|pool|choose_epoch) ' | tr '\n' ';'
}
ok "labels" "$ESPALIER" run defaults.ini --db labels.db --progress none
is "keep their values" "$(effective labels.db)" \
    "scale = none;batch_norm = yes;pool = sum;choose_epoch = loss;"
is "without a warning" "$(grep -c "standard deviations" "$T/.err")" 0
ok "attributes" "$ESPALIER" run defaults.ini --db amounts.db --progress none --set folder=amounts
is "are standardized" "$(effective amounts.db)" \
    "scale = standardize;batch_norm = yes;pool = sum;choose_epoch = loss;"
is "without a warning, too" "$(grep -c "standard deviations" "$T/.err")" 0
ok "unscaled attributes" "$ESPALIER" inspect defaults.ini --set folder=amounts --set scale=none
is "give a warning" "$(grep "standard deviations" "$T/.err")" \
    "espalier: warning: defaults.ini: scale = none, but standard deviations of features differ by a factor of more than 100: 2.26e+03 for feature 'attribute1', 0.5 for feature 'label=0': set [data] scale = standardize"
printf 'node,label\n1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n' >nodes.csv
printf 'source,target\n1,2\n3,4\n5,6\n' >edges.csv
printf 'node,feature,value\n1,7,1\n2,7,1\n3,8,900\n4,8,300\n5,7,1\n6,8,5\n' >words.csv
printf '[data]\nformat = graph\nedges = edges.csv\nfeatures = words.csv\nlabels = nodes.csv\n' >words.ini
ok "sparse features" "$ESPALIER" inspect words.ini
is "give a warning, too" "$(grep -o 'standard deviations.*' "$T/.err")" \
    "standard deviations of features differ by a factor of more than 100: 331 for feature 8, 0.5 for feature 7: set [data] scale = row, or divide the large values"
awk 'BEGIN { print "node,common,rare"; for (i = 1; i <= 50000; i++) print i "," i % 2 "," (i == 7) }' >marks.csv
awk 'BEGIN { print "node,label"; for (i = 1; i <= 50000; i++) print i "," (i % 3 ? "a" : "b") }' >all.csv
ok "a rare label" "$ESPALIER" inspect words.ini --set features=marks.csv --set labels=all.csv
is "gives no warning of scale" "$(grep -c "standard deviations" "$T/.err")" 0
cp defaults.ini before.ini
ok "a sweep that ran under other defaults" "$ESPALIER" run before.ini --db before.db --progress none \
    --set folder=amounts --set scale=none --set batch_norm=no --set pool=mean --set choose_epoch=objective
fails "is now another sweep" 2 "$ESPALIER" run before.ini --db before.db --progress none --set folder=amounts
is "and continues with the printed lines" "$(grep -o 'add to .*' "$T/.err" | tr '\n' ';')" \
    "add to [data]: scale = none);add to [model]: batch_norm = no);add to [model]: pool = mean);add to [train]: choose_epoch = objective);"

# Settings of other formats are refused.
cd "$T" || exit 1
fails "settings of other formats" 2 "$ESPALIER" inspect tu.ini --set data.edges=labels --set data.labels=labels
is "each is named" "$(cat "$T/.err")" \
"espalier: --set data.edges: edges belongs to format = graph, and the format is tu
espalier: --set data.labels: labels belongs to format = graph, and the format is tu"
printf '[data]\nformat = graph\n' >"$T/bare.ini"
fails "missing settings" 2 "$ESPALIER" inspect bare.ini
is "each is named, too" "$(cat "$T/.err")" \
"espalier: bare.ini:1: [data] features is not set: required by format = graph
espalier: bare.ini:1: [data] labels is not set: required by format = graph
espalier: bare.ini:1: [data] edges is not set: required by format = graph: set it, or a [graph] build other than file"

if [ -n "${ESPALIER_DATA:-}" ]; then
    for set in "MUTAG 188 3371 3721" "PROTEINS 1113 43471 81044"; do
        # shellcheck disable=SC2086 # four words
        set -- $set
        printf '[data]\nformat = tu\nfolder = %s/tu/%s\n' "$ESPALIER_DATA" "$1" >"$T/real.ini"
        is "$1" "$(inspect "$T/real.ini" | awk '
            $1 ~ /^(samples|nodes|edges)$/ { printf "%d ", $2 }')" "$2 $3 $4 "
    done
    # The shipped grids, cut down for a short test.
    ok "mutag trains" "$ESPALIER" run "$SRCDIR/grids/mutag.ini" --db mutag.db --progress none \
        --set pool=sum --set type=gcn --set learning_rate=1e-2 --set epochs=60
    is "and learns: the larger class is 125 of 188" \
        "$("$ESPALIER" best mutag.db 2>/dev/null | awk 'NR == 2 { print ($4 > 0.72 && $4 < 1) }')" 1
    ok "proteins can be planned" "$ESPALIER" plan "$SRCDIR/grids/proteins.ini"
fi
done_testing
