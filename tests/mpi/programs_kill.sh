#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kill -9 of a rank, a program, the process that starts programs, and mpirun, at random moments and at
# the named points of a program's trial (src/base/fault.h). Afterwards the same command finishes, the
# rows equal those of an undisturbed run, and nothing is left.
# KILLS: number of random kills (default 3).
# SEED: of the moments (default the day).
. "$SRCDIR/tests/lib.sh"
. "$SRCDIR/tests/mpi/killlib.sh"
kills=${KILLS:-3}
seed=${SEED:-$(date +%j)}
echo "# SEED=$seed KILLS=$kills"
export KILLED_TEST="$T" # in the environment of all that a program starts

# Four epochs; the objective depends on axis, fold and epoch alone. A checkpoint follows each epoch.
# Another process in a session of its own outlives an attempt that is killed, unless it is killed, too.
cat >train.sh <<'SH'
from=0
[ ! -e "$ESPALIER_CHECKPOINT/epoch" ] || read -r from <"$ESPALIER_CHECKPOINT/epoch"
setsid sleep 300 &
other=$!
for epoch in 1 2 3 4; do
    [ $epoch -gt "$from" ] || continue
    sleep 0.02
    echo "{\"epoch\": $epoch, \"val\": $(($1 * 100 + ESPALIER_FOLD * 10 + epoch % 3)), \"val_loss\": 0.$epoch, \"size\": $epoch}" >>"$ESPALIER_RESULTS"
    echo $epoch >"$ESPALIER_CHECKPOINT/new"
    mv "$ESPALIER_CHECKPOINT/new" "$ESPALIER_CHECKPOINT/epoch"
done
echo "model $1 $ESPALIER_FOLD" >"$ESPALIER_DIR/model.txt"
echo '{"final": 7}' >>"$ESPALIER_RESULTS"
kill $other
SH
cat >sweep.ini <<'INI'
[sweep]
name = kill
folds = 3
objective = val
direction = max
[program]
command = sh train.sh {n}
keep_files = model.txt
[resources]
crash_limit = 1000
[grid]
n = 1, 2, 3, 4
INI
# killlib's rows(), and what only programs have.
all_rows() {
    rows "$1"
    sqlite3 "$1" "select key, c.epoch, name, c.value from trial join curve_metric c using (trial_id) order by 1, 2, 3;
        select key, name, bytes from trial join file using (trial_id) order by 1" | cksum
    find "$1.files" -type f -exec cat {} + 2>/dev/null | sort | cksum
    (cd "$1.files" && find . ! -name model.txt | sed 's/[0-9][0-9]*$//' | sort | uniq -c)
}

# Processes with the variable KILLED_TEST, which everything that this script starts inherits.
marked() {
    grep -lasxzF "KILLED_TEST=$T" /proc/[0-9]*/environ | while IFS=/ read -r _ _ process _; do
        # This grep finds itself, and may have ended by now.
        name=$(cat "/proc/$process/comm" 2>/dev/null) || continue
        [ "$name" = grep ] || echo "$process"
    done
}
tree() {
    echo "$1"
    for child in $(pgrep -P "$1"); do
        tree "$child"
    done
}
# Kill the processes of a name below the run.
strike() { # strike NAME RUN WHICH
    victims=$(for process in $(tree "$2"); do
        [ "$(cat "/proc/$process/comm" 2>/dev/null)" = "$1" ] && echo "$process"
    done)
    # shellcheck disable=SC2086 # several
    set -- "$(echo $victims | cut -d' ' -f"$(($3 % 2 + 1))")"
    [ -n "$1" ] && kill -KILL "$1" 2>/dev/null && struck=$((struck + 1))
}
nothing_left() {
    for _ in $(seq 40); do
        left=$(marked)
        [ -n "$left" ] || return 0
        sleep 0.25
    done
    # shellcheck disable=SC2086 # several
    problem "left behind ($left): $(ps -o pid=,ppid=,args= -p "$(echo $left | tr ' ' ',')" | cut -c1-100 | tr '\n' ';')"
    # shellcheck disable=SC2086
    kill -KILL $left 2>/dev/null
}
finish() { # finish NAME: the same command finishes with the rows of an undisturbed run
    nothing_left
    for _ in 1 2 3; do
        "$ESPALIER" run sweep.ini --progress none --db k.db -n 2 </dev/null >out 2>err && break
    done
    [ "$(all_rows k.db)" = "$wanted" ] || problem "other rows: $(all_rows k.db | tr '\n' ' ') wanted $(echo "$wanted" | tr '\n' ' ')"
    nothing_left
    is "$1" "$problems" ""
}

"$ESPALIER" run sweep.ini --progress none --db plain.db -n 2 </dev/null 2>err
wanted=$(all_rows plain.db)
is "the undisturbed run is complete" "$(sqlite3 plain.db "select count(*), sum(value) from trial where state = 'done'")" "12|3144.0"
problems=
nothing_left
is "and leaves no process" "$problems" ""

