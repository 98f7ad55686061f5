#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The subset of grids/digits_cnn.ini, a program in PyTorch, on two cores: espalier with 2 ranks, and
# multiprocessing.Pool with 2 processes that stores nothing. CSV lines
# "case,value,unit,beside,target" on stdout.
# usage: digits.sh ESPALIER SOURCE_DIRECTORY
# The pool starts the script for each trial, as espalier does. The two take turns in being the first of
# a round. In a second row, the pool keeps Python and the imports from trial to trial, for which a script
# must be changed.
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
rounds=${ROUNDS:-3}
name="CNN on digits, 24 trials, 2 cores, all results stored"
torch=$(torch_is)
missing=
[ -n "$torch" ] || missing="PyTorch is not there"
has_data digits || missing=$no_data
if [ -n "$missing" ]; then
    row "$name" - "times faster" "$missing" 1
    exit 0
fi
name_python

# seconds COMMAND...: from the start of the command to its end.
seconds() {
    begun=$(date +%s.%N)
    "$@" || return
    echo "$begun $(date +%s.%N)" | awk '{ printf "%.3f\n", $2 - $1 }'
}

ours() {
    rm -rf "$T/digits.db"*
    espalier_run "$src/grids/digits_cnn.ini" -n 2 --db "$T/digits.db"
}

pool() {
    PYTHONPATH=$src/share/espalier "$python" -W ignore "$src/tests/bench/peer_pool.py" "$1" \
        "$src/examples/digits_cnn.py" "$T/trials.csv" ESPALIER_PARAM_epochs=8 \
        ESPALIER_PARAM_images=1000 "ESPALIER_SEED=$seed" >"$T/out"
}

seed=$(seed_of "$src/grids/digits_cnn.ini")
ours
sqlite3 -header -csv "$T/digits.db" "select filters, dense, batch_size, learning_rate, dropout,
    val_split, batch_norm, augment, patience from trials order by trial" | tr -d '\r' >"$T/trials.csv"
i=0
while [ $i -lt "$rounds" ]; do
    [ $((i % 2)) = 0 ] || seconds ours >>"$T/ours" || exit
    peer "$T/script" seconds pool script
    [ $((i % 2)) = 1 ] || seconds ours >>"$T/ours" || exit
    i=$((i + 1))
done
for i in 1 2 3; do
    peer "$T/inside" seconds pool inside
done
ours=$(median <"$T/ours")
n=$(sqlite3 "$T/digits.db" "select count(*) from trial where state = 'done'")
[ "$n" = 24 ] || { echo "digits.sh: $n of 24 trials are done" >&2; exit 1; }
ratios "$T/script" "$T/ours" | awk '{ printf "%.2f\n", $1 }' >"$T/ratios"
peer_row "$T/script" "$name" "$(ratio "$(median <"$T/ratios")" 1)" "times faster" \
    "multiprocessing.Pool(2), the script for each trial ($(median <"$T/script") s; ours $ours s; rounds $(head -n 1 "$T/ratios") to $(tail -n 1 "$T/ratios"))" 1
inside=$(median <"$T/inside")
peer_row "$T/inside" "$name: beside a script made a function" "$(ratio "$inside" "$ours")" "times faster" \
    "multiprocessing.Pool(2), imports once ($inside s; ours $ours s)" ""
