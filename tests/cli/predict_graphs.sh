#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Kept models predict new molecules, graphs and images, with the same results as for their own.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

bbbp=$ESPALIER_DATA/bbbp/bbbp_clean.csv
[ -r "$bbbp" ] || skip_all "no ESPALIER_DATA"
predict() { "$ESPALIER" predict "$@" 2>.err; }
# The same without the column `sample`, which depends on the ids of new graphs.
bits() {
    predict "$@" | awk -F, '
        NR == 1 { for (j = 1; j <= NF; j++) if ($j == "sample") sample = j }
        { for (j = 1; j <= NF; j++) if (j != sample) printf("%s%s", (j > 1 ? FS : ""), $j); print "" }'
}
refused() {
    name=$1
    message=$2
    shift 2
    fails "$name" 1 "$ESPALIER" predict "$@"
    is "$name: the message" "$(tail -n 1 .err)" "espalier: $message"
}

# ---- molecules ----

sed 500q "$bbbp" >panel.csv
cat >grid.ini <<'INI'
[sweep]
folds = 3
keep = all
[data]
format = smiles
molecules = panel.csv
smiles = smiles
trait = p_np
id = num
[split]
test = 0.1
[train]
epochs = 2
batch_size = 64
[model]
layers = 2
[grid]
hidden_size = 24, 64
batch_norm = no, yes
type = gcn, mlp
INI
if "$ESPALIER" run grid.ini --progress none >/dev/null 2>.err; then
    for config in 1 2 3 4 5 6 7 8; do
        predict --config c$config --all --each >all.csv
        is "molecules of the data as new ones have the same bits: c$config" "$(predict --config c$config --graphs panel.csv --each | cksum)" "$(cksum <all.csv)"
    done
    is "there are 499" "$(wc -l <all.csv)" 500
    like "known molecules are counted" "$(cat .err)" "panel.csv: 499 graphs to predict, 499 of them with the same features of atoms and neighbours"
    # Columns are found by name, in another order and without the target.
    awk -F, -v OFS=, 'NR == 1 || NR % 9 == 5 { print $4, "", $1 }' panel.csv | sed '1s/,,/,p_np,/' >few.csv
    predict --config c8 --each --graphs few.csv >few.out
    is "fewer molecules have the same bits" "$(sed 1d few.out | grep -cxFf all.csv) $(wc -l <few.out)" "56 57"
    for row in 2 17 40; do
        sed -n "1p;${row}p" few.csv | cut -d, -f1,3 >one.csv
        is "one molecule alone has the same bits: row $row" "$(predict --config c8 --each --graphs one.csv | sed 1d)" "$(sed -n "${row}p" few.out)"
    done
    # More molecules than fit in memory at a time.
    awk -F, -v OFS=, 'NR == 1 { print; next } { row[NR] = $2 "," $3 "," $4 } END { for (k = 0; k < 5; k++) for (i = 2; i <= NR; i++) print k * 1000000 + i, row[i] }' panel.csv >many.csv
    bits --config c8 --all --each | cut -d, -f2- | sed 1d >each.csv
    is "thousands have the same bits" "$(bits --config c8 --each --graphs many.csv | sed 1d | cut -d, -f2- | cksum)" "$(cat each.csv each.csv each.csv each.csv each.csv | cksum)"
    # A SMILES file as OpenBabel and RDKit write it.
    awk -F, 'NR > 1 { print $1 "\tno " $3 }' few.csv >few.smi
    bits --config c8 --each --graphs few.csv | sed 1d | sed 's/^/no /' >wanted.csv
    is "a file without a header has the same bits" "$(bits --config c8 --each --graphs few.smi | sed 1d)" "$(cat wanted.csv)"
    { echo "SMILES Name "; tr '\t' ' ' <few.smi; } | gzip >few.smi.gz
    is "also with a title, and packed" "$(bits --config c8 --each --graphs few.smi.gz | sed 1d)" "$(cat wanted.csv)"
    printf 'CCO a\nCC(C b\n' >bad.smi
    fails "a line that cannot be read, if that is asked" 1 "$ESPALIER" predict --graphs bad.smi --set skip_invalid=no
    like "the message names it" "$(cat .err)" '^espalier: bad.smi:2: .* rows cannot be parsed as molecules: line 2, id .* "CC\(C": .*; --set skip_invalid=yes skips such rows$'
    refused "it is not overwritten" "bad.smi: is the input bad.smi: will not be overwritten" --graphs bad.smi -o bad.smi
    fails "nothing to train on" 1 "$ESPALIER" run grid.ini --set molecules=few.smi --db smi.db
    like "and a message says so" "$(cat .err)" 'few.smi: no column "smiles" \(data.smiles\) on the first line: a SMILES file without a header has nothing to predict; the first line must name the columns, including the target.s$'
    # Texts that are not molecules.
    printf 'num,smiles\nx,CCO\ny,CC(C\nz,c1ccccc1\nw,\n' >bad.csv
    is "rows that cannot be read are left out" "$(predict --graphs bad.csv | cut -d, -f1,4 | tr '\n' ' ')" "id,models x,3 z,3 "
    like "counted and named" "$(cat .err)" "warning: bad.csv: 2 molecules cannot be parsed and have no prediction: line 3, id .*; line 5, id"
    printf 'smile\nCCO\n' >new.csv
    refused "no such column" 'new.csv:1: no column "smiles" (data.smiles): must be one of "smile"; did you mean "smile"?: rename the column in the header' --graphs new.csv
    printf 'smiles\nCCO\nCCO\n' >new.csv
    is "the SMILES name rows without ids" "$(predict --graphs new.csv | cut -d, -f1,4 | tr '\n' ' ')" "id,models CCO,3 CCO,3 "
    (echo smiles,id && cut -d, -f1 few.csv | sed '1d; s/$/,new/') >known.csv
    is "molecules of the training data are marked" "$(predict --graphs known.csv | cut -d, -f1,5 | sort -u | tr '\n' ' ')" "$([ "$(cut -d, -f1 few.csv | sed -n 2p)" ] && echo 'id,sample new,test new,training ')"
    printf 'Num,SMILES\nx,CCO\n' >new.csv
    is "names that differ in case" "$(predict --graphs new.csv | cut -d, -f1,4 | tr '\n' ' ')" "id,models x,3 "
    like "are counted" "$(cat .err)" '2 columns of new.csv found by number or without regard to case: "smiles" as "SMILES", "num" as "Num"'
    printf 'CCO a\nCCN b\nCCC a\n' >same.smi
    is "a repeated name in a SMILES file" "$(predict --graphs same.smi | cut -d, -f1,4 | tr '\n' ' ')" "id,models a,3 b,3 a,3 "
    like "gives a warning" "$(cat .err)" 'warning: same.smi: 1 molecule has the name of an earlier one: each has a row of its own; the first is "a" on lines 1 and 3$'
    printf 'num,smiles\na,CC\na,CO\n' >twice.csv
    is "also in a table" "$(predict --graphs twice.csv | cut -d, -f1,4 | tr '\n' ' ')" "id,models a,3 a,3 "
    printf 'num,smiles\n' >none.csv
    refused "no molecule" "none.csv: no molecules after the header" --graphs none.csv
    refused "no such file" "nowhere.csv: cannot open: No such file or directory" --graphs nowhere.csv
    fails "genotypes for molecules" 1 "$ESPALIER" predict --genotypes panel.csv
    like "are refused, with the setting's name" "$(cat .err)" "the samples of the sweep are not genotypes \(data.format = (tu|smiles)\): use --graphs FILE for new samples"
    fails "both" 2 "$ESPALIER" predict --genotypes panel.csv --graphs panel.csv
    fails "--part of a file" 2 "$ESPALIER" predict --graphs panel.csv --part val
    fails "--all of a file" 2 "$ESPALIER" predict --graphs panel.csv --all
    fails "the table is not overwritten" 1 "$ESPALIER" predict --graphs few.csv -o few.csv
    # The same molecules as other programs write them.
    awk -F, -v OFS=, 'NR == 1 { print "smiles,id,y" } NR % 12 == 2 { print $4, "m" NR, $2 ".5" }' panel.csv >plain.csv
    { printf '\357\273\277' && sed 's/[^,]*/"&"/g;s/$/\r/' plain.csv; } >quotes.csv
    { printf '\357\273\277' && tr , '\t' <plain.csv | sed '1s/.*/SMILES\tID\tY/;s/$/\r/'; } | gzip >packed.smi.gz
    sed 's/^trait.*/trait = y/;s/^id .*/id = id/;s/^hidden_size.*/hidden_size = 8/;s/^batch_norm.*//;s/^type.*//' grid.ini >forms.ini
    form() {
        "$ESPALIER" run forms.ini --set molecules="$1" --set task=regression --db "$1.db" --progress none >/dev/null 2>.err
        "$ESPALIER" inspect forms.ini --set molecules="$1" --set task=regression 2>>.err | grep '^digest'
        predict "$1.db" --graphs few.csv --each | cksum
        predict plain.csv.db --graphs "$1" --each | sed 1d | cksum
    }
    form plain.csv >plain.out
    is "42 molecules are trained on" "$(predict plain.csv.db --all | wc -l) $(wc -l <plain.out)" "43 3"
    for name in quotes.csv packed.smi.gz; do
        is "the same digest and bits: $name" "$(form $name)" "$(cat plain.out)"
    done
