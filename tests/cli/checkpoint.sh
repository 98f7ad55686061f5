#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A trial that is stopped continues from a checkpoint, and the sweep equals an uninterrupted one.
# The length of trials is set from a measurement on this machine.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
unset SLURM_JOB_ID SLURM_JOB_END_TIME LSB_JOBID LSB_JOBINDEX PBS_JOBID

cat >sweep.ini <<'INI'
[sweep]
name = checkpoint
[data]
format = simulated
samples = 300
markers = 1000
[split]
stop = 0.1
[model]
hidden_size = 32
dropout = 0.3
[train]
learning_rate = 0.003
[grid]
batch_size = 64, full
INI
query() { sqlite3 "$1" "$2"; }
run() { "$ESPALIER" run sweep.ini --progress none "$@"; }
# Everything except times.
bits() {
    query "$1" "select trial_id, key, state, value, epochs_run, best_epoch, flops, peak_bytes, error from trial;
        select * from metric order by 1, 2, 3;
        select trial_id, epoch, train_loss, val_loss, val_value from curve order by 1, 2"
}

# slow: processor seconds of the longer trial.
cpu=$(cpu_seconds run --set epochs=100 --db speed.db)
slow=$(query speed.db "select $cpu * max(seconds) / sum(seconds) from trial")
# Epochs for at least 5 s of the longer trial; more on a busy machine.
epochs=$(awk "BEGIN { printf \"%d\", 100 * 5 / $slow }")
sweep() { run --set epochs="$epochs" "$@"; }

ok "an undisturbed run" sweep --db whole.db

# The trial is expected to take longer than the grace period. So it is stopped at once, 2.3 s after
# its start: with less than 2 s of training it would save no checkpoint.
"$ESPALIER" run sweep.ini --progress none --set epochs="$epochs" --db parts.db --grace 1s 2>first.err &
pid=$!
until [ -n "$(query parts.db "select 1 from attempt where outcome = 'running'
    and (julianday('now') - 2440587.5) * 86400 - started > 2.3" 2>/dev/null)" ]; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.2
done
kill -TERM $pid
wait $pid
is "a run that is stopped can be resumed" $? 75
like "and reports the checkpoint" "$(tail -n 1 first.err)" \
    '^espalier: stopped early; (1 trial is|2 trials are) left, 1 with a checkpoint: the same command continues$'

trial=$(query parts.db "select trial_id from checkpoint")
after=$(query parts.db "select epoch from checkpoint")
state=$(query parts.db "select state from trial where trial_id = ${trial:-0}")
is "the trial is pending" "$state" pending
ok "its checkpoint has at least a tenth of the epochs" [ "$((10 * after))" -ge "$epochs" ]
ok "status" "$ESPALIER" status parts.db
like "the message names it" "$(grep -A 3 '^trials with a checkpoint' "$T/.out" | tail -n 1)" \
    "^ *$trial +[12] +pending +$after +[0-9.]+ +[0-9.]+\$"
ok "show" "$ESPALIER" show parts.db "t$trial"
like "the message names it" "$(grep -A 3 '^checkpoint' "$T/.out" | tail -n 1)" "^ *$after +[0-9.]+ +[0-9]+\$"

ok "the same command on two ranks" sweep --db parts.db -n 2
is "continues from the checkpoint" "$(grep -c "t$trial resumed from its checkpoint after epoch $after of $epochs" "$T/.err")" 1
is "no checkpoint is left" "$(query parts.db 'select count(*) from checkpoint')" 0
is "one attempt was stopped and one ended" \
    "$(query parts.db "select group_concat(outcome) from (select outcome from attempt where trial_id = $trial order by attempt_id)")" \
    "stopped,done"
is "seconds are those of both attempts" \
    "$(query parts.db "select seconds > 1 + finished - started from trial join attempt using (trial_id)
        where trial_id = $trial and outcome = 'done'")" 1
bits whole.db >whole.txt
bits parts.db >parts.txt
ok "the sweep equals the undisturbed one" cmp whole.txt parts.txt

# ---- a checkpoint that cannot be used ----

sqlite3 parts.db "update trial set state = 'pending' where trial_id = $trial;
    insert into checkpoint values ($trial, 7, 0.5, 100, x'00112233')"
ok "a trial whose checkpoint is damaged is run" sweep --db parts.db
is "from its beginning" "$(grep -c 'resumed from' "$T/.err")" 0
bits parts.db >parts.txt
ok "and has the undisturbed result" cmp whole.txt parts.txt
is "and counts no earlier seconds" "$(query parts.db "select seconds < 100 from trial where trial_id = $trial")" 1
done_testing
