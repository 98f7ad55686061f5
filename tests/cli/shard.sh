#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep split into shards, run one by one like a job array, and merged.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
unset SLURM_ARRAY_TASK_ID LSB_JOBINDEX

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
} >g.ini

run() { "$ESPALIER" run --progress none "$@"; }
# The view `trials` without columns that depend on when and where trials ran.
rows() {
    sqlite3 "$1" "select trial, config, hidden_size, dropout, replicate, fold, state, quote(value),
        quote(val_r2), quote(test_pearson) from trials
        order by hidden_size, dropout, replicate, fold"
}
keys() { sqlite3 "$1" "select key from trial where state = 'done' order by key"; }
slurm() { # ID MIN MAX COUNT COMMAND...
    id=$1 min=$2 max=$3 count=$4
    shift 4
    env SLURM_ARRAY_TASK_ID="$id" SLURM_ARRAY_TASK_MIN="$min" SLURM_ARRAY_TASK_MAX="$max" \
        SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT="$count" "$@"
}

ok "the whole sweep" run g.ini --db whole.db

for k in 1 2 3 4; do
    ok "shard $k" slurm "$k" 1 4 4 "$ESPALIER" run --progress none g.ini --shard auto
done
like "only its trials are counted" "$(cat "$T/.err")" \
    '^espalier: small, shard 4/4: ([0-9]+) of \1 trials? run in .* \1 done, 0 diverged, 0 failed'
like "the message says how to merge shards" "$(cat "$T/.err")" 'espalier merge results.db results.\*of4.db$'
is "each has its own database" "$(echo results.*)" "results.1of4.db results.2of4.db results.3of4.db results.4of4.db"
is "no trial is in two" "$(for k in 1 2 3 4; do keys results.$k"of4.db"; done | sort)" "$(keys whole.db)"
like "status reports no missing trials of a shard" "$("$ESPALIER" status results.2of4.db | tr -s ' ')" \
    '^small [0-9]+ ([0-9]+) \1 0 0 0 0$'
like "but says that it is a part" "$("$ESPALIER" status results.2of4.db 2>&1 >/dev/null)" \
    '^espalier: small: this file has [0-9]+ of the 12 trials of the grid'
like "and so does predict" "$("$ESPALIER" predict results.2of4.db --all 2>&1 >/dev/null)" \
    '^espalier: small: this file has [0-9]+ of the 12 trials of the grid'
mine=$("$ESPALIER" plan g.ini --shard 2/4 --format csv 2>"$T/totals" | cut -d, -f1,2)
is "plan lists its trials by their numbers in the whole" "$mine" "trial,config
$(sqlite3 -csv results.2of4.db 'select trial_id, config_id from trial order by 1')"
like "and gives the number of the whole" "$(cat "$T/totals")" '= 12 trials, [0-9]+ of them in shard 2/4; all are finished'
is "a dry run lists the same" "$(run g.ini --shard 2/4 --dry-run 2>/dev/null | tail -n +2 | awk '{ print $1 "," $2 }')" \
    "$(printf '%s' "$mine" | tail -n +2)"
is "the same without a database" "$("$ESPALIER" plan g.ini --db none.db --shard 2/4 --format csv 2>/dev/null | cut -d, -f1,2)" "$mine"

ok "merge" "$ESPALIER" merge results.db results.1of4.db results.2of4.db results.3of4.db results.4of4.db
is "merged shards equal the whole, row for row" "$(rows results.db)" "$(rows whole.db)"
like "merge says what comes next" "$(cat "$T/.err")" '^espalier: all trials are finished; next: espalier best results.db$'
like "merge prints the result" "$(tr -s ' ' <"$T/.out")" '^small 6 12 12 0 0 0 0$'
is "and does not call it a part" "$(grep -c 'of its grid' "$T/.err")" 0
ok "without one shard" "$ESPALIER" merge part.db results.1of4.db results.2of4.db results.4of4.db
is "without the next command" "$(grep -c 'next:' "$T/.err")" 0
like "merge reports missing shards" "$(cat "$T/.err")" 'small: this file has [0-9]+ of the 12 trials of the grid'
like "and so does best" "$("$ESPALIER" best part.db 2>&1 >/dev/null)" 'small: this file has [0-9]+ of the 12 trials of the grid'
ok "the shard that was missing" "$ESPALIER" merge part.db results.3of4.db
is "best reports nothing missing" "$("$ESPALIER" best part.db 2>&1 >/dev/null | grep -c 'of its grid')" 0
is "places are equal, too" "$(sqlite3 results.db 'select place, config, mean from leaderboard')" \
    "$(sqlite3 whole.db 'select place, config, mean from leaderboard')"
