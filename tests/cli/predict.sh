#!/bin/sh
# What kept models say of samples, of the panel and new ones: that it is what was recorded.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

"$ESPALIER" simulate panel --samples 120 --markers 90 >/dev/null 2>&1
awk -F, 'NR == 1 || NR % 4' panel/phenotypes.csv >some.csv
awk -F, -v OFS=, 'NR > 1 { $2 = $2 < 80 ? "low" : $2 < 95 ? "mid" : "high" } 1' some.csv >classes.csv
cat >grid.ini <<'INI'
[sweep]
name = traits
keep = all
folds = 3
[data]
format = genotype
genotypes = panel/genotypes.csv
phenotypes = some.csv
[split]
test = 0.2
[train]
epochs = 5
[model]
layers = 3
residual = yes
batch_norm = yes
hidden_size = 8
dropout = 0.1
[graph]
k = 5
[grid]
type = gcn, mlp, ridge
reduce = none, exact
INI
run() { "$ESPALIER" run grid.ini --progress none "$@" 2>/dev/null; }
predict() { "$ESPALIER" predict "$@" 2>/dev/null; }

# The correlation of the predictions on stdin with the table given.
cat >pearson.awk <<'AWK'
BEGIN { FS = "," }
NR == FNR { y[$1] = $2; next }
FNR > 1 { n++; a = y[$1]; b = $2; sa += a; sb += b; saa += a * a; sbb += b * b; sab += a * b }
END { printf "%.4f\n", (sab - sa * sb / n) / sqrt((saa - sa * sa / n) * (sbb - sb * sb / n)) }
AWK
# The share of classes that are right.
cat >accuracy.awk <<'AWK'
BEGIN { FS = "," }
NR == FNR { y[$1] = $2; next }
FNR > 1 { n++; right += y[$1] == $2 }
END { printf "%.4f\n", right / n }
AWK
# Scores of all trials of DB, for PART: as recorded, and of the predictions.
recorded() { sqlite3 "$1" "select trial_id || ' ' || printf('%.4f', value) from metric where name = '$3' and split = '$2' order by trial_id"; }
predicted() {
    sqlite3 "$1" 'select trial_id from trial order by 1' | while read -r t; do
        echo "$t $(predict "$1" --trial "t$t" --part "$2" | awk -f "$3.awk" "$4" -)"
    done
}
run
is "there are gcn, mlp and ridge" "$(sqlite3 results.db "select group_concat(state || n) from (select state, count(*) as n from trial group by 1)")" done15
is "predictions of validation samples have the recorded score" "$(predicted results.db val pearson some.csv)" "$(recorded results.db val pearson)"
is "and of test samples" "$(predicted results.db test pearson some.csv)" "$(recorded results.db test pearson)"
run --set phenotypes=classes.csv --set name=classes --set task=classification --db classes.db
is "classes" "$(sqlite3 classes.db "select state || count(*) from trial")" done15
is "have the recorded accuracy" "$(predicted classes.db val accuracy classes.csv)" "$(recorded classes.db val accuracy)"
run --set name=graphs --set type=gcn --set reduce=none --set build=threshold --set metric=kinship --set threshold=0.05 --set weights=similarity --set scale=none --db graphs.db
is "another graph, raw features" "$(predicted graphs.db val pearson some.csv)" "$(recorded graphs.db val pearson)"

# Without a phenotype: the mean over the folds, with its spread.
ok "the best configuration" "$ESPALIER" predict -o new.csv
best=$(sqlite3 results.db 'select config from leaderboard where place = 1')
like "is named" "$(cat .err)" "the best configuration of sweep 'traits': c$best, mean val_pearson"
is "samples without a phenotype" "$(cut -d, -f1 new.csv | sed 1d)" "$(awk -F, 'NR == FNR { has[$1]; next } FNR > 1 && !($1 in has) { print $1 }' some.csv panel/phenotypes.csv)"
is "have a header" "$(head -n 1 new.csv)" id,prediction,sd,models
predict --each >each.csv
is "mean and sd are those of the models" "$(awk -F, 'NR > 1 { m = ($5 + $6 + $7) / 3; v = (($5-m)^2 + ($6-m)^2 + ($7-m)^2) / 2
    d = m - $2; e = sqrt(v) - $3; bad += d * d > 1e-8 || e * e > 1e-8 || $4 != 3 } END { print bad + 0, (NR > 20) }' each.csv)" "0 1"
is "in units of the trait" "$(awk -F, 'NR > 1 { s += $2; n++ } END { print (s / n > 20 && s / n < 150) }' new.csv)" 1
is "all of them" "$(predict --all | wc -l)" 121
is "out of fold, each once" "$(predict --part val --config c1 | cut -d, -f4 | sort | uniq -c | tr -s ' ')" " 72 1
 1 models"
like "json" "$(predict --format json | head -n 1)" '^\[\{"id": "s[0-9]+", "prediction": [0-9.]+, "sd": [0-9.]+, "models": 3\},'
is "probabilities add up" "$(predict classes.db --config c1 | awk -F, 'NR > 1 { d = $5 + $6 + $7 - 1; bad += d * d > 1e-9 } END { print bad + 0, (NR > 20) }')" "0 1"
is "of classes by name" "$(predict classes.db --config c1 | head -n 1)" id,prediction,sd,models,p_high,p_low,p_mid
is "ridge has scores" "$(predict classes.db --config c5 | head -n 1)" id,prediction,sd,models,score_high,score_low,score_mid

# What cannot be predicted is said.
refused() { fails "$1" "$2" "$ESPALIER" predict "$3" $4 && is "is said: $1" "$(cat .err)" "espalier: $5"; }
refused "no such configuration" 1 results.db "--config c99" "results.db: no configuration c99"
refused "no id" 1 results.db "--config best" "'best' is no configuration: must be c12 for example"
refused "no such trial" 1 results.db "--trial t99" "no trial 99"
refused "two" 2 results.db "--trial t1 --config c1" "--config and --trial: one of them alone"
sqlite3 results.db ".backup none.db" && sqlite3 none.db "delete from model where trial_id = 1; update trial set state = 'pending' where trial_id = 2; delete from model where trial_id > 3"
like "no model" "$("$ESPALIER" predict none.db --trial t1 2>&1)" "^espalier: none.db: no model of t1 is kept: with keep = best .* the same trials can be run again"
like "nor of a configuration" "$("$ESPALIER" predict none.db --config c3 2>&1)" "^espalier: none.db: no model of c3 is kept"
refused "a trial that is not done" 1 none.db "--trial t2" "none.db: t2 is not done: it is pending"
fails "the data are not overwritten" 1 "$ESPALIER" predict -o some.csv
mv panel elsewhere
fails "data that have moved" 1 "$ESPALIER" predict
like "are named" "$(cat .err)" "panel/genotypes.csv"
is "and found" "$(predict --set genotypes=elsewhere/genotypes.csv)" "$(cat new.csv)"
mv elsewhere panel
cp some.csv other.csv && sed -i '2s/,.*/,50/' other.csv
fails "other data" 1 "$ESPALIER" predict --set phenotypes=other.csv
like "are refused" "$(cat .err)" "the data are not those that were trained on"
done_testing
