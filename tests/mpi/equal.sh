#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The same sweep on 1, 2 and 3 ranks, and interrupted and resumed, has the same rows, bit for bit.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >sweep.ini <<'INI'
[sweep]
name = equal
folds = 3
[data]
format = simulated
samples = 120
markers = 200
[train]
epochs = 250
[grid]
hidden_size = 8, 16
dropout = 0, 0.5
batch_size = 16, full
stop = 0, 0.2
INI

# Everything except times and places, as text that shows every bit of a number: quote().
rows() {
    sqlite3 "$1" "select t.key, t.state, quote(t.value), t.epochs_run, t.best_epoch, replicate, fold,
            (select group_concat(split || name || quote(value)) from
                (select * from metric m where m.trial_id = t.trial_id order by split, name)),
            (select group_concat(quote(train_loss) || quote(val_loss) || quote(val_value)) from
                (select * from curve c where c.trial_id = t.trial_id order by epoch))
        from trial t order by t.key" | cksum
}

mpi() {
    n=$1
    shift
    timeout 300 mpirun --oversubscribe --bind-to none --mca btl_vader_single_copy_mechanism none \
        -n "$n" "$ESPALIER" run sweep.ini "$@" </dev/null
}

ok "a single process" "$ESPALIER" run sweep.ini --db plain.db
is "finishes" "$(sqlite3 plain.db "select count(*) from trial where state = 'done'")" 48
wanted=$(rows plain.db)
for n in 1 2 3; do
    ok "mpirun -n $n" mpi $n --db mpi$n.db
    is "mpirun -n $n gives the same rows" "$(rows mpi$n.db)" "$wanted"
done
is "three ranks took part" "$(sqlite3 mpi3.db 'select count(distinct rank) from attempt')" 3

# Data and inputs in shared memory, and in a copy for each rank.
graphs() {
    db=$1
    shift
    "$@" --set grid.k=3,5 --set grid.input_dropout=0,0.3 --set epochs=30 --set grid.hidden_size=8 \
        --set grid.batch_size=full --db "$db" --progress none
}
# Run in a namespace with an empty folder of $1 kB for shared memory.
in_small() {
    mkdir -p small
    ESPALIER_SHM=$T/small unshare -rm sh -c 'mount -t tmpfs -o size='"$1"'k none small && shift && "$@"' - \
        "$@" </dev/null
}
ok "several graphs" graphs graphs.db mpi 3
is "no message about memory" "$(grep -c share "$T/.err")" 0
wanted_graphs=$(rows graphs.db)
export ESPALIER_SHM=off
ok "sharing turned off" graphs off.db mpi 3
is "gives the same rows" "$(rows off.db)" "$wanted_graphs"
is "without a message" "$(grep -c share "$T/.err")" 0
export ESPALIER_SHM=/nowhere
ok "a missing folder" graphs nowhere.db mpi 3
is "gives the same rows" "$(rows nowhere.db)" "$wanted_graphs"
like "the message names it, with the host" "$(grep share "$T/.err")" \
    "^espalier: warning: 1 host cannot share memory: .* copy of the data; $(hostname): /nowhere: No such file"
unset ESPALIER_SHM
if in_small 16 true 2>/dev/null; then
    ok "no room" graphs small.db in_small 16 mpirun --oversubscribe -n 3 "$ESPALIER" run sweep.ini
    like "a message reports it" "$(grep share "$T/.err")" "copy of the data; .*/small has 0.0[0-9] MB left: "
    is "gives the same rows" "$(rows small.db)" "$wanted_graphs"
    ok "room for the data only" graphs data.db in_small 128 mpirun --oversubscribe -n 3 "$ESPALIER" run sweep.ini
    like "a message reports it" "$(grep share "$T/.err")" "copy of the prepared inputs; .*/small has 0.[0-9]* MB left: "
    is "gives the same rows" "$(rows data.db)" "$wanted_graphs"
fi

ok "run -n 2 starts mpirun itself" "$ESPALIER" run sweep.ini -n 2 --db own.db
is "and keeps the command as it was typed" "$(sqlite3 own.db 'select command from session')" "espalier run sweep.ini -n 2 --db own.db"
is "run -n 2 gives the same rows" "$(rows own.db)" "$wanted"

# Kept models contain the names of the trait and others. Every rank writes the same bytes.
"$ESPALIER" simulate panel --markers 100 >/dev/null
cat >kept.ini <<'INI'
[sweep]
keep = all
folds = 3
[data]
format = genotype
genotypes = panel/genotypes.csv
phenotypes = panel/phenotypes.csv
trait = trait
[train]
epochs = 60
[grid]
hidden_size = 4, 8
reduce = none, exact
type = gcn, mlp, ridge
INI
models() {
    sqlite3 "$1" "select group_concat(key || hex(safetensors)) from
        (select key, safetensors from model join trial using (trial_id) order by key)" | cksum
}
ok "kept models" "$ESPALIER" run kept.ini --db kept1.db --progress none
ok "on three ranks" "$ESPALIER" run kept.ini -n 3 --db kept3.db --progress none
is "by all of them" "$(sqlite3 kept3.db "select count(distinct rank), (select count(*) from model) > 20 from attempt")" "3|1"
is "are the same bytes" "$(models kept3.db)" "$(models kept1.db)"
is "and name the trait" "$("$ESPALIER" show kept3.db t1 --model t1.st 2>.err && grep -ao '"trait":"[^"]*"' t1.st)" '"trait":"trait"'

# Longer trials: results are committed twice a second, and the stop must come between two commits.
"$ESPALIER" run sweep.ini --set epochs=800 --db long.db --progress none
"$ESPALIER" run sweep.ini --set epochs=800 -n 2 --db stop.db --progress plain 2>err &
pid=$!
for _ in $(seq 6000); do
    n=$(sqlite3 stop.db "select count(*) from trial where state = 'done'" 2>/dev/null)
    [ "${n:-0}" -gt 3 ] && break
    sleep 0.05
done
kill -TERM $pid
wait $pid
status=$?
left=$(sqlite3 stop.db "select count(*) from trial where state <> 'done'")
like "interrupted in the middle, exit 75" "$status $left" '^75 [1-9]'
ok "resumed on 3 ranks" mpi 3 --set epochs=800 --db stop.db
is "interrupted and resumed gives the same rows" "$(rows stop.db)" "$(rows long.db)"

fails "an invalid sweep file ends every rank" 2 mpi 2 --set layers=99
late() {
    mpi 2 --set trial_timeout=0.001 --set epochs=100000 --set grid.hidden_size=8 --set grid.dropout=0 \
        --set grid.batch_size=16 "$@"
}
fails "failed trials give exit status 3 under mpirun" 3 late --db slow.db --set folds=2 --set grid.stop=0 --set grid.learning_rate=0.01
fails "equal failures stop every rank with 1" 1 late --db alike.db
cat >sweep.ini <<'INI'
[data]
format = genotype
genotypes = none.csv
phenotypes = none.csv
INI
fails "missing data end every rank" 1 mpi 2
fails "and the same under run -n" 1 "$ESPALIER" run sweep.ini -n 2
is "in one line" "$(grep -c . "$T/.err")" 1

done_testing
