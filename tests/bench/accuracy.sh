#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The value of the results: the accuracy compared with other programs, and the memory of a rank. CSV
# lines "case,value,unit,beside,target" on stdout.
# usage: accuracy.sh ESPALIER SOURCE_DIRECTORY
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
if ! has_data arabidopsis || ! has_data cora; then
    row "accuracy" - "" "$no_data" ""
    exit 0
fi

cat >"$T/ft10.ini" <<INI
[sweep]
folds = 5
objective = val_pearson
[data]
format = genotype
genotypes = $ESPALIER_DATA/arabidopsis/ft10_geno.csv
phenotypes = $ESPALIER_DATA/arabidopsis/ft10_pheno.csv
[graph]
k = 10
[train]
epochs = 100
choose_epoch = objective
INI

# Peak resident size of a process that trains FT10 with 256 hidden units.
if [ -x /usr/bin/time ]; then
    /usr/bin/time -f %M -o "$T/rss" mpirun -q -n 1 "$espalier" run "$T/ft10.ini" --set folds=0 \
        --set hidden_size=256 --db "$T/memory.db" --progress none 2>"$T/err" </dev/null ||
        { cat "$T/err" >&2; exit 1; }
    row "memory of a rank: FT10, 256 hidden" "$(awk '{ printf "%.0f", $1 / 1024 }' "$T/rss")" "MB resident" none 120
else
    row "memory of a rank: FT10, 256 hidden" - "MB resident" "/usr/bin/time is not there" 120
fi

"$espalier" inspect "$T/ft10.ini" --splits "$T/splits.csv" >/dev/null || exit 1
espalier_run "$T/ft10.ini" -n 2 --db "$T/ft10.db"
ours=$(sqlite3 "$T/ft10.db" 'select round(avg(test_pearson), 4) from trials')
beside="PyTorch is not there"
if [ -n "$(torch_is)" ]; then
    peer "$T/accuracy" "$python" -W ignore "$src/tests/bench/peer_accuracy.py" "$ESPALIER_DATA" "$T/splits.csv"
    beside="PyTorch on the same folds ($(cat "$T/accuracy"))"
fi
peer_row "$T/accuracy" "FT10: mean test Pearson r, 5 folds" "$ours" r "$beside" "within 0.02"

espalier_run "$src/grids/cora-kipf.ini" -n 2 --db "$T/cora.db"
row "Cora: mean test accuracy, Kipf's settings, 10 replicates" \
    "$(sqlite3 "$T/cora.db" 'select round(avg(test_accuracy), 4) from trials')" accuracy \
    "Kipf & Welling 2017 (0.815)" "0.805 to 0.825"
