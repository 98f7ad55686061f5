#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kill -9 at every named point of the protocol (src/base/fault.h), for rank 0 and another rank, with
# 1 to 5 ranks. The sweep completes at once or after one resume and equals an undisturbed run, and
# no attempt is missing from the database.
# KILL: "all", or N for every N-th case (default 15); "show" lists them. FROM: number of the first
# case (default: another each day).
. "$SRCDIR/tests/lib.sh"
. "$SRCDIR/tests/mpi/killlib.sh"
every=${KILL:-15}
show=
[ "$every" != show ] || show=yes every=all
[ "$every" != all ] || every=1

# ---- the points ----

points() { # points FAULT or points FAULT_MESSAGE
    find "$SRCDIR/src" -name '*.c' | sort | xargs sed -n "s/^.*[^A-Z_]$1(\"\\([^\"]*\\)\".*/\\1/p"
}
# The kinds of messages from "scheduler" or "worker". Checkpoints need trials of seconds:
# tests/cli/checkpoint.sh. Those of gangs need a gang: tests/mpi/gangs.sh.
kinds() {
    sed -n "s/^ \\*  *$1 -> [a-z]*  *\\([A-Z_, ]*\\).*/\\1/p" "$SRCDIR/src/sched/message.h" | sed 's/CHECKPOINT//; s/GANG_[A-Z]*//g' | tr -cs 'A-Z_' ' '
    [ "$1" = scheduler ] && echo BYE || echo LEAVE
}

n_marks=$(find "$SRCDIR/src" -name '*.c' -exec cat {} + | grep -c 'FAULT("\|FAULT_MESSAGE("')
for macro in FAULT FAULT_MESSAGE; do
    points $macro
done >names
is "every point in the sources is known here" "$(wc -l <names)" "$n_marks"
is "each has a name of its own" "$(sort names | uniq -d)" ""
is "the tests' program has all of them" "$(while read -r name; do grep -aqF "$name" "$FAULTY" || echo "$name"; done <names)" ""
is "the installed program does not read ESPALIER_FAULT" "$(grep -ac ESPALIER_FAULT "$ESPALIER")" 0

# ---- the cases: RANKS|VICTIM|POINT, for each point with the ranks that reach it ----

cases() {
    points FAULT | while read -r name; do
        case $name in
        *": a program"*) continue ;; # tests/mpi/programs_kill.sh
        "gang: "*) continue ;;            # tests/unit/gang_kill.c
        "any: "*memory*) of="2|0 2|1 3|2 5|0 5|3" ;;
        "any: "* | "worker: "*) of="2|0 2|1 3|0 3|2 5|0 5|3" ;;
        "scheduler: "*"others"* | "scheduler: "*"a loss"* | *" is reported") of="2|0 3|0 5|0" ;;
        "scheduler: "*) of="1|0 2|0 3|0 5|0" ;;
        "store: "*) of="1|0 3|0" ;;
        *) of="0|nobody is said to come to this" ;;
        esac
        for who in $of; do
            echo "$who|$name"
        done
    done
    points FAULT_MESSAGE | while read -r name; do
        for size in 2 3 5; do
            from=scheduler to=worker
            case $name in *came*) from=worker to=scheduler ;; esac
            for kind in $(kinds $from); do
                echo "$size|0|$name ($kind)"
            done
            for kind in $(kinds $to); do
                echo "$size|$(((size + 1) / 2))|$name ($kind)"
            done
        done
    done
}

# ---- one case ----

run() { timeout -k 5 300 "$FAULTY" run sweep.ini --progress none --db "$T/k.db" "$@" </dev/null >out 2>err; }

# Faults and options that make the run reach the point.
prepare() {
    before='' options='' ranks=''
    other=$((victim ? victim : 1))
    rm -rf k.db* log
    case $point in
    *"(GIVE_BACK)") before="worker: a trial begins:$other:1:nap; worker: a trial begins:0:2:term;" options="--grace 0" ;;
    *"a loss"*) before="worker: a trial begins:$((n - 1)):2:kill;" ;;
    *"(BEAT)") before="worker: a trial begins:$other:2:nap;" options="--set heartbeat_limit=3" ;;
    "store: what is lost was released" | "store: trials of a session were returned")
        ESPALIER_FAULT="worker: a trial begins:0:9:nap; scheduler: a commit was made:0:1:kill" run ;;
    "store: before a sweep is renamed") run --set epochs=3 && options=--new-sweep ;;
    "store: "* | "scheduler: "*) before="worker: a trial begins:0:3:nap;" ;;
    esac
    [ "$n" = 1 ] || ranks="-n $n"
}

# A second run may be needed only if rank 0 dies, or a rank dies while ranks still depend on each
# other.
may_end_early() {
    [ "$victim" = 0 ] && return
    case $point in
    "worker: "* | *"("*")" | "any: before the last"* | *"MPI ends" | *"MPI has ended") return 1 ;;
    esac
}

try() {
    n=${1%%|*} rest=${1#*|}
    victim=${rest%%|*} point=${rest#*|} problems=
    prepare
    # shellcheck disable=SC2086 # several words
    ESPALIER_FAULT="$before $point:$victim:1:kill" ESPALIER_FAULT_LOG=$T/log ESPALIER_FAULT_SECONDS=0.8 run $options $ranks
    status=$?
    grep -q "^kill rank $victim: " log 2>/dev/null || problem "nobody came to the point"
    [ $status -eq 0 ] || may_end_early || case $point in *GIVE_BACK*) [ $status -eq 75 ] ;; *) false ;; esac ||
        problem "status $status: $(tail -n 2 err | tr '\n' ' ')"
    case $n$status in ?0 | ?1 | ?75 | 1137) ;; *) problem "status $status" ;; esac
    left_behind
    keep was "$T/k.db"
    if [ $status -ne 0 ]; then
        # shellcheck disable=SC2086
        run $options || problem "the same line does not go on: $? $(tail -n 2 err | tr '\n' ' ')"
    fi
    settled "$T/k.db" "$wanted" was
    is "$point, rank $victim of $n" "$problems" ""
}

cases >all
is "no case is a duplicate" "$(sort all | uniq -d; grep '^0' all)" ""
if [ -n "$show" ]; then
    cat all >&2
    exit
fi
run
wanted=$(rows k.db)
is "the undisturbed run is complete" "$(sqlite3 k.db "select count(*) from trial where state = 'done'")" 24
awk -v every="$every" -v from="${FROM:-$(date +%j)}" '(NR + from) % every == 0' all >chosen
while IFS= read -r case <&3; do
    try "$case"
done 3<chosen

done_testing
