#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# verify repeats trials from the database alone and compares their bits.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

"$ESPALIER" simulate panel >/dev/null 2>&1
cat >small.ini <<'INI'
[sweep]
name = small
replicates = 2
folds = 3
[data]
format = genotype
genotypes = panel/genotypes.csv
phenotypes = panel/phenotypes.csv
[train]
epochs = 4
[grid]
hidden_size = 4, 8
batch_size = 32, full
threads = 1
INI
ok "a sweep" "$ESPALIER" run small.ini --progress none

ok "five of its trials" "$ESPALIER" verify
is "are equal" "$(sed -n '$p' .out)" "5 of 24 done trials run again: 5 equal to the bit, 0 not"
is "a line each" "$(grep -c '^t[0-9]*  c[0-9]*  replicate [01]  fold [012]  equal: val_pearson' .out)" 5
is "trials of all configurations" "$(awk 'NF > 9 { print $2 }' .out | sort -u | grep -c c)" 4
first=$(cat .out)
"$ESPALIER" verify >again
is "the same sample is drawn again" "$(cat again)" "$first"
"$ESPALIER" verify --seed 2 >other
is "another seed, others" "$([ "$(cat other)" != "$first" ] && echo others)" others
(cd / && "$ESPALIER" verify -k 0 "$T/results.db") >all
is "all of them, from anywhere" "$(sed -n '$p' all)" "24 of 24 done trials run again: 24 equal to the bit, 0 not"
ok "one" "$ESPALIER" verify --trial t7
like "only that trial is verified" "$(cat .out)" '^t7  c2  replicate 0  fold 0  equal'
sed 's/replicates = 2/replicates = 1/' small.ini >less.ini
ok "the sweep with fewer replicates" "$ESPALIER" run less.ini --set sweep.name=small --progress none
ok "a replicate outside the smaller sweep" "$ESPALIER" verify --trial 4

# Settings that are gone, in a file from before.
cp results.db before.db
sqlite3 before.db "update config set params = json_set(params, '$.step_size', json('30'), '$.epsilon', json('1e-08'))"
ok "the value that all trials now have" "$ESPALIER" verify --trial t3 before.db
sqlite3 before.db "update config set params = json_set(params, '$.step_size', json('31'))"
refuses "another value" 1 "a configuration has an unknown setting 'step_size'" "$ESPALIER" verify --trial t3 before.db
sqlite3 before.db "update axis set name = 'step_size' where name = 'threads'"
ok "its scores are still listed" "$ESPALIER" best before.db

# A changed number anywhere is found and attributed to its trial.
changed() { # NAME SQL PATTERN
    cp results.db changed.db
    sqlite3 changed.db "$2; update session set blas_kernel = 'Abacus'"
    refuses "$1" 1 "$3" "$ESPALIER" verify --trial t3 changed.db
    like "and the machine that computed it" "$(cat .out)" '^    BLAS kernel  Abacus, here [A-Za-z]'
}
changed "another value" "update trial set value = value + 1e-15 where trial_id = 3" '^t3 .*differs: value [-0-9.e]*, here [-0-9.e]*$'
changed "a metric less" "delete from metric where trial_id = 3 and split = 'val' and name = 'loss'" 'differs: val_loss nan, here'
changed "another epoch" "update curve set val_loss = val_loss + 1e-15 where trial_id = 3 and epoch = 2" 'differs: val_loss of epoch 2 '
changed "an epoch less" "delete from curve where trial_id = 3 and epoch = 4" 'differs: epochs of the curve 3, here 4'
changed "another state" "update trial set state = 'diverged' where trial_id = 3" 'differs: diverged, here done'
# Rows of the tables that no trial repeats.
is "no row is damaged" "$("$ESPALIER" verify -k 1 --section tables --format csv | awk -F, 'NR > 1 { print $1, ($2 > 0), $3 }' | tr '\n' ' ')" "prediction 1 0 traffic 1 0 data_fact 1 0 log 0 0 file 0 0 curve_metric 0 0 member 0 0 "
damaged() { # TABLE SQL WANTED: the rows are counted, and the first is named
    cp results.db rows.db
    sqlite3 rows.db "$2"
    fails "damaged rows of $1" 1 "$ESPALIER" verify -k 1 rows.db
    like "the first is named" "$(head -n 1 .out)" "^table $1: 1 of [0-9]+ rows? damaged; the first: $3\$"
    is "and the trial is still repeated" "$(sed -n '$p' .out)" "1 of 24 done trials run again: 1 equal to the bit, 0 not"
}
trial=$(sqlite3 results.db 'select min(trial_id) from prediction')
sample=$(sqlite3 results.db "select min(sample) from prediction where trial_id = $trial")
row="where trial_id = $trial and sample = $sample"
damaged prediction "update prediction set predicted = 'tall' $row" "t$trial, sample $sample: predicted = 'tall': must be a number"
damaged prediction "update prediction set observed = 9e999 $row" "t$trial, sample $sample: observed = Inf: must be a number"
damaged prediction "update prediction set sample = 383 $row" "t$trial, sample 383: sample = 383: must be a sample of the sweep"
damaged prediction "update prediction set trial_id = 99 $row" "t99, sample $sample: state = NULL: must be done, as of each trial with predictions"
damaged prediction "update prediction set probabilities = '{\"a\": 0.5, \"b\": 0.4}' $row" ".*probabilities = .*: must be a JSON object of numbers from 0 to 1 with the sum 1"
damaged prediction "update prediction set scores = '[1' $row" ".*scores = '\[1': must be a JSON object of numbers"
damaged traffic "update traffic set calls = -1 where activity = 'compute'" "session 1, rank 0: calls = -1: must be from 0 to 1e15"
damaged traffic "update traffic set session_id = 9 where activity = 'compute'" "session 9, rank 0: session = 9: must be a session of this file"
damaged data_fact "update data_fact set value = -4 where topic = 'part' and ordinal = 0" "sweep 1, topic part, fact 0: value = -4: must be a number of samples, nodes or markers"
damaged data_fact "delete from data_fact where topic = 'target' and ordinal = 6" "sweep 1, topic target, fact 7: ordinal = 7: must be the number after that of the fact before it"
damaged data_fact "update data_fact set name = 'x', topic = x'1b' || 'x', ordinal = 1 where topic = 'target' and ordinal = 7" "sweep 1, topic \?x, fact 1: .*"
damaged member "insert into member values (1, 0, 'n'), (77, 0, 'n')" "attempt 77, rank 0: attempt = 77: must be an attempt of this file"
damaged member "insert into member values (1, 0, 'n'), (1, -3, 'n')" "attempt 1, rank -3: rank = -3: must be a rank of the session"
damaged member "update session set ranks = 3; insert into member values (1, 2, 'n')" "attempt 1, rank 2: leader = 0: must be a member of the attempt, too"
sqlite3 rows.db "update prediction set predicted = 'tall'; delete from data_fact"
ok "a single trial is verified without the tables" "$ESPALIER" verify --trial t3 rows.db

