#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A stop part chooses the epoch, so the validation part only scores. Without a stop part, a warning
# informs readers of the leaderboard.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >stop.ini <<'INI'
[sweep]
folds = 3
keep = all
[data]
format = simulated
samples = 150
markers = 200
[split]
stop = 0.2
[model]
hidden_size = 8
[train]
epochs = 60
choose_epoch = objective
[grid]
type = gcn, mlp, ridge
batch_size = 16, full
INI
sql() { sqlite3 "${2:-results.db}" "$1"; }
run() { "$ESPALIER" run stop.ini --progress none "$@"; }
# Everything except times.
bits() {
    sql "select trial_id, key, state, quote(value), epochs_run, best_epoch, flops from trial;
        select trial_id, split, name, quote(value) from metric order by 1, 2, 3;
        select trial_id, epoch, quote(train_loss), quote(val_loss), quote(val_value) from curve order by 1, 2" "$1"
}
# Count best trials chosen by the stop part: their epoch has a value on the stop part that no other
# has.
chosen='select count(*) from trial as t join config using (config_id) join metric as s using (trial_id)
    where params ->> "type" <> "ridge" and s.split = "stop" and s.name = "pearson"
    and s.value = (select val_value from curve as c where c.trial_id = t.trial_id and epoch = best_epoch)
    and s.value = (select max(val_value) from curve as c where c.trial_id = t.trial_id)'

ok "a sweep with a stop part" run
is "does not warn of types" "$(grep -c 'epoch of gcn' "$T/.err")" 0
is "the epoch is the stop part's best" "$(sql "$(echo "$chosen" | tr '"' "'")")" 12
is "the value is the validation part's" "$(sql "select count(*) from trials where value = val_pearson")" 15
is "the view has the part's scores" "$(sql "select type, count(*), sum(stop_pearson is (select value from metric where trial_id = trial
    and split = 'stop' and name = 'pearson')), sum(stop_loss > 0), sum(stop_rmse > 0) from trials group by 1" | tr '\n' ' ')" \
    'gcn|6|6|6|6 mlp|6|6|6|6 ridge|3|3|| '
# The stop part in the view: its columns, and trials with a loss.
scores() { sql "select count(*) from pragma_table_info('trials') where name glob 'stop_*'" "$1" && sql "select count(stop_loss) from trials" "$1" 2>/dev/null; }
is "the value is not the one that chose" "$(sql "select count(*) from trials join metric as s on s.trial_id = trial
    and s.split = 'stop' and s.name = 'pearson' where s.value = val_pearson")" 0
is "ridge has no such part" "$(sql "select distinct type from trials join metric as s on s.trial_id = trial
    and s.split = 'stop' order by 1" | tr '\n' ' ')" 'gcn mlp '
is "and no such setting" "$(sql "select type, stop from (select distinct params ->> 'type' as type, params ->> 'stop' as stop
    from config) order by 1" | tr '\n' ' ')" 'gcn|0.2 mlp|0.2 ridge| '
ok "best" "$ESPALIER" best
is "does not warn of a lucky choice" "$(cat "$T/.out" "$T/.err" | grep -c 'chooses the epoch')" 0
ok "a trial's page" "$ESPALIER" show t1
like "has the part" "$(grep '^metric ' "$T/.out")" '^metric +train +val +test +stop$'
ok "verify" "$ESPALIER" verify -k 15
like "finds all again" "$(tail -n 1 "$T/.out")" '^15 of 15 done trials run again: 15 equal to the bit, 0 not$'
ok "two ranks" run -n 2 --db two.db
is "compute the same" "$(bits two.db)" "$(bits results.db)"

ok "inspect" "$ESPALIER" inspect stop.ini --splits parts.csv
like "counts it" "$(grep '^split' "$T/.out" | head -n 1)" '^split +fold 0: 64 train, 40 val, 30 test, 16 stop$'
is "and writes it" "$(grep -c ',0,0,stop$' parts.csv)" 16
sed 's/stop = 0.2/stop = 0/' stop.ini >none.ini
"$ESPALIER" inspect none.ini --splits none.csv >/dev/null 2>&1
is "validation and test parts stay the same" "$(grep -E ',(val|test)$' parts.csv | sort)" "$(grep -E ',(val|test)$' none.csv | sort)"
is "training and stop part together are the old training part" "$(sed 's/,stop$/,train/' parts.csv | sort)" "$(sort none.csv)"

