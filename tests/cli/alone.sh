#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Models without a graph predict new samples after their training data were changed or removed.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

"$ESPALIER" simulate panel --samples 100 --markers 60 >/dev/null 2>&1 || exit 1
awk -F, -v OFS=, 'NR == 1 { print $1, "site", "trait", "kind"; next } { print $1, "S" NR % 4, $2, $2 < 85 ? "low" : "high" }' panel/phenotypes.csv >whole.csv

# Rows FROM to TO of the panel: vcf() gives a VCF (with REF and ALT swapped if `turn` is set),
# halves() a table with fractions. Some values are missing.
cat >vcf.awk <<'AWK'
BEGIN { FS = "," }
FNR == 1 { n = NF; next }
FNR - 1 >= from && FNR - 1 <= to { id[++rows] = $1; for (j = 2; j <= n; j++) g[rows, j] = (FNR + j) % 13 ? $j : 3 }
END {
    printf "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
    printf "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
    for (i = 1; i <= rows; i++)
        printf "\t%s", id[i]
    print ""
    split("0/0 0/1 1/1 ./.", call, " ")
    for (j = 2; j <= n; j++) {
        printf "1\t%d\t.\t%s\t.\t.\t.\tGT", 100 * j, turn ? "G\tA" : "A\tG"
        for (i = 1; i <= rows; i++)
            printf "\t%s", call[1 + (g[i, j] > 2 || !turn ? g[i, j] : 2 - g[i, j])]
        print ""
    }
}
AWK
vcf() { awk "$@" -f vcf.awk panel/genotypes.csv; }
halves() { awk -F, -v OFS=, -v from="$1" -v to="$2" 'NR > 1 { for (j = 2; j <= NF; j++) $j = (NR + j) % 13 ? $j + (NR * j % 7) / 10 : "NA" }
    NR == 1 || (NR - 1 >= from && NR - 1 <= to)' panel/genotypes.csv; }
mkdir train
vcf -v from=1 -v to=70 >train/old.vcf
halves 1 70 >train/old.csv
head -n 71 whole.csv >train/pheno.csv
vcf -v from=71 -v to=100 -v turn=1 >new.vcf
halves 71 100 >new.csv
cat >grid.ini <<'INI'
[sweep]
keep = all
folds = 3
[data]
format = genotype
genotypes = train/old.vcf
phenotypes = train/pheno.csv
trait = trait
[train]
epochs = 4
[model]
hidden_size = 8
[graph]
k = 5
[grid]
type = ridge, mlp, gcn
INI
run() { "$ESPALIER" run grid.ini --progress none "$@" 2>/dev/null; }
predict() { "$ESPALIER" predict "$@" --each 2>.err; }
run --db vcf.db
run --set trait=kind --set fixed=site --set name=classes --db classes.db
run --set genotypes=train/old.csv --set name=halves --set fixed=site --db halves.db
run --set genotypes=train/old.csv --set name=raw --set scale=none --set type=mlp --db raw.db
run --set name=reduced --set type=mlp --set reduce=pca:8 --db reduced.db
run --set name=edgeless --set type=gcn --set build=none --db edgeless.db
run --set name=raw_dosages --set scale=none --set type=mlp --db dosages.db

# Without the training data it is not known whether a sample is new: the column `sample` is left out.
ask() { ask_all "$@" | cut -d, -f1-4,6-; }
ask_all() {
    for c in 1 2; do
        predict vcf.db --config c$c --genotypes new.vcf "$@"
        predict classes.db --config c$c --genotypes new.vcf --phenotypes whole.csv "$@"
        predict halves.db --config c$c --genotypes new.csv --phenotypes whole.csv "$@"
    done
    predict dosages.db --genotypes new.vcf "$@"
    predict edgeless.db --genotypes new.vcf "$@"
}
ask >before.out
is "eight answers about 30 samples" "$(grep -c '^s[0-9]' before.out)" 240
is "without the training data: of all samples, the same bits" "$(ask --all)" "$(cat before.out)"
predict vcf.db --config c1 --genotypes new.vcf --all >/dev/null
like "no message says that samples are left out" "$(cat .err)" "new.vcf: 30 samples to predict$"
like "a warning says that the training data are missing" "$(cat .err)" "new.vcf: predicting without the training data, which these models do not need"
predict vcf.db --config c3 --genotypes new.vcf --all >gcn.out
is "a gcn reads the training data" "$(grep -c 'without the training data' .err) $(grep -c '^s' gcn.out)" "0 30"

# Changed phenotypes.
cp train/pheno.csv then.csv
sed -i '2s/,[^,]*,low$/,101,high/; 2s/,[^,]*,high$/,60,low/' train/pheno.csv
is "the phenotypes differ" "$(cmp -s train/pheno.csv then.csv || echo yes)" yes
is "with changed phenotypes: the same bits" "$(ask)" "$(cat before.out)"
predict vcf.db --config c1 --genotypes new.vcf >/dev/null
like "with a warning" "$(cat .err)" "warning: sweep 'grid': the data are not the training data .* with the phenotypes of that time; .*; predicting without the training data: it is not known which samples they contain, so all samples of new.vcf are predicted"
fails "a gcn fails" 1 "$ESPALIER" predict vcf.db --config c3 --genotypes new.vcf
like "the message gives the reason" "$(cat .err)" "the data are not the training data .* with the phenotypes of that time; .*; the models need the training data: a gcn needs the genotypes of the training samples that are neighbours of a new one$"
is "it uses the old phenotypes" "$(predict vcf.db --config c3 --genotypes new.vcf --set phenotypes=then.csv)" "$(cat gcn.out)"

# The data are removed.
mv train gone
is "no data at all: the same bits" "$(ask)" "$(cat before.out)"
mkdir elsewhere && cp vcf.db new.vcf elsewhere
is "the same on another computer" "$(cd elsewhere && predict vcf.db --config c1 --genotypes new.vcf)" "$(predict vcf.db --config c1 --genotypes new.vcf)"
fails "a gcn fails without data" 1 "$ESPALIER" predict vcf.db --config c3 --genotypes new.vcf
like "the message gives the remedy" "$(cat .err)" "train/old.vcf.*; the models need the training data: a gcn needs .*; if the file has moved, give --set genotypes=FILE$"
cp then.csv gone/pheno.csv
is "the remedy works" "$(predict vcf.db --config c3 --genotypes new.vcf --set genotypes=gone/old.vcf --set phenotypes=gone/pheno.csv)" "$(cat gcn.out)"
fails "samples of the panel" 1 "$ESPALIER" predict vcf.db --config c1 --part val
like "need the data, too" "$(cat .err)" "train/old.vcf[^;]*; if the file has moved, give --set genotypes=FILE$"
fails "a reduction" 1 "$ESPALIER" predict reduced.db --genotypes new.vcf --all
like "needs the data" "$(cat .err)" "the models need the training data: their first layer is stored by training samples \(model.reduce\); if the file has moved, give --set genotypes=FILE"
fails "unscaled features" 1 "$ESPALIER" predict raw.db --genotypes new.csv
like "have no stored means" "$(cat .err)" "the models need the training data: they do not contain the means of the features, which are neither dosages nor standardised"
fails "settings that differ from the model's" 1 "$ESPALIER" predict vcf.db --config c1 --genotypes new.vcf --all --set scale=none
like "are refused" "$(cat .err)" "its settings give"
fails "fixed effects are still needed" 1 "$ESPALIER" predict classes.db --config c1 --genotypes new.vcf
like "from a table" "$(cat .err)" "give a table with site of the new samples"
# Training calls of -1, 0 and 1 that count the common allele: no mean is below 0.
awk -F, '{ for (j = 2; NR > 1 && j <= NF; j++) sum[j] += $j } { line[NR] = $0 }
    END {
        print line[1] >"centred.csv"
        print line[1] >"counted.csv"
        for (i = 2; i <= NR; i++) {
            n = split(line[i], v, ",")
            low = high = v[1]
            for (j = 2; j <= n; j++) {
                c = sum[j] < NR - 1 ? 2 - v[j] : v[j]
                low = low "," c - 1
                high = high "," c
            }
            print low >"centred.csv"
            print high >"counted.csv"
        }
    }' panel/genotypes.csv
cp centred.csv old1.csv
run --set genotypes=old1.csv --set phenotypes=panel/phenotypes.csv --set name=base --set type=ridge --db base.db
predictions() { predict base.db --all "$@" | cut -d, -f 1,2; }
predictions >wanted.out
rm old1.csv
is "the same coding, without the data" "$(predictions --genotypes centred.csv)" "$(cat wanted.out)"
is "the other coding is recoded, too" "$(predictions --genotypes counted.csv)" "$(cat wanted.out)"
sqlite3 vcf.db ".backup bad.db"
sqlite3 bad.db "update model set safetensors = substr(safetensors, 1, 2000)"
fails "a damaged model" 1 "$ESPALIER" predict bad.db --config c1 --genotypes new.vcf --all
like "the message blames only the model" "$(cat .err)" "^espalier: bad.db: the model of t1 is damaged: .*hash[^;]*;[^;]*$"
done_testing
