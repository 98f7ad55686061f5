#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Kept models predict samples of the panel, as recorded, and new ones.
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

# The correlation of the predictions on stdin with a table.
cat >pearson.awk <<'AWK'
BEGIN { FS = "," }
NR == FNR { y[$1] = $2; if (NR == 2) zero = $2; next }
FNR > 1 { n++; a = y[$1] - zero; b = $2 - zero; sa += a; sb += b; saa += a * a; sbb += b * b; sab += a * b }
END { printf "%.4f\n", (sab - sa * sb / n) / sqrt((saa - sa * sa / n) * (sbb - sb * sb / n)) }
AWK
# The share of correct classes.
cat >accuracy.awk <<'AWK'
BEGIN { FS = "," }
NR == FNR { y[$1] = $2; next }
FNR > 1 { n++; right += y[$1] == $2 }
END { printf "%.4f\n", right / n }
AWK
# Scores of all trials of DB for PART: as recorded, and computed from the predictions.
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

# Numbers far from 0, exact in float: the predictions lie between them.
awk -F, -v OFS=, 'NR > 1 { $2 = sprintf("%.4f", int($2 * 16) / 16 + 1000000) } 1' some.csv >far.csv
run --set phenotypes=far.csv --set name=far --set grid.type=gcn,ridge --db far.db
is "numbers far from 0 have the recorded score" "$(predicted far.db val pearson far.csv)" "$(recorded far.db val pearson)"
is "and differ" "$(predict far.db --trial t1 --part val | cut -d, -f2 | sort -u | wc -l)" "$(predict far.db --trial t1 --part val | wc -l)"

# predict prints recorded scores: of one model, and as the mean of several.
scores() { "$ESPALIER" predict "$@" 2>&1 >/dev/null | grep '^espalier: \(val\|test\): '; }
figures() { sqlite3 "$1" "select group_concat(name || ' ' || printf('%.4g', v), ', ') from (select name, avg(value) as v from metric
    where split = '$2' and trial_id $3 and name <> 'loss' group by name order by instr('pearson r2 rmse mae spearman accuracy macro_f1 roc_auc log_loss', name))"; }
