#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sweeps whose trials need several ranks: their processes meet, fail together, and lose a rank.
. "$SRCDIR/tests/lib.sh"
for tool in mpirun python3; do
    command -v $tool >/dev/null || skip_all "$tool is not here"
done
cd "$T" || exit 1
cp "$SRCDIR/tests/mpi/meet.py" .

cat >gang.ini <<'INI'
[sweep]
objective = val_ranks
direction = max
replicates = 3
[program]
command = python3 meet.py
[resources]
ranks = 2
INI
sed '/^ranks/d' gang.ini >widths.ini
printf '[grid]\nranks = 1, 2\n' >>widths.ini

rows() {
    sqlite3 "$1" "select t.key, t.state, quote(t.value), t.error, (select group_concat(name || quote(value))
        from (select * from metric m where m.trial_id = t.trial_id order by name)) from trial t order by 1"
}
# The sums that trials of a width reported, and how often.
reported() {
    sqlite3 "$1" "select ranks, state, value, count(*) from trials group by 1, 2, 3" | tr '\n' ' '
}

ok "one rank and two" "$ESPALIER" run widths.ini -n 2 --db widths.db --progress none
is "all ranks of a gang have met" "$(reported widths.db)" "1|done|0.0|3 2|done|1.0|3 "
fails "a gang on too few ranks" 2 "$ESPALIER" run widths.ini --db few.db
is "the message says how many it needs" "$(cat .err)" \
    "espalier: ranks = 2: a trial needs 2 ranks, and this launch has 1; start at least 2 (-n 2), or give the axis ranks no number above 1"
is "no file was made" "$(ls -d few.db* 2>/dev/null)" ""
fails "doctor finds it" 2 "$ESPALIER" doctor widths.ini --db few.db
ok "but not on two ranks" "$ESPALIER" doctor widths.ini -n 2 --db few.db
ok "nor under mpirun" mpirun -q --oversubscribe -n 2 "$ESPALIER" doctor widths.ini --db few.db
ok "nor in a finished sweep" "$ESPALIER" doctor widths.ini --db widths.db
ok "a finished sweep needs no ranks" "$ESPALIER" run widths.ini --db widths.db --progress none
fails "but a trial more does" 2 "$ESPALIER" run widths.ini --db widths.db --progress none --set replicates=9

# Rank 0 listens 0.03 s after its start, and is often late on a busy machine; without a head start, always.
cat >order.sh <<'SH'
[ "$RANK" = 1 ] || sleep 0.03
printf '%s' "$RANK" >>"order.$ESPALIER_REPLICATE"
[ "$RANK" = 1 ] || echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
sed 's/python3 meet.py/sh order.sh/; s/val_ranks/val/; s/= 3/= 10/' gang.ini >order.ini
ok "a program that notes the order of its starts" "$ESPALIER" run order.ini -n 2 --db order.db --progress none
like "rank 0 has a head start" "$(cat order.[0-9] | sed 's/../& /g' | tr ' ' '\n' | grep -c 01)" '^([1-9]|10)$'

# Rank 0 would wait for the other for ever.
fails "a member that exits with 1" 3 "$ESPALIER" run gang.ini -n 2 --db failed.db --progress none \
    --max-fails 1000 --set replicates=2 --set 'command=python3 meet.py 1'
is "is the reason" "$(sqlite3 failed.db 'select distinct state, error from trial')" \
    "failed|rank 1 of the gang: exit status 1: no data for this rank"
is "one attempt on both ranks has it" "$(sqlite3 failed.db "select count(*), count(distinct trial_id), min(rank), max(rank),
    (select group_concat(distinct rank) from member) from attempt")" "2|2|0|0|0,1"
is "the log is that of rank 1" "$("$ESPALIER" show failed.db t1 --log 2>&1 | tail -n 2)" "no data for this rank
espalier: this is the output of rank 1 of the gang, which failed"
is "and with it its program" "$(pgrep -f "meet.py 1$")" ""

# Rank 0 ends at once, the other 0.6 s after `hold` is gone, with status $1.
cat >late.sh <<'SH'
if [ "$RANK" = 0 ]; then
    echo "$$" >first.pid
    echo "saves the result"
    echo 1 >"$ESPALIER_DIR/model.txt"
    echo '{"val": 1}' >>"$ESPALIER_RESULTS"
    exit
