#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Trials that do nothing, on two cores: espalier, durable in SQLite, and other programs that
# distribute tasks, in turn. CSV lines "case,value,unit,beside,target" on stdout.
# usage: noop.sh ESPALIER SOURCE_DIRECTORY
# Each program gets enough trials to work for seconds; NOOP_SCALE divides their number.
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
rounds=${ROUNDS:-3}
scale=${NOOP_SCALE:-1}

cat >"$T/noop.ini" <<INI
[sweep]
replicates = $((100000 / scale))
[data]
format = simulated
samples = 20
markers = 10
causal = 2
[graph]
k = 2
[model]
type = noop
[grid]
hidden_size = 1:10:1
INI

# From the first start of a trial to the end of the session, after the last commit.
ours() {
    rm -f "$T/noop.db"*
    espalier_run "$T/noop.ini" -n 2 --db "$T/noop.db"
    sqlite3 "$T/noop.db" 'select count(*) / (max(s.finished) - min(a.started)) from attempt a, session s'
}

# One core for each of two workers; the master, which waits, shares them.
futures() {
    mpirun -q -n 3 --oversubscribe --bind-to none "$python" -m mpi4py.futures \
        "$src/tests/bench/peer_mpi.py" "$1" "$2" </dev/null
}

optuna() {
    rm -f "$T/optuna.db"*
    "$python" -W ignore "$src/tests/bench/peer_optuna.py" "$T/optuna.db" $((200 / scale))
}

# The tenth of a second in which gnu_parallel starts is part of its time.
gnu_parallel() {
    n=$((2000 / scale))
    begun=$(date +%s.%N)
    seq "$n" | parallel --will-cite -j 2 true 2>/dev/null
    echo "$n $begun $(date +%s.%N)" | awk '{ print $1 / ($3 - $2) }'
}

mpi4py=$(version_of mpi4py)
optuna_is=$(version_of optuna)
parallel_is=$(parallel --version 2>/dev/null | sed -n '1s/.* //p')
i=0
while [ $i -lt "$rounds" ]; do
    ours >>"$T/ours"
    if [ -n "$mpi4py" ]; then
        peer "$T/single" futures $((40000 / scale)) 1
        peer "$T/chunks" futures $((400000 / scale)) 100
    fi
    [ -z "$optuna_is" ] || peer "$T/optuna" optuna
    [ -z "$parallel_is" ] || gnu_parallel >>"$T/parallel"
    i=$((i + 1))
done

rate=$(median <"$T/ours" | cut -d. -f1)
row "no-op trials, 2 ranks, durable in SQLite" "$rate" trials/s none 30000

# beside NAME VERSION FILE
beside() {
    name="no-op trials, beside $1"
    if [ -z "$2" ]; then
        row "$name" - "times faster" "it is not there" ""
    else
        theirs=$(median <"$T/$3" | cut -d. -f1)
        peer_row "$T/$3" "$name" "$(ratio "$rate" "$theirs")" "times faster" "$2 ($theirs a second; ours $rate)" ""
    fi
}
beside "mpi4py.futures without a database" "${mpi4py:+mpi4py $mpi4py}" single
beside "the same in chunks of 100" "${mpi4py:+mpi4py $mpi4py}" chunks
beside "Optuna's GridSampler and SQLite" "${optuna_is:+Optuna $optuna_is}" optuna
beside "GNU parallel, 2 jobs" "${parallel_is:+parallel $parallel_is}" parallel
