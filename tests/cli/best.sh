#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The leaderboard, and the sweep file of the best configuration.
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
batch_size = 8, full
INI
} >small.ini
best() { "$ESPALIER" best "$@" 2>"$T/chatter"; }

refuses "no database" 1 "^espalier: results.db: no such file; run 'espalier run' first$" "$ESPALIER" best
is "no database is made" "$(ls results.db* 2>/dev/null)" ""
sqlite3 begun.db "pragma application_id = 1163087948; create table t (x); drop table t"
refuses "a database whose creation was interrupted" 1 "^espalier: begun.db: its creation was interrupted; run 'espalier run' again$" \
    "$ESPALIER" best begun.db

ok "a sweep" "$ESPALIER" run small.ini --progress none
is "the header" "$(best | head -n 1 | tr -s ' ')" \
    "place config hidden_size dropout batch_size trials mean val_r2 sd se diff diff_low diff_high within_se seconds"
is "ten rows by default" "$(best | wc -l)" 11
is "-n" "$(best -n 3 | wc -l)" 4
is "-n 0: all" "$(best -n 0 | wc -l)" 13
like "the objective behind 'mean' is printed" "$(cat chatter)" '^espalier: small: mean of val_pearson'
is "csv has the view's order" "$(best --format csv -n 0 | cut -d, -f2)" \
    "config
$(sqlite3 results.db 'select config from leaderboard order by place')"
best --format json -n 5 >best.json
is "json is json" "$(sqlite3 :memory: "select count(*), min(value ->> 'place'),
    max(value ->> 'trials') from json_each(readfile('best.json'))")" "5|1|2"
is "--where keeps the places" "$(best --where "hidden_size = 4 and batch_size = 'full'" -n 0 --format csv | cut -d, -f1)" \
    "place
$(sqlite3 results.db "select place from leaderboard where hidden_size = 4 and batch_size = 'full' order by place")"
fails "--where with an unknown column" 2 "$ESPALIER" best --where 'dropout = full'
is "the message names it" "$(cat .err)" \
    "espalier: where dropout = full: results.db: no such column: full; 'espalier best' shows the columns; put text in quotes, as in batch_size = 'full'"
best --where "trials > 1000" >none
is "a condition without matches" "$(wc -l <none)" 1
like "a warning reports it" "$(cat chatter)" "warning: --where trials > 1000: true of no configuration"
is "--where on a metric" "$(best -n 0 --format csv --where 'val_rmse < (select avg(value) from metric where name = '"'rmse'"' and split = '"'val'"')' | cut -d, -f2 | tail -n +2 | sort)" \
    "$(sqlite3 results.db "select config_id from trial join metric using (trial_id) where name = 'rmse' and split = 'val' group by 1 having avg(metric.value) < (select avg(value) from metric where name = 'rmse' and split = 'val') order by cast(config_id as text)")"
is "--objective ranks by another metric" "$(best -n 0 --format csv --objective val_rmse | cut -d, -f2 | tail -n +2)" \
    "$(sqlite3 results.db "select config_id from trial join metric using (trial_id) where name = 'rmse' and split = 'val' group by 1 order by avg(metric.value), 1")"
like "in its own direction" "$(cat chatter)" 'mean of val_rmse over replicates and folds, smallest first'
fails "--objective that no trial has" 2 "$ESPALIER" best --objective val_rms
like "the message lists those that trials have" "$(cat .err)" "^espalier: --objective val_rms: no trial of sweep 'small' has this metric; they have: .*val_rmse"
fails "--objective of the test part" 2 "$ESPALIER" best --objective test_rmse
fails "--where with a second statement" 2 "$ESPALIER" best --where '1); delete from trial; --'

like "the meaning of diff is printed" "$(best; cat chatter)" '^espalier: \*: within one standard error .*; diff: difference from the best on the same folds'
best --format csv -n 0 >best.csv
is "the mark of within_se" "$(best -n 0 | grep -c '\*')" "$(sqlite3 results.db 'select sum(within_se) from leaderboard')"

# ---- advice: `run` prints that about the plan, `best` that about its choice, the report all ----