# Print both texts as one if they agree to three digits, otherwise separately.
near() { printf '%s\n%s\n' "$1" "$2" | awk 'NR == 1 { n = split($0, a, "[ ,]+"); next }
    { m = split($0, b, "[ ,]+"); bad = n != m || n < 4
      for (i = 1; i <= n; i++) { d = a[i] - b[i]; w = 0.001 + 0.001 * (b[i] < 0 ? -b[i] : b[i]); bad += i % 2 ? a[i] != b[i] : d > w || d < -w }
      print bad ? "apart" : "near" }'; }
of_one() { scores "$1" --trial "t$3" --part "$2" | sed 's/.*: //'; }
for t in 1 7 13; do
    is "t$t: the val scores are printed" "$(near "$(of_one results.db val $t)" "$(figures results.db val "= $t")")" near
    is "and the test scores" "$(near "$(of_one results.db test $t)" "$(figures results.db test "= $t")")" near
    is "and scores of classes" "$(near "$(of_one classes.db val $t)" "$(figures classes.db val "= $t")")" near
done
like "the message names the model" "$(scores results.db --trial t2 --part val)" "^espalier: val: 24 samples, by t2: pearson "
is "folds have one line, with the mean" "$(scores results.db --config c1 --part val | sed 's/:[^:]*$//')" \
    "espalier: val: 72 samples, each predicted by the one of 3 models that has it in this part
espalier: val: mean of the 3 models' own scores, as in 'best'"
is "the mean equals that of best" "$(near "$(scores results.db --config c1 --part val | sed -n '$s/.*: //p')" "$(figures results.db val "<= 3")")" near
is "and differs from one fold's" "$(near "$(scores results.db --config c1 --part val | sed -n '$s/.*: //p')" "$(figures results.db val "= 3")")" apart
predict --config c1 --part test >test.csv
like "an ensemble has scores of its own" "$(scores results.db --config c1 --part test)" \
    "^espalier: test: 18 samples, each predicted by the mean of 3 models: pearson "
is "computed from its predictions" "$(near "pearson $(awk -f pearson.awk some.csv test.csv) r2 1" "$(scores results.db --config c1 --part test | sed -n '1s/.*: \(pearson [^,]*\),.*/\1 r2 1/p')")" near
like "ridge has scores, no probabilities" "$(scores classes.db --config c5 --part test)" "accuracy [0-9.]*, macro_f1 [0-9.]*, roc_auc [0-9.]*$"
is "training samples have no score" "$(scores results.db --all)$(scores results.db)" ""

# Samples without a phenotype: the mean over the folds, with its spread.
ok "the best configuration" "$ESPALIER" predict -o new.csv
best=$(sqlite3 results.db 'select config from leaderboard where place = 1')
like "the message names it" "$(cat .err)" "sweep 'traits': c$best is the best, with a mean val_pearson of"
ok "--rule best chooses the same" "$ESPALIER" predict --rule best -o rule.csv
is "and predicts the same" "$(cat rule.csv)" "$(cat new.csv)"
is "seven digits of a float, in CSV and JSON" "$({ cat new.csv; predict --format json; } | grep -cE '[0-9]{3}[.][0-9]{6}|[0-9]{2}[.][0-9]{7}')" 0
cheapest=$("$ESPALIER" best --rule 1se --format csv 2>/dev/null | sed -n '2s/^[0-9]*,\([0-9]*\),.*/\1/p')
is "--rule 1se" "$("$ESPALIER" predict --rule 1se 2>&1 >/dev/null | sed -n "s/.*: c\([0-9]*\) is the cheapest within one standard error of the best, .*/\1/p")" "$cheapest"
is "without --rule a note names another choice of 1se" "$("$ESPALIER" predict 2>&1 >/dev/null | sed -n 's/^espalier: --rule 1se would use c\([0-9]*\), the cheapest .*/\1/p')" "$(echo "$cheapest" | grep -vx "$best")"
is "with it there is none" "$("$ESPALIER" predict --rule best 2>&1 >/dev/null | grep -c 'would use')" 0
is "samples without a phenotype" "$(cut -d, -f1 new.csv | sed 1d)" "$(awk -F, 'NR == FNR { has[$1]; next } FNR > 1 && !($1 in has) { print $1 }' some.csv panel/phenotypes.csv)"
is "have a header" "$(head -n 1 new.csv)" id,prediction,sd,models,sample
predict --each >each.csv
is "mean and sd are those of the models" "$(awk -F, 'NR > 1 { m = ($6 + $7 + $8) / 3; v = (($6-m)^2 + ($7-m)^2 + ($8-m)^2) / 2
    d = m - $2; e = sqrt(v) - $3; bad += d * d > 1e-8 || e * e > 1e-8 || $4 != 3 } END { print bad + 0, (NR > 20) }' each.csv)" "0 1"
is "in units of the trait" "$(awk -F, 'NR > 1 { s += $2; n++ } END { print (s / n > 20 && s / n < 150) }' new.csv)" 1
is "all of them" "$(predict --all | wc -l)" 121
is "marked as new or used for training" "$(predict --all | cut -d, -f5 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 30 new; 1 sample; 18 test; 72 training;"
is "those of one fold by its part" "$(predict --trial t1 --all | cut -d, -f5 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 30 new; 1 sample; 18 test; 48 training; 24 val;"
is "genotypes of known samples likewise" "$(predict --genotypes panel/genotypes.csv --all --config c1 | cut -d, -f5 | sort -u | tr '\n' ' ')" "new sample test training "
is "out-of-fold samples occur once each" "$(predict --part val --config c1 | cut -d, -f4 | sort | uniq -c | tr -s ' ')" " 72 1
 1 models"
like "json" "$(predict --format json | head -n 1)" '^\[\{"id": "s[0-9]+", "prediction": [0-9.]+, "sd": [0-9.]+, "models": 3, "sample": "new"\},'
is "probabilities add up" "$(predict classes.db --config c1 | awk -F, 'NR > 1 { d = $6 + $7 + $8 - 1; bad += d * d > 1e-9 } END { print bad + 0, (NR > 20) }')" "0 1"
is "classes are named" "$(predict classes.db --config c1 | head -n 1)" id,prediction,sd,models,sample,p_high,p_low,p_mid
is "ridge has scores" "$(predict classes.db --config c5 | head -n 1)" id,prediction,sd,models,sample,score_high,score_low,score_mid

