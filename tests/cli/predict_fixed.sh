#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# New samples for models with fixed effects.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

predict() { "$ESPALIER" predict "$@" 2>.err; }

# ---- coding ----

"$ESPALIER" simulate panel --samples 80 --markers 60 >/dev/null 2>&1 || exit 1
awk -F, -v OFS=, 'NR == 1 { print $1, "site", "trait", "year", "plot"; next }
    { print $1, NR % 11 == 5 ? "" : "S" NR % 5, $2, NR % 13 == 7 ? "-9" : 2000 + NR % 4, 100 + NR % 6 }' panel/phenotypes.csv >pheno.csv
cat >grid.ini <<'INI'
[sweep]
folds = 3
keep = all
[data]
format = genotype
genotypes = panel/genotypes.csv
phenotypes = pheno.csv
trait = trait
fixed = year, factor(plot), site
missing = -9
[split]
test = 0.2
[train]
epochs = 5
[model]
hidden_size = 8
[graph]
k = 5
[grid]
type = mlp, ridge, fixed
reduce = none, exact
INI
"$ESPALIER" run grid.ini --progress none >/dev/null 2>&1
for config in 1 2 3 4; do
    predict --config c$config --all >all.csv
    is "samples of the panel as new ones: c$config" "$(predict --config c$config --genotypes panel/genotypes.csv --phenotypes pheno.csv --all | same all.csv)" "same 80"
done
like "missing values are counted" "$(cat .err)" "pheno.csv: fixed effects: 0 samples without a row and 13 missing cells take the mean of the training data"
# Columns are found by name: in another order, without the trait, with rows left out.
awk -F, -v OFS=, '{ print $1, $5, $4, $2 }' pheno.csv >turned.csv
is "columns are found by name" "$(predict --config c1 --genotypes panel/genotypes.csv --phenotypes turned.csv --all | cksum)" \
    "$(predict --config c1 --genotypes panel/genotypes.csv --phenotypes pheno.csv --all | cksum)"
awk -F, -v OFS=, 'NR < 3 || NR > 5 { if (NR == 9) $4 = "NowhereLand"; print }' turned.csv >some.csv
predict --config c1 --genotypes panel/genotypes.csv --phenotypes some.csv --all >some.out
like "samples without a row are counted" "$(cat .err)" "some.csv: fixed effects: 3 samples without a row"
like "unknown words are named" "$(cat .err)" "warning: some.csv: 1 cell with a level that the training data do not have, taken as missing: the first is \"NowhereLand\" in column \"site\", line 6"
is "other samples are not affected" "$(same all.csv <some.out) $(predict --config c1 --all | awk -F, 'NR == FNR { a[$1] = $2; next } FNR > 1 { d = a[$1] - $2; n += d * d > 1e-6 } END { print n }' - some.out)" "different 80 4"
# The table's fixed effects are used: another plot changes a prediction.
awk -F, -v OFS=, 'NR > 1 { $2 = 100 + ($2 - 99) % 6 } 1' turned.csv >moved.csv
is "the table counts" "$(predict --config c1 --genotypes panel/genotypes.csv --phenotypes moved.csv --all | same all.csv | cut -d' ' -f1)" different

refused() {
    name=$1
    message=$2
    shift 2
    fails "$name" 1 "$ESPALIER" predict --config c1 --all "$@"
    is "$name: the message" "$(tail -n 1 .err)" "espalier: $message"
}
refused "no table" "--genotypes: the models have fixed effects: give a table with year, factor(plot), site of the new samples: --phenotypes FILE" --genotypes panel/genotypes.csv
cut -d, -f1,2,4 turned.csv >less.csv
refused "a missing column" 'less.csv:1: no column "year": each of data.fixed must be one of "plot", "site"' --genotypes panel/genotypes.csv --phenotypes less.csv
awk -F, -v OFS=, '{ print $3, $2, $4, $1 }' turned.csv >last.csv
refused "a column that is taken for the ids" 'last.csv:1: no column "year": each of data.fixed must be one of "plot", "site", "id"; this one was taken for the ids: set data.id (--set id=NAME) to the column of ids' --genotypes panel/genotypes.csv --phenotypes last.csv
is "--id names the column of ids" "$(predict --config c1 --genotypes panel/genotypes.csv --phenotypes last.csv --set id=id --all | cksum)" \
    "$(predict --config c1 --genotypes panel/genotypes.csv --phenotypes turned.csv --all | cksum)"