awk -v n="$kills" -v seed="$seed" 'BEGIN { srand(seed); split("rank program spawner mpirun keeper", how, " ")
    for (i = 0; i < n; i++) print how[1 + (i + int(5 * rand())) % 5], 0.3 + 0.7 * rand(), int(10 * rand()) }' >moments
struck=0
while read -r how seconds which <&3; do
    problems=
    rm -rf k.db*
    "$ESPALIER" run sweep.ini --progress none --db k.db -n 2 </dev/null >out 2>err &
    pid=$!
    sleep "$seconds"
    case $how in
    rank) strike espalier $pid "$which" ;;
    program) strike sh $pid "$which" ;;
    spawner) strike espalier-spawn $pid "$which" ;;
    keeper) strike espalier-keep $pid "$which" ;;
    mpirun) strike mpirun $pid 0 ;;
    esac
    wait $pid 2>/dev/null
    finish "kill of $how after $seconds s"
done 3<moments
[ "$kills" -lt 30 ] || ok "most kills struck, not after the end" test "$struck" -gt 15

# At named points, alone and with another rank.
grep -ho 'FAULT("[a-z]*: a program[^"]*' "$SRCDIR"/src/trial/*.c "$SRCDIR/src/store/trial_files.c" |
    sed 's/.*"//' | sort -u >points
is "points" "$(wc -l <points)" 5
n=$seed
while read -r point <&3; do
    n=$((n + 1))
    problems=
    rm -rf k.db* log
    set --
    [ $((n % 4)) -lt 2 ] || set -- -n 2
    ESPALIER_FAULT="$point:0:$((1 + n % 3)):kill" ESPALIER_FAULT_LOG=$T/log \
        "$FAULTY" run sweep.ini --progress none --db k.db "$@" </dev/null >out 2>err
    grep -q '^kill' log 2>/dev/null || problem "nobody came to the point"
    finish "$point"
done 3<points

# A long training must not begin again because its result was not on disk yet.
problems=
rm -rf k.db*
ESPALIER_FAULT="worker: a program's results were removed:0:1:kill" \
    "$FAULTY" run sweep.ini --progress none --db k.db </dev/null >out 2>err
is "a result that is not on disk leaves the checkpoint and the curve" \
    "$(cat k.db.files/t*/checkpoint/epoch; cat k.db.files/t*/curve.jsonl | wc -l)" "4
4"
finish "the next run goes on from them"
is "without another file" "$(find k.db.files -type f ! -name model.txt)" ""

# A rank that can start no programs any more gives its trials back, and none fails.
problems=
cat >idle.ini <<'INI'
[sweep]
objective = v
direction = max
[program]
command = sh -c 'echo > begun.$$; while [ -e hold ]; do sleep 0.05; done; echo v: 1' {n}
capture = stdout
[grid]
n = 1:20:1
INI
for ranks in 1 2; do
    rm -f begun.*
    touch hold
    "$ESPALIER" run idle.ini --progress none --db "i$ranks.db" -n $ranks </dev/null >out 2>err &
    pid=$!
    until ls begun.* >/dev/null 2>&1; do sleep 0.02; done
    keeper=$(for process in $(tree $pid); do [ "$(cat "/proc/$process/comm" 2>/dev/null)" = espalier-keep ] && echo "$process"; done | tail -n 1)
    # shellcheck disable=SC2046 # it may be gone
    kill -KILL "$keeper" $(pgrep -P "$keeper")
    rm hold
    wait $pid
    is "keeper and spawner of one of $ranks ranks are killed" "$? $(grep -c 'gives its trials back and leaves' err) $(
        sqlite3 "i$ranks.db" "select count(*) filter (where state = 'failed'), count(*) filter (where state = 'pending') > 0 from trial")" \
        "$([ $ranks = 1 ] && echo 75 || echo 0) 1 0|$((2 - ranks))"
done
nothing_left
is "and leave nothing" "$problems" ""

# A program cannot take rank 0 down, so both ranks run what a killed run has left.
problems=
cat >wait.ini <<'INI'
[sweep]
objective = v
direction = max
[program]
command = sh -c 'echo > begun.$0; sleep 1; echo v: 1' {n}
capture = stdout
[grid]
n = 1, 2
INI
"$ESPALIER" run wait.ini --progress none --db w.db -n 2 </dev/null >out 2>err &
pid=$!
for _ in $(seq 6000); do
    [ -e begun.1 ] && [ -e begun.2 ] && break
    sleep 0.02
done
sleep 0.7 # rank 0 has stored what runs
# shellcheck disable=SC2046 # several
kill -KILL $(tree $pid)
wait $pid 2>/dev/null
nothing_left
"$ESPALIER" run wait.ini --progress none --db w.db -n 2 </dev/null >out 2>err
is "two trials that a killed run left run at the same time" "$problems$(sqlite3 w.db \
    "select state, count(*) from trial group by 1; select count(distinct rank), max(started) < min(finished) from attempt
    where outcome = 'done'")" "done|2
2|1"

done_testing
