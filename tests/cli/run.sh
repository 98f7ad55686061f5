#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep in a single process: it runs, resumes, grows, and reports how it ended.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

{
    small_head
    cat <<'INI'
[graph]
k = 4
[train]
epochs = 3
[grid]
hidden_size = 4, 8
dropout = 0:0.4:0.2
INI
} >small.ini

count() { sqlite3 results.db "select count(*) from attempt"; }

ok "a sweep runs" "$ESPALIER" run small.ini
is "every trial is done" "$(sqlite3 results.db "select group_concat(state || n) from
    (select state, count(*) n from trial group by state)")" "done12"
is "the axes are columns of the leaderboard" "$(sqlite3 results.db "select count(*) from leaderboard
    where hidden_size in (4, 8) and dropout in (0, 0.2, 0.4) and trials = 2 and mean is not null")" 6
is "metrics, curve and timing are there" "$(sqlite3 results.db "select
    (select count(*) from metric where name = 'pearson' and split = 'test'),
    (select count(*) from curve), (select count(distinct phase) from timing)")" "12|36|6"
is "the database is sound" "$(sqlite3 results.db 'pragma integrity_check')" ok

before=$(count)
ok "the same line again has nothing to do" "$ESPALIER" run small.ini
is "and runs nothing" "$(count)" "$before"

ok "a grown grid runs" "$ESPALIER" run small.ini --set grid.hidden_size=4,8,16
is "only its new points" "$(count)" $((before + 6))
is "and keeps the old ones" "$(sqlite3 results.db "select count(*) from trial where state = 'done'")" 18

"$ESPALIER" run small.ini --db pipe.db --set replicates=9 --progress live 2>&1 | head -c 1 >/dev/null
is "a reader of the messages may exit" "$(sqlite3 pipe.db 'select outcome from session')" finished
ok "a dry run lists every trial" "$ESPALIER" run small.ini --dry-run --db none.db
is "and leaves no database" "$(ls none.db 2>/dev/null)" ""
ok "plan as csv" "$ESPALIER" plan small.ini --format csv --db none.db
is "has a row for each trial" "$("$ESPALIER" plan small.ini --format csv --db none.db 2>/dev/null | wc -l)" 13

ok "a where clause" "$ESPALIER" run small.ini --db where.db --set "where=hidden_size = 4 or model.dropout = 0"
is "leaves points out" "$(sqlite3 where.db 'select count(*) from config')" 4

# -q and -v: fewer and more messages, the same answer.
"$ESPALIER" best >answer 2>normal
is "-q keeps the answer" "$("$ESPALIER" best -q 2>quiet)" "$(cat answer)"
is "and prints warnings only" "$(grep -v '^espalier: warning: ' quiet)" ""
is "of which none is lost" "$(cat quiet)" "$(grep '^espalier: warning: ' normal)"
is "-v keeps the answer" "$("$ESPALIER" best -v 2>verbose)" "$(cat answer)"
like "and says which database is read" "$(cat verbose)" "^espalier: database: $(pwd -P)/results.db, [0-9.]+ MB$"
like "and how long it takes" "$(cat verbose)" '^espalier: best: took [0-9.]+ s$'
ok "run -v" "$ESPALIER" run small.ini --db v.db -v
like "says how large the data are" "$(cat .err)" '^espalier: data: 60 samples and 40 features, read in [0-9.]+ s$'
ok "run -q" "$ESPALIER" run small.ini --db q.db -q
is "says nothing but warnings, and no progress" "$(grep -v '^espalier: warning: ' .err)" ""

cat >bad.ini <<'INI'
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
INI
ok "a diverging trial is a result" "$ESPALIER" run bad.ini --db bad.db
is "with its reason" "$(sqlite3 bad.db "select count(*) from trial where state = 'diverged' and error like '%epoch%'")" 1
is "and never ranked first" "$(sqlite3 bad.db 'select learning_rate from leaderboard where place = 1')" 0.001

fails "failed trials give exit status 3" 3 "$ESPALIER" run bad.ini --db slow.db \
    --set trial_timeout=0.000001 --set grid.learning_rate=0.001
like "with the reason in the database" "$(sqlite3 slow.db 'select error from trial')" trial_timeout

fails "failed trials stay failed" 3 "$ESPALIER" run bad.ini --db slow.db --set grid.learning_rate=0.001
ok "failed trials are run again when asked" "$ESPALIER" run bad.ini --db slow.db \
    --set grid.learning_rate=0.001 --retry failed
is "and are done then" "$(sqlite3 slow.db 'select state, attempts from trial')" "done|2"
ok "a trial that trains nothing" "$ESPALIER" run small.ini --db noop.db --set type=noop
is "is done too" "$(sqlite3 noop.db "select count(*) from trial where state = 'done'")" 12

