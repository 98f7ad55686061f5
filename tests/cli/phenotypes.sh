#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Phenotype tables as users have them, splits by group, and duplicate samples.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

line() {
    printf '%s\n' "$2" | sed -n "s/^$1  *//p"
}

# ---- a panel of 60 samples with a table of 5 columns ----

"$ESPALIER" simulate panel --samples 60 --markers 300 >/dev/null 2>&1 || exit 1
awk -F, -v OFS=';' 'NR == 1 { print $1, $2, "site", "year", "note"; next }
    { print $1, $2, NR % 7 ? "\"S;" NR % 7 "\"" : "", 2000 + NR % 3, NR % 2 ? "wet" : "dry" }' \
    panel/phenotypes.csv | sed 's/$/\r/' >pheno.csv
cat >sweep.ini <<'INI'
[sweep]
folds = 4
[data]
format = genotype
genotypes = panel/genotypes.csv
phenotypes = pheno.csv
trait = trait
[split]
test = 0.2
[train]
epochs = 3
[model]
hidden_size = 4
INI
trait=$(sed -n '1s/^[^,]*,\([^,]*\).*/\1/p' panel/phenotypes.csv)
sed -i "s/^trait = .*/trait = $trait/" sweep.ini

inspect() {
    "$ESPALIER" inspect sweep.ini "$@" 2>.err
}

plain=$(inspect)
is "only requested columns are read" "$(line effects "$plain")$(line groups "$plain")" ""
is "no sample occurs twice" "$(line duplicates "$plain")" "none: no two samples have the same markers"

like "a note says what cosine depends on" "$(line graph "$plain")" '^knn by cosine \(of the counted allele; .*\): [0-9]+ edges'
like "kinship gets no such note" "$(line graph "$(inspect --set graph.metric=kinship)")" '^knn by kinship: [0-9]+ edges'

# ---- ids without a partner ----

is "all are joined" "$(line unmatched "$plain")" ""
{ cat pheno.csv; printf 'x1;1;;2000;wet\nx2;NA;;2000;wet\nK\303\266ln;2;;2000;wet\n'; } >more.csv
is "the message names those that are not" "$(line unmatched "$(inspect --set phenotypes=more.csv)")" '"x1", "Köln"'
iconv -f UTF-8 -t CP1252 more.csv >cp1252.csv
is "and the likely reason" \
    "$(LC_ALL=C line unmatched "$(inspect --set phenotypes=cp1252.csv)" | LC_ALL=C sed 's/.*ln" //')" \
    "(ids that are not UTF-8: iconv -f CP1252 -t UTF-8 TABLE)"

# ---- fixed effects ----

with=$(inspect --set "fixed=year, site, factor(note)")
is "fixed effects are no features" "$(line features "$with")" "$(line features "$plain")"
like "columns, levels and counts are printed" "$(line effects "$with")" \
    "^year \(.*\), site \(.*\), note \(.*\); 8 missing cells take the mean$"
is "the graph does not use them" "$(line graph "$with")" "$(line graph "$plain")"
ok "they are trained on" "$ESPALIER" run sweep.ini --db fixed.db --progress none \
    --set "fixed=year, site"
is "all trials" "$(sqlite3 fixed.db "select count(*) from trials where state = 'done'")" 4
ok "and with reduce, on two ranks" "$ESPALIER" run sweep.ini --db reduced.db --progress none -n 2 \
    --set "fixed=year, site" --set model.reduce=exact
fails "the trait cannot be a fixed effect" 1 inspect --set "covariates=$trait"
like "and the message says so" "$(cat .err)" "pheno.csv:1: data.fixed: \"$trait\" is the trait itself"

# ---- codes ----

sed 's/^s3;[^;]*/s3;-9/; s/^\(s[0-9]*\);-\([0-9]\)/\1;\2/' pheno.csv | sed 's/^s3;9;/s3;-9;/' >coded.csv
coded=$(inspect --set data.phenotypes=coded.csv)
like "-9 is a number" "$(line target "$coded")" "^60 values, .* from -9 to"
like "a warning says that it looks like a code" "$(cat .err)" \
    "column \"$trait\" is -9 in 1 sample and never negative otherwise: .* set \[data\] missing = -9"
