#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that is asked to stop: its trial's state follows from how it ends.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >ends.sh <<'END'
how=$1
trap asked TERM
asked() {
    case $how in
    result) echo '{"score": 2}' >>"$ESPALIER_RESULTS" ;;
    checkpoint) echo half >"$ESPALIER_CHECKPOINT/state" && exit 75 ;;
    esac
    exit 0
}
if test -e "$ESPALIER_CHECKPOINT/state"; then
    echo "goes on from $(cat "$ESPALIER_CHECKPOINT/state")"
    echo '{"score": 3}' >>"$ESPALIER_RESULTS"
    exit 0
fi
echo begins # or the log is empty, unless the shell says that sleep was terminated
: >"begun.$how"
while :; do sleep 0.05; done
END

# stopped HOW: the states of a trial whose program ends in this way when it is asked to stop, and the status of run.
stopped() {
    printf '[sweep]\nname = %s\nobjective = score\ndirection = max\n[program]\ncommand = sh ends.sh {how}\n' "$1" >"$1.ini"
    printf '[grid]\nhow = %s\n' "$1" >>"$1.ini"
    "$ESPALIER" run "$1.ini" --db "$1.db" --grace 0s >.out 2>.err &
    for _ in $(seq 200); do
        test -e "begun.$1" && break
        sleep 0.05
    done
    kill -INT $!
    wait $!
    echo "$? $(sqlite3 "$1.db" 'select state, value, error from trial' 2>&1)"
}
is "an end without results gives the trial back" "$(stopped nothing)" "75 pending||"
is "an end with results is a result" "$(stopped result)" "0 done|2.0|"
is "its log says so" "$("$ESPALIER" show result.db t1 --log 2>&1 | tail -n 1)" \
    "espalier: the program was asked to stop and ended with 0: its results count"
is "75 with a checkpoint gives the trial back" "$(stopped checkpoint)" "75 pending||"
is "its checkpoint stays" "$(cat checkpoint.db.files/t1/checkpoint/state)" half
ok "the next run" "$ESPALIER" run checkpoint.ini --db checkpoint.db
is "goes on from it" "$("$ESPALIER" show checkpoint.db t1 --log 2>&1 | tail -n 2)" "espalier: the program starts again
goes on from half"
is "its seconds are those of both attempts" "$(sqlite3 checkpoint.db \
    'select seconds - (select max(finished - started) from attempt where state = outcome) > 0.04 from trial')" 1
ok "and removes it" test ! -e checkpoint.db.files
is "results of a program that was not asked need no word" "$("$ESPALIER" show checkpoint.db t1 --log 2>&1 | grep -c asked)" 0

# The database has what a program has reported while it runs, and when it is stopped, until the trial has a result.
cat >curve.sh <<'END'
for e in 1 2; do echo "{\"epoch\": $e, \"score\": $e, \"lr\": 0.$e}" >>"$ESPALIER_RESULTS"; done
echo "{\"size\": 7}" >>"$ESPALIER_RESULTS"
[ -e go ] && exit
: >begun.curve
while :; do sleep 0.05; done
END
sed 's/ends.sh/curve.sh/; s/nothing/curve/' nothing.ini >curve.ini
"$ESPALIER" run curve.ini --db curve.db --grace 0s >.out 2>.err &
reported() { sqlite3 curve.db "select state, value, (select group_concat(epoch || ':' || val_value) from curve),
    (select group_concat(value) from curve_metric), (select group_concat(name || value) from metric) from trial"; }
until reported | grep -q size; do sleep 0.1; done
is "the curve and the last values of a running trial" "$(reported)" "running||1:1.0,2:2.0|0.1,0.2|lr0.2,score2.0,size7.0"
kill -INT $!
wait $!
is "and of one that was stopped" "$(reported)" "pending||1:1.0,2:2.0|0.1,0.2|lr0.2,score2.0,size7.0"
touch go
ok "the next run" "$ESPALIER" run curve.ini --db curve.db
is "replaces them" "$(reported)" "done|2.0|1:1.0,2:2.0|0.1,0.2|lr0.2,score2.0,size7.0"
is "of both attempts" "$(sqlite3 curve.db 'select group_concat(outcome) from attempt')" "stopped,done"

# ---- trial_timeout ----

# Each attempt takes 0.7 s and leaves a checkpoint; the third ends at once.
cat >slow.sh <<'END'
n=$(($(cat "$ESPALIER_CHECKPOINT/n" 2>/dev/null) + 1))
echo "{\"epoch\": $n, \"v\": $n}" >>"$ESPALIER_RESULTS"
[ "$n" -ge 3 ] && exit
sleep 0.7
echo "$n" >"$ESPALIER_CHECKPOINT/n"
exit 75
END
printf '%s\n' '[sweep]' 'objective = v' 'direction = max' '[program]' 'command = sh slow.sh' '[resources]' \
    'trial_timeout = 1s' >slow.ini
fails "a trial that takes longer than trial_timeout in two attempts" 3 "$ESPALIER" run slow.ini --db slow.db --progress none
is "fails, and keeps its checkpoint" "$(sqlite3 slow.db 'select state, error, seconds >= 1 from trial'
    cat slow.db.files/t1/checkpoint/n)" "failed|ran longer than trial_timeout = 1 s|1
