#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Progress of a sweep, seen from outside.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >small.ini <<'INI'
[sweep]
name = small
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
optimizer = sgd
epochs = 60
[grid]
learning_rate = 0.001, 1000
hidden_size = 4, 8
INI
fails "no database" 1 "$ESPALIER" status
"$ESPALIER" run --progress none small.ini 2>/dev/null
before=$(cksum <results.db)
ok "status" "$ESPALIER" status
is "does not touch the file" "$(cksum <results.db; ls results.db*)" "$before
results.db"
status=$("$ESPALIER" status | tr -s ' ')
like "counts" "$status" '^small 4 4 2 2 0 0 0$'
like "the command" "$status" '^last session: espalier run --progress none small.ini$'
like "how it ended" "$status" "^finished, 1 rank, pid [0-9]+ on $(hostname)$"
like "how fast it was" "$status" '^4 trials in [0-9.]+ s, [0-9.]+/s$'
like "how well the ranks were used" "$status" \
    '^ranks were busy [0-9.]+ % of the time; the trials took (no longer than|[0-9.]+ (% longer than|times)) the [0-9.e-]+ s of all trials spread evenly over 1 rank$'
like "which rank did it" "$status" "^ *0 $(hostname) 4 [0-9.e-]+ 2 0$"
like "why trials diverged" "$status" '^small diverged [12] [0-9]+ .* epoch '

# The clock was set back while an older version ran.
cp results.db back.db
sqlite3 back.db 'update attempt set finished = started - 3600; update session set finished = started - 3600'
ok "after a clock was set back" "$ESPALIER" status back.db
is "no time is negative" "$(grep -E '(^|[^a-z0-9])-[0-9]' .out)" ""
sqlite3 back.db "update attempt set outcome = 'running', finished = null, started = unixepoch() + 3600 where trial_id = 1"
ok "show after the reader's clock was set back" "$ESPALIER" show back.db t1
like "shows the attempt" "$(tr -s ' ' <.out)" ' 0 running *$'

fault=$(dirname "$ESPALIER")/tests/cli/fault.so
if [ -f "$fault" ] && LD_PRELOAD=$fault "$ESPALIER" --version >/dev/null 2>&1; then
    FAULT_CLOCK=3600 LD_PRELOAD=$fault "$ESPALIER" run small.ini --db set.db --progress none 2>/dev/null
    is "a clock set back during a run gives no negative time" "$(sqlite3 set.db 'select count(*), min(finished - started) >= 0 from attempt')" "4|1"
else
    pass "a clock set back during a run gives no negative time # SKIP tests/cli/fault.so does not run"
fi

# During a run.
cat >long.ini <<'INI'
[data]
format = simulated
[train]
epochs = 100
[grid]
hidden_size = 256
layers = 3
dropout = 0:0.9:0.01
INI
"$ESPALIER" run long.ini --db long.db --progress none 2>/dev/null &
pid=$!
for _ in $(seq 6000); do
    n=$(sqlite3 long.db "select count(*) from trial where state = 'done'" 2>/dev/null)
    [ "${n:-0}" -gt 1 ] && break
    sleep 0.05
done
live=$("$ESPALIER" status long.db | tr -s ' ')
like "a live run is running" "$live" "^running, 1 rank, pid [0-9]+ on"
like "and the rest is reported" "$live" '^about [0-9a-z. ]+ left for [0-9]+ trials?$'
refuses "a second writer is refused" 1 "another run is writing to it: pid [0-9]+ on $(hostname), since " \
    "$ESPALIER" run long.ini --db long.db --progress none
kill -KILL $pid
wait $pid 2>/dev/null
like "a killed run is lost" "$("$ESPALIER" status long.db)" "^lost \(no such process; the same command continues\)"
is "and loses nothing that was committed" "$(sqlite3 long.db 'pragma integrity_check')" ok

# If a commit recorded a (long) trial as running when the run was killed, status lists it.
trial=$(sqlite3 long.db "select max(trial_id) from trial where state <> 'done'")
sqlite3 long.db "update attempt set outcome = 'stopped', finished = started where outcome = 'running';
    update trial set state = iif(trial_id = $trial, 'running', 'pending') where state <> 'done';
    insert into attempt (trial_id, session_id, rank, host, pid, started, outcome)
    values ($trial, 1, 3, 'node7', 99, 1700000000, 'running')"
