#!/bin/sh
# Figures of whole sweeps: CSV lines "case,value,unit,peer,target" on stdout.
# usage: sweep.sh ESPALIER SOURCE_DIRECTORY; real data are found through $ESPALIER_DATA.
espalier=$1
src=$2
data=${ESPALIER_DATA:-}
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"

# Seconds of the sweep proper: from the first start to the last finish of an attempt.
span() { sqlite3 "$1" 'select max(finished) - min(started) from attempt'; }

# scale: the demo sweep on one rank and on two, in turn.
for i in 1 2 3; do
    for n in 1 2; do
        "$espalier" run "$src/grids/demo.ini" -n $n --db "$T/demo$n.$i.db" --progress none 2>"$T/err" ||
            { cat "$T/err" >&2; exit 1; }
        span "$T/demo$n.$i.db" >>"$T/demo$n"
    done
done
one=$(median <"$T/demo1")
two=$(median <"$T/demo2")
echo "demo sweep: 1 rank / 2 ranks,$(echo "$one $two" | awk '{ printf "%.2f", $1 / $2 }'),times,itself on 1 rank ($one s),1.85"

# no-op trials, committed, 2 ranks: the whole command, less what the same command costs for one trial.
cat >"$T/noop.ini" <<'INI'
[sweep]
replicates = 100000
[data]
samples = 20
markers = 10
causal = 2
[graph]
k = 2
[model]
type = noop
INI
for i in 1 2 3; do
    "$espalier" run "$T/noop.ini" -n 2 --db "$T/noop$i.db" --progress none 2>"$T/err" ||
        { cat "$T/err" >&2; exit 1; }
    sqlite3 "$T/noop$i.db" 'select count(*) / (max(s.finished) - min(a.started)) from attempt a, session s' >>"$T/noop"
done
echo "no-op trials: 2 ranks committed to disk,$(median <"$T/noop" | cut -d. -f1),trials/s,none,5000"

[ -n "$data" ] || exit 0
ESPALIER_DATA=$(cd "$data" && pwd)
export ESPALIER_DATA

# memory of a rank: peak resident size of a process that trains FT10 with 256 hidden units.
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
INI
/usr/bin/time -f %M -o "$T/rss" mpirun -q -n 1 "$espalier" run "$T/ft10.ini" --set folds=0 --set hidden_size=256 \
    --db "$T/mem.db" --progress none 2>"$T/err" </dev/null || { cat "$T/err" >&2; exit 1; }
echo "memory of a rank: FT10 256 hidden,$(awk '{ printf "%.0f", $1 / 1024 }' "$T/rss"),MB resident,none,120"

# accuracy: FT10, the same settings and the same folds as PyTorch.
"$espalier" inspect "$T/ft10.ini" --splits "$T/splits.csv" >/dev/null || exit 1
"$espalier" run "$T/ft10.ini" -n 2 --db "$T/ft10.db" --progress none 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
mine=$(sqlite3 "$T/ft10.db" 'select round(avg(test_pearson), 4) from trials')
peer=$(OMP_NUM_THREADS=1 "${PYTHON:-/usr/bin/python3}" -W ignore "$src/tests/bench/peer_accuracy.py" "$ESPALIER_DATA/arabidopsis/ft10_geno.csv" \
    "$ESPALIER_DATA/arabidopsis/ft10_pheno.csv" "$T/splits.csv")
echo "FT10 mean test Pearson r: 5 folds,$mine,r,PyTorch on the same folds ($peer),within 0.02"

# accuracy: Cora with Kipf's settings.
"$espalier" run "$src/grids/cora-kipf.ini" -n 2 --db "$T/cora.db" --progress none 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
echo "Cora mean test accuracy: Kipf's settings 10 replicates,$(sqlite3 "$T/cora.db" \
    'select round(avg(test_accuracy), 4) from trials'),accuracy,Kipf & Welling 2017 (0.815),0.805 to 0.825"
