#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Several model types in one sweep: settings that do not apply to a type add no configurations.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >types.ini <<'INI'
[sweep]
folds = 2
[data]
format = simulated
samples = 60
markers = 80
[graph]
metric = kinship
[train]
epochs = 3
[grid]
type = gcn, mlp
k = 3, 5
hidden_size = 4, 8
INI
sql() { sqlite3 "${2:-results.db}" "$1"; }

ok "types are an axis" "$ESPALIER" run types.ini --progress none
like "duplicate models are left out, and a message says so" "$(cat "$T/.err")" \
    '^espalier: types.ini: k does nothing for mlp: dropped 2 points of the grid that repeat the model of another point$'
is "no warning about idle settings" "$(grep -c 'by chance' "$T/.err")" 0
is "each type has its own settings" "$(sql 'select type, k, hidden_size, count(*) from trials group by 1, 2, 3')" "gcn|3|4|2
gcn|3|8|2
gcn|5|4|2
gcn|5|8|2
mlp||4|2
mlp||8|2"
is "all is trained" "$(sql "select count(*) from trial where state = 'done'")" 12
is "levels are those used by some model" "$(sql "select levels from axis where name = 'k'")" '[3,5]'

main='type hidden_size layers dropout lambda epochs learning_rate weight_decay batch_size'
for view in leaderboard trials; do
    is "$view has the main settings that do not vary" "$(for name in $main; do
        sql "select count(*) from pragma_table_info('$view') where name = '$name'"
    done | tr '\n' ' ')" "1 1 1 1 1 1 1 1 1 "
done
is "with their values, empty where a type lacks them" "$(sql "select distinct layers, epochs, learning_rate, batch_size, lambda is null from leaderboard")" \
    "2|$(sed -n 's/^epochs = //p' types.ini)|0.01|full|1"
like "--where accepts them" "$("$ESPALIER" best --where 'layers = 2' --format csv -n 1 2>/dev/null | head -n 1)" '^place,config,[a-z_,]*trials,'
is "best does not show them" "$("$ESPALIER" best --format csv -n 1 2>/dev/null | head -n 1 | grep -c layers)" 0
mlp=$(sql "select config from leaderboard where type = 'mlp' and hidden_size = 4")
"$ESPALIER" show "c$mlp" >shown
is "a model's page has its settings" "$(grep -cE '^ *(k|metric|build) ' shown)" 0
like "and the page says so" "$(grep hidden_size shown)" 'hidden_size .* 4 .*axis'
"$ESPALIER" best --where "config = $mlp" --format ini >mlp.ini
is "its sweep file too" "$(grep -cE '^(k|metric|build) ' mlp.ini)" 0
ok "the file trains it" "$ESPALIER" run mlp.ini --db again.db --progress none
is "with the same keys" "$(sql 'select key from trial' again.db)" \
    "$(sql "select key from trial where config_id = $mlp")"
is "and numbers" "$(sql 'select value from trial' again.db)" \
    "$(sql "select value from trial where config_id = $mlp")"
cat >fixed.ini <<'INI'
[sweep]
name = fixed
folds = 2
[data]
format = simulated
samples = 60
markers = 80
[graph]
build = none
[train]
epochs = 3
[model]
type = mlp
hidden_size = 4
INI
ok "with or without a graph" "$ESPALIER" run fixed.ini --db fixed.db --set k=7 --progress none
is "is the same mlp" "$(sql 'select key from trial' fixed.db)" "$(sql 'select key from trial' again.db)"
ok "and the same sweep" "$ESPALIER" run fixed.ini --db fixed.db --set k=8 --progress none
like "nothing is left to run" "$(cat "$T/.err")" 'fixed: 2 trials, 0 to run'

ok "a larger grid continues the sweep" "$ESPALIER" run types.ini --progress none --set grid.k=5,3,2 --set grid.type=mlp,gcn
is "only new trials run" "$(sql 'select count(*) from trial')" 16
is "and no axis is added" "$(sql 'select name from axis order by ordinal' | tr '\n' ' ')" "type k hidden_size "

for k in 1 2 3; do
    "$ESPALIER" run types.ini --db s.db --shard $k/3 --progress none 2>/dev/null
done
ok "shards are joined" "$ESPALIER" merge all.db s.1of3.db s.2of3.db s.3of3.db
is "the result is the same" "$(sql 'select key, value from trial order by key' all.db)" \
    "$(sql "select t.key, t.value from trial as t join config using (config_id)
        where params ->> 'k' is not 2 order by t.key")"

"$ESPALIER" run types.ini --db types2.db --progress none --set grid.type=mlp --set grid.k=3 2>err
is "one value is not an axis" "$(grep -c 'points\? of the grid' err)" 0