fi
[ "$1" = 7 ] || trap 'exit 0' TERM
echo "$$" >late.pid
while [ -e hold ]; do sleep 0.05; done
sleep 0.6
[ "$1" = 0 ] || echo "no room for part 1" >&2
exit "$1"
SH
sed 's/meet.py/late.sh {status}/; s/val_ranks/val/; s/python3/sh/; /replicates/d' gang.ini >late.ini
printf '[grid]\nstatus = 0, 7\n' >>late.ini
fails "a member that fails after rank 0 has ended" 3 "$ESPALIER" run late.ini -n 2 --db late.db --progress none
is "fails the trial, which takes as long as its last member" "$(sqlite3 late.db \
    'select trial.state, trial.error, seconds > 0.5, max(finished - started) > 0.5
    from trial join attempt using (trial_id) group by trial_id')" \
    "done||1|1
failed|rank 1 of the gang: exit status 7: no room for part 1|1|1"
ok "and no file is left" test ! -e late.db.files
ok "a gang whose files are kept" "$ESPALIER" run late.ini -n 2 --db kept.db --progress none \
    --set grid.status=0 --set keep_files=model.txt
is "leaves nothing else" "$(find kept.db.files -type f)" kept.db.files/t1/model.txt
touch hold
fails "a member that hangs after rank 0 has ended" 3 "$ESPALIER" run late.ini -n 2 --db hung.db \
    --set grid.status=7 --set trial_timeout=3 --progress none
rm hold
is "ends at the time limit, and leaves no file" "$(sqlite3 hung.db 'select error from trial')$(find hung.db.files 2>/dev/null)" \
    "rank 1 of the gang: ran longer than trial_timeout = 3 s"
# stopped_late STATUS: status of run and the trial, if a signal comes after rank 0 has ended.
stopped_late() {
    rm -f late.pid first.pid
    touch hold
    "$ESPALIER" run late.ini -n 2 --db "stopped$1.db" --set "status=$1" --progress none 2>.err &
    run=$!
    for _ in $(seq 6000); do
        [ -s late.pid ] && [ -s first.pid ] && ! kill -0 "$(cat first.pid)" && break
        sleep 0.02
    done 2>/dev/null
    "$ESPALIER" show "stopped$1.db" t1 --log >"log.$1" 2>&1
    kill -INT $run
    wait $run
    status=$?
    rm hold
    echo "$status $(sqlite3 "stopped$1.db" 'select state, value, error from trial')"
}
is "a member that ends well when it is asked to stop completes the trial" "$(stopped_late 0)" "0 done|1.0|"
is "one that does not gives it back" "$(stopped_late 7)" "75 pending||"
is "rank 0 had ended, and its output could be read" "$(head -n 1 log.0)" "saves the result"

# A process of a gang is killed, and the others notice that its connection is gone.
cat >killed.sh <<'SH'
starts=$(echo "$RANK" >>"starts.$1.$RANK" && wc -l <"starts.$1.$RANK")
echo "$ESPALIER_ATTEMPT" >>"attempts.$1.$RANK"
if [ "$RANK" = 1 ]; then
    [ "$1" = once ] && [ "$starts" = 2 ] && exit
    echo "reads part 1" >&2
    kill -9 $$
fi
while [ "$(cat "starts.$1.1" 2>/dev/null | wc -l)" -lt "$starts" ]; do sleep 0.01; done
[ "$1" = once ] && [ "$starts" = 2 ] && echo '{"val": 1}' >>"$ESPALIER_RESULTS" && exit
echo "connection closed by peer" >&2
exit 1
SH
sed 's/late.sh {status}/killed.sh {how}/; s/^status.*/how = once, always/' late.ini >killed.ini
fails "processes that are killed" 3 "$ESPALIER" run killed.ini -n 2 --db killed.db --progress none
is "the whole gang runs again, up to the crash limit" "$(cat starts.* | tr -d '\n')" 00110011
is "with the next number of an attempt in all ranks" "$(cat attempts.* | tr -d '\n')" 12121212
is "with a warning each time" "$(grep -c 'runs again, because its gang lost a member: rank 1 of the gang: ended by signal 9' .err)" 2
is "the reason is that of the process that was killed" "$(sqlite3 killed.db 'select state, error from trial order by 1')" \
    "done|
