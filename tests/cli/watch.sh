#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `watch`: one frame, plain lines, and the view on a terminal.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
export LC_ALL=C.UTF-8 TERM=xterm
unset NO_COLOR COLUMNS LINES

# ---- a finished sweep ----

small_head >small.ini
cat >>small.ini <<'INI'
[train]
optimizer = sgd
epochs = 60
[grid]
learning_rate = 0.001, 1000
hidden_size = 4, 8
INI
"$ESPALIER" run --progress none small.ini 2>/dev/null
# Exact figures: 8 results, one each second, the values by configuration and replicate.
sqlite3 results.db "update session set started = 1000, finished = 1010, ranks = 1;
    update attempt set started = 1000 + attempt_id, finished = 1001 + attempt_id;
    update trial set value = config_id + 0.25 * replicate where state = 'done';
    update trial set error = 'loss is ' || char(27) || '[31mnan' where state = 'diverged'"
before=$(cksum <results.db)
"$ESPALIER" watch --once >got
cat >wanted <<'END'
small  finished
[██████████████████████████████xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx] 100 %  8/8 trials
█ 4 done, x 0 failed, x 4 diverged, > 0 running, · 0 pending
8 trials in 10 s, 48/min
throughput   ████████ up to 60/min

best configurations by val_pearson
place  config  learning_rate  hidden_size   mean  diff  diff_low  diff_high
    1       2          0.001            8  2.125     0         0          0
    2       1          0.001            4  1.125    -1        -1         -1

ranks: 1

trials that failed or diverged
sweep  state     trials  example  reason
small  diverged       4        5  loss is ?[31mnan
END
is "one frame of a finished sweep" "$(cat got)" "$(cat wanted)"
is "does not touch the file" "$(cksum <results.db; ls results.db*)" "$before
results.db"
is "no block characters elsewhere" "$(LC_ALL=C "$ESPALIER" watch --once | LC_ALL=C grep -c '[^ -~]')" 0
is "a narrow frame" "$(COLUMNS=24 "$ESPALIER" watch --once | sed -n '2,3p;8,9p')" "100 %  8/8 trials
█ 4 done, x 4 diverged
place  config   mean
    1       2  2.125"
is "one plain line" "$("$ESPALIER" watch)" \
    "small: finished, 8/8 trials (100 %), 0 failed, 4 diverged, 48/min, best val_pearson 2.125 (c2)"
is "of a named sweep" "$("$ESPALIER" watch results.db --sweep small)" "$("$ESPALIER" watch)"
sqlite3 results.db "VACUUM INTO 'skew.db'"
sqlite3 skew.db "update session set finished = started - 100; update attempt set finished = started - 100"
ok "a clock that was set back" "$ESPALIER" watch --once skew.db
is "colour on request" "$(($("$ESPALIER" watch --once --color always | grep -c "$(printf '\033\[')") > 3))" 1

# ---- bad input ----

refused() {
    fails "$1: status" "$2" "$ESPALIER" watch "$3" --once
    is "$1: nothing on stdout" "$(cat .out)" ""
    is "$1: one line" "$(cat .err)" "espalier: $4"
}
cp results.db gone.db.saved
refused "a removed database" 1 gone.db "gone.db: no such file any more; gone.db.saved has what its run saved"
: >empty.db
echo text >text.db
cp results.db newer.db
sqlite3 newer.db 'pragma user_version = 999'
refused "no database" 1 none.db "none.db: no such file; run 'espalier run' first"
refused "an empty file" 1 empty.db "empty.db: empty; run 'espalier run' first"
fails "no database file" 1 "$ESPALIER" watch text.db
is "is one line" "$(cat .out .err | grep -c .)" 1
fails "a newer one" 1 "$ESPALIER" watch newer.db
is "is one line, too" "$(cat .out .err | grep -c .)" 1
fails "no such sweep" 1 "$ESPALIER" watch --sweep smal
is "the message lists them" "$(cat .err)" \
    "espalier: results.db: no sweep 'smal' in it; its sweeps are: small"
fails "an interval of nothing" 2 "$ESPALIER" watch --interval 0s
cp results.db cut.db
sqlite3 cut.db "update attempt set rank = -1 where attempt_id = 3"
fails "a negative rank" 1 "$ESPALIER" watch cut.db
like "is refused with its column" "$(cat .err)" "^espalier: cut.db: a row has '-1' in the column 'rank': must be"

# ---- a run ----

cat >long.ini <<'INI'
[sweep]
name = long
[data]
format = simulated
[train]
epochs = 1000000
[grid]
learning_rate = 0.001, 0.01
INI
mkdir bin
printf '#!/bin/sh\necho 30:00\n' >bin/squeue
chmod +x bin/squeue
PATH=$T/bin:$PATH
SLURM_JOB_ID=77 "$ESPALIER" run long.ini --db long.db --progress none --time-limit 1h 2>/dev/null &
pid=$!
for _ in $(seq 6000); do
    [ "$(sqlite3 long.db "select count(*) from attempt where outcome = 'running'" 2>/dev/null)" = 1 ] && break
    sleep 0.05
done
like "a rank and its trial" "$("$ESPALIER" watch long.db --once)" '^ +[12] +[12] +0 .* [0-9.]+$'
like "the walltime of its job" "$("$ESPALIER" watch long.db --once)" '^time limit in 30 min$'
printf '#!/bin/sh\nexit 1\n' >bin/squeue
like "or its own limit" "$("$ESPALIER" watch long.db --once)" '^time limit in 59 min [0-9]+ s$'
"$ESPALIER" watch long.db --interval 1s >lines 2>&1 &
watcher=$!
on_terminal() { python3 "$SRCDIR/tests/cli/in_terminal.py" "$@"; }
if command -v python3 >/dev/null; then
    is "q quits and restores the terminal" \
        "$(on_terminal 24x80 "running_for 1_busy (q_quits) size:10x40 (q_quits) type:x (q_quits) type:q" \
            "$ESPALIER" watch long.db)" "status 0"
    is "SIGTERM restores it" "$(on_terminal 24x80 "(q_quits) kill:TERM" "$ESPALIER" watch long.db)" "killed by SIGTERM"
    is "and so does Ctrl-C" "$(on_terminal 24x80 "(q_quits) type:$(printf '\003')" "$ESPALIER" watch long.db)" \
        "killed by SIGINT"
else
    pass "the view on a terminal # SKIP no python3"
fi
# A program, after some of its trials: both commands count the time that is left in the same way.
printf '[sweep]\nobjective = v\ndirection = max\n[program]\ncommand = sh -c "sleep 0.7; echo v: $0" {n}\ncapture = stdout\n[grid]\nn = 1:300:1\n' >slow.ini
"$ESPALIER" run slow.ini --db slow.db --progress none 2>/dev/null &
slow=$!
for _ in $(seq 6000); do
    [ "$(sqlite3 slow.db "select count(*) from trial where state = 'done'" 2>/dev/null || echo 0)" -gt 1 ] && break
    sleep 0.05
done
kill -STOP $slow
sleep 2
"$ESPALIER" status slow.db >state
# Seconds of "about 10 min 38 s left".
left() { sed -n 's/.*about \([0-9]*\) min \([0-9]*\) s left.*/\1 \2/p' | awk '{ print 60 * $1 + $2 }'; }
is "watch and status show the same time left" \
    "$(echo "$("$ESPALIER" watch slow.db --once | left) $(left <state)" |
        awk '{ d = $1 - $2; print (NF == 2 && $1 > 0 && d >= -2 && d <= 2) ? "same" : $0 }')" same