else
    like "without Indigo, the message says so" "$(cat .err)" "built without Indigo"
fi

# ---- a folder of TUDataset ----

tu=$ESPALIER_DATA/tu/MUTAG
printf '[sweep]\nfolds = 3\n[data]\nformat = tu\nfolder = %s\n[split]\ntest = 0.2\n[train]\nepochs = 4\n[model]\nlayers = 2\nhidden_size = 24\n' "$tu" >tu.ini
"$ESPALIER" run tu.ini --db tu.db --progress none >/dev/null 2>&1
predict tu.db --all --each >all.csv
is "graphs of the data as new ones have the same bits" "$(predict tu.db --graphs "$tu" --each | cksum)" "$(cksum <all.csv)"
mkdir part
nodes=$(awk '$1 < 60 { n++ } END { print n }' "$tu/MUTAG_graph_indicator.txt")
sed "${nodes}q" "$tu/MUTAG_graph_indicator.txt" >part/MY_graph_indicator.txt
sed "${nodes}q" "$tu/MUTAG_node_labels.txt" >part/MY_node_labels.txt
awk -F, -v n="$nodes" '$1 <= n && $2 <= n' "$tu/MUTAG_A.txt" >part/MY_A.txt
is "59 of them, without labels of graphs, too" "$(predict tu.db --graphs part --each)" "$(sed 60q all.csv)"
sed '3s/[0-9]*/99/;20s/[0-9]*/98/' part/MY_node_labels.txt >changed && mv changed part/MY_node_labels.txt
is "unknown node labels affect only their graphs" "$(predict tu.db --graphs part --each | sed 1d | grep -vxFf all.csv | cut -d, -f1 | tr '\n' ' ')" "1 2 "
like "are counted and named" "$(cat .err)" "warning: part: 2 nodes with a label that does not occur in the training data, .*: the first is 99, of node 3$"
rm part/MY_node_labels.txt
fails "without labels of nodes" 1 "$ESPALIER" predict tu.db --graphs part
like "the message names the missing file" "$(cat .err)" "part/MY_node_labels.txt"
yes 1 | sed "${nodes}q" >part/MY_node_labels.txt
sed -i 's/$/, 2/' part/MY_node_labels.txt
refused "two labels of a node" "part/MY_node_labels.txt: 2 labels and 0 attributes of a node: must be 1 and 0, as in the training data" tu.db --graphs part
sed 's/^7$/8/' "$tu/MUTAG_graph_indicator.txt" | tr -d '\r' >part/MY_graph_indicator.txt
fails "graph numbers with gaps" 1 "$ESPALIER" predict tu.db --graphs part
like "are refused, with the line" "$(cat .err)" "part/MY_graph_indicator.txt:[0-9]+: graph"

