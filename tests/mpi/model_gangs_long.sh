#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Members of a gang that trains a model are killed at every named point of the protocol on one host,
# with 2, 3 and 4 ranks, and stopped for longer than the scheduler waits. mpirun is killed, and other
# numbers of ranks go on. Each time the sweep equals an undisturbed one. Points between hosts:
# model_hosts_long.sh.
# EVERY: try each N-th case (default 1).
. "$SRCDIR/tests/lib.sh"
command -v mpirun >/dev/null || skip_all "mpirun is not here"
. "$SRCDIR/tests/mpi/killlib.sh"
every=${EVERY:-1}

model_sweep 20
run() { timeout -k 5 300 "$FAULTY" run sweep.ini --progress none --db "$T/k.db" "$@" </dev/null >out 2>err; }
faulty() { # FAULTS ARGUMENT...
    faults=$1
    shift
    rm -rf k.db* log
    ESPALIER_FAULT=$faults ESPALIER_FAULT_LOG=$T/log run "$@"
    status=$?
}
# together RANKS: on so many ranks, all in each trial
together() {
    if [ "$1" = 1 ]; then run; else run --set "ranks=$1" -n "$1"; fi
}

# ---- kills ----

# RANKS|VICTIM|COUNT|POINT
cases() {
    gang_points | while read -r name; do
        who="leader other" count=2
        case $name in
        *hosts* | *"host's nodes"* | *nodes* | *"rank 0"* | *message* | *"leaders before"*) continue ;;
        *"listens for"* | *"ranks are answered" | *"ranks were answered" | *"handed out") who=leader ;;
        *"its leader") who=other ;;
        *barrier | *stripe* | *sum | *agrees | *votes) count=25 ;;
        esac
        for ranks in 2 3 4; do
            case $who in *leader*) echo "$ranks|0|$count|$name" ;; esac
            case $who in *other*) echo "$ranks|$((ranks - 1))|$count|$name" ;; esac
        done
    done
}

run
wanted=$(rows k.db)
is "the undisturbed run is complete" "$(sqlite3 k.db "select count(*) from trial where state = 'done'")" 4
cases | awk -v every="$every" 'NR % every == 0' >chosen
while IFS='|' read -r ranks victim count point <&3; do
    problems=
    faulty "$point:$victim:$count:kill" --set "ranks=$ranks" -n "$ranks"
    grep -q "^kill rank $victim: " log 2>/dev/null || problem "nobody came to the point"
    left_behind
    # Only the loss of rank 0 ends a run.
    case $victim$status in
    *0) ;;
    01 | 0137) together $((ranks - 1)) || problem "$((ranks - 1)) ranks do not go on: $(tail -n 2 err | tr '\n' ' ')" ;;
    *) problem "status $status: $(tail -n 2 err | tr '\n' ' ')" ;;
    esac
    [ "$(rows k.db)" = "$wanted" ] || problem "other rows"
    is "kill at '$point', rank $victim of $ranks" "$problems" ""
done 3<chosen

# ---- stops ----

# The others wait for a stopped member until the scheduler has given it up. It comes back later.
export ESPALIER_FAULT_SECONDS=4
for victim in 2 1; do
    faulty "gang: before a barrier:$victim:40:stop" --set ranks=3 --set heartbeat_limit=1 -n 3
    is "rank $victim is stopped for longer than heartbeat_limit: the run ends with 0" "$status $(cut -d: -f1 log)" "0 stop rank $victim"
    like "a message says so" "$(cat err)" "rank $victim .*is lost"
    is "the same rows" "$(rows k.db)" "$wanted"
done
faulty "gang: before a barrier:0:40:stop" --set ranks=3 --set heartbeat_limit=1 -n 3
is "rank 0 is stopped: all wait for it" "$status $(cut -d: -f1 log) $(grep -c "is lost" err)" "0 stop rank 0 0"
is "the same rows" "$(rows k.db)" "$wanted"

# ---- other numbers of ranks go on ----

# Trials of some seconds, since shorter ones save no checkpoint.
export ESPALIER_FAULT_SECONDS=0.15
slow="gang: before it agrees:1:1:slow"
faulty "$slow; gang: before it agrees:0:18:term" --set ranks=3 -n 3
is "three ranks are asked to stop" "$status" 75
like "in the middle of a trial" "$(cat err)" "with a checkpoint"
ESPALIER_FAULT=$slow timeout -k 5 300 "$FAULTY" run sweep.ini --progress none --db "$T/k.db" --set ranks=2 -n 2 </dev/null >out 2>err &
for _ in $(seq 200); do
    mpirun=$(pgrep -f "^[^ ]*mpirun .*$T/k.db")
    [ -n "$mpirun" ] && [ "$(sqlite3 k.db "select count(*) from attempt where outcome = 'done'")" -gt 0 ] && break
    sleep 0.05
done
# shellcheck disable=SC2086
kill -9 $mpirun
wait $!
is "mpirun is killed in the middle of a trial on two ranks" "$(($? != 0)) $(sqlite3 k.db "select count(*) > 0 from trial where state <> 'done'")" "1 1"
problems=
left_behind
is "nothing is left" "$problems" ""
ok "four ranks go on" together 4
is "the same rows" "$(rows k.db)" "$wanted"

# ---- a slow member ----

export ESPALIER_FAULT_SECONDS=0.5
faulty "gang: before it agrees:1:2:slow" --set ranks=2 -n 2
is "a slow member is named once, with the others' wait" \
    "$(grep -Ec "rank 1 of a gang is slow on $(hostname): it computed for .* so they wait (9[0-9]|100) % of the time" err)" 1
is "the same rows" "$(rows k.db)" "$wanted"
done_testing