cat >advice.ini <<'INI'
[sweep]
name = advice
keep = none
folds = 3
[data]
format = simulated
samples = 120
markers = 60
[model]
hidden_size = 8
[train]
epochs = 4
[grid]
type = gcn, ridge
learning_rate = 0.01, 0.1, 1
lambda = 1, 10, 100
INI
warnings() { grep '^espalier: warning: ' "$1"; }
ok "a sweep to advise on" "$ESPALIER" run advice.ini --db advice.db --progress none
like "it gets warnings first" "$(cat .err)" 'warning: advice.ini: the validation part chooses the epoch'
is "and nothing about the choice" "$(warnings .err | grep -vc 'advice.ini: ')" 0
best advice.db >answer
is "best prints none of the plan" "$(warnings chatter | grep -c 'chooses the epoch')" 0
like "there are warnings" "$(warnings chatter)" 'warning: [0-9]+ of the 5 configurations after the best one'
ok "run, with nothing left to run" "$ESPALIER" run advice.ini --db advice.db --progress none
is "does not repeat a warning" "$(warnings .err)" ""
ok "run, with new configurations" "$ESPALIER" run advice.ini --db advice.db --progress none --set grid.lambda=1,10,100,1000
is "does not repeat one, either" "$(warnings .err)" ""
ok "the report" "$ESPALIER" report advice.db -o advice.html
is "has it, too" "$(grep -c '<li>the validation part chooses the epoch' advice.html)" 1
rm -r advice.db*
ok "the sweep again" "$ESPALIER" run advice.ini --db advice.db --progress none
# Invented scores: c3, the gcn with the largest learning rate, is best and differs from all but c5, a ridge.
sqlite3 advice.db "update trial set value = 0.1 * fold + config_id * 0.001 * (1 + 0.01 * fold);
    update trial set value = 0.1 * fold + 0.9 + iif(config_id = 5, 0.05 * fold - 0.06, 0) where config_id in (3, 5);
    update metric set value = -0.25 where split = 'val' and name = 'r2' and trial_id in (select trial_id from trial where config_id = 3)"
best advice.db >answer
like "a negative R2" "$(cat chatter)" 'warning: c3 has a mean validation R2 of -0.25: it predicts worse than the mean'
is "beside r" "$(awk 'NR < 3 { print $8 }' answer | tr '\n' ' ')" "val_r2 -0.25 "
like "an edge" "$(cat chatter)" 'warning: learning_rate: c3 has 1, the largest of 3 values, .* try 10 and 100 \(--set grid.learning_rate=10,100 adds'
sqlite3 advice.db ".backup near.db"
sqlite3 near.db "update trial set value = 0.1 * fold + 0.87 + iif(fold = 1, 0.05, 0) where config_id = 2"
is "no edge if another value is as good but for chance" "$("$ESPALIER" best near.db 2>&1 | grep -c "may lie beyond")" 0
is "no advice on a setting that the type lacks" "$(grep -c lambda: chatter)" 0
like "configurations that cannot be told apart" "$(cat chatter)" 'warning: 1 of the 5 configurations after the best one cannot be told apart from it'
is "each once" "$(warnings chatter | wc -l)" 3
is "stdout has no warnings" "$(grep -c warning answer)" 0
before=$(warnings chatter)
best advice.db --format csv --rule best >answer
is "the same warnings with --format csv" "$(warnings chatter)" "$before"
best advice.db --where "learning_rate < 1" >answer
is "an axis restricted by --where has no edge" "$(grep -c 'learning_rate: ' chatter)" 0
ok "a run that goes beyond the edge" "$ESPALIER" run advice.ini --db advice.db --progress none --set grid.learning_rate=10,100 --set grid.type=gcn
is "adds to the sweep" "$(sqlite3 advice.db "select group_concat(levels) from axis where name = 'learning_rate'")" "[0.01,0.1,1,10,100]"
is "the database has one sweep" "$(sqlite3 advice.db 'select count(*) from sweep')" 1
cp advice.db lacking.db
sqlite3 lacking.db "update trial set value = null where trial_id = 1"
"$ESPALIER" report lacking.db -o lacking.html 2>/dev/null
like "a trial without a value of the objective" "$(cat lacking.html)" '<li>no val_pearson in 1 of [0-9]+ trials, which do not count: a part with equal values'
sqlite3 lacking.db "update trial set state = 'pending', value = null where trial_id = 2"
best lacking.db >answer
is "no advice on an edge while trials are left" "$(grep -c 'may lie beyond' chatter)" 0
ok "classes" "$ESPALIER" inspect advice.ini
like "inspect warns of small parts" "$(cat .err; "$ESPALIER" inspect advice.ini --set samples=130 --set folds=4 2>&1)" \
    'advice.ini: the smallest validation part has only 26 samples, so the score depends much on chance: use fewer folds'

