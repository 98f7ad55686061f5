#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# When a run stops: at a time limit, at the walltime of a batch job (played by scripts), and at
# signals. The length of trials is set in seconds of processor time, from a measurement on this
# machine. On a busy machine they take a few times longer.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
unset SLURM_JOB_ID SLURM_JOB_END_TIME LSB_JOBID LSB_JOBINDEX PBS_JOBID

cat >sweep.ini <<'INI'
[sweep]
name = time
[data]
format = simulated
samples = 200
markers = 500
[grid]
dropout = 0:0.9:0.1
INI
query() { sqlite3 "$1" "$2"; }
count() { query "$1" "select count(*) from trial where state = '$2'"; }
now() { date +%s.%N; }
run() { "$ESPALIER" run sweep.ini --progress none "$@"; }

# The time of the only child.
# shellcheck disable=SC2016 # for the inner shell
per_s=$(sh -c '"$0" run sweep.ini --progress none --set epochs=2000 --set grid.dropout=0:0.2:0.1 --db speed.db 2>/dev/null
    times' "$ESPALIER" | awk 'NR == 2 { split($1, at, "[ms]"); printf "%d", 3 * 2000 / (60 * at[1] + at[2]) }')
is "trials are measured" "$(count speed.db 'done')" 3
long() { echo "--set epochs=$(awk "BEGIN { printf \"%d\", $per_s * $1 }")"; }

# Other programs on the core do not lengthen the predicted time. In real time, an epoch that is
# interrupted once takes a hundred times as long.
predicted() {
    taskset -c 0 "$ESPALIER" plan sweep.ini --set epochs=150 --set grid.dropout=0:0.885:0.015 --db none.db --section cost \
        --format csv 2>/dev/null | awk -F, 'NR == 2 { print $6 }'
}
quiet=$(predicted)
hogs=
for _ in 1 2; do
    taskset -c 0 timeout 10 sh -c 'while :; do :; done' &
    hogs="$hogs $!"
done
busy=$(for _ in 1 2; do predicted; done)
# shellcheck disable=SC2086 # one word a process
kill $hogs
wait
is "the predicted time on a busy core" "$(echo "$busy" | awk -v quiet="$quiet" '{ n += $1 > 0 && $1 < 3 * quiet } END { print n }')" 2

# ---- durations ----

refused() {
    fails "$1 $2" 2 run "$1" "$2"
    is "is refused" "$(head -n 1 "$T/.err")" "espalier: $1 $2: $3"
}
refused --time-limit soon "must be a duration such as 90s, 15m, 2h or 1-12:00:00"
refused --time-limit 90 "must have a unit: 90s or 90m"
refused --time-limit 0 "must be from 1s to 1000000000s"
refused --grace -1s "must be a duration such as 90s, 15m, 2h or 1-12:00:00"
fails "a duration that is missing" 2 run --time-limit

# ---- a time limit ----

# 60 trials of 0.1 s in 3 s: some fit.
# shellcheck disable=SC2046
limited() { run $(long 0.1) --set grid.dropout=0:0.885:0.015 "$@"; }
fails "a limit that is too short for all trials" 75 limited --db limited.db --time-limit 3s
n=$(count limited.db 'done')
like "with some done" "$n" '^[1-9]'
is "the others pending" "$(count limited.db pending)" $((60 - n))
like "and the message says what is left" "$(cat "$T/.err")" "^espalier: stopped by the time limit; $((60 - n)) trials are left"
is "the session was stopped" "$(query limited.db 'select outcome from session')" stopped
# Another program that takes the processor in the last second makes a trial longer than predicted.
# Without prediction, each run would have such a trial.
cut_off() { query "$1" "select count(*) from attempt where outcome <> 'done'"; }
n_cut=$(cut_off limited.db)
for try in 2 3 4 5 6 7 8; do
    [ "$n_cut" -eq 0 ] && break
    limited --db "limited$try.db" --time-limit 3s 2>/dev/null
    n_cut=$(cut_off "limited$try.db")
done
is "no attempt was cut off" "$n_cut" 0
ok "the same line without a limit" limited --db limited.db
is "is complete" "$(count limited.db 'done')" 60

# Trials of 0.05 s and of 30 s: the short ones run, the long ones in parts.
# shellcheck disable=SC2046
mixed() { run $(long 1) --set "grid.epochs=$((per_s / 20)),$((per_s * 30))" --set grid.dropout=0:0.4:0.1 "$@"; }
fails "trials longer than the limit" 75 mixed --db mixed.db --time-limit 9s
is "shorter trials run" "$(count mixed.db 'done')|$(count mixed.db pending)" "5|5"
like "a message names the long ones first" "$(grep -B 9 ' trials run in ' "$T/.err")" \
    "^espalier: 5 trials are expected to take up to .* each, and such a run has only [0-9.]+ s: from checkpoints, several runs can finish them"
like "one of them begins and saves a checkpoint" "$(tail -n 1 "$T/.err")" \
    "^espalier: stopped by the time limit; 5 trials are left, expected to take up to .* each, 1 with a checkpoint: the same command continues"
is "only one of them" "$(query mixed.db "select outcome, count(*) from attempt group by 1")" "done|5
stopped|1"
fails "the next run" 75 mixed --db mixed.db --time-limit 6s
is "continues this one" "$(query mixed.db "select count(distinct trial_id), count(*) from attempt where outcome = 'stopped'")" "1|2"
printf '[sweep]\nobjective = v\ndirection = max\n[program]\ncommand = sleep 600 {n}\n[grid]\nn = 1\n' >vain.ini
fails "a run that saves no checkpoint is not to be requeued" 1 "$ESPALIER" run vain.ini --progress none --db vain.db --time-limit 4s
like "and says so" "$(tail -n 1 "$T/.err")" "^espalier: warning: no trial was finished and no checkpoint saved"

# ---- the walltime of a job ----

mkdir bin
PATH=$T/bin:$PATH
play() {
    cat >"bin/$1"
    chmod +x "bin/$1"
}
short() { run --set epochs=2 --db "$@"; }
said() { grep -E '^espalier: (warning: )?walltime' "$T/.err"; }

play squeue <<'END'
#!/bin/sh
echo "$@" >>calls
echo 2-03:04:30
END
ok "in a Slurm job, by the environment" \
    env SLURM_JOB_ID=77 SLURM_JOB_END_TIME=$(($(date +%s) + 7230)) "$ESPALIER" run sweep.ini --set epochs=2 --db e.db
is "the message gives the time left" "$(said)" \
    "espalier: walltime: Slurm job 77 has 2 h left; a trial starts only if it can end 30 s before that"
fails "squeue is not asked" 1 test -e calls

fails "seconds left of a job in which nothing fits" 75 env SLURM_JOB_ID=77 SLURM_JOB_END_TIME=$(($(date +%s) + 3)) \
    "$ESPALIER" run sweep.ini --set epochs=2000000 --db seconds.db --progress none
ok "a limit beyond the end of the job" env SLURM_JOB_ID=77 SLURM_JOB_END_TIME=$(($(date +%s) + 7230)) \
    "$ESPALIER" run sweep.ini --set epochs=2 --db beyond.db --time-limit 3h
like "a warning reports it" "$(said)" "^espalier: warning: walltime: --time-limit 3 h ends after Slurm job 77, which has 2 h left: the job's limit applies$"
fails "a limit that is over before the first trial" 75 run --set samples=1500 --set markers=15000 --set epochs=2 --db slow.db --time-limit 1s
is "no trial begins" "$(count slow.db 'done')" 0

# The time that mpirun takes to start the ranks counts, too.
mkdir slow
cat >slow/mpirun <<END
#!/bin/sh
sleep 3
exec $(command -v mpirun) "\$@"
END
chmod +x slow/mpirun
fails "a limit that is over before the ranks have started" 75 env PATH="$T/slow:$PATH" \
    "$ESPALIER" run sweep.ini --progress none --set epochs=2 --db launch.db -n 2 --time-limit 2s
is "no trial begins, either" "$(count launch.db 'done')|$(count launch.db pending)" "0|10"

export SLURM_JOB_ID=77
ok "in a Slurm job, by squeue" short q.db
is "the message gives the time left, too" "$(said)" \
    "espalier: walltime: Slurm job 77 has 2 d 3 h left; a trial starts only if it can end 30 s before that"
is "squeue is asked once" "$(cat calls)" "-h -j 77 -o %L"
ok "with --time-limit" short own.db --time-limit 1h
is "squeue is not asked" "$(said)" ""
ok "with nothing left to do" short own.db
is "squeue is not asked either" "$(said)" ""
play squeue <<'END'
#!/bin/sh
echo UNLIMITED
END
ok "a job without a limit" short unlimited.db
is "the message says so" "$(said)" "espalier: walltime: Slurm reports no time limit for job 77; --time-limit sets one"
play squeue <<'END'
#!/bin/sh
echo 0:03
END
# shellcheck disable=SC2046
fails "three seconds left of a job" 75 run $(long 0.15) --set grid.dropout=0:0.885:0.015 --db three.db
like "are used" "$(count three.db 'done')" '^[1-9]'
like "the message says why the run ends" "$(cat "$T/.err")" "^espalier: stopped by the time limit; [1-9][0-9]* trials? (is|are) left"
play squeue <<'END'
#!/bin/sh
echo INVALID
END
fails "a job past its walltime begins no trial" 75 short over.db
is "no trial has begun" "$(count over.db pending)" 10
is "the message says so" "$(said)" \
    "espalier: warning: walltime: the time of Slurm job 77 is over: no trial starts; --time-limit sets another limit"
like "and the message says what is left" "$(tail -n 1 "$T/.err")" \
    "^espalier: stopped by the time limit; 10 trials are left, .*: the same command continues"
over() { env SLURM_JOB_END_TIME="$1" "$ESPALIER" run sweep.ini --progress none --set epochs=2 --db over.db; }
fails "a job whose end is past begins no trial" 75 over 1700000000
is "no trial has begun" "$(count over.db pending)" 10
is "the message says why" "$(said)" \
    "espalier: warning: walltime: the time of Slurm job 77 is over (SLURM_JOB_END_TIME): no trial starts; --time-limit sets another limit"
play squeue <<'END'
#!/bin/sh
echo "slurm_load_jobs error: Unable to contact slurm controller"
exit 1
END
fails "the same if squeue does not answer" 75 over $(($(date +%s) - 3))
is "no trial has begun" "$(count over.db pending)" 10
ok "an invalid end time" over soon
is "counts as none" "$(said)" "espalier: walltime: Slurm reports no time limit for job 77; --time-limit sets one"
unset SLURM_JOB_ID

play bjobs <<'END'
#!/bin/sh
[ "$3 $4" = "run_time runtimelimit delimiter=';' 81[2]" ] && echo "1200 second(s);60.0"
END
ok "in an LSF job" env LSB_JOBID=81 LSB_JOBINDEX=2 "$ESPALIER" run sweep.ini --set epochs=2 --db lsf.db
is "bjobs is asked" "$(said)" \
    "espalier: walltime: LSF job 81[2] has 40 min left; a trial starts only if it can end 30 s before that"
play qstat <<'END'
#!/bin/sh
echo "Job Id: $2"
echo "    resources_used.walltime = 00:30:00"
echo "    Resource_List.walltime = 02:30:00"
END
ok "in a PBS job" env PBS_JOBID=9.server "$ESPALIER" run sweep.ini --set epochs=2 --db pbs.db
like "qstat is asked" "$(said)" "^espalier: walltime: PBS job 9.server has 2 h left; "

# ---- signals ----

# under_way DB N: wait until N trials run, at most a minute. The database may say so a moment before
# they begin, or half a second later.
under_way() {
    for _ in $(seq 6000); do
        [ "$(query "$1" "select count(*) from attempt where outcome = 'running'" 2>/dev/null || echo 0)" -ge "$2" ] && break
        sleep 0.05
    done
    sleep 0.2
}
# begin DB ARGUMENTS: start a run in the background and wait for its first trial; sets $pid.
begin() {
    db=$1
    shift
    "$ESPALIER" run sweep.ini --progress plain --db "$db" "$@" >out 2>err &
    pid=$!
    under_way "$db" 1
}
# end: wait for the run; sets $status.
end() {
    wait $pid
    status=$?
}
# Trials of `long 30` take at least as many seconds.
ends_before_a_trial() { awk "BEGIN { exit !($(now) - $begun < 30) }"; }
# Count done trials that were running at the signal, and done trials that began after it.
ended() {
    query "$1" "select sum(started < $begun and finished > $begun), sum(started > $begun) from attempt where outcome = 'done'"
}

for signal in TERM INT USR1 USR2 HUP; do
    # shellcheck disable=SC2046
    begin $signal.db $(long 1.2) --grace 1m
    begun=$(now)
    kill -$signal $pid
    end
    is "SIG$signal: exit status" $status 75
    is "the running trial ended, and no other began" "$(ended $signal.db)" "1|0"
    like "and the message says so" "$(cat err)" \
        "^espalier: SIG$signal: no new trial starts; running trials have up to 1 min to finish \(--grace\); a second signal ends them at once\$"
    [ "$signal" = TERM ] && like "and how it goes on" "$(tail -n 1 err)" "the same command continues"
done

# shellcheck disable=SC2046
begin grace.db $(long 30) --grace 1s
begun=$(now)
kill -TERM $pid
end
is "a trial longer than the grace period" $status 75
ok "the run does not wait for it" ends_before_a_trial
is "and is pending again" "$(count grace.db pending)|$(query grace.db "select count(*) from attempt where outcome = 'done'")" "10|0"

# shellcheck disable=SC2046
begin none.db $(long 2) --grace 0
begun=$(now)
kill -TERM $pid
end
is "no grace" $status 75
is "no trial ends" "$(query none.db "select count(*) from attempt where finished > $begun and outcome = 'done'")" 0
like "the message says so" "$(cat err)" "^espalier: stopping at once; running trials are left to the next run"

# A copy of the signal does not count as a second one.
# shellcheck disable=SC2046
begin twice.db $(long 30) --grace 100s
begun=$(now)
kill -USR2 $pid
kill -TERM $pid
sleep 1
ok "two signals in 0.1 s are one" kill -0 $pid
kill -TERM $pid
end
is "a second signal" $status 75
ok "stops at once" ends_before_a_trial
like "the message says so" "$(cat err)" "^espalier: stopping at once; running trials are left to the next run"
is "without damage" "$(query twice.db 'pragma integrity_check')|$(count twice.db pending)" "ok|10"

# Under nohup the terminal may close.
cat >hup.sh <<'END'
trap '' HUP
exec "$@"
END
for ranks in 1 2; do
    # shellcheck disable=SC2046
    sh hup.sh "$ESPALIER" run sweep.ini -n $ranks $(long 0.15) --progress none --db hup$ranks.db 2>err &
    pid=$!
    under_way hup$ranks.db $ranks
    kill -HUP $pid
    begun=$(now)
    end
    is "an ignored SIGHUP stays ignored, -n $ranks" "$status $(count hup$ranks.db 'done')" "0 10"
done

# An mpirun started by hand forwards SIGTERM, and then kills. run -n avoids that. Ranks under mpirun
# also get SIGTERM for SIGHUP.
for signal in TERM HUP; do
    # shellcheck disable=SC2046
    mpirun -q --oversubscribe -n 2 "$ESPALIER" run sweep.ini $(long 30) --progress none --db bare$signal.db >out 2>err &
    pid=$!
    under_way bare$signal.db 2
    begun=$(now)
    kill -$signal $pid
    end
    ok "SIG$signal to an mpirun started by hand ends the run at once" ends_before_a_trial
    like "and the message says so" "$(cat err)" "^espalier: SIGTERM: stopping at once, as mpirun kills its ranks a second later"
    is "without damage" "$(query bare$signal.db 'pragma integrity_check')|$(ended bare$signal.db)" "ok||"
done
# shellcheck disable=SC2046
"$ESPALIER" run sweep.ini -n 2 $(long 2) --grace 1m --progress none --db own_n.db >out 2>err &
pid=$!
under_way own_n.db 2
begun=$(now)
kill -TERM $pid
end
is "SIGTERM to run -n" "$status $(ended own_n.db)" "75 2|0"
like "lets running trials finish" "$(cat err)" "no new trial starts; running trials have up to 1 min to finish"

done_testing