# The correlation of prediction and truth equals the recorded one.
ok "predict" "$ESPALIER" predict --trial t1 --part stop -o stop.csv
is "predicts it" "$(tail -n +2 stop.csv | cut -d, -f1 | sort)" "$(grep ',0,0,stop$' parts.csv | cut -d, -f1 | sort)"
fails "ridge has no stop part" 1 "$ESPALIER" predict --trial t13 --part stop
is "and a message says so" "$(cat "$T/.err")" "espalier: --part stop: c5 is ridge, which has no epoch to choose: it was trained on the samples of the stop part"

grep ',0,0,' parts.csv | awk -F, '{ print $1 "," $4 }' >given.body
{ echo id,part; cat given.body; } >given.csv
sed -e 's/^stop = .*/file = given.csv/' -e 's/^folds = 3/folds = 0/' stop.ini >given.ini
ok "a split file with such a part" "$ESPALIER" run given.ini --progress none --db given.db
is "does not warn of types" "$(grep -c 'epoch of gcn' "$T/.err")" 0
is "its stop part is used, and ridge trains on it" "$(sql "select type, count(*), sum(s.value > -2) from trials left join metric as s
    on s.trial_id = trial and s.split = 'stop' and s.name = 'pearson' group by 1" given.db | tr '\n' ' ')" \
    'gcn|2|2 mlp|2|2 ridge|1| '
same="select quote(metric.value) from metric join trial using (trial_id) join config using (config_id) where fold = 0
    and params ->> 'type' = 'ridge' and split = 'test' and name = 'rmse'"
is "its scores are in the view" "$(scores given.db)" "6
4"
cp given.db beside.db
ok "a sweep without such a part beside it" "$ESPALIER" run none.ini --set sweep.name=none --progress none --db beside.db
is "keeps the old sweep's columns" "$(scores beside.db)" "6
4"
"$ESPALIER" merge one.db beside.db >/dev/null 2>&1
is "merge keeps them, too" "$(scores one.db)" "6
4"
is "for ridge equals a drawn one" "$(sql "$same" given.db)" "$(sql "$same")"
ok "best" "$ESPALIER" best given.db
is "shows it, too" "$(cat "$T/.out" "$T/.err" | grep -c 'chooses the epoch')" 0
fails "ridge has no stop part from a file either" 1 "$ESPALIER" predict given.db --trial t5 --part stop
like "and a message says so" "$(cat "$T/.err")" '^espalier: --part stop: c5 is ridge'
fails "both" 1 "$ESPALIER" run given.ini --set stop=0.1 --db both.db
like "cannot be combined" "$(cat "$T/.err")" 'split.stop = 0.1, but the given parts have a stop part too: use one of them'

ok "without any" "$ESPALIER" run none.ini --progress none --db none.db
like "run warns" "$(grep warning "$T/.err")" \
    '^espalier: warning: none.ini: the validation part chooses the epoch of gcn and mlp and also scores them, .* set \[split\] stop = 0.1'
ok "plan" "$ESPALIER" plan none.ini --db none.db
is "warns too" "$(grep -c 'chooses the epoch' "$T/.err")" 1
ok "ridge alone" "$ESPALIER" run none.ini --set type=ridge --progress none --db ridge.db
is "has no epochs" "$(grep -c 'chooses the epoch' "$T/.err")" 0
is "the stop part is not a setting" "$(sql "select count(*) from metric where split = 'stop'" none.db)" 0
fails "the stop part cannot be predicted" 1 "$ESPALIER" predict none.db --trial t1 --part stop
is "and a message says so" "$(cat "$T/.err")" "espalier: the split has no stop part"
is "the view has no columns for it" "$(scores none.db)" 0
ok "ridge alone, with the setting" "$ESPALIER" run stop.ini --set type=ridge --progress none --db ridge2.db
is "has none either" "$(scores ridge2.db)" 0
ok "with that part in a file" "$ESPALIER" run given.ini --set type=ridge --progress none --db ridge3.db
is "the same with a part in a file" "$(scores ridge3.db)" 0
ok "networks later" "$ESPALIER" run stop.ini --set type=mlp --set sweep.name=mlp --progress none --db none.db
is "add the columns" "$(scores none.db)" "6
6"