coded=$(inspect --set data.phenotypes=coded.csv --set missing=-9)
like "unless it is declared missing" "$(line target "$coded")" "^59 values"
is "then there is no warning" "$(grep -c 'missing = -9' .err)" 0

# ---- codes in genotypes ----

awk -F, -v OFS=, 'NR == 4 { $7 = "-9" } { print }' panel/genotypes.csv >coded-geno.csv
marker=$(sed -n '1s/^\([^,]*,\)\{6\}\([^,]*\).*/\2/p' coded-geno.csv)
fails "-9 is not a dosage" 1 inspect --set genotypes=coded-geno.csv
like "the message gives its cell" "$(cat .err)" \
    "coded-geno.csv:4: column \"$marker\" = -9: not a likely dosage beside values from 0 to 2: set \\[data\\] missing_genotype = -9"
coded=$(inspect --set genotypes=coded-geno.csv --set missing_genotype=-9)
like "declared missing, it is a missing call" "$(line genotypes "$coded")" ", 1 missing call set to the marker mean$"
is "there is no warning about -1" "$(line coding "$coded")" ""
ok "models are trained on it" "$ESPALIER" run sweep.ini --db coded.db --progress none \
    --set genotypes=coded-geno.csv --set missing_genotype=-9
ok "and new genotypes are read in the same way" "$ESPALIER" predict coded.db --genotypes coded-geno.csv --all -o coded-pred.csv
is "all of them" "$(grep -c . coded-pred.csv)" 61
awk -F, -v OFS=, 'NR > 1 { for (i = 2; i <= NF; i++) $i-- } { print }' panel/genotypes.csv >less.csv
like "-1, 0, 1 are dosages" "$(line coding "$(inspect --set genotypes=less.csv)")" \
    "^calls from -1 to 1 are used as dosages"

# ---- numbers as classes, of a graph ----

awk 'BEGIN { print "node,age"; for (i = 0; i < 60; i++) print "n" i "," i % 12 }' >labels.csv
awk 'BEGIN { print "node,f"; for (i = 0; i < 60; i++) print "n" i "," i % 7 }' >features.csv
printf '[data]\nformat = graph\nlabels = labels.csv\nfeatures = features.csv\n[graph]\nbuild = none\n' >ages.ini
"$ESPALIER" inspect ages.ini >/dev/null 2>.err
like "many whole numbers give a warning about classes" "$(cat .err)" \
    "the target has 12 different whole numbers, which are used as classes: set \[data\] task = regression"
"$ESPALIER" inspect ages.ini --set task=classification >/dev/null 2>.err
is "unless they are declared classes" "$(grep -c amounts .err)" 0

# ---- groups ----

fails "each sample needs a group" 1 inspect --set group=site
like "and the message names a sample without one" "$(cat .err)" \
    '8 samples with a value to predict but without a group in column "site": "s6", "s13", "s20" ...'
years=$(inspect --set group=year --set split.test=0 --set folds=groups --splits years.csv)
is "groups are counted" "$(line groups "$years")" "3 by year, of 20 to 20 samples with a value"
is "each group is a fold" "$(line split "$years")" \
    "fold 0: 40 train, 20 val, 0 test; val is 2000
fold 1: 40 train, 20 val, 0 test; val is 2001
fold 2: 40 train, 20 val, 0 test; val is 2002"
is "the splits file lists them" "$(sed -n 1p years.csv)" "id,replicate,fold,part,group"
is "and each fold is one year" "$(awk -F, '$4 == "val" && $5 != 2000 + $3' years.csv)" ""
is "all samples are in" "$(grep -c ',val,' years.csv)" 60
like "without folds, too" "$(line split "$(inspect --set group=year --set folds=0)")" \
    "^20 train, 20 val, 20 test; val is 200[012]$"
fails "more folds than groups" 1 inspect --set group=year --set folds=4
like "are refused" "$(cat .err)" \
    "sweep.folds = 4: only 2 groups of split.group are outside the test part; each fold needs at least one"
