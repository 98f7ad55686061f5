#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Models that ranks of two or three hosts train together, each host a set of namespaces: the rows of one
# rank, also after a kill at each point of the protocol between hosts, a cut link, a lost host and a
# stopped leader.
# EVERY: try each N-th case of the kills (default 1).
. "$SRCDIR/tests/mpi/hostlib.sh"
. "$SRCDIR/tests/mpi/killlib.sh"
every=${EVERY:-1}
hosts 3 || skip_all "no bridge between network namespaces"

# 4 trials of some seconds between hosts.
model_sweep 1000 3
sed 's/^epochs.*/epochs = 20/' sweep.ini >short.ini
cp sweep.ini long.ini
# recovering N ARGUMENT...: N ranks under mpirun, with the faults of this shell
recovering() {
    ranks=$1
    shift
    launch "$T/k.db" 0 mpirun --enable-recovery --oversubscribe --bind-to none --mca plm_rsh_no_tree_spawn 1 \
        -x ESPALIER_FAULT -x ESPALIER_FAULT_LOG -x ESPALIER_FAULT_SECONDS -n "$ranks" "$FAULTY" run --set "ranks=$ranks" "$@"
}
# begin_trial N ARGUMENT...: the same, and wait for the first result
begin_trial() {
    rm -f k.db* log
    recovering "$@"
    for _ in $(seq 6000); do
        [ "$(sqlite3 k.db "select count(*) > 0 from attempt where outcome = 'done'" 2>/dev/null)" = 1 ] && break
        kill -0 "$launched" 2>/dev/null || break
        sleep 0.05
    done
}
alone() { "$FAULTY" run sweep.ini --progress none --db "$T/$1" </dev/null >out 2>err; }
# Beyond a cut link, the daemon of Open MPI stays.
nothing_left() {
    is "$1: no process is left" "$(empties n0 10)$(ranks_on n1)" ""
}
# equals NAME: the run, or the next one if mpirun ended it, has the rows of one rank.
equals() {
    finish
    cp err said
    like "$1: the run ends" "$status" '^[01]$|^75$|^137$'
    [ "$status" = 0 ] || ok "$1: the same command goes on" alone k.db
    is "$1: the same rows" "$(rows k.db)" "$wanted"
    nothing_left "$1"
}

# ---- equal numbers ----

export ESPALIER_FAULT='' ESPALIER_FAULT_LOG="$T/log" ESPALIER_FAULT_SECONDS=15
cp short.ini sweep.ini
alone alone.db
wanted=$(rows alone.db)
is "one rank is done" "$(sqlite3 alone.db "select count(*) from trial where state = 'done'")" 4
for layout in "2 n0:1 n1:1" "3 n0:2 n1:1" "4 n0:2 n1:2" "4 n0:1 n1:2 n2:1"; do
    # shellcheck disable=SC2086 # several words
    slots ${layout#* }
    rm -f k.db*
    recovering "${layout%% *}"
    finish
    is "$layout" "$status $(rows k.db)" "0 $wanted"
    is "nothing was computed twice" "$(sqlite3 k.db 'select count(*) from attempt')" 4
done

# ---- kills ----

# LAYOUT|VICTIM|COUNT|POINT
cases() {
    gang_points | while read -r name; do
        count=2
        case $name in
        *stripe*) continue ;; # on one host
        *message* | *barrier | *sum | *agrees | *votes | *nodes* | *"sum is there" | *parts*) count=25 ;;
        esac
        case $name in
        *"its leader") victims=3 ;;                       # others
        *"are answered" | *"were answered") victims=0 ;; # of the hosts: rank 0 alone
        *"rank 0" | *"leaders before"*) victims=2 ;;
        *hosts | *"the hosts "* | *exchanged | *message* | *"listens for"* | *"handed out") victims="0 2" ;;
        *) victims="2 3" ;;
        esac
        for victim in $victims; do
            echo "$victim|$count|$name"
        done
    done
}
slots n0:2 n1:2
cases | awk -v every="$every" 'NR % every == 0' >chosen
while IFS='|' read -r victim count point <&3; do
    rm -f k.db* log
    ESPALIER_FAULT="$point:$victim:$count:kill"
    # Without rank 0, a plain mpirun waits for ever; 'run -n' ends it.
    if [ "$victim" = 0 ]; then
        launch "$T/k.db" 0 "$FAULTY" run -n 4 --set ranks=4
    else
        recovering 4
    fi
    finish
    problems=
    grep -q "^kill rank $victim: " log 2>/dev/null || problem "nobody came to the point"
    # mpirun may end with 1 if a rank of another host is lost.
    case $victim$status in
    0*) alone k.db || problem "one rank does not go on" ;;
    esac
    case $status in 0 | 1 | 137) ;; *) problem "status $status: $(tail -n 2 err | tr '\n' ' ')" ;; esac
    [ "$(rows k.db)" = "$wanted" ] || problem "other rows"
    left=$(empties n0 10)$(empties n1 20)
    [ -z "$left" ] || problem "processes are left: $left"
    is "kill at '$point', rank $victim of 4 on two hosts" "$problems" ""
done 3<chosen
ESPALIER_FAULT=

# ---- links ----

cp long.ini sweep.ini
rm alone.db
alone alone.db
wanted=$(rows alone.db)
slots n0:2 n1:2
begin_trial 4
cut_link n1
equals "a link is cut"
join_link n1
empties n1 30 >/dev/null

# The scheduler is more patient than the gang, whose meetings fail until it has given up.
begin_trial 4 --set heartbeat_limit=20 -v
cut_link n1
equals "a cut link is noticed by the gang"
like "it says so" "$(cat said)" "rank [02] of the gang on n[01] was silent for 10 s|its connection is cut"
join_link n1
empties n1 30 >/dev/null

begin_trial 4
cut_link n1
sleep 1
join_link n1
equals "a link is cut for a moment"
is "no rank is lost" "$(grep -c "is lost" said)" 0

begin_trial 4
lose n1
equals "a host is lost"
revive n1

begin_trial 4
kill_ranks n1
equals "the ranks of a host are killed"

# ---- stops ----

# The leader of the second host, for longer than its silence may last.
ESPALIER_FAULT="gang: before a barrier:2:2000:stop"
rm -f k.db* log
recovering 4
equals "a leader is stopped"
is "it was" "$(cut -d: -f1 log)" "stop rank 2"
rm -f k.db* log
recovering 4 --set heartbeat_limit=60 -v
equals "a leader is stopped, which its gang notices"
like "and says" "$(cat said)" "rank 2 of the gang on n1 was silent for 10 s"
done_testing
