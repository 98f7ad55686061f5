#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Out-of-fold predictions, stored at the end of a sweep: which trials have them, and that they are
# what `predict` computes and what the trials were scored on.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

"$ESPALIER" simulate panel --samples 60 --markers 80 --populations 4 --with-populations >/dev/null 2>&1
cat >sweep.ini <<'INI'
[sweep]
name = s
folds = 3
[data]
format = genotype
genotypes = panel/genotypes.csv
phenotypes = panel/phenotypes.csv
trait = trait
[graph]
k = 5
[model]
hidden_size = 4
[train]
epochs = 40
[grid]
type = gcn, ridge
learning_rate = 0.01, 0.1
INI
db=results.db
sql() { sqlite3 "$db" "$1"; }
run() { "$ESPALIER" run sweep.ini --db "$db" --progress none "$@"; }
rows() { sql 'select * from prediction' | cksum; }
with_rows() { sql 'select group_concat(trial_id) from (select distinct trial_id from prediction)'; }
with_models() { sql 'select group_concat(trial_id) from (select trial_id from model order by 1)'; }
# Trials of which `predict` prints other values.
differing() {
    for t in $(with_rows | tr , ' '); do
        sqlite3 -csv "$db" "select id, predicted from prediction where trial_id = $t order by sample" | tr -d '\r' >stored
        "$ESPALIER" predict "$db" --trial "t$t" --part val 2>/dev/null | sed 1d | cut -d, -f1,2 >asked
        cmp -s stored asked && [ -s stored ] || echo "t$t"
    done
}
# The largest difference of a score (an expression over observed and predicted) from the metric.
largest() {
    sql "with a as (select trial_id, observed as o, predicted as p, probabilities as pr, avg(observed) over (partition by trial_id) as mean from prediction)
        select max(abs(score - value)) < 1e-5, count(*) from (select trial_id, $2 as score from a group by 1)
        join metric using (trial_id) where split = 'val' and name = '$1'"
}

ok "a sweep" run
is "every model has predictions" "$(with_rows)" "$(with_models)"
is "of each labelled sample outside the test part, once for a configuration" \
    "$(sql 'select count(*), count(distinct sample) from prediction join trial using (trial_id) group by config_id' | uniq)" "48|48"
is "the values are those of predict" "$(differing)" ""
is "the scores are those of the trials" "$(largest r2 '1 - sum((o - p) * (o - p)) / sum((o - mean) * (o - mean))') \
$(largest rmse 'sqrt(avg((o - p) * (o - p)))') $(largest mae 'avg(abs(o - p))')" "1|$(with_models | tr , '\n' | wc -l) 1|$(with_models | tr , '\n' | wc -l) 1|$(with_models | tr , '\n' | wc -l)"
sqlite3 -csv "$db" "select id, observed from prediction" | tr -d '\r' >observed
is "observed values are those of the file" "$(awk -F, 'NR == FNR { of[$1] = $2; next } { d = $2 / of[$1] - 1; n += d * d < 1e-14 } END { print n, FNR }' panel/phenotypes.csv observed)" "96 96"
is "neither groups nor probabilities" "$(sql 'select count(sample_group), count(probabilities), count(scores), count(distinct typeof(observed) || typeof(predicted)) from prediction')" "0|0|0|1"
all=$(rows)
ok "another run" run
is "changes nothing" "$(rows)" "$all"

# A file without them: from a merge, or from an earlier version.
sql 'delete from prediction'
ok "a run with nothing left to run" run -v
like "reports them" "$(cat .err)" "^espalier: stored the predictions of $(with_models | tr , '\n' | wc -l) trials for their validation parts in [0-9.]+ s$"
is "adds the same rows" "$(rows)" "$all"
run --db all.db --shard 1/2 2>.err && run --db all.db --shard 2/2 2>>.err
db=all.1of2.db
is "a shard stores none" "$(with_rows)" ""
db=results.db
"$ESPALIER" merge all.db all.1of2.db all.2of2.db >/dev/null 2>&1
db=all.db run 2>/dev/null
is "but a run of the merged file does" "$(db=all.db; rows)" "$all"
"$ESPALIER" merge copy.db all.db >/dev/null 2>&1
is "merge copies them" "$(db=copy.db; rows)" "$all"