fails "groups without a column" 2 inspect --set folds=groups
like "are not accepted" "$(cat .err)" ": \[split\] group is not set: required by folds = groups"
fails "a simulated panel has no groups" 2 "$ESPALIER" inspect sweep.ini --set format=simulated
sed 's/^folds = 4/folds = groups/; s/^test = 0.2/test = 0\ngroup = year/' sweep.ini >loo.ini
ok "one year is left out" "$ESPALIER" run loo.ini --db loo.db --progress none
ok "and 3 folds are the same" "$ESPALIER" run loo.ini --db loo.db --progress none --set folds=3
is "in the same trials" "$(sqlite3 loo.db 'select count(*), count(distinct fold) from trial')" "3|3"
ok "also on two ranks" "$ESPALIER" run loo.ini --db two.db --progress none -n 2
is "with the same numbers" "$(sqlite3 two.db 'select key, value from trial order by key')" \
    "$(sqlite3 loo.db 'select key, value from trial order by key')"

printf '[data]\nformat = simulated\nsamples = 12\nmarkers = 60\n[split]\ntest = 0.25\ngroup = family\nfile = family.csv\n' >made.ini
{
    echo id,family
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "s$i,f$((i % 4))"; done
} >family.csv
like "a split file names groups of a simulated panel" \
    "$(line split "$("$ESPALIER" inspect made.ini 2>.err)")" "^6 train, 3 val, 3 test; val is f[0-3]$"
sed 's/s12/s13/' family.csv >wrong.csv
fails "groups of unknown samples are refused" 1 "$ESPALIER" inspect made.ini --set split.file=wrong.csv
like "and the message says so" "$(cat .err)" 'wrong.csv:13: column "id": id "s13" is not in the simulated panel'

# ---- a sample twice ----

awk -F, -v OFS=, '{ print } $1 == "s5" { $1 = "twin"; print }' panel/genotypes.csv >twins.csv
{ cat pheno.csv; grep '^s5;' pheno.csv | sed 's/^s5/twin/'; } >twins-pheno.csv
sed 's|panel/genotypes.csv|twins.csv|; s|= pheno.csv|= twins-pheno.csv|' sweep.ini >twins.ini
printf 'id,part\ns5,train\ntwin,test\ns1,val\ns2,train\n' >parts.csv
twins=$("$ESPALIER" inspect twins.ini --set folds=0 --set split.file=parts.csv 2>.err)
is "twins are counted" "$(line duplicates "$twins")" \
    "1 set of samples with the same markers, 2 samples in all; 1 set on both sides of a split"
is "and listed with their parts" "$(line same "$twins")" "s5 (train), twin (test)"
ok "all can be written" "$ESPALIER" inspect twins.ini --set folds=0 --set split.file=parts.csv --duplicates equal.csv
is "as csv" "$(cat equal.csv)" "set,id,both_sides,replicate,part
1,s5,yes,0,train
1,twin,yes,0,test"
fails "but not over an input" 1 "$ESPALIER" inspect twins.ini --duplicates twins.csv
for seed in 1 2 3 4 5 6 7 8 9 10; do
    twins=$("$ESPALIER" inspect twins.ini --set folds=2 --set test=0 --set seed="$seed" 2>.err)
    echo "$twins" | grep -q '; 0 sets on both sides of a split$' && break
done
like "twins may be on one side in the first replicate" "$(line duplicates "$twins")" '; 0 sets on both sides of a split$'
"$ESPALIER" inspect twins.ini --set folds=2 --set test=0 --set seed="$seed" --set replicates=9 >twins.out 2>.err
like "and on both in another" "$(line duplicates "$(cat twins.out)")" \
    '; 1 set on both sides of a split in at least one of 9 replicates$'