before=$(cksum <long.db)
dead=$("$ESPALIER" status long.db | tr -s ' ')
like "it runs no trials" "$dead" '^long 91 91 [0-9]+ 0 0 0 [0-9]+$'
is "no running trial is listed" "$(printf '%s\n' "$dead" | grep -c 'running trials')" 0
like "lost attempts are listed" "$dead" "^ ?1 lost 1 3 node7 $trial"
like "show says so" "$("$ESPALIER" show long.db "t$trial" | tr -s ' ')" "^[0-9 ]+ node7 99 2023-11-14 22:13:20 - lost"
like "and that it is pending" "$("$ESPALIER" show long.db "t$trial" | tr -s ' ')" "^state pending$"
is "export says so, too" "$("$ESPALIER" export long.db --format csv | grep -c ',running,')" 0
is "reading changes nothing" "$(cksum <long.db)" "$before"
"$ESPALIER" run long.ini --db long.db --progress none 2>next &
pid=$!
for _ in $(seq 6000); do
    grep -q 'trials, ' next && break
    sleep 0.05
done
kill -INT $pid
wait $pid
like "the next run reports what it found" "$(cat next)" \
    "^espalier: long.db: the run of pid [0-9]+ on $(hostname), since .* UTC is gone: no such process; [12] trials? that it was running (is|are) pending again$"
is "and repairs it" "$(sqlite3 long.db "select outcome from session where session_id = 1; select outcome from attempt where pid = 99")" "lost
lost"
like "sessions are listed, the last first" "$("$ESPALIER" status long.db | tr -s ' ')" "^ ?1 lost 20[0-9-]+ [0-9:]+ .*1 $(hostname)"

# A live run whose lock another process has removed.
"$ESPALIER" run long.ini --db long.db --progress none 2>/dev/null &
pid=$!
for _ in $(seq 6000); do
    [ "$(sqlite3 long.db "select outcome from session order by session_id desc" 2>/dev/null | head -n 1)" = running ] && break
    sleep 0.05
done
rm -f long.db.lock
refuses "a second run is still refused" 1 "another run is writing to it, although it holds no lock: pid $pid on $(hostname), since .* \(its process is running\); wait for it" \
    "$ESPALIER" run long.ini --db long.db --progress none
like "status sees it run" "$("$ESPALIER" status long.db)" "^running, 1 rank, pid $pid on"
kill -INT $pid
wait $pid

# A real trial that runs longer than a commit interval.
"$ESPALIER" run long.ini --set epochs=1000000 --db slow.db --progress none 2>/dev/null &
pid=$!
for _ in $(seq 6000); do
    [ "$(sqlite3 slow.db "select count(*) from attempt where outcome = 'running'" 2>/dev/null)" = 1 ] && break
    sleep 0.05
done
live=$("$ESPALIER" status slow.db | tr -s ' ')
like "a running trial is counted" "$live" '^long 91 91 0 0 0 1 90$'
like "and listed with rank, host and start" "$live" \
    "^ ?[0-9]+ [0-9]+ 0 $(hostname) 20[0-9-]+ [0-9:]+ [0-9.]+$"
kill -KILL $pid
wait $pid 2>/dev/null
like "after a kill it is pending" "$("$ESPALIER" status slow.db | tr -s ' ')" '^long 91 91 0 0 0 0 91$'
like "and its attempt is lost" "$("$ESPALIER" status slow.db | tr -s ' ')" "^ ?1 lost 1 0 $(hostname) "

# Many reasons of failures: all in a section of its own, the first ones in the whole answer.
cat >reasons.ini <<'INI'
[sweep]
objective = val_loss
[program]
command = sh -c 'echo $0 is bad >&2; exit 3' {n}
capture = stdout
[grid]
n = a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y
INI
fails "25 trials fail, each for another reason" 3 "$ESPALIER" run reasons.ini --db reasons.db --progress none
is "--section failures has all reasons" "$("$ESPALIER" status reasons.db --section failures | grep -c 'is bad')" 25
is "as csv, too" "$("$ESPALIER" status reasons.db --section failures --format csv | grep -c 'is bad')" 25
"$ESPALIER" status reasons.db >whole
is "the whole answer has the first 20, and their number" "$(grep -c 'is bad' whole) $(grep more whole)" "20 ... and 5 more: --section failures"
is "as json it has all" "$("$ESPALIER" status reasons.db --format json | grep -o 'is bad' | wc -l)" 25
sqlite3 reasons.db "update trial set state = 'pending', error = null where trial_id < 4"
is "the section of a session that is over has its pending trials" "$("$ESPALIER" status reasons.db --section session | awk '$1 == "pending" { print $2 }')" 3
is "as csv, too" "$("$ESPALIER" status reasons.db --section session --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["pending"] "," $at["left_s"] }')" "3,"
like "people read when it started" "$("$ESPALIER" status reasons.db --section session)" '^started +20[0-9-]+ [0-9:]+ UTC$'
done_testing