failed|its gang lost a member for the last time (crash_limit): rank 1 of the gang: ended by signal 9 (Killed): reads part 1"
is "so is the log, of all attempts" "$("$ESPALIER" show killed.db t2 --log 2>&1)" "reads part 1
espalier: the program was killed (SIGKILL)
espalier: the program starts again
reads part 1
espalier: the program was killed (SIGKILL)
espalier: this is the output of rank 1 of the gang, which failed"

# Processes that end with 75 unasked: the gang starts again as a whole. Each start notes its number and
# how many files the checkpoint has.
cat >again.sh <<'SH'
echo "$ESPALIER_ATTEMPT$(ls "$ESPALIER_CHECKPOINT" | wc -l)" >>"again.$1.$RANK"
save() { echo "$ESPALIER_ATTEMPT" >"$ESPALIER_CHECKPOINT/new" && mv "$ESPALIER_CHECKPOINT/new" "$ESPALIER_CHECKPOINT/state"; }
result() { echo '{"val": 1}' >>"$ESPALIER_RESULTS" && exit; }
case $1.$RANK in
early.0) sleep 0.5 && [ "$ESPALIER_ATTEMPT" = 2 ] && result; save; exit 75 ;;
early.1) [ "$ESPALIER_ATTEMPT" = 2 ] && exit; exit 75 ;;
often.0) [ "$ESPALIER_ATTEMPT" = 3 ] && result; save; exit 75 ;;
often.1) [ "$ESPALIER_ATTEMPT" = 3 ] && exit; exit 75 ;;
idle.0) [ -e "$ESPALIER_CHECKPOINT/state" ] || save; exit 75 ;;
idle.1) exit 75 ;;
other.0) result ;;
other.1) exit 75 ;;
slow.0) sleep 5; result ;;
slow.1) exit 75 ;;
peer.0) sleep 0.4; save; exit 75 ;;
later.0) save; exit 75 ;;
later.1) sleep 0.8; echo "no more data" >&2; exit 7 ;;
peer.1) echo "KeyError: rate" >&2; exit 7 ;;
fault.0) trap 'sleep 0.5; save; exit 75' TERM; for _ in $(seq 100); do sleep 0.05; done ;;
fault.1) sleep 0.3; exit 4 ;;
quick.0) result ;;
esac
SH
sed 's/late.sh {status}/again.sh {way}/; s/^status.*/way = early, often, idle, other, slow, fault, quick, peer, later/; s/^command.*/&\nstop_grace = 1s/' late.ini >again.ini
fails "processes that end with 75 unasked" 3 "$ESPALIER" run again.ini -n 2 --db again.db --progress none
is "the trial goes on unless that is in vain" "$(sqlite3 again.db 'select state, error from trial order by 1, 2')" "done|
done|
done|
failed|exited with 75 again and again without progress: 3 attempts changed nothing in ESPALIER_CHECKPOINT and reported no new epoch
failed|rank 1 of the gang: exit status 4
failed|rank 1 of the gang: exit status 75 (start again), but rank 0 did not end within stop_grace = 1 s
failed|rank 1 of the gang: exit status 75 (start again), but rank 0 has ended with 0
failed|rank 1 of the gang: exit status 7: KeyError: rate
failed|rank 1 of the gang: exit status 7: no more data"
numbers() { cut -c1 "again.$1" | tr -d '\n'; }
is "each start of the gang has the next number" "$(for way in early often idle other slow fault quick peer later; do echo "$(numbers $way.0)"; done | xargs)" \
    "12 123 1234 1 1 1 1 1 1"
# One that is asked to stop before it has begun notes nothing.
is "in all processes" "$(numbers early.1) $(for way in often idle other slow fault; do numbers $way.1 | tr -d "$(numbers $way.0)"; done)" "12 "
ok "and nothing is left, even of one that saved after the trial had failed" test ! -e again.db.files
"$ESPALIER" run again.ini -n 2 --db again.db --progress none --retry failed 2>.err
is "which does not go on from there" "$(tail -n 1 again.fault.0)" 10