# The choice of --rule, and its test part.
cheapest="select config from leaderboard where within_se order by flops, place limit 1"
is "best prints test scores only with --rule" "$(best | grep -c pearson)" 0
best --rule 1se >chosen
is "--rule 1se: the cheapest within one standard error" "$(grep -o '^chosen: c[0-9]*' chosen)" \
    "chosen: c$(sqlite3 results.db "$cheapest")"
is "its test part" "$(awk '$1 == "pearson" { print $2, $3 }' chosen)" \
    "$(sqlite3 results.db "select printf('2 %.5g', avg(test_pearson)) from trials where config = ($cheapest)")"
is "each metric, and no loss" "$(sed -n '/^test/,$p' chosen | awk '{ print $1 }' | tr '\n' ' ')" \
    "test mae pearson r2 rmse spearman "
like "a note says that the test part is for a single look" "$(cat chatter)" '^espalier: test scores are for the end'
like "--rule best" "$(best --rule best)" "^chosen: c$(sqlite3 results.db 'select config from leaderboard where place = 1'), place 1, the best$"
like "with --where" "$(best --rule best --where 'hidden_size = 4')" ', the best where hidden_size = 4$'
is "as csv one row" "$(best --rule 1se --format csv | cut -d, -f2)" "config
$(sqlite3 results.db "$cheapest")"
like "as a sweep file" "$(best --rule 1se --format ini | head -n 1)" \
    "^; configuration c$(sqlite3 results.db "$cheapest") .*, the cheapest within one standard error of the best$"
best >answer
is "a finished sweep gets no warning" "$(grep -c 'trials are done' chatter)" 0
fails "--where that leaves no choice" 1 "$ESPALIER" best --rule 1se --where 0

best --rule best >chosen
is "the chosen row is printed" "$(sed -n '/^chosen/,/^$/p' chosen | awk 'NR == 3 { print $2 }')" \
    "$(sqlite3 results.db 'select config from leaderboard where place = 1')"
is "the last line is the next command" "$(tail -n 1 chatter)" \
    "espalier: next: espalier predict results.db --config c$(sqlite3 results.db 'select config from leaderboard where place = 1') --all -o predictions.csv"
sqlite3 results.db "vacuum into 'modelless.db'"
sqlite3 modelless.db 'delete from model'
best modelless.db --rule best >chosen
like "without models it says so" "$(tail -n 1 chatter)" '^espalier: no model of c[0-9]* is kept; espalier predict modelless.db --config c[0-9]* prints how to train it again$'

# ---- another reference ----

best --reference c5 --format csv -n 0 >reference.csv
is "--reference: diff by hand" "$(sqlite3 -cmd '.import --csv reference.csv r' results.db "with d as (select t.config_id as config, t.value - b.value as d
    from trial as t join trial as b using (replicate, fold) where b.config_id = 5),
    m as (select config, avg(d) as mean, (max(d) - min(d)) / sqrt(2) as sd from d group by config)
    select count(*) from m join r using (config) where abs(diff - m.mean) < 1e-12
    and abs(diff_se - m.sd * sqrt(1.0 / 2 + 1.0 / 3)) < 1e-12")" 12