sqlite3 results.db .dump >once
ok "merge again" "$ESPALIER" merge results.db results.3of4.db results.1of4.db
sqlite3 results.db .dump >twice
like "reports nothing new" "$(cat "$T/.err")" 'results.3of4.db: [0-9]+ trials: 0 added, 0 updated'
like "missing shards are listed" "$(cat "$T/.err")" '2 of 4 shards are not among the inputs \(2of4 \.\.\.\)'
ok "and changes nothing" cmp once twice
ok "in another order" "$ESPALIER" merge other.db results.4of4.db results.2of4.db whole.db results.3of4.db results.1of4.db
is "gives the same rows" "$(rows other.db | sed 's/|[0-9]*$//')" "$(rows whole.db | sed 's/|[0-9]*$//')"
is "with the attempts of both" "$(sqlite3 other.db 'select sum(attempts) from trial')" 24
is "inputs are left as they are" "$(keys results.2of4.db | wc -l)" "$(sqlite3 results.2of4.db 'select count(*) from trial')"
run g.ini --db results.db 2>"$T/again"
like "a run on the merged database has nothing to do" "$(cat "$T/again")" '12 trials, 0 to run'

# One element is killed and submitted again; the others are not affected.
sed -e 's/^epochs.*/epochs = 9000/' -e 's/^replicates.*/replicates = 3/' g.ini >long.ini
"$ESPALIER" run --progress none long.ini --db long.db --shard 1/2 2>/dev/null &
pid=$!
for _ in $(seq 6000); do
    [ "$(keys long.1of2.db 2>/dev/null | wc -l)" -gt 0 ] && break
    sleep 0.05
done
kill -STOP $pid
fails "the same shard twice" 1 run long.ini --db long.db --shard 1/2
like "is refused" "$(cat "$T/.err")" "^espalier: long.1of2.db: .*pid $pid"
ok "merge while a shard runs" "$ESPALIER" merge live.db long.1of2.db
like "a warning says so" "$(cat "$T/.err")" "long.1of2.db: a run is writing to it \(pid $pid on "
like "the merged file knows that it was cut off" "$("$ESPALIER" watch live.db)" \
    '^small: cut off \(it ran when this file was copied, or merged from others\), '
is "and proposes no second run" "$("$ESPALIER" watch --once live.db | grep -c 'the same command')" 0
kill -9 $pid
wait $pid 2>/dev/null
left=$(sqlite3 long.1of2.db "select count(*) from trial where state in ('pending', 'running')")
ok "trials were left when it was killed" test "$left" -gt 0
ok "the killed shard again" run long.ini --db long.db --shard 1/2
like "runs what was left" "$(cat "$T/.err")" "trials, $left to run on"
ok "the other shard" run long.ini --db long.db --shard 2/2
ok "the whole" run long.ini --db longwhole.db
ok "merge all of it" "$ESPALIER" merge live.db long.2of2.db long.1of2.db
is "equals the whole" "$(rows live.db)" "$(rows longwhole.db)"
is "the session that was killed is not merged twice" "$(sqlite3 live.db 'select count(*) from session')" 3

# A grid that grows.
ok "an extended grid, shard 2" run g.ini --set grid.hidden_size=4,8,16 --shard 2/4
like "runs its new trials only" "$(cat "$T/.err")" ' [0-9]+ trials, [0-9]+ to run'
is "old trials have not moved" "$(sqlite3 results.2of4.db 'select count(*) from attempt')" \
    "$(sqlite3 results.2of4.db 'select count(*) from trial')"
is "and keys are equal in all shards" "$(sqlite3 results.2of4.db 'select count(distinct key) from trial')" \
    "$(sqlite3 results.2of4.db 'select count(*) from trial')"

# More shards than trials.
empty=$(for k in $(seq 50); do
    "$ESPALIER" plan g.ini --db none.db --shard "$k/50" --format csv 2>/dev/null | wc -l | grep -qx 1 && echo "$k"
done | head -n 1)
ok "a shard without trials" run g.ini --db many.db --shard "$empty/50"
like "the message says so" "$(cat "$T/.err")" "none of the 12 trials falls into this shard: nothing to do"
ok "and is merged" "$ESPALIER" merge empty.db "many.${empty}of50.db"