ok "an axis" "$ESPALIER" run none.ini --set split.stop=0 --set grid.stop=0,0.2 --progress none --db axis.db
is "applies to networks only" "$(sql "select type, stop, count(*) from trials group by 1, 2" axis.db | tr '\n' ' ')" \
    'gcn|0|6 gcn|0.2|6 mlp|0|6 mlp|0.2|6 ridge||3 '
is "with the keys of both" "$(sql 'select key from trial order by 1' axis.db)" \
    "$({ sql 'select key from trial' none.db; sql 'select key from trial'; } | sort -u)"
fails "the whole training part" 2 run --set stop=1
like "is too much" "$(cat "$T/.err")" 'stop=1: must be in \[0, 1\)'
fails "next to nothing" 1 run --set stop=0.001 --db x.db
like "too little" "$(cat "$T/.err")" 'the stop part of fold 0 is empty'
grep -v '^folds' stop.ini | sed 's/^type = .*/type = ridge, gcn/; s/^stop = .*/stop = 0.018/' >least.ini
ok "two samples" "$ESPALIER" plan least.ini --db least.db
like "choose at random" "$(cat "$T/.err")" 'the stop part has only 2 samples, for which val_pearson means nothing: use a larger \[split\] stop'
awk 'BEGIN { print "id,m1,m2"; for (i = 1; i <= 12; i++) print "s" i "," i % 3 "," int(i / 2) % 3 }' >few.csv
awk 'BEGIN { print "id,y,family"; for (i = 1; i <= 12; i++) print "s" i "," i "," (i > 6 ? "c" : i > 3 ? "b" : "a") }' >families.csv
cat >groups.ini <<'INI'
[sweep]
folds = 2
[data]
format = genotype
genotypes = few.csv
phenotypes = families.csv
trait = y
[graph]
k = 2
[split]
test = 0
group = family
stop = 0.2
[train]
epochs = 2
[grid]
type = ridge, mlp
INI
fails "a stop part that would leave one group" 1 "$ESPALIER" plan groups.ini --db groups.db
like "is refused before any trial runs" "$(cat "$T/.err")" \
    'groups.ini: split.stop = 0.2: 1 group is left outside test and val: a stop part and train need at least 2'

# Duplicates of training samples stand in the stop part, and no score uses them.
awk 'BEGIN { print "id,m1,m2,m3"; for (i = 1; i <= 20; i++) print "s" i "," (i > 1 ? i : 2) % 3 "," (i > 1 ? i : 2) / 3 % 3 "," (i > 1 ? i : 2) }' |
    awk -F, 'NR == 1 { print; next } { printf "%s,%d,%d,%d\n", $1, $2, $3, $4 }' >doubles.csv
awk 'BEGIN { print "id,y"; for (i = 1; i <= 20; i++) print "s" i "," i }' >y.csv
awk 'BEGIN { print "id,part"; for (i = 1; i <= 20; i++) print "s" i "," (i == 2 || i > 17 ? "stop" : i > 12 ? "val" : "train") }' >sides.csv
cat >doubles.ini <<'INI'
[data]
format = genotype
genotypes = doubles.csv
phenotypes = y.csv
[split]
file = sides.csv
[graph]
k = 2
INI
ok "inspect" "$ESPALIER" inspect doubles.ini
like "finds them on one side" "$(grep '^duplicates' "$T/.out")" '1 set .*, 2 samples in all; 0 sets on both sides of a split$'
ok "inspect" "$ESPALIER" inspect doubles.ini --set folds=2
like "and on two where a fold is validated" "$(grep '^same' "$T/.out")" '^same +s1 \(fold [01]\), s2 \(stop\)$'

done_testing