is "the other columns stay" "$(cut -d, -f1-10,16-18 reference.csv)" "$(best --format csv -n 0 | cut -d, -f1-10,16-18)"
is "the best one is the default" "$(best --format csv -n 0 --reference "c$(sqlite3 results.db 'select config from leaderboard where place = 1')")" "$(best --format csv -n 0)"
is "--where refers to it" "$(best --format csv -n 0 --reference 5 --where 'diff = 0' | cut -d, -f2)" "config
5"
like "the legend names it" "$(best --reference c5; cat chatter)" 'diff: difference from c5 on the same folds'
is "no configuration is compared with the best one" "$(grep -c 'told apart' chatter)" 0
refuses "--reference of another sweep" 2 "^espalier: --reference c99: sweep 'small' has no such configuration$" "$ESPALIER" best --reference c99
fails "--reference with a trial" 2 "$ESPALIER" best --reference t5

# Damaged copies: a pending trial, one trial a configuration, a setting missing from a
# configuration, the view of an older version.
for copy in pending single other older; do cp results.db $copy.db; done
sqlite3 pending.db "update trial set state = 'pending', value = null where trial_id = 3"
best pending.db >answer
like "a sweep that is not finished" "$(cat chatter)" '^espalier: warning: small: 23 of 24 trials are done, 1 is left: the leaderboard may change'
best pending.db --rule best >answer
like "test scores before the end" "$(cat chatter)" '^espalier: warning: these test scores are too early: 1 of 24 trials are left'
best --rule best >answer
is "no such warning at the end" "$(grep -c 'too early' chatter)" 0
best pending.db --rule best --format ini >answer
is "nor where no test score is shown" "$(grep -c 'too early' chatter)" 0
is "one pair has no interval" "$(best pending.db -n 0 --format csv --where 'pairs = 1' | cut -d, -f12-15 | tail -n +2)" ",,,1"
sqlite3 single.db "update trial set state = 'failed', value = null where replicate = 1"
is "one trial has neither an interval nor a mark" "$(best single.db -n 0 --format csv | cut -d, -f9,10,12-16 | sort | uniq -c | sed 's/^ *//')" \
    "12 ,,,,,1,
1 sd,se,diff_se,diff_low,diff_high,pairs,within_se"
refuses "--rule 1se needs a standard error" 1 'no standard error for --rule 1se: c[0-9]+ has one trial' "$ESPALIER" best single.db --rule 1se
sqlite3 other.db "update config set params = json_remove(params, '\$.dropout') where config_id = 5"
is "a missing setting" "$(best other.db -n 0 --where 'config = 5' --format csv | cut -d, -f3-5 | tail -n 1)" "4,,8"
sqlite3 older.db "drop view leaderboard; create view leaderboard as select 'small' as sweep, 1 as place,
    1 as config, 4 as hidden_size, 0 as dropout, 8 as batch_size, 2 as trials, 0.5 as mean, 0 as sd, 0 as se, 1 as seconds"
before=$(cksum <older.db)
is "the view of an older version" "$(best older.db -n 0 --format csv)" "$(cat best.csv)"
is "is left unchanged" "$(cksum <older.db)" "$before"

# The best configuration as a sweep file: its trials already have results.
best --format ini >best.ini
keys() {
    sqlite3 "$1" "select key from trial where config_id = (select config from leaderboard
        where place = 1) order by key"
}
ok "the sweep file of the best runs" "$ESPALIER" run best.ini --db again.db --progress none
is "one configuration" "$(sqlite3 again.db 'select count(*) from config')" 1
is "the same keys" "$(keys again.db)" "$(keys results.db)"
is "the same numbers" "$(sqlite3 again.db "select quote(value) from trial order by key")" \
    "$(sqlite3 results.db "select quote(value) from trial where config_id = (select config
        from leaderboard where place = 1) order by key")"
ok "in the same database" "$ESPALIER" run best.ini --progress none
is "there is nothing to do" "$(sqlite3 results.db 'select count(*) from attempt')" 24
best --format ini --where 'hidden_size = 8' >best8.ini
like "--where chooses" "$(cat best8.ini)" '^hidden_size = 8$'
fails "--where without matches" 1 "$ESPALIER" best --format ini --where 0

# Every effective setting is written, for any kind of data, and the file trains the same trials.
is "defaults are written out" "$(grep -E '^(layers|scale|objective|weight_decay|samples|test) = ' best.ini | tr '\n' ' ')" \
    "objective = val_pearson scale = standardize samples = 60 test = 0.2 layers = 2 weight_decay = 0.0005 "