printf 'n,f1,f2\na,1,0\nb,0,1\nc,1,1\nd,1,0\ne,0,1\nf,1,1\n' >features.csv
printf 'n,label\na,x\nb,y\nc,x\nd,x\ne,y\nf,y\n' >labels.csv
printf '[data]\nformat = graph\nfeatures = features.csv\nlabels = labels.csv\n[split]\nval = 0.4\n[train]\nepochs = 1\n' >nodes.ini
fails "a gcn of a graph needs edges" 2 "$ESPALIER" run nodes.ini
ok "an mlp does not" "$ESPALIER" run nodes.ini --set type=mlp --set test=0 --progress none --db nodes.db
ok "inspect" "$ESPALIER" inspect types.ini --set grid.type=mlp,gcn
like "shows the graph" "$(cat "$T/.out")" '^graph +knn by [a-z]+'

cat >ridge.ini <<'INI'
[sweep]
folds = 3
[data]
format = simulated
samples = 100
markers = 300
[train]
epochs = 4
[grid]
type = ridge, gcn, mlp
lambda = 0.3, 3
hidden_size = 4, 8
INI
ok "ridge beside networks" "$ESPALIER" run ridge.ini --db ridge.db --progress none
is "each with its own settings" "$(sql 'select type, lambda, hidden_size, count(*) from trials group by 1, 2, 3' ridge.db)" \
    "gcn||4|3
gcn||8|3
mlp||4|3
mlp||8|3
ridge|0.3||3
ridge|3||3"
is "has no epochs" "$(sql "select distinct epochs_run, best_epoch, (select count(*) from curve as c where c.trial_id = trial.trial_id)
    from trial join config using (config_id) where params ->> 'type' = 'ridge'" ridge.db)" '0|0|0'
is "is scored like others" "$(sql "select count(*) from trials where type = 'ridge' and val_pearson = value
    and test_rmse > 0 and val_loss > 0 and seconds > 0" ridge.db)" 6
ok "and shown" "$ESPALIER" show ridge.db t1
ok "and exported" "$ESPALIER" export ridge.db --format json
ok "and verified" "$ESPALIER" verify ridge.db -k 18
ok "status accepts it" "$ESPALIER" status ridge.db
ok "plan accepts it" "$ESPALIER" plan ridge.ini --db ridge.db
like "with its settings in the table" "$("$ESPALIER" best ridge.db -n 0 | grep ridge | head -n 1)" 'ridge +0\.?3? +-? *3 '
ok "two ranks get" "$ESPALIER" run ridge.ini --db two.db -n 2 --progress none
is "the same" "$(sql 'select key, value from trial order by key' two.db)" "$(sql 'select key, value from trial order by key' ridge.db)"
is "resuming gives the same" "$("$ESPALIER" run ridge.ini --db ridge.db --progress none 2>&1 | grep -c ' 18 trials, 0 to run')" 1

# ---- replicates of the same parts ----

awk 'BEGIN { print "id,part,family"
    for (i = 1; i <= 100; i++) print "s" i "," (i % 5 == 0 ? "val" : "train") "," i % 4 }' >parts.csv
sed 's/^folds = .*//; s/^replicates = .*//' ridge.ini >given.ini
cat >>given.ini <<'INI'
[split]
file = parts.csv
[sweep]
replicates = 2
INI
told() { grep -c 'replicates .*validate.* on the same samples' "$1"; }
for command in "plan given.ini" "run given.ini --progress none"; do
    # shellcheck disable=SC2086 # words
    "$ESPALIER" $command --db given.db 2>.err >/dev/null
    is "${command%% *} does not warn of parts that the user gave" "$(told .err)" 0
done
"$ESPALIER" run given.ini --set replicates=1 --db once.db --progress none 2>.err
"$ESPALIER" best once.db >.out 2>&1
is "one replicate gets no warning" "$(told .err)$(told .out)" 00
sed 's/^file = .*/&\ngroup = family\ntest = 0/; s/^replicates = 2/&\nfolds = groups/' given.ini >groups.ini
sed -i 's/,part//; s/,\(val\|train\)//' parts.csv
"$ESPALIER" run groups.ini --db groups.db --progress none 2>.err
is "folds of groups are the same too" "$(told .err)" 1
sed 's/^folds = groups/folds = 3/' groups.ini >drawn.ini
"$ESPALIER" run drawn.ini --db drawn.db --progress none 2>.err
is "but others are drawn again" "$(told .err)" 0

ok "classes" "$ESPALIER" run nodes.ini --set type=ridge --set test=0 --progress none --db classes.db
is "have no log_loss" "$(sql "select group_concat(name) from (select name from metric where split = 'val' order by name)" classes.db)" \
    "accuracy,macro_f1,roc_auc"
fails "log_loss cannot be the objective" 2 "$ESPALIER" run nodes.ini --set type=ridge --set objective=val_log_loss
like "the message names the types" "$(cat "$T/.err")" \
    '--set objective: objective = val_log_loss: needs class probabilities, but type = ridge computes scores: must be val_accuracy'
fails "lambda is above 0" 2 "$ESPALIER" run ridge.ini --set grid.lambda=0

done_testing