# Impossible requests are refused.
# shellcheck disable=SC2086 # options are several words
refused() { fails "$1" "$2" "$ESPALIER" predict "$3" $4 && is "is said: $1" "$(cat .err)" "espalier: $5"; }
refused "no such configuration" 1 results.db "--config c99" "results.db: no configuration c99 in it"
refused "an id that does not exist" 2 results.db "--config best" "'best' is not a configuration: must be a number, as in c12"
refused "no such trial" 1 results.db "--trial t99" "results.db: no trial t99 in it"
refused "two choices at once" 2 results.db "--trial t1 --config c1" "--config, --trial and --rule exclude each other"
sqlite3 results.db ".backup none.db" && sqlite3 none.db "delete from model where trial_id = 1; update trial set state = 'pending' where trial_id = 2; delete from model where trial_id > 3"
like "no model" "$("$ESPALIER" predict none.db --trial t1 2>&1)" "^espalier: none.db: no model of t1 is kept: keep = best .* to train it again, run the same sweep with another --db"
like "no model of a configuration" "$("$ESPALIER" predict none.db --config c3 2>&1)" "^espalier: none.db: no model of c3 is kept"
sqlite3 results.db ".backup two.db" && sqlite3 two.db "delete from model where trial_id = 2"
like "fewer models than trials" "$("$ESPALIER" predict two.db --config c1 2>&1 >two.csv)" "^espalier: warning: c1: 2 of its 3 trials have models: t1, t3; predictions use only these$"
is "are counted in each row" "$(cut -d, -f4 two.csv | sort -u | tr '\n' ' ')" "2 models "
refused "a trial that is not done" 1 none.db "--trial t2" "none.db: t2 is not done: it is pending"
fails "the data are not overwritten" 1 "$ESPALIER" predict -o some.csv
mv panel elsewhere
fails "moved data" 1 "$ESPALIER" predict
like "the message names them" "$(cat .err)" "panel/genotypes.csv"
is "and finds them at the given place" "$(predict --set genotypes=elsewhere/genotypes.csv)" "$(cat new.csv)"
mv elsewhere panel
cp some.csv other.csv && sed -i '2s/,.*/,50/' other.csv
fails "other data" 1 "$ESPALIER" predict --set phenotypes=other.csv
like "are refused" "$(cat .err)" "the data are not the training data"

# ---- new samples ----

# A VCF of the panel. Some calls of the samples without a phenotype are missing. From line NR of the
# markers on, `turn` swaps REF and ALT, `other` gives other alleles, `drop` leaves the marker out.
cat >vcf.awk <<'AWK'
BEGIN { FS = "," }
NR == FNR { has[$1]; next }
FNR == 1 { n = NF; next }
{ id[++rows] = $1; for (j = 2; j <= n; j++) g[rows, j] = $j }
END {
    printf "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
    printf "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
    for (i = 1; i <= rows; i++)
        printf "\t%s", id[i]
    print ""
    for (j = 2; j <= n; j++) {
        if (drop && j % drop == 0)
            continue
        is_turned = turn && j % turn == 0
        is_other = other && j % other == 0
        printf "1\t%d\t.\t%s\t%s\t.\t.\t.\tGT", 100 * j, is_other ? "C" : is_turned ? "G" : "A", is_turned ? "A" : "G"
        for (i = 1; i <= rows; i++) {
            d = is_turned ? 2 - g[i, j] : g[i, j]
            if (!(id[i] in has) && (i + j) % 11 == 0)
                printf "\t./."
            else
                printf "\t%s", d == 0 ? "0/0" : d == 1 ? "0/1" : "1/1"
        }
        print ""
    }
}
AWK
vcf() { awk "$@" -f vcf.awk some.csv panel/genotypes.csv; }
vcf >panel.vcf
run --set genotypes=panel.vcf --set subset=phenotyped --set name=vcf --db vcf.db
fails "samples that subset = phenotyped left out" 1 "$ESPALIER" predict vcf.db
is "the message names the option that predicts them" "$(sed -n '$s/--genotypes [^ ]*\//--genotypes /p' .err)" "espalier: the training data have only samples with a phenotype (data.subset = phenotyped): --genotypes panel.vcf predicts the others; --part val, --part test and --all predict training samples"
is "trained on the phenotyped samples of a VCF" "$(sqlite3 vcf.db "select samples, state, count(*) from sweep, trial group by 2")" "90|done|15"
new() { predict vcf.db --config "$1" --genotypes "$2"; }