is "status compares only a run that is over with its trials" "$(grep -c 'about .* left' state) $(grep -c busy state)" "1 1"
kill -CONT $slow
kill -INT $slow
wait $slow
kill -INT $pid
wait $pid
wait $watcher
is "plain lines end with the run" "$?" 0
like "they show it running" "$(head -n 1 lines)" \
    '^long: running for [0-9.]+ s, 0/2 trials \(0 %\), time limit in 59 min [0-9]+ s, 1/1 ranks busy$'
like "and its end" "$(tail -n 1 lines)" '^long: stopped, 0/2 trials \(0 %\), 0/s$'
if command -v python3 >/dev/null; then
    # It begins and ends while it is watched.
    (sleep 1.5; "$ESPALIER" run small.ini --set replicates=3 --progress none 2>/dev/null; sqlite3 results.db .tables >/dev/null) &
    is "a run that ends is reported, and the view stays" \
        "$(on_terminal 24x80 "finished 12/12 type:q" "$ESPALIER" watch --interval 1s)" "status 0"
    wait $!
    # A view that is opened before the run.
    (sleep 4; "$ESPALIER" run small.ini --db early.db --progress none 2>/dev/null) &
    is "the view waits for a run to begin" \
        "$(on_terminal 24x80 "waiting_for_a_run finished 8/8 type:q" "$ESPALIER" watch early.db --interval 1s)" "status 0"
    wait $!
    is "a file that was removed is missed" \
        "$(on_terminal 24x80 "8/8 remove:early.db was_removed_or_moved type:q" "$ESPALIER" watch early.db --interval 1s)" "status 0"
fi
TERM=dumb script -qec "'$ESPALIER' watch results.db" /dev/null </dev/null >shown 2>&1
is "a dumb terminal gets lines" "$(grep -c . shown) $(LC_ALL=C grep -c "$(printf '\033')" shown)" "1 0"
done_testing
