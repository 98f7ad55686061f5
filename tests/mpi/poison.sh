#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Trials that kill their rank, and ranks that hang and come back: which trials are blamed, and what
# happens to late results.
. "$SRCDIR/tests/lib.sh"
. "$SRCDIR/tests/mpi/killlib.sh"
DB=$T/p.db

# run FAULT ARGUMENT...: messages are in err, the exit status in $status
run() {
    fault=$1
    shift
    ESPALIER_FAULT=$fault timeout -k 5 300 "$FAULTY" run sweep.ini --progress none --db "$DB" "$@" </dev/null >out 2>err
    status=$?
}
done_equal() { # count the done trials that equal those of the undisturbed run
    sqlite3 "$DB" "attach 'plain.db' as plain; select count(*) from trial t join plain.trial p using (key)
        where t.state = 'done' and t.value is p.value"
}
crashes() { sqlite3 "$DB" "select group_concat(trial_id || ' ' || n || ' ' || (ranks = n) || ' ' || least, '; ') from
    (select trial_id, count(*) n, count(distinct rank) ranks, min(rank) > 0 least from attempt where outcome = 'crashed' group by 1)"; }
reason() { sqlite3 "$DB" "select trial_id || ' ' || error from trial where state = 'failed'"; }
no_problem() {
    left_behind
    is "$1" "$problems" ""
    problems=
}

"$FAULTY" run sweep.ini --progress none --db plain.db 2>/dev/null
is "the undisturbed run" "$(sqlite3 plain.db "select count(*) from trial where state = 'done'")" 24
problems=

# Rank 0 is busy with its first trial while the others run the bad one. On a busy machine a rank may
# need seconds to reach it.
export ESPALIER_FAULT_SECONDS=4
run "trial=3:*:1:kill; worker: a trial begins:0:1:nap" -n 3
is "a trial that kills its rank at once: the sweep ends with 3" $status 3
is "it is failed, with that reason" "$(reason)" "4 took its rank down for the last time (crash_limit): its process is gone"
is "after two ranks, and neither is rank 0; no other trial is blamed" "$(crashes)" "4 2 1 1"
is "all others are done, and equal" "$(done_equal)" 23
no_problem "nothing is left"
run "" -n 2
is "it stays failed" "$status $(reason | cut -c1-20)" "3 4 took its rank down"
run "" -n 2 --retry failed
is "and runs without the fault" "$status $(done_equal)" "0 24"

# The others are busy while rank 0 runs it. The kill is delayed until a commit has recorded that the trial
# runs: on a very busy machine the commit before may name another trial.
rm -f "$DB"*
bad="trial=3:*:1:nap; trial=3:*:1:kill; worker: a trial begins:1:1:nap; worker: a trial begins:2:1:nap"
run "$bad" -n 3
is "it kills rank 0: the run ends with 1" $status 1
no_problem "and all ranks leave"
run "$bad" -n 3
is "the next run does not die of it" $status 3
# On a busy machine the other ranks may still run their first trials, which are lost, too.
like "its message names the lost trial" "$(cat err)" "(1 trial that it was running is|[23] trials that it was running are) pending again"
is "the trial gets no crash, but waits" "$(sqlite3 "$DB" "select trial_id || ' ' || rank from attempt
    where outcome = 'lost' and (trial_id = 4 or rank = 0)")" "4 0"
is "two other ranks die of it" "$(crashes)" "4 2 1 1"
is "it is failed, with that reason" "$(reason)" "4 took its rank down for the last time (crash_limit): its process is gone"
is "all others are done, and equal" "$(done_equal)" 23

# Without other ranks, everything else is done first.
rm -f "$DB"*
bad="trial=3:0:1:nap; trial=3:0:1:kill"
export ESPALIER_FAULT_SECONDS=2
run "$bad"
is "a single process is killed" $status 137
run "$bad"
is "the second run is killed, too" $status 137
run "$bad"
is "the third run reaches it last" "$status $(done_equal)" "137 23"
run ""
is "without the fault it is done" "$status $(done_equal)" "0 24"

# A rank stops for longer than the heartbeat limit: in the middle of a sweep, whose programs take 0.5 s
# (enough of them are left when it comes back), and until after the end of a sweep of models.
cp sweep.ini models.ini
cat >programs.ini <<'INI'
[sweep]
name = kill
objective = n
direction = max
[program]
command = sh -c 'sleep 0.5; echo n=$1' - {x}
capture = stdout
[grid]
x = 1:24:1
INI
for seconds in 1.6 60; do
    ini=programs.ini
    [ $seconds = 1.6 ] || ini=models.ini
    cp $ini sweep.ini
    rm -f "$DB"* plain.db
    "$FAULTY" run sweep.ini -n 3 --progress none --db plain.db 2>/dev/null
    wanted=$(rows plain.db)
    export ESPALIER_FAULT_SECONDS=$seconds
    run "worker: a trial begins:2:2:stop" -n 3 --set heartbeat_limit=1
    is "a rank that stands still for $seconds s: complete" $status 0
    like "it is lost" "$(cat err)" "rank 2 .* is lost while running t[0-9]+: no message for 1 s; the other ranks take over its trials"
    keep was "$DB"
    settled "$DB" "$wanted" was
    no_problem "nothing is stored twice, nothing lost"
    if [ $seconds = 1.6 ]; then
        like "it comes back" "$(cat err)" "rank 2 is back"
        is "and continues to work" "$(sqlite3 "$DB" "select count(*) > 1 from attempt where rank = 2 and outcome = 'done'")" 1
    fi
done

done_testing