cat >long.ini <<'INI'
[data]
format = simulated
samples = 200
markers = 500
[train]
epochs = 100000
[grid]
dropout = 0:0.8:0.1
INI
"$ESPALIER" run long.ini --db long.db >out 2>err &
pid=$!
for _ in $(seq 6000); do
    [ "$(sqlite3 long.db 'select count(*) from trial' 2>/dev/null)" = 9 ] && break
    sleep 0.1
done
sleep 0.5
kill -INT $pid
wait $pid
is "an interrupted run exits with 75" $? 75
like "and says that the same command continues" "$(cat err)" "9 trials are left"
is "nothing is left running" "$(sqlite3 long.db "select count(*) from trial where state = 'pending'")" 9

# More threads than cores: one warning, and the sweep runs.
cat >threads.ini <<'INI'
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 2
[grid]
threads = 1, 3
INI
ok "more threads than cores run" env ESPALIER_CHECKS=on taskset -c 0 "$ESPALIER" run threads.ini --db threads.db --progress none
like "a warning gives threads and cores" "$(cat "$T/.err")" 'threads = 3, but this rank may run on 1 core only'

# While data are made and read, there is nothing to save: a signal ends the run at once, also with
# 75.
cat >early.ini <<'INI'
[data]
format = simulated
samples = 400
markers = 300000
[grid]
dropout = 0, 0.5
INI
"$ESPALIER" run early.ini --db early.db >out 2>err &
pid=$!
sleep 0.7
kill -TERM $pid
wait $pid
is "a signal while data are made ends with 75" $? 75
like "the message says so" "$(cat err)" '^espalier: stopped before the sweep began; the same command starts it$'
fails "and leaves nothing" 1 test -e early.db
"$ESPALIER" run early.ini -n 2 --db early.db >out 2>err &
pid=$!
sleep 1.5
kill -TERM $pid
wait $pid
is "the same under run -n" $? 75
like "with a message, too" "$(cat err)" 'stopped before the sweep began'
for seconds in 0.2 0.5; do # before mpirun, its ranks, or MPI have started
    "$ESPALIER" run early.ini -n 2 --db early.db >out 2>err &
    pid=$!
    sleep $seconds
    kill -TERM $pid
    wait $pid
    is "a signal after $seconds s is not lost" "$? $(grep -c 'stopped before the sweep began' err)" "75 1"
done

# run ends an mpirun that hangs, and ignores the status with which a rank reacts to the loss of another.
mkdir hangs
printf '#!/bin/sh\ntrap "" USR1 TERM\nsleep 60 & wait\nwait\nwait\n' >hangs/mpirun
mkdir loses
printf '#!/bin/sh\ntrap "" USR1\nsleep 1 & wait\necho "espalier: status 1"\n' >loses/mpirun
chmod +x hangs/mpirun loses/mpirun
for stub in hangs loses; do
    PATH=$T/$stub:$PATH "$ESPALIER" run early.ini -n 2 --db early.db >out 2>err &
    pid=$!
    sleep 0.5
    kill -TERM $pid
    wait $pid
    is "a signal to a launch that $stub" "$? $(grep -c 'stopped before the sweep began' err)" "75 1"
done

# The printed next command can be typed as it is, for any file name.
mkdir bin
ln -s "$ESPALIER" bin/espalier
next() { sed -n 's/.*next[^:]*: \(espalier .*\)/\1/p' "$1" | sed 's/, fix .*//; s/ shows why .*//'; }
typed() { PATH="$T/bin:$PATH" sh -c "$(cat "$T/line")"; }
for db in "x;y 'z' \$HOME*.db" -r.db; do
    ok "a database called $db" "$ESPALIER" run small.ini --db="$db" --progress none
    next "$T/.err" >line
    ok "the printed next command works in a shell" typed
    like "and shows the sweep" "$(cat "$T/.out")" "dropout"
    rm "./$db"
    ok "in two shards" "$ESPALIER" run small.ini --db="$db" --progress none --shard 1/2
    ok "the other" "$ESPALIER" run small.ini --db="$db" --progress none --shard 2/2
    next "$T/.err" >line
    ok "the printed next command works in a shell" typed
    is "and merges them" "$(sqlite3 "./$db" 'select count(*) from trial')" 12
done
ok "a folder with a blank" "$ESPALIER" simulate "a b"
next "$T/.out" >line
is "is quoted" "$(cat line)" "espalier run 'a b'/sweep.ini"
is "a plain name is not quoted" "$("$ESPALIER" run small.ini 2>&1 | sed -n 's/.*next: //p')" "espalier best results.db"

cat >countdown.ini <<'INI'
[data]
format = simulated
samples = 60
markers = 80
[train]
epochs = 45000
[grid]
dropout = 0, 0.1
INI
ok "two trials of seconds" "$ESPALIER" run countdown.ini --db countdown.db --progress live
is "the time left counts down during the second" "$([ "$(tr '\r' '\n' <"$T/.err" |
    sed -n 's/.*1\/2 trials.*, \(.*\) left,.*/\1/p' | sort -u | wc -l)" -ge 2 ] && echo yes)" yes
done_testing