for config in 1 2 3 5; do
    new "$config" panel.vcf >"new$config.csv"
done
is "new samples are those without a phenotype" "$(wc -l <new1.csv)" 31
vcf -v turn=3 >turned.vcf
for config in 1 2 3 5; do
    is "REF and ALT swapped: c$config predicts the same" "$(new "$config" turned.vcf)" "$(cat "new$config.csv")"
done
ok "swapped alleles are counted" "$ESPALIER" predict vcf.db --config c1 --genotypes turned.vcf
like "the message says so" "$(cat .err)" "turned.vcf: 90 of 90 markers found, 30 of them with REF and ALT swapped; 0 absent, 0 of them with other alleles"
like "and missing calls" "$(cat .err)" "turned.vcf: absent markers and 24[0-9] missing calls"
vcf -v drop=5 >dropped.vcf
ok "markers that are absent" "$ESPALIER" predict vcf.db --config c1 --genotypes dropped.vcf
like "are counted" "$(cat .err)" "dropped.vcf: 72 of 90 markers found, 0 of them with REF and ALT swapped; 18 absent, 0 of them with other alleles"
vcf -v other=5 >other.vcf
is "markers with other alleles count as absent" "$(new 1 other.vcf)" "$(new 1 dropped.vcf)"
ok "they are counted" "$ESPALIER" predict vcf.db --config c1 --genotypes other.vcf
like "in the message, too" "$(cat .err)" "18 absent, 18 of them with other alleles"
is "the prediction differs" "$(new 1 dropped.vcf | same new1.csv)" "different 30"
# Chromosome names with a prefix, and other names.
sed 's/^1\t/chr1\t/; s/ID=1>/ID=chr1>/' panel.vcf >chr.vcf
is "chr1 matches 1" "$(new 1 chr.vcf)" "$(cat new1.csv)"
ok "a message reports the match" "$ESPALIER" predict vcf.db --config c1 --genotypes chr.vcf
like "only once" "$(cat .err)" 'chr.vcf: 90 of them on chromosomes with another name: "chr1" matches "1" of the training data'
sed 's/^1\t/NC_003070.9\t/' panel.vcf >refseq.vcf
fails "another name" 1 "$ESPALIER" predict vcf.db --config c1 --genotypes refseq.vcf
like "is refused" "$(cat .err)" 'refseq.vcf: none of its chromosomes is in the training data: the first is "NC_003070.9", that of the training data is "1"'
# Other samples in the file do not matter.
for config in 1 2 5; do
    cut -f 1-9,12,16,20,24,28 panel.vcf | sed '1,3d' | { head -n 3 panel.vcf && cat; } >few.vcf
    is "fewer samples: c$config predicts the same" "$(new "$config" few.vcf | same "new$config.csv")" "same 5"
done
# A model without a graph predicts the same for a sample of the panel read as new.
for config in 3 5; do
    predict vcf.db --config "$config" --all >all.csv
    is "samples of the panel as new ones: c$config" "$(predict vcf.db --config "$config" --genotypes panel.vcf --all | awk -F, 'NR == FNR { has[$1]; next } $1 in has' all.csv - | same all.csv)" "same 90"
done
like "a message reports the match" "$("$ESPALIER" predict vcf.db --config 1 --genotypes panel.vcf --all 2>&1 >/dev/null)" \
    "panel.vcf: 90 of these samples are also in the training data: a graph joins such samples to their own copies"