like "the message names them" "$(line same "$(cat twins.out)")" '^in replicate [1-8]: s5 \(fold [01]\), twin \(fold [01]\)$'
like "the warning names them, too" "$(cat .err)" '1 set of samples with the same markers on both sides of a split in at least one of 9 replicates, which'
awk -F, -v OFS=, 'NR == 1 { print; next } { for (i = 1; i <= 2; i++) { $1 = "p" NR "_" i; print } }' panel/genotypes.csv >pairs.csv
awk -F, -v trait="$trait" 'BEGIN { print "id;" trait } NR > 1 { print $1 ";" NR % 7 }' pairs.csv >pairs-pheno.csv
sed 's|= twins.csv|= pairs.csv|; s|= twins-pheno.csv|= pairs-pheno.csv|' twins.ini >pairs.ini
pairs=$("$ESPALIER" inspect pairs.ini --set folds=5 2>.err)
is "the first five of many are listed" "$(echo "$pairs" | grep -c '^same  *p')" 5
like "and the others counted" "$(line same "$pairs" | tail -n 1)" '^[0-9]+ more sets?: --duplicates FILE writes all$'
"$ESPALIER" run twins.ini --db twins.db --progress none --set folds=0 --set split.file=parts.csv 2>.err
is "a run warns once" "$(grep -c 'with the same markers on both sides of a split' .err)" 1
printf 'id,family\n' >family.csv
sed -n 's/^\([^;]*\);.*/\1/p' twins-pheno.csv | sed 1d |
    awk '{ print $0 "," ($0 == "twin" ? "s5" : $0) }' >>family.csv
twins=$("$ESPALIER" inspect twins.ini --set split.file=family.csv --set group=family 2>.err)
like "a group keeps them together" "$(line duplicates "$twins")" "; 0 sets on both sides"

sed 's/twin,s5/twin,other/' family.csv >apart.csv
"$ESPALIER" inspect twins.ini --set split.file=apart.csv --set group=family --set folds=groups --set test=0 >/dev/null 2>.err
like "groups that separate them are not recommended" "$(cat .err)" \
    'lists them; keep one sample of each set, or give the set one group$'

# ---- many classes ----

awk -F, -v OFS=, 'NR == 1 { print "id", "line"; next } { print $1, NR < 8 ? "big" : "l" NR % 12 }' panel/phenotypes.csv >lines.csv
classes() { "$ESPALIER" inspect sweep.ini --set phenotypes=lines.csv --set trait=line --set task=classification "$@" 2>.err; }
is "ten classes, and a count" "$(classes | sed -n 's/^class  *//p' | sed '1s/:.*/: first/; 2,10s/.*/class/')" "big: first
$(yes class | head -n 9)
3 more: --wide prints all"
is "--wide prints all" "$(classes --wide | grep -c '^class')" 13
is "csv, too" "$(classes --section classes --format csv | wc -l)" 14
awk -F, -v OFS=, 'NR == 1 { print "id", "y" } NR > 1 { print $1, $2 " d" }' panel/phenotypes.csv >unit.csv
fails "a number with a unit" 1 "$ESPALIER" inspect sweep.ini --set phenotypes=unit.csv --set trait=y
like "the message names the unit" "$(cat "$T/.err")" \
    '^espalier: unit.csv:2: column "y" = "[0-9.]* d": 60 of 60 values are a number followed by " d": remove the unit'

# ---- real data ----