1"
fails "another attempt with the same limit" 3 "$ESPALIER" run slow.ini --db slow.db --progress none --retry failed
is "is over at once" "$(sqlite3 slow.db 'select max(attempt_id) from attempt') $(cat slow.db.files/t1/checkpoint/n)" "3 1"
ok "one with a longer limit" "$ESPALIER" run slow.ini --db slow.db --progress none --retry failed --set trial_timeout=9s
is "goes on from the checkpoint with its curve" "$(sqlite3 slow.db 'select state, epochs_run, value from trial')" "done|3|3.0"
ok "and removes it" test ! -e slow.db.files

# ---- a second signal ----

cat >deaf.sh <<'END'
trap '' TERM
: >"deaf.$1"
sleep 60 &
while :; do wait; done
END
printf '[sweep]\nobjective = v\ndirection = max\n[program]\ncommand = sh deaf.sh {n}\n[grid]\nn = 1, 2\n' >deaf.ini
for ranks in 1 2; do
    rm -f deaf.[12]
    "$ESPALIER" run deaf.ini --db deaf.db -n $ranks --grace 1h --progress none >.out 2>.err &
    for _ in $(seq 6000); do
        [ "$(ls deaf.[12] 2>/dev/null | wc -l)" = $ranks ] && break
        sleep 0.05
    done
    kill -INT $!
    sleep 0.8
    kill -INT $!
    wait $!
    is "a second signal kills a program that ignores the first one: $ranks" \
        "$? $(sqlite3 deaf.db 'select distinct state from trial')" "75 pending"
done

# ---- the time of an attempt whose rank was killed ----

cat >long.sh <<'END'
if test ! -e "$ESPALIER_CHECKPOINT/state"; then
    : >"$ESPALIER_CHECKPOINT/state"
    sleep 1.6
    kill -9 "$PPID" "$(cat pid)"
    sleep 20
fi
echo '{"score": 3}' >>"$ESPALIER_RESULTS"
END
printf '[sweep]\nname = s\nobjective = score\ndirection = max\n[program]\ncommand = sh long.sh {n}\n[grid]\nn = 1\n' >s.ini
(echo "$(exec sh -c 'echo "$PPID"')" >pid && exec "$ESPALIER" run s.ini --db s.db) >.out 2>.err
ok "a run after a kill" "$ESPALIER" run s.ini --db s.db
is "counts the time of the attempt that left the checkpoint" \
    "$(sqlite3 s.db "select state, seconds between 1 and 5, attempts from trial")" "done|1|2"
ok "nothing stays" test ! -e s.db.files

# ---- a rank that is killed ----

# Rank 1 is killed in its first trial, which the other rank starts again.
cat >rank.sh <<'END'
if grep -zqx OMPI_COMM_WORLD_RANK=1 "/proc/${ESPALIER_DIR##*.}/environ"; then
    kill -9 "${ESPALIER_DIR##*.}"
    sleep 20
fi
sleep 1
echo "v: $ESPALIER_ATTEMPT"
END
printf '%s\n' '[sweep]' 'name = rank' 'objective = v' 'direction = max' '[program]' 'capture = stdout' \
    'command = sh rank.sh {n}' '[grid]' 'n = 1, 2' >rank.ini
"$ESPALIER" run rank.ini --db rank.db -n 2 --progress none >.out 2>.err
is "the next attempt of its trial has the next number" \
    "$(sqlite3 rank.db 'select group_concat(value) from (select value from trial order by value)')" "1.0,2.0"
ok "nothing stays of its attempt" test ! -e rank.db.files

# The program is killed and starts again. Then its rank is killed, and so is that of the next run. The rank
# dies first: it must not see that its child is gone.
cat >count.sh <<'END'
echo "$ESPALIER_ATTEMPT" | tee -a count >"$ESPALIER_CHECKPOINT/n"
case $ESPALIER_ATTEMPT in
1) kill -9 $$ ;;
2 | 3) kill -9 "$(cat pid)" "$PPID" && sleep 20 ;;
esac
echo "v: $ESPALIER_ATTEMPT"
END
sed 's/rank.sh/count.sh/; s/1, 2/1/' rank.ini >count.ini
for _ in 1 2 3; do
    (echo "$(exec sh -c 'echo "$PPID"')" >pid && exec "$ESPALIER" run count.ini --db count.db) >.out 2>.err
done
is "every attempt has the next number" "$(xargs <count) $(sqlite3 count.db 'select state, value from trial')" "1 2 3 4 done|4.0"

# ---- a program that is killed ----

cat >killed.sh <<'END'
test "$ESPALIER_ATTEMPT" = 2 || { sleep 0.7 && kill -9 $$; }
echo v: 1
END
printf '%s\n' '[sweep]' 'name = s' 'objective = v' 'direction = max' '[program]' 'capture = stdout' \
    'command = sh killed.sh {n}' '[grid]' 'n = 1' >s.ini
