#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Columns that reveal the target: phenotypes among the markers are left out, and features that equal
# the target are reported.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

# all.csv: id, words, the trait, its covariates, markers. One marker is the trait in other units.
awk 'BEGIN {
    srand(3)
    print "id,family,height,year,m1,m2,m3,m4,cm"
    for (i = 1; i <= 40; i++) {
        h = 20 + int(1000 * rand()) / 100
        line = "s" i ",f" i % 4 "," h "," 2000 + i % 7
        for (j = 0; j < 4; j++)
            line = line "," int(3 * rand())
        print line "," (i == 7 ? "NA" : 2.54 * h)
    }
}' >all.csv
cut -d, -f1,3,5-8 all.csv >trait.csv       # id, height, m1-m4
cut -d, -f1,4-8 all.csv >year.csv          # id, year, m1-m4
cut -d, -f1,5-9 all.csv >units.csv         # id, m1-m4, cm
cut -d, -f1,5-8 all.csv >clean.csv         # id, m1-m4
cut -d, -f1-4 all.csv >phenotypes.csv      # id, family, height, year
ini() { # GENOTYPES PHENOTYPES
    printf '[data]\nformat = genotype\ngenotypes = %s\nphenotypes = %s\ntrait = height\n[model]\ntype = ridge\n' "$1" "$2" >"$3"
}
left_out() { sed -n 's/^espalier: warning: //p' "$T/.err" | grep 'not used as'; }
suspects() { sed -n 's/^espalier: warning: //p' "$T/.err" | grep 'the target itself'; }

ini clean.csv phenotypes.csv clean.ini
ok "markers alone" "$ESPALIER" run clean.ini --db clean.db --progress none
is "nothing is left out" "$(left_out)$(suspects)" ""
digest=$(sqlite3 clean.db 'select data_digest from sweep')

ini trait.csv phenotypes.csv trait.ini
ok "the trait among the markers" "$ESPALIER" run trait.ini --db trait.db --progress none
is "it is left out, and the message names it" "$(left_out)" 'trait.ini: 1 column of trait.csv is one of the phenotypes and not used as a marker: "height"'
is "the rest equals the clean data" "$(sqlite3 trait.db 'select data_digest from sweep')" "$digest"
ini year.csv phenotypes.csv year.ini
ok "another phenotype" "$ESPALIER" plan year.ini --db none.db
like "is left out, too" "$(left_out)" 'not used as a marker: "year"$'
ok "inspect" "$ESPALIER" inspect year.ini
like "names it, too" "$(left_out)" '"year"$'

# One file as genotypes and phenotypes.
ini all.csv all.csv all.ini
ok "one file as genotypes and phenotypes" "$ESPALIER" run all.ini --db all.db --progress none --set fixed=year --set group=family
is "the known phenotypes are left out" "$(left_out)" 'all.ini: 3 columns of all.csv are among the phenotypes and not used as markers: "family", "height", "year"'
is "as many features as markers" "$(sqlite3 all.db 'select features from sweep')" 5
like "and the message names the trait in other units" "$(suspects)" \
    '^all.ini: 1 feature is likely the target itself, with .r. above 0.999: "cm" \(r = 1.0000 over 39 samples\): '
cp all.csv copy.csv
ini copy.csv all.csv copy.ini
ok "a copy of it" "$ESPALIER" plan copy.ini --db none.db
like "it gives the same data" "$(left_out)" '^copy.ini: 2 columns of copy.csv .*: "family", "height"$'
cut -d, -f1,3 all.csv >only.csv
ini only.csv only.csv only.ini
fails "no marker at all" 1 "$ESPALIER" run only.ini
is "is an error" "$(tail -n 1 "$T/.err")" "espalier: only.csv: no column is a marker: 1 of them are columns of only.csv"

# The trait under another name.
ini units.csv phenotypes.csv units.ini
for command in run plan inspect; do
    ok "$command: the trait in other units" "$ESPALIER" $command units.ini
    like "the message names it" "$(suspects)" '"cm" \(r = 1.0000 over'
done
like "inspect prints a line about it" "$(grep '^leaks' "$T/.out")" '^leaks       1 feature with .r. above 0.999 with the target: "cm" \(r = 1.0000 over 39 samples\)$'
sed 's/^trait.*/&\nfixed = inch/' clean.ini >covariate.ini
awk -F, -v OFS=, 'NR == 1 { print $0, "inch"; next } { print $0, $3 / 2.54 }' phenotypes.csv >inch.csv
ok "a covariate" "$ESPALIER" plan covariate.ini --set phenotypes=inch.csv
like "the message names it" "$(suspects)" '"inch" \(r = 1.0000 over 40 samples\)'

# Nodes of a graph: the class as a number, dense and sparse.
awk -F, 'NR == 1 { print "node,label"; next } { print $1 "," ($7 > 0 ? "a" : "b") }' all.csv >labels.csv
awk -F, 'NR == 1 { print "node,x,y"; next } { print $1 "," ($7 > 0) "," $5 }' all.csv >dense.csv
awk -F, 'NR == 1 { print "node,feature"; next } { print $1 "," "f" $5; if ($7 > 0) print $1 ",leak" }' all.csv >sparse.csv
printf '[data]\nformat = graph\nlabels = labels.csv\nfeatures = dense.csv\n[graph]\nbuild = none\n' >graph.ini
ok "a feature of nodes" "$ESPALIER" plan graph.ini
like "the message names it" "$(suspects)" '"x" \(r = -1.0000 over 40 samples\)'
ok "a sparse one" "$ESPALIER" plan graph.ini --set features=sparse.csv
like "the message names it, too" "$(suspects)" '"leak" \(r = -1.0000 over 40 samples\)'
done_testing