is "an mlp has no graph" "$("$ESPALIER" predict vcf.db --config 3 --genotypes panel.vcf --all 2>&1 >/dev/null | grep -c "to their own copies")" 0
fails "a file of genotypes in place of the database" 1 "$ESPALIER" predict panel.vcf
is "the message names the option" "$(cat .err)" "espalier: panel.vcf: not a database; to predict new samples in it: --genotypes panel.vcf"
is "new samples are not reported" "$("$ESPALIER" predict vcf.db --config 1 --genotypes few.vcf 2>&1 >/dev/null | grep -c "to their own copies")" 0
# The same samples in other formats.
awk -F, -v OFS=, 'NR == 1 { for (j = 2; j <= NF; j++) $j = "1_" 100 * j } 1' panel/genotypes.csv >table.csv
vcf | sed 's#\./\.#0/0#g' >whole.vcf
awk '!/^#/' panel.vcf | awk -F'\t' '{ for (i = 10; i <= NF; i++) if ($i == "./.") print i - 8 "," NR + 1 }' |
    awk -F, -v OFS=, 'NR == FNR { none[$1, $2]; next } { for (j = 2; j <= NF; j++) if ((FNR, j) in none) $j = "NA" } 1' - table.csv >missing.csv
is "a table" "$(new 1 missing.csv | same new1.csv)" "same 30"
like "a note says that its alleles are unknown" "$("$ESPALIER" predict vcf.db --config c1 --genotypes missing.csv 2>&1)" "warning: missing.csv: 90 markers found only by name or id"
awk -F, -v OFS=, 'NR > 1 { for (j = 2; j <= NF; j++) $j = $j == "NA" ? $j : $j - 1 } 1' missing.csv >centred.csv
# Match by ids: the VCF names its markers, the table uses these names as columns, and the reverse.
# The training data may be removed.
awk -F'\t' -v OFS='\t' '!/^#/ { $3 = "rs" $2 } 1' panel.vcf >ids.vcf
sed '1s/1_/rs/g' missing.csv >ids.csv
run --set genotypes=ids.vcf --set subset=phenotyped --set name=vcf --set hidden_size=4 --db ids.db
is "ids do not change the data" "$(sqlite3 ids.db "select data_digest from sweep")" "$(sqlite3 vcf.db "select data_digest from sweep")"
mv ids.vcf away.vcf
ok "a table of ids" "$ESPALIER" predict ids.db --config 3 --genotypes ids.csv -o by_id.csv
like "a table is found by ids, without the training data" "$(cat .err)" "ids.csv: 90 of 90 markers found, 0 of them with REF and ALT swapped and 90 by their ids; 0 absent"
like "with a warning" "$(cat .err)" "warning: ids.csv: 90 markers found only by name or id: the allele that their dosages count is not known"
mv away.vcf ids.vcf
is "predictions equal those matched by position" "$(predict ids.db --config 3 --genotypes ids.vcf | same by_id.csv)" "same 30"
awk -F, '{ for (j = 1; j <= NF; j++) t[j] = t[j] (NR > 1 ? "," : "") $j } END { for (j = 1; j <= NF; j++) print t[j] }' table.csv >transposed.csv
fails "a transposed table" 1 "$ESPALIER" predict vcf.db --config c1 --genotypes transposed.csv
is "the message recognises it" "$(cat .err)" "espalier: transposed.csv: 90 of its 90 rows have names of markers of the training data: the table is transposed: it must have a row for each sample and a column for each marker"
is "a table of -1, 0 and 1 is recoded" "$(new 1 centred.csv | same new1.csv)" "same 30"
like "a note counts its calls" "$("$ESPALIER" predict vcf.db --config c1 --genotypes centred.csv 2>&1)" "centred.csv: 2454 calls from -1 to 1 recoded to the range of the training data, 0 to 2"
awk -F'\t' -v OFS='\t' '/^##/ { next }
    { is_first = /^#/
      $1 = is_first ? "rs#\talleles\tchrom\tpos\tstrand\tassembly#\tcenter\tprotLSID\tassayLSID\tpanelLSID\tQCcode" : \
          "s" NR "\t" (NR % 2 ? "A/G" : "G/A") "\t1\t" $2 "\t+\tNA\tNA\tNA\tNA\tNA\tNA"
      out = $1
      for (i = 10; i <= NF; i++) out = out "\t" (is_first ? $i : $i == "0/0" ? "AA" : $i == "0/1" ? "AG" : $i == "1/1" ? "GG" : "NN")
      print out }' panel.vcf >panel.hmp.txt