is "and nothing else" "$(grep -cE '= *$|auto|^(lambda|maf|group|edges) =' best.ini)" 0
ok "a panel" "$ESPALIER" simulate panel
awk -F'[,;]' 'NR == 1 { print "id,part,family"; next } { print $1 "," (NR % 4 ? "train" : "val") "," NR % 9 }' panel/phenotypes.csv >parts.csv
awk -F'[,;]' -v OFS=, 'NR == 1 { print $0, "family"; next } { print $0, NR % 9 }' panel/phenotypes.csv >joined.csv
cat >panel.ini <<'INI'
[data]
genotypes = panel/genotypes.csv
phenotypes = panel/phenotypes.csv
format = genotype
[split]
file = parts.csv
[train]
epochs = 2
[grid]
hidden_size = 4
type = mlp, ridge, gcn
threads = 1
INI
same_again() { # NAME PLACE OPTION...: write the configuration at PLACE of the sweep, and run it alone
    name=$1 place=$2
    shift 2
    ok "$name" "$ESPALIER" run panel.ini --db "$place.db" --progress none "$@"
    best "$place.db" --format ini --where "place = $place" >again.ini
    ok "... as a file" "$ESPALIER" run again.ini --db "again$place.db" --progress none
    is "... without warnings about settings" "$(grep -cE 'does nothing|belongs to' .err)" 0
    is "... with the same keys" "$(sqlite3 "again$place.db" 'select key from trial order by key')" \
        "$(sqlite3 "$place.db" "select key from trial where config_id = (select config from leaderboard where place = $place) order by key")"
}
same_again "genotypes with a split file" 1
same_again "the second" 2
same_again "with groups" 3 --set split.file= --set group=family --set data.phenotypes=joined.csv --set data.trait=trait --set folds=groups

# Two sweeps in a file.
sed -e 's/= small/= other/' -e 's/^dropout.*/layers = 1, 2/' small.ini >other.ini
ok "another sweep" "$ESPALIER" run other.ini --progress none
like "best shows the last sweep" "$(best; cat chatter)" "^espalier: sweep 'other', the last of 2"
is "with its own axes" "$(best --format csv | head -n 1)" \
    "place,config,hidden_size,layers,batch_size,trials,mean,val_r2,sd,se,diff,diff_se,diff_low,diff_high,pairs,within_se,flops,seconds"
is "--sweep" "$(best --sweep small --format csv -n 0 | wc -l)" 13
fails "a missing sweep" 1 "$ESPALIER" best --sweep none
is "the message lists the sweeps" "$(cat .err)" \
    "espalier: results.db: no sweep 'none' in it; its sweeps are: small, other"
to_full_disk() { "$ESPALIER" best >/dev/full; }
fails "a full disk behind stdout" 1 to_full_disk
# ---- tables for papers ----

ok "a small sweep" "$ESPALIER" run small.ini --set 'name=a|b_%' --set grid.dropout=0.1 --set split.test=0.2 --db paper.db --progress none
sqlite3 paper.db 'update trial set value = config_id * 0.1 - replicate * config_id * config_id / 300.0'
caption='val\_pearson (largest first), mean ± standard deviation over 2 replicates. Differences are on the same replicates, with the corrected interval of Nadeau &amp; Bengio (2003).'
is "markdown" "$(best paper.db -n 2 --format markdown)" "Table: a\|b\_%: $caption

| place | config | hidden\\_size | dropout | batch\\_size | val\\_pearson  | difference from the best (95 % interval) |
|--:|--:|--:|--:|:--|:--|:--|
|     1 |      4 |            8 |     0.1 | full        | 0.373 ± 0.038 | reference                                |
|     2 |      3 |            8 |     0.1 | 8           | 0.285 ± 0.021 | −0.088 (−0.280 to 0.103)                 |"
like "latex" "$(best paper.db --where 'hidden_size = 4' --format latex)" '^    3 &      2 &            4 &     0.1 & full        & 0.193 \$.pm\$ 0.009 '
is "of the choice alone" "$(best paper.db --rule best --format markdown)" "$(best paper.db -n 1 --format markdown)"
is "which has no differences" "$(best paper.db -n 1 --format markdown | tail -n 1 | tr -s ' '; best paper.db -n 1 --format markdown | grep -c ifference)" \
    "| 1 | 4 | 8 | 0.1 | full | 0.373 ± 0.038 |