rm -f s.db
"$ESPALIER" run s.ini --db s.db --progress none 2>err
is "a trace of each start" "$(sqlite3 s.db 'select outcome, error, finished - started > 0.6 from attempt order by attempt_id;
    select state, attempts, seconds < 0.6 from trial')" "stopped|the program was killed (SIGKILL) and started again|1
done||0
done|2|1"
like "the end of run reports it" "$(grep killed err)" \
    "warning: programs of 1 trial, such as t1, were killed \(SIGKILL\) 1 time and started again: often .* memory"
like "so does status" "$("$ESPALIER" status s.db --section lost --format csv)" "stopped,1,.*killed"
like "and show" "$("$ESPALIER" show s.db t1 --section attempts --format csv)" "stopped,the program was killed"

cat >killed.sh <<'END'
test -e killed || { : >killed; kill -9 $$; }
sleep 30
END
sed -i 's/^capture/stop_grace = 1s\n&/' s.ini
rm -f s.db
"$ESPALIER" run s.ini --db s.db --progress none --time-limit 5s 2>err
is "a trace also if the run ends before the next attempt" "$(sqlite3 s.db 'select outcome, error from attempt order by attempt_id;
    select state, attempts from trial')" "stopped|the program was killed (SIGKILL) and started again
stopped|
pending|2"
like "the end of this run reports it, too" "$(grep killed err)" "programs of 1 trial, such as t1, were killed"

cat >again.sh <<'END'
echo x >>"$ESPALIER_CHECKPOINT/starts"
test "$ESPALIER_ATTEMPT" = 4 || exit 75
echo v: 1
END
sed 's/killed.sh/again.sh/' s.ini >again.ini
rm -f s.db
"$ESPALIER" run again.ini --db s.db --progress none 2>err
is "a program that ends with 75 has a row for each start" "$(sqlite3 s.db "select group_concat(outcome), count(error) from attempt;
    select state, attempts from trial")" "stopped,stopped,stopped,done|0
done|4"
ok "and is no killed one" sh -c '! grep killed err'

# A pattern that means the run and its ranks leaves the processes that end the programs.
printf '%s\n' '[sweep]' 'name = p' 'objective = v' 'direction = max' '[program]' 'shell = yes' \
    'command = touch begun; sleep 3{n}; true' '[grid]' 'n = 178' >p.ini
"$ESPALIER" run p.ini -n 1 --db "$T/p.db" --progress none 2>err &
for _ in $(seq 200); do
    [ -e begun ] && break
    sleep 0.05
done
pkill -9 -f "espalier run .*$T/p.db"
wait $!
gone() {
    for _ in $(seq 6000); do
        pgrep -f "sleep 3178|$T/p.db" >left || return 0
        sleep 0.1
    done
    return 1
}
ok "all that 'espalier run' matches was killed, and no program is left" gone

# ---- attempts and scores ----

printf '%s\n' '[sweep]' 'name = t' 'objective = v' 'direction = max' '[program]' 'capture = stdout' \
    'command = echo v: 0.9999{n}' '[grid]' 'n = 8, 9' >t.ini
"$ESPALIER" run t.ini --db s.db --progress none 2>err
like "the score of the best one" "$(grep best: err)" "best: c3, v 0.99999$"
is "attempts are numbered for each trial" "$("$ESPALIER" show s.db t3 --section attempts --format csv | cut -d, -f1)" "attempt
1"

# ---- what a trial reported before it failed ----

cat >crash.sh <<'END'
for epoch in 1 2 3; do
    echo "{\"epoch\": $epoch, \"val_acc\": 0.9$epoch, \"lr\": 0.$epoch}" >>"$ESPALIER_RESULTS"
    [ "$1" = 2 ] || [ $epoch -lt 2 ] || exit 4
done
END
printf '[sweep]\nobjective = val_acc\ndirection = max\n[program]\ncommand = sh crash.sh {n}\n[grid]\nn = 1, 2\n' >crash.ini
fails "one of two trials fails" 3 "$ESPALIER" run crash.ini --db crash.db
is "its curve is stored, and no value" "$(sqlite3 crash.db "select state, value, group_concat(c.val_value) from trial join curve c using (trial_id) group by trial_id order by 1")" \
    "done|0.93|0.91,0.92,0.93
failed||0.91,0.92"
is "with its last values" "$(sqlite3 crash.db "select name, m.value from metric m join trial using (trial_id) where state = 'failed' order by 1")" "acc|0.92
lr|0.2"
is "they do not rank" "$(sqlite3 crash.db 'select n, mean, trials from leaderboard where mean is not null')" "2|0.93|1"
is "best does not show them" "$("$ESPALIER" best crash.db --format csv 2>.err | grep -c ',0[.]92,')" 0

is "mpirun that has too few open files is not started" "$( (ulimit -n 24 && "$ESPALIER" run crash.ini --db few.db -n 2) 2>&1; echo $?)" \
    "espalier: ulimit -n is 24 here: mpirun needs 40 open files for 2 ranks; raise it with ulimit -n 40
2"

done_testing