sqlite3 changed.db "update trial set state = 'done', value = 2"
fails "all of them" 1 "$ESPALIER" verify changed.db -k 2
is "are counted" "$(sed -n '$p' .out)" "2 of 24 done trials run again: 0 equal to the bit, 2 not"

id=$(sqlite3 results.db 'select min(trial_id) from model')
ok "a trial whose model is kept" "$ESPALIER" verify --trial "$id"
like "is equal" "$(cat .out)" "^t$id .*equal"
cp results.db changed.db
sqlite3 changed.db "update model set (hash, safetensors) = (select hash, safetensors from model where trial_id > $id limit 1) where trial_id = $id"
refuses "with another model" 1 "^t$id .*differs: the model that is kept$" "$ESPALIER" verify --trial "$id" changed.db

refuses "a missing trial" 1 "^espalier: results.db: no trial t99 in it$" "$ESPALIER" verify --trial t99
fails "an invalid id" 1 "$ESPALIER" verify --trial x
sqlite3 changed.db "update trial set state = 'failed' where trial_id = 1"
refuses "a failed trial" 1 "^espalier: changed.db: t1 is failed: only trials that are done or diverged can be verified$" \
    "$ESPALIER" verify --trial 1 changed.db
sqlite3 changed.db "update trial set key = '00' where trial_id = 2"
refuses "a key that does not match the settings" 1 'changed.db: t2: its key is 00, but its settings give [0-9a-f]{32} here' \
    "$ESPALIER" verify --trial 2 changed.db
sqlite3 changed.db "update trial set fold = 7 where trial_id = 3"
fails "a fold that the sweep does not have" 1 "$ESPALIER" verify --trial 3 changed.db
is "the message names the numbers" "$(cat .err)" \
    "espalier: changed.db: t3: fold 7: must be in [0, 2]; another program changed the database"
sqlite3 changed.db "update trial set state = 'pending'"
refuses "a sweep without results" 1 "^espalier: changed.db: sweep 'small' has no done trial yet$" "$ESPALIER" verify changed.db

# Moved data, and changed data.
mv panel elsewhere
refuses "missing data" 1 "^espalier: sweep 'small': .*/panel/.*csv: " "$ESPALIER" verify
ok "data may be at another place" "$ESPALIER" verify -k 1 --set genotypes=elsewhere/genotypes.csv --set phenotypes=elsewhere/phenotypes.csv
cp -r elsewhere panel
awk -F, -v OFS=, 'NR == 3 { $2 = $2 + 0.5 } { print }' elsewhere/phenotypes.csv >panel/phenotypes.csv
refuses "data that have changed" 1 "sweep 'small': the data are not the training data .digest [0-9a-f]{32}, here [0-9a-f]{32}.: .*/panel/genotypes.csv, .*/panel/phenotypes.csv" \
    "$ESPALIER" verify

# A trial that diverged diverges again.
cat >high.ini <<'INI'
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 30
optimizer = sgd
learning_rate = 1000
INI
"$ESPALIER" run high.ini --db high.db --progress none 2>/dev/null
is "a trial that diverged" "$(sqlite3 high.db 'select state from trial')" diverged
ok "diverges again" "$ESPALIER" verify --trial 1 high.db
like "in the same epoch" "$(cat .out)" 'equal: val_pearson'
done_testing