0"
like "the message names sweep and objective" "$(best paper.db --format latex >/dev/null; cat chatter)" '^espalier: a\|b_%: mean of val_pearson'
like "another reference is in the name of the column" "$(best paper.db --reference c2 --format markdown)" "difference from c2 \(95 % interval\)"
like "the test part" "$(best paper.db --rule best --section test --format markdown)" '^\| pearson +\| .*[0-9] ± [0-9.]+ +\|$'
sqlite3 paper.db "update trial set state = 'failed', value = NULL where config_id = 3 and replicate = 1"
like "a configuration with fewer trials is marked" "$(best paper.db --where 'hidden_size = 8' --format markdown)" '[.] † Fewer than 2 trials have a score[.]$'
like "failed trials are counted" "$(cat chatter)" "^espalier: warning: 1 of 8 trials failed: 'espalier status' lists the reasons"
sqlite3 paper.db "update trial set state = 'pending', value = NULL where config_id = 3"
like "an unfinished sweep is preliminary" "$(best paper.db --format markdown)" '^Table: PRELIMINARY: 2 of 8 trials are left, so all numbers may still change[.] a'
like "no score is explained" "$(best paper.db --format markdown | tr -s ' ')" '[.] –: no trial has a score[.]$'
is "and stands beside no reference" "$(best paper.db --where 'config = 3' --format csv | cut -d, -f2; best paper.db --format markdown | tr -s ' ' | grep -c '| – |')" "config
3
1"
sqlite3 paper.db "update trial set state = 'diverged' where config_id = 3"
best paper.db --rule best --format json >none
like "diverged ones, too" "$(cat chatter)" "^espalier: warning: 2 of 8 trials diverged: 'espalier status' lists"
ok "a single trial" "$ESPALIER" run small.ini --set grid.dropout=0 --set grid.hidden_size=4 --set grid.batch_size=8 --set replicates=1 --db lone.db --progress none
like "has no deviation and no differences" "$(best lone.db --format markdown)" '^Table: small: val\\_pearson \(largest first\), one trial of each configuration[.]$'
fails "--section with ini stays refused" 2 "$ESPALIER" best --section leaderboard --format ini

# ---- a program ----

program_sweep
fails "a sweep of a program, one trial fails" 3 "$ESPALIER" run program.ini --db program.db --progress none
is "its objective may have any name" "$(best program.db --rule best --format csv | cut -d, -f1-7)" "place,config,size,kind,trials,mean,sd
1,3,8,\"a, b\",3,0.592"
like "its folds have the corrected interval" "$(best program.db --format markdown)" '[.] Differences are on the same folds, with the corrected interval of Nadeau &amp; Bengio [(]2003[)][.]'
sed 's/^folds = 3/replicates = 3/' program.ini >repeats.ini
"$ESPALIER" run repeats.ini --set name=repeats --db repeats.db --progress none -q 2>.err
like "without folds it has that of the paired t test" "$(best repeats.db --format latex)" '[.] Differences are on the same replicates, with the interval of the paired t test[.]'
like "the direction is that of the sweep" "$(best program.db >/dev/null; cat chatter)" "^espalier: program: mean of score over replicates and folds, largest first"
like "files are the next step, no model" "$(best program.db --rule best >/dev/null; cat chatter)" "^espalier: next: espalier show program.db c3$"
best program.db --format ini >choice.ini
is "a sweep file has the command and the values" "$(sed -n -e '/^command/p' -e '/^kind/,/^size/p' choice.ini)" 'command = sh program.sh {size} {kind} {rest}
kind = "a, b"
rest = 7
size = 8'
ok "it runs" "$ESPALIER" run choice.ini --db choice.db --progress none
is "and gives the same keys" "$(sqlite3 choice.db "attach 'program.db' as p" "select count(*) from trial join p.trial as t using (key) where trial.value = t.value")" 3

done_testing