# ---- samples that are not graphs ----

"$ESPALIER" simulate panel --samples 60 --markers 60 >/dev/null 2>&1
printf '[sweep]\nfolds = 0\n[data]\nformat = genotype\ngenotypes = panel/genotypes.csv\nphenotypes = panel/phenotypes.csv\n[train]\nepochs = 1\n' >geno.ini
"$ESPALIER" run geno.ini --db geno.db --progress none >/dev/null 2>&1
fails "graphs for a panel" 1 "$ESPALIER" predict geno.db --graphs panel.csv
like "are refused, with the setting's name" "$(cat .err)" "the samples of the sweep are not graphs \(data.format = genotype\): use --genotypes FILE for new samples$"

# ---- from a table of molecules to predictions ----

mkdir five bin
ln -s "$ESPALIER" bin/espalier
cat >five/drugs.ini <<'END'
[sweep]
folds     = 5
objective = val_roc_auc
[data]
format    = smiles
molecules = mine.csv
smiles    = smiles
trait     = p_np
id        = num
[split]
test = 0.1
[train]
epochs     = 6
batch_size = 64
[grid]
layers = 2, 3
END
cat >five/commands <<'END'
espalier inspect drugs.ini
espalier run drugs.ini -n 2
espalier best --rule best
espalier predict --graphs new.csv -o predictions.csv
END
awk -F, -v OFS=, 'NR == 1 || NR % 10 { print $1, $2, $4 }' "$bbbp" >five/mine.csv
awk -F, -v OFS=, 'NR == 1 || NR % 10 == 0 { print $1, $4 }' "$bbbp" >five/new.csv
awk -F, -v OFS=, 'NR % 10 == 0 { print $1, $2 }' "$bbbp" >truth.csv
(cd five && PATH=$T/bin:$PATH sh -e commands >out 2>err)
is "they succeed" $? 0
is "205 molecules are predicted" "$(sed 1d five/predictions.csv | cut -d, -f1 | cksum)" "$(cut -d, -f1 truth.csv | cksum)"
# The share of pairs in the right order.
like "better than by chance" "$(awk -F, 'NR == FNR { y[$1] = $2; next } FNR > 1 { if (y[$1]) pos[++p] = $7; else neg[++q] = $7 }
    END { for (i = 1; i <= p; i++) for (j = 1; j <= q; j++) s += pos[i] > neg[j]; printf "%.3f\n", s / (p * q) }' truth.csv five/predictions.csv)" '^0\.[89]'
done_testing