is "HapMap, half of the sites reversed" "$(new 1 panel.hmp.txt)" "$(cat new1.csv)"
# Compute the row of a new sample independently, from the published method.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    for graph in "build=knn" "build=threshold --set threshold=0.1 --set metric=correlation --set weights=similarity" "build=threshold --set threshold=0.02 --set metric=kinship --set weights=similarity"; do
        rm -f one.db*
        # shellcheck disable=SC2086
        run --set genotypes=panel.vcf --set subset=phenotyped --set name=one --set type=gcn --set reduce=none --set layers=2 --set residual=no \
            --set batch_norm=no --set folds=0 --set $graph --db one.db
        "$ESPALIER" show one.db t1 --model one.safetensors --force 2>/dev/null
        /usr/bin/python3 "$SRCDIR/tests/cli/joined.py" one.safetensors panel.vcf some.csv >numpy.csv
        is "numpy predicts the same, $graph" "$(predict one.db --genotypes panel.vcf | same numpy.csv)" "same 30"
    done
else
    echo "# no numpy: not compared with other means"
fi
# Refused.
vcf -v drop=1 >none.vcf
fails "no marker" 1 "$ESPALIER" predict vcf.db --genotypes none.vcf
like "is refused" "$(cat .err)" "none.vcf: contains 0 of the 90 markers of the training data, the first of which is \"1_200\" \(0 with other alleles\): must contain some of them"
head -n 30 panel.vcf >third.vcf
fails "less than half" 1 "$ESPALIER" predict vcf.db --genotypes third.vcf
ok "--few-markers accepts it" "$ESPALIER" predict vcf.db --genotypes third.vcf --few-markers
fails "no new sample" 1 "$ESPALIER" predict results.db --genotypes some.csv
fails "--part of a file" 2 "$ESPALIER" predict --genotypes panel.vcf --part val
fails "the file is not overwritten" 1 "$ESPALIER" predict vcf.db --genotypes panel.vcf -o panel.vcf

# Samples that are graphs, with node labels.
tu=$ESPALIER_DATA/tu/MUTAG
if [ -r "$tu/MUTAG_graph_labels.txt" ]; then
    printf '[sweep]\nfolds = 3\n[data]\nformat = tu\nfolder = %s\n[split]\ntest = 0.2\n[train]\nepochs = 4\n[model]\nlayers = 2\n' "$tu" >tu.ini
    "$ESPALIER" run tu.ini --db tu.db --progress none 2>/dev/null
    "$ESPALIER" predict tu.db --all 2>/dev/null | sed 1d | cut -d, -f1 | paste -d, - "$tu/MUTAG_graph_labels.txt" | tr -d ' \r' >labels.csv
    is "graphs have the recorded accuracy" "$(predicted tu.db val accuracy labels.csv)" "$(recorded tu.db val accuracy)"
    fails "new graphs" 1 "$ESPALIER" predict tu.db --genotypes panel.vcf
    like "are refused, with the setting's name" "$(cat .err)" "the samples of the sweep are not genotypes"
else
    echo "# no ESPALIER_DATA: graphs are left out"
fi

# From a VCF to predictions in five commands, on real data.
vcf=$ESPALIER_DATA/arabidopsis/Arabidopsis_2029_Maf001_Filter80.1000lines.vcf.gz
if [ -r "$vcf" ]; then
    mkdir five bin
    ln -s "$ESPALIER" bin/espalier
    cat >five/commands <<'END'
espalier init my.vcf.gz my.csv -o mine.ini --budget 5s
espalier inspect mine.ini
espalier run mine.ini -n 2
espalier best --rule best
espalier predict --genotypes my.vcf.gz -o predictions.csv
END
    cp "$vcf" five/my.vcf.gz
    cp "$ESPALIER_DATA/arabidopsis/ft10_pheno.csv" five/my.csv
    (cd five && PATH=$T/bin:$PATH sh -e commands >out 2>err)
    is "they succeed" $? 0
    is "971 plants are predicted" "$(sed 1d five/predictions.csv | cut -d, -f1 | sort -u | wc -l)" 971
    is "none has a phenotype" "$(cut -d, -f1 five/predictions.csv | sed 1d | grep -cxFf - five/my.csv)" 0
    is "in days" "$(awk -F, 'NR > 1 && ($2 < 20 || $2 > 250) { bad++ } END { print bad + 0 }' five/predictions.csv)" 0
else
    echo "# no ESPALIER_DATA: the five commands are left out"
fi
done_testing