# Conflicts: the same trial with other numbers.
cp results.1of4.db bad.db
sqlite3 bad.db "update trial set value = value + 1e-9 where state = 'done'"
sqlite3 results.db .dump >before
fails "a conflict is an error" 1 "$ESPALIER" merge results.db results.2of4.db bad.db
sqlite3 results.db .dump >after
like "the message gives trial, settings and values" "$(cat "$T/.err")" \
    "^espalier: bad.db: trial [0-9]+ of sweep 'small' \(hidden_size = [48], dropout = [0-9.]+; replicate [01], fold 0\) has two results, which differ in value: here done val_pearson [-0-9.]+, by $(hostname), pid [0-9]+, .*--shard auto.*\); merged into done val_pearson"
ok "the output is unchanged" cmp before after
cp whole.db bad.db
sqlite3 bad.db "update model set (hash, safetensors) = (select hash, safetensors from model order by trial_id desc limit 1)
    where trial_id = (select min(trial_id) from model)"
for pair in "whole.db bad.db" "bad.db whole.db"; do
    # shellcheck disable=SC2086 # two files
    fails "another model of a trial, too: $pair" 1 "$ESPALIER" merge new.db $pair
    like "the message names it" "$(cat "$T/.err")" "trial [0-9]+ of .* has two results, which differ in model: "
done
cp results.1of4.db bad.db
sqlite3 bad.db "update trial set value = value + 1e-9 where state = 'done'"
fails "a conflict between inputs" 1 "$ESPALIER" merge new.db whole.db bad.db
is "makes no output" "$(echo new.db*)" "new.db*"

# Databases that cannot be merged.
fails "an input that is the output" 1 "$ESPALIER" merge results.db ./results.db
fails "a missing input" 1 "$ESPALIER" merge new.db results.1of4.db nowhere.db
is "the message says that merge does not create it" "$(cat "$T/.err")" \
    "espalier: nowhere.db: no such file: every input must be the database of a run; nothing is merged"
: >nothing.db
fails "an input that is empty" 1 "$ESPALIER" merge new.db results.1of4.db nothing.db
like "the message says what it is" "$(cat "$T/.err")" '^espalier: nothing.db: is empty: .*leave it out$'
fails "an input that is not a database" 1 "$ESPALIER" merge new.db g.ini
is "these leave no output" "$(echo new.db*)" "new.db*"
fails "no input" 2 "$ESPALIER" merge new.db
sed 's/^samples.*/samples = 61/' g.ini >otherdata.ini
run otherdata.ini --db otherdata.db 2>/dev/null
fails "the same name over other data" 1 "$ESPALIER" merge results.db otherdata.db
like "the message names it" "$(cat "$T/.err")" "sweep 'small' in it has data digest"
run g.ini --set name=second --db second.db 2>/dev/null
ok "another sweep" "$ESPALIER" merge results.db second.db
is "is merged beside the first" "$(sqlite3 results.db 'select group_concat(distinct sweep) from trials')" "small,second"

# A launch reports its shard.
ok "auto outside an array" run g.ini --db alone.db --shard auto
like "is the whole sweep" "$(cat "$T/.err")" 'not in a job array, so the whole sweep runs'
is "in the database as named" "$(keys alone.db)" "$(keys whole.db)"
ok "LSF, index 0" env LSB_JOBINDEX=0 "$ESPALIER" run g.ini --db alone.db --shard auto
ok "LSF, element 2" env LSB_JOBINDEX=2 LSB_JOBINDEX_END=4 LSB_JOBINDEX_STEP=1 \
    "$ESPALIER" run g.ini --db lsf.db --progress none --shard auto
is "is shard 2 of 4" "$(keys lsf.2of4.db | wc -l)" "$(printf '%s\n' "$mine" | tail -n +2 | wc -l)"
fails "an array with gaps" 2 slurm 3 1 7 3 "$ESPALIER" run g.ini --shard auto
like "is refused with the fix" "$(cat "$T/.err")" 'the job array has gaps: .*use --array=1-3; .*--shard K/N'
fails "one element submitted by itself" 2 slurm 3 3 3 1 "$ESPALIER" run g.ini --shard auto
like "does not count as an array of one" "$(cat "$T/.err")" 'belongs to a sweep of 4 shards, .* --shard K/4'
for wrong in 0/4 5/4 4 x/4 1/100001; do
    fails "--shard $wrong" 2 "$ESPALIER" run g.ini --shard $wrong
done
like "the message says what is allowed" "$(cat "$T/.err")" -- '--shard: 1/100001: must be K/N with 1 <= K <= N <= 100000'

if command -v mpirun >/dev/null; then
    ok "a shard on two ranks" mpirun -q --oversubscribe -n 2 "$ESPALIER" run g.ini --db two.db --shard 2/4 --progress none
    is "is the same shard" "$(rows two.2of4.db)" "$(rows results.2of4.db | grep -v '|16|')"
fi
done_testing