if [ -n "$ESPALIER_DATA" ] && [ -d "$ESPALIER_DATA/arabidopsis" ]; then
    real=$ESPALIER_DATA/arabidopsis
    ft16=$("$ESPALIER" inspect "$SRCDIR/grids/ft16.ini" --set covariates=latitude,country \
        --set group=country --set folds=groups --set test=0 2>.err)
    is "FT16 has 18 countries" "$(line groups "$ft16")" "18 by country, of 1 to 49 samples with a value"
    is "each country is a fold" "$(line split "$ft16" | grep -c 'val is')" 18
    like "and fixed effects" "$(line effects "$ft16")" "^latitude \(a number\), country \(.* 18 levels\); 0 missing cells take the mean$"
    like "small folds have no correlation" "$(cat .err)" \
        "the smallest validation part has only 1 sample, for which val_pearson means nothing: use fewer folds"
    for table in LD LDV SD SDV; do
        ft10=$("$ESPALIER" inspect "$SRCDIR/grids/ft10.ini" --set trait=phenotype \
            --set "data.phenotypes=$real/${table}_FT_DATA.tsv" --set missing=200 2>.err)
        like "$table is read; 200 means missing" "$(line target "$ft10")" "^[0-9]+ values, .* to 1?[0-9]{2}(\\.[0-9]+)?$"
    done
    digest() {
        line digest "$("$ESPALIER" inspect "$SRCDIR/grids/ft10-vcf.ini" --set covariates=latitude,country \
            --set trait=FT10 --set "phenotypes=$real/ft16_chr5_pheno.csv" --set group=country "$@" 2>.err)"
    }
    vcf=$(digest)
    like "a VCF with fixed effects and groups" "$vcf" "^[0-9a-f]{32}$"
    is "equals the table with the same settings" "$vcf" "$(digest --set "genotypes=$real/ft10_geno.csv")"
    mac() {
        "$ESPALIER" inspect "$SRCDIR/grids/ft10.ini" --set trait=Accuracy --set group=country \
            --set "data.phenotypes=$real/accessions_2029.csv" --set "covariates=$1" 2>.err
    }
    is "a table in Mac Roman, of 13 columns" "$(line groups "$(mac "")")" \
        "48 by country, of 1 to 240 samples with a value"
    fails "place names cannot be fixed effects" 1 mac sitename
    like "and the message says so" "$(tr -cd '[:print:]' <.err)" 'accessions_2029.csv:28: .* is not UTF-8: save the table as UTF-8'
fi

# ---- as R and Excel write tables ----

cat >first.ini <<'INI'
[data]
format = genotype
genotypes = geno.csv
phenotypes = traits.csv
[graph]
k = 1
[split]
test = 0
val = 0.4
INI
first() { "$ESPALIER" inspect first.ini "$@" 2>.err; }
printf 'id,m1,m2,m3\n33-16,0,1,2\nA4226,1,2,0\nB73,2,0,1\nMo17,0,0,0\nOh43,0,2,1\n' >geno.csv
printf 'Taxa,dpoll\n33-16,64.5\nA4226,65\nB73,60\nMo17,61\nOh43,70\n' >traits.csv
digest=$(line digest "$(first)")
like "five lines are read" "$digest" '^[0-9a-f]{32}$'
printf 'sep=;\r\nTaxa;dpoll\r\n33-16;64,5\r\nA4226;65\r\nB73;60\r\nMo17;61\r\nOh43;70\r\n' >excel.csv
is "Excel's sep= line and decimal commas" "$(line digest "$(first --set phenotypes=excel.csv)")" "$digest"
printf '"Taxa" "dpoll"\n"1" "33-16" 64.5\n"2" "A4226" 65\n"3" "B73" 60\n"4" "Mo17" 61\n"5" "Oh43" 70\n' >r.txt
is "write.table() of a data frame" "$(line digest "$(first --set phenotypes=r.txt)")" "$digest"
printf '"","Taxa","dpoll"\n"1","33-16",64.5\n"2","A4226",65\n"3","B73",60\n"4","Mo17",61\n"5","Oh43",70\n' >r.csv
fails "write.csv() of a data frame" 1 first --set phenotypes=r.csv
like "the message gives the remedy" "$(cat .err)" 'r.csv:1: the first column has no name .*row.names = FALSE'
printf '"m1" "m2" "m3"\n"33-16" 0 1 2\n"A4226" 1 2 0\n"B73" 2 0 1\n"Mo17" 0 0 0\n"Oh43" 0 2 1\n' >m.txt
is "write.table() of a matrix with row names" "$(line digest "$(first --set genotypes=m.txt)")" "$digest"
printf 'PK\003\004\024\000\006\000\010\000\000\000\041\000\000\000\000\000\000\000\000\000\000\000\000\000\023\000\000\000[Content_Types].xml' >book.xlsx
for key in genotypes phenotypes split.file; do
    fails "a workbook as $key" 1 first --set "$key=book.xlsx" --set group=g
    is "the message gives the remedy" "$(cat .err)" "espalier: book.xlsx: is an Excel workbook: save the sheet as CSV"