sed '4s/,200[0-9],/,soon,/' turned.csv >word.csv
refused "a word among numbers" 'word.csv:4: data.fixed: column "year" = "soon": must be a number, as in the training data' --genotypes panel/genotypes.csv --phenotypes word.csv
sed 's/^s/x/' turned.csv >others.csv
refused "no sample in common" "panel/genotypes.csv and others.csv have no id in common (the first are \"$(sed -n '2s/,.*//p' turned.csv)\" and \"$(sed -n '2s/,.*//p' others.csv)\")" --genotypes panel/genotypes.csv --phenotypes others.csv
fails "without --genotypes" 2 "$ESPALIER" predict --phenotypes pheno.csv
fails "the table is not overwritten" 1 "$ESPALIER" predict --all --genotypes panel/genotypes.csv --phenotypes turned.csv -o turned.csv
"$ESPALIER" run grid.ini --set fixed= --set grid.type=mlp,ridge --set name=plain --db plain.db --progress none >/dev/null 2>&1
fails "a table for models without fixed effects" 1 "$ESPALIER" predict plain.db --all --genotypes panel/genotypes.csv --phenotypes pheno.csv
like "is refused" "$(cat .err)" "phenotypes: the models have no fixed effects \(data.fixed\)"

# ---- a fixed effect that matters, on real data; covariates is the earlier name ----

geno=$ESPALIER_DATA/arabidopsis/ft10_geno.csv
if [ -r "$geno" ]; then
    cut -d, -f1-301 "$geno" >ft10.csv
    # An invented greenhouse: warm plants flower 30 days earlier. A fifth of the plants are hidden.
    awk -F, -v OFS=, 'NR == 1 { print $1, $2, "house"; next } { warm = int(NR / 3) % 2; print $1, $2 - 30 * warm, warm ? "warm" : "cold" }' \
        "$ESPALIER_DATA/arabidopsis/ft10_pheno.csv" >truth.csv
    awk -F, 'NR == 1 || NR % 5' truth.csv >known.csv
    awk -F, -v OFS=, 'NR == 1 || NR % 5 == 0 { print $3, $1 }' truth.csv | awk -F, -v OFS=, '{ print $2, $1 }' >house.csv
    printf '[sweep]\nfolds = 3\n[data]\nformat = genotype\ngenotypes = ft10.csv\nphenotypes = known.csv\ntrait = FT10\ncovariates = house\nsubset = phenotyped\n[train]\nepochs = 30\n[model]\nhidden_size = 8\ntype = mlp\n' >ft10.ini
    "$ESPALIER" run ft10.ini --db ft10.db --progress none >/dev/null 2>&1
    cat >pearson.awk <<'AWK'
BEGIN { FS = "," }
NR == FNR { y[$1] = $2; next }
FNR > 1 { n++; a = y[$1]; b = $2; sa += a; sb += b; saa += a * a; sbb += b * b; sab += a * b }
END { printf "%.3f\n", (sab - sa * sb / n) / sqrt((saa - sa * sa / n) * (sbb - sb * sb / n)) }
AWK
    with=$(predict ft10.db --genotypes ft10.csv --phenotypes house.csv | awk -f pearson.awk truth.csv -)
    is "every sample has a row" "$(grep -c 'house.csv: fixed effects: 0 samples without a row and 0 missing' .err)" 1
    # The same table with all houses unknown.
    awk -F, -v OFS=, 'NR > 1 { $2 = "" } 1' house.csv >unknown.csv
    without=$(predict ft10.db --genotypes ft10.csv --phenotypes unknown.csv | awk -f pearson.awk truth.csv -)
    echo "# correlation with the house $with, without $without"
    is "hidden plants are predicted far better with it" "$(awk -v a="$with" -v b="$without" 'BEGIN { print (a > b + 0.15) }')" 1
else
    echo "# no ESPALIER_DATA: FT10 is left out"
fi
done_testing