# Prints the process of rank $1 of the launch on database $2, the last word of its command.
process_of() {
    for process in $(pgrep -P "$(pgrep -f "^mpirun .*--db $T/$2\$")"); do
        grep -zqx "OMPI_COMM_WORLD_RANK=$1" "/proc/$process/environ" && echo "$process"
    done
}
members() { pgrep -f "python3 $T/meet.py$" -a | grep -v espalier; }
has_met() { [ "$(ls met 2>/dev/null | wc -l)" = 2 ]; }
# A rank is lost in the middle of a trial: nobody else can run it.
command="command=python3 $T/meet.py"
ok "an undisturbed run" "$ESPALIER" run gang.ini -n 2 --db whole.db --progress none --set "$command"
is "the rank that does not lead was busy, too" \
    "$("$ESPALIER" status whole.db --section ranks --format csv | awk -F, 'NR > 1 { trials += $3; print $1, ($4 > 0.01) } END { print trials }')" "0 1
1 1
3"
touch hold
"$ESPALIER" run gang.ini -n 2 --progress none --set "$command" --db "$T/lost.db" 2>lost.err &
run=$!
for _ in $(seq 6000); do
    has_met && break
    sleep 0.05
done
is "both members run" "$(members | wc -l)" 2
kill -9 "$(process_of 1 lost.db)"
wait $run
is "a rank is lost: the run ends with 75" $? 75
like "the message says what it needs" "$(cat lost.err)" "^espalier: (warning: )?stopped early; 3 trials are left, but a trial needs 2 ranks, and this launch has only 1 now: the same command continues, with at least 2 ranks"
is "the attempt that crashed had both ranks" "$(sqlite3 lost.db "select outcome, attempt.rank, group_concat(member.rank)
    from attempt join member using (attempt_id) group by attempt_id")" "crashed|0|0,1"
like "its reason names the rank that was killed" "$(sqlite3 lost.db 'select error from attempt')" \
    '^rank 1 on [^ ]+: its process is gone$'
is "no process of the gang is left" "$(members)" ""
rm hold
ok "the same command" "$ESPALIER" run gang.ini -n 2 --db lost.db --progress none --set "$command"
is "completes the sweep" "$(rows lost.db)" "$(rows whole.db)"

# The curve of a gang whose ranks all die goes on from the checkpoint: epochs that were reported
# before it are kept.
cat >epochs.sh <<'SH'
from=0
[ ! -e "$ESPALIER_CHECKPOINT/epoch" ] || read -r from <"$ESPALIER_CHECKPOINT/epoch"
for epoch in 1 2 3 4; do
    [ $epoch -gt "$from" ] || continue
    [ $epoch -lt 3 ] || while [ -e hold ]; do sleep 0.05; done
    [ "$RANK" = 0 ] || continue
    echo "{\"epoch\": $epoch, \"val\": $((epoch % 3))}" >>"$ESPALIER_RESULTS"
    echo $epoch >"$ESPALIER_CHECKPOINT/new"
    mv "$ESPALIER_CHECKPOINT/new" "$ESPALIER_CHECKPOINT/epoch"
done
SH
sed 's/meet.py/epochs.sh/; s/val_ranks/val/; s/python3/sh/; s/replicates = 3/replicates = 1/' widths.ini >epochs.ini
curves() { sqlite3 "$1" "select ranks, state, value, (select group_concat(c.epoch || ':' || c.val_value)
    from curve c where c.trial_id = t.trial) from trials t order by 1"; }
set -- epochs.ini -n 3 --progress none
ok "undisturbed curves" "$ESPALIER" run "$@" --db curve.db
is "have four epochs, one rank and two" "$(curves curve.db)" "1|done|2.0|1:1.0,2:2.0,3:0.0,4:1.0
2|done|2.0|1:1.0,2:2.0,3:0.0,4:1.0"
touch hold
"$ESPALIER" run "$@" --db "$T/dead.db" 2>dead.err &
run=$!
for _ in $(seq 6000); do
    [ "$(cat dead.db.files/t?/checkpoint/epoch 2>/dev/null | tr -d '\n')" = 22 ] && break
    sleep 0.05
done
# All at once: a rank that outlives another ends its gang in order, and removes its files.
# shellcheck disable=SC2046 # three processes
kill -9 $(for rank in 2 1 0; do process_of $rank dead.db; done)
wait $run
rm hold
is "each program left two epochs" "$(cat dead.db.files/t?/scratch.*/results.jsonl | wc -l)" 4
ok "the same command" "$ESPALIER" run "$@" --db dead.db
is "loses no epoch" "$(curves dead.db)" "$(curves curve.db)"
is "and leaves no file" "$(find dead.db.files -mindepth 1 2>/dev/null)" ""
done_testing