done
printf 'X\n\000\000\000\003\000\004\003\001' | gzip >panel.rds
fails "R data" 1 first --set genotypes=panel.rds
like "the message gives the remedy" "$(cat .err)" 'panel.rds: is R data \(.rds\): in R: write.csv\(readRDS\(FILE\), "data.csv"\)$'
awk -F, -v OFS=, 'NR > 1 { for (j = 2; j <= NF; j++) $j -= 1 } 1' geno.csv >centred.csv
edges() { line graph "$(first --set metric=kinship "$@")"; }
is "kinship of -1, 0, 1 makes the same graph" "$(edges --set genotypes=centred.csv)" "$(edges)"
like "the graph is not empty" "$(edges)" '^knn by kinship: [1-9]'

# ---- ids that do not join ----

printf 'Taxa,dpoll\n33-16,64.5\nA4226_A4226,65\nB73_B73,60\nMo17_Mo17,61\nW22,70\n' >traits.csv
fails "most do not join" 1 first --set k=1 --unmatched unmatched.csv # one value
is "the list of ids is written, with similar ids" "$(cat unmatched.csv)" "id,file,resembles
A4226,geno.csv,A4226_A4226
B73,geno.csv,B73_B73
Mo17,geno.csv,Mo17_Mo17
Oh43,geno.csv,
A4226_A4226,traits.csv,A4226
B73_B73,traits.csv,B73
Mo17_Mo17,traits.csv,Mo17
W22,traits.csv,"
printf 'Taxa,dpoll\n33-16,64.5\nA4226_A4226,65\nB73_B73,60\nMo17_Mo17,61\nOh43,70\n' >traits.csv
ok "few join" first --unmatched unmatched.csv --force
like "the message gives the reason" "$(cat .err)" 'warning: 2 of 5 phenotypes joined; 3 have no genotypes \("A4226_A4226", "B73_B73", "Mo17_Mo17"\), and 3 of 5 samples have no phenotype \("A4226", "B73", "Mo17"\): 3 of the 3 ids of traits.csv that did not join differ from ids of geno.csv only in case, blanks, punctuation, zeros or a repetition \("A4226_A4226" is "A4226", "B73_B73" is "B73", "Mo17_Mo17" is "Mo17"\): spell them the same way$'
is "and the list has both files" "$(wc -l <unmatched.csv)" 7
fails "the list cannot be written over an input" 1 first --unmatched geno.csv
fails "a transposed table" 1 sh -c "awk -F, '{ for (j = 1; j <= NF; j++) t[j] = t[j] (NR > 1 ? \",\" : \"\") \$j } END { for (j = 1; j <= NF; j++) print t[j] }' geno.csv >turned.csv
    '$ESPALIER' inspect first.ini --set genotypes=turned.csv"
like "the message recognises it" "$(cat .err)" '2 of the 5 ids of traits.csv that did not join are columns of turned.csv \("33-16", "Oh43"\): that table is transposed'
printf 'Taxa,dpoll\n33-16,64.5\nA4226,65\nB73,60\nMo17_Mo17,61\nOh43,70\n' >traits.csv
ok "most join" first
ok "the same for samples with a value" first --set subset=phenotyped
like "the message gives the reason for one" "$(cat .err)" 'warning: 4 of 5 phenotypes joined: 1 of the 1 ids of traits.csv that did not join differ from ids of geno.csv only in case'
sed 's/Mo17_Mo17/mo17/; s/33-16/1e+05/' traits.csv >exponent.csv
sed 's/33-16/100000/' geno.csv >numbers.csv
ok "R's exponent and another case join" first --set genotypes=numbers.csv --set phenotypes=exponent.csv
is "a warning counts them" "$(grep ' joined ' .err)" 'espalier: warning: exponent.csv: 2 ids joined by number or without regard to case: "1e+05" as "100000", "mo17" as "Mo17"'

done_testing
