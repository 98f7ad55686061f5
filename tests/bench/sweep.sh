#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A whole sweep on two cores, and PyTorch under mpi4py.futures, in turn: CSV lines
# "case,value,unit,beside,target" on stdout.
# usage: sweep.sh ESPALIER SOURCE_DIRECTORY
# PyTorch needs about eight minutes for the 192 trials of grids/ft10.ini (125 s for 48). So both run
# the 48 trials of one dropout, with the same shares of widths, learning rates and batch sizes as
# the whole. SWEEP_WHERE replaces this choice.
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
rounds=${ROUNDS:-3}
where=${SWEEP_WHERE:-dropout = 0.2}
sweep="FT10 grid, holdout, a quarter of its 192 trials"
both="$sweep: 2 ranks against 1"
if ! has_data arabidopsis; then
    row "$sweep, 2 cores" - "times faster" "$no_data" 8
    row "$both" - times "$no_data" 1.9
    exit 0
fi

# ours RANKS: print seconds.
ours() {
    rm -f "$T/ours.db"*
    espalier_run "$src/grids/ft10.ini" --set folds=0 --set "where=$where" -n "$1" --db "$T/ours.db"
    span "$T/ours.db"
}

futures() {
    mpirun -q -n 3 --oversubscribe --bind-to none "$python" -W ignore -m mpi4py.futures \
        "$src/tests/bench/peer_sweep.py" "$ESPALIER_DATA" "$T/splits.csv" "$T/trials.csv" </dev/null
}

"$espalier" inspect "$src/grids/ft10.ini" --set folds=0 --splits "$T/splits.csv" >/dev/null || exit 1
torch=$(torch_is)
mpi4py=$(version_of mpi4py)
i=0
while [ $i -lt "$rounds" ]; do
    ours 1 >>"$T/one"
    ours 2 >>"$T/two"
    sqlite3 -header -csv "$T/ours.db" 'select hidden_size, learning_rate, dropout, batch_size
        from trials order by trial' >"$T/trials.csv"
    [ -z "$torch" ] || [ -z "$mpi4py" ] || peer "$T/futures" futures
    i=$((i + 1))
done
one=$(median <"$T/one")
two=$(median <"$T/two")
if [ -e "$T/futures" ]; then
    theirs=$(median <"$T/futures")
    peer_row "$T/futures" "$sweep, 2 cores" "$(ratio "$theirs" "$two")" "times faster" \
        "$torch, mpi4py.futures $mpi4py, 2 workers ($theirs s; ours $two s)" 8
else
    row "$sweep, 2 cores" - "times faster" "PyTorch or mpi4py is not there" 8
fi
row "$both" "$(ratio "$one" "$two")" times "itself on 1 rank ($one s; on 2 $two s)" 1.9
