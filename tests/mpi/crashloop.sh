#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs of a sweep are killed at random moments, one after the other: whole process trees, single
# ranks, mpirun, the process that started it. Then a run completes, and the sweep equals an
# undisturbed one.
# CRASHES: number of crashes (100). SEED: seed of the random moments (default the time).
. "$SRCDIR/tests/lib.sh"
. "$SRCDIR/tests/mpi/killlib.sh"
crashes=${CRASHES:-100}
seed=${SEED:-$(date +%s)}
preload=$(dirname "$ESPALIER")/tests/mpi/preload.so
echo "# SEED=$seed CRASHES=$crashes"
DB=$T/loop.db
# No trial may fail because ranks die here: when few trials are left, one is hit twice by chance.
sed -e 's/^folds.*/folds = 5\nreplicates = 40/' -e 's/^epochs.*/epochs = 1000\n[resources]\ncrash_limit = 1000/' sweep.ini >loop.ini

"$ESPALIER" run loop.ini --progress none --db plain.db -n 2 2>/dev/null
wanted=$(rows plain.db)
is "the undisturbed run" "$(sqlite3 plain.db "select count(*) from trial where state = 'done'")" 1600

# A process and all its descendants.
tree() {
    echo "$1"
    for child in $(pgrep -P "$1"); do
        tree "$child"
    done
}
ranks() {
    for process in $(tree "$1"); do
        grep -aq 'OMPI_COMM_WORLD_RANK=' "/proc/$process/environ" 2>/dev/null && echo "$process"
    done
}
strike() { # kill the listed processes
    # shellcheck disable=SC2086 # several
    [ -z "$1" ] || kill -KILL $1 2>/dev/null
}

# HOW SECONDS WHICH MORE_SECONDS of each crash
awk -v n="$crashes" -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < n; i++)
    print i % 6, 0.1 + 1.9 * rand(), 1 + int(3 * rand()), 0.1 + 0.9 * rand() }' >moments
i=0
troubles=0
mkdir last
while read -r how seconds which more <&3; do
    i=$((i + 1))
    problems=
    ranks=$((how ? 2 + (how == 2 || how == 3) : 1))
    # The second half runs as on a network filesystem, with a rollback journal.
    set --
    [ $((2 * i)) -le "$crashes" ] || set -- env LD_PRELOAD="$preload" TEST_FILESYSTEM=0x6969
    [ $ranks = 1 ] && more_ranks='' || more_ranks="-n $ranks"
    # shellcheck disable=SC2086 # two words
    "$@" "$ESPALIER" run loop.ini --progress none --db "$DB" $more_ranks </dev/null >out 2>err &
    pid=$!
    sleep "$seconds"
    case $how in
    0 | 1 | 2) strike "$(tree $pid)" ;;
    3)
        strike "$(ranks $pid | sed -n "${which}p")"
        sleep "$more"
        strike "$(tree $pid)"
        ;;
    4) strike "$(pgrep -P $pid -x mpirun)" ;;
    5) strike $pid ;;
    esac
    wait $pid 2>/dev/null
    left_behind
    keep found "$DB"
    [ ! -s last/loop.db ] || remembers found/loop.db last/loop.db
    ! grep -q 'another run\|damaged\|not a database' err || problem "$(head -n 1 err)"
    rm -rf last
    mv found last
    [ -z "$problems" ] || {
        troubles=$((troubles + 1))
        fail "crash $i (how $how after $seconds s, rank $which)" "$problems" "$(tail -n 3 err)"
    }
done 3<moments
is "$crashes crashes, each leaving a sound database and all records" $troubles 0
left=$(sqlite3 last/loop.db "select count(*) from trial where state <> 'done'")
echo "# $left of 1600 trials are left, $(sqlite3 last/loop.db "select count(*) || ' attempts, ' || sum(outcome = 'lost') || ' lost, ' || sum(outcome = 'crashed') || ' crashed' from attempt")"
problems=
ok "the run to completion" "$ESPALIER" run loop.ini --progress none --db "$DB" -n 2
settled "$DB" "$wanted" last
is "equals the undisturbed sweep" "$problems" ""

done_testing