# Another choice.
best=$(sql 'select config from leaderboard where place = 1')
cp results.db other.db
db=other.db
sql "update trial set state = 'failed', value = null where config_id = $best; delete from model where trial_id in (select trial_id from trial where config_id = $best)"
fails "the best configuration is gone" 3 run
is "its predictions, too" "$(sql "select count(*) from prediction join trial using (trial_id) where config_id = $best")" 0
is "and the others' are there" "$(with_rows)" "$(with_models)"
is "as predict gives them" "$(differing)" ""
fails "keep = none" 3 run --set keep=none
is "drops all" "$(sql 'select count(*) from prediction')" 0
ok "keep = all" run --set keep=all --db wide.db
is "adds only those of the two choices" "$(db=wide.db; with_rows)" "$(db=results.db; with_rows)"

# Classes, groups.
awk -F, -v OFS=, 'NR > 1 { $2 = $2 < 75 ? "low" : "\"hi\"\"gh\"" } 1' panel/phenotypes.csv >classes.csv
db=classes.db
ok "classes in groups" run --set phenotypes=classes.csv --set task=classification --set split.group=population --set keep=all --set objective=val_accuracy
is "every sample has its group" "$(sqlite3 -csv "$db" "select distinct id, sample_group from prediction" | tr -d '\r' | grep -cvxF "$(awk -F, '{ print $1 "," $3 }' classes.csv)")" 0
is "the values are those of predict" "$(differing)" ""
is "and the accuracy that of the trials" "$(largest accuracy 'avg(o = p)' | cut -d'|' -f1)" 1
ok "ridge" run --set phenotypes=classes.csv --set task=classification --db ridge.db --set objective=val_accuracy --set grid.type=ridge
db=ridge.db
is "gives scores" "$(sql "select count(*) > 0, sum(json_valid(scores)), count(probabilities) from prediction" | awk -F'|' '{ print $1, ($2 == 48), $3 }')" "1 1 0"
is "the largest decides" "$(sql "select count(*) from prediction where predicted is not (select key from json_each(scores) order by value desc limit 1)")" 0
ok "networks" run --set phenotypes=classes.csv --set task=classification --db gcn.db --set objective=val_log_loss --set direction=min --set grid.type=gcn,mlp
db=gcn.db
is "give probabilities" "$(sql "select count(*) > 0, count(scores), max(abs(1 - (select sum(value) from json_each(probabilities)))) < 1e-6, group_concat(distinct (select group_concat(key) from json_each(probabilities))) from prediction")" '1|0|1|hi"gh,low'
is "with the log loss of the trials" "$(largest log_loss '-avg(ln((select value from json_each(pr) where key = o)))')" "1|$(with_models | tr , '\n' | wc -l)"

# A stop signal between two trials; a kill within one.
faulty=$(dirname "$ESPALIER")/tests/mpi/espalier_faults
if [ -x "$faulty" ]; then
    db=results.db
    sql 'delete from prediction'
    point="store: predictions of a trial were written"
    ESPALIER_FAULT="$point:0:2:term" ESPALIER=$faulty
    export ESPALIER_FAULT
    ok "a stop signal" run
    n=$(with_models | tr , '\n' | wc -l)
    like "leaves the rest to the next run" "$(cat .err)" "^espalier: the predictions of $((n - 2)) trials for their validation parts are not stored yet: the same command adds them$"
    is "two are there" "$(with_rows | tr , '\n' | wc -l)" 2
    ESPALIER_FAULT="$point:0:1:kill"
    run 2>/dev/null
    is "a kill before the commit changes nothing" "$(with_rows | tr , '\n' | wc -l)" 2
    ESPALIER_FAULT="$point:0:1:nap"
    ESPALIER_FAULT_SECONDS=2 run --time-limit 2s 2>/dev/null
    is "nothing begins after the time limit" "$(with_rows | tr , '\n' | wc -l)" 3
    unset ESPALIER_FAULT
    ok "the next run" run
    is "completes them" "$(rows)" "$all"
fi

done_testing
